module @random_8 {
  func.func public @main(%arg0: tensor<65x96xf32>, %arg1: tensor<bf16>, %arg2: tensor<130x13xi32>, %arg3: tensor<128x129xf32>, %arg4: tensor<16xi32>, %arg5: tensor<16x96xf32>, %arg6: tensor<i32>, %arg7: tensor<16xf32>) -> (tensor<i1>, tensor<16xi32>, tensor<16xi32>, tensor<bf16>, tensor<96x16xf32>, tensor<i1>, tensor<16x96xf32>, tensor<16x96xf32>) {
    %v1 = stablehlo.dot_general %arg0, %arg5, contracting_dims = [1] x [1] : (tensor<65x96xf32>, tensor<16x96xf32>) -> tensor<65x16xf32>
    %v2 = stablehlo.constant dense<7> : tensor<i32>
    %v3 = stablehlo.dynamic_slice %arg4, %v2, sizes = [4] : (tensor<16xi32>, tensor<i32>) -> tensor<4xi32>
    %v4 = stablehlo.constant dense<0.125> : tensor<bf16>
    %v5 = stablehlo.compare EQ, %arg1, %v4, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    %v6 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %v7 = stablehlo.divide %arg4, %v6 : tensor<16xi32>
    %v8 = stablehlo.constant dense<0.125> : tensor<bf16>
    %v9 = stablehlo.multiply %arg1, %v8 : tensor<bf16>
    %v10 = stablehlo.transpose %arg5, dims = [1, 0] : (tensor<16x96xf32>) -> tensor<96x16xf32>
    %v11 = stablehlo.convert %arg1 : (tensor<bf16>) -> tensor<i1>
    %v12 = stablehlo.broadcast_in_dim %arg7, dims = [0] : (tensor<16xf32>) -> tensor<16x96xf32>
    %v13 = stablehlo.minimum %arg5, %v12 : tensor<16x96xf32>
    return %v5, %v6, %v7, %v9, %v10, %v11, %v12, %v13 : tensor<i1>, tensor<16xi32>, tensor<16xi32>, tensor<bf16>, tensor<96x16xf32>, tensor<i1>, tensor<16x96xf32>, tensor<16x96xf32>
  }
}
