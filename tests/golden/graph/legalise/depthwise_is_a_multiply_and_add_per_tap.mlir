// run: legalise
func.func public @main(%arg0: tensor<1x8x6xf32>, %arg1: tensor<2x1x12xf32>) -> tensor<1x7x12xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 6 : i64} : (tensor<1x8x6xf32>, tensor<2x1x12xf32>) -> tensor<1x7x12xf32>
  return %0 : tensor<1x7x12xf32>
}
// ---- expect
func.func @main(%arg0: tensor<1x8x6xf32>, %arg1: tensor<2x1x12xf32>) -> tensor<1x7x12xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.slice %arg0 [0:1, 0:7, 0:6] : (tensor<1x8x6xf32>) -> tensor<1x7x6xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x7x6xf32>) -> tensor<1x7x6x2xf32>
  %3 = stablehlo.slice %arg1 [0:1, 0:1, 0:12] : (tensor<2x1x12xf32>) -> tensor<1x1x12xf32>
  %4 = stablehlo.reshape %3 : (tensor<1x1x12xf32>) -> tensor<6x2xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [2, 3] : (tensor<6x2xf32>) -> tensor<1x7x6x2xf32>
  %6 = stablehlo.multiply %2, %5 : tensor<1x7x6x2xf32>
  %7 = stablehlo.slice %arg0 [0:1, 1:8, 0:6] : (tensor<1x8x6xf32>) -> tensor<1x7x6xf32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<1x7x6xf32>) -> tensor<1x7x6x2xf32>
  %9 = stablehlo.slice %arg1 [1:2, 0:1, 0:12] : (tensor<2x1x12xf32>) -> tensor<1x1x12xf32>
  %10 = stablehlo.reshape %9 : (tensor<1x1x12xf32>) -> tensor<6x2xf32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [2, 3] : (tensor<6x2xf32>) -> tensor<1x7x6x2xf32>
  %12 = stablehlo.multiply %8, %11 : tensor<1x7x6x2xf32>
  %13 = stablehlo.add %6, %12 : tensor<1x7x6x2xf32>
  %14 = stablehlo.reshape %13 : (tensor<1x7x6x2xf32>) -> tensor<1x7x12xf32>
  return %14 : tensor<1x7x12xf32>
}
