// The table of one set; the including file fills in what it does better. Included inside the namespace of the set.
inline Kernels make_table(HostIsa set) {
  Kernels k{};
  k.isa = set;
  k.alu_f32 = alu_f32;
  k.alu_rows_f32 = alu_rows_f32;
  k.alu_i32 = alu_i32;
  k.divide_f32 = divide_f32;
  k.affine_f32 = affine_f32;
  k.function_f32 = function_f32;
  k.reduce_f32 = reduce_f32;
  k.reduce_i32 = reduce_i32;
  k.reduce_row_f32 = reduce_row_f32;
  k.sum_products_f32 = sum_products_f32;
  k.select_32 = select_32;
  k.copy_rows_32 = copy_rows_32;
  k.bf16_to_f32 = bf16_to_f32;
  k.f32_to_bf16 = f32_to_bf16;
  k.f16_to_f32 = f16_to_f32;
  k.f32_to_f16 = f32_to_f16;
  k.bytes_to_f32 = bytes_to_f32;
  k.f32_to_truth = f32_to_truth;
  k.i32_to_f32 = i32_to_f32;
  k.f32_to_i32 = f32_to_i32;
  k.tile_32 = {kRows32, kWide32 * kWidth};
  k.matmul_32 = matmul_32;
  k.matvec_32 = matvec_32;
  k.tile_16 = {kRows16, kWide16 * kWidth};
  k.matmul_16 = matmul_16;
  k.small_begin = small_begin;
  k.small_end = small_end;
  k.transpose_32 = transpose_32;
  k.transpose_16 = transpose_16;
  k.matmul_bf16 = nullptr;
  k.pair_bf16 = nullptr;
  k.matmul_bf16_pairs = nullptr;
  return k;
}
