// run: legalise
func.func public @main(%x: tensor<2x16x32xf32>, %w: tensor<64x48xf32>) -> tensor<16x48xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<2x16x32xf32>) -> tensor<16x2x32xf32>
  %1 = stablehlo.reshape %0 : (tensor<16x2x32xf32>) -> tensor<16x64xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<16x64xf32>, tensor<64x48xf32>) -> tensor<16x48xf32>
  return %2 : tensor<16x48xf32>
}
// ---- expect
func.func @main(%arg0: tensor<2x16x32xf32>, %arg1: tensor<64x48xf32>) -> tensor<16x48xf32> {
  %0 = stablehlo.transpose %arg0, dims = [1, 0, 2] : (tensor<2x16x32xf32>) -> tensor<16x2x32xf32>
  %1 = stablehlo.reshape %arg1 : (tensor<64x48xf32>) -> tensor<2x32x48xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1, 2] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x2x32xf32>, tensor<2x32x48xf32>) -> tensor<16x48xf32>
  return %2 : tensor<16x48xf32>
}
