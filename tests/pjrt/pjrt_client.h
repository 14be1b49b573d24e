// A small client of the C API: what tests call it with.
#pragma once
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "pjrt/api.h"

namespace client {

inline const PJRT_Api& api() { return *openneuron::pjrt::api(); }

template <class Args>
Args make() {
  Args args{};
  args.struct_size = sizeof args;
  return args;
}

/// "" when there is none; destroys it.
inline std::string text_of(PJRT_Error* error) {
  if (error == nullptr) return {};
  auto message = make<PJRT_Error_Message_Args>();
  message.error = error;
  api().PJRT_Error_Message(&message);
  std::string text(message.message, message.message_size);
  auto destroy = make<PJRT_Error_Destroy_Args>();
  destroy.error = error;
  api().PJRT_Error_Destroy(&destroy);
  return text;
}
inline bool has(PJRT_Error* error, std::string_view part) { return text_of(error).find(part) != std::string::npos; }

/// f32[4], whose elements are these.
inline PJRT_Buffer* put(PJRT_Client* owner, const std::vector<float>& values) {
  static const std::int64_t dims[] = {4};
  auto args = make<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = owner;
  args.data = values.data();
  args.type = PJRT_Buffer_Type_F32;
  args.dims = dims;
  args.num_dims = 1;
  REQUIRE(text_of(api().PJRT_Client_BufferFromHostBuffer(&args)).empty());
  auto destroy = make<PJRT_Event_Destroy_Args>();
  destroy.event = args.done_with_host_buffer;
  api().PJRT_Event_Destroy(&destroy);
  return args.buffer;
}

inline std::vector<float> get(PJRT_Buffer* buffer) {
  std::vector<float> values(4);
  auto args = make<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = buffer;
  args.dst = values.data();
  args.dst_size = 16;
  REQUIRE(text_of(api().PJRT_Buffer_ToHostBuffer(&args)).empty());
  auto await = make<PJRT_Event_Await_Args>();
  await.event = args.event;
  REQUIRE(text_of(api().PJRT_Event_Await(&await)).empty());
  auto destroy = make<PJRT_Event_Destroy_Args>();
  destroy.event = args.event;
  api().PJRT_Event_Destroy(&destroy);
  return values;
}

inline void destroy(PJRT_Buffer* buffer) {
  auto args = make<PJRT_Buffer_Destroy_Args>();
  args.buffer = buffer;
  api().PJRT_Buffer_Destroy(&args);
}

/// Two cores of the default instance, and a program a + b whose first argument is donated.
struct Session {
  PJRT_Client* owner = nullptr;
  PJRT_LoadedExecutable* add = nullptr;

  Session() {
    ::setenv("NEURON_RT_NUM_CORES", "2", 1);
    auto create = make<PJRT_Client_Create_Args>();
    REQUIRE(text_of(api().PJRT_Client_Create(&create)).empty());
    owner = create.client;
    PJRT_Error* error = compile(
        "module @add { func.func public @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<4xf32>) -> "
        "tensor<4xf32> { %0 = stablehlo.add %a, %b : tensor<4xf32> func.return %0 : tensor<4xf32> } }",
        &add);
    REQUIRE(text_of(error).empty());
  }
  ~Session() {
    auto drop = make<PJRT_LoadedExecutable_Destroy_Args>();
    drop.executable = add;
    api().PJRT_LoadedExecutable_Destroy(&drop);
    auto args = make<PJRT_Client_Destroy_Args>();
    args.client = owner;
    api().PJRT_Client_Destroy(&args);
  }
  PJRT_Error* compile(std::string text, PJRT_LoadedExecutable** out, std::string_view options = {}) {
    auto program = make<PJRT_Program>();
    program.code = text.data();
    program.code_size = text.size();
    program.format = "mlir";
    program.format_size = 4;
    auto args = make<PJRT_Client_Compile_Args>();
    args.client = owner;
    args.program = &program;
    args.compile_options = options.data();
    args.compile_options_size = options.size();
    PJRT_Error* error = api().PJRT_Client_Compile(&args);
    *out = args.executable;
    return error;
  }
  PJRT_Error* run(std::vector<PJRT_Buffer*> arguments, PJRT_Buffer** result) {
    auto options = make<PJRT_ExecuteOptions>();
    auto args = make<PJRT_LoadedExecutable_Execute_Args>();
    PJRT_Buffer* const* list = arguments.data();
    PJRT_Buffer** results = result;
    args.executable = add;
    args.options = &options;
    args.argument_lists = &list;
    args.num_devices = 1;
    args.num_args = arguments.size();
    args.output_lists = &results;
    return api().PJRT_LoadedExecutable_Execute(&args);
  }
};

}  // namespace client
