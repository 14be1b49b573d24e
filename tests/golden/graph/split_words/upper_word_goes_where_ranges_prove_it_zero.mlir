// run: split_words, legalise
func.func public @main(%arg0: tensor<ui32>) -> (tensor<3x5xui32>, tensor<3x5xui32>) {
  %0 = stablehlo.iota dim = 0 : tensor<3x5xui64>
  %1 = stablehlo.iota dim = 1 : tensor<3x5xui64>
  %c = stablehlo.constant dense<5> : tensor<3x5xui64>
  %2 = stablehlo.multiply %c, %0 : tensor<3x5xui64>
  %3 = stablehlo.add %2, %1 : tensor<3x5xui64>
  %c_0 = stablehlo.constant dense<32> : tensor<3x5xui64>
  %4 = stablehlo.shift_right_logical %3, %c_0 : tensor<3x5xui64>
  %5 = stablehlo.convert %3 : (tensor<3x5xui64>) -> tensor<3x5xui32>
  %6 = stablehlo.convert %4 : (tensor<3x5xui64>) -> tensor<3x5xui32>
  return %5, %6 : tensor<3x5xui32>, tensor<3x5xui32>
}
// ---- expect
func.func @main(%arg0: tensor<ui32>) -> (tensor<3x5xui32>, tensor<3x5xui32>) {
  %0 = stablehlo.iota dim = 0 : tensor<3x5xui32>
  %1 = stablehlo.constant dense<0> : tensor<3x5xui32>
  %2 = stablehlo.iota dim = 1 : tensor<3x5xui32>
  %3 = stablehlo.constant dense<5> : tensor<3x5xui32>
  %4 = stablehlo.multiply %0, %3 : tensor<3x5xui32>
  %5 = stablehlo.add %4, %2 : tensor<3x5xui32>
  return %5, %1 : tensor<3x5xui32>, tensor<3x5xui32>
}
