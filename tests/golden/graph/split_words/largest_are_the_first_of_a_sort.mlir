// run: split_words
func.func public @main(%arg0: tensor<2x5xi64>) -> (tensor<2x3xi64>, tensor<2x3xi32>) {
  %values, %places = chlo.top_k(%arg0, k = 3) : tensor<2x5xi64> -> (tensor<2x3xi64>, tensor<2x3xi32>)
  return %values, %places : tensor<2x3xi64>, tensor<2x3xi32>
}
// ---- expect
func.func @main(%arg0: tensor<2x5x2xui32> {neff.type = tensor<2x5xi64>}) -> (tensor<2x3x2xui32> {neff.type = tensor<2x3xi64>}, tensor<2x3xi32>) {
  %0 = stablehlo.slice %arg0 [0:2, 0:5, 0:1] : (tensor<2x5x2xui32>) -> tensor<2x5x1xui32>
  %1 = stablehlo.reshape %0 : (tensor<2x5x1xui32>) -> tensor<2x5xui32>
  %2 = stablehlo.slice %arg0 [0:2, 0:5, 1:2] : (tensor<2x5x2xui32>) -> tensor<2x5x1xui32>
  %3 = stablehlo.reshape %2 : (tensor<2x5x1xui32>) -> tensor<2x5xui32>
  %4 = stablehlo.constant dense<2147483648> : tensor<2x5xui32>
  %5 = stablehlo.xor %3, %4 : tensor<2x5xui32>
  %6 = stablehlo.iota dim = 1 : tensor<2x5xi32>
  %7:3 = "stablehlo.sort"(%5, %1, %6) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%arg1: tensor<ui32>, %arg2: tensor<ui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<i32>, %arg6: tensor<i32>):
    %16 = stablehlo.compare GT, %arg1, %arg2, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %17 = stablehlo.compare EQ, %arg1, %arg2, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %18 = stablehlo.compare GT, %arg3, %arg4, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %19 = stablehlo.and %17, %18 : tensor<i1>
    %20 = stablehlo.or %16, %19 : tensor<i1>
    stablehlo.return %20 : tensor<i1>
  }) : (tensor<2x5xui32>, tensor<2x5xui32>, tensor<2x5xi32>) -> (tensor<2x5xui32>, tensor<2x5xui32>, tensor<2x5xi32>)
  %8 = stablehlo.slice %7#0 [0:2, 0:3] : (tensor<2x5xui32>) -> tensor<2x3xui32>
  %9 = stablehlo.constant dense<2147483648> : tensor<2x3xui32>
  %10 = stablehlo.xor %8, %9 : tensor<2x3xui32>
  %11 = stablehlo.slice %7#1 [0:2, 0:3] : (tensor<2x5xui32>) -> tensor<2x3xui32>
  %12 = stablehlo.slice %7#2 [0:2, 0:3] : (tensor<2x5xi32>) -> tensor<2x3xi32>
  %13 = stablehlo.reshape %11 : (tensor<2x3xui32>) -> tensor<2x3x1xui32>
  %14 = stablehlo.reshape %10 : (tensor<2x3xui32>) -> tensor<2x3x1xui32>
  %15 = stablehlo.concatenate %13, %14, dim = 2 : (tensor<2x3x1xui32>, tensor<2x3x1xui32>) -> tensor<2x3x2xui32>
  return %15, %12 : tensor<2x3x2xui32>, tensor<2x3xi32>
}
