// run: split_words
func.func public @main(%arg0: tensor<4xui32>) -> tensor<4xf32> {
  %0 = stablehlo.convert %arg0 : (tensor<4xui32>) -> tensor<4xui64>
  %1 = stablehlo.multiply %0, %0 : tensor<4xui64>
  %2 = stablehlo.convert %1 : (tensor<4xui64>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
// expect-error: ON-E1703 @ 5
