// run: split_words
func.func public @main(%arg0: tensor<2x3xi64> {tf.aliasing_output = 1 : i32}, %arg1: tensor<2x3xi64>) -> (tensor<2x3xi64>, tensor<2x3xi64>) {
  %0 = stablehlo.and %arg0, %arg1 : tensor<2x3xi64>
  return %0, %arg0 : tensor<2x3xi64>, tensor<2x3xi64>
}
// ---- expect
func.func @main(%arg0: tensor<2x3x2xui32> {neff.type = tensor<2x3xi64>, tf.aliasing_output = 1 : i32}, %arg1: tensor<2x3x2xui32> {neff.type = tensor<2x3xi64>}) -> (tensor<2x3x2xui32> {neff.type = tensor<2x3xi64>}, tensor<2x3x2xui32> {neff.type = tensor<2x3xi64>}) {
  %0 = stablehlo.slice %arg0 [0:2, 0:3, 0:1] : (tensor<2x3x2xui32>) -> tensor<2x3x1xui32>
  %1 = stablehlo.reshape %0 : (tensor<2x3x1xui32>) -> tensor<2x3xui32>
  %2 = stablehlo.slice %arg0 [0:2, 0:3, 1:2] : (tensor<2x3x2xui32>) -> tensor<2x3x1xui32>
  %3 = stablehlo.reshape %2 : (tensor<2x3x1xui32>) -> tensor<2x3xui32>
  %4 = stablehlo.slice %arg1 [0:2, 0:3, 0:1] : (tensor<2x3x2xui32>) -> tensor<2x3x1xui32>
  %5 = stablehlo.reshape %4 : (tensor<2x3x1xui32>) -> tensor<2x3xui32>
  %6 = stablehlo.slice %arg1 [0:2, 0:3, 1:2] : (tensor<2x3x2xui32>) -> tensor<2x3x1xui32>
  %7 = stablehlo.reshape %6 : (tensor<2x3x1xui32>) -> tensor<2x3xui32>
  %8 = stablehlo.and %1, %5 : tensor<2x3xui32>
  %9 = stablehlo.and %3, %7 : tensor<2x3xui32>
  %10 = stablehlo.reshape %8 : (tensor<2x3xui32>) -> tensor<2x3x1xui32>
  %11 = stablehlo.reshape %9 : (tensor<2x3xui32>) -> tensor<2x3x1xui32>
  %12 = stablehlo.concatenate %10, %11, dim = 2 : (tensor<2x3x1xui32>, tensor<2x3x1xui32>) -> tensor<2x3x2xui32>
  return %12, %arg0 : tensor<2x3x2xui32>, tensor<2x3x2xui32>
}
