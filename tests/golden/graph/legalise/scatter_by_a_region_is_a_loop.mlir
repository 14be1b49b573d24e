// run: legalise
func.func public @main(%table: tensor<6x4xf32>, %index: tensor<9x1xi32>, %updates: tensor<9x4xf32>) -> tensor<6x4xf32> {
  %0 = "stablehlo.scatter"(%table, %index, %updates) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %most = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %most : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<9x1xi32>, tensor<9x4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
// ---- expect
func.func @main(%arg0: tensor<6x4xf32>, %arg1: tensor<9x1xi32>, %arg2: tensor<9x4xf32>) -> tensor<6x4xf32> {
  %0 = stablehlo.reshape %arg2 : (tensor<9x4xf32>) -> tensor<9x1x4xf32>
  %1 = stablehlo.constant dense<0> : tensor<i32>
  %2:2 = stablehlo.while(%arg3 = %1, %arg4 = %arg0) : tensor<i32>, tensor<6x4xf32>
  cond {
    %3 = stablehlo.constant dense<9> : tensor<i32>
    %4 = stablehlo.compare LT, %arg3, %3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %3 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.dynamic_slice %arg1, %arg3, %3, sizes = [1, 1] : (tensor<9x1xi32>, tensor<i32>, tensor<i32>) -> tensor<1x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<1x1xi32>) -> tensor<i32>
    %6 = stablehlo.compare GE, %5, %3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.constant dense<5> : tensor<i32>
    %8 = stablehlo.compare LE, %5, %7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %9 = stablehlo.and %6, %8 : tensor<i1>
    %10 = stablehlo.dynamic_slice %arg4, %5, %3, sizes = [1, 4] : (tensor<6x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %11 = stablehlo.dynamic_slice %0, %arg3, %3, %3, sizes = [1, 1, 4] : (tensor<9x1x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x4xf32>
    %12 = stablehlo.reshape %11 : (tensor<1x1x4xf32>) -> tensor<1x4xf32>
    %13 = stablehlo.maximum %10, %12 : tensor<1x4xf32>
    %14 = stablehlo.constant dense<1> : tensor<i32>
    %15 = stablehlo.add %arg3, %14 : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<1x4xi1>
    %17 = stablehlo.select %16, %13, %10 : tensor<1x4xi1>, tensor<1x4xf32>
    %18 = stablehlo.dynamic_update_slice %arg4, %17, %5, %3 : (tensor<6x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<6x4xf32>
    stablehlo.return %15, %18 : tensor<i32>, tensor<6x4xf32>
  }
  return %2#1 : tensor<6x4xf32>
}
