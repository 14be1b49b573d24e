// run: legalise
func.func public @main(%x: tensor<5x40xf32>, %n: tensor<5x40xi8>) -> (tensor<5x9xf32>, tensor<5x8xf32>, tensor<5x2xi8>) {
  %values, %places = chlo.top_k(%x, k = 9) : tensor<5x40xf32> -> (tensor<5x9xf32>, tensor<5x9xi32>)
  %few, %there = chlo.top_k(%x, k = 8) : tensor<5x40xf32> -> (tensor<5x8xf32>, tensor<5x8xi32>)
  %small, %where = chlo.top_k(%n, k = 2) : tensor<5x40xi8> -> (tensor<5x2xi8>, tensor<5x2xi32>)
  return %values, %few, %small : tensor<5x9xf32>, tensor<5x8xf32>, tensor<5x2xi8>
}
// ---- expect
func.func @main(%arg0: tensor<5x40xf32>, %arg1: tensor<5x40xi8>) -> (tensor<5x9xf32>, tensor<5x8xf32>, tensor<5x2xi8>) {
  %0 = stablehlo.iota dim = 1 : tensor<5x40xi32>
  %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
    %7 = stablehlo.compare GT, %arg2, %arg3, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %7 : tensor<i1>
  }) : (tensor<5x40xf32>, tensor<5x40xi32>) -> (tensor<5x40xf32>, tensor<5x40xi32>)
  %2 = stablehlo.slice %1#0 [0:5, 0:9] : (tensor<5x40xf32>) -> tensor<5x9xf32>
  %3:2 = chlo.top_k(%arg0, k = 8) : tensor<5x40xf32> -> (tensor<5x8xf32>, tensor<5x8xi32>)
  %4 = stablehlo.convert %arg1 : (tensor<5x40xi8>) -> tensor<5x40xf32>
  %5:2 = chlo.top_k(%4, k = 2) : tensor<5x40xf32> -> (tensor<5x2xf32>, tensor<5x2xi32>)
  %6 = stablehlo.convert %5#0 : (tensor<5x2xf32>) -> tensor<5x2xi8>
  return %2, %3#0, %6 : tensor<5x9xf32>, tensor<5x8xf32>, tensor<5x2xi8>
}
