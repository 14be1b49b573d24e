// run: legalise
func.func public @main(%arg0: tensor<1x8x6xf32>, %arg1: tensor<2x1x12xf32>) -> tensor<1x7x12xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 6 : i64} : (tensor<1x8x6xf32>, tensor<2x1x12xf32>) -> tensor<1x7x12xf32>
  return %0 : tensor<1x7x12xf32>
}
// ---- expect
func.func @main(%arg0: tensor<1x8x6xf32>, %arg1: tensor<2x1x12xf32>) -> tensor<1x7x12xf32> {
  %0 = stablehlo.slice %arg0 [0:1, 0:7, 0:6] : (tensor<1x8x6xf32>) -> tensor<1x7x6xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<1x7x6xf32>) -> tensor<1x7x6x2xf32>
  %2 = stablehlo.slice %arg1 [0:1, 0:1, 0:12] : (tensor<2x1x12xf32>) -> tensor<1x1x12xf32>
  %3 = stablehlo.reshape %2 : (tensor<1x1x12xf32>) -> tensor<6x2xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [2, 3] : (tensor<6x2xf32>) -> tensor<1x7x6x2xf32>
  %5 = stablehlo.multiply %1, %4 : tensor<1x7x6x2xf32>
  %6 = stablehlo.slice %arg0 [0:1, 1:8, 0:6] : (tensor<1x8x6xf32>) -> tensor<1x7x6xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<1x7x6xf32>) -> tensor<1x7x6x2xf32>
  %8 = stablehlo.slice %arg1 [1:2, 0:1, 0:12] : (tensor<2x1x12xf32>) -> tensor<1x1x12xf32>
  %9 = stablehlo.reshape %8 : (tensor<1x1x12xf32>) -> tensor<6x2xf32>
  %10 = stablehlo.broadcast_in_dim %9, dims = [2, 3] : (tensor<6x2xf32>) -> tensor<1x7x6x2xf32>
  %11 = stablehlo.multiply %7, %10 : tensor<1x7x6x2xf32>
  %12 = stablehlo.add %5, %11 : tensor<1x7x6x2xf32>
  %13 = stablehlo.reshape %12 : (tensor<1x7x6x2xf32>) -> tensor<1x7x12xf32>
  return %13 : tensor<1x7x12xf32>
}
