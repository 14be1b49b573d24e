// run: legalise
func.func public @main(%arg0: tensor<2x3xbf16>, %arg1: tensor<3x5xf32>) -> tensor<2x5xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<2x3xbf16>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}
// ---- expect
func.func @main(%arg0: tensor<2x3xbf16>, %arg1: tensor<3x5xf32>) -> tensor<2x5xf32> {
  %0 = stablehlo.convert %arg0 : (tensor<2x3xbf16>) -> tensor<2x3xf32>
  %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return %1 : tensor<2x5xf32>
}
