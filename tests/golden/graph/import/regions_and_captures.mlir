// run: 
func.func public @main(%x: tensor<2x3xf32>, %limit: tensor<i32>) -> (tensor<i32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %init = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %loop:2 = stablehlo.while(%i = %zero, %row = %x) : tensor<i32>, tensor<2x3xf32>
   cond {
    %0 = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %i, %one : tensor<i32>
    %1 = "stablehlo.case"(%i) ({
      %2 = stablehlo.add %row, %x : tensor<2x3xf32>
      stablehlo.return %2 : tensor<2x3xf32>
    }, {
      stablehlo.return %row : tensor<2x3xf32>
    }) : (tensor<i32>) -> tensor<2x3xf32>
    stablehlo.return %0, %1 : tensor<i32>, tensor<2x3xf32>
  }
  %most = stablehlo.reduce(%loop#1 init: %init) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>)  {
    %0 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }
  return %loop#0, %most : tensor<i32>, tensor<2xf32>
}
// ---- expect
func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<i32>) -> (tensor<i32>, tensor<2xf32>) {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %2:2 = stablehlo.while(%arg2 = %0, %arg3 = %arg0) : tensor<i32>, tensor<2x3xf32>
  cond {
    %4 = stablehlo.compare LT, %arg2, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %4 = stablehlo.constant dense<1> : tensor<i32>
    %5 = stablehlo.add %arg2, %4 : tensor<i32>
    %6 = "stablehlo.case"(%arg2) ({
      %7 = stablehlo.add %arg3, %arg0 : tensor<2x3xf32>
      stablehlo.return %7 : tensor<2x3xf32>
    }, {
      stablehlo.return %arg3 : tensor<2x3xf32>
    }) : (tensor<i32>) -> tensor<2x3xf32>
    stablehlo.return %5, %6 : tensor<i32>, tensor<2x3xf32>
  }
  %3 = stablehlo.reduce(%2#1 init: %1) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %2#0, %3 : tensor<i32>, tensor<2xf32>
}
