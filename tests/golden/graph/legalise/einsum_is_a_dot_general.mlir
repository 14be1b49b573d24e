// run: legalise
func.func public @main(%arg0: tensor<2x3x5x7xf32>, %arg1: tensor<5x2x11xf32>, %arg2: tensor<3x4xf32>) -> (tensor<11x2x3xf32>, tensor<4x3xf32>) {
  %0 = "stablehlo.einsum"(%arg0, %arg1) <{einsum_config = "abck,cad->dab"}> : (tensor<2x3x5x7xf32>, tensor<5x2x11xf32>) -> tensor<11x2x3xf32>
  %1 = "stablehlo.unary_einsum"(%arg2) <{einsum_config = "ab->ba"}> : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return %0, %1 : tensor<11x2x3xf32>, tensor<4x3xf32>
}
// ---- expect
func.func @main(%arg0: tensor<2x3x5x7xf32>, %arg1: tensor<5x2x11xf32>, %arg2: tensor<3x4xf32>) -> (tensor<11x2x3xf32>, tensor<4x3xf32>) {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [3] : (tensor<2x3x5x7xf32>, tensor<f32>) -> tensor<2x3x5xf32>
  %2 = stablehlo.dot_general %1, %arg1, batching_dims = [0] x [1], contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x3x5xf32>, tensor<5x2x11xf32>) -> tensor<2x3x11xf32>
  %3 = stablehlo.transpose %2, dims = [2, 0, 1] : (tensor<2x3x11xf32>) -> tensor<11x2x3xf32>
  %4 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return %3, %4 : tensor<11x2x3xf32>, tensor<4x3xf32>
}
