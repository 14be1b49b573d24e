// Tensors in and out: from the host, to the host, from memory to memory.
#include <cstring>

#include "pjrt/api.h"
#include "pjrt/error.h"
#include "pjrt/objects.h"
#include "pjrt/strides.h"

namespace openneuron::pjrt {
namespace {

// Smaller arrays are copied: cheaper than to keep the host's array alive.
constexpr std::size_t kViewBytes = std::size_t{256} << 10;
// What the kernels of the device need to read a tensor where it lies.
constexpr std::uintptr_t kViewAlignment = 16;
// A larger copy is left to another thread: the caller may hold a lock that others wait for.
constexpr std::size_t kCopyHereBytes = std::size_t{256} << 10;

Memory& choose_memory(PJRT_Client* client, PJRT_Memory* memory, PJRT_Device* device) {
  if (memory != nullptr) return memory_of(memory);
  return memory_of((device != nullptr ? device : client->device_list.front())->memories.front());
}

// HBM of the memory's core, or memory of the host.
Result<std::shared_ptr<runtime::Allocation>> allocate(const Memory& memory, std::size_t bytes, runtime::Label label) {
  if (memory.kind == MemoryKind::Device) return memory.device->core->allocate(bytes, std::move(label));
  return runtime::allocate_host(bytes);
}

PJRT_Error* check_layout(const PJRT_Buffer_MemoryLayout* layout, std::size_t rank) {
  if (layout == nullptr) return nullptr;
  bool good = layout->type == PJRT_Buffer_MemoryLayout_Type_Strides || layout->tiled.num_tiles == 0;
  if (layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled)
    for (std::size_t d = 0; d < layout->tiled.minor_to_major_size; ++d)
      good = good && layout->tiled.minor_to_major[d] == static_cast<std::int64_t>(rank - 1 - d);
  return good ? nullptr : unsupported("a layout that is not row-major", "buffers are row-major");
}

PJRT_Error* from_host(PJRT_Client_BufferFromHostBuffer_Args& args) {
  const ElementType type = element_type(args.type);
  if (type == ElementType::None)
    return unsupported("element type " + std::to_string(args.type), "no tensor here has it");
  ON_PJRT_TRY(check_layout(args.device_layout, args.num_dims));
  Dims dims(args.dims, args.dims + args.num_dims);
  const std::size_t bytes = bytes_of(type, dims);
  const std::int64_t width = byte_width(type);
  const Dims dense = dense_strides(dims, width);
  const std::span<const std::int64_t> strides =
      args.byte_strides != nullptr && args.num_byte_strides == args.num_dims
          ? std::span<const std::int64_t>(args.byte_strides, args.num_byte_strides)
          : std::span<const std::int64_t>(dense);
  const bool as_it_lies = is_dense(dims, strides, width);
  Memory& memory = choose_memory(args.client, args.memory, args.device);
  auto label = runtime::label(type_text(type, dims) + " from the host");

  const bool may_view = args.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy &&
                        memory.kind == MemoryKind::Device;
  if (may_view && as_it_lies && bytes >= kViewBytes && reinterpret_cast<std::uintptr_t>(args.data) % kViewAlignment == 0) {
    auto released = runtime::Event::pending();
    auto* data = static_cast<std::byte*>(const_cast<void*>(args.data));
    auto view = memory.device->core->view(data, bytes, std::move(label), [released] { released->set(); });
    if (!view) return make_error(view.failure());
    args.buffer = new PJRT_Buffer(&memory, type, std::move(dims), std::move(*view), runtime::Event::done());
    args.done_with_host_buffer = new PJRT_Event{std::move(released)};
    return nullptr;
  }
  auto made = allocate(memory, bytes, std::move(label));
  if (!made) return make_error(made.failure());
  const auto* from = static_cast<const std::byte*>(args.data);
  if (as_it_lies && bytes > 0)
    std::memcpy((*made)->data(), from, bytes);
  else
    copy_strided((*made)->data(), dense, from, strides, dims, width);
  args.buffer = new PJRT_Buffer(&memory, type, std::move(dims), std::move(*made), runtime::Event::done());
  args.done_with_host_buffer = new PJRT_Event{runtime::Event::done()};
  return nullptr;
}

// Runs `work(error)` once the buffer is ready: at once when it is and `small`, else never on the caller's thread.
template <class Work>
void when_ready(const PJRT_Buffer& buffer, bool small, Work work) {
  const auto& ready = buffer.data.ready();
  if (small) {
    ready->on_ready(std::move(work));
    return;
  }
  ready->on_ready([client = buffer.client.get(), work = std::move(work)](const runtime::Error& error) mutable {
    client->transfers.submit([work = std::move(work), error]() mutable { work(error); });
  });
}

// A host's array of any order of dims.
struct HostArray {
  std::byte* data;
  std::size_t bytes;
  Dims dims, strides;
  std::int64_t width = 0;  // 0: it lies as the buffer does

