// run: legalise
func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<3xf32> {
  %0 = stablehlo.clamp %arg1, %arg0, %arg2 : (tensor<f32>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// ---- expect
func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<3xf32> {
  %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %2 = stablehlo.maximum %arg0, %0 : tensor<3xf32>
  %3 = stablehlo.minimum %2, %1 : tensor<3xf32>
  return %3 : tensor<3xf32>
}
