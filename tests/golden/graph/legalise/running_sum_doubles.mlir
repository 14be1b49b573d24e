// run: legalise
func.func public @main(%arg0: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%arg0, %cst) <{window_dimensions = array<i64: 1, 16>, padding = dense<[[0, 0], [15, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x16xf32>, tensor<f32>) -> tensor<2x16xf32>
  return %0 : tensor<2x16xf32>
}
// ---- expect
func.func @main(%arg0: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.pad %arg0, %0, low = [0, 1], high = [0, -1], interior = [0, 0] : (tensor<2x16xf32>, tensor<f32>) -> tensor<2x16xf32>
  %2 = stablehlo.add %1, %arg0 : tensor<2x16xf32>
  %3 = stablehlo.pad %2, %0, low = [0, 2], high = [0, -2], interior = [0, 0] : (tensor<2x16xf32>, tensor<f32>) -> tensor<2x16xf32>
  %4 = stablehlo.add %3, %2 : tensor<2x16xf32>
  %5 = stablehlo.pad %4, %0, low = [0, 4], high = [0, -4], interior = [0, 0] : (tensor<2x16xf32>, tensor<f32>) -> tensor<2x16xf32>
  %6 = stablehlo.add %5, %4 : tensor<2x16xf32>
  %7 = stablehlo.pad %6, %0, low = [0, 8], high = [0, -8], interior = [0, 0] : (tensor<2x16xf32>, tensor<f32>) -> tensor<2x16xf32>
  %8 = stablehlo.add %7, %6 : tensor<2x16xf32>
  return %8 : tensor<2x16xf32>
}
