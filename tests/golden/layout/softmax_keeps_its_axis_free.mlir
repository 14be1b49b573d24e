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
  core 0 loops=2 {
    loop_begin L0, 1
      dma %input0_tile_3[0:33, 0 + rot(L0,2*280), [4,70]]: f32, %input0[0:33*280, 0 + L0*9240, [4,70]]: f32, none indirect=0
      tensor_reduce %tile_4[0:33, 0 + rot(L0,2*4)]: f32, %input0_tile_3[0:33, 0 + rot(L0,2*280), [4,70]]: f32 op=maximum axes=1
      tensor_scalar %tile_5[0:33, 0 + rot(L0,2*280), [4,70]]: f32, %input0_tile_3[0:33, 0 + rot(L0,2*280), [4,70]]: f32, %tile_4[0:33, 0 + rot(L0,2*4)]: f32, 0.0 op0=subtract op1=bypass
      activation %tile_6[0:33, 0 + rot(L0,2*280), [4,70]]: f32, %tile_5[0:33, 0 + rot(L0,2*280), [4,70]]: f32, 1.0, 0.0 function=exp
      tensor_reduce %tile_7[0:33, 0 + rot(L0,2*4)]: f32, %tile_6[0:33, 0 + rot(L0,2*280), [4,70]]: f32 op=add axes=1
      divide %divide_2[0:33, 0, [4,70]]: f32, %tile_6[0:33, 0 + rot(L0,2*280), [4,70]]: f32, %tile_7[0:33, 0 + rot(L0,2*4), [0,70]]: f32
    loop_end L0
    loop_begin L1, 1
      dma %output0[0:33*280, 0 + L1*9240, [4,70]]: f32, %divide_2[0:33, 0, [4,70]]: f32, none indirect=0
    loop_end L1
  }
}
