// run: 
func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.exponential %arg0 : tensor<4x8xf32>
  %1 = "stablehlo.add"(%0, %arg1) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
// expect-error: ON-E1101 @ 4
