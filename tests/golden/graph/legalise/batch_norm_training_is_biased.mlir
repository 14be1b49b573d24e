// run: legalise
func.func public @main(%arg0: tensor<4x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#2 : tensor<4x3xf32>, tensor<3xf32>
}
// ---- expect
func.func @main(%arg0: tensor<4x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>) {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = stablehlo.constant dense<4.000000e+00> : tensor<3xf32>
  %3 = stablehlo.divide %1, %2 : tensor<3xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.subtract %arg0, %4 : tensor<4x3xf32>
  %6 = stablehlo.multiply %5, %5 : tensor<4x3xf32>
  %7 = stablehlo.reduce(%6 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
  %8 = stablehlo.divide %7, %2 : tensor<3xf32>
  %9 = stablehlo.constant dense<1.000000e-03> : tensor<3xf32>
  %10 = stablehlo.add %8, %9 : tensor<3xf32>
  %11 = stablehlo.sqrt %10 : tensor<3xf32>
  %12 = stablehlo.divide %arg1, %11 : tensor<3xf32>
  %13 = stablehlo.broadcast_in_dim %12, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
  %14 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
  %15 = stablehlo.multiply %5, %13 : tensor<4x3xf32>
  %16 = stablehlo.add %15, %14 : tensor<4x3xf32>
  return %16, %8 : tensor<4x3xf32>, tensor<3xf32>
}
