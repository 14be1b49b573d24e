// Elementwise and reducing instructions.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "num/convert.h"
#include "ref/tile_compute.h"

namespace openneuron::ref {
namespace {

using isa::AluOp;
using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using isa::OperandKind;

constexpr int kPartials = 32;

// An operand that is data: a memory access, or an immediate that every element reads.
struct Source {
  std::optional<View> view;
  ElementType type = ElementType::None;
  double immediate = 0;
  bool column = false;  // [P, 1]: the one element of the partition
};

Result<Source> source(const Operand& operand, Execution& e, bool column) {
  Source s;
  s.type = operand.type;
  s.column = column;
  s.immediate = operand.immediate;
  if (operand.kind == OperandKind::Immediate) return s;
  auto view = View::resolve(operand, e.module, e.memory, e.core);
  if (!view) return view.failure();
  s.view = std::move(*view);
  return s;
}

// fp32 when any data operand is a float, else 32-bit integers, unsigned when the first is; absent operands have no type.
Domain domain_of(ElementType first, std::initializer_list<ElementType> others = {}) {
  bool has_float = is_float(first);
  for (const ElementType type : others) has_float |= is_float(type);
  if (has_float) return Domain::Float;
  return type_class(first) == TypeClass::Unsigned ? Domain::Unsigned : Domain::Signed;
}

Result<Word> load(const Source& s, std::int64_t p, std::int64_t i, Domain domain) {
  Word word;
  std::int64_t integer = 0;
  if (s.view) {
    auto bytes = s.view->read(p, s.column ? 0 : i);
    if (!bytes) return bytes.failure();
    if (is_float(s.type)) {
      word.real = static_cast<float>(load_double(s.type, *bytes, 0));
      return word;
    }
    integer = load_int(s.type, *bytes, 0);
  } else if (is_float(s.type)) {
    word.real = static_cast<float>(s.immediate);
    return word;
  } else {
    integer = static_cast<std::int64_t>(s.immediate);
  }
  word.real = static_cast<float>(integer);
  word.integer = domain == Domain::Unsigned ? static_cast<std::int64_t>(static_cast<std::uint32_t>(integer))
                                            : static_cast<std::int32_t>(static_cast<std::uint32_t>(integer));
  return word;
}

Result<void> store(const View& destination, std::int64_t p, std::int64_t i, Domain domain, const Word& word) {
  auto bytes = destination.write(p, i);
  if (!bytes) return bytes.failure();
  if (domain == Domain::Float) {
    convert_elements(ElementType::F32, &word.real, destination.type(), *bytes, 1);
  } else {
    const std::uint32_t integer = static_cast<std::uint32_t>(word.integer);
    convert_elements(domain == Domain::Unsigned ? ElementType::U32 : ElementType::I32, &integer, destination.type(), *bytes, 1);
  }
  return {};
}

Result<void> agree(const View& destination, const Source& s, const CoreState& core) {
  if (!s.view) return {};
  const bool fits = s.view->partitions() == destination.partitions() &&
                    (s.column ? s.view->free_count() == 1 : s.view->free_count() == destination.free_count());
  if (fits) return {};
  return tile_failure(Code::OracleTileUnsupported, core, "the sizes of the operands differ");
}

// t = a op b, or b op a.
Result<Word> alu(AluOp op, bool reverse, Domain domain, Word a, Word b, const CoreState& core) {
  if (op == AluOp::Bypass) return a;
  return reverse ? combine(op, domain, b, a, core) : combine(op, domain, a, b, core);
}

// destination = ((data op0 first) op1 second): TensorTensor, TensorScalar, ScalarTensorTensor.
struct Chain {
  AluOp op0 = AluOp::Bypass, op1 = AluOp::Bypass;
  bool reverse0 = false, reverse1 = false;
};
Result<void> run_chain(const Chain& chain, Domain domain, const Operand& to, const Source& data, const Source* first,
                       const Source* second, Execution& e) {
  auto destination = View::resolve(to, e.module, e.memory, e.core);
  if (!destination) return destination.failure();
  ON_TRY(agree(*destination, data, e.core));
  if (first) ON_TRY(agree(*destination, *first, e.core));
  if (second) ON_TRY(agree(*destination, *second, e.core));
  for (std::int64_t p = 0; p < destination->partitions(); ++p)
    for (std::int64_t i = 0; i < destination->free_count(); ++i) {
      auto t = load(data, p, i, domain);
      if (t && first) {
        auto other = load(*first, p, i, domain);
        if (!other) return other.failure();
        t = alu(chain.op0, chain.reverse0, domain, *t, *other, e.core);
      }
      if (t && second) {
        auto other = load(*second, p, i, domain);
        if (!other) return other.failure();
        t = alu(chain.op1, chain.reverse1, domain, *t, *other, e.core);
      }
      if (!t) return t.failure();
      ON_TRY(store(*destination, p, i, domain, *t));
    }
  return {};
}

Result<void> tensor_scalar(const Instruction& in, Execution& e, bool second_is_tensor) {
  const Chain chain{in.alu(0), in.alu(2), in.params[1] != 0, in.params[3] != 0};
  auto data = source(in.operands[1], e, false);
  if (!data) return data.failure();
  // An operand whose operation is Bypass is not read, but its type has a say in the domain.
  Domain domain = domain_of(data->type, {in.operands[2].type, in.operands[3].type});
  std::optional<Source> first, second;
  if (chain.op0 != AluOp::Bypass) {
    auto s = source(in.operands[2], e, true);
    if (!s) return s.failure();
    first = std::move(*s);
  }
  if (chain.op1 != AluOp::Bypass) {
    auto s = source(in.operands[3], e, !second_is_tensor);
    if (!s) return s.failure();
    second = std::move(*s);
  }
  return run_chain(chain, domain, in.operands[0], *data, first ? &*first : nullptr, second ? &*second : nullptr, e);
}

Result<void> tensor_tensor(const Instruction& in, AluOp op, Execution& e) {
  auto a = source(in.operands[1], e, false);
  if (!a) return a.failure();
  auto b = source(in.operands[2], e, false);
  if (!b) return b.failure();
  return run_chain({op}, domain_of(a->type, {b->type}), in.operands[0], *a, &*b, nullptr, e);
}

Result<void> divide(const Instruction& in, Execution& e) {
  auto a = source(in.operands[1], e, false);
  if (!a) return a.failure();
  auto b = source(in.operands[2], e, false);
  if (!b) return b.failure();
  auto destination = View::resolve(in.operands[0], e.module, e.memory, e.core);
  if (!destination) return destination.failure();
  ON_TRY(agree(*destination, *a, e.core));
  ON_TRY(agree(*destination, *b, e.core));
  const Domain domain = domain_of(a->type, {b->type});
  for (std::int64_t p = 0; p < destination->partitions(); ++p)
    for (std::int64_t i = 0; i < destination->free_count(); ++i) {
      auto x = load(*a, p, i, domain);
      if (!x) return x.failure();
      auto y = load(*b, p, i, domain);
      if (!y) return y.failure();
      Word quotient;
      if (in.opcode == Opcode::Remainder) {  // exact in every precision
        quotient.real = std::fmod(x->real, y->real);
      } else if (domain == Domain::Float) {
        quotient.real = x->real / y->real;
      } else {
        quotient.integer = y->integer == 0 ? -1 : x->integer / y->integer;  // both in 33 bits: MIN / -1 wraps when stored
      }
      ON_TRY(store(*destination, p, i, domain, quotient));
    }
  return {};
}

Word identity(AluOp op, Domain domain) {
  const float infinity = std::numeric_limits<float>::infinity();
  const bool is_signed = domain == Domain::Signed;
  switch (op) {
    case AluOp::Multiply:
    case AluOp::LogicalAnd: return {1, 1};
    case AluOp::Max: return {-infinity, is_signed ? std::numeric_limits<std::int32_t>::min() : 0};
    case AluOp::Min:
      return {infinity, is_signed ? std::numeric_limits<std::int32_t>::max()
                                  : std::int64_t{std::numeric_limits<std::uint32_t>::max()}};
    case AluOp::BitAnd: return {0, is_signed ? -1 : std::int64_t{std::numeric_limits<std::uint32_t>::max()}};
    default: return {0, 0};
  }
}

bool reduces(AluOp op) {
  switch (op) {
    case AluOp::Add: case AluOp::Multiply: case AluOp::Max: case AluOp::Min: case AluOp::LogicalAnd:
    case AluOp::LogicalOr: case AluOp::LogicalXor: case AluOp::BitAnd: case AluOp::BitOr: case AluOp::BitXor: return true;
    default: return false;
  }
}

// 32 interleaved partials, then a tree of halves.
class Reduction {
 public:
  Reduction(AluOp op, Domain domain, const CoreState& core) : op_(op), domain_(domain), core_(core) {
    for (Word& partial : partials_) partial = identity(op, domain);
  }
  Result<void> add(const Word& element) {
    Word& partial = partials_[next_++ % kPartials];
    auto combined = combine(op_, domain_, partial, element, core_);
    if (!combined) return combined.failure();
    partial = *combined;
    return {};
  }
  Result<Word> finish() {
    for (int width = kPartials / 2; width > 0; width /= 2)
      for (int j = 0; j < width; ++j) {
        auto combined = combine(op_, domain_, partials_[j], partials_[j + width], core_);
        if (!combined) return combined.failure();
        partials_[j] = *combined;
      }
    return partials_[0];
  }

