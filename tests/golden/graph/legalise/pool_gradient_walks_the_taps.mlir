// run: legalise
func.func public @main(%arg0: tensor<5xf32>, %arg1: tensor<3xf32>) -> tensor<5xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = "stablehlo.select_and_scatter"(%arg0, %arg1, %0) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %r = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<5xf32>, tensor<3xf32>, tensor<f32>) -> tensor<5xf32>
  return %1 : tensor<5xf32>
}
// ---- expect
func.func @main(%arg0: tensor<5xf32>, %arg1: tensor<3xf32>) -> tensor<5xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.constant dense<0.000000e+00> : tensor<5xf32>
  %2 = stablehlo.slice %arg0 [1:4:2] : (tensor<5xf32>) -> tensor<2xf32>
  %3 = stablehlo.pad %2, %0, low = [1], high = [0], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<3xf32>
  %4 = stablehlo.iota dim = 0 : tensor<3xi32>
  %5 = stablehlo.constant dense<1> : tensor<3xi32>
  %6 = stablehlo.compare GE, %4, %5, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %7 = stablehlo.constant dense<0.000000e+00> : tensor<3xf32>
  %8 = stablehlo.constant dense<-1.000000e+00> : tensor<3xf32>
  %9 = stablehlo.select %6, %7, %8 : tensor<3xi1>, tensor<3xf32>
  %10 = stablehlo.slice %arg0 [0:5:2] : (tensor<5xf32>) -> tensor<3xf32>
  %11 = stablehlo.compare GE, %3, %10, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %12 = stablehlo.not %11 : tensor<3xi1>
  %13 = stablehlo.not %6 : tensor<3xi1>
  %14 = stablehlo.or %12, %13 : tensor<3xi1>
  %15 = stablehlo.constant dense<1.000000e+00> : tensor<3xf32>
  %16 = stablehlo.select %14, %15, %9 : tensor<3xi1>, tensor<3xf32>
  %17 = stablehlo.pad %arg1, %0, low = [0], high = [1], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  %18 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
  %19 = stablehlo.pad %16, %18, low = [0], high = [1], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  %20 = stablehlo.slice %19 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
  %21 = stablehlo.slice %17 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
  %22 = stablehlo.compare EQ, %20, %15, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %23 = stablehlo.select %22, %21, %7 : tensor<3xi1>, tensor<3xf32>
  %24 = stablehlo.add %23, %7 : tensor<3xf32>
  %25 = stablehlo.slice %19 [1:4] : (tensor<4xf32>) -> tensor<3xf32>
  %26 = stablehlo.slice %17 [1:4] : (tensor<4xf32>) -> tensor<3xf32>
  %27 = stablehlo.compare EQ, %25, %7, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %28 = stablehlo.select %27, %26, %7 : tensor<3xi1>, tensor<3xf32>
  %29 = stablehlo.add %28, %7 : tensor<3xf32>
  %30 = stablehlo.reshape %24 : (tensor<3xf32>) -> tensor<1x3xf32>
  %31 = stablehlo.reshape %29 : (tensor<3xf32>) -> tensor<1x3xf32>
  %32 = stablehlo.concatenate %30, %31, dim = 0 : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %33 = stablehlo.transpose %32, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %34 = stablehlo.reshape %33 : (tensor<3x2xf32>) -> tensor<6xf32>
  %35 = stablehlo.slice %34 [0:5] : (tensor<6xf32>) -> tensor<5xf32>
  return %35 : tensor<5xf32>
}
