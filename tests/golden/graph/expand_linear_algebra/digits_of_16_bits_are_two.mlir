// run: expand_linear_algebra
func.func public @main(%arg0: tensor<3x4xi16>, %arg1: tensor<4x2xi8>) -> tensor<3x2xi32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<3x4xi16>, tensor<4x2xi8>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}
// ---- expect
func.func @main(%arg0: tensor<3x4xi16>, %arg1: tensor<4x2xi8>) -> tensor<3x2xi32> {
  %0 = stablehlo.convert %arg0 : (tensor<3x4xi16>) -> tensor<3x4xi32>
  %1 = stablehlo.constant dense<8> : tensor<3x4xi32>
  %2 = stablehlo.constant dense<24> : tensor<3x4xi32>
  %3 = stablehlo.shift_left %0, %2 : tensor<3x4xi32>
  %4 = stablehlo.shift_right_arithmetic %3, %2 : tensor<3x4xi32>
  %5 = stablehlo.convert %4 : (tensor<3x4xi32>) -> tensor<3x4xf32>
  %6 = stablehlo.subtract %0, %4 : tensor<3x4xi32>
  %7 = stablehlo.shift_right_arithmetic %6, %1 : tensor<3x4xi32>
  %8 = stablehlo.shift_left %7, %2 : tensor<3x4xi32>
  %9 = stablehlo.shift_right_arithmetic %8, %2 : tensor<3x4xi32>
  %10 = stablehlo.convert %9 : (tensor<3x4xi32>) -> tensor<3x4xf32>
  %11 = stablehlo.convert %arg1 : (tensor<4x2xi8>) -> tensor<4x2xi32>
  %12 = stablehlo.convert %11 : (tensor<4x2xi32>) -> tensor<4x2xf32>
  %13 = stablehlo.dot_general %5, %12, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  %14 = stablehlo.convert %13 : (tensor<3x2xf32>) -> tensor<3x2xi32>
  %15 = stablehlo.dot_general %10, %12, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  %16 = stablehlo.convert %15 : (tensor<3x2xf32>) -> tensor<3x2xi32>
  %17 = stablehlo.constant dense<8> : tensor<3x2xi32>
  %18 = stablehlo.shift_left %16, %17 : tensor<3x2xi32>
  %19 = stablehlo.add %14, %18 : tensor<3x2xi32>
  return %19 : tensor<3x2xi32>
}
