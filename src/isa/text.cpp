#include "isa/text.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "isa/table.h"

namespace openneuron::isa {
namespace {

constexpr std::int64_t kInt16Max = std::numeric_limits<std::int16_t>::max();
constexpr std::int64_t kUint16Max = std::numeric_limits<std::uint16_t>::max();
constexpr std::int64_t kInt32Min = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kInt64Min = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();
// Loop numbers index tables: far above any program, far below what exhausts memory.
constexpr std::int64_t kLoopMax = (1 << 24) - 1;

// "L12", "R3", "sem4": a letter prefix and digits in one word. False leaves the reader where it was.
bool accept_numbered(TextReader& in, std::string_view prefix, std::int64_t& number) {
  const std::string_view word = in.peek_identifier();
  if (word.size() <= prefix.size() || word.size() > prefix.size() + 9 || word.substr(0, prefix.size()) != prefix)
    return false;
  std::int64_t value = 0;
  for (char c : word.substr(prefix.size())) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + (c - '0');
  }
  const std::string copy(word);
  number = value;
  return in.accept_word(copy);
}

Result<std::int64_t> numbered(TextReader& in, std::string_view prefix, std::string_view what, std::int64_t high) {
  std::int64_t number = 0;
  if (!accept_numbered(in, prefix, number)) return in.error("expected " + std::string(what));
  if (number > high) return in.error(std::string(what) + " is above " + std::to_string(high));
  return number;
}

Result<std::int64_t> any_integer(TextReader& in, std::string_view what) {
  return in.integer_between(what, kInt64Min, kInt64Max);
}

// An instruction ends with its line: what may follow an operand is looked for on this line only.
bool accept_here(TextReader& in, std::string_view symbol) { return !in.at_line_end() && in.accept(symbol); }

#define ON_READ(target, expression)                              \
  do {                                                           \
    auto on_read_result = (expression);                          \
    if (!on_read_result) return on_read_result.failure();        \
    target = static_cast<decltype(target)>(*on_read_result);     \
  } while (false)

void print_term(TextWriter& out, const Term& term) {
  out << " + L" << term.loop.index << '*';
  if (term.partitions == 0)
    out << term.bytes;
  else if (term.bytes == 0)
    out << term.partitions << 'p';
  else
    out << '(' << term.partitions << "p + " << term.bytes << ')';
}

Result<Term> parse_term(TextReader& in, std::int64_t loop) {
  Term term;
  term.loop = LoopId(static_cast<std::size_t>(loop));
  ON_TRY(in.expect("*"));
  if (in.accept("(")) {
    ON_READ(term.partitions, in.integer_between("the partitions of a term", kInt32Min, kInt32Max));
    ON_TRY(in.expect_word("p"));
    ON_TRY(in.expect("+"));
    ON_READ(term.bytes, any_integer(in, "the bytes of a term"));
    ON_TRY(in.expect(")"));
    return term;
  }
  const std::size_t start = in.offset();
  ON_READ(term.bytes, any_integer(in, "the factor of a term"));
  if (in.accept_word("p")) {
    if (term.bytes < kInt32Min || term.bytes > kInt32Max) return in.error_at(start, "too many partitions");
    term.partitions = static_cast<std::int32_t>(term.bytes);
    term.bytes = 0;
  }
  return term;
}

// start + terms + register + rotation
void print_start(TextWriter& out, const Operand& o) {
  out << o.start;
  for (const Term& term : o.terms) print_term(out, term);
  if (o.reg >= 0) out << " + R" << static_cast<int>(o.reg) << '*' << o.reg_bytes;
  if (o.copies != 1 || o.rotate_loop.valid()) {
    out << " + rot(L" << o.rotate_loop.index << ',' << static_cast<int>(o.copies);
    if (o.rotate_bytes != 0) out << '*' << o.rotate_bytes;
    out << ')';
  }
}

Result<void> parse_start(TextReader& in, Operand& o) {
  ON_READ(o.start, any_integer(in, "a start"));
  while (in.accept("+")) {
    std::int64_t number = 0;
    if (accept_numbered(in, "L", number)) {
      if (number > kLoopMax) return in.error("the loop number is above " + std::to_string(kLoopMax));
      if (o.terms.size() == 16) return in.error("more than 16 terms");
      auto term = parse_term(in, number);
      if (!term) return term.failure();
      o.terms.push_back(*term);
    } else if (accept_numbered(in, "R", number)) {
      if (number > kInt16Max) return in.error("the register number is above " + std::to_string(kInt16Max));
      if (o.reg >= 0) return in.error("a second register in one access");
      o.reg = static_cast<std::int16_t>(number);
      ON_TRY(in.expect("*"));
      ON_READ(o.reg_bytes, any_integer(in, "the stride of a register"));
    } else if (in.accept_word("rot")) {
      if (o.rotate_loop.valid()) return in.error("a second rotation in one access");
      ON_TRY(in.expect("("));
      auto loop = numbered(in, "L", "a loop such as L0", kLoopMax);
      if (!loop) return loop.failure();
      o.rotate_loop = LoopId(static_cast<std::size_t>(*loop));
      ON_TRY(in.expect(","));
      ON_READ(o.copies, in.integer_between("a number of copies", 1, kUint16Max));
      if (in.accept("*")) ON_READ(o.rotate_bytes, any_integer(in, "the bytes of a copy"));
      ON_TRY(in.expect(")"));
    } else {
      return in.error("expected a loop (L0*512), a register (R0*4) or rot(L0,2)");
    }
  }
  return {};
}

// A literal with '.', 'e', inf or nan is f32; a whole number is i32; a suffix ": type" states anything else.
void print_immediate(TextWriter& out, const Operand& o) {
  const double v = o.immediate;
  const bool whole = v == std::trunc(v) && std::abs(v) < 9e15 && !(v == 0 && std::signbit(v));
  if (o.type == ElementType::I32 && whole) {
    out << static_cast<std::int64_t>(v);
    return;
  }
  const float narrow = static_cast<float>(v);
  const bool fits = static_cast<double>(narrow) == v && !std::isnan(v);
  if (o.type == ElementType::F32 && (fits || std::isnan(v))) {
    TextWriter digits;
    if (std::isnan(v))
      digits.number(v);
    else
      digits.number_f32(narrow);
    out << digits.text();
    if (digits.text().find_first_of(".enif") == std::string::npos) out << ".0";
    return;
  }
  out.number(v) << ": ";
  print_type(out, o.type);
}

bool starts_number(TextReader& in) {
  const char c = in.peek();
  if (c == '-' || c == '.' || (c >= '0' && c <= '9')) return true;
  const std::string_view word = in.peek_identifier();
  return word == "inf" || word == "nan";
}

// "nan" or "nan:0x<bits>", on one line: what follows is the next instruction or a type.
Result<double> parse_nan(TextReader& in, bool negative) {
  std::uint64_t bits = negative ? 0xfff8000000000000u : 0x7ff8000000000000u;
  const std::size_t at = in.offset();
  if (accept_here(in, ":")) {
    if (in.peek() < '0' || in.peek() > '9') {
      in.rewind(at);
    } else {
      ON_READ(bits, in.unsigned_integer("the bits of a NaN"));
      if (!std::isnan(std::bit_cast<double>(bits))) return in.error_at(at, "these bits are not a NaN");
    }
  }
  return std::bit_cast<double>(bits);
}

Result<Operand> parse_immediate(TextReader& in) {
  Operand o;
  o.kind = OperandKind::Immediate;
  std::size_t start = in.offset();
  const bool negative = in.accept("-");
  if (in.accept_word("nan")) {
    ON_READ(o.immediate, parse_nan(in, negative));
  } else {
    in.rewind(start);
    ON_READ(o.immediate, in.number("a number"));
  }
  const std::size_t end = in.offset();
  if (accept_here(in, ":")) {
    ON_READ(o.type, parse_type(in));
    return o;
  }
  in.rewind(start);
  // Whole: the integer reader consumes just as much.
  auto whole = in.integer("a number");
  if (whole && in.offset() == end && std::abs(o.immediate) < 9e15 && !(o.immediate == 0 && std::signbit(o.immediate))) {
    o.immediate = static_cast<double>(*whole);
    o.type = ElementType::I32;
    return o;
  }
  in.rewind(end);
  o.type = ElementType::F32;
  if (!std::isnan(o.immediate)) o.immediate = static_cast<double>(static_cast<float>(o.immediate));
  return o;
}

Result<void> parse_access(TextReader& in, Operand& o) {
  ON_TRY(in.expect("["));
  ON_READ(o.partition_start, in.integer_between("the first partition", 0, kUint16Max));
  ON_TRY(in.expect(":"));
  std::int64_t end = 0;
  const std::size_t at = in.offset();
  ON_READ(end, in.integer_between("the end of the partitions", 0, 2 * kUint16Max));
  if (end < o.partition_start || end - o.partition_start > kUint16Max)
    return in.error_at(at, "the partitions end before they start, or are too many");
  o.partition_count = static_cast<std::uint16_t>(end - o.partition_start);
  if (in.accept("*")) ON_READ(o.partition_stride, any_integer(in, "the stride of a partition"));
  ON_TRY(in.expect(","));
  ON_TRY(parse_start(in, o));
  while (in.accept(",")) {
    if (o.dims.size() == 16) return in.error("more than 16 dims");
    Dim dim;
    ON_TRY(in.expect("["));
    ON_READ(dim.stride, any_integer(in, "a stride"));
    ON_TRY(in.expect(","));
    ON_READ(dim.count, any_integer(in, "a count"));
    ON_TRY(in.expect("]"));
    o.dims.push_back(dim);
  }
  ON_TRY(in.expect("]"));
  if (!in.at_line_end() && in.accept_word("indexed")) {
    ON_TRY(in.expect("("));
    ON_READ(o.indirect_stride, any_integer(in, "the bytes of an offset"));
    ON_TRY(in.expect(","));
    ON_READ(o.indirect_limit, any_integer(in, "the limit of offsets"));
    ON_TRY(in.expect(")"));
  }
  if (accept_here(in, ":")) ON_READ(o.type, parse_type(in));
  return {};
}

void print_waits(TextWriter& out, const char* word, const SmallVector<Wait, 2>& waits, const char* relation) {
  if (waits.empty()) return;
  out << ' ' << word << '(';
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if (i) out << ", ";
    out << "sem" << static_cast<int>(waits[i].semaphore) << ' ' << relation;
    if (waits[i].count >= 0) out << '+';
    out << static_cast<std::int64_t>(waits[i].count);
  }
  out << ')';
}

