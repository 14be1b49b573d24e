// run: split_words
func.func public @main(%arg0: tensor<4xui32>) -> tensor<4xui64> {
  %0 = stablehlo.convert %arg0 : (tensor<4xui32>) -> tensor<4xui64>
  %1 = stablehlo.multiply %0, %0 : tensor<4xui64>
  %2 = stablehlo.power %1, %1 : tensor<4xui64>
  return %2 : tensor<4xui64>
}
// expect-error: ON-E1703 @ 5
