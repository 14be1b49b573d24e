// run: legalise
func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
  %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %cst_0 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
  %0 = stablehlo.divide %cst, %cst_0 : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %2 = stablehlo.multiply %arg0, %1 : tensor<3xf32>
  return %2 : tensor<3xf32>
}
// ---- expect
func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.constant dense<7.812500e-03> : tensor<3xf32>
  %1 = stablehlo.multiply %arg0, %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}
