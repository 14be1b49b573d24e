// run: unroll
func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c, %x = %arg0) : tensor<i32>, tensor<3xf32>
  cond {
    %c_1 = stablehlo.constant dense<9> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %c_1 : tensor<i32>
    %2 = stablehlo.add %x, %x : tensor<3xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<3xf32>
  }
  return %0#1 : tensor<3xf32>
}
// ---- expect
func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1:2 = stablehlo.while(%arg1 = %0, %arg2 = %arg0) : tensor<i32>, tensor<3xf32>
  cond {
    %2 = stablehlo.constant dense<9> : tensor<i32>
    %3 = stablehlo.compare LT, %arg1, %2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  } do {
    %2 = stablehlo.constant dense<1> : tensor<i32>
    %3 = stablehlo.add %arg1, %2 : tensor<i32>
    %4 = stablehlo.add %arg2, %arg2 : tensor<3xf32>
    stablehlo.return %3, %4 : tensor<i32>, tensor<3xf32>
  }
  return %1#1 : tensor<3xf32>
}
