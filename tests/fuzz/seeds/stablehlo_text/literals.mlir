#alias = dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
!t = tensor<2x3xf32>
module @literals attributes {a = #alias, b = array<i64: 1>, c = array<i1: true>, d = [1 : i8, "s", @f, unit, f32]} {
  func.func public @main(%arg0: !t {tf.aliasing_output = 0 : i32}, %t: !stablehlo.token) -> (tensor<2x3xf32> {jax.result_info = "r"}) {
    %0 = stablehlo.constant dense<[[1.0, 0x7F800000, -2.5e-3], [0.0, 1.0, 2.0]]> : !t
    %1 = stablehlo.constant dense<"0x0000803F"> : tensor<4xf32>
    %2 = stablehlo.constant dense<[(1.0, -2.0), (0x7FC00000, 0.0)]> : tensor<2xcomplex<f32>>
    %3 = stablehlo.constant dense<> : tensor<0x3xi32>
    %4 = stablehlo.constant dense<"0xFF"> : tensor<9xi1>
    %5 = stablehlo.constant dense_resource<blob> : tensor<2xi16>
    %6 = "stablehlo.constant"() <{value = dense<[-8, 7]> : tensor<2xi4>}> : () -> tensor<2xi4>
    %7:2 = "stablehlo.optimization_barrier"(%arg0, %t) : (!t, !stablehlo.token) -> (!t, !stablehlo.token)
    return %7#0 : !t loc(fused["a", callsite("b":1:2 at "c"("d":3:4 to 5:6))])
  }
}
{-#
  dialect_resources: {
    builtin: { blob: "0x0400000001000200" }
  }
#-}
// -----
module {}
