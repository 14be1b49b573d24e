#include "pjrt/api.h"

#include "pjrt_client.h"

using namespace client;

TEST_CASE("no slot of the table is empty") {
std::string empty;
#define PJRT_FUNCTION(name) \
  if (api().PJRT_##name == nullptr) empty += " " #name;
  PJRT_FUNCTIONS(PJRT_FUNCTION)
#undef PJRT_FUNCTION
  CHECK(empty == "");
}

TEST_CASE("a function without a use says so, and why") {
  auto args = make<PJRT_Client_DmaMap_Args>();
  const std::string text = text_of(api().PJRT_Client_DmaMap(&args));
  CHECK(text.find("ON-E2601") != std::string::npos);
  CHECK(text.find("PJRT_Client_DmaMap is not supported: memory of the host") != std::string::npos);
}

TEST_CASE("no error may be destroyed") {
  auto args = make<PJRT_Error_Destroy_Args>();
  api().PJRT_Error_Destroy(&args);
}

TEST_CASE("a program runs, and its donated argument is gone") {
  Session session;
  PJRT_Buffer *a = put(session.owner, {1, 2, 3, 4}), *b = put(session.owner, {10, 20, 30, 40}), *sum = nullptr;
  REQUIRE(text_of(session.run({a, b}, &sum)).empty());
  CHECK(get(sum) == std::vector<float>{11, 22, 33, 44});
  CHECK(get(b) == std::vector<float>{10, 20, 30, 40});
  auto deleted = make<PJRT_Buffer_IsDeleted_Args>();
  deleted.buffer = a;
  api().PJRT_Buffer_IsDeleted(&deleted);
  CHECK(deleted.is_deleted);
  PJRT_Buffer* again = nullptr;
  CHECK(has(session.run({a, b}, &again), "ON-E2305"));
  auto fetch = make<PJRT_Buffer_ToHostBuffer_Args>();
  float values[4];
  fetch.src = a;
  fetch.dst = values;
  fetch.dst_size = sizeof values;
  CHECK(has(api().PJRT_Buffer_ToHostBuffer(&fetch), "ON-E2305"));
  for (PJRT_Buffer* buffer : {a, b, sum}) destroy(buffer);
}

TEST_CASE("arguments that do not fit are refused before anything is taken") {
  Session session;
  PJRT_Buffer *a = put(session.owner, {1, 2, 3, 4}), *sum = nullptr;
  CHECK(has(session.run({a}, &sum), "ON-E2307"));
  CHECK(has(session.run({a, a}, &sum), "ON-E2306"));
  CHECK(get(a) == std::vector<float>{1, 2, 3, 4});
  destroy(a);
}

TEST_CASE("a program tells the options that it was compiled with, also after its payload was read back") {
  Session session;
  // executable_build_options (3) { num_partitions (5): 1 }, env_option_overrides (7) { "optlevel": { int64 (3): 1 } }
  const std::string options("\x1a\x02\x28\x01\x3a\x0e\x0a\x08optlevel\x12\x02\x18\x01", 20);
  const auto options_of = [](PJRT_Executable* executable) {
    auto args = make<PJRT_Executable_GetCompileOptions_Args>();
    args.executable = executable;
    REQUIRE(text_of(api().PJRT_Executable_GetCompileOptions(&args)).empty());
    const std::string bytes(args.serialized_bytes, args.serialized_bytes_size);
    args.serialized_compile_options_deleter(args.serialized_compile_options);
    return bytes;
  };
  const auto executable_of = [](PJRT_LoadedExecutable* loaded) {
    auto args = make<PJRT_LoadedExecutable_GetExecutable_Args>();
    args.loaded_executable = loaded;
    REQUIRE(text_of(api().PJRT_LoadedExecutable_GetExecutable(&args)).empty());
    return args.executable;
  };
  PJRT_LoadedExecutable* compiled = nullptr;
  REQUIRE(text_of(session.compile("module { func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> } }",
                                  &compiled, options)).empty());
  PJRT_Executable* executable = executable_of(compiled);
  CHECK(options_of(executable) == options);

  auto payload = make<PJRT_Executable_Serialize_Args>();
  payload.executable = executable;
  REQUIRE(text_of(api().PJRT_Executable_Serialize(&payload)).empty());
  auto read = make<PJRT_Executable_DeserializeAndLoad_Args>();
  read.client = session.owner;
  read.serialized_executable = payload.serialized_bytes;
  read.serialized_executable_size = payload.serialized_bytes_size;
  REQUIRE(text_of(api().PJRT_Executable_DeserializeAndLoad(&read)).empty());
  payload.serialized_executable_deleter(payload.serialized_executable);
  PJRT_Executable* again = executable_of(read.loaded_executable);
  CHECK(options_of(again) == options);

  for (PJRT_Executable* e : {executable, again}) {
    auto args = make<PJRT_Executable_Destroy_Args>();
    args.executable = e;
    api().PJRT_Executable_Destroy(&args);
  }
  for (PJRT_LoadedExecutable* l : {compiled, read.loaded_executable}) {
    auto args = make<PJRT_LoadedExecutable_Destroy_Args>();
    args.executable = l;
    api().PJRT_LoadedExecutable_Destroy(&args);
  }
}

TEST_CASE("calls that make no sense are refused") {
  Session session;
  auto find = make<PJRT_Client_LookupDevice_Args>();
  find.client = session.owner;
  find.id = 2;
  CHECK(has(api().PJRT_Client_LookupDevice(&find), "ON-E2602"));
  PJRT_LoadedExecutable* out = nullptr;
  CHECK(has(session.compile("module {}", &out, "\x1a\xff"), "ON-E2602"));
  CHECK(has(session.compile("not a program", &out), "ON-E"));
}

TEST_CASE("memory stats write no more than the caller's struct holds") {
  Session session;
  auto find = make<PJRT_Client_LookupDevice_Args>();
  find.client = session.owner;
  REQUIRE(text_of(api().PJRT_Client_LookupDevice(&find)).empty());
  PJRT_Device_MemoryStats_Args args;
  std::memset(&args, 0x5a, sizeof args);
  args.struct_size = 185;  // as jaxlib 0.10.2 sends it
  args.device = find.device;
  REQUIRE(text_of(api().PJRT_Device_MemoryStats(&args)).empty());
  CHECK(args.bytes_limit == std::int64_t{12} << 30);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&args);
  for (std::size_t i = 185; i < sizeof args; ++i) CHECK(bytes[i] == 0x5a);
}

