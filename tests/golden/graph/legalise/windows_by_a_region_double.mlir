// run: legalise
func.func public @main(%arg0: tensor<2x7xf32>) -> tensor<2x5xf32> {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%arg0, %cst) <{window_dimensions = array<i64: 1, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    %2 = stablehlo.tanh %1 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<2x7xf32>, tensor<f32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}
// ---- expect
func.func @main(%arg0: tensor<2x7xf32>) -> tensor<2x5xf32> {
  %0 = stablehlo.slice %arg0 [0:2, 0:6] : (tensor<2x7xf32>) -> tensor<2x6xf32>
  %1 = stablehlo.slice %arg0 [0:2, 1:7] : (tensor<2x7xf32>) -> tensor<2x6xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x6xf32>
  %3 = stablehlo.tanh %2 : tensor<2x6xf32>
  %4 = stablehlo.slice %arg0 [0:2, 0:5] : (tensor<2x7xf32>) -> tensor<2x5xf32>
  %5 = stablehlo.slice %3 [0:2, 1:6] : (tensor<2x6xf32>) -> tensor<2x5xf32>
  %6 = stablehlo.add %4, %5 : tensor<2x5xf32>
  %7 = stablehlo.tanh %6 : tensor<2x5xf32>
  %8 = stablehlo.constant dense<0.000000e+00> : tensor<2x5xf32>
  %9 = stablehlo.add %7, %8 : tensor<2x5xf32>
  %10 = stablehlo.tanh %9 : tensor<2x5xf32>
  return %10 : tensor<2x5xf32>
}
