// run: legalise_collectives
func.func public @main(%arg0: tensor<3xi64>) -> tensor<3xi64> {
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %s = stablehlo.add %x, %y : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }) : (tensor<3xi64>) -> tensor<3xi64>
  return %0 : tensor<3xi64>
}
// ---- expect
