// run: legalise
func.func public @main(%arg0: tensor<1x1x64xbf16>, %arg1: tensor<300x64xbf16>) -> tensor<1x1x300xbf16> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<1x1x64xbf16>, tensor<300x64xbf16>) -> tensor<1x1x300xbf16>
  return %0 : tensor<1x1x300xbf16>
}
// ---- expect
func.func @main(%arg0: tensor<1x1x64xbf16>, %arg1: tensor<300x64xbf16>) -> tensor<1x1x300xbf16> {
  %0 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<1x1x64xbf16>) -> tensor<64x1x1xbf16>
  %1 = stablehlo.reshape %0 : (tensor<64x1x1xbf16>) -> tensor<64xbf16>
  %2 = stablehlo.convert %1 : (tensor<64xbf16>) -> tensor<64xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<64xf32>) -> tensor<300x64xf32>
  %4 = stablehlo.convert %arg1 : (tensor<300x64xbf16>) -> tensor<300x64xf32>
  %5 = stablehlo.multiply %4, %3 : tensor<300x64xf32>
  %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [1] : (tensor<300x64xf32>, tensor<f32>) -> tensor<300xf32>
  %8 = stablehlo.reshape %7 : (tensor<300xf32>) -> tensor<1x1x300xf32>
  %9 = stablehlo.convert %8 : (tensor<1x1x300xf32>) -> tensor<1x1x300xbf16>
  return %9 : tensor<1x1x300xbf16>
}
