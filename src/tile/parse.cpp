#include <algorithm>
#include <limits>
#include <utility>

#include "tile/names.h"
#include "tile/text.h"

namespace openneuron::tile {
namespace {

constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();

#define ON_READ(target, expression)                              \
  do {                                                           \
    auto on_read_result = (expression);                          \
    if (!on_read_result) return on_read_result.failure();        \
    target = static_cast<decltype(target)>(*on_read_result);     \
  } while (false)

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : in_(text, file, Code::TileSyntax) {}

  Result<Module> run() {
    ON_TRY(in_.expect_word("tile"));
    ON_READ(module_.name, in_.quoted("the name of the module"));
    ON_TRY(in_.expect_word("target"));
    ON_READ(module_.target, in_.quoted("a machine name"));
    ON_TRY(in_.expect("{"));
    while (!in_.accept("}")) {
      if (in_.next_is("%"))
        ON_TRY(buffer());
      else if (in_.accept_word("location"))
        ON_TRY(location());
      else if (in_.accept_word("core"))
        ON_TRY(core());
      else
        return in_.error("expected a buffer (%name = ...), a location, a core or '}'");
    }
    if (!in_.at_end()) return in_.error("text after the end of the module");
    ON_TRY(aliases());
    return std::move(module_);
  }

 private:
  Result<void> buffer() {
    if (!module_.programs.empty()) return in_.error("buffers are declared before the first core");
    Buffer b;
    ON_READ(b.name, names_.parse_declared(in_));
    ON_TRY(in_.expect("="));
    const std::size_t start = in_.offset();
    auto space = in_.identifier("a space: sbuf, psum, private_hbm or shared_hbm");
    if (!space) return space.failure();
    bool found = false;
    for (isa::Space s : {isa::Space::Sbuf, isa::Space::Psum, isa::Space::PrivateHbm, isa::Space::SharedHbm})
      if (space_name(s) == *space) b.space = s, found = true;
    if (!found) return in_.error_at(start, "unknown space '" + std::string(*space) + "'", "Use sbuf, psum, private_hbm or shared_hbm.");
    if (isa::is_hbm(b.space)) ON_TRY(variable(b));
    while (!in_.at_line_end()) ON_TRY(attribute(b));
    if (isa::is_hbm(b.space)) {
      b.variable.name = b.name;
      b.variable.space = b.space;
      b.variable.bytes = b.bytes;
    }
    names_.add(b.name, b.space);
    module_.buffers.push(std::move(b));
    return {};
  }

  Result<void> variable(Buffer& b) {
    isa::Variable& v = b.variable;
    const std::size_t start = in_.offset();
    auto kind = in_.identifier("input, output, constant or scratch");
    if (!kind) return kind.failure();
    bool found = false;
    for (auto k : {isa::VariableKind::Input, isa::VariableKind::Output, isa::VariableKind::Constant,
                   isa::VariableKind::Scratch})
      if (isa::variable_kind_name(k) == *kind) v.kind = k, found = true;
    if (!found) return in_.error_at(start, "expected input, output, constant or scratch, not '" + std::string(*kind) + "'");
    ON_READ(v.type, isa::parse_type(in_));
    const std::size_t shape = in_.offset();
    ON_TRY(in_.expect("["));
    while (!in_.accept("]")) {
      if (!v.shape.empty()) ON_TRY(in_.expect(","));
      if (v.shape.size() == 64) return in_.error("more than 64 dimensions");
      std::int64_t extent = 0;
      ON_READ(extent, in_.integer_between("an extent", 0, kLargestBuffer));
      v.shape.push_back(extent);
    }
    b.bytes = packed_bytes(v.type, v.shape);
    if (b.bytes < 0) return in_.error_at(shape, "the tensor is too large");
    return {};
  }

