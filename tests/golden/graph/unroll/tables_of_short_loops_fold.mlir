// run: unroll, legalise
func.func public @main(%arg0: tensor<3xui32>) -> tensor<3xui32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %c_0 = stablehlo.constant dense<[13, 15]> : tensor<2xui32>
  %0:3 = stablehlo.while(%i = %c, %x = %arg0, %t = %c_0) : tensor<i32>, tensor<3xui32>, tensor<2xui32>
  cond {
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %c_1 : tensor<i32>
    %2 = stablehlo.slice %t [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %5 = stablehlo.shift_left %x, %4 : tensor<3xui32>
    stablehlo.return %1, %5, %t : tensor<i32>, tensor<3xui32>, tensor<2xui32>
  }
  return %0#1 : tensor<3xui32>
}
// ---- expect
func.func @main(%arg0: tensor<3xui32>) -> tensor<3xui32> {
  %0 = stablehlo.constant dense<13> : tensor<3xui32>
  %1 = stablehlo.shift_left %arg0, %0 : tensor<3xui32>
  %2 = stablehlo.shift_left %1, %0 : tensor<3xui32>
  return %2 : tensor<3xui32>
}
