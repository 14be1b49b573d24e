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
  %1 = stablehlo.slice %arg0 [1:4:2] : (tensor<5xf32>) -> tensor<2xf32>
  %2 = stablehlo.pad %1, %0, low = [1], high = [0], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<3xf32>
  %3 = stablehlo.iota dim = 0 : tensor<3xi32>
  %4 = stablehlo.constant dense<1> : tensor<3xi32>
  %5 = stablehlo.compare GE, %3, %4, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %6 = stablehlo.constant dense<0.000000e+00> : tensor<3xf32>
  %7 = stablehlo.constant dense<-1.000000e+00> : tensor<3xf32>
  %8 = stablehlo.select %5, %6, %7 : tensor<3xi1>, tensor<3xf32>
  %9 = stablehlo.slice %arg0 [0:5:2] : (tensor<5xf32>) -> tensor<3xf32>
  %10 = stablehlo.compare GE, %2, %9, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %11 = stablehlo.not %10 : tensor<3xi1>
  %12 = stablehlo.not %5 : tensor<3xi1>
  %13 = stablehlo.or %11, %12 : tensor<3xi1>
  %14 = stablehlo.constant dense<1.000000e+00> : tensor<3xf32>
  %15 = stablehlo.select %13, %14, %8 : tensor<3xi1>, tensor<3xf32>
  %16 = stablehlo.pad %arg1, %0, low = [0], high = [1], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  %17 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
  %18 = stablehlo.pad %15, %17, low = [0], high = [1], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  %19 = stablehlo.slice %18 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
  %20 = stablehlo.slice %16 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
  %21 = stablehlo.compare EQ, %19, %14, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %22 = stablehlo.select %21, %20, %6 : tensor<3xi1>, tensor<3xf32>
  %23 = stablehlo.add %22, %6 : tensor<3xf32>
  %24 = stablehlo.slice %18 [1:4] : (tensor<4xf32>) -> tensor<3xf32>
  %25 = stablehlo.slice %16 [1:4] : (tensor<4xf32>) -> tensor<3xf32>
  %26 = stablehlo.compare EQ, %24, %6, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %27 = stablehlo.select %26, %25, %6 : tensor<3xi1>, tensor<3xf32>
  %28 = stablehlo.add %27, %6 : tensor<3xf32>
  %29 = stablehlo.reshape %23 : (tensor<3xf32>) -> tensor<1x3xf32>
  %30 = stablehlo.reshape %28 : (tensor<3xf32>) -> tensor<1x3xf32>
  %31 = stablehlo.concatenate %29, %30, dim = 0 : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %32 = stablehlo.transpose %31, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %33 = stablehlo.reshape %32 : (tensor<3x2xf32>) -> tensor<6xf32>
  %34 = stablehlo.slice %33 [0:5] : (tensor<6xf32>) -> tensor<5xf32>
  return %34 : tensor<5xf32>
}
