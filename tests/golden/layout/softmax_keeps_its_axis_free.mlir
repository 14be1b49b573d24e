// run: lower odd
func.func public @main(%arg0: tensor<33x70xf32>) -> tensor<33x70xf32> {
  %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<33x70xf32>, tensor<f32>) -> tensor<33xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<33xf32>) -> tensor<33x70xf32>
  %2 = stablehlo.subtract %arg0, %1 : tensor<33x70xf32>
  %3 = stablehlo.exponential %2 : tensor<33x70xf32>
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<33x70xf32>, tensor<f32>) -> tensor<33xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<33xf32>) -> tensor<33x70xf32>
  %6 = stablehlo.divide %3, %5 : tensor<33x70xf32>
  return %6 : tensor<33x70xf32>
}
// ---- expect
group 0: reduce subtract exponential reduce divide | axes 33/33p 70/70f
tile "" target "odd" {
  %input0 = private_hbm input f32[33,70]
  %output0 = private_hbm output f32[33,70]
  %divide_2 = sbuf partitions=33 bytes=280
  %input0_tile_3 = sbuf partitions=33 bytes=280 copies=2
  %tile_4 = sbuf partitions=33 bytes=4 copies=2
  %tile_5 = sbuf partitions=33 bytes=280 copies=2
  %tile_6 = sbuf partitions=33 bytes=280 copies=2
  %tile_7 = sbuf partitions=33 bytes=4 copies=2
  location 1 = "softmax_keeps_its_axis_free.mlir:4:8"
  location 2 = "softmax_keeps_its_axis_free.mlir:6:8"
  location 3 = "softmax_keeps_its_axis_free.mlir:7:8"
  location 4 = "softmax_keeps_its_axis_free.mlir:9:8"
  location 5 = "softmax_keeps_its_axis_free.mlir:11:8"
  core 0 loops=2 {
    loop_begin L0, 1 loc(1)
      dma %input0_tile_3[0:33, 0 + rot(L0,2*280), [4,70]]: f32, %input0[0:33*280, 0 + L0*9240, [4,70]]: f32, none indirect=0 loc(1)
      tensor_reduce %tile_4[0:33, 0 + rot(L0,2*4)]: f32, %input0_tile_3[0:33, 0 + rot(L0,2*280), [4,70]]: f32 op=maximum axes=1 loc(1)
      tensor_scalar %tile_5[0:33, 0 + rot(L0,2*280), [4,70]]: f32, %input0_tile_3[0:33, 0 + rot(L0,2*280), [4,70]]: f32, %tile_4[0:33, 0 + rot(L0,2*4)]: f32, 0.0 op0=subtract op1=bypass loc(2)
      activation %tile_6[0:33, 0 + rot(L0,2*280), [4,70]]: f32, %tile_5[0:33, 0 + rot(L0,2*280), [4,70]]: f32, 1.0, 0.0 function=exp loc(3)
      tensor_reduce %tile_7[0:33, 0 + rot(L0,2*4)]: f32, %tile_6[0:33, 0 + rot(L0,2*280), [4,70]]: f32 op=add axes=1 loc(4)
      divide %divide_2[0:33, 0, [4,70]]: f32, %tile_6[0:33, 0 + rot(L0,2*280), [4,70]]: f32, %tile_7[0:33, 0 + rot(L0,2*4), [0,70]]: f32 loc(5)
    loop_end L0 loc(5)
    loop_begin L1, 1 loc(5)
      dma %output0[0:33*280, 0 + L1*9240, [4,70]]: f32, %divide_2[0:33, 0, [4,70]]: f32, none indirect=0 loc(5)
    loop_end L1 loc(5)
  }
}
