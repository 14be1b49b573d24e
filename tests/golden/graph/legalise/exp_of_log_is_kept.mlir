// run: legalise
func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.exponential %arg0 : tensor<3xf32>
  %1 = stablehlo.log %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}
// ---- expect
func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.exponential %arg0 : tensor<3xf32>
  %1 = stablehlo.log %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}
