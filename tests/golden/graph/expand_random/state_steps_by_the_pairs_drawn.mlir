// run: expand_random, split_words, legalise
func.func public @main(%arg0: tensor<2x2xui32>) -> tensor<2x2xui32> {
  %0 = stablehlo.bitcast_convert %arg0 : (tensor<2x2xui32>) -> tensor<2xui64>
  %1:2 = stablehlo.rng_bit_generator %0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x3xui32>)
  %2 = stablehlo.bitcast_convert %1#0 : (tensor<2xui64>) -> tensor<2x2xui32>
  return %2 : tensor<2x2xui32>
}
// ---- expect
func.func @main(%arg0: tensor<2x2xui32>) -> tensor<2x2xui32> {
  %0 = stablehlo.slice %arg0 [0:1, 0:2] : (tensor<2x2xui32>) -> tensor<1x2xui32>
  %1 = stablehlo.slice %0 [0:1, 0:1] : (tensor<1x2xui32>) -> tensor<1x1xui32>
  %2 = stablehlo.slice %0 [0:1, 1:2] : (tensor<1x2xui32>) -> tensor<1x1xui32>
  %3 = stablehlo.slice %arg0 [1:2, 0:2] : (tensor<2x2xui32>) -> tensor<1x2xui32>
  %4 = stablehlo.slice %3 [0:1, 0:1] : (tensor<1x2xui32>) -> tensor<1x1xui32>
  %5 = stablehlo.reshape %4 : (tensor<1x1xui32>) -> tensor<ui32>
  %6 = stablehlo.slice %3 [0:1, 1:2] : (tensor<1x2xui32>) -> tensor<1x1xui32>
  %7 = stablehlo.reshape %6 : (tensor<1x1xui32>) -> tensor<ui32>
  %8 = stablehlo.constant dense<9> : tensor<ui32>
  %9 = stablehlo.add %5, %8 : tensor<ui32>
  %10 = stablehlo.compare LT, %9, %8, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
  %11 = stablehlo.convert %10 : (tensor<i1>) -> tensor<ui32>
  %12 = stablehlo.add %7, %11 : tensor<ui32>
  %13 = stablehlo.reshape %1 : (tensor<1x1xui32>) -> tensor<1xui32>
  %14 = stablehlo.reshape %2 : (tensor<1x1xui32>) -> tensor<1xui32>
  %15 = stablehlo.reshape %9 : (tensor<ui32>) -> tensor<1xui32>
  %16 = stablehlo.reshape %12 : (tensor<ui32>) -> tensor<1xui32>
  %17 = stablehlo.concatenate %13, %14, %15, %16, dim = 0 : (tensor<1xui32>, tensor<1xui32>, tensor<1xui32>, tensor<1xui32>) -> tensor<4xui32>
  %18 = stablehlo.reshape %17 : (tensor<4xui32>) -> tensor<2x2xui32>
  return %18 : tensor<2x2xui32>
}
