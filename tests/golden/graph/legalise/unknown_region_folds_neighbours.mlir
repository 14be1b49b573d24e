// run: legalise
func.func public @main(%arg0: tensor<2x5xf32>, %arg1: tensor<f32>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce"(%arg0, %arg1) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %p = stablehlo.multiply %a, %b : tensor<f32>
    %r = stablehlo.divide %p, %c : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<2x5xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ---- expect
func.func @main(%arg0: tensor<2x5xf32>, %arg1: tensor<f32>) -> tensor<2xf32> {
  %0 = stablehlo.slice %arg0 [0:2, 4:5] : (tensor<2x5xf32>) -> tensor<2x1xf32>
  %1 = stablehlo.slice %arg0 [0:2, 0:4:2] : (tensor<2x5xf32>) -> tensor<2x2xf32>
  %2 = stablehlo.slice %arg0 [0:2, 1:4:2] : (tensor<2x5xf32>) -> tensor<2x2xf32>
  %3 = stablehlo.constant dense<2.000000e+00> : tensor<2x2xf32>
  %4 = stablehlo.multiply %1, %2 : tensor<2x2xf32>
  %5 = stablehlo.divide %4, %3 : tensor<2x2xf32>
  %6 = stablehlo.slice %5 [0:2, 0:2:2] : (tensor<2x2xf32>) -> tensor<2x1xf32>
  %7 = stablehlo.slice %5 [0:2, 1:2:2] : (tensor<2x2xf32>) -> tensor<2x1xf32>
  %8 = stablehlo.constant dense<2.000000e+00> : tensor<2x1xf32>
  %9 = stablehlo.multiply %6, %7 : tensor<2x1xf32>
  %10 = stablehlo.divide %9, %8 : tensor<2x1xf32>
  %11 = stablehlo.multiply %10, %0 : tensor<2x1xf32>
  %12 = stablehlo.divide %11, %8 : tensor<2x1xf32>
  %13 = stablehlo.reshape %12 : (tensor<2x1xf32>) -> tensor<2xf32>
  %14 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %15 = stablehlo.constant dense<2.000000e+00> : tensor<2xf32>
  %16 = stablehlo.multiply %14, %13 : tensor<2xf32>
  %17 = stablehlo.divide %16, %15 : tensor<2xf32>
  return %17 : tensor<2xf32>
}
