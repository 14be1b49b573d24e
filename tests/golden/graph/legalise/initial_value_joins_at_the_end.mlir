// run: legalise
func.func public @main(%arg0: tensor<3x7xf32>, %arg1: tensor<f32>) -> tensor<3xf32> {
  %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.maximum across dimensions = [1] : (tensor<3x7xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// ---- expect
func.func @main(%arg0: tensor<3x7xf32>, %arg1: tensor<f32>) -> tensor<3xf32> {
  %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.maximum across dimensions = [1] : (tensor<3x7xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %3 = stablehlo.maximum %2, %1 : tensor<3xf32>
  return %3 : tensor<3xf32>
}