  Result<void> attribute(Buffer& b) {
    const std::size_t start = in_.offset();
    const std::string word(in_.peek_identifier());
    in_.accept_word(word);
    const bool hbm = isa::is_hbm(b.space);
    if (word == "splat" && hbm) return b.variable.splat = true, Result<void>{};
    if (!word.empty() && !in_.accept("=")) return in_.error_at(start, "expected an attribute such as bytes=2048");
    if (word == "bytes") {
      ON_READ(b.bytes, in_.integer_between("bytes", 0, kLargestBuffer));
    } else if (word == "partitions") {
      ON_READ(b.partitions, in_.integer_between("partitions", 1, 65535));
    } else if (word == "copies") {
      ON_READ(b.copies, in_.integer_between("copies", 1, 65535));
    } else if (word == "core") {
      ON_READ(b.core, in_.integer_between("a core", 0, 255));
    } else if (word == "address") {
      ON_READ(b.address, in_.integer_between("an address", 0, kLargestBuffer));
    } else if (word == "alias" && hbm) {
      aliases_.push_back({BufferId(module_.buffers.size()), in_.offset()});
      return isa::MemoryNames::skip(in_);
    } else if (word == "data" && hbm) {
      return data(b);
    } else {
      return in_.error_at(start, "'" + word + "' is no attribute of a buffer in " + std::string(space_name(b.space)));
    }
    return {};
  }

  Result<void> data(Buffer& b) {
    const std::size_t start = in_.offset();
    auto hex = in_.quoted("bytes in hexadecimal");
    if (!hex) return hex.failure();
    auto bytes = std::make_shared<std::vector<std::byte>>();
    bytes->reserve(hex->size() / 2);
    unsigned value = 0;
    for (std::size_t i = 0; i < hex->size(); ++i) {
      const char c = (*hex)[i];
      const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
      if (digit < 0) return in_.error_at(start, "data holds a character that is no hexadecimal digit");
      value = value * 16 + static_cast<unsigned>(digit);
      if (i % 2) bytes->push_back(static_cast<std::byte>(value)), value = 0;
    }
    if (hex->size() % 2) return in_.error_at(start, "data has an odd number of digits");
    b.variable.data = *bytes;
    module_.owners.push_back(std::move(bytes));
    return {};
  }

  Result<void> location() {
    const std::size_t start = in_.offset();
    std::int64_t number = 0;
    ON_READ(number, in_.integer_between("the number of a location", 1, kInt32Max));
    if (static_cast<std::size_t>(number) != module_.locations.size())
      return in_.error_at(start, "locations are numbered in order; the next one is " + std::to_string(module_.locations.size()));
    ON_TRY(in_.expect("="));
    auto text = in_.quoted("a location");
    if (!text) return text.failure();
    module_.locations.push_back(std::move(*text));
    return {};
  }

  Result<void> core() {
    const std::size_t start = in_.offset();
    std::int64_t number = 0;
    ON_READ(number, in_.integer_between("the number of a core", 0, 255));
    if (static_cast<std::size_t>(number) != module_.programs.size())
      return in_.error_at(start, "cores are numbered in order; the next one is " + std::to_string(module_.programs.size()));
    Program program;
    if (in_.accept_word("loops")) {
      ON_TRY(in_.expect("="));
      ON_READ(program.loop_count, in_.integer_between("the number of loops", 0, 1 << 24));
    }
    if (in_.accept_word("registers")) {
      ON_TRY(in_.expect("="));
      ON_READ(program.register_count, in_.integer_between("the number of registers", 0, 32768));
    }
    ON_TRY(in_.expect("{"));
    while (!in_.accept("}")) {
      auto instruction = isa::parse_instruction(in_, names_, isa::TextLevel::Tile);
      if (!instruction) return instruction.failure();
      instruction->order = static_cast<std::uint32_t>(program.instructions.size());
      program.instructions.push_back(std::move(*instruction));
    }
    module_.programs.push_back(std::move(program));
    return {};
  }

  Result<void> aliases() {
    for (const auto& [buffer, offset] : aliases_) {
      in_.rewind(offset);
      ON_READ(module_.buffers[buffer].alias, names_.parse(in_));
    }
    return {};
  }

  TextReader in_;
  Module module_;
  isa::MemoryNames names_;
  std::vector<std::pair<BufferId, std::size_t>> aliases_;  // where the name of each alias stands
};

}  // namespace

Result<Module> parse(std::string_view text, const std::string& file) { return Parser(text, file).run(); }

}  // namespace openneuron::tile