// `relation` is ">= base" or "base".
Result<void> parse_waits(TextReader& in, std::string_view relation, SmallVector<Wait, 2>& waits) {
  ON_TRY(in.expect("("));
  do {
    Wait wait;
    auto semaphore = numbered(in, "sem", "a semaphore such as sem0", kUint16Max);
    if (!semaphore) return semaphore.failure();
    wait.semaphore = static_cast<std::uint16_t>(*semaphore);
    if (!relation.empty()) ON_TRY(in.expect(relation));
    ON_TRY(in.expect_word("base"));
    const bool plus = in.accept("+");
    if (!plus && !in.next_is("-")) return in.error("expected '+' or '-' and a count");
    ON_READ(wait.count, in.integer_between("a count", kInt32Min, kInt32Max));
    if (waits.size() == 4096) return in.error("more than 4096 semaphores in one instruction");
    waits.push_back(wait);
  } while (in.accept(","));
  return in.expect(")");
}

void print_param(TextWriter& out, const Field& field, std::int32_t value) {
  switch (field.kind) {
    case FieldKind::Flag:
      if (value == 0) return;
      out << ' ' << field.name;
      if (value != 1) out << '=' << value;
      return;
    case FieldKind::Alu:
      out << ' ' << field.name << '=';
      if (value >= 0 && value < kAluOpCount)
        out << alu_name(static_cast<AluOp>(value));
      else
        out << value;
      return;
    case FieldKind::Function:
      out << ' ' << field.name << '=';
      if (value >= 0 && value < kFunctionCount)
        out << function_name(static_cast<Function>(value));
      else
        out << value;
      return;
    default: out << ' ' << field.name << '=' << value;
  }
}

