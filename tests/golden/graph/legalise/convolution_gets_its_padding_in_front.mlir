// run: legalise
func.func public @main(%arg0: tensor<2x9x10x5xf32>, %arg1: tensor<3x3x5x7xf32>) -> tensor<2x9x19x7xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [0, 2]], lhs_dilate = [1, 2], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x5xf32>, tensor<3x3x5x7xf32>) -> tensor<2x9x19x7xf32>
  return %0 : tensor<2x9x19x7xf32>
}
// ---- expect
func.func @main(%arg0: tensor<2x9x10x5xf32>, %arg1: tensor<3x3x5x7xf32>) -> tensor<2x9x19x7xf32> {
  %0 = stablehlo.reverse %arg1, dims = [0] : tensor<3x3x5x7xf32>
  %1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %2 = stablehlo.pad %arg0, %1, low = [0, 1, 0, 0], high = [0, 1, 2, 0], interior = [0, 0, 1, 0] : (tensor<2x9x10x5xf32>, tensor<f32>) -> tensor<2x11x21x5xf32>
  %3 = stablehlo.convolution(%2, %0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x11x21x5xf32>, tensor<3x3x5x7xf32>) -> tensor<2x9x19x7xf32>
  return %3 : tensor<2x9x19x7xf32>
}
