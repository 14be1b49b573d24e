// run: lower trn2
func.func public @main(%arg0: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %0 = stablehlo.custom_call @Unheard(%arg0) : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}
// expect-error: ON-E1702 @ 3
