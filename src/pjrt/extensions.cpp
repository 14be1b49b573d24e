// The extensions Layouts, Shardings and Profiler.
#include "pjrt/api.h"
#include "pjrt/error.h"
#include "pjrt/executable.h"

/// A row-major layout; text, as the framework parses it: "{1,0}".
struct PJRT_Layouts_MemoryLayout {
  std::string text;
};

namespace openneuron::pjrt {
namespace {

std::string row_major(std::size_t rank) {
  std::string text = "{";
  for (std::size_t d = rank; d-- > 0;) text += std::to_string(d) + (d == 0 ? "" : ",");
  return text + "}";
}

// Layouts of common ranks are made once and never destroyed: one is asked for at each fetch.
constexpr std::size_t kCommonRanks = 16;
PJRT_Layouts_MemoryLayout* layout_of_rank(std::size_t rank) {
  static auto& common = *new std::vector<PJRT_Layouts_MemoryLayout>([] {
    std::vector<PJRT_Layouts_MemoryLayout> list;
    for (std::size_t r = 0; r < kCommonRanks; ++r) list.push_back({row_major(r)});
    return list;
  }());
  return rank < kCommonRanks ? &common[rank] : new PJRT_Layouts_MemoryLayout{row_major(rank)};
}

PJRT_Error* destroy(PJRT_Layouts_MemoryLayout_Destroy_Args& args) {
  if (args.layout != nullptr && args.layout->text.size() >= row_major(kCommonRanks).size()) delete args.layout;
  return nullptr;
}

PJRT_Error* serialise(PJRT_Layouts_MemoryLayout_Serialize_Args& args) {
  args.serialized_bytes = args.layout->text.data();  // outlives the layout's use
  args.serialized_bytes_size = args.layout->text.size();
  args.serialized_layout = nullptr;
  args.serialized_layout_deleter = [](PJRT_Layouts_SerializedLayout*) {};
  return nullptr;
}

PJRT_Error* lists_of(const std::vector<Port>& ports, std::vector<PJRT_Layouts_MemoryLayout*>& list) {
  if (list.size() != ports.size()) {
    list.clear();
    for (const Port& port : ports) list.push_back(layout_of_rank(port.dims.size()));
  }
  return nullptr;
}

PJRT_Error* output_layouts(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args& args) {
  std::lock_guard lock(args.executable->mutex);
  ON_PJRT_TRY(lists_of(args.executable->compiled->results, args.executable->result_layout_list));
  args.layouts = args.executable->result_layout_list.data();
  args.num_outputs = args.executable->result_layout_list.size();
  return nullptr;
}

PJRT_Error* parameter_layouts(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args& args) {
  std::lock_guard lock(args.executable->mutex);
  ON_PJRT_TRY(lists_of(args.executable->compiled->parameters, args.executable->parameter_layout_list));
  args.layouts = args.executable->parameter_layout_list.data();
  args.num_parameters = args.executable->parameter_layout_list.size();
  return nullptr;
}

// One entry per port; at least one, since a program without results is asked about, too. Empty bytes: replicated.
void list_shardings(const std::vector<Port>& ports, std::vector<std::string>& texts, std::vector<const char*>& list,
                    std::vector<std::size_t>& sizes) {
  if (!list.empty()) return;
  for (const Port& port : ports) {
    const std::vector<std::byte> proto = port.sharding.proto();
    texts.emplace_back(reinterpret_cast<const char*>(proto.data()), proto.size());
  }
  texts.resize(std::max<std::size_t>(ports.size(), 1));
  for (const std::string& text : texts) {
    list.push_back(text.data());
    sizes.push_back(text.size());
  }
}

PJRT_Error* output_shardings(PJRT_Shardings_PJRT_Executable_OutputShardings_Args& args) {
  PJRT_Executable& executable = *args.executable;
  std::lock_guard lock(executable.mutex);
  list_shardings(executable.compiled->results, executable.result_shardings, executable.result_sharding_list,
                 executable.result_sharding_sizes);
  args.shardings = executable.result_sharding_list.data();
  args.sharding_sizes = executable.result_sharding_sizes.data();
  args.num_outputs = executable.result_sharding_list.size();
  return nullptr;
}

PJRT_Error* parameter_shardings(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args& args) {
  PJRT_Executable& executable = *args.executable;
  std::lock_guard lock(executable.mutex);
  list_shardings(executable.compiled->parameters, executable.parameter_shardings,
                 executable.parameter_sharding_list, executable.parameter_sharding_sizes);
  args.shardings = executable.parameter_sharding_list.data();
  args.sharding_sizes = executable.parameter_sharding_sizes.data();
  args.num_parameters = executable.compiled->parameters.size();
  return nullptr;
}

PJRT_Layouts_Extension make_layouts(PJRT_Extension_Base* next) {
  PJRT_Layouts_Extension layouts{};
  layouts.base.struct_size = sizeof layouts;
  layouts.base.type = PJRT_Extension_Type_Layouts;
  layouts.base.next = next;
  layouts.PJRT_Layouts_MemoryLayout_Destroy = [](PJRT_Layouts_MemoryLayout_Destroy_Args* args) {
    return guarded<destroy>(args);
  };
  layouts.PJRT_Layouts_MemoryLayout_Serialize = [](PJRT_Layouts_MemoryLayout_Serialize_Args* args) {
    return guarded<serialise>(args);
  };
  layouts.PJRT_Layouts_PJRT_Client_GetDefaultLayout =
      [](PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args* args) -> PJRT_Error* {
    args->layout = layout_of_rank(args->num_dims);
    return nullptr;
  };
  layouts.PJRT_Layouts_PJRT_Topology_GetDefaultLayout =
      [](PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args* args) -> PJRT_Error* {
    args->layout = layout_of_rank(args->num_dims);
    return nullptr;
  };
  layouts.PJRT_Layouts_PJRT_Buffer_MemoryLayout = [](PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args* args) -> PJRT_Error* {
    args->layout = layout_of_rank(args->buffer->dims.size());
    return nullptr;
  };
  layouts.PJRT_Layouts_PJRT_Executable_GetOutputLayouts = [](PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args* args) {
    return guarded<output_layouts>(args);
  };
  layouts.PJRT_Layouts_PJRT_Executable_GetParameterLayouts =
      [](PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args* args) { return guarded<parameter_layouts>(args); };
  return layouts;
}

PJRT_Shardings_Extension make_shardings() {
  PJRT_Shardings_Extension shardings{};
  shardings.base.struct_size = sizeof shardings;
  shardings.base.type = PJRT_Extension_Type_Shardings;
  shardings.PJRT_Shardings_PJRT_Executable_ParameterShardings =
      [](PJRT_Shardings_PJRT_Executable_ParameterShardings_Args* args) { return guarded<parameter_shardings>(args); };
  shardings.PJRT_Shardings_PJRT_Executable_OutputShardings =
      [](PJRT_Shardings_PJRT_Executable_OutputShardings_Args* args) { return guarded<output_shardings>(args); };
  return shardings;
}

}  // namespace

PJRT_Extension_Base* extensions() {
  static auto& shardings = *new PJRT_Shardings_Extension(make_shardings());
  static auto& layouts = *new PJRT_Layouts_Extension(make_layouts(&shardings.base));
  static auto& profiler = *new PJRT_Profiler_Extension(make_profiler(&layouts.base));
  return &profiler.base;
}

}  // namespace openneuron::pjrt
