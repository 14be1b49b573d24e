#include <limits>
#include <utility>

#include "isa/table.h"
#include "stream/names.h"
#include "stream/text.h"

namespace openneuron::stream {
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
  Parser(std::string_view text, const std::string& file) : in_(text, file, Code::StreamSyntax) {}

  Result<isa::Code> run() {
    ON_TRY(in_.expect_word("code"));
    ON_READ(code_.name, in_.quoted("the name of the program"));
    ON_TRY(in_.expect_word("target"));
    ON_READ(code_.target, in_.quoted("a machine name"));
    ON_TRY(in_.expect("{"));
    code_.locations.assign(1, "");
    while (!in_.accept("}")) {
      if (in_.next_is("%"))
        ON_TRY(variable());
      else if (in_.accept_word("location"))
        ON_TRY(location());
      else if (in_.accept_word("core"))
        ON_TRY(core());
      else
        return in_.error("expected a variable (%name = ...), a location, a core or '}'");
    }
    if (!in_.at_end()) return in_.error("text after the end of the program");
    for (const auto& [variable, offset] : aliases_) {
      in_.rewind(offset);
      auto input = names_.parse(in_);
      if (!input) return input.failure();
      code_.variables[variable].aliases = static_cast<std::int32_t>(input->index);
    }
    return std::move(code_);
  }

 private:
  Result<void> variable() {
    if (!code_.cores.empty()) return in_.error("variables are declared before the first core");
    isa::Variable v;
    ON_READ(v.name, names_.parse_declared(in_));
    ON_TRY(in_.expect("="));
    if (in_.accept_word("shared_hbm"))
      v.space = isa::Space::SharedHbm;
    else if (!in_.accept_word("private_hbm"))
      return in_.error("expected private_hbm or shared_hbm");
    bool found = false;
    for (auto k : {isa::VariableKind::Input, isa::VariableKind::Output, isa::VariableKind::Constant, isa::VariableKind::Scratch})
      if (!found && in_.accept_word(isa::variable_kind_name(k))) v.kind = k, found = true;
    if (!found) return in_.error("expected input, output, constant or scratch");
    ON_READ(v.type, isa::parse_type(in_));
    const std::size_t shape = in_.offset();
    ON_TRY(in_.expect("["));
    while (!in_.accept("]")) {
      if (!v.shape.empty()) ON_TRY(in_.expect(","));
      if (v.shape.size() == 64) return in_.error("more than 64 dimensions");
      std::int64_t extent = 0;
      ON_READ(extent, in_.integer_between("an extent", 0, kLargestVariable));
      v.shape.push_back(extent);
    }
    v.bytes = packed_bytes(v.type, v.shape);
    if (v.bytes < 0) return in_.error_at(shape, "the tensor is too large");
    while (!in_.at_line_end()) {
      const std::size_t start = in_.offset();
      if (in_.accept_word("splat")) {
        v.splat = true;
      } else if (in_.accept_word("bytes")) {
        ON_TRY(in_.expect("="));
        ON_READ(v.bytes, in_.integer_between("bytes", 0, kLargestVariable));
      } else if (in_.accept_word("alias")) {
        ON_TRY(in_.expect("="));
        aliases_.push_back({code_.variables.size(), in_.offset()});
        ON_TRY(isa::MemoryNames::skip(in_));
      } else if (in_.accept_word("data")) {
        ON_TRY(in_.expect("="));
        ON_TRY(data(v));
      } else {
        return in_.error_at(start, "expected bytes=, alias=, splat, data= or the end of the line");
      }
    }
    names_.add(v.name, v.space);
    code_.variables.push_back(std::move(v));
    return {};
  }

  Result<void> data(isa::Variable& v) {
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
    v.data = *bytes;
    code_.owners.push_back(std::move(bytes));
    return {};
  }

  Result<void> location() {
    const std::size_t start = in_.offset();
    std::int64_t number = 0;
    ON_READ(number, in_.integer_between("the number of a location", 1, kInt32Max));
    if (static_cast<std::size_t>(number) != code_.locations.size())
      return in_.error_at(start, "locations are numbered in order; the next one is " + std::to_string(code_.locations.size()));
    ON_TRY(in_.expect("="));
    auto text = in_.quoted("a location");
    if (!text) return text.failure();
    code_.locations.push_back(std::move(*text));
    return {};
  }

  Result<void> core() {
    const std::size_t start = in_.offset();
    std::int64_t number = 0;
    ON_READ(number, in_.integer_between("the number of a core", 0, 255));
    if (static_cast<std::size_t>(number) != code_.cores.size())
      return in_.error_at(start, "cores are numbered in order; the next one is " + std::to_string(code_.cores.size()));
    isa::CoreCode core;
    if (in_.accept_word("sbuf_bytes")) {
      ON_TRY(in_.expect("="));
      ON_READ(core.sbuf_bytes, in_.integer_between("bytes", 0, kLargestVariable));
    }
    if (in_.accept_word("psum_banks")) {
      ON_TRY(in_.expect("="));
      ON_READ(core.psum_banks, in_.integer_between("banks", 0, kInt32Max));
    }
    ON_TRY(in_.expect("{"));
    while (!in_.accept("}")) ON_TRY(stream(core));
    code_.cores.push_back(std::move(core));
    return {};
  }

  Result<void> stream(isa::CoreCode& core) {
    isa::Stream stream;
    const std::string engine(in_.peek_identifier());
    if (!isa::engine_from_name(engine, stream.engine) || stream.engine == isa::Engine::Any)
      return in_.error("expected PE, Vector, Scalar, GpSimd, Sync, Dma or '}'");
    in_.accept_word(engine);
    if (in_.accept_word("queue")) {
      ON_TRY(in_.expect("="));
      ON_READ(stream.queue, in_.integer_between("a DMA queue", 0, 255));
    }
    const std::string semaphore(in_.peek_identifier());
    std::int64_t number = 0;
    bool digits = semaphore.size() > 3 && semaphore.size() < 9 && semaphore.compare(0, 3, "sem") == 0;
    for (std::size_t i = 3; digits && i < semaphore.size(); ++i) {
      digits = semaphore[i] >= '0' && semaphore[i] <= '9';
      number = number * 10 + (semaphore[i] - '0');
    }
    if (!digits || number > 65535) return in_.error("expected the stream's semaphore, such as sem0");
    in_.accept_word(semaphore);
    stream.semaphore = static_cast<std::uint16_t>(number);
    ON_TRY(in_.expect("{"));
    while (!in_.accept("}")) {
      auto instruction = isa::parse_instruction(in_, names_, isa::TextLevel::Stream);
      if (!instruction) return instruction.failure();
      instruction->engine = stream.engine;
      instruction->queue = stream.queue;
      stream.instructions.push_back(std::move(*instruction));
    }
    core.streams.push_back(std::move(stream));
    return {};
  }

  TextReader in_;
  isa::Code code_;
  isa::MemoryNames names_;
  std::vector<std::pair<std::size_t, std::size_t>> aliases_;  // variable, and where the name of its alias stands
};

}  // namespace

Result<isa::Code> parse(std::string_view text, const std::string& file) { return Parser(text, file).run(); }

}  // namespace openneuron::stream
