module @random_11 {
  func.func public @main(%arg0: tensor<31x16x16xf32>, %arg1: tensor<8x130xbf16>, %arg2: tensor<5xi32>, %arg3: tensor<3x200xf32>, %arg4: tensor<1xi32>, %arg5: tensor<31x33xf32>, %arg6: tensor<3x33xf32>) -> (tensor<31x16x16xf32>, tensor<16x16x33xf32>, tensor<5xi32>, tensor<11xi32>, tensor<200x33xf32>, tensor<11x133xbf16>) {
    %v1 = stablehlo.concatenate %arg4, %arg2, dim = 0 : (tensor<1xi32>, tensor<5xi32>) -> tensor<6xi32>
    %v2 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2] : (tensor<31x16x16xf32>) -> tensor<31x16x16xf32>
    %v3 = stablehlo.maximum %arg0, %v2 : tensor<31x16x16xf32>
    %v4 = "stablehlo.gather"(%arg2, %v1) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<5xi32>, tensor<6xi32>) -> tensor<6xi32>
    %v5 = stablehlo.dot_general %v3, %arg5, contracting_dims = [0] x [0] : (tensor<31x16x16xf32>, tensor<31x33xf32>) -> tensor<16x16x33xf32>
    %v6 = stablehlo.constant dense<0> : tensor<i32>
    %v7 = stablehlo.dynamic_slice %v1, %v6, sizes = [5] : (tensor<6xi32>, tensor<i32>) -> tensor<5xi32>
    %v8 = stablehlo.concatenate %v4, %arg2, dim = 0 : (tensor<6xi32>, tensor<5xi32>) -> tensor<11xi32>
    %v9 = stablehlo.dot_general %arg3, %arg6, contracting_dims = [0] x [0] : (tensor<3x200xf32>, tensor<3x33xf32>) -> tensor<200x33xf32>
    %v10 = stablehlo.constant dense<0.0> : tensor<bf16>
    %v11 = stablehlo.pad %arg1, %v10, low = [0, 0], high = [3, 3], interior = [0, 0] : (tensor<8x130xbf16>, tensor<bf16>) -> tensor<11x133xbf16>
    return %v2, %v5, %v7, %v8, %v9, %v11 : tensor<31x16x16xf32>, tensor<16x16x33xf32>, tensor<5xi32>, tensor<11xi32>, tensor<200x33xf32>, tensor<11x133xbf16>
  }
}
