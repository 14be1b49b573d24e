// The rules of legalise, one per op kind, in families: each returns true when it has recorded the op's results, false to
// have the op copied. What a rule emits is not legalised again: a rule emits ops that lowering knows, or calls another.
#pragma once
#include "opt/rewrite.h"

namespace openneuron::opt::rules {

using Rule = Result<bool> (*)(Rewriter&, Visit&);

// -- legalise_shapes.cpp: barriers, broadcasts, dots
Result<bool> optimization_barrier(Rewriter&, Visit&);
Result<bool> broadcast_op(Rewriter&, Visit&);
Result<bool> dot(Rewriter&, Visit&);
Result<bool> dot_general(Rewriter&, Visit&);
// -- legalise_vector_dot.cpp, legalise_merged_dot.cpp
Result<bool> vector_dot(Visit&);
Result<bool> merged_dot(Visit&);
Result<bool> einsum(Rewriter&, Visit&);
Result<bool> chlo_constant(Rewriter&, Visit&);

// -- legalise_numbers.cpp: elementwise ops
Result<bool> square(Rewriter&, Visit&);
Result<bool> clamp(Rewriter&, Visit&);
Result<bool> popcnt(Rewriter&, Visit&);
Result<bool> count_leading_zeros(Rewriter&, Visit&);
Result<bool> shift_right_arithmetic(Rewriter&, Visit&);
Result<bool> shift_right_logical(Rewriter&, Visit&);
Result<bool> sign(Rewriter&, Visit&);
Result<bool> remainder(Rewriter&, Visit&);
Result<bool> round_nearest_afz(Rewriter&, Visit&);
Result<bool> compare(Rewriter&, Visit&);
Result<bool> reduce_precision(Rewriter&, Visit&);
Result<bool> is_inf(Rewriter&, Visit&);
Result<bool> is_pos_inf(Rewriter&, Visit&);
Result<bool> is_neg_inf(Rewriter&, Visit&);
Result<bool> next_after(Rewriter&, Visit&);
Result<bool> mulhi(Rewriter&, Visit&);
Result<bool> constant_like(Rewriter&, Visit&);
Result<bool> same(Rewriter&, Visit&);
Result<bool> bitcast_convert(Rewriter&, Visit&);

// -- legalise_gather.cpp, legalise_scatter.cpp, legalise_sort.cpp
Result<bool> dynamic_gather(Rewriter&, Visit&);
Result<bool> torch_index_select(Rewriter&, Visit&);
Result<bool> scatter(Rewriter&, Visit&);
Result<bool> sort(Rewriter&, Visit&);
Result<bool> top_k(Rewriter&, Visit&);

// -- legalise_functions.cpp: functions of floats as formulas
Result<bool> sinh(Rewriter&, Visit&);
Result<bool> cosh(Rewriter&, Visit&);
Result<bool> asin(Rewriter&, Visit&);
Result<bool> acos(Rewriter&, Visit&);
Result<bool> asinh(Rewriter&, Visit&);
Result<bool> acosh(Rewriter&, Visit&);
Result<bool> atanh(Rewriter&, Visit&);
Result<bool> cbrt(Rewriter&, Visit&);
Result<bool> atan2(Rewriter&, Visit&);
Result<bool> erfc(Rewriter&, Visit&);
Result<bool> erf_inv(Rewriter&, Visit&);

// -- legalise_activations.cpp: products that are an activation function of the Scalar engine
Result<bool> activation_product(Rewriter&, Visit&);

// -- legalise_scales.cpp: powers of two move down to the exponential of a softmax
Result<bool> scaled_select(Rewriter&, Visit&);
Result<bool> scaled_subtract(Rewriter&, Visit&);
/// A visited maximum over `dims` of something scaled: true when it has been replaced.
bool scaled_maximum(Visit&, std::span<const std::int64_t> dims);

// -- legalise_special.cpp
Result<bool> lgamma(Rewriter&, Visit&);
Result<bool> digamma(Rewriter&, Visit&);
Result<bool> zeta(Rewriter&, Visit&);
Result<bool> polygamma(Rewriter&, Visit&);
Result<bool> bessel_i1e(Rewriter&, Visit&);

// -- legalise_reduce.cpp: reductions
Result<bool> map(Rewriter&, Visit&);
Result<bool> reduce(Rewriter&, Visit&);

// -- legalise_select.cpp
Result<bool> select_and_scatter(Rewriter&, Visit&);

// -- legalise_norm.cpp
Result<bool> batch_norm_training(Rewriter&, Visit&);
Result<bool> batch_norm_inference(Rewriter&, Visit&);
Result<bool> batch_norm_grad(Rewriter&, Visit&);

// -- legalise_windows.cpp: convolutions and window reductions
Result<bool> convolution(Rewriter&, Visit&);
Result<bool> reduce_window(Rewriter&, Visit&);

}  // namespace openneuron::opt::rules
