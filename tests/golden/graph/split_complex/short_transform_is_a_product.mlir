// run: split_complex
func.func public @main(%arg0: tensor<3x4xf32>) -> tensor<3x3xcomplex<f32>> {
  %0 = stablehlo.fft %arg0, type = RFFT, length = [4] : (tensor<3x4xf32>) -> tensor<3x3xcomplex<f32>>
  return %0 : tensor<3x3xcomplex<f32>>
}
// ---- expect
func.func @main(%arg0: tensor<3x4xf32>) -> (tensor<3x3x2xf32> {neff.type = tensor<3x3xcomplex<f32>>}) {
  %0 = stablehlo.constant dense<[[1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00], [1.000000e+00, 6.123234e-17, -1.000000e+00, -1.83697015e-16], [1.000000e+00, -1.000000e+00, 1.000000e+00, -1.000000e+00], [1.000000e+00, -1.83697015e-16, -1.000000e+00, 6.123234e-17]]> : tensor<4x4xf32>
  %1 = stablehlo.constant dense<[[-0.000000e+00, -0.000000e+00, -0.000000e+00, -0.000000e+00], [-0.000000e+00, -1.000000e+00, -1.22464685e-16, 1.000000e+00], [-0.000000e+00, -1.22464685e-16, -0.000000e+00, -1.22464685e-16], [-0.000000e+00, 1.000000e+00, -1.22464685e-16, -1.000000e+00]]> : tensor<4x4xf32>
  %2 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  %3 = stablehlo.dot_general %arg0, %1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  %4 = stablehlo.slice %2 [0:3, 0:3] : (tensor<3x4xf32>) -> tensor<3x3xf32>
  %5 = stablehlo.slice %3 [0:3, 0:3] : (tensor<3x4xf32>) -> tensor<3x3xf32>
  %6 = stablehlo.reshape %4 : (tensor<3x3xf32>) -> tensor<3x3x1xf32>
  %7 = stablehlo.reshape %5 : (tensor<3x3xf32>) -> tensor<3x3x1xf32>
  %8 = stablehlo.concatenate %6, %7, dim = 2 : (tensor<3x3x1xf32>, tensor<3x3x1xf32>) -> tensor<3x3x2xf32>
  return %8 : tensor<3x3x2xf32>
}
