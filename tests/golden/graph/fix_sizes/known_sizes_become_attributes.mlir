// run: fix_sizes
func.func public @main(%arg0: tensor<3x4xf32>, %arg1: tensor<2xi64>) -> (tensor<2x6xf32>, tensor<5x3x4xf32>, tensor<2x6xi32>, tensor<i32>, tensor<4x7xf32>, tensor<2x2xf32>) {
  %low = stablehlo.constant dense<[1, -1]> : tensor<2xi64>
  %high = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
  %interior = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %start = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
  %limit = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %strides = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %three = stablehlo.constant dense<[5, 3, 4]> : tensor<3xi64>
  %0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<2x6xf32>
  %1 = stablehlo.dynamic_broadcast_in_dim %arg0, %three, dims = [1, 2] : (tensor<3x4xf32>, tensor<3xi64>) -> tensor<5x3x4xf32>
  %2 = stablehlo.dynamic_iota %arg1, dim = 1 : (tensor<2xi64>) -> tensor<2x6xi32>
  %3 = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<3x4xf32>) -> tensor<i32>
  %4 = stablehlo.dynamic_pad %arg0, %zero, %low, %high, %interior : (tensor<3x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<4x7xf32>
  %5 = stablehlo.real_dynamic_slice %arg0, %start, %limit, %strides : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x2xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<2x6xf32>, tensor<5x3x4xf32>, tensor<2x6xi32>, tensor<i32>, tensor<4x7xf32>, tensor<2x2xf32>
}
// ---- expect
func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<2xi64>) -> (tensor<2x6xf32>, tensor<5x3x4xf32>, tensor<2x6xi32>, tensor<i32>, tensor<4x7xf32>, tensor<2x2xf32>) {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reshape %arg0 : (tensor<3x4xf32>) -> tensor<2x6xf32>
  %2 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<3x4xf32>) -> tensor<5x3x4xf32>
  %3 = stablehlo.iota dim = 1 : tensor<2x6xi32>
  %4 = stablehlo.constant dense<4> : tensor<i32>
  %5 = stablehlo.pad %arg0, %0, low = [1, -1], high = [0, 1], interior = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<4x7xf32>
  %6 = stablehlo.slice %arg0 [1:3, 0:4:2] : (tensor<3x4xf32>) -> tensor<2x2xf32>
  return %1, %2, %3, %4, %5, %6 : tensor<2x6xf32>, tensor<5x3x4xf32>, tensor<2x6xi32>, tensor<i32>, tensor<4x7xf32>, tensor<2x2xf32>
}
