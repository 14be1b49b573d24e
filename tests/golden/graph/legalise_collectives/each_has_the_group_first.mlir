// run: legalise_collectives
func.func public @main(%arg0: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x12xf32>, tensor<4x3xf32>, tensor<2x12xf32>, tensor<4x6xf32>) {
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x12xf32>
  %2 = "stablehlo.reduce_scatter"(%arg0) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x3xf32>
  %3 = "stablehlo.all_to_all"(%arg0) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<2x12xf32>
  %4 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0, %1, %2, %3, %4 : tensor<4x6xf32>, tensor<4x12xf32>, tensor<4x3xf32>, tensor<2x12xf32>, tensor<4x6xf32>
}
// ---- expect
func.func @main(%arg0: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x12xf32>, tensor<4x3xf32>, tensor<2x12xf32>, tensor<4x6xf32>) {
  %0 = stablehlo.constant dense<[[0, 1]]> : tensor<1x2xi32>
  %1 = "neuron.collective"(%arg0, %0) <{kind = "all_reduce", op = "maximum"}> : (tensor<4x6xf32>, tensor<1x2xi32>) -> tensor<4x6xf32>
  %2 = "neuron.collective"(%arg0, %0) <{kind = "all_gather", op = "bypass"}> : (tensor<4x6xf32>, tensor<1x2xi32>) -> tensor<2x4x6xf32>
  %3 = stablehlo.transpose %2, dims = [1, 0, 2] : (tensor<2x4x6xf32>) -> tensor<4x2x6xf32>
  %4 = stablehlo.reshape %3 : (tensor<4x2x6xf32>) -> tensor<4x12xf32>
  %5 = stablehlo.reshape %arg0 : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
  %6 = stablehlo.transpose %5, dims = [1, 0, 2] : (tensor<4x2x3xf32>) -> tensor<2x4x3xf32>
  %7 = "neuron.collective"(%6, %0) <{kind = "reduce_scatter", op = "add"}> : (tensor<2x4x3xf32>, tensor<1x2xi32>) -> tensor<4x3xf32>
  %8 = stablehlo.reshape %arg0 : (tensor<4x6xf32>) -> tensor<2x2x6xf32>
  %9 = "neuron.collective"(%8, %0) <{kind = "all_to_all", op = "bypass"}> : (tensor<2x2x6xf32>, tensor<1x2xi32>) -> tensor<2x2x6xf32>
  %10 = stablehlo.transpose %9, dims = [1, 0, 2] : (tensor<2x2x6xf32>) -> tensor<2x2x6xf32>
  %11 = stablehlo.reshape %10 : (tensor<2x2x6xf32>) -> tensor<2x12xf32>
  %12 = stablehlo.constant dense<[[0, 1], [1, 0]]> : tensor<2x2xi32>
  %13 = "neuron.collective"(%arg0, %12) <{kind = "collective_permute", op = "bypass"}> : (tensor<4x6xf32>, tensor<2x2xi32>) -> tensor<4x6xf32>
  return %1, %4, %7, %11, %13 : tensor<4x6xf32>, tensor<4x12xf32>, tensor<4x3xf32>, tensor<2x12xf32>, tensor<4x6xf32>
}
