// run: legalise
func.func public @main(%s: tensor<4x8xf32>, %p: tensor<4x8xi1>) -> tensor<4x8xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %masked = stablehlo.constant dense<-1.0e9> : tensor<4x8xf32>
  %c = stablehlo.constant dense<0.125> : tensor<4x8xf32>
  %0 = stablehlo.multiply %s, %c : tensor<4x8xf32>
  %1 = stablehlo.select %p, %0, %masked : tensor<4x8xi1>, tensor<4x8xf32>
  %2 = stablehlo.reduce(%1 init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %4 = stablehlo.subtract %1, %3 : tensor<4x8xf32>
  %5 = stablehlo.exponential %4 : tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}
// ---- expect
func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xi1>) -> tensor<4x8xf32> {
  %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = stablehlo.constant dense<1.250000e-01> : tensor<4x8xf32>
  %2 = stablehlo.constant dense<-8.000000e+09> : tensor<4x8xf32>
  %3 = stablehlo.select %arg1, %arg0, %2 : tensor<4x8xi1>, tensor<4x8xf32>
  %4 = stablehlo.reduce(%3 init: %0) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = stablehlo.subtract %3, %5 : tensor<4x8xf32>
  %7 = stablehlo.multiply %6, %1 : tensor<4x8xf32>
  %8 = stablehlo.exponential %7 : tensor<4x8xf32>
  return %8 : tensor<4x8xf32>
}
