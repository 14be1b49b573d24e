// Programs in, code out.
#include <algorithm>

#include "base/hash.h"
#include "graph/module.h"
#include "graph/print.h"
#include "import/import.h"
#include "partition/partition.h"
#include "pjrt/api.h"
#include "pjrt/compile_trace.h"
#include "pjrt/error.h"
#include "pjrt/executable.h"

namespace openneuron::pjrt {
namespace {

MemoryKind kind_of(const graph::Module& m, AttrId dictionary) {
  const AttrId kind = dictionary.valid() ? m.lookup(dictionary, "mhlo.memory_kind") : AttrId();
  if (kind.valid())
    for (MemoryKind k : {MemoryKind::PinnedHost, MemoryKind::UnpinnedHost})
      if (m.attribute(kind).text == kMemoryKinds[static_cast<std::size_t>(k)]) return k;
  return MemoryKind::Device;
}

Result<Port> port_of(const graph::Module& m, const graph::Function& f, ValueId value, AttrId attributes) {
  const graph::Type& type = m.value_type(f, value);
  Port port;
  if (type.kind == graph::TypeKind::Token) {  // nothing is carried: a client gives and takes bool[0]
    port.type = ElementType::I1;
    port.dims = {0};
    return port;
  }
  port.type = type.element;
  port.dims = type.shape;
  port.kind = kind_of(m, attributes);
  for (std::int64_t n : port.dims)
    if (n < 0) return fail(Code::DynamicShape, "the program has an argument or a result with a dynamic dimension");
  return port;
}

Result<void> read_signature(const graph::Module& m, Compiled& out) {
  const FunctionId entry = m.entry();
  if (!entry.valid()) return fail(Code::NoEntry, "the module has no entry function");
  const graph::Function& f = m.function(entry);
  for (ValueId p : f.parameters()) {
    const AttrId attributes = f.parameter_attributes[p.index];
    auto port = port_of(m, f, p, attributes);
    if (!port) return port.failure();
    port->donated = attributes.valid() && (m.lookup(attributes, "tf.aliasing_output").valid() || m.lookup(attributes, "jax.buffer_donor").valid());
    out.parameters.push_back(std::move(*port));
  }
  const auto results = f.operands(f.terminator());
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto port = port_of(m, f, results[i], i < f.result_attributes.size() ? f.result_attributes[i] : AttrId());
    if (!port) return port.failure();
    out.results.push_back(std::move(*port));
  }
  return {};
}

// From here on a port's dims are those of one device's shard.
Result<graph::Module> divide(graph::Module module, Compiled& out) {
  auto divided = partition::partition(std::move(module), {out.options.partitions, out.options.replicas});
  if (!divided) return divided.failure();
  out.everywhere = divided->everywhere;
  const auto take = [](std::vector<Port>& ports, const std::vector<partition::Sharding>& shardings, const std::vector<partition::Passing>& passing) -> Result<void> {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      ports[i].whole = ports[i].dims;
      ports[i].sharding = shardings[i];
      ports[i].passing = passing[i];
      auto shard = shardings[i].shard_shape(std::vector<std::int64_t>(ports[i].whole.begin(), ports[i].whole.end()));
      if (!shard) return shard.failure();
      ports[i].dims = Dims(shard->begin(), shard->end());
    }
    return {};
  };
  ON_TRY(take(out.parameters, divided->parameters, divided->parameter_passing));
  ON_TRY(take(out.results, divided->results, divided->result_passing));
  return std::move(divided->module);
}

runtime::GroupTensor tensor_of(const Port& port, int cores) {
  runtime::GroupTensor out;
  out.passed_as_shard = port.passing == partition::Passing::Shard;
  out.shards.element_bytes = byte_width(port.type);
  out.shards.shape.assign(port.whole.begin(), port.whole.end());
  out.shards.shard_shape.assign(port.dims.begin(), port.dims.end());
  for (int c = 0; c < cores; ++c) out.shards.starts.push_back(port.sharding.shard_start(out.shards.shape, c));
  return out;
}

