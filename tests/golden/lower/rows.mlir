// Rows by index and rows in order: duplicates that add up, a region that is a loop, two keys, the largest few.
func.func public @main(%table: tensor<6x37xf32>, %index: tensor<150x1xi32>, %updates: tensor<150x37xf32>, %x: tensor<5x40xf32>, %k: tensor<5x40xi32>) -> (tensor<6x37xf32>, tensor<6x37xf32>, tensor<5x40xi32>, tensor<5x40xf32>, tensor<5x3xf32>, tensor<5x3xi32>, tensor<5x12xf32>) {
  %0 = "stablehlo.scatter"(%table, %index, %updates) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<6x37xf32>, tensor<150x1xi32>, tensor<150x37xf32>) -> tensor<6x37xf32>
  %1 = "stablehlo.scatter"(%table, %index, %updates) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %most = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %most : tensor<f32>
  }) : (tensor<6x37xf32>, tensor<150x1xi32>, tensor<150x37xf32>) -> tensor<6x37xf32>
  %2:2 = "stablehlo.sort"(%k, %x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %same = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %then = stablehlo.compare GT, %c, %d, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %both = stablehlo.and %same, %then : tensor<i1>
    %first = stablehlo.or %less, %both : tensor<i1>
    stablehlo.return %first : tensor<i1>
  }) : (tensor<5x40xi32>, tensor<5x40xf32>) -> (tensor<5x40xi32>, tensor<5x40xf32>)
  %values, %places = chlo.top_k(%x, k = 3) : tensor<5x40xf32> -> (tensor<5x3xf32>, tensor<5x3xi32>)
  %more, %where = chlo.top_k(%x, k = 12) : tensor<5x40xf32> -> (tensor<5x12xf32>, tensor<5x12xi32>)
  return %0, %1, %2#0, %2#1, %values, %places, %more : tensor<6x37xf32>, tensor<6x37xf32>, tensor<5x40xi32>, tensor<5x40xf32>, tensor<5x3xf32>, tensor<5x3xi32>, tensor<5x12xf32>
}
