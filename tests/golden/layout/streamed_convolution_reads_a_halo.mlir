// run: lower trn2
func.func public @main(%arg0: tensor<64x32x32x64xf32>, %arg1: tensor<1x1x64x64xf32>, %arg2: tensor<3x3x64x64xf32>) -> tensor<64x32x32x64xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<64x32x32x64xf32>, tensor<1x1x64x64xf32>) -> tensor<64x32x32x64xf32>
  %1 = stablehlo.convolution(%0, %arg2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<64x32x32x64xf32>, tensor<3x3x64x64xf32>) -> tensor<64x32x32x64xf32>
  return %1 : tensor<64x32x32x64xf32>
}
// ---- expect
group 0: convolution | axes 64/1 32/16f 32/32f 64/64p 64/64k
group 1: convolution | axes 64/1 32/16f 32/32f 64/64p 3/2k 3/1k 64/64k
tile "" target "trn2" {
  %input0 = private_hbm input f32[64,32,32,64]
  %input1 = private_hbm input f32[1,1,64,64]
  %input2 = private_hbm input f32[3,3,64,64]
  %output0 = private_hbm output f32[64,32,32,64]
  %input0_tiles0 = private_hbm scratch f32[64,32,32,64]
  %input0_rows_5 = sbuf partitions=128 bytes=1024 copies=2
  %input0_turn_6 = sbuf partitions=64 bytes=2048 copies=2
  %turned_7 = psum partitions=64 bytes=2048 copies=2
  %input1_8 = sbuf partitions=64 bytes=256
  %convolution_tiles3 = private_hbm scratch f32[64,34,34,64]
  %fill_10 = sbuf partitions=128 bytes=2048
  %input0_block_11 = sbuf partitions=64 bytes=4096 copies=2
  %sum_12 = psum partitions=64 bytes=2048 copies=2
  %tile_13 = sbuf partitions=64 bytes=2048 copies=2
  %input2_block_14 = sbuf partitions=128 bytes=768
  %input2_block_15 = sbuf partitions=64 bytes=768
  %convolution_block_16 = sbuf partitions=128 bytes=4352 copies=2
  %convolution_block_17 = sbuf partitions=64 bytes=4352 copies=2
  %sum_18 = psum partitions=64 bytes=2048 copies=2
  %tile_19 = sbuf partitions=64 bytes=2048 copies=2
  location 1 = "streamed_convolution_reads_a_halo.mlir:3:8"
  location 2 = "streamed_convolution_reads_a_halo.mlir:4:8"
  core 0 loops=12 {
    loop_begin L0, 128 loc(1)
      dma %input0_rows_5[0:128, 0 + rot(L0,2*1024), [4,256]]: f32, %input0[0:128*1024, 0 + L0*131072, [4,256]]: f32, none indirect=0 loc(1)
      loop_begin L1, 1 loc(1)
        transpose %turned_7[0:64, 0 + rot(L0,2*2048), [4,128]]: f32, %input0_rows_5[0:128, 0 + L1*256 + rot(L0,2*1024), [4,64]]: f32 loc(1)
        transpose %turned_7[0:64, 512 + rot(L0,2*2048), [4,128]]: f32, %input0_rows_5[0:128, 256 + L1*256 + rot(L0,2*1024), [4,64]]: f32 loc(1)
        transpose %turned_7[0:64, 1024 + rot(L0,2*2048), [4,128]]: f32, %input0_rows_5[0:128, 512 + L1*256 + rot(L0,2*1024), [4,64]]: f32 loc(1)
        transpose %turned_7[0:64, 1536 + rot(L0,2*2048), [4,128]]: f32, %input0_rows_5[0:128, 768 + L1*256 + rot(L0,2*1024), [4,64]]: f32 loc(1)
        copy %input0_turn_6[0:64, 0 + rot(L0,2*2048), [4,4], [16,128]]: f32, %turned_7[0:64, 0 + rot(L0,2*2048), [512,4], [4,128]]: f32 loc(1)
        dma %input0_tiles0[0:64*262144, 0 + L0*2048, [4,512]]: f32, %input0_turn_6[0:64, 0 + rot(L0,2*2048), [4,512]]: f32, none indirect=0 loc(1)
      loop_end L1 loc(1)
    loop_end L0 loc(1)
    loop_begin L2, 1 loc(1)
      dma %input1_8[0:64, 0, [4,64]]: f32, %input1[0:64*256, 0 + L2*16384, [4,64]]: f32, none indirect=0 loc(1)
    loop_end L2 loc(1)
    memset %fill_10[0:128, 0, [4,512]]: f32, 0.0 loc(1)
    loop_begin L3, 72 loc(1)
      dma %convolution_tiles3[0:128*2048, 0 + L3*262144, [4,512]]: f32, %fill_10[0:128, 0, [4,512]]: f32, none indirect=0 loc(1)
    loop_end L3 loc(1)
    dma %convolution_tiles3[0:32*2048, 18874368, [4,512]]: f32, %fill_10[0:32, 0, [4,512]]: f32, none indirect=0 loc(1)
    loop_begin L4, 64 loc(1)
      dma %input0_block_11[0:64, 0 + rot(L4,2*4096), [4,1024]]: f32, %input0_tiles0[0:64*262144, 0 + L4*4096, [4,1024]]: f32, none indirect=0 loc(1)
      loop_begin L5, 2 loc(1)
        loop_begin L6, 1 loc(1)
          load_stationary %input1_8[0:64, 0, [4,64]]: f32 loc(1)
          matmul %sum_12[0:64, 0 + rot(L5,2*2048), [4,512]]: f32, %input0_block_11[0:64, 0 + L5*2048 + rot(L4,2*4096), [4,512]]: f32 loc(1)
          copy %tile_13[0:64, 0 + rot(L5,2*2048), [4,512]]: f32, %sum_12[0:64, 0 + rot(L5,2*2048), [4,512]]: f32 loc(1)
          dma %convolution_tiles3[0:64*295936, 140 + L4*4624 + L5*2176, [136,16], [4,32]]: f32, %tile_13[0:64, 0 + rot(L5,2*2048), [128,16], [4,32]]: f32, none indirect=0 loc(1)
        loop_end L6 loc(1)
      loop_end L5 loc(1)
    loop_end L4 loc(1)
    dma %input2_block_14[0:128, 0, [4,192]]: f32, %input2[0:2*49152, 0, [256,64], [16384,3], [4,64]]: f32, none indirect=0 loc(2)
    dma %input2_block_15[0:64, 0, [4,192]]: f32, %input2[0:1*49152, 98304, [256,64], [16384,3], [4,64]]: f32, none indirect=0 loc(2)
    loop_begin L7, 64 loc(2)
      dma %convolution_block_16[0:128, 0 + rot(L7,2*4352), [4,1088]]: f32, %convolution_tiles3[0:2*136, 0 + L7*4624, [295936,64], [4,1088]]: f32, none indirect=0 loc(2)
      dma %convolution_block_17[0:64, 0 + rot(L7,2*4352), [4,1088]]: f32, %convolution_tiles3[0:1*0, 272 + L7*4624, [295936,64], [4,1088]]: f32, none indirect=0 loc(2)
      loop_begin L8, 2 loc(2)
        loop_begin L9, 1 loc(2)
          load_stationary %input2_block_14[0:128, 0, [4,64]]: f32 loc(2)
          matmul %sum_18[0:64, 0 + rot(L8,2*2048), [128,16], [4,32]]: f32, %convolution_block_16[0:128, 0 + L8*2176 + rot(L7,2*4352), [136,16], [4,32]]: f32 loc(2)
          loop_begin L10, 2 loc(2)
            load_stationary %input2_block_14[0:128, 256 + L10*256, [4,64]]: f32 loc(2)
            matmul %sum_18[0:64, 0 + rot(L8,2*2048), [128,16], [4,32]]: f32, %convolution_block_16[0:128, 4 + L8*2176 + L10*4 + rot(L7,2*4352), [136,16], [4,32]]: f32 accumulate loc(2)
          loop_end L10 loc(2)
          loop_begin L11, 3 loc(2)
            load_stationary %input2_block_15[0:64, 0 + L11*256, [4,64]]: f32 loc(2)
            matmul %sum_18[0:64, 0 + rot(L8,2*2048), [128,16], [4,32]]: f32, %convolution_block_17[0:64, 0 + L8*2176 + L11*4 + rot(L7,2*4352), [136,16], [4,32]]: f32 accumulate loc(2)
          loop_end L11 loc(2)
          copy %tile_19[0:64, 0 + rot(L8,2*2048), [4,512]]: f32, %sum_18[0:64, 0 + rot(L8,2*2048), [4,512]]: f32 loc(2)
          dma %output0[0:64*4, 0 + L7*262144 + L8*131072 + L9*256, [256,512]]: f32, %tile_19[0:64, 0 + rot(L8,2*2048), [4,512]]: f32, none indirect=0 loc(2)
        loop_end L9 loc(2)
      loop_end L8 loc(2)
    loop_end L7 loc(2)
  }
}
