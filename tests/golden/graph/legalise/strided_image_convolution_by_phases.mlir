// run: legalise
func.func public @main(%arg0: tensor<2x9x11x3xf32>, %arg1: tensor<3x5x3x8xf32>) -> tensor<2x5x6x8xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [2, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x11x3xf32>, tensor<3x5x3x8xf32>) -> tensor<2x5x6x8xf32>
  return %0 : tensor<2x5x6x8xf32>
}
// ---- expect
func.func @main(%arg0: tensor<2x9x11x3xf32>, %arg1: tensor<3x5x3x8xf32>) -> tensor<2x5x6x8xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.pad %arg0, %0, low = [0, 1, 2, 0], high = [0, 1, 3, 0], interior = [0, 0, 0, 0] : (tensor<2x9x11x3xf32>, tensor<f32>) -> tensor<2x11x16x3xf32>
  %2 = stablehlo.slice %1 [0:2, 0:11, 0:15:2, 0:3] : (tensor<2x11x16x3xf32>) -> tensor<2x11x8x3xf32>
  %3 = stablehlo.slice %arg1 [0:3, 0:5:2, 0:3, 0:8] : (tensor<3x5x3x8xf32>) -> tensor<3x3x3x8xf32>
  %4 = stablehlo.convolution(%2, %3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x11x8x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x5x6x8xf32>
  %5 = stablehlo.slice %1 [0:2, 0:11, 1:14:2, 0:3] : (tensor<2x11x16x3xf32>) -> tensor<2x11x7x3xf32>
  %6 = stablehlo.slice %arg1 [0:3, 1:4:2, 0:3, 0:8] : (tensor<3x5x3x8xf32>) -> tensor<3x2x3x8xf32>
  %7 = stablehlo.convolution(%5, %6) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x11x7x3xf32>, tensor<3x2x3x8xf32>) -> tensor<2x5x6x8xf32>
  %8 = stablehlo.add %4, %7 : tensor<2x5x6x8xf32>
  return %8 : tensor<2x5x6x8xf32>
}
