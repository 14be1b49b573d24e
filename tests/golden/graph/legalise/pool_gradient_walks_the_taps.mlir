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
  %17 = stablehlo.pad %arg1, %0, low = [0], high = [1], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
  %18 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
  %19 = stablehlo.pad %16, %18, low = [0], high = [1], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
  %20 = stablehlo.slice %19 [0:5] : (tensor<6xf32>) -> tensor<5xf32>
  %21 = stablehlo.constant dense<1.000000e+00> : tensor<5xf32>
  %22 = stablehlo.compare EQ, %20, %21, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  %23 = stablehlo.slice %17 [0:5] : (tensor<6xf32>) -> tensor<5xf32>
  %24 = stablehlo.select %22, %23, %1 : tensor<5xi1>, tensor<5xf32>
  %25 = stablehlo.add %24, %1 : tensor<5xf32>
  %26 = stablehlo.slice %19 [1:6] : (tensor<6xf32>) -> tensor<5xf32>
  %27 = stablehlo.compare EQ, %26, %1, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  %28 = stablehlo.slice %17 [1:6] : (tensor<6xf32>) -> tensor<5xf32>
  %29 = stablehlo.select %27, %28, %1 : tensor<5xi1>, tensor<5xf32>
  %30 = stablehlo.add %25, %29 : tensor<5xf32>
  return %30 : tensor<5xf32>
}
