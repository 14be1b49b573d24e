// run: legalise
func.func public @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %z: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %half = stablehlo.constant dense<0.5> : tensor<4x8xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4x8xf32>
  %c = stablehlo.constant dense<0.044715> : tensor<4x8xf32>
  %wrong = stablehlo.constant dense<0.05> : tensor<4x8xf32>
  %s = stablehlo.constant dense<0.7978845608> : tensor<4x8xf32>
  %r = stablehlo.constant dense<0.7071067811865476> : tensor<4x8xf32>
  %0 = stablehlo.multiply %x, %x : tensor<4x8xf32>
  %1 = stablehlo.multiply %0, %x : tensor<4x8xf32>
  %2 = stablehlo.multiply %c, %1 : tensor<4x8xf32>
  %3 = stablehlo.add %x, %2 : tensor<4x8xf32>
  %4 = stablehlo.multiply %s, %3 : tensor<4x8xf32>
  %5 = stablehlo.tanh %4 : tensor<4x8xf32>
  %6 = stablehlo.add %one, %5 : tensor<4x8xf32>
  %7 = stablehlo.multiply %half, %6 : tensor<4x8xf32>
  %8 = stablehlo.multiply %x, %7 : tensor<4x8xf32>
  %9 = stablehlo.multiply %half, %y : tensor<4x8xf32>
  %10 = stablehlo.negate %y : tensor<4x8xf32>
  %11 = stablehlo.multiply %10, %r : tensor<4x8xf32>
  %12 = "chlo.erfc"(%11) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %13 = stablehlo.multiply %9, %12 : tensor<4x8xf32>
  %14 = stablehlo.logistic %z : tensor<4x8xf32>
  %15 = stablehlo.multiply %z, %14 : tensor<4x8xf32>
  %16 = stablehlo.multiply %wrong, %1 : tensor<4x8xf32>
  %17 = stablehlo.add %x, %16 : tensor<4x8xf32>
  %18 = stablehlo.multiply %s, %17 : tensor<4x8xf32>
  %19 = stablehlo.tanh %18 : tensor<4x8xf32>
  %20 = stablehlo.add %one, %19 : tensor<4x8xf32>
  %21 = stablehlo.multiply %half, %20 : tensor<4x8xf32>
  %22 = stablehlo.multiply %x, %21 : tensor<4x8xf32>
  return %8, %13, %15, %22 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
// ---- expect
func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = stablehlo.constant dense<5.000000e-01> : tensor<4x8xf32>
  %1 = stablehlo.constant dense<1.000000e+00> : tensor<4x8xf32>
  %2 = stablehlo.constant dense<5.000000e-02> : tensor<4x8xf32>
  %3 = stablehlo.constant dense<7.978846e-01> : tensor<4x8xf32>
  %4 = stablehlo.multiply %arg0, %arg0 : tensor<4x8xf32>
  %5 = stablehlo.multiply %4, %arg0 : tensor<4x8xf32>
  %6 = neuron.gelu_tanh %arg0 : tensor<4x8xf32>
  %7 = neuron.gelu %arg1 : tensor<4x8xf32>
  %8 = neuron.silu %arg2 : tensor<4x8xf32>
  %9 = stablehlo.multiply %5, %2 : tensor<4x8xf32>
  %10 = stablehlo.add %arg0, %9 : tensor<4x8xf32>
  %11 = stablehlo.multiply %10, %3 : tensor<4x8xf32>
  %12 = stablehlo.tanh %11 : tensor<4x8xf32>
  %13 = stablehlo.add %12, %1 : tensor<4x8xf32>
  %14 = stablehlo.multiply %13, %0 : tensor<4x8xf32>
  %15 = stablehlo.multiply %arg0, %14 : tensor<4x8xf32>
  return %6, %7, %8, %15 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