// The one place where a compile cache would look a program up by `key` first.
Result<std::shared_ptr<const isa::Code>> compile_or_load(const std::string& key, graph::Module module,
                                                         const Machine& machine, const compile::Options& options, CompileTrace& trace) {
  (void)key;
  const std::int64_t start = trace.begin("compile");
  auto outcome = compile::compile(std::move(module), machine, options);
  if (!outcome) return outcome.failure();
  trace.add_passes(start, outcome->times);
  return std::make_shared<const isa::Code>(std::move(outcome->code));
}

std::string make_fingerprint(const Compiled& compiled, const PJRT_TopologyDescription& topology) {
  Sha256Stream hash;
  const auto add = [&](std::string_view text) { hash.add(std::as_bytes(std::span(text))); };
  add(topology.platform_version);
  add(compiled.machine->name);
  add(*compiled.source);
  add(environment_options());
  for (const auto& [name, value] : compiled.options.overrides) {
    add(name);
    if (const auto* text = std::get_if<std::string>(&value)) add(*text);
    if (const auto* flag = std::get_if<bool>(&value)) add(*flag ? "true" : "false");
    if (const auto* number = std::get_if<std::int64_t>(&value)) add(std::to_string(*number));
    if (const auto* real = std::get_if<double>(&value)) add(std::to_string(*real));
  }
  for (int device : compiled.options.devices) add(std::to_string(device) + ",");
  const Sha256 digest = hash.finish();
  return hex(std::span(digest).first(16));
}

}  // namespace

Result<std::shared_ptr<const Compiled>> compile_program(std::span<const std::byte> program, std::string_view format,
                                                        const CompileOptions& options,
                                                        const PJRT_TopologyDescription& topology, CompileTrace& trace) {
  if (format != "mlir" && format != "hlo")
    return fail(Code::PjrtArgument, "the program's format is \"" + std::string(format) + "\", not mlir or hlo");
  auto out = std::make_shared<Compiled>();
  out->options = options;
  out->machine = topology.machine;
  out->source = std::make_shared<const std::string>(reinterpret_cast<const char*>(program.data()), program.size());
  auto compiler = compiler_options(options, topology.machine->name);
  if (!compiler) return compiler.failure();
  out->chip_numerics = compiler->numerics == compile::Numerics::Chip;
  trace.begin("read");
  auto module = import::read(std::as_bytes(std::span(*out->source)), {}, out->source);
  if (!module) return module.failure();
  out->name = module->name.empty() ? "main" : module->name;
  trace.name(out->name);
  ON_TRY(read_signature(*module, *out));
  out->fingerprint = make_fingerprint(*out, topology);
  trace.begin("partition");
  auto divided = divide(std::move(*module), *out);
  if (!divided) return divided.failure();
  auto code = compile_or_load(out->fingerprint, std::move(*divided), *topology.machine, *compiler, trace);
  if (!code) return code.failure();
  out->code = std::move(*code);
  return std::shared_ptr<const Compiled>(std::move(out));
}

Result<PJRT_LoadedExecutable*> load(PJRT_Client* client, std::shared_ptr<const Compiled> compiled) {
  device::Options options;
  options.threads = client->threads;
  options.chip_numerics = compiled->chip_numerics;
  auto loaded = std::make_unique<PJRT_LoadedExecutable>(client);
  const int cores = compiled->options.partitions;
  if (cores > 1) {
    runtime::GroupPlan plan;
    plan.cores = static_cast<std::size_t>(cores);
    plan.everywhere = compiled->everywhere;
    for (const Port& port : compiled->parameters) plan.parameters.push_back(tensor_of(port, cores));
    for (const Port& port : compiled->results) plan.results.push_back(tensor_of(port, cores));
    // Cores that run at the same time share the host's threads.
    if (plan.everywhere) options.threads = std::max(1, options.threads / cores);
    auto group = runtime::GroupProgram::make(compiled->code, compiled->machine, options, std::move(plan));
    if (!group) return group.failure();
    loaded->group = std::move(*group);
  } else {
    auto program = runtime::Program::make(compiled->code, compiled->machine, options);
    if (!program) return program.failure();
    loaded->program = std::move(*program);
  }
  std::vector<int> ids = compiled->options.devices;
  if (ids.empty() && !compiled->options.portable)
    for (int i = 0; i < compiled->options.partitions; ++i) ids.push_back(i);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= static_cast<int>(client->device_list.size()))
      return fail(Code::PjrtArgument, "the program is for device " + std::to_string(ids[i]) + "; there are " +
                                          std::to_string(client->device_list.size()));
    loaded->devices.push_back(client->device_list[static_cast<std::size_t>(ids[i])]);
    loaded->logical_ids.push_back({});
    loaded->logical_ids.back().replica = 0;
    loaded->logical_ids.back().partition = static_cast<int>(i);
  }
  if (!ids.empty()) loaded->assignment = write_assignment(ids);
  loaded->compiled = std::move(compiled);
  return loaded.release();
}

