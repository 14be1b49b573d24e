// The one file that sees nlohmann-json. Members and their keys: docs/neff.md.
#include "image/content.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "base/version.h"
#include "image/facts.h"
#include "image/npy.h"
#include "isa/table.h"

namespace openneuron::image {
namespace {

using isa::Engine;
using isa::Variable;
using isa::VariableKind;
using nlohmann::json;

constexpr std::int64_t kFormat = 1;  // of what is ours inside the members
constexpr std::size_t kMostDims = 64, kMostCores = 2;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 46;

constexpr std::array<std::string_view, 4> kKinds = {"input", "output", "file", "tmp-buf"};           // by VariableKind
constexpr std::array<std::string_view, 5> kEngineFiles = {"PE", "DVE", "Activation", "Pool", "SP"};  // by Engine

std::string core_directory(std::size_t core) { return "sg0" + std::to_string(core) + "/"; }

// "PE" for the PE's stream, "q03" for DMA queue 3.
std::string stream_name(Engine engine, unsigned queue) {
  if (engine != Engine::Dma) return std::string(kEngineFiles[static_cast<std::size_t>(engine)]);
  return (queue < 10 ? "q0" : "q") + std::to_string(queue);
}

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 127 && c != '"' && c != '\\'; });
}

bool is_utf8(const std::string& text) {
  if (is_plain(text)) return true;
  // dump throws on anything else in its strict mode; the replacing mode never throws and changes such text.
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace), nullptr, false)
             .get<std::string>() == text;
}

std::string dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

