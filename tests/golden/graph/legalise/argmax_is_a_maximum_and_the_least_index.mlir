// run: legalise
func.func public @main(%arg0: tensor<3x7xf32>) -> tensor<3xi32> {
  %0 = stablehlo.iota dim = 1 : tensor<3x7xi32>
  %1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %2 = stablehlo.constant dense<0> : tensor<i32>
  %3:2 = "stablehlo.reduce"(%arg0, %0, %1, %2) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>):
    %c0 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %c1 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %c2 = stablehlo.or %c0, %c1 : tensor<i1>
    %c3 = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %c4 = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c5 = stablehlo.and %c3, %c4 : tensor<i1>
    %c6 = stablehlo.or %c2, %c5 : tensor<i1>
    %p = stablehlo.select %c2, %a, %b : tensor<i1>, tensor<f32>
    %q = stablehlo.select %c6, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %p, %q : tensor<f32>, tensor<i32>
  }) : (tensor<3x7xf32>, tensor<3x7xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
  return %3#1 : tensor<3xi32>
}
// ---- expect
func.func @main(%arg0: tensor<3x7xf32>) -> tensor<3xi32> {
  %0 = stablehlo.iota dim = 1 : tensor<3x7xi32>
  %1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %2 = stablehlo.reduce(%arg0 init: %1) applies stablehlo.maximum across dimensions = [1] : (tensor<3x7xf32>, tensor<f32>) -> tensor<3xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<3xf32>) -> tensor<3x7xf32>
  %4 = stablehlo.compare EQ, %arg0, %3, FLOAT : (tensor<3x7xf32>, tensor<3x7xf32>) -> tensor<3x7xi1>
  %5 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<3x7xf32>, tensor<3x7xf32>) -> tensor<3x7xi1>
  %6 = stablehlo.or %4, %5 : tensor<3x7xi1>
  %7 = stablehlo.constant dense<2147483647> : tensor<3x7xi32>
  %8 = stablehlo.select %6, %0, %7 : tensor<3x7xi1>, tensor<3x7xi32>
  %9 = stablehlo.constant dense<2147483647> : tensor<i32>
  %10 = stablehlo.reduce(%8 init: %9) applies stablehlo.minimum across dimensions = [1] : (tensor<3x7xi32>, tensor<i32>) -> tensor<3xi32>
  return %10 : tensor<3xi32>
}
