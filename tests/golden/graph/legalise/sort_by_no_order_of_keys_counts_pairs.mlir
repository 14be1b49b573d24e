// run: legalise
func.func public @main(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.abs %a : tensor<f32>
    %2 = stablehlo.abs %b : tensor<f32>
    %3 = stablehlo.compare LT, %1, %2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// ---- expect
func.func @main(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<4x3xf32>) -> tensor<4x3x3xf32>
  %2 = stablehlo.broadcast_in_dim %0, dims = [0, 2] : (tensor<4x3xf32>) -> tensor<4x3x3xf32>
  %3 = stablehlo.abs %2 : tensor<4x3x3xf32>
  %4 = stablehlo.abs %1 : tensor<4x3x3xf32>
  %5 = stablehlo.compare LT, %3, %4, FLOAT : (tensor<4x3x3xf32>, tensor<4x3x3xf32>) -> tensor<4x3x3xi1>
  %6 = stablehlo.compare LT, %4, %3, FLOAT : (tensor<4x3x3xf32>, tensor<4x3x3xf32>) -> tensor<4x3x3xi1>
  %7 = stablehlo.iota dim = 1 : tensor<4x3x3xi32>
  %8 = stablehlo.iota dim = 2 : tensor<4x3x3xi32>
  %9 = stablehlo.compare LT, %8, %7, SIGNED : (tensor<4x3x3xi32>, tensor<4x3x3xi32>) -> tensor<4x3x3xi1>
  %10 = stablehlo.constant dense<true> : tensor<4x3x3xi1>
  %11 = stablehlo.xor %6, %10 : tensor<4x3x3xi1>
  %12 = stablehlo.and %11, %9 : tensor<4x3x3xi1>
  %13 = stablehlo.or %5, %12 : tensor<4x3x3xi1>
  %14 = stablehlo.convert %13 : (tensor<4x3x3xi1>) -> tensor<4x3x3xi32>
  %15 = stablehlo.constant dense<0> : tensor<i32>
  %16 = stablehlo.reduce(%14 init: %15) applies stablehlo.add across dimensions = [2] : (tensor<4x3x3xi32>, tensor<i32>) -> tensor<4x3xi32>
  %17 = stablehlo.reshape %16 : (tensor<4x3xi32>) -> tensor<4x3x1xi32>
  %18 = stablehlo.constant dense<0.000000e+00> : tensor<4x3xf32>
  %19 = "stablehlo.scatter"(%18, %17, %0) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, indices_are_sorted = false, unique_indices = true}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg2 : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<4x3x1xi32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %20 = stablehlo.transpose %19, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  return %20 : tensor<3x4xf32>
}
