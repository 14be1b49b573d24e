// The host kernels: one table of plain functions per host instruction set, all giving the same bits.
//
// The bodies stand once, in the *_template.h files, which each kernels_<set>.cpp includes inside a namespace of its
// own: nothing that one of these files emits may be linked in place of another's, so they include no header with inline
// functions that are not always inlined (no <cmath>, no <algorithm>).
#pragma once
#include <cstddef>
#include <cstdint>

#include "device/host_isa.h"
#include "isa/instruction.h"

namespace openneuron::device {

/// Elements that an element engine holds in L1 at a time. A multiple of 32: the partial sums keep their places.
inline constexpr std::size_t kStrip = 1024;
/// Partial results of a reduction (isa.def, TensorReduce).
inline constexpr std::size_t kPartials = 32;
/// k of one step of the 16- and 8-bit matmul (isa.def, Matmul).
inline constexpr std::size_t kSmallBlock = 32;

/// Shape of the register tile: `rows` of the destination (M) by `columns` (N).
struct TileShape {
  int rows;
  int columns;
};

/// c[m][n] = (accumulate ? c : 0) + a^T b, with a[k][m] and b[k][n]. Rows lie `*_pitch` floats apart.
struct MatmulBlock {
  const float* a;
  std::size_t a_pitch;
  const float* b;
  std::size_t b_pitch;
  std::size_t k, m, n;
  float* c;
  std::size_t c_pitch;
  bool accumulate;
  /// b lies in panels of the register tile's columns, so many floats apart; 0: its rows are whole.
  std::size_t b_panel = 0;
  const float* b_next = nullptr;  ///< the panel that is read after this block's, if it is known
};

/// Rows of floats, `pitch` bytes apart; a step of 0 repeats the first of a row.
struct FloatRows {
  const float* data;
  std::ptrdiff_t pitch;
  int step;
};

struct Kernels {
  HostIsa isa;

  // d[i] = a[i * a_step] op b[i * b_step]; a step is 0 (one element, repeated) or 1. d may be a or b.
  void (*alu_f32)(isa::AluOp op, const float* a, int a_step, const float* b, int b_step, float* d, std::size_t n);
  // The same for `rows` rows of n elements.
  void (*alu_rows_f32)(isa::AluOp op, const FloatRows& a, const FloatRows& b, float* d, std::ptrdiff_t d_pitch,
                       std::size_t rows, std::size_t n);
  void (*alu_i32)(isa::AluOp op, bool is_unsigned, const std::int32_t* a, int a_step, const std::int32_t* b, int b_step,
                  std::int32_t* d, std::size_t n);
  void (*divide_f32)(const float* a, int a_step, const float* b, int b_step, float* d, std::size_t n);
  // d[i] = x[i] * scale[i * scale_step] + bias[i * bias_step], rounded twice; x[i] where they are 1 and 0.
  void (*affine_f32)(const float* x, const float* scale, int scale_step, const float* bias, int bias_step, float* d,
                     std::size_t n);
  // d = function(x).
  void (*function_f32)(isa::Function f, const float* x, float* d, std::size_t n);
  // partials[i mod 32] = partials[i mod 32] op x[i].
  void (*reduce_f32)(isa::AluOp op, float* partials, const float* x, std::size_t n);
  void (*reduce_i32)(isa::AluOp op, bool is_unsigned, std::int32_t* partials, const std::int32_t* x, std::size_t n);
  // The whole of a reduction: partials from `identity`, the elements in order, then the tree.
  float (*reduce_row_f32)(isa::AluOp op, float identity, const float* x, std::size_t n);
  // The same of the products a[i] b[i], each rounded, with Add from 0.
  float (*sum_products_f32)(const float* a, const float* b, std::size_t n);
  // d[i] = p[i] ? a[i * a_step] : b[i * b_step], any bits.
  void (*select_32)(const std::uint8_t* p, const std::uint32_t* a, int a_step, const std::uint32_t* b, int b_step,
                    std::uint32_t* d, std::size_t n);

