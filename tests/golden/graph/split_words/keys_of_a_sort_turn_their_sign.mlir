// run: split_words
func.func public @main(%arg0: tensor<5xi64>) -> (tensor<5xi64>, tensor<5xi64>) {
  %0 = stablehlo.iota dim = 0 : tensor<5xi64>
  %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>, %c: tensor<i64>, %d: tensor<i64>):
    %2 = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<5xi64>, tensor<5xi64>) -> (tensor<5xi64>, tensor<5xi64>)
  return %1#0, %1#1 : tensor<5xi64>, tensor<5xi64>
}
// ---- expect
func.func @main(%arg0: tensor<5x2xui32> {neff.type = tensor<5xi64>}) -> (tensor<5x2xui32> {neff.type = tensor<5xi64>}, tensor<5x2xui32> {neff.type = tensor<5xi64>}) {
  %0 = stablehlo.slice %arg0 [0:5, 0:1] : (tensor<5x2xui32>) -> tensor<5x1xui32>
  %1 = stablehlo.reshape %0 : (tensor<5x1xui32>) -> tensor<5xui32>
  %2 = stablehlo.slice %arg0 [0:5, 1:2] : (tensor<5x2xui32>) -> tensor<5x1xui32>
  %3 = stablehlo.reshape %2 : (tensor<5x1xui32>) -> tensor<5xui32>
  %4 = stablehlo.iota dim = 0 : tensor<5xui32>
  %5 = stablehlo.constant dense<2147483648> : tensor<5xui32>
  %6 = stablehlo.xor %3, %5 : tensor<5xui32>
  %7:3 = "stablehlo.sort"(%1, %6, %4) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%arg1: tensor<ui32>, %arg2: tensor<ui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<ui32>):
    %15 = stablehlo.compare LT, %arg1, %arg2, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %16 = stablehlo.compare LT, %arg3, %arg4, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %17 = stablehlo.compare EQ, %arg3, %arg4, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %18 = stablehlo.and %17, %15 : tensor<i1>
    %19 = stablehlo.or %16, %18 : tensor<i1>
    stablehlo.return %19 : tensor<i1>
  }) : (tensor<5xui32>, tensor<5xui32>, tensor<5xui32>) -> (tensor<5xui32>, tensor<5xui32>, tensor<5xui32>)
  %8 = stablehlo.xor %7#1, %5 : tensor<5xui32>
  %9 = stablehlo.reshape %7#0 : (tensor<5xui32>) -> tensor<5x1xui32>
  %10 = stablehlo.reshape %8 : (tensor<5xui32>) -> tensor<5x1xui32>
  %11 = stablehlo.concatenate %9, %10, dim = 1 : (tensor<5x1xui32>, tensor<5x1xui32>) -> tensor<5x2xui32>
  %12 = stablehlo.reshape %7#2 : (tensor<5xui32>) -> tensor<5x1xui32>
  %13 = stablehlo.constant dense<0> : tensor<5x1xui32>
  %14 = stablehlo.concatenate %12, %13, dim = 1 : (tensor<5x1xui32>, tensor<5x1xui32>) -> tensor<5x2xui32>
  return %11, %14 : tensor<5x2xui32>, tensor<5x2xui32>
}
