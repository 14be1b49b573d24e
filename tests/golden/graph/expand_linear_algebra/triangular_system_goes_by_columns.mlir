// run: expand_linear_algebra
func.func public @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
// ---- expect
func.func @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1:2 = stablehlo.while(%arg2 = %0, %arg3 = %arg1) : tensor<i32>, tensor<3x2xf32>
  cond {
    %2 = stablehlo.constant dense<3> : tensor<i32>
    %3 = stablehlo.compare LT, %arg2, %2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  } do {
    %2 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.dynamic_slice %arg3, %arg2, %2, sizes = [1, 2] : (tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %4 = stablehlo.dynamic_slice %arg0, %arg2, %arg2, sizes = [1, 1] : (tensor<3x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x2xf32>
    %6 = stablehlo.divide %3, %5 : tensor<1x2xf32>
    %7 = stablehlo.dynamic_slice %arg0, %2, %arg2, sizes = [3, 1] : (tensor<3x3xf32>, tensor<i32>, tensor<i32>) -> tensor<3x1xf32>
    %8 = stablehlo.constant dense<0.000000e+00> : tensor<1x1xf32>
    %9 = stablehlo.iota dim = 0 : tensor<3x1xi32>
    %10 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i32>) -> tensor<3x1xi32>
    %11 = stablehlo.compare GT, %9, %10, SIGNED : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x1xi1>
    %12 = stablehlo.constant dense<0.000000e+00> : tensor<3x1xf32>
    %13 = stablehlo.select %11, %7, %12 : tensor<3x1xi1>, tensor<3x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x2xf32>
    %15 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<1x2xf32>) -> tensor<3x2xf32>
    %16 = stablehlo.multiply %14, %15 : tensor<3x2xf32>
    %17 = stablehlo.subtract %arg3, %16 : tensor<3x2xf32>
    %18 = stablehlo.dynamic_update_slice %17, %6, %arg2, %2 : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
    %19 = stablehlo.constant dense<1> : tensor<i32>
    %20 = stablehlo.add %arg2, %19 : tensor<i32>
    stablehlo.return %20, %18 : tensor<i32>, tensor<3x2xf32>
  }
  return %1#1 : tensor<3x2xf32>
}
