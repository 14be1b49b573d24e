// PJRT_LoadedExecutable_Execute.
#include <algorithm>

#include "pjrt/api.h"
#include "pjrt/error.h"
#include "pjrt/executable.h"

namespace openneuron::pjrt {
namespace {

std::string what(const Compiled& compiled, std::size_t argument) {
  return "argument " + std::to_string(argument) + " of " + compiled.name;
}

// A donated argument may be no other argument: its memory is gone after the run.
Result<void> check_donations(const Compiled& compiled, PJRT_Buffer* const* list, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!compiled.parameters[i].donated) continue;
    for (std::size_t k = 0; k < count; ++k)
      if (k != i && list[k] == list[i])
        return fail(Code::BufferTwice, what(compiled, i) + " is donated and is argument " + std::to_string(k) + ", too");
  }
  return {};
}

bool kept(const PJRT_ExecuteOptions& options, std::size_t argument) {
  const std::int64_t* first = options.non_donatable_input_indices;
  const std::int64_t* last = first + options.num_non_donatable_input_indices;
  return std::find(first, last, static_cast<std::int64_t>(argument)) != last;
}

// Takes nothing: a call that is refused leaves its donated arguments alone.
Result<std::vector<runtime::Argument>> find_arguments(const Compiled& compiled, PJRT_Buffer* const* list, std::size_t count) {
  if (count != compiled.parameters.size())
    return fail(Code::ArgumentsUnfit, std::to_string(count) + " arguments for the " +
                                          std::to_string(compiled.parameters.size()) + " of " + compiled.name);
  ON_TRY(check_donations(compiled, list, count));
  std::vector<runtime::Argument> arguments;
  arguments.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const PJRT_Buffer& buffer = *list[i];
    auto memory = buffer.data.memory();
    if (!memory) {
      if (const auto& ready = buffer.data.ready(); !buffer.data.deleted() && ready->ready() && ready->error())
        return Failure(Diagnostic(*ready->error()));
      return fail(Code::BufferDeleted, what(compiled, i) + ", " + type_text(buffer.type, buffer.dims) +
                                           ", is deleted or was donated");
    }
    if (memory->bytes() != pjrt::bytes_of(compiled.parameters[i].type, compiled.parameters[i].dims))
      return fail(Code::ArgumentsUnfit, what(compiled, i) + " is " + type_text(buffer.type, buffer.dims) + ", not " +
                                            type_text(compiled.parameters[i].type, compiled.parameters[i].dims));
    arguments.push_back({std::move(memory), buffer.data.ready(), false});
  }
  return arguments;
}

Result<void> take_donated(const Compiled& compiled, const PJRT_ExecuteOptions& options, PJRT_Buffer* const* list,
                          std::vector<runtime::Argument>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!compiled.parameters[i].donated || kept(options, i)) continue;
    arguments[i].memory = nullptr;
    auto taken = list[i]->data.take();
    if (!taken.memory) return fail(Code::BufferDeleted, what(compiled, i) + " was donated by another thread");
    arguments[i].memory = std::move(taken.memory);
    arguments[i].donated = taken.alone;
  }
  return {};
}

// One list of arguments, one of results and one event for each device, in the order of the assignment.
PJRT_Error* execute_group(PJRT_LoadedExecutable_Execute_Args& args) {
  PJRT_LoadedExecutable& loaded = *args.executable;
  const Compiled& compiled = *loaded.compiled;
  if (args.execute_device != nullptr || args.num_devices != loaded.devices.size())
    return make_error(fail(Code::ArgumentsUnfit, std::to_string(args.num_devices) + " lists of arguments for the " +
                                                     std::to_string(loaded.devices.size()) + " devices of " + compiled.name));
  std::vector<runtime::Core*> cores;
  std::vector<std::vector<runtime::Argument>> arguments;
  const auto list_of = [&](std::size_t d) { return args.num_args == 0 ? nullptr : args.argument_lists[d]; };
  for (std::size_t d = 0; d < loaded.devices.size(); ++d) {
    cores.push_back(loaded.devices[d]->core.get());
    auto list = find_arguments(compiled, list_of(d), args.num_args);
    if (!list) return make_error(list.failure());
    arguments.push_back(std::move(*list));
  }
  for (std::size_t d = 0; d < loaded.devices.size(); ++d)
    if (auto taken = take_donated(compiled, *args.options, list_of(d), arguments[d]); !taken) return make_error(taken.failure());
  auto runs = runtime::execute(loaded.group, cores, std::move(arguments));
  if (!runs) return make_error(runs.failure());
  for (std::size_t d = 0; d < cores.size(); ++d) {
    runtime::Execution& run = (*runs)[d];
    for (std::size_t i = 0; i < compiled.results.size(); ++i) {
      const Port& port = compiled.results[i];
      Memory& memory = memory_of(loaded.devices[d]->memories[static_cast<std::size_t>(port.kind)]);
      args.output_lists[d][i] = new PJRT_Buffer(&memory, port.type, port.dims, std::move(run.outputs[i]), run.done);
    }
    if (args.device_complete_events != nullptr) args.device_complete_events[d] = new PJRT_Event{run.done};
  }
  return nullptr;
}

PJRT_Error* execute(PJRT_LoadedExecutable_Execute_Args& args) {
  PJRT_LoadedExecutable& loaded = *args.executable;
  const Compiled& compiled = *loaded.compiled;
  if (loaded.deleted) return make_error(fail(Code::PjrtArgument, compiled.name + " is deleted"));
  if (loaded.group) return execute_group(args);
  PJRT_Device* device = args.execute_device;
  if (device == nullptr) {
    if (args.num_devices != loaded.devices.size())
      return make_error(fail(Code::ArgumentsUnfit, std::to_string(args.num_devices) + " lists of arguments for the " +
                                                       std::to_string(loaded.devices.size()) + " devices of " +
                                                       compiled.name));
    device = loaded.devices.front();
  }
  PJRT_Buffer* const* list = args.num_args == 0 ? nullptr : args.argument_lists[0];
  auto arguments = find_arguments(compiled, list, args.num_args);
  if (!arguments) return make_error(arguments.failure());
  if (auto taken = take_donated(compiled, *args.options, list, *arguments); !taken) return make_error(taken.failure());
  auto run = runtime::execute(loaded.program, *device->core, std::move(*arguments));
  if (!run) return make_error(run.failure());
  for (std::size_t i = 0; i < compiled.results.size(); ++i) {
    const Port& port = compiled.results[i];
    Memory& memory = memory_of(device->memories[static_cast<std::size_t>(port.kind)]);
    args.output_lists[0][i] = new PJRT_Buffer(&memory, port.type, port.dims, std::move(run->outputs[i]), run->done);
  }
  if (args.device_complete_events != nullptr) args.device_complete_events[0] = new PJRT_Event{run->done};
  return nullptr;
}

}  // namespace

void fill_execute(PJRT_Api& api) {
  api.PJRT_LoadedExecutable_Execute = [](PJRT_LoadedExecutable_Execute_Args* args) { return guarded<execute>(args); };
}

}  // namespace openneuron::pjrt