Result<std::int32_t> parse_param(TextReader& in, const Field& field) {
  std::int32_t value = 1;
  const bool given = accept_here(in, "=");
  if (!given && field.kind == FieldKind::Flag) return value;
  if (!given) return in.error("expected '=' after " + std::string(field.name));
  const std::string_view word = in.peek_identifier();
  if (!word.empty() && field.kind == FieldKind::Alu) {
    AluOp op{};
    if (!alu_from_name(word, op)) return in.error("unknown operator '" + std::string(word) + "'");
    in.accept_word(word);
    return static_cast<std::int32_t>(op);
  }
  if (!word.empty() && field.kind == FieldKind::Function) {
    Function function{};
    if (!function_from_name(word, function)) return in.error("unknown function '" + std::string(word) + "'");
    in.accept_word(word);
    return static_cast<std::int32_t>(function);
  }
  ON_READ(value, in.integer_between(field.name, kInt32Min, kInt32Max));
  return value;
}

struct Mnemonics {
  std::vector<std::string> names;
  std::map<std::string, Opcode, std::less<>> opcodes;
  Mnemonics() {
    for (const Row& r : rows()) {
      std::string name;
      for (char c : r.name) {
        const bool upper = c >= 'A' && c <= 'Z';
        if (upper && !name.empty()) name += '_';
        name += upper ? static_cast<char>(c - 'A' + 'a') : c;
      }
      opcodes[name] = r.opcode;
      names.push_back(std::move(name));
    }
  }
};
const Mnemonics& mnemonics() {
  static const Mnemonics table;
  return table;
}

}  // namespace

