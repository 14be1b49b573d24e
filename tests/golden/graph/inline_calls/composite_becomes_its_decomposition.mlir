// run: inline_calls
func.func public @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
  %0 = stablehlo.composite "example.negate" %arg0 {decomposition = @impl} : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func private @impl(%arg0: tensor<5xf32>) -> tensor<5xf32> {
  %0 = stablehlo.negate %arg0 : tensor<5xf32>
  return %0 : tensor<5xf32>
}
// ---- expect
func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
  %0 = stablehlo.negate %arg0 : tensor<5xf32>
  return %0 : tensor<5xf32>
}
