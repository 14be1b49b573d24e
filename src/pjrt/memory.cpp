// PJRT_Memory: the kinds of memory of each device.
#include "pjrt/api.h"
#include "pjrt/error.h"
#include "pjrt/memory.h"
#include "pjrt/objects.h"

namespace openneuron::pjrt {

void Memory::forget() {
  std::map<const void*, Attached> old;
  {
    std::lock_guard lock(mutex);
    old.swap(attached);
  }
  for (const auto& entry : old)
    if (entry.second.destroy != nullptr && entry.second.data != nullptr) entry.second.destroy(entry.second.data);
}

namespace {

void* memory_user_data(PJRT_Memory* memory, const void* key) {
  Memory& m = memory_of(memory);
  std::lock_guard lock(m.mutex);
  const auto found = m.attached.find(key);
  return found == m.attached.end() ? nullptr : found->second.data;
}

void set_memory_user_data(PJRT_Memory* memory, const void* key, void* data, void (*destroy)(void*)) {
  Memory& m = memory_of(memory);
  Memory::Attached old;
  {
    std::lock_guard lock(m.mutex);
    Memory::Attached& place = m.attached[key];
    old = place;
    place = {data, destroy};
  }
  if (old.destroy != nullptr && old.data != nullptr) old.destroy(old.data);
}

}  // namespace

const PJRT_Memory_FunctionTable* memory_functions() {
  static const PJRT_Memory_FunctionTable table = [] {
    PJRT_Memory_FunctionTable t{};
    t.struct_size = sizeof t;
    t.instance_struct_size = sizeof(PJRT_Memory);
    t.get_user_data = memory_user_data;
    t.set_user_data = set_memory_user_data;
    return t;
  }();
  return &table;
}

void fill_memory(PJRT_Api& api) {
  api.PJRT_Memory_Id = [](PJRT_Memory_Id_Args* args) -> PJRT_Error* {
    args->id = memory_of(args->memory).id;
    return nullptr;
  };
  api.PJRT_Memory_Kind = [](PJRT_Memory_Kind_Args* args) -> PJRT_Error* {
    const std::string_view kind = kMemoryKinds[static_cast<std::size_t>(memory_of(args->memory).kind)];
    args->kind = kind.data();
    args->kind_size = kind.size();
    return nullptr;
  };
  api.PJRT_Memory_Kind_Id = [](PJRT_Memory_Kind_Id_Args* args) -> PJRT_Error* {
    args->kind_id = static_cast<int>(memory_of(args->memory).kind);
    return nullptr;
  };
  api.PJRT_Memory_DebugString = [](PJRT_Memory_DebugString_Args* args) -> PJRT_Error* {
    args->debug_string = memory_of(args->memory).debug.data();
    args->debug_string_size = memory_of(args->memory).debug.size();
    return nullptr;
  };
  api.PJRT_Memory_ToString = [](PJRT_Memory_ToString_Args* args) -> PJRT_Error* {
    args->to_string = memory_of(args->memory).text.data();
    args->to_string_size = memory_of(args->memory).text.size();
    return nullptr;
  };
  api.PJRT_Memory_AddressableByDevices = [](PJRT_Memory_AddressableByDevices_Args* args) -> PJRT_Error* {
    args->devices = &memory_of(args->memory).device;
    args->num_devices = 1;
    return nullptr;
  };
}

}  // namespace openneuron::pjrt
