// run: lower trn2
func.func public @main(%arg0: tensor<8x18x18x64xf32>, %arg1: tensor<8x16x16x48xf32>) -> tensor<3x3x64x48xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x18x18x64xf32>, tensor<8x16x16x48xf32>) -> tensor<3x3x64x48xf32>
  return %0 : tensor<3x3x64x48xf32>
}
// ---- expect
group 0: convolution | axes 3/1 192/96p 48/48f 16/1k 16/16k 8/8k
tile "" target "trn2" {
  %input0 = private_hbm input f32[8,18,18,64]
  %input1 = private_hbm input f32[8,16,16,48]
  %output0 = private_hbm output f32[3,3,64,48]
  %convolution_3 = sbuf partitions=96 bytes=1152
  %input0_block_4 = sbuf partitions=128 bytes=13824
  %input1_block_5 = sbuf partitions=128 bytes=3072
  %sum_6 = psum partitions=96 bytes=192 copies=2
  location 1 = "kernel_gradient_stacks_rows_of_pixels.mlir:3:8"
  core 0 loops=4 {
    dma %input0_block_4[0:128, 0, [4,3456]]: f32, %input0[0:8*82944, 0, [256,16], [4608,18], [4,192]]: f32, none indirect=0 loc(1)
    dma %input1_block_5[0:128, 0, [4,768]]: f32, %input1[0:8*49152, 0, [192,16], [3072,16], [4,48]]: f32, none indirect=0 loc(1)
    loop_begin L0, 3 loc(1)
      loop_begin L1, 2 loc(1)
        load_stationary %input0_block_4[0:128, 0 + L0*768 + L1*384, [4,96]]: f32 loc(1)
        matmul %sum_6[0:96, 0 + rot(L1,2*192), [4,48]]: f32, %input1_block_5[0:128, 0, [4,48]]: f32 loc(1)
        loop_begin L2, 15 loc(1)
          load_stationary %input0_block_4[0:128, 768 + L0*768 + L2*768 + L1*384, [4,96]]: f32 loc(1)
          matmul %sum_6[0:96, 0 + rot(L1,2*192), [4,48]]: f32, %input1_block_5[0:128, 192 + L2*192, [4,48]]: f32 accumulate loc(1)
        loop_end L2 loc(1)
        copy %convolution_3[0:96, 0 + L0*192 + L1*576, [4,48]]: f32, %sum_6[0:96, 0 + rot(L1,2*192), [4,48]]: f32 loc(1)
      loop_end L1 loc(1)
    loop_end L0 loc(1)
    loop_begin L3, 2 loc(1)
      dma %output0[0:96*192, 0 + L3*18432, [36864,3], [4,48]]: f32, %convolution_3[0:96, 0 + L3*576, [192,3], [4,48]]: f32, none indirect=0 loc(1)
    loop_end L3 loc(1)
  }
}
