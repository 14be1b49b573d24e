// run: split_words
func.func public @main(%arg0: tensor<4xui32>, %arg1: tensor<4xi32>) -> tensor<4xui32> {
  %0 = stablehlo.convert %arg0 : (tensor<4xui32>) -> tensor<4xi64>
  %1 = stablehlo.convert %arg1 : (tensor<4xi32>) -> tensor<4xi64>
  %2 = stablehlo.add %0, %1 : tensor<4xi64>
  %c = stablehlo.constant dense<7> : tensor<4xi64>
  %3 = stablehlo.shift_right_arithmetic %2, %c : tensor<4xi64>
  %4 = stablehlo.convert %3 : (tensor<4xi64>) -> tensor<4xui32>
  return %4 : tensor<4xui32>
}
// ---- expect
func.func @main(%arg0: tensor<4xui32>, %arg1: tensor<4xi32>) -> tensor<4xui32> {
  %0 = stablehlo.constant dense<0> : tensor<4xui32>
  %1 = stablehlo.constant dense<0> : tensor<4xi32>
  %2 = stablehlo.convert %arg1 : (tensor<4xi32>) -> tensor<4xui32>
  %3 = stablehlo.compare LT, %arg1, %1, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %4 = stablehlo.constant dense<4294967295> : tensor<4xui32>
  %5 = stablehlo.select %3, %4, %0 : tensor<4xi1>, tensor<4xui32>
  %6 = stablehlo.add %arg0, %2 : tensor<4xui32>
  %7 = stablehlo.compare LT, %6, %arg0, UNSIGNED : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xi1>
  %8 = stablehlo.convert %7 : (tensor<4xi1>) -> tensor<4xui32>
  %9 = stablehlo.add %5, %8 : tensor<4xui32>
  %10 = stablehlo.constant dense<7> : tensor<4xui32>
  %11 = stablehlo.constant dense<25> : tensor<4xui32>
  %12 = stablehlo.shift_right_logical %6, %10 : tensor<4xui32>
  %13 = stablehlo.shift_left %9, %11 : tensor<4xui32>
  %14 = stablehlo.or %12, %13 : tensor<4xui32>
  return %14 : tensor<4xui32>
}