  // `rows` rows of `words` 4-byte elements; pitches in bytes.
  void (*copy_rows_32)(const std::byte* s, std::ptrdiff_t s_pitch, std::byte* d, std::ptrdiff_t d_pitch,
                       std::size_t rows, std::size_t words);

  // Contiguous conversions, as num/convert.h defines them. Sources and destinations need no alignment.
  void (*bf16_to_f32)(const std::byte* s, float* d, std::size_t n);
  void (*f32_to_bf16)(const float* s, std::byte* d, std::size_t n);
  void (*f16_to_f32)(const std::byte* s, float* d, std::size_t n);
  void (*f32_to_f16)(const float* s, std::byte* d, std::size_t n);
  void (*bytes_to_f32)(const std::byte* s, bool truth, float* d, std::size_t n);  ///< ui8, or i1 (not 0: 1) when truth
  void (*f32_to_truth)(const float* s, std::byte* d, std::size_t n);              ///< i1
  void (*i32_to_f32)(const std::int32_t* s, bool is_unsigned, float* d, std::size_t n);
  void (*f32_to_i32)(const float* s, bool is_unsigned, std::int32_t* d, std::size_t n);

  // 32-bit matmul: one FMA chain over k from zero, added to c.
  TileShape tile_32;
  void (*matmul_32)(const MatmulBlock& block);
  // One column of it: out[m] = the FMA chain over k, from zero, of rows[k][m] x[k]; rows are `pitch` bytes apart.
  void (*matvec_32)(const std::byte* rows, std::ptrdiff_t pitch, const float* x, std::size_t k, std::size_t m, float* out);
  // 16- and 8-bit matmul on widened operands; `k` is a multiple of 32. Runs between small_begin and small_end, which
  // switch flushing of fp32 subnormals on and back.
  TileShape tile_16;
  void (*matmul_16)(const MatmulBlock& block);
  // bf16 matmul of the same register tile, or null: a row of a and b holds two bf16 in each float, those of k = first in the
  // high half and of k = second in the low one, where row r has first = 4 (r / 2) + r mod 2 and second = first + 2: what
  // follows each other in one chain. `k` counts such rows, a multiple of 16.
  void (*matmul_bf16)(const MatmulBlock& block);
  // Such a row of n elements; null stands for zeros. Panels of `width` lie `panel` floats apart.
  void (*pair_bf16)(const std::byte* first, const std::byte* second, float* d, std::size_t width, std::size_t panel,
                    std::size_t n);
  unsigned (*small_begin)();
  void (*small_end)(unsigned state);
  // d[f][p] = s[p][f] of 4-byte elements, those of a source row `s_step` bytes apart; pitches in bytes.
  void (*transpose_32)(const std::byte* s, std::ptrdiff_t s_pitch, std::ptrdiff_t s_step, std::size_t p, std::size_t f,
                       std::byte* d, std::ptrdiff_t d_pitch);
  // The same of 2-byte elements that lie one after the other.
  void (*transpose_16)(const std::byte* s, std::ptrdiff_t s_pitch, std::size_t p, std::size_t f, std::byte* d,
                       std::ptrdiff_t d_pitch);
  // bf16 matmul over pairs, or null: c[16 x 16 fp32 tile] with a [16 rows][k] and b [k/2][16][2] of bf16 bits.
  void (*matmul_bf16_pairs)(const std::uint16_t* a, const std::uint16_t* b, std::size_t k, float* c,
                            std::size_t c_pitch, bool accumulate);
};

const Kernels& kernels_baseline();
const Kernels* kernels_avx2();  ///< null when the file was built for another processor
const Kernels* kernels_avx512();
const Kernels* kernels_avx512_bf16();
const Kernels* kernels_amx();
/// The kernels of `isa` (Auto: the best there is), or null when this host cannot run them.
const Kernels* find_kernels(HostIsa isa);

/// sin, cos, tan of any finite |x| >= 2^20, in double; the vector kernels hand such elements over.
double sine_of_large(float x);
double cosine_of_large(float x);
double tangent_of_large(float x);
/// fp16 without F16C; one element each.
float widen_f16(std::uint16_t bits);
std::uint16_t narrow_f16(float value);

}  // namespace openneuron::device