std::string mnemonic(Opcode opcode) {
  const auto& names = mnemonics().names;
  return static_cast<std::size_t>(opcode) < names.size() ? names[static_cast<std::size_t>(opcode)] : "?";
}

bool opcode_from_mnemonic(std::string_view name, Opcode& opcode) {
  const auto found = mnemonics().opcodes.find(name);
  if (found == mnemonics().opcodes.end()) return false;
  opcode = found->second;
  return true;
}

void print_type(TextWriter& out, ElementType type) { out << type_name(type); }

Result<ElementType> parse_type(TextReader& in) {
  const std::size_t start = in.offset();
  auto word = in.identifier("an element type");
  if (!word) return word.failure();
  std::string name(*word);
  if (name == "complex") {
    ON_TRY(in.expect("<"));
    auto part = in.identifier("an element type");
    if (!part) return part.failure();
    ON_TRY(in.expect(">"));
    name += "<" + std::string(*part) + ">";
  }
  const ElementType type = type_from_name(name);
  if (type == ElementType::None && name != "none") return in.error_at(start, "unknown element type '" + name + "'");
  return type;
}

void print_operand(TextWriter& out, const Operand& o, const MemoryNames& names) {
  switch (o.kind) {
    case OperandKind::None: out << "none"; return;
    case OperandKind::Immediate: print_immediate(out, o); return;
    case OperandKind::Register: out << 'R' << static_cast<int>(o.reg); return;
    case OperandKind::Pattern: out << "pattern"; break;
    case OperandKind::Memory:
      if (o.buffer.valid())
        names.print(out, o.buffer);
      else
        out << (o.space == Space::Psum ? "psum" : "sbuf");
  }
  const int first = o.partition_start;
  out << '[' << first << ':' << first + o.partition_count;
  if (o.partition_stride != 1) out << '*' << o.partition_stride;
  out << ", ";
  print_start(out, o);
  for (const Dim& dim : o.dims) out << ", [" << dim.stride << ',' << dim.count << ']';
  out << ']';
  if (o.indirect_stride != 0 || o.indirect_limit != 0)
    out << " indexed(" << o.indirect_stride << ',' << o.indirect_limit << ')';
  if (o.type != ElementType::None) {
    out << ": ";
    print_type(out, o.type);
  }
}

Result<Operand> parse_operand(TextReader& in, const MemoryNames& names) {
  Operand o;
  if (in.next_is("%")) {
    o.kind = OperandKind::Memory;
    auto id = names.parse(in);
    if (!id) return id.failure();
    o.buffer = *id;
    o.space = names.space(*id);
    ON_TRY(parse_access(in, o));
    return o;
  }
  if (starts_number(in)) return parse_immediate(in);
  std::int64_t number = 0;
  if (in.accept_word("none")) return o;
  if (in.accept_word("sbuf") || in.next_is("psum")) {
    o.kind = OperandKind::Memory;
    o.space = in.accept_word("psum") ? Space::Psum : Space::Sbuf;
    ON_TRY(parse_access(in, o));
    return o;
  }
  if (in.accept_word("pattern")) {
    o.kind = OperandKind::Pattern;
    ON_TRY(parse_access(in, o));
    return o;
  }
  if (accept_numbered(in, "R", number)) {
    if (number > kInt16Max) return in.error("the register number is above " + std::to_string(kInt16Max));
    o.kind = OperandKind::Register;
    o.reg = static_cast<std::int16_t>(number);
    return o;
  }
  return in.error("expected an operand: a memory access, a number, a register such as R0, pattern[...] or none");
}

void print_instruction(TextWriter& out, const Instruction& instruction, const MemoryNames& names, TextLevel level) {
  const Row& r = row(instruction.opcode);
  if (level == TextLevel::Stream) out << instruction.order << ": ";
  out << mnemonic(instruction.opcode);
  if (instruction.loop.valid()) out << " L" << instruction.loop.index;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    out << (i || instruction.loop.valid() ? ", " : " ");
    print_operand(out, instruction.operands[i], names);
  }
  for (std::size_t i = 0; i < instruction.params.size(); ++i) {
    if (i >= static_cast<std::size_t>(r.param_count)) break;
    print_param(out, param_field(r, i), instruction.params[i]);
  }
  if (level == TextLevel::Tile) {
    if (instruction.engine != Engine::Any) out << " engine=" << engine_name(instruction.engine);
    if (instruction.queue) out << " queue=" << static_cast<int>(instruction.queue);
  }
  print_waits(out, "wait", instruction.waits, ">= base");
  print_waits(out, "advance", instruction.advances, "base");
  if (instruction.signal) out << " signal";
  if (instruction.location) out << " loc(" << instruction.location << ')';
}

