module @random_3 {
  func.func public @main(%arg0: tensor<7x65xf32>, %arg1: tensor<64x33x2xbf16>, %arg2: tensor<7x31x5xi32>, %arg3: tensor<200x200xbf16>, %arg4: tensor<3xi32>, %arg5: tensor<65x33xf32>) -> (tensor<200xbf16>, tensor<71x65xf32>, tensor<7xf32>, tensor<65x33xf32>, tensor<7xf32>, tensor<12x128xf32>) {
    %v1 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %v2 = stablehlo.reduce(%arg3 init: %v1) applies stablehlo.maximum across dimensions = [0] : (tensor<200x200xbf16>, tensor<bf16>) -> tensor<200xbf16>
    %v3 = stablehlo.dot_general %arg0, %arg5, contracting_dims = [1] x [0] : (tensor<7x65xf32>, tensor<65x33xf32>) -> tensor<7x33xf32>
    %v4 = "stablehlo.gather"(%v3, %arg4) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 7, 1>}> : (tensor<7x33xf32>, tensor<3xi32>) -> tensor<7x3xf32>
    %v5 = stablehlo.constant dense<-2.0> : tensor<f32>
    %v6 = stablehlo.pad %arg5, %v5, low = [5, 0], high = [1, 0], interior = [0, 1] : (tensor<65x33xf32>, tensor<f32>) -> tensor<71x65xf32>
    %v7 = stablehlo.constant dense<0.0> : tensor<f32>
    %v8 = stablehlo.reduce(%v4 init: %v7) applies stablehlo.add across dimensions = [1] : (tensor<7x3xf32>, tensor<f32>) -> tensor<7xf32>
    %v9 = stablehlo.constant dense<0.5> : tensor<65x33xf32>
    %v10 = stablehlo.multiply %arg5, %v9 : tensor<65x33xf32>
    %v11 = stablehlo.constant dense<0.0> : tensor<f32>
    %v12 = stablehlo.reduce(%v3 init: %v11) applies stablehlo.add across dimensions = [1] : (tensor<7x33xf32>, tensor<f32>) -> tensor<7xf32>
    %v13 = stablehlo.constant dense<1.0> : tensor<f32>
    %v14 = stablehlo.pad %arg0, %v13, low = [0, 0], high = [-1, -1], interior = [1, 1] : (tensor<7x65xf32>, tensor<f32>) -> tensor<12x128xf32>
    return %v2, %v6, %v8, %v10, %v12, %v14 : tensor<200xbf16>, tensor<71x65xf32>, tensor<7xf32>, tensor<65x33xf32>, tensor<7xf32>, tensor<12x128xf32>
  }
}
