// run: lower trn2
func.func public @main(%arg0: tensor<16x64xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<1x64xf32>, %arg2: tensor<i32>) -> tensor<16x64xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %c : (tensor<16x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>) -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}
// ---- expect
tile "" target "trn2" {
  %input0 = private_hbm input f32[16,64]
  %input1 = private_hbm input f32[1,64]
  %input2 = private_hbm input i32[]
  %output0 = private_hbm output f32[16,64] alias=%input0
  %input2_tile_4 = sbuf partitions=1 bytes=4
  %offset_5 = sbuf partitions=1 bytes=4
  %offset_6 = sbuf partitions=1 bytes=4
  location 1 = "donated_update_is_in_place.mlir:4:8"
  core 0 registers=1 {
    dma %input2_tile_4[0:1, 0]: i32, %input2[0:1*0, 0]: i32, none indirect=0 loc(1)
    tensor_scalar %offset_5[0:1, 0]: i32, %input2_tile_4[0:1, 0]: i32, 0, 15 op0=maximum op1=minimum loc(1)
    tensor_scalar %offset_6[0:1, 0]: i32, %offset_5[0:1, 0]: i32, 64, 0 op0=multiply op1=bypass loc(1)
    register_load R0, %offset_6[0:1, 0]: i32 loc(1)
    dma %input0[0:1*0, 0 + R0*4, [4,64]]: f32, %input1[0:1*0, 0, [4,64]]: f32, none indirect=0 loc(1)
  }
}
