// run: split_dots
func.func public @main(%x: tensor<128x32xf32>, %w: tensor<32x192xf32>) -> (tensor<128x64xf32>, tensor<128x96xf32>, tensor<128x192xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<128x32xf32>, tensor<32x192xf32>) -> tensor<128x192xf32>
  %1 = stablehlo.slice %0 [0:128, 0:64] : (tensor<128x192xf32>) -> tensor<128x64xf32>
  %2 = stablehlo.slice %0 [0:128, 32:128] : (tensor<128x192xf32>) -> tensor<128x96xf32>
  return %1, %2, %0 : tensor<128x64xf32>, tensor<128x96xf32>, tensor<128x192xf32>
}
// ---- expect
func.func @main(%arg0: tensor<128x32xf32>, %arg1: tensor<32x192xf32>) -> (tensor<128x64xf32>, tensor<128x96xf32>, tensor<128x192xf32>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<128x32xf32>, tensor<32x192xf32>) -> tensor<128x192xf32>
  %1 = stablehlo.slice %0 [0:128, 0:64] : (tensor<128x192xf32>) -> tensor<128x64xf32>
  %2 = stablehlo.slice %0 [0:128, 32:128] : (tensor<128x192xf32>) -> tensor<128x96xf32>
  return %1, %2, %0 : tensor<128x64xf32>, tensor<128x96xf32>, tensor<128x192xf32>
}
