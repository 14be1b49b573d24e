// run: lower trn2
func.func public @main(%arg0: tensor<2x64x64x3xf32>, %arg1: tensor<5x3x3x32xf32>) -> tensor<2x60x62x32xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x64x64x3xf32>, tensor<5x3x3x32xf32>) -> tensor<2x60x62x32xf32>
  return %0 : tensor<2x60x62x32xf32>
}
// ---- expect
group 0: convolution | axes 2/1 60/6f 62/62f 32/32p 5/5k 3/3k 3/3k
tile "" target "trn2" {
  %input0 = private_hbm input f32[2,64,64,3]
  %input1 = private_hbm input f32[5,3,3,32]
  %output0 = private_hbm output f32[2,60,62,32]
  %input0_tiles0 = private_hbm scratch f32[2,64,64,3]
  %input0_rows_4 = sbuf partitions=128 bytes=768 copies=2
  %input0_turn_5 = sbuf partitions=128 bytes=768 copies=2
  %convolution_6 = sbuf partitions=32 bytes=29760
  %input1_block_7 = sbuf partitions=45 bytes=128
  %input0_block_8 = sbuf partitions=45 bytes=14880 copies=2
  %sum_9 = psum partitions=32 bytes=1488 copies=2
  %convolution_10 = sbuf partitions=124 bytes=7680
  %turned_11 = psum partitions=124 bytes=128 copies=2
  location 1 = "image_of_few_channels_is_read_in_rows_of_pixels.mlir:3:8"
  core 0 loops=7 {
    loop_begin L0, 1 loc(1)
      dma %input0_rows_4[0:128, 0 + rot(L0,2*768), [4,192]]: f32, %input0[0:128*768, 0 + L0*768, [4,192]]: f32, none indirect=0 loc(1)
      copy %input0_turn_5[0:128, 0 + rot(L0,2*768), [256,3], [4,64]]: f32, %input0_rows_4[0:128, 0 + rot(L0,2*768), [4,3], [12,64]]: f32 loc(1)
      dma %input0_tiles0[0:128*256, 0, [32768,3], [4,64]]: f32, %input0_turn_5[0:128, 0 + rot(L0,2*768), [256,3], [4,64]]: f32, none indirect=0 loc(1)
    loop_end L0 loc(1)
    dma %input1_block_7[0:45, 0, [4,32]]: f32, %input1[0:3*128, 0, [384,3], [1152,5], [4,32]]: f32, none indirect=0 loc(1)
    loop_begin L1, 2 loc(1)
      dma %input0_block_8[0:45, 0 + rot(L1,2*14880), [4,3720]]: f32, %input0_tiles0[0:3*32768, 0 + L1*16384, [4,3], [256,5], [256,60], [4,62]]: f32, none indirect=0 loc(1)
      loop_begin L2, 10 loc(1)
        loop_begin L3, 1 loc(1)
          load_stationary %input1_block_7[0:45, 0, [4,32]]: f32 loc(1)
          matmul %sum_9[0:32, 0 + rot(L2,2*1488), [4,372]]: f32, %input0_block_8[0:45, 0 + L2*1488 + rot(L1,2*14880), [4,372]]: f32 loc(1)
          copy %convolution_6[0:32, 0 + L1*14880 + L2*1488, [4,372]]: f32, %sum_9[0:32, 0 + rot(L2,2*1488), [4,372]]: f32 loc(1)
        loop_end L3 loc(1)
      loop_end L2 loc(1)
    loop_end L1 loc(1)
    loop_begin L4, 1 loc(1)
      loop_begin L5, 60 loc(1)
        transpose %turned_11[0:124, 0 + rot(L5,2*128), [4,32]]: f32, %convolution_6[0:32, 0 + L5*496, [4,124]]: f32 loc(1)
        copy %convolution_10[0:124, 0 + L5*128, [4,32]]: f32, %turned_11[0:124, 0 + rot(L5,2*128), [4,32]]: f32 loc(1)
      loop_end L5 loc(1)
    loop_end L4 loc(1)
    loop_begin L6, 60 loc(1)
      dma %output0[0:124*128, 0 + L6*15872, [4,32]]: f32, %convolution_10[0:124, 0 + L6*128, [4,32]]: f32, none indirect=0 loc(1)
    loop_end L6 loc(1)
  }
}
