// run: inline_calls
func.func public @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = call @twice(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = call @twice(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
func.func private @twice(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// ---- expect
func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<2x3xf32>
  %1 = stablehlo.add %0, %0 : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
