// run: legalise
func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xi1> {
  %0 = stablehlo.compare LT, %arg0, %arg1, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
// ---- expect
func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xi1> {
  %0 = stablehlo.bitcast_convert %arg0 : (tensor<4xf32>) -> tensor<4xi32>
  %1 = stablehlo.constant dense<0> : tensor<4xi32>
  %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %3 = stablehlo.constant dense<2147483647> : tensor<4xi32>
  %4 = stablehlo.xor %0, %3 : tensor<4xi32>
  %5 = stablehlo.select %2, %4, %0 : tensor<4xi1>, tensor<4xi32>
  %6 = stablehlo.bitcast_convert %arg1 : (tensor<4xf32>) -> tensor<4xi32>
  %7 = stablehlo.compare LT, %6, %1, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %8 = stablehlo.xor %6, %3 : tensor<4xi32>
  %9 = stablehlo.select %7, %8, %6 : tensor<4xi1>, tensor<4xi32>
  %10 = stablehlo.compare LT, %5, %9, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return %10 : tensor<4xi1>
}
