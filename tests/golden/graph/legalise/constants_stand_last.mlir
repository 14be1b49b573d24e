// run: legalise
func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xi32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xf32>) {
  %0 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %1 = stablehlo.multiply %0, %arg0 : tensor<2x3xf32>
  %2 = stablehlo.subtract %0, %arg0 : tensor<2x3xf32>
  %3 = stablehlo.constant dense<0> : tensor<2x3xi32>
  %4 = stablehlo.add %3, %arg1 : tensor<2x3xi32>
  %5 = stablehlo.constant dense<0.0> : tensor<2x3xf32>
  %6 = stablehlo.add %5, %arg0 : tensor<2x3xf32>
  return %1, %2, %4, %6 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xf32>
}
// ---- expect
func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xi32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xf32>) {
  %0 = stablehlo.constant dense<[[1.000000e+00, 2.000000e+00, 3.000000e+00], [4.000000e+00, 5.000000e+00, 6.000000e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.multiply %arg0, %0 : tensor<2x3xf32>
  %2 = stablehlo.subtract %0, %arg0 : tensor<2x3xf32>
  %3 = stablehlo.constant dense<0.000000e+00> : tensor<2x3xf32>
  %4 = stablehlo.add %arg0, %3 : tensor<2x3xf32>
  return %1, %2, %arg1, %4 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xf32>
}
