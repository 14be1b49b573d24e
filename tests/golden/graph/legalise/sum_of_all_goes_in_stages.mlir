// run: legalise
func.func public @main(%arg0: tensor<64x3x512xf32>) -> tensor<f32> {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<64x3x512xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// ---- expect
func.func @main(%arg0: tensor<64x3x512xf32>) -> tensor<f32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [2] : (tensor<64x3x512xf32>, tensor<f32>) -> tensor<64x3xf32>
  %2 = stablehlo.reduce(%1 init: %0) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x3xf32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