// Lists as long as the program are written without a tree of values: that is a tenth of the work.
void add_text(std::string& out, std::string_view text) {
  if (!is_plain(text)) {
    out += dump(json(text));
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

// ---- writing

class Describer {
 public:
  explicit Describer(const isa::Code& code) : code_(code) {}

  Result<Content> run() {
    if (code_.cores.empty() || code_.cores.size() > kMostCores)
      return refuse("it has " + std::to_string(code_.cores.size()) + " cores; 1 or 2 can be written");
    if (!is_utf8(code_.name) || !is_utf8(code_.target)) return refuse("its name is no UTF-8 text");
    ON_TRY(constants());
    auto variables = describe_variables();
    if (!variables) return variables.failure();
    for (std::size_t core = 0; core < code_.cores.size(); ++core) ON_TRY(describe_core(core, *variables));
    describe_program();
    return std::move(content_);
  }

 private:
  Failure refuse(const std::string& what) const {
    return fail(Code::NeffUnwritable, "the program cannot be written: " + what);
  }

  void add(const std::string& name, std::vector<std::byte> bytes) {
    content_.made.push_back(std::move(bytes));
    content_.members[name] = content_.made.back();
  }
  void add(const std::string& name, const json& value) {
    add_json(name, dump(value));
  }
  void add_json(const std::string& name, std::string text) {
    text += '\n';
    const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
    add(name, std::vector<std::byte>(bytes.begin(), bytes.end()));
  }

  static std::string constant_file(std::size_t index, bool npy) {
    std::string digits = std::to_string(index);
    if (digits.size() < 6) digits.insert(0, 6 - digits.size(), '0');
    return "sg00/constant" + digits + (npy ? ".npy" : ".bin");
  }
  static bool as_npy(const Variable& v) {
    std::int64_t elements = 1;
    for (std::int64_t size : v.shape) elements *= size;
    return !npy_type(v.type).empty() && (v.splat || elements * byte_width(v.type) == v.bytes);
  }

  // The shape's own size is checked first, so that products do not overflow.
  Result<void> check(const Variable& v) const {
    if (v.name.empty() || !is_utf8(v.name)) return refuse("a variable's name is empty or no UTF-8 text");
    if (v.bytes < 0 || v.bytes > kMostBytes)
      return refuse("variable " + v.name + " has " + std::to_string(v.bytes) + " bytes");
    if (v.shape.size() > kMostDims)
      return refuse("variable " + v.name + " has " + std::to_string(v.shape.size()) + " dims");
    std::int64_t bytes = byte_width(v.type);
    for (std::int64_t size : v.shape) {
      if (size < 0 || (size > 0 && bytes > kMostBytes / size))
        return refuse("variable " + v.name + " has an impossible shape");
      bytes *= size;
    }
    if (v.type == ElementType::None || !isa::is_hbm(v.space))
      return refuse("variable " + v.name + " has no type or does not lie in HBM");
    if (v.aliases != -1 && (v.kind != VariableKind::Output || v.aliases < 0 ||
                            static_cast<std::size_t>(v.aliases) >= code_.variables.size() ||
                            code_.variables[static_cast<std::size_t>(v.aliases)].kind != VariableKind::Input))
      return refuse("variable " + v.name + " shares the memory of what is no input");
    if (v.aliases != -1 && code_.variables[static_cast<std::size_t>(v.aliases)].bytes != v.bytes)
      return refuse("variable " + v.name + " shares the memory of an input of another size");
    if ((v.kind == VariableKind::Input || v.kind == VariableKind::Output) && bytes > v.bytes)
      return refuse("variable " + v.name + " has " + std::to_string(v.bytes) + " bytes; its shape needs " +
                    std::to_string(bytes));
    if (v.kind != VariableKind::Constant) return {};
    const std::int64_t expected = v.splat ? byte_width(v.type) : v.bytes;
    if (static_cast<std::int64_t>(v.data.size()) != expected || (v.splat && v.bytes % byte_width(v.type) != 0))
      return refuse("constant " + v.name + " has " + std::to_string(v.data.size()) + " bytes of data, not " +
                    std::to_string(expected));
    return {};
  }

  Result<void> constants() {
    for (std::size_t i = 0; i < code_.variables.size(); ++i) {
      const Variable& v = code_.variables[i];
      ON_TRY(check(v));
      if (v.kind != VariableKind::Constant) continue;
      const bool npy = as_npy(v);
      if (!npy) {
        content_.members[constant_file(i, false)] = v.data;
        continue;
      }
      const std::int64_t one = 1;
      std::vector<std::byte> bytes =
          npy_header(v.type, v.splat ? std::span(&one, 1) : std::span<const std::int64_t>(v.shape));
      bytes.insert(bytes.end(), v.data.begin(), v.data.end());
      add(constant_file(i, true), std::move(bytes));
    }
    return {};
  }

  // An object by name, a variable a line.
  Result<std::string> describe_variables() const {
    std::vector<std::uint32_t> order(code_.variables.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return code_.variables[a].name < code_.variables[b].name; });
    std::string out = "{";
    out.reserve(180 * order.size() + 2);
    const Variable* before = nullptr;
    for (std::uint32_t i : order) {
      const Variable& v = code_.variables[i];
      if (before && before->name == v.name) return refuse("two variables are named " + v.name);
      out += before ? ",\n" : "\n";
      before = &v;
      add_text(out, v.name);
      out += ":{\"var_id\":" + std::to_string(i) + ",\"type\":\"";
      out += kKinds[static_cast<std::size_t>(v.kind)];
      out += "\",\"size\":" + std::to_string(v.bytes) + ",\"alignment\":64,\"dtype\":\"";
      out += type_name(v.type);
      out += "\",\"shape\":[";
      for (std::size_t n = 0; n < v.shape.size(); ++n) out += (n ? "," : "") + std::to_string(v.shape[n]);
      out += v.space == isa::Space::SharedHbm ? "],\"space\":\"shared_hbm\"" : "],\"space\":\"private_hbm\"";
      if (v.kind == VariableKind::Constant) {
        out += ",\"file_name\":\"" + constant_file(i, as_npy(v)) + "\",\"splat\":";
        out += v.splat ? "true" : "false";
      }
      if (v.aliases >= 0) {
        out += ",\"aliases\":";
        add_text(out, code_.variables[static_cast<std::size_t>(v.aliases)].name);
      }
      out += '}';
    }
    out += before ? "\n}" : "}";
    return out;
  }

  Result<void> describe_core(std::size_t core, const std::string& variables) {
    const isa::CoreCode& c = code_.cores[core];
    const std::string directory = core_directory(core);
    json streams = json::array(), engines = json::object(), queues = json::object();
    for (const isa::Stream& s : c.streams) {
      if (s.engine > Engine::Dma) return refuse("a stream has no engine");
      const std::string name = stream_name(s.engine, s.queue);
      if (std::find(streams.begin(), streams.end(), json(name)) != streams.end())
        return refuse("two streams are named " + name);
      streams.push_back(name);
      add(directory + name + ".bin", isa::encode(s));
      add(directory + name + ".json",
          json{{"dma", json::array()}, {"instructions", s.instructions.size()}, {"semaphore", s.semaphore}});
      if (s.engine == Engine::Dma)
        queues[name] = {{"type", "dynamic"},      {"num_queues", 1},          {"queue_instances", json::array()},
                        {"owner", "SP"},          {"semaphore", s.semaphore}, {"fabric_path", "main"},
                        {"json", name + ".json"}, {"binary", name + ".bin"}};
      else
        engines[name] = {{"json", name + ".json"}, {"binary", name + ".bin"}};
    }
    std::string text = dump(json{{"name", code_.name},
                                 {"engines", engines},
                                 {"dma_queue", queues},
                                 {"openneuron",
                                  {{"format", kFormat},
                                   {"target", code_.target},
                                   {"streams", streams},
                                   {"sbuf_bytes", c.sbuf_bytes},
                                   {"psum_banks", c.psum_banks}}}});
    text.back() = ',';  // the closing brace
    text += "\"var\":" + variables + "}";
    add_json(directory + "def.json", std::move(text));
    return {};
  }

  void describe_program() {
    json nodes = json::array(), inputs = json::array(), outputs = json::array(), definitions = json::array();
    std::int64_t input_bytes = 0, output_bytes = 0, constant_bytes = 0, scratch_bytes = 0;
    for (const Variable& v : code_.variables) {
      if (v.kind == VariableKind::Input) inputs.push_back(v.name);
      if (v.kind == VariableKind::Output) outputs.push_back(v.name);
      (v.kind == VariableKind::Input      ? input_bytes
       : v.kind == VariableKind::Output   ? output_bytes
       : v.kind == VariableKind::Constant ? constant_bytes
                                          : scratch_bytes) += v.bytes;
    }
    json counts = json::object();
    for (std::size_t core = 0; core < code_.cores.size(); ++core) {
      definitions.push_back(core_directory(core) + "def.json");
      for (const isa::Stream& s : code_.cores[core].streams)
        counts[core_directory(core) + stream_name(s.engine, s.queue)] = s.instructions.size();
    }
    add("neff.json", json{{"name", code_.name}, {"version", "2.0"}, {"graphs", json::array({"kelf-0.json"})}});
    add("info.json", json{{"compiler", "openneuron"}, {"version", version()}, {"target", code_.target}});
    add("kelf-0.json",
        json{{"name", code_.name}, {"subgraphs", definitions}, {"inputs", inputs}, {"outputs", outputs}});
    add("metrics.json", json{{"instructions", counts}});
    add("hlo_stats.json", json{{"input_bytes", input_bytes},
                               {"output_bytes", output_bytes},
                               {"constant_bytes", constant_bytes},
                               {"scratch_bytes", scratch_bytes}});
    std::string locations = "[";
    for (const std::string& text : code_.locations) {
      locations += locations.size() > 1 ? ",\n" : "\n";
      add_text(locations, text);
    }
    locations += code_.locations.empty() ? "]" : "\n]";
    add_json("debug_info/locations.json", std::move(locations));
    const std::string facts = write_facts(code_.facts);
    const auto bytes = std::as_bytes(std::span(facts.data(), facts.size()));
    add(std::string(kFactsMember), std::vector<std::byte>(bytes.begin(), bytes.end()));
  }

  const isa::Code& code_;
  Content content_;
};

// ---- reading

class Assembler {
 public:
  Assembler(const Members& members, const std::string& file, std::shared_ptr<const void> owner)
      : members_(members), file_(file), owner_(std::move(owner)) {}

  Result<isa::Code> run() {
    for (std::size_t core = 0; core < kMostCores && (core == 0 || members_.count(core_directory(core) + "def.json"));
         ++core)
      ON_TRY(read_core(core));
    ON_TRY(read_locations());
    ON_TRY(check_instructions());
    if (owner_) code_.owners.push_back(owner_);
    return std::move(code_);
  }

 private:
  Failure wrong(Code code, const std::string& member, const std::string& what) const {
    Place place;
    place.file = file_;
    place.op = member;
    return fail(code, place, what);
  }
  Failure wrong(const std::string& member, const std::string& what) const {
    return wrong(Code::NeffMember, member, what);
  }

  Result<std::span<const std::byte>> member(const std::string& name) const {
    const auto at = members_.find(name);
    if (at == members_.end()) return wrong(name, "the member is missing");
    return at->second;
  }
  Result<json> read_json(const std::string& name) const {
    auto bytes = member(name);
    if (!bytes) return bytes.failure();
    const auto* first = reinterpret_cast<const char*>(bytes->data());
    json value = json::parse(first, first + bytes->size(), nullptr, false);
    if (value.is_discarded()) return wrong(name, "the member is not JSON");
    return value;
  }
  Result<std::int64_t> integer(const json& object, const char* key, std::int64_t high, const std::string& where) const {
    const auto at = object.find(key);
    if (at == object.end() || !at->is_number_unsigned() || at->get<std::uint64_t>() > static_cast<std::uint64_t>(high))
      return wrong(where, std::string(key) + " must be a number from 0 to " + std::to_string(high));
    return static_cast<std::int64_t>(at->get<std::uint64_t>());
  }
  Result<std::string> string(const json& object, const char* key, const std::string& where) const {
    const auto at = object.find(key);
    if (at == object.end() || !at->is_string()) return wrong(where, std::string(key) + " must be a text");
    return at->get<std::string>();
  }

  Result<void> read_core(std::size_t core) {
    const std::string where = core_directory(core) + "def.json";
    auto definition = read_json(where);
    if (!definition) return definition.failure();
    const json* ours = nullptr;
    if (definition->is_object()) {
      const auto at = definition->find("openneuron");
      if (at != definition->end() && at->is_object()) ours = &*at;
    }
    if (!ours) return wrong(Code::NeffVendor, where, "the definition names no engine code of OpenNeuron");
    auto format = integer(*ours, "format", INT32_MAX, where);
    if (!format) return format.failure();
    if (*format != kFormat)
      return wrong(
          Code::NeffTooNew, where,
          "format " + std::to_string(*format) + " of the engine code; " + std::to_string(kFormat) + " is read");
    auto name = string(*definition, "name", where);
    if (!name) return name.failure();
    auto target = string(*ours, "target", where);
    if (!target) return target.failure();
    const auto variables = definition->find("var");
    if (variables == definition->end() || !variables->is_object()) return wrong(where, "var must be an object");
    if (core == 0) {
      code_.name = *name;
      code_.target = *target;
      variables_ = *variables;
      ON_TRY(read_variables(where));
    } else if (*variables != variables_ || *target != code_.target || *name != code_.name) {
      return wrong(where, "the two cores disagree on the program's name, target or variables");
    }
    isa::CoreCode c;
    auto sbuf = integer(*ours, "sbuf_bytes", kMostBytes, where);
    if (!sbuf) return sbuf.failure();
    auto banks = integer(*ours, "psum_banks", kMostBytes, where);
    if (!banks) return banks.failure();
    c.sbuf_bytes = *sbuf;
    c.psum_banks = *banks;
    const auto streams = ours->find("streams");
    if (streams == ours->end() || !streams->is_array()) return wrong(where, "streams must be a list");
    for (const json& stream : *streams) {
      if (!stream.is_string()) return wrong(where, "streams must be a list of texts");
      ON_TRY(read_stream(core, stream.get<std::string>(), c));
    }
    code_.cores.push_back(std::move(c));
    return {};
  }

  Result<void> read_stream(std::size_t core, const std::string& name, isa::CoreCode& c) const {
    const std::string binary = core_directory(core) + name + ".bin";
    auto bytes = member(binary);
    if (!bytes) return bytes.failure();
    auto stream = isa::decode(*bytes);
    if (!stream) {
      Failure failure = stream.failure();
      Diagnostic& d = failure.diagnostic();
      d.place.file = file_;
      d.place.op = binary + (d.place.op.empty() ? "" : ", " + d.place.op);
      return failure;
    }
    if (stream_name(stream->engine, stream->queue) != name)
      return wrong(Code::NeffCode, binary, "the code is another engine's");
    for (const isa::Stream& other : c.streams)
      if (other.engine == stream->engine && other.queue == stream->queue)
        return wrong(Code::NeffCode, binary, "the stream is listed twice");
    auto description = read_json(core_directory(core) + name + ".json");
    if (!description) return description.failure();
    c.streams.push_back(std::move(*stream));
    return {};
  }

  // Objects are sorted by name; var_id is the place in the list.
  Result<void> read_variables(const std::string& where) {
    code_.variables.resize(variables_.size());
    std::vector<bool> seen(variables_.size());
    for (const auto& [name, value] : variables_.items()) {
      const std::string at = where + ", var " + name.substr(0, 100);
      if (!value.is_object() || name.empty()) return wrong(at, "a variable must be an object with a name");
      auto id = integer(value, "var_id", static_cast<std::int64_t>(variables_.size()) - 1, at);
      if (!id) return id.failure();
      const auto index = static_cast<std::size_t>(*id);
      if (seen[index]) return wrong(at, "var_id " + std::to_string(index) + " is used twice");
      seen[index] = true;
      code_.variables[index].name = name;
      ON_TRY(read_variable(value, code_.variables[index], at));
    }
    for (Variable& v : code_.variables) ON_TRY(read_alias(v, where));
    return {};
  }

  Result<void> read_variable(const json& value, Variable& v, const std::string& where) const {
    auto kind = string(value, "type", where);
    if (!kind) return kind.failure();
    const auto known = std::find(kKinds.begin(), kKinds.end(), *kind);
    if (known == kKinds.end()) return wrong(where, "type must be input, output, file or tmp-buf");
    v.kind = static_cast<VariableKind>(known - kKinds.begin());
    auto space = string(value, "space", where);
    if (!space) return space.failure();
    if (*space != "private_hbm" && *space != "shared_hbm")
      return wrong(where, "space must be private_hbm or shared_hbm");
    v.space = *space == "shared_hbm" ? isa::Space::SharedHbm : isa::Space::PrivateHbm;
    auto type = string(value, "dtype", where);
    if (!type) return type.failure();
    v.type = type_from_name(*type);
    if (v.type == ElementType::None) return wrong(where, "dtype is no element type");
    auto bytes = integer(value, "size", kMostBytes, where);
    if (!bytes) return bytes.failure();
    v.bytes = *bytes;
    const auto shape = value.find("shape");
    if (shape == value.end() || !shape->is_array() || shape->size() > kMostDims)
      return wrong(where, "shape must be a list of at most 64 numbers");
    std::int64_t elements = byte_width(v.type);
    for (const json& size : *shape) {
      if (!size.is_number_unsigned() || size.get<std::uint64_t>() > static_cast<std::uint64_t>(kMostBytes))
        return wrong(where, "shape must be a list of numbers");
      const auto n = static_cast<std::int64_t>(size.get<std::uint64_t>());
      if (n > 0 && elements > kMostBytes / n) return wrong(where, "the shape is too large");
      elements *= n;
      v.shape.push_back(n);
    }
    if ((v.kind == VariableKind::Input || v.kind == VariableKind::Output) && elements > v.bytes)
      return wrong(where, "the shape needs " + std::to_string(elements) + " bytes; size is " + std::to_string(v.bytes));
    return v.kind == VariableKind::Constant ? read_constant(value, v, where) : Result<void>();
  }

  Result<void> read_constant(const json& value, Variable& v, const std::string& where) const {
    const auto splat = value.find("splat");
    if (splat == value.end() || !splat->is_boolean()) return wrong(where, "splat must be true or false");
    v.splat = splat->get<bool>();
    auto name = string(value, "file_name", where);
    if (!name) return name.failure();
    auto content = member(*name);
    if (!content) return content.failure();
    v.data = *content;
    const bool npy = name->size() > 4 && name->compare(name->size() - 4, 4, ".npy") == 0;
    if (npy && !npy_data(*content, v.data)) return wrong(*name, "the member is no .npy file");
    const std::int64_t expected = v.splat ? byte_width(v.type) : v.bytes;
    if (static_cast<std::int64_t>(v.data.size()) != expected || (v.splat && v.bytes % byte_width(v.type) != 0))
      return wrong(*name,
                   "the constant has " + std::to_string(v.data.size()) + " bytes, not " + std::to_string(expected));
    return {};
  }

  Result<void> read_alias(Variable& v, const std::string& where) const {
    const json& value = variables_[v.name];
    const auto at = value.find("aliases");
    if (at == value.end()) return {};
    const std::string place = where + ", var " + v.name.substr(0, 100);
    if (!at->is_string() || v.kind != VariableKind::Output || !variables_.contains(at->get<std::string>()))
      return wrong(place, "aliases must name an input");
    v.aliases = static_cast<std::int32_t>(variables_[at->get<std::string>()]["var_id"].get<std::int64_t>());
    const Variable& input = code_.variables[static_cast<std::size_t>(v.aliases)];
    if (input.kind != VariableKind::Input || input.bytes != v.bytes)
      return wrong(place, "aliases must name an input of the same size");
    return {};
  }

  Result<void> read_locations() {
    const std::string name = "debug_info/locations.json";
    code_.locations = {""};
    if (!members_.count(name)) return {};
    auto list = read_json(name);
    if (!list) return list.failure();
    if (!list->is_array()) return wrong(name, "the member must be a list of texts");
    std::vector<std::string> locations;
    for (const json& text : *list) {
      if (!text.is_string()) return wrong(name, "the member must be a list of texts");
      locations.push_back(text.get<std::string>());
    }
    if (!locations.empty()) code_.locations = std::move(locations);
    have_locations_ = true;
    return {};
  }

  // Indices that every user of the code follows.
  Result<void> check_instructions() {
    for (isa::CoreCode& c : code_.cores)
      for (isa::Stream& s : c.streams)
        for (isa::Instruction& i : s.instructions.open()) {
          if (i.location >= code_.locations.size()) {
            if (have_locations_)
              return wrong(Code::NeffCode, std::string(isa::opcode_name(i.opcode)),
                           "the instruction's location does not exist");
            i.location = 0;  // stripped
          }
          for (const isa::Operand& o : i.operands)
            if (o.kind == isa::OperandKind::Memory && isa::is_hbm(o.space) && o.buffer.index >= code_.variables.size())
              return wrong(Code::NeffCode, std::string(isa::opcode_name(i.opcode)),
                           "an operand names variable " + std::to_string(o.buffer.index) + " of " +
                               std::to_string(code_.variables.size()));
        }
    return {};
  }

  const Members& members_;
  const std::string& file_;
  std::shared_ptr<const void> owner_;
  json variables_;
  bool have_locations_ = false;
  isa::Code code_;
};

}  // namespace

Result<Content> describe(const isa::Code& code) { return Describer(code).run(); }

Result<isa::Code> assemble(const Members& members, const std::string& file, std::shared_ptr<const void> owner) {
  return Assembler(members, file, std::move(owner)).run();
}

bool is_needed(std::string_view member) { return member == "neff.json" || member.substr(0, 2) == "sg"; }

}  // namespace openneuron::image
