// run: legalise
func.func public @main(%arg0: tensor<4xi8>, %arg1: tensor<4xi8>) -> tensor<4xi8> {
  %0 = stablehlo.shift_right_arithmetic %arg0, %arg1 : tensor<4xi8>
  return %0 : tensor<4xi8>
}
// ---- expect
func.func @main(%arg0: tensor<4xi8>, %arg1: tensor<4xi8>) -> tensor<4xi8> {
  %0 = stablehlo.convert %arg0 : (tensor<4xi8>) -> tensor<4xi32>
  %1 = stablehlo.convert %arg1 : (tensor<4xi8>) -> tensor<4xi32>
  %2 = stablehlo.constant dense<0> : tensor<4xi32>
  %3 = stablehlo.compare LT, %0, %2, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %4 = stablehlo.constant dense<-1> : tensor<4xi32>
  %5 = stablehlo.select %3, %4, %2 : tensor<4xi1>, tensor<4xi32>
  %6 = stablehlo.xor %0, %5 : tensor<4xi32>
  %7 = stablehlo.shift_right_logical %6, %1 : tensor<4xi32>
  %8 = stablehlo.xor %7, %5 : tensor<4xi32>
  %9 = stablehlo.convert %8 : (tensor<4xi32>) -> tensor<4xi8>
  return %9 : tensor<4xi8>
}
