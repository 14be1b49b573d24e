// run: legalise
func.func public @main(%arg0: tensor<1x7xf32>) -> tensor<7xf32> {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<1x7xf32>, tensor<f32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
// ---- expect
func.func @main(%arg0: tensor<1x7xf32>) -> tensor<7xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1x7xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
