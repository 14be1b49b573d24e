// run: split_complex
func.func public @main(%arg0: tensor<complex<f32>>, %arg1: tensor<3xcomplex<f32>>, %arg2: tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>> {
  %0 = stablehlo.clamp %arg0, %arg1, %arg2 : (tensor<complex<f32>>, tensor<3xcomplex<f32>>, tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}
// ---- expect
func.func @main(%arg0: tensor<2xf32> {neff.type = tensor<complex<f32>>}, %arg1: tensor<3x2xf32> {neff.type = tensor<3xcomplex<f32>>}, %arg2: tensor<3x2xf32> {neff.type = tensor<3xcomplex<f32>>}) -> (tensor<3x2xf32> {neff.type = tensor<3xcomplex<f32>>}) {
  %0 = stablehlo.slice %arg0 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
  %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
  %2 = stablehlo.slice %arg0 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
  %3 = stablehlo.reshape %2 : (tensor<1xf32>) -> tensor<f32>
  %4 = stablehlo.slice %arg1 [0:3, 0:1] : (tensor<3x2xf32>) -> tensor<3x1xf32>
  %5 = stablehlo.reshape %4 : (tensor<3x1xf32>) -> tensor<3xf32>
  %6 = stablehlo.slice %arg1 [0:3, 1:2] : (tensor<3x2xf32>) -> tensor<3x1xf32>
  %7 = stablehlo.reshape %6 : (tensor<3x1xf32>) -> tensor<3xf32>
  %8 = stablehlo.slice %arg2 [0:3, 0:1] : (tensor<3x2xf32>) -> tensor<3x1xf32>
  %9 = stablehlo.reshape %8 : (tensor<3x1xf32>) -> tensor<3xf32>
  %10 = stablehlo.slice %arg2 [0:3, 1:2] : (tensor<3x2xf32>) -> tensor<3x1xf32>
  %11 = stablehlo.reshape %10 : (tensor<3x1xf32>) -> tensor<3xf32>
  %12 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %13 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %14 = stablehlo.compare LT, %5, %12, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %15 = stablehlo.compare EQ, %5, %12, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %16 = stablehlo.compare LT, %7, %13, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %17 = stablehlo.and %15, %16 : tensor<3xi1>
  %18 = stablehlo.or %14, %17 : tensor<3xi1>
  %19 = stablehlo.select %18, %12, %5 : tensor<3xi1>, tensor<3xf32>
  %20 = stablehlo.select %18, %13, %7 : tensor<3xi1>, tensor<3xf32>
  %21 = stablehlo.compare LT, %9, %19, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %22 = stablehlo.compare EQ, %9, %19, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %23 = stablehlo.compare LT, %11, %20, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %24 = stablehlo.and %22, %23 : tensor<3xi1>
  %25 = stablehlo.or %21, %24 : tensor<3xi1>
  %26 = stablehlo.select %25, %9, %19 : tensor<3xi1>, tensor<3xf32>
  %27 = stablehlo.select %25, %11, %20 : tensor<3xi1>, tensor<3xf32>
  %28 = stablehlo.reshape %26 : (tensor<3xf32>) -> tensor<3x1xf32>
  %29 = stablehlo.reshape %27 : (tensor<3xf32>) -> tensor<3x1xf32>
  %30 = stablehlo.concatenate %28, %29, dim = 1 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  return %30 : tensor<3x2xf32>
}
