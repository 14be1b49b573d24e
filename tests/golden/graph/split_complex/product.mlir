// run: split_complex
func.func public @main(%arg0: tensor<3xcomplex<f32>>, %arg1: tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>> {
  %0 = stablehlo.multiply %arg0, %arg1 : tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}
// ---- expect
func.func @main(%arg0: tensor<3x2xf32> {neff.type = tensor<3xcomplex<f32>>}, %arg1: tensor<3x2xf32> {neff.type = tensor<3xcomplex<f32>>}) -> (tensor<3x2xf32> {neff.type = tensor<3xcomplex<f32>>}) {
  %0 = stablehlo.slice %arg0 [0:3, 0:1] : (tensor<3x2xf32>) -> tensor<3x1xf32>
  %1 = stablehlo.reshape %0 : (tensor<3x1xf32>) -> tensor<3xf32>
  %2 = stablehlo.slice %arg0 [0:3, 1:2] : (tensor<3x2xf32>) -> tensor<3x1xf32>
  %3 = stablehlo.reshape %2 : (tensor<3x1xf32>) -> tensor<3xf32>
  %4 = stablehlo.slice %arg1 [0:3, 0:1] : (tensor<3x2xf32>) -> tensor<3x1xf32>
  %5 = stablehlo.reshape %4 : (tensor<3x1xf32>) -> tensor<3xf32>
  %6 = stablehlo.slice %arg1 [0:3, 1:2] : (tensor<3x2xf32>) -> tensor<3x1xf32>
  %7 = stablehlo.reshape %6 : (tensor<3x1xf32>) -> tensor<3xf32>
  %8 = stablehlo.multiply %1, %5 : tensor<3xf32>
  %9 = stablehlo.multiply %3, %7 : tensor<3xf32>
  %10 = stablehlo.subtract %8, %9 : tensor<3xf32>
  %11 = stablehlo.multiply %1, %7 : tensor<3xf32>
  %12 = stablehlo.multiply %3, %5 : tensor<3xf32>
  %13 = stablehlo.add %11, %12 : tensor<3xf32>
  %14 = stablehlo.reshape %10 : (tensor<3xf32>) -> tensor<3x1xf32>
  %15 = stablehlo.reshape %13 : (tensor<3xf32>) -> tensor<3x1xf32>
  %16 = stablehlo.concatenate %14, %15, dim = 1 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  return %16 : tensor<3x2xf32>
}