 private:
  AluOp op_;
  Domain domain_;
  const CoreState& core_;
  Word partials_[kPartials];
  std::uint64_t next_ = 0;
};

Result<void> tensor_reduce(const Instruction& in, Execution& e) {
  const AluOp op = in.alu(0);
  const std::size_t axes = static_cast<std::size_t>(in.params[1]), rank = in.operands[1].dims.size();
  auto data = source(in.operands[1], e, false);
  if (!data) return data.failure();
  auto destination = View::resolve(in.operands[0], e.module, e.memory, e.core);
  if (!destination) return destination.failure();
  if (!reduces(op) || axes < 1 || axes > rank || !data->view)
    return tile_failure(Code::OracleTileUnsupported, e.core, "an operation or a number of axes that cannot be reduced");
  std::int64_t reduced = 1;
  for (std::size_t d = rank - axes; d < rank; ++d) reduced *= in.operands[1].dims[d].count;
  if (destination->partitions() != data->view->partitions() ||
      destination->free_count() * reduced != data->view->free_count())
    return tile_failure(Code::OracleTileUnsupported, e.core, "the sizes of the operands differ");
  const Domain domain = domain_of(data->type);
  for (std::int64_t p = 0; p < destination->partitions(); ++p)
    for (std::int64_t i = 0; i < destination->free_count(); ++i) {
      Reduction reduction(op, domain, e.core);
      for (std::int64_t k = 0; k < reduced; ++k) {
        auto element = load(*data, p, i * reduced + k, domain);
        if (!element) return element.failure();
        ON_TRY(reduction.add(*element));
      }
      auto value = reduction.finish();
      if (!value) return value.failure();
      ON_TRY(store(*destination, p, i, domain, *value));
    }
  return {};
}

Result<void> activation(const Instruction& in, Execution& e, bool with_sum) {
  const std::size_t first = with_sum ? 2 : 1;
  auto destination = View::resolve(in.operands[0], e.module, e.memory, e.core);
  if (!destination) return destination.failure();
  auto data = source(in.operands[first], e, false);
  if (!data) return data.failure();
  auto scale = source(in.operands[first + 1], e, true);
  if (!scale) return scale.failure();
  auto bias = source(in.operands[first + 2], e, true);
  if (!bias) return bias.failure();
  std::optional<View> sum;
  if (with_sum) {
    auto view = View::resolve(in.operands[1], e.module, e.memory, e.core);
    if (!view) return view.failure();
    sum = std::move(*view);
    if (sum->partitions() != destination->partitions() || sum->free_count() != 1)
      return tile_failure(Code::OracleTileUnsupported, e.core, "the sum is not one element per partition");
  }
  for (const Source* s : {&*data, &*scale, &*bias}) ON_TRY(agree(*destination, *s, e.core));
  for (std::int64_t p = 0; p < destination->partitions(); ++p) {
    Reduction total(AluOp::Add, Domain::Float, e.core);
    for (std::int64_t i = 0; i < destination->free_count(); ++i) {
      auto x = load(*data, p, i, Domain::Float);
      if (!x) return x.failure();
      auto factor = load(*scale, p, i, Domain::Float);
      if (!factor) return factor.failure();
      auto offset = load(*bias, p, i, Domain::Float);
      if (!offset) return offset.failure();
      float argument = x->real;
      if (factor->real != 1 || offset->real != 0) {
        argument = argument * factor->real;
        argument = argument + offset->real;
      }
      const Word value{apply_function(in.function(), argument), 0};
      ON_TRY(total.add(value));
      ON_TRY(store(*destination, p, i, Domain::Float, value));
    }
    if (!sum) continue;
    auto value = total.finish();
    if (!value) return value.failure();
    ON_TRY(store(*sum, p, 0, Domain::Float, *value));
  }
  return {};
}

Result<void> reciprocal(const Instruction& in, Execution& e) {
  auto destination = View::resolve(in.operands[0], e.module, e.memory, e.core);
  if (!destination) return destination.failure();
  auto data = source(in.operands[1], e, false);
  if (!data) return data.failure();
  ON_TRY(agree(*destination, *data, e.core));
  for (std::int64_t p = 0; p < destination->partitions(); ++p)
    for (std::int64_t i = 0; i < destination->free_count(); ++i) {
      auto x = load(*data, p, i, Domain::Float);
      if (!x) return x.failure();
      ON_TRY(store(*destination, p, i, Domain::Float, {1.0f / x->real, 0}));
    }
  return {};
}

Result<void> copy(const Instruction& in, Execution& e) {
  auto destination = View::resolve(in.operands[0], e.module, e.memory, e.core);
  if (!destination) return destination.failure();
  auto data = View::resolve(in.operands[1], e.module, e.memory, e.core);
  if (!data) return data.failure();
  if (destination->partitions() != data->partitions() || destination->free_count() != data->free_count())
    return tile_failure(Code::OracleTileUnsupported, e.core, "the sizes of the operands differ");
  for (std::int64_t p = 0; p < destination->partitions(); ++p)
    for (std::int64_t i = 0; i < destination->free_count(); ++i) {
      auto from = data->read(p, i);
      if (!from) return from.failure();
      std::byte element[16];
      std::memcpy(element, *from, static_cast<std::size_t>(data->width()));
      auto to = destination->write(p, i);
      if (!to) return to.failure();
      if (data->type() == destination->type()) {
        std::memcpy(*to, element, static_cast<std::size_t>(data->width()));
      } else {
        convert_elements(data->type(), element, destination->type(), *to, 1);
      }
    }
  return {};
}

Result<void> memset_elements(const Instruction& in, Execution& e) {
  auto destination = View::resolve(in.operands[0], e.module, e.memory, e.core);
  if (!destination) return destination.failure();
  auto value = source(in.operands[1], e, true);
  if (!value) return value.failure();
  const Domain domain = domain_of(value->type);
  auto word = load(*value, 0, 0, domain);
  if (!word) return word.failure();
  for (std::int64_t p = 0; p < destination->partitions(); ++p)
    for (std::int64_t i = 0; i < destination->free_count(); ++i) ON_TRY(store(*destination, p, i, domain, *word));
  return {};
}

// `with_maximum`: operand 1 gets the largest element of each partition.
Result<void> select(const Instruction& in, Execution& e, bool with_maximum) {
  const std::size_t first = with_maximum ? 2 : 1;
  auto destination = View::resolve(in.operands[0], e.module, e.memory, e.core);
  if (!destination) return destination.failure();
  auto predicate = source(in.operands[first], e, false);
  if (!predicate) return predicate.failure();
  auto on_true = View::resolve(in.operands[first + 1], e.module, e.memory, e.core);
  if (!on_true) return on_true.failure();
  auto on_false = View::resolve(in.operands[first + 2], e.module, e.memory, e.core);
  if (!on_false) return on_false.failure();
  ON_TRY(agree(*destination, *predicate, e.core));
  for (const View* v : {&*on_true, &*on_false})
    if (v->partitions() != destination->partitions() || v->free_count() != destination->free_count() ||
        v->type() != destination->type())
      return tile_failure(Code::OracleTileUnsupported, e.core, "the sizes or types of the operands differ");
  for (std::int64_t p = 0; p < destination->partitions(); ++p)
    for (std::int64_t i = 0; i < destination->free_count(); ++i) {
      auto choice = load(*predicate, p, i, Domain::Signed);
      if (!choice) return choice.failure();
      auto from = (choice->integer ? *on_true : *on_false).read(p, i);
      if (!from) return from.failure();
      std::byte element[16];
      std::memcpy(element, *from, static_cast<std::size_t>(destination->width()));
      auto to = destination->write(p, i);
      if (!to) return to.failure();
      std::memcpy(*to, element, static_cast<std::size_t>(destination->width()));
    }
  if (!with_maximum) return {};
  auto largest = View::resolve(in.operands[1], e.module, e.memory, e.core);
  if (!largest) return largest.failure();
  const Source made{*destination};
  for (std::int64_t p = 0; p < destination->partitions(); ++p) {
    Reduction reduction(AluOp::Max, Domain::Float, e.core);
    for (std::int64_t i = 0; i < destination->free_count(); ++i) {
      auto element = load(made, p, i, Domain::Float);
      if (!element) return element.failure();
      ON_TRY(reduction.add(*element));
    }
    auto value = reduction.finish();
    if (!value) return value.failure();
    ON_TRY(store(*largest, p, 0, Domain::Float, *value));
  }
  return {};
}

Result<void> iota(const Instruction& in, Execution& e) {
  auto destination = View::resolve(in.operands[0], e.module, e.memory, e.core);
  if (!destination) return destination.failure();
  const Operand& pattern = in.operands[1];
  if (pattern.kind != OperandKind::Pattern || pattern.free_count() != destination->free_count())
    return tile_failure(Code::OracleTileUnsupported, e.core, "the pattern's counts are not the destination's");
  std::int64_t start = pattern.start;
  for (const isa::Term& term : pattern.terms) {
    if (term.loop.index >= e.core.loop_values.size())
      return tile_failure(Code::OracleTileUnsupported, e.core, "the pattern names a loop that the program does not have");
    start += e.core.loop_values[term.loop.index] * term.bytes;
  }
  if (pattern.reg >= 0) {
    auto value = read_register(e.core, pattern.reg);
    if (!value) return value.failure();
    start += *value * pattern.reg_bytes;
  }
  std::vector<std::int64_t> index(pattern.dims.size());
  for (std::int64_t p = 0; p < destination->partitions(); ++p) {
    std::fill(index.begin(), index.end(), 0);
    for (std::int64_t i = 0; i < destination->free_count(); ++i) {
      std::int64_t number = start + p * pattern.partition_stride;
      for (std::size_t d = 0; d < index.size(); ++d) number += index[d] * pattern.dims[d].stride;
      ON_TRY(store(*destination, p, i, Domain::Signed, {0, number}));
      for (std::size_t d = index.size(); d-- > 0;) {
        if (++index[d] < pattern.dims[d].count) break;
        index[d] = 0;
      }
    }
  }
  return {};
}

}  // namespace

Result<void> run_elementwise(const Instruction& in, Execution& e) {
  switch (in.opcode) {
    case Opcode::Memset: return memset_elements(in, e);
    case Opcode::Copy: return copy(in, e);
    case Opcode::TensorTensor: return tensor_tensor(in, in.alu(0), e);
    case Opcode::TensorScalar: return tensor_scalar(in, e, false);
    case Opcode::ScalarTensorTensor: return tensor_scalar(in, e, true);
    case Opcode::TensorReduce: return tensor_reduce(in, e);
    case Opcode::Activation: return activation(in, e, false);
    case Opcode::ActivationReduce: return activation(in, e, true);
    case Opcode::Reciprocal: return reciprocal(in, e);
    case Opcode::Divide:
    case Opcode::Remainder: return divide(in, e);
    case Opcode::Select: return select(in, e, false);
    case Opcode::SelectReduce: return select(in, e, true);
    case Opcode::Iota: return iota(in, e);
    default: return tile_failure(Code::OracleTileUnsupported, e.core, "the oracle does not know this instruction");
  }
}

}  // namespace openneuron::ref
