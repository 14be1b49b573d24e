// run: split_words
func.func public @main(%arg0: tensor<i64>) -> tensor<i64> {
  %c = stablehlo.constant dense<0> : tensor<i64>
  %c_0 = stablehlo.constant dense<20> : tensor<i64>
  %c_1 = stablehlo.constant dense<1> : tensor<i64>
  %0:3 = stablehlo.while(%a = %c, %b = %arg0, %end = %c_0) : tensor<i64>, tensor<i64>, tensor<i64>
  cond {
    %1 = stablehlo.compare LT, %a, %end, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.xor %b, %a : tensor<i64>
    %2 = stablehlo.add %a, %c_1 : tensor<i64>
    stablehlo.return %2, %1, %end : tensor<i64>, tensor<i64>, tensor<i64>
  }
  return %0#1 : tensor<i64>
}
// ---- expect
func.func @main(%arg0: tensor<2xui32> {neff.type = tensor<i64>}) -> (tensor<2xui32> {neff.type = tensor<i64>}) {
  %0 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
  %1 = stablehlo.reshape %0 : (tensor<1xui32>) -> tensor<ui32>
  %2 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
  %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
  %4 = stablehlo.constant dense<0> : tensor<ui32>
  %5 = stablehlo.constant dense<20> : tensor<ui32>
  %6 = stablehlo.constant dense<1> : tensor<ui32>
  %7:4 = stablehlo.while(%arg1 = %4, %arg2 = %1, %arg3 = %3, %arg4 = %5) : tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>
  cond {
    %11 = stablehlo.compare LT, %arg1, %arg4, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    stablehlo.return %11 : tensor<i1>
  } do {
    %11 = stablehlo.xor %arg2, %arg1 : tensor<ui32>
    %12 = stablehlo.add %arg1, %6 : tensor<ui32>
    stablehlo.return %12, %11, %arg3, %arg4 : tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>
  }
  %8 = stablehlo.reshape %7#1 : (tensor<ui32>) -> tensor<1xui32>
  %9 = stablehlo.reshape %7#2 : (tensor<ui32>) -> tensor<1xui32>
  %10 = stablehlo.concatenate %8, %9, dim = 0 : (tensor<1xui32>, tensor<1xui32>) -> tensor<2xui32>
  return %10 : tensor<2xui32>
}
