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
func.func @main(%arg0: tensor<3xi64>) -> tensor<3xi64> {
  %0 = stablehlo.constant dense<[[0, 1]]> : tensor<1x2xi32>
  %1 = stablehlo.bitcast_convert %arg0 : (tensor<3xi64>) -> tensor<3x2xui32>
  %2 = "neuron.collective"(%1, %0) <{kind = "all_gather", op = "bypass"}> : (tensor<3x2xui32>, tensor<1x2xi32>) -> tensor<2x3x2xui32>
  %3 = stablehlo.bitcast_convert %2 : (tensor<2x3x2xui32>) -> tensor<2x3xi64>
  %4 = stablehlo.slice %3 [0:1, 0:3] : (tensor<2x3xi64>) -> tensor<1x3xi64>
  %5 = stablehlo.reshape %4 : (tensor<1x3xi64>) -> tensor<3xi64>
  %6 = stablehlo.slice %3 [1:2, 0:3] : (tensor<2x3xi64>) -> tensor<1x3xi64>
  %7 = stablehlo.reshape %6 : (tensor<1x3xi64>) -> tensor<3xi64>
  %8 = stablehlo.add %5, %7 : tensor<3xi64>
  return %8 : tensor<3xi64>
}
