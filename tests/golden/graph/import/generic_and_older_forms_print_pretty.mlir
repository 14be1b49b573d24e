// run: 
"builtin.module"() <{sym_name = "forms"}> ({
  "func.func"() <{arg_attrs = [{tf.aliasing_output = 0 : i32}, {}], function_type = (tensor<4x5xf32>, tensor<5x6xbf16>) -> tensor<4x6xf32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%lhs: tensor<4x5xf32>, %rhs: tensor<5x6xbf16>):
    %wide = "mhlo.convert"(%rhs) : (tensor<5x6xbf16>) -> tensor<5x6xf32>
    %dot = "mhlo.dot_general"(%lhs, %wide) {dot_dimension_numbers = #mhlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<4x5xf32>, tensor<5x6xf32>) -> tensor<4x6xf32>
    %bias = "stablehlo.constant"() {value = dense<[1.0, 1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<6xf32>} : () -> tensor<6xf32>
    %row = "stablehlo.broadcast_in_dim"(%bias) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<6xf32>) -> tensor<4x6xf32>
    %sum = "stablehlo.add"(%dot, %row) {mhlo.frontend_attributes = {note = "kept"}} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    "func.return"(%sum) : (tensor<4x6xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32} : () -> ()
// ---- expect
module @forms attributes {mhlo.num_partitions = 1 : i32} {
  func.func @main(%arg0: tensor<4x5xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<5x6xbf16>) -> tensor<4x6xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<5x6xbf16>) -> tensor<5x6xf32>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x5xf32>, tensor<5x6xf32>) -> tensor<4x6xf32>
    %2 = stablehlo.constant dense<1.000000e+00> : tensor<6xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<6xf32>) -> tensor<4x6xf32>
    %4 = stablehlo.add %1, %3 {mhlo.frontend_attributes = {note = "kept"}} : tensor<4x6xf32>
    return %4 : tensor<4x6xf32>
  }
}
