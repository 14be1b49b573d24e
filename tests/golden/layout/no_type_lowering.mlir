// run: lower trn2
func.func public @main(%arg0: tensor<3xf64>) -> tensor<3xf64> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<3xf64>
  return %0 : tensor<3xf64>
}
// expect-error: ON-E1703 @ 3
