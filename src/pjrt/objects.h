// The objects behind the handles of the C API. A client's objects live as long as its last handle.
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "num/element_type.h"
#include "pjrt/named_values.h"
#include "pjrt/pjrt_c_api.h"
#include "pjrt/strides.h"
#include "runtime/buffer.h"
#include "runtime/core.h"
#include "runtime/instance.h"

struct PJRT_DeviceDescription {
  int id = 0;
  int process = 0;
  std::string kind, debug, text;
  openneuron::pjrt::NamedValues attributes;
};

/// What there is to compile for, with or without devices.
struct PJRT_TopologyDescription {
  const openneuron::runtime::InstanceType* instance = nullptr;
  std::shared_ptr<const openneuron::Machine> machine;
  std::string platform_version;
  std::vector<std::unique_ptr<PJRT_DeviceDescription>> descriptions;
  std::vector<PJRT_DeviceDescription*> list;
  openneuron::pjrt::NamedValues attributes;
};

namespace openneuron::pjrt {

inline constexpr std::string_view kPlatform = "neuron";
/// Kinds of memory. Of each device: its own first, the default.
enum class MemoryKind : std::uint8_t { Device, PinnedHost, UnpinnedHost };
inline constexpr std::string_view kMemoryKinds[] = {"device", "pinned_host", "unpinned_host"};

struct Memory : PJRT_Memory {
  int id = 0;
  MemoryKind kind = MemoryKind::Device;
  PJRT_Device* device = nullptr;
  std::string debug, text;

  // What the client attaches, by key.
  struct Attached {
    void* data = nullptr;
    void (*destroy)(void*) = nullptr;
  };
  std::mutex mutex;
  std::map<const void*, Attached> attached;
  ~Memory() { forget(); }
  /// Destroys what is attached.
  void forget();
};
inline Memory& memory_of(PJRT_Memory* memory) { return *static_cast<Memory*>(memory); }

}  // namespace openneuron::pjrt

struct PJRT_Device {
  PJRT_Client* client = nullptr;
  PJRT_DeviceDescription* description = nullptr;
  int local_id = 0;
  std::unique_ptr<openneuron::runtime::Core> core;
  std::vector<PJRT_Memory*> memories;
};

struct PJRT_Client {
  PJRT_TopologyDescription topology;
  std::vector<std::unique_ptr<PJRT_Device>> devices;
  std::vector<std::unique_ptr<openneuron::pjrt::Memory>> memories;
  std::vector<PJRT_Device*> device_list;
  std::vector<PJRT_Memory*> memory_list;
  std::atomic<int> handles{1};  ///< this one, buffers and loaded programs
  int threads = 1;              ///< host threads of a running program
  openneuron::runtime::WorkQueue transfers;  ///< large copies
};

namespace openneuron::pjrt {

/// Keeps a client alive.
class ClientHold {
 public:
  explicit ClientHold(PJRT_Client* client) : client_(client) { client_->handles.fetch_add(1, std::memory_order_relaxed); }
  ~ClientHold() { let_go(client_); }
  ClientHold(const ClientHold&) = delete;
  ClientHold& operator=(const ClientHold&) = delete;
  PJRT_Client* get() const { return client_; }
  static void let_go(PJRT_Client* client);

 private:
  PJRT_Client* client_;
};

ElementType element_type(PJRT_Buffer_Type type);     ///< None when a tensor here cannot have it
PJRT_Buffer_Type buffer_type(ElementType type);      ///< INVALID when the C API has none
/// "f32[2,3]"
std::string type_text(ElementType type, std::span<const std::int64_t> dims);
std::size_t bytes_of(ElementType type, std::span<const std::int64_t> dims);

/// The cores that environment and options ask for.
Result<std::unique_ptr<PJRT_TopologyDescription>> make_topology(std::string_view instance, bool all_cores);
std::string platform_version();

}  // namespace openneuron::pjrt

struct PJRT_Event {
  std::shared_ptr<openneuron::runtime::Event> event;
};

struct PJRT_Buffer {
  openneuron::pjrt::ClientHold client;
  openneuron::pjrt::Memory* memory;
  openneuron::ElementType type;
  openneuron::pjrt::Dims dims;
  openneuron::runtime::Buffer data;

  PJRT_Buffer(openneuron::pjrt::Memory* where, openneuron::ElementType element, openneuron::pjrt::Dims shape,
              std::shared_ptr<openneuron::runtime::Allocation> bytes,
              std::shared_ptr<openneuron::runtime::Event> ready)
      : client(where->device->client), memory(where), type(element), dims(std::move(shape)),
        data(std::move(bytes), std::move(ready)) {}
  openneuron::runtime::Core& core() const { return *memory->device->core; }
};
