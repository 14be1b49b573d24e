// run: lower trn2
func.func public @main(%arg0: tensor<256x384xf32>, %arg1: tensor<384x512xf32>, %arg2: tensor<512x128xf32>) -> tensor<256x128xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<256x384xf32>, tensor<384x512xf32>) -> tensor<256x512xf32>
  %1 = stablehlo.dot_general %0, %arg2, contracting_dims = [1] x [0] : (tensor<256x512xf32>, tensor<512x128xf32>) -> tensor<256x128xf32>
  return %1 : tensor<256x128xf32>
}
// ---- expect
group 0: dot_general | axes 256/256f 512/128p 384/128k
group 1: dot_general | axes 256/128p 128/128f 512/128k
tile "" target "trn2" {
  %input0 = private_hbm input f32[256,384]
  %input1 = private_hbm input f32[384,512]
  %input2 = private_hbm input f32[512,128]
  %output0 = private_hbm output f32[256,128]
  %input0_4 = sbuf partitions=128 bytes=3072
  %input0_5 = sbuf partitions=128 bytes=3072
  %turned_6 = psum partitions=128 bytes=512 copies=2
  %dot_general_7 = sbuf partitions=128 bytes=4096
  %input1_block_8 = sbuf partitions=128 bytes=6144
  %sum_9 = psum partitions=128 bytes=1024 copies=2
  %input2_10 = sbuf partitions=128 bytes=2048
  %dot_general_11 = sbuf partitions=128 bytes=1024
  %sum_12 = psum partitions=128 bytes=512 copies=2
  location 1 = "projections_need_no_transposes.mlir:3:8"
  location 2 = "projections_need_no_transposes.mlir:4:8"
  core 0 loops=9 {
    loop_begin L0, 2 loc(1)
      dma %input0_4[0:128, 0 + L0*1536, [4,384]]: f32, %input0[0:128*1536, 0 + L0*196608, [4,384]]: f32, none indirect=0 loc(1)
    loop_end L0 loc(1)
    loop_begin L1, 2 loc(1)
      loop_begin L2, 3 loc(1)
        transpose %turned_6[0:128, 0 + rot(L2,2*512), [4,128]]: f32, %input0_4[0:128, 0 + L1*1536 + L2*512, [4,128]]: f32 loc(1)
        copy %input0_5[0:128, 0 + L1*512 + L2*1024, [4,128]]: f32, %turned_6[0:128, 0 + rot(L2,2*512), [4,128]]: f32 loc(1)
      loop_end L2 loc(1)
    loop_end L1 loc(1)
    dma %input1_block_8[0:128, 0, [2048,3], [4,512]]: f32, %input1[0:128*2048, 0, [262144,3], [4,512]]: f32, none indirect=0 loc(1)
    loop_begin L3, 4 loc(1)
      load_stationary %input1_block_8[0:128, 0 + L3*512, [4,128]]: f32 loc(1)
      matmul %sum_9[0:128, 0 + rot(L3,2*1024), [4,256]]: f32, %input0_5[0:128, 0, [4,256]]: f32 loc(1)
      loop_begin L4, 2 loc(1)
        load_stationary %input1_block_8[0:128, 2048 + L4*2048 + L3*512, [4,128]]: f32 loc(1)
        matmul %sum_9[0:128, 0 + rot(L3,2*1024), [4,256]]: f32, %input0_5[0:128, 1024 + L4*1024, [4,256]]: f32 accumulate loc(1)
      loop_end L4 loc(1)
      copy %dot_general_7[0:128, 0 + L3*1024, [4,256]]: f32, %sum_9[0:128, 0 + rot(L3,2*1024), [4,256]]: f32 loc(1)
    loop_end L3 loc(1)
    loop_begin L5, 4 loc(2)
      dma %input2_10[0:128, 0 + L5*512, [4,128]]: f32, %input2[0:128*512, 0 + L5*65536, [4,128]]: f32, none indirect=0 loc(2)
    loop_end L5 loc(2)
    loop_begin L6, 2 loc(2)
      load_stationary %dot_general_7[0:128, 0 + L6*512, [4,128]]: f32 loc(2)
      matmul %sum_12[0:128, 0 + rot(L6,2*512), [4,128]]: f32, %input2_10[0:128, 0, [4,128]]: f32 loc(2)
      loop_begin L7, 3 loc(2)
        load_stationary %dot_general_7[0:128, 1024 + L6*512 + L7*1024, [4,128]]: f32 loc(2)
        matmul %sum_12[0:128, 0 + rot(L6,2*512), [4,128]]: f32, %input2_10[0:128, 512 + L7*512, [4,128]]: f32 accumulate loc(2)
      loop_end L7 loc(2)
      copy %dot_general_11[0:128, 0 + L6*512, [4,128]]: f32, %sum_12[0:128, 0 + rot(L6,2*512), [4,128]]: f32 loc(2)
    loop_end L6 loc(2)
    loop_begin L8, 2 loc(2)
      dma %output0[0:128*512, 0 + L8*65536, [4,128]]: f32, %dot_general_11[0:128, 0 + L8*512, [4,128]]: f32, none indirect=0 loc(2)
    loop_end L8 loc(2)
  }
}