Result<Instruction> parse_instruction(TextReader& in, const MemoryNames& names, TextLevel level) {
  Instruction out;
  if (level == TextLevel::Stream) {
    ON_READ(out.order, in.integer_between("a program-order number", 0, kInt32Max));
    ON_TRY(in.expect(":"));
  }
  const std::size_t start = in.offset();
  auto name = in.identifier("an instruction");
  if (!name) return name.failure();
  if (!opcode_from_mnemonic(*name, out.opcode))
    return in.error_at(start, "unknown instruction '" + std::string(*name) + "'", "docs/isa.md lists them.");
  const Row& r = row(out.opcode);
  std::int64_t number = 0;
  const bool has_loop = accept_numbered(in, "L", number);
  if (has_loop) {
    if (number > kLoopMax) return in.error("the loop number is above " + std::to_string(kLoopMax));
    out.loop = LoopId(static_cast<std::size_t>(number));
  }
  for (int i = 0; i < r.operand_count; ++i) {
    if (i || has_loop) ON_TRY(in.expect(","));
    auto operand = parse_operand(in, names);
    if (!operand) return operand.failure();
    out.operands.push_back(std::move(*operand));
  }
  out.params.resize(static_cast<std::size_t>(r.param_count));
  std::array<bool, 16> given{};
  while (!in.at_line_end()) {
    const std::size_t at = in.offset();
    const std::string word(in.peek_identifier());
    if (word.empty()) return in.error("expected a parameter or the end of the line");
    int param = -1;
    for (int i = 0; i < r.param_count; ++i)
      if (param_field(r, static_cast<std::size_t>(i)).name == word) param = i;
    in.accept_word(word);
    if (param >= 0) {
      const auto p = static_cast<std::size_t>(param);
      if (given[p]) return in.error_at(at, "parameter '" + word + "' is given twice");
      given[p] = true;
      auto value = parse_param(in, param_field(r, p));
      if (!value) return value.failure();
      out.params[p] = *value;
    } else if (word == "engine" && level == TextLevel::Tile) {
      ON_TRY(in.expect("="));
      const std::string engine(in.peek_identifier());
      if (!engine_from_name(engine, out.engine)) return in.error("unknown engine '" + engine + "'");
      in.accept_word(engine);
    } else if (word == "queue" && level == TextLevel::Tile) {
      ON_TRY(in.expect("="));
      ON_READ(out.queue, in.integer_between("a DMA queue", 0, 255));
    } else if (word == "wait" && level == TextLevel::Stream) {
      ON_TRY(parse_waits(in, ">=", out.waits));
    } else if (word == "advance" && level == TextLevel::Stream) {
      ON_TRY(parse_waits(in, "", out.advances));
    } else if (word == "signal" && level == TextLevel::Stream) {
      out.signal = true;
    } else if (word == "loc") {
      ON_TRY(in.expect("("));
      ON_READ(out.location, in.integer_between("a location", 0, kInt32Max));
      ON_TRY(in.expect(")"));
    } else {
      return in.error_at(at, "'" + word + "' is no parameter of " + mnemonic(out.opcode));
    }
  }
  for (int i = 0; i < r.param_count; ++i) {
    const Field& field = param_field(r, static_cast<std::size_t>(i));
    if (field.kind != FieldKind::Flag && !given[static_cast<std::size_t>(i)])
      return in.error_at(start, mnemonic(out.opcode) + " needs parameter '" + std::string(field.name) + "'");
  }
  return out;
}

void print_instructions(TextWriter& out, const InstructionList& list, const MemoryNames& names, TextLevel level) {
  int depth = 0;
  for (const Instruction& i : list) {
    const bool back = closes_region(i.opcode) || divides_region(i.opcode);
    if (back && depth > 0) {
      out.outdent();
      --depth;
    }
    out.line();
    print_instruction(out, i, names, level);
    if ((opens_region(i.opcode) || divides_region(i.opcode)) && depth < 64) {
      out.indent();
      ++depth;
    }
  }
  for (; depth > 0; --depth) out.outdent();
}

}  // namespace openneuron::isa
