// run: inline_calls
func.func public @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
  %0 = stablehlo.composite "chlo.erf" %arg0 {decomposition = @impl, version = 1 : i32} : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func private @impl(%arg0: tensor<5xf32>) -> tensor<5xf32> {
  %0 = stablehlo.negate %arg0 : tensor<5xf32>
  return %0 : tensor<5xf32>
}
// ---- expect
func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
  %0 = chlo.erf %arg0 : tensor<5xf32> -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
