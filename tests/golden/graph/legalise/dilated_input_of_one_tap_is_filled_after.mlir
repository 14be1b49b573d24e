// run: legalise
func.func public @main(%arg0: tensor<2x4x5x6xf32>, %arg1: tensor<1x1x6x7xf32>) -> tensor<2x8x9x7xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[0, 1], [1, -1]], lhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x5x6xf32>, tensor<1x1x6x7xf32>) -> tensor<2x8x9x7xf32>
  return %0 : tensor<2x8x9x7xf32>
}
// ---- expect
func.func @main(%arg0: tensor<2x4x5x6xf32>, %arg1: tensor<1x1x6x7xf32>) -> tensor<2x8x9x7xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x5x6xf32>, tensor<1x1x6x7xf32>) -> tensor<2x4x5x7xf32>
  %2 = stablehlo.pad %1, %0, low = [0, 0, 1, 0], high = [0, 1, -1, 0], interior = [0, 1, 1, 0] : (tensor<2x4x5x7xf32>, tensor<f32>) -> tensor<2x8x9x7xf32>
  return %2 : tensor<2x8x9x7xf32>
}
