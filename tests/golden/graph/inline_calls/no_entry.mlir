// run: inline_calls
func.func private @helper(%arg0: tensor<5xf32>) -> tensor<5xf32> {
  return %arg0 : tensor<5xf32>
}
// expect-error: ON-E1710 @ 0
