// run: legalise_collectives
func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<i32>) -> tensor<3xf32> {
  %0 = "stablehlo.collective_broadcast"(%arg0, %arg1) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root = true}> : (tensor<3xf32>, tensor<i32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// expect-error: ON-E1702 @ 3
