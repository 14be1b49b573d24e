// run: inline_calls
func.func public @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
  %0 = stablehlo.negate %arg0 : tensor<5xf32>
  %1 = stablehlo.abs %arg0 : tensor<5xf32>
  return %1 : tensor<5xf32>
}
// ---- expect
func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
  %0 = stablehlo.abs %arg0 : tensor<5xf32>
  return %0 : tensor<5xf32>
}