  void fill(const std::byte* from) const {
    if (width == 0)
      std::memcpy(data, from, bytes);
    else
      copy_strided(data, strides, from, dense_strides(dims, width), dims, width);
  }
};

PJRT_Error* to_host(PJRT_Buffer_ToHostBuffer_Args& args) {
  PJRT_Buffer& buffer = *args.src;
  const std::size_t bytes = bytes_of(buffer.type, buffer.dims);
  if (args.dst == nullptr) {
    args.dst_size = bytes;
    if (bytes > 0) {
      args.event = nullptr;
      return nullptr;
    }
  }
  if (args.dst_size < bytes)
    return make_error(fail(Code::PjrtArgument, "the host's array has " + std::to_string(args.dst_size) +
                                                   " bytes, the buffer " + std::to_string(bytes)));
  auto reader = std::make_shared<runtime::Reader>(buffer.data.read());
  if (reader->memory() == nullptr && !buffer.data.ready()->ready())
    return make_error(fail(Code::BufferDeleted, "the buffer is deleted or donated"));
  if (reader->memory() == nullptr) {
    if (const auto& error = buffer.data.ready()->error(); error && !buffer.data.deleted()) return make_error(*error);
    return make_error(fail(Code::BufferDeleted, "the buffer is deleted or donated"));
  }
  HostArray to{static_cast<std::byte*>(args.dst), bytes, {}, {}, 0};
  if (args.host_layout != nullptr) {
    const std::int64_t width = byte_width(buffer.type);
    Dims strides;
    if (args.host_layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled) {
      const auto& tiled = args.host_layout->tiled;
      if (tiled.num_tiles != 0 || tiled.minor_to_major_size != buffer.dims.size())
        return unsupported("a tiled host layout", "arrays of the host are strided");
      strides = ordered_strides(buffer.dims, width, {tiled.minor_to_major, tiled.minor_to_major_size});
    } else {
      const auto& strided = args.host_layout->strides;
      strides.assign(strided.byte_strides, strided.byte_strides + strided.num_byte_strides);
    }
    if (!is_dense(buffer.dims, strides, width)) to = {to.data, bytes, buffer.dims, std::move(strides), width};
  }
  const auto& ready = buffer.data.ready();
  if (bytes <= kCopyHereBytes && ready->ready()) {
    if (ready->error()) return make_error(*ready->error());
    if (bytes > 0) to.fill(reader->memory()->data());
    args.event = new PJRT_Event{runtime::Event::done()};
    return nullptr;
  }
  auto done = runtime::Event::pending();
  args.event = new PJRT_Event{done};
  when_ready(buffer, bytes <= kCopyHereBytes, [reader, to = std::move(to), done](const runtime::Error& error) mutable {
    if (!error) to.fill(reader->memory()->data());
    reader = nullptr;
    done->set(error);
  });
  return nullptr;
}

PJRT_Error* raw_to_host(PJRT_Buffer_CopyRawToHost_Args& args) {
  auto reader = std::make_shared<runtime::Reader>(args.buffer->data.read());
  const runtime::Allocation* memory = reader->memory();
  if (memory == nullptr) return make_error(fail(Code::BufferDeleted, "the buffer is deleted or donated"));
  if (args.offset < 0 || args.transfer_size < 0 ||
      args.transfer_size > static_cast<std::int64_t>(memory->bytes()) - args.offset)
    return make_error(fail(Code::PjrtArgument, "bytes " + std::to_string(args.offset) + " to " +
                                                   std::to_string(args.offset + args.transfer_size) + " of a buffer of " +
                                                   std::to_string(memory->bytes())));
  auto done = runtime::Event::pending();
  args.event = new PJRT_Event{done};
  when_ready(*args.buffer, true,
             [reader, done, dst = args.dst, offset = args.offset, size = args.transfer_size](const runtime::Error& error) mutable {
               if (!error) std::memcpy(dst, reader->memory()->data() + offset, static_cast<std::size_t>(size));
               reader = nullptr;
               done->set(error);
             });
  return nullptr;
}

PJRT_Error* copy_to(PJRT_Buffer& source, Memory& memory, PJRT_Buffer** out) {
  const std::size_t bytes = bytes_of(source.type, source.dims);
  auto reader = std::make_shared<runtime::Reader>(source.data.read());
  if (reader->memory() == nullptr) return make_error(fail(Code::BufferDeleted, "the buffer is deleted or donated"));
  auto made = allocate(memory, bytes, runtime::label(type_text(source.type, source.dims) + ", a copy"));
  if (!made) return make_error(made.failure());
  const bool here = bytes <= kCopyHereBytes && source.data.ready()->ready();
  auto done = here ? nullptr : runtime::Event::pending();
  if (here) {
    if (const auto& error = source.data.ready()->error()) return make_error(*error);
    std::memcpy((*made)->data(), reader->memory()->data(), bytes);
    done = runtime::Event::done();
  } else {
    when_ready(source, bytes <= kCopyHereBytes, [reader, to = *made, done](const runtime::Error& error) mutable {
      if (!error) std::memcpy(to->data(), reader->memory()->data(), to->bytes());
      reader = nullptr;
      to = nullptr;
      done->set(error);
    });
  }
  *out = new PJRT_Buffer(&memory, source.type, source.dims, std::move(*made), std::move(done));
  return nullptr;
}

PJRT_Error* copy_to_memory(PJRT_Buffer_CopyToMemory_Args& args) {
  return copy_to(*args.buffer, memory_of(args.dst_memory), &args.dst_buffer);
}
PJRT_Error* copy_to_device(PJRT_Buffer_CopyToDevice_Args& args) {
  return copy_to(*args.buffer, memory_of(args.dst_device->memories.front()), &args.dst_buffer);
}

PJRT_Error* uninitialised(PJRT_Client_CreateUninitializedBuffer_Args& args) {
  const ElementType type = element_type(args.shape_element_type);
  if (type == ElementType::None)
    return unsupported("element type " + std::to_string(args.shape_element_type), "no tensor here has it");
  ON_PJRT_TRY(check_layout(args.shape_layout, args.shape_num_dims));
  Dims dims(args.shape_dims, args.shape_dims + args.shape_num_dims);
  Memory& memory = choose_memory(args.client, args.memory, args.device);
  auto made = allocate(memory, bytes_of(type, dims), runtime::label(type_text(type, dims) + ", uninitialised"));
  if (!made) return make_error(made.failure());
  args.buffer = new PJRT_Buffer(&memory, type, std::move(dims), std::move(*made), runtime::Event::done());
  return nullptr;
}

PJRT_Error* error_buffer(PJRT_Client_CreateErrorBuffer_Args& args) {
  Diagnostic diagnostic;
  diagnostic.code = Code::PjrtArgument;
  diagnostic.message.assign(args.error_message, args.error_message_size);
  args.buffer = new PJRT_Buffer(&choose_memory(args.client, args.memory, nullptr), element_type(args.shape_element_type),
                                Dims(args.shape_dims, args.shape_dims + args.shape_num_dims), nullptr,
                                runtime::Event::failed(std::make_shared<const Diagnostic>(std::move(diagnostic))));
  return nullptr;
}

PJRT_Error* view_of_device(PJRT_Client_CreateViewOfDeviceBuffer_Args& args) {
  const ElementType type = element_type(args.element_type);
  if (type == ElementType::None)
    return unsupported("element type " + std::to_string(args.element_type), "no tensor here has it");
  ON_PJRT_TRY(check_layout(args.layout, args.num_dims));
  Dims dims(args.dims, args.dims + args.num_dims);
  Memory& memory = choose_memory(args.client, ON_HAS_FIELD(args, memory) ? args.memory : nullptr, args.device);
  auto view = memory.device->core->view(
      static_cast<std::byte*>(args.device_buffer_ptr), bytes_of(type, dims), runtime::label(type_text(type, dims) + ", a view"),
      [callback = args.on_delete_callback, data = args.device_buffer_ptr, user = args.on_delete_callback_arg] {
        if (callback != nullptr) callback(data, user);
      });
  if (!view) return make_error(view.failure());
  args.buffer = new PJRT_Buffer(&memory, type, std::move(dims), std::move(*view), runtime::Event::done());
  return nullptr;
}

}  // namespace

void fill_transfer(PJRT_Api& api) {
  api.PJRT_Client_BufferFromHostBuffer = [](PJRT_Client_BufferFromHostBuffer_Args* args) {
    return guarded<from_host>(args);
  };
  api.PJRT_Buffer_ToHostBuffer = [](PJRT_Buffer_ToHostBuffer_Args* args) { return guarded<to_host>(args); };
  api.PJRT_Buffer_CopyRawToHost = [](PJRT_Buffer_CopyRawToHost_Args* args) { return guarded<raw_to_host>(args); };
  api.PJRT_Buffer_CopyToMemory = [](PJRT_Buffer_CopyToMemory_Args* args) { return guarded<copy_to_memory>(args); };
  api.PJRT_Buffer_CopyToDevice = [](PJRT_Buffer_CopyToDevice_Args* args) { return guarded<copy_to_device>(args); };
  api.PJRT_Client_CreateUninitializedBuffer = [](PJRT_Client_CreateUninitializedBuffer_Args* args) {
    return guarded<uninitialised>(args);
  };
  api.PJRT_Client_CreateErrorBuffer = [](PJRT_Client_CreateErrorBuffer_Args* args) {
    return guarded<error_buffer>(args);
  };
  api.PJRT_Client_CreateViewOfDeviceBuffer = [](PJRT_Client_CreateViewOfDeviceBuffer_Args* args) {
    return guarded<view_of_device>(args);
  };
}

}  // namespace openneuron::pjrt
