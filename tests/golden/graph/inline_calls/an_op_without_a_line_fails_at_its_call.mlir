// run: inline_calls, split_words
func.func public @main(%arg0: tensor<4xui64>) -> tensor<4xui64> {
  %0 = call @raised(%arg0) : (tensor<4xui64>) -> tensor<4xui64> loc("model.py":17:3)
  return %0 : tensor<4xui64>
}
func.func private @raised(%arg0: tensor<4xui64>) -> tensor<4xui64> {
  %0 = stablehlo.power %arg0, %arg0 : tensor<4xui64> loc("power")
  return %0 : tensor<4xui64>
}
// expect-error: ON-E1703 @ 17