TEST_CASE("an event may be destroyed inside its own callback") {
  auto create = make<PJRT_Event_Create_Args>();
  REQUIRE(text_of(api().PJRT_Event_Create(&create)).empty());
  struct Seen {
    PJRT_Event* event;
    std::string text;
  } seen{create.event, {}};
  auto on_ready = make<PJRT_Event_OnReady_Args>();
  on_ready.event = create.event;
  on_ready.user_arg = &seen;
  on_ready.callback = [](PJRT_Error* error, void* user) {
    auto& s = *static_cast<Seen*>(user);
    auto destroy = make<PJRT_Event_Destroy_Args>();
    destroy.event = s.event;
    api().PJRT_Event_Destroy(&destroy);
    s.text = text_of(error);
  };
  REQUIRE(text_of(api().PJRT_Event_OnReady(&on_ready)).empty());
  auto set = make<PJRT_Event_Set_Args>();
  set.event = create.event;
  set.error_code = PJRT_Error_Code_CANCELLED;
  set.error_message = "stopped";
  set.error_message_size = 7;
  REQUIRE(text_of(api().PJRT_Event_Set(&set)).empty());
  CHECK(seen.text.find("stopped") != std::string::npos);
}

TEST_CASE("an event that is not ready has no error to give") {
  auto create = make<PJRT_Event_Create_Args>();
  REQUIRE(text_of(api().PJRT_Event_Create(&create)).empty());
  auto error = make<PJRT_Event_Error_Args>();
  error.event = create.event;
  CHECK(text_of(api().PJRT_Event_Error(&error)).find("before it is ready") != std::string::npos);
  auto set = make<PJRT_Event_Set_Args>();
  set.event = create.event;
  set.error_code = PJRT_Error_Code_OK;
  REQUIRE(text_of(api().PJRT_Event_Set(&set)).empty());
  CHECK(text_of(api().PJRT_Event_Error(&error)).empty());
  auto destroy = make<PJRT_Event_Destroy_Args>();
  destroy.event = create.event;
  api().PJRT_Event_Destroy(&destroy);
}

TEST_CASE("buffers and programs may outlive their client") {
  PJRT_Buffer* a = nullptr;
  {
    Session session;
    a = put(session.owner, {1, 2, 3, 4});
  }
  CHECK(get(a) == std::vector<float>{1, 2, 3, 4});
  destroy(a);
}
