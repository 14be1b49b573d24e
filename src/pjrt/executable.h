// A compiled program as clients see it, and loaded for devices.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "isa/code.h"
#include "partition/partition.h"
#include "pjrt/objects.h"
#include "pjrt/options.h"
#include "runtime/group.h"
#include "runtime/program.h"

namespace openneuron::pjrt {

struct Port {
  ElementType type = ElementType::F32;
  Dims dims;  ///< of what one device holds
  MemoryKind kind = MemoryKind::Device;
  bool donated = false;  ///< parameter: a result takes its memory
  // Of programs over several devices:
  Dims whole;
  partition::Sharding sharding;
  partition::Passing passing = partition::Passing::Whole;
};

/// Everything that serialisation keeps.
struct Compiled {
  std::string name;
  std::string fingerprint;
  CompileOptions options;
  std::vector<Port> parameters, results;
  bool chip_numerics = false;  ///< instructions give the chip's own values
  bool everywhere = false;  ///< each of its devices runs the program, else it runs once for all
  std::shared_ptr<const std::string> source;  ///< the program as it came, for as_text
  std::shared_ptr<const isa::Code> code;
  std::shared_ptr<const Machine> machine;
};

class CompileTrace;
/// errors  those of the readers and of the compiler
Result<std::shared_ptr<const Compiled>> compile_program(std::span<const std::byte> program, std::string_view format,
                                                        const CompileOptions& options,
                                                        const PJRT_TopologyDescription& topology, CompileTrace& trace);
/// A versioned, checksummed payload.
Result<std::string> serialise(const Compiled& compiled);
/// errors  ON-E2604
Result<std::shared_ptr<const Compiled>> deserialise(std::span<const std::byte> bytes,
                                                    const PJRT_TopologyDescription& topology);
/// For the devices that `options` assigns.  errors  ON-E2602
Result<PJRT_LoadedExecutable*> load(PJRT_Client* client, std::shared_ptr<const Compiled> compiled);

}  // namespace openneuron::pjrt

struct PJRT_Executable {
  std::shared_ptr<const openneuron::pjrt::Compiled> compiled;

  // What the C API hands out by pointer, made when it is asked for.
  std::mutex mutex;
  bool listed = false;
  std::vector<PJRT_Buffer_Type> result_types;
  std::vector<std::int64_t> result_dims;
  std::vector<std::size_t> result_ranks;
  std::vector<const char*> parameter_kinds, result_kinds;
  std::vector<std::size_t> parameter_kind_sizes, result_kind_sizes;
  std::unique_ptr<openneuron::pjrt::NamedValues> costs;
  std::string text;
  std::vector<std::string> parameter_layouts, result_layouts;
  std::vector<PJRT_Layouts_MemoryLayout*> parameter_layout_list, result_layout_list;
  std::vector<std::string> parameter_shardings, result_shardings;
  std::vector<const char*> parameter_sharding_list, result_sharding_list;
  std::vector<std::size_t> parameter_sharding_sizes, result_sharding_sizes;
};

struct PJRT_LoadedExecutable {
  openneuron::pjrt::ClientHold client;
  std::shared_ptr<const openneuron::pjrt::Compiled> compiled;
  std::shared_ptr<openneuron::runtime::Program> program;     ///< of one device
  std::shared_ptr<openneuron::runtime::GroupProgram> group;  ///< of several
  std::vector<PJRT_Device*> devices;  ///< in the order of argument lists; empty: portable
  std::vector<PJRT_LogicalDeviceIds> logical_ids;
  std::string assignment;
  std::atomic<bool> deleted{false};

  explicit PJRT_LoadedExecutable(PJRT_Client* owner) : client(owner) {}
};
