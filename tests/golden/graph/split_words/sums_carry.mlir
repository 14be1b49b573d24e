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
  %3 = stablehlo.constant dense<4294967295> : tensor<4xui32>
  %4 = stablehlo.compare LT, %arg1, %1, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %5 = stablehlo.select %4, %3, %0 : tensor<4xi1>, tensor<4xui32>
  %6 = stablehlo.add %arg0, %2 : tensor<4xui32>
  %7 = stablehlo.compare LT, %6, %arg0, UNSIGNED : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xi1>
  %8 = stablehlo.convert %7 : (tensor<4xi1>) -> tensor<4xui32>
  %9 = stablehlo.add %5, %8 : tensor<4xui32>
  %10 = stablehlo.constant dense<7> : tensor<4xui32>
  %11 = stablehlo.convert %0 : (tensor<4xui32>) -> tensor<4xi32>
  %12 = stablehlo.convert %9 : (tensor<4xui32>) -> tensor<4xi32>
  %13 = stablehlo.compare LT, %12, %11, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %14 = stablehlo.select %13, %3, %0 : tensor<4xi1>, tensor<4xui32>
  %15 = stablehlo.shift_right_logical %9, %10 : tensor<4xui32>
  %16 = stablehlo.constant dense<25> : tensor<4xui32>
  %17 = stablehlo.shift_left %14, %16 : tensor<4xui32>
  %18 = stablehlo.or %15, %17 : tensor<4xui32>
  %19 = stablehlo.shift_left %9, %16 : tensor<4xui32>
  %20 = stablehlo.shift_right_logical %6, %10 : tensor<4xui32>
  %21 = stablehlo.or %20, %19 : tensor<4xui32>
  return %21 : tensor<4xui32>
}
