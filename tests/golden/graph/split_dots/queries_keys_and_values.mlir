// run: split_dots
func.func public @main(%x: tensor<128x32xf32>, %w: tensor<32x192xf32>, %b: tensor<192xf32>) -> (tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<128x32xf32>, tensor<32x192xf32>) -> tensor<128x192xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<192xf32>) -> tensor<128x192xf32>
  %2 = stablehlo.add %0, %1 : tensor<128x192xf32>
  %3 = stablehlo.slice %2 [0:128, 0:64] : (tensor<128x192xf32>) -> tensor<128x64xf32>
  %4 = stablehlo.slice %2 [0:128, 64:128] : (tensor<128x192xf32>) -> tensor<128x64xf32>
  %5 = stablehlo.slice %2 [0:128, 128:192] : (tensor<128x192xf32>) -> tensor<128x64xf32>
  return %3, %4, %5 : tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>
}
// ---- expect
func.func @main(%arg0: tensor<128x32xf32>, %arg1: tensor<32x192xf32>, %arg2: tensor<192xf32>) -> (tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<192xf32>) -> tensor<128x192xf32>
  %1 = stablehlo.slice %arg1 [0:32, 0:64] : (tensor<32x192xf32>) -> tensor<32x64xf32>
  %2 = stablehlo.dot_general %arg0, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<128x32xf32>, tensor<32x64xf32>) -> tensor<128x64xf32>
  %3 = stablehlo.slice %0 [0:128, 0:64] : (tensor<128x192xf32>) -> tensor<128x64xf32>
  %4 = stablehlo.add %2, %3 : tensor<128x64xf32>
  %5 = stablehlo.slice %arg1 [0:32, 64:128] : (tensor<32x192xf32>) -> tensor<32x64xf32>
  %6 = stablehlo.dot_general %arg0, %5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<128x32xf32>, tensor<32x64xf32>) -> tensor<128x64xf32>
  %7 = stablehlo.slice %0 [0:128, 64:128] : (tensor<128x192xf32>) -> tensor<128x64xf32>
  %8 = stablehlo.add %6, %7 : tensor<128x64xf32>
  %9 = stablehlo.slice %arg1 [0:32, 128:192] : (tensor<32x192xf32>) -> tensor<32x64xf32>
  %10 = stablehlo.dot_general %arg0, %9, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<128x32xf32>, tensor<32x64xf32>) -> tensor<128x64xf32>
  %11 = stablehlo.slice %0 [0:128, 128:192] : (tensor<128x192xf32>) -> tensor<128x64xf32>
  %12 = stablehlo.add %10, %11 : tensor<128x64xf32>
  return %4, %8, %12 : tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>
}
