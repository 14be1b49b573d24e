// run: lower trn2
func.func public @main(%arg0: tensor<8x32x32x64xf32>, %arg1: tensor<3x3x64x64xf32>) -> tensor<8x32x32x64xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x32x32x64xf32>, tensor<3x3x64x64xf32>) -> tensor<8x32x32x64xf32>
  return %0 : tensor<8x32x32x64xf32>
}
// ---- expect
group 1: convolution | axes 8/1 32/16f 32/32f 64/64p 3/1k 3/1k 64/64k
tile "" target "trn2" {
  %input0 = private_hbm input f32[8,32,32,64]
  %input1 = private_hbm input f32[3,3,64,64]
  %output0 = private_hbm output f32[8,32,32,64]
  %pad_3 = sbuf partitions=64 bytes=36992
  %input0_4 = sbuf partitions=128 bytes=16384
  %input0_5 = sbuf partitions=64 bytes=32768
  %turned_6 = psum partitions=64 bytes=512 copies=2
  %input1_7 = sbuf partitions=64 bytes=2304
  %convolution_8 = sbuf partitions=64 bytes=32768
  %sum_9 = psum partitions=64 bytes=2048 copies=2
  %convolution_10 = sbuf partitions=128 bytes=16384
  %turned_11 = psum partitions=128 bytes=256 copies=2
  location 1 = "convolution_reads_its_input_in_place.mlir:3:8"
  core 0 loops=15 {
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
      memset %pad_3[0:64, 0 + L3*36992, [4,9248]]: f32, 0.0 loc(1)
    loop_end L3 loc(1)
    loop_begin L4, 1 loc(1)
      copy %pad_3[0:64, 140, [4624,8], [136,32], [4,32]]: f32, %input0_5[0:64, 0, [4096,8], [128,32], [4,32]]: f32 loc(1)
    loop_end L4 loc(1)
    loop_begin L5, 1 loc(1)
      dma %input1_7[0:64, 0, [256,9], [4,64]]: f32, %input1[0:64*256, 0 + L5*16384, [16384,9], [4,64]]: f32, none indirect=0 loc(1)
    loop_end L5 loc(1)
    loop_begin L6, 8 loc(1)
      loop_begin L7, 2 loc(1)
        loop_begin L8, 1 loc(1)
          load_stationary %input1_7[0:64, 0, [4,64]]: f32 loc(1)
          matmul %sum_9[0:64, 0 + rot(L7,2*2048), [128,16], [4,32]]: f32, %pad_3[0:64, 0 + L6*4624 + L7*2176, [136,16], [4,32]]: f32 loc(1)
          loop_begin L9, 2 loc(1)
            load_stationary %input1_7[0:64, 256 + L9*256, [4,64]]: f32 loc(1)
            matmul %sum_9[0:64, 0 + rot(L7,2*2048), [128,16], [4,32]]: f32, %pad_3[0:64, 4 + L6*4624 + L7*2176 + L9*4, [136,16], [4,32]]: f32 accumulate loc(1)
          loop_end L9 loc(1)
          loop_begin L10, 2 loc(1)
            loop_begin L11, 3 loc(1)
              load_stationary %input1_7[0:64, 768 + L10*768 + L11*256, [4,64]]: f32 loc(1)
              matmul %sum_9[0:64, 0 + rot(L7,2*2048), [128,16], [4,32]]: f32, %pad_3[0:64, 136 + L6*4624 + L7*2176 + L10*136 + L11*4, [136,16], [4,32]]: f32 accumulate loc(1)
            loop_end L11 loc(1)
          loop_end L10 loc(1)
          copy %convolution_8[0:64, 0 + L6*4096 + L7*2048, [4,512]]: f32, %sum_9[0:64, 0 + rot(L7,2*2048), [4,512]]: f32 loc(1)
        loop_end L8 loc(1)
      loop_end L7 loc(1)
    loop_end L6 loc(1)
    loop_begin L12, 1 loc(1)
      loop_begin L13, 64 loc(1)
        transpose %turned_11[0:128, 0 + rot(L13,2*256), [4,64]]: f32, %convolution_8[0:64, 0 + L13*512, [4,128]]: f32 loc(1)
        copy %convolution_10[0:128, 0 + L13*256, [4,64]]: f32, %turned_11[0:128, 0 + rot(L13,2*256), [4,64]]: f32 loc(1)
      loop_end L13 loc(1)
    loop_end L12 loc(1)
    loop_begin L14, 64 loc(1)
      dma %output0[0:128*256, 0 + L14*32768, [4,64]]: f32, %convolution_10[0:128, 0 + L14*256, [4,64]]: f32, none indirect=0 loc(1)
    loop_end L14 loc(1)
  }
}