namespace {

std::span<const std::byte> bytes_of(const char* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

Result<std::shared_ptr<const Compiled>> compile_for(const PJRT_Program& program, const char* options,
                                                    std::size_t options_size,
                                                    const PJRT_TopologyDescription& topology, CompileTrace& trace) {
  auto read = read_options(bytes_of(options, options_size));
  if (!read) return read.failure();
  return compile_program(bytes_of(program.code, program.code_size), {program.format, program.format_size}, *read,
                         topology, trace);
}

PJRT_Error* client_compile(PJRT_Client_Compile_Args& args) {
  CompileTrace trace;
  auto compiled = compile_for(*args.program, args.compile_options, args.compile_options_size, args.client->topology, trace);
  if (!compiled) return make_error(compiled.failure());
  trace.begin("load");
  auto loaded = load(args.client, std::move(*compiled));
  if (!loaded) return make_error(loaded.failure());
  args.executable = *loaded;
  return nullptr;
}

PJRT_Error* compile(PJRT_Compile_Args& args) {
  CompileTrace trace;
  auto compiled = compile_for(*args.program, args.compile_options, args.compile_options_size, *args.topology, trace);
  if (!compiled) return make_error(compiled.failure());
  args.executable = new PJRT_Executable;
  args.executable->compiled = std::move(*compiled);
  return nullptr;
}

PJRT_Error* client_load(PJRT_Client_Load_Args& args) {
  auto loaded = load(args.client, args.executable->compiled);
  if (!loaded) return make_error(loaded.failure());
  args.loaded_executable = *loaded;
  return nullptr;
}

PJRT_Error* deserialise_and_load(PJRT_Executable_DeserializeAndLoad_Args& args) {
  auto compiled =
      deserialise(bytes_of(args.serialized_executable, args.serialized_executable_size), args.client->topology);
  if (!compiled) return make_error(compiled.failure());
  // The options given now say on which devices it runs.
  if (ON_HAS_FIELD(args, overridden_serialized_compile_options_size) && args.overridden_serialized_compile_options_size > 0) {
    auto options = read_options(
        bytes_of(args.overridden_serialized_compile_options, args.overridden_serialized_compile_options_size));
    if (!options) return make_error(options.failure());
    auto moved = std::make_shared<Compiled>(**compiled);
    moved->options.devices = std::move(options->devices);
    *compiled = std::move(moved);
  }
  auto loaded = load(args.client, std::move(*compiled));
  if (!loaded) return make_error(loaded.failure());
  args.loaded_executable = *loaded;
  return nullptr;
}

}  // namespace

void fill_compile(PJRT_Api& api) {
  api.PJRT_Client_Compile = [](PJRT_Client_Compile_Args* args) { return guarded<client_compile>(args); };
  api.PJRT_Compile = [](PJRT_Compile_Args* args) { return guarded<compile>(args); };
  api.PJRT_Client_Load = [](PJRT_Client_Load_Args* args) { return guarded<client_load>(args); };
  api.PJRT_Executable_DeserializeAndLoad = [](PJRT_Executable_DeserializeAndLoad_Args* args) {
    return guarded<deserialise_and_load>(args);
  };
}

}  // namespace openneuron::pjrt
