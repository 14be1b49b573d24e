// Shape rules of linear algebra, normalisation and random numbers. Constraints: the StableHLO specification's section
// of each op.
#include "graph/rule.h"

namespace openneuron::graph {

// fft: the last L = size(fft_length) dimensions, L in 1..3; RFFT halves the last, IRFFT doubles it.
bool infer_fft(Rule& r) {
  if (!r.tensor(0)) return false;
  const std::string_view type = r.text("fft_type");
  const auto length = r.ints("fft_length");
  const Type& t = r.operand(0);
  const std::size_t rank = t.shape.size();
  if (!r.require(length.size() >= 1 && length.size() <= 3, "'fft_length' needs 1 to 3 entries.") ||
      !r.require(length.size() <= rank, "'fft_length' has more entries than the operand has dimensions."))
    return false;
  for (std::int64_t n : length) {
    if (!r.require(n >= 0, "'fft_length' must not be negative.")) return false;
  }
  const bool real_in = type == "RFFT", real_out = type == "IRFFT";
  if (!r.element(0, real_in ? "f" : "c")) return false;
  const std::size_t first = rank - length.size();
  Shape shape = t.shape;
  for (std::size_t i = 0; i < length.size(); ++i) {
    const bool last = i + 1 == length.size();
    const std::int64_t needed = real_out && last ? (length[i] == 0 ? 0 : length[i] / 2 + 1) : length[i];
    // Only "a tensor real of float type" is tied to fft_length.
    if ((real_in || real_out) && !sizes_agree(t.shape[first + i], needed))
      return r.fail(Code::GraphOperands,
                    "operand dimension " + std::to_string(first + i) + " must be " + std::to_string(needed) + ".");
    if (real_out && last) shape[first + i] = length[i];
    if (real_in && last) shape[first + i] = length[i] == 0 ? 0 : length[i] / 2 + 1;
  }
  ElementType e = t.element;
  if (real_in) {
    if (!r.operands_must(e == ElementType::F32 || e == ElementType::F64, "RFFT takes f32 or f64.")) return false;
    e = e == ElementType::F32 ? ElementType::C64 : ElementType::C128;
  }
  if (real_out) e = e == ElementType::C64 ? ElementType::F32 : ElementType::F64;
  return r.result(e, std::move(shape));
}

// cholesky: square matrices of floats or complex numbers.
bool infer_cholesky(Rule& r) {
  if (!r.tensor(0) || !r.element(0, "fc")) return false;
  const Shape& s = r.operand(0).shape;
  return r.operands_must(s.size() >= 2 && sizes_agree(s[s.size() - 1], s[s.size() - 2]),
                         "the last two dimensions must be square.") &&
         r.result_like(0);
}

// triangular_solve: a square; b has a's batch and its size on the side that is solved.
bool infer_triangular_solve(Rule& r) {
  if (!r.tensors() || !r.element(0, "fc") || !r.same_element(0, 1)) return false;
  const Shape &a = r.operand(0).shape, &b = r.operand(1).shape;
  const std::size_t n = a.size();
  if (!r.operands_must(n >= 2 && b.size() == n, "operands need one rank of 2 or more.")) return false;
  if (!r.operands_must(sizes_agree(a[n - 1], a[n - 2]), "the last two dimensions of 'a' must be square.")) return false;
  if (!r.require(r.text("transpose_a") != "TRANSPOSE_INVALID", "'transpose_a' must say something.")) return false;
  for (std::size_t d = 0; d + 2 < n; ++d) {
    if (!r.operands_must(sizes_agree(a[d], b[d]), "batch dimensions differ.")) return false;
  }
  const std::size_t side = r.integer("left_side") != 0 ? n - 2 : n - 1;
  return r.operands_must(sizes_agree(a[n - 1], b[side]), "'b' does not fit 'a'.") && r.result_like(1);
}

namespace {
// Operands 1.. are vectors over the feature dimension.
bool batch_norm(Rule& r, std::size_t vectors, Type& vector) {
  if (!r.tensors() || !r.element(0, "f")) return false;
  const std::int64_t feature = r.integer("feature_index");
  const Type& t = r.operand(0);
  if (!r.dimension_in("feature_index", feature, t.shape.size())) return false;
  vector = tensor_type(t.element, {t.shape[static_cast<std::size_t>(feature)]});
  for (std::size_t i = 1; i <= vectors; ++i) {
    if (!r.same_element(0, i)) return false;
    if (!shapes_agree(r.operand(i).shape, vector.shape))
      return r.fail(Code::GraphOperands, "operand " + std::to_string(i) + " must be " + show(r.module(), vector) + ".");
  }
  return true;
}
}  // namespace

bool infer_batch_norm_training(Rule& r) {
  Type vector;
  return batch_norm(r, 2, vector) && r.result_like(0) && r.result_type(vector) && r.result_type(vector);
}
bool infer_batch_norm_inference(Rule& r) {
  Type vector;
  return batch_norm(r, 4, vector) && r.result_like(0);
}
bool infer_batch_norm_grad(Rule& r) {
  Type vector;
  return batch_norm(r, 3, vector) && r.same_element(0, 4) && r.same_shape(0, 4) && r.result_like(0) &&
         r.result_type(vector) && r.result_type(vector);
}

// rng: scalars a and b, a shape operand; UNIFORM of integers, i1 and floats, NORMAL of floats.
bool infer_rng(Rule& r) {
  if (!r.scalar(0) || !r.scalar(1) || !r.same_element(0, 1) || !r.tensor(2) || !r.element(2, "iu")) return false;
  if (!r.element(0, r.text("rng_distribution") == "NORMAL" ? "f" : "biuf")) return false;
  if (!r.operands_must(r.operand(2).rank() == 1, "the shape operand needs rank 1.")) return false;
  const Type* result = r.stated_tensor();
  if (result == nullptr) return false;
  if (result->element != r.operand(0).element ||
      !sizes_agree(static_cast<std::int64_t>(result->shape.size()), r.operand(2).shape[0])) {
    return r.fail(Code::GraphResult,
                  "the result must have the bounds' element type and a rank as the shape operand says.");
  }
  return true;
}

// rng_bit_generator: THREE_FRY takes 2, PHILOX 2 or 3 words of ui64.
bool infer_rng_bit_generator(Rule& r) {
  if (!r.tensor(0) || !r.element(0, "iuf")) return false;
  const Type& state = r.operand(0);
  const std::string_view algorithm = r.text("rng_algorithm");
  if (!r.operands_must(state.rank() == 1, "the state needs rank 1.")) return false;
  const std::int64_t words = state.shape[0];
  if (algorithm == "THREE_FRY" &&
      !r.operands_must(words == 2 || words == kDynamic, "THREE_FRY takes a state of 2 words."))
    return false;
  if (algorithm == "PHILOX" &&
      !r.operands_must(words == 2 || words == 3 || words == kDynamic, "PHILOX takes a state of 2 or 3 words."))
    return false;
  if (!r.result_like(0)) return false;
  const Type* output = r.stated_tensor();
  if (output == nullptr) return false;
  const TypeClass c = type_class(output->element);
  return (c != TypeClass::Bool && c != TypeClass::Complex) ||
         r.fail(Code::GraphResult, "the output holds integers or floats.");
}

}  // namespace openneuron::graph
