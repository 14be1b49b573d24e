// run: lower trn2
func.func public @main(%arg0: tensor<8x32x32x64xf32>, %arg1: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %arg1, dims = [3] : (tensor<64xf32>) -> tensor<8x32x32x64xf32>
  %1 = stablehlo.subtract %arg0, %0 : tensor<8x32x32x64xf32>
  %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x32x32x64xf32>, tensor<f32>) -> tensor<64xf32>
  %3 = stablehlo.multiply %1, %1 : tensor<8x32x32x64xf32>
  %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x32x32x64xf32>, tensor<f32>) -> tensor<64xf32>
  return %2, %4 : tensor<64xf32>, tensor<64xf32>
}
// ---- expect
group 0: subtract reduce multiply reduce | axes 8192/512f 64/64p
tile "" target "trn2" {
  %input0 = private_hbm input f32[8,32,32,64]
  %input1 = private_hbm input f32[64]
  %output0 = private_hbm output f32[64]
  %output1 = private_hbm output f32[64]
  %input0_4 = sbuf partitions=128 bytes=16384
  %input0_5 = sbuf partitions=64 bytes=32768
  %turned_6 = psum partitions=64 bytes=512 copies=2
  %input1_7 = sbuf partitions=64 bytes=4
  %reduce_8 = sbuf partitions=64 bytes=4
  %reduce_9 = sbuf partitions=64 bytes=4
  %accumulator_10 = sbuf partitions=64 bytes=4 copies=2
  %accumulator_11 = sbuf partitions=64 bytes=4 copies=2
  %tile_12 = sbuf partitions=64 bytes=2048 copies=2
  %part_13 = sbuf partitions=64 bytes=4 copies=2
  %tile_14 = sbuf partitions=64 bytes=2048 copies=2
  %part_15 = sbuf partitions=64 bytes=4 copies=2
  location 1 = "statistics_of_an_image_take_in_what_is_before.mlir:5:8"
  location 2 = "statistics_of_an_image_take_in_what_is_before.mlir:6:8"
  location 3 = "statistics_of_an_image_take_in_what_is_before.mlir:8:8"
  location 4 = "statistics_of_an_image_take_in_what_is_before.mlir:5:8"
  location 5 = "statistics_of_an_image_take_in_what_is_before.mlir:6:8"
  location 6 = "statistics_of_an_image_take_in_what_is_before.mlir:7:8"
  location 7 = "statistics_of_an_image_take_in_what_is_before.mlir:8:8"
  location 8 = "statistics_of_an_image_take_in_what_is_before.mlir:6:8"
  location 9 = "statistics_of_an_image_take_in_what_is_before.mlir:8:8"
  core 0 loops=8 {
    loop_begin L0, 64 loc(1)
      dma %input0_4[0:128, 0 + L0*256, [4,64]]: f32, %input0[0:128*256, 0 + L0*32768, [4,64]]: f32, none indirect=0 loc(1)
    loop_end L0 loc(1)
    loop_begin L1, 64 loc(1)
      loop_begin L2, 1 loc(1)
        transpose %turned_6[0:64, 0 + rot(L1,2*512), [4,128]]: f32, %input0_4[0:128, 0 + L1*256, [4,64]]: f32 loc(1)
        copy %input0_5[0:64, 0 + L1*512, [4,128]]: f32, %turned_6[0:64, 0 + rot(L1,2*512), [4,128]]: f32 loc(1)
      loop_end L2 loc(1)
    loop_end L1 loc(1)
    loop_begin L3, 1 loc(1)
      dma %input1_7[0:64, 0]: f32, %input1[0:64*4, 0 + L3*256]: f32, none indirect=0 loc(1)
    loop_end L3 loc(1)
    loop_begin L4, 1 loc(1)
      memset %accumulator_10[0:64, 0 + rot(L4,2*4)]: f32, 0.0 loc(2)
      memset %accumulator_11[0:64, 0 + rot(L4,2*4)]: f32, 0.0 loc(3)
      loop_begin L5, 16 loc(3)
        tensor_scalar %tile_12[0:64, 0 + rot(L5,2*2048), [4,512]]: f32, %input0_5[0:64, 0 + L5*2048, [4,512]]: f32, %input1_7[0:64, 0]: f32, 0.0 op0=subtract op1=bypass loc(4)
        tensor_reduce %part_13[0:64, 0 + rot(L5,2*4)]: f32, %tile_12[0:64, 0 + rot(L5,2*2048), [4,512]]: f32 op=add axes=1 loc(5)
        tensor_tensor %accumulator_10[0:64, 0 + rot(L4,2*4)]: f32, %accumulator_10[0:64, 0 + rot(L4,2*4)]: f32, %part_13[0:64, 0 + rot(L5,2*4)]: f32 op=add loc(5)
        tensor_tensor %tile_14[0:64, 0 + rot(L5,2*2048), [4,512]]: f32, %tile_12[0:64, 0 + rot(L5,2*2048), [4,512]]: f32, %tile_12[0:64, 0 + rot(L5,2*2048), [4,512]]: f32 op=multiply loc(6)
        tensor_reduce %part_15[0:64, 0 + rot(L5,2*4)]: f32, %tile_14[0:64, 0 + rot(L5,2*2048), [4,512]]: f32 op=add axes=1 loc(7)
        tensor_tensor %accumulator_11[0:64, 0 + rot(L4,2*4)]: f32, %accumulator_11[0:64, 0 + rot(L4,2*4)]: f32, %part_15[0:64, 0 + rot(L5,2*4)]: f32 op=add loc(7)
      loop_end L5 loc(7)
      copy %reduce_8[0:64, 0]: f32, %accumulator_10[0:64, 0 + rot(L4,2*4)]: f32 loc(8)
      copy %reduce_9[0:64, 0]: f32, %accumulator_11[0:64, 0 + rot(L4,2*4)]: f32 loc(9)
    loop_end L4 loc(9)
    loop_begin L6, 1 loc(9)
      dma %output0[0:64*4, 0 + L6*256]: f32, %reduce_8[0:64, 0]: f32, none indirect=0 loc(9)
    loop_end L6 loc(9)
    loop_begin L7, 1 loc(9)
      dma %output1[0:64*4, 0 + L7*256]: f32, %reduce_9[0:64, 0]: f32, none indirect=0 loc(9)
    loop_end L7 loc(9)
  }
}
