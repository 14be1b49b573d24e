// run: legalise
func.func public @main(%k: tensor<5x40xi32>, %x: tensor<5x40xf32>) -> (tensor<5x40xi32>, tensor<5x40xf32>) {
  %2:2 = "stablehlo.sort"(%k, %x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %same = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %then = stablehlo.compare GT, %c, %d, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %both = stablehlo.and %same, %then : tensor<i1>
    %first = stablehlo.or %less, %both : tensor<i1>
    stablehlo.return %first : tensor<i1>
  }) : (tensor<5x40xi32>, tensor<5x40xf32>) -> (tensor<5x40xi32>, tensor<5x40xf32>)
  return %2#0, %2#1 : tensor<5x40xi32>, tensor<5x40xf32>
}
// ---- expect
func.func @main(%arg0: tensor<5x40xi32>, %arg1: tensor<5x40xf32>) -> (tensor<5x40xi32>, tensor<5x40xf32>) {
  %0:2 = "stablehlo.sort"(%arg1, %arg0) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
    %2 = stablehlo.compare GT, %arg2, %arg3, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<5x40xf32>, tensor<5x40xi32>) -> (tensor<5x40xf32>, tensor<5x40xi32>)
  %1:2 = "stablehlo.sort"(%0#1, %0#0) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<f32>, %arg5: tensor<f32>):
    %2 = stablehlo.compare LT, %arg2, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<5x40xi32>, tensor<5x40xf32>) -> (tensor<5x40xi32>, tensor<5x40xf32>)
  return %1#0, %1#1 : tensor<5x40xi32>, tensor<5x40xf32>
}
