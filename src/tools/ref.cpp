#include "ref/ref.h"

#include <algorithm>
#include <cstring>

#include "import/import.h"
#include "tile/text.h"
#include "tools/commands.h"
#include "tools/program.h"

namespace openneuron::tools {
namespace {

Failure no_tensor(const Source& source, const std::string& name) {
  Place place;
  place.file = source.file;
  return fail(Code::FormatUnfit, place, name + " is no tensor of known size: the interpreter runs tensor programs");
}

Result<Port> port_of(const graph::Module& module, const graph::Function& f, ValueId value, std::string name,
                     const Source& source) {
  const graph::Type& type = module.value_type(f, value);
  if (type.kind != graph::TypeKind::Tensor) return no_tensor(source, name);
  std::int64_t bytes = byte_width(type.element);
  for (std::int64_t d : type.shape) {
    if (d < 0 || (d > 0 && bytes > (std::int64_t{1} << 40) / d)) return no_tensor(source, name);
    bytes *= d;
  }
  return Port{std::move(name), type.element, type.shape, bytes, -1};
}

Result<Signature> graph_signature(const graph::Module& module, const graph::Function& f, const Source& source) {
  Signature s;
  for (ValueId v : f.parameters()) {
    auto port = port_of(module, f, v, "input" + std::to_string(s.inputs.size()), source);
    if (!port) return port.failure();
    s.inputs.push_back(std::move(*port));
  }
  for (ValueId v : f.operands(f.terminator())) {
    auto port = port_of(module, f, v, "output" + std::to_string(s.outputs.size()), source);
    if (!port) return port.failure();
    s.outputs.push_back(std::move(*port));
  }
  for (std::size_t i = 0; i < s.inputs.size() && i < f.parameter_attributes.size(); ++i) {
    if (!f.parameter_attributes[i].valid()) continue;
    const AttrId alias = module.lookup(f.parameter_attributes[i], "tf.aliasing_output");
    if (!alias.valid()) continue;
    const std::int64_t to = module.attribute(alias).integer;
    if (to < 0 || to >= static_cast<std::int64_t>(s.outputs.size())) continue;
    Port& output = s.outputs[static_cast<std::size_t>(to)];
    if (output.type == s.inputs[i].type && output.shape == s.inputs[i].shape) output.aliases = static_cast<int>(i);
  }
  return s;
}

// Outputs over the steps: a donated one is its last value, others are stacked.
struct Collected {
  const Signature& signature;
  std::int64_t steps;
  bool float64;
  std::vector<std::vector<std::byte>> data;

  void add(std::size_t i, std::vector<std::byte> bytes) {
    if (signature.outputs[i].aliases >= 0) data[i].clear();
    data[i].insert(data[i].end(), bytes.begin(), bytes.end());
  }
  std::vector<Array> arrays() const {
    std::vector<Array> out;
    for (std::size_t i = 0; i < data.size(); ++i) {
      const Port& port = signature.outputs[i];
      NumpyType numpy = numpy_type(port.type);
      if (float64 && is_float(port.type)) numpy = {'f', 8};
      Array a;
      a.name = port.name;
      a.kind = numpy.kind;
      a.width = numpy.width;
      a.shape = port.shape;
      if (steps > 0 && port.aliases < 0) a.shape.insert(a.shape.begin(), steps);
      a.bytes = data[i];
      out.push_back(std::move(a));
    }
    return out;
  }
};

std::span<const std::byte> slice(const Feed& feed, const Port& port, std::int64_t step) {
  const auto size = static_cast<std::size_t>(port.bytes);
  return feed.bytes.subspan(feed.stepped ? static_cast<std::size_t>(step) * size : 0, size);
}

Result<void> deliver(const Collected& collected, const Arguments& a) {
  const auto arrays = collected.arrays();
  if (!a.outputs.empty()) return write_npz(a.outputs, arrays);
  return print(summary(arrays, collected.signature));
}

Result<void> ref_graph(const Source& source, const Arguments& a, Progress& progress) {
  auto module = import::read(source.bytes.bytes, source.file, source.bytes.owner);
  if (!module) return module.failure();
  const FunctionId entry = module->entry();
  if (!entry.valid()) {
    Place place;
    place.file = source.file;
    return fail(Code::FormatUnfit, place, "the module has no function main and not exactly one public function");
  }
  auto signature = graph_signature(*module, module->function(entry), source);
  if (!signature) return signature.failure();
  auto feeds = feeds_for(*signature, a);
  if (!feeds) return feeds.failure();

  ref::Options options;
  options.step_limit = a.step_limit;
  std::vector<ref::Tensor> inputs(signature->inputs.size());
  std::vector<int> donated(inputs.size(), 0);
  for (const Port& output : signature->outputs)
    if (output.aliases >= 0) donated[static_cast<std::size_t>(output.aliases)] = 1;
  Collected collected{*signature, a.steps, a.float64, std::vector<std::vector<std::byte>>(signature->outputs.size())};
  const std::int64_t steps = std::max<std::int64_t>(a.steps, 1);
  for (std::int64_t step = 0; step < steps; ++step) {
    progress.update("interpret", static_cast<double>(step) / static_cast<double>(steps));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (step > 0 && (donated[i] || !(*feeds)[i].stepped)) continue;
      const Port& port = signature->inputs[i];
      inputs[i] = ref::from_bytes(port.type, port.shape, slice((*feeds)[i], port, step));
    }
    auto outputs = ref::run_graph(*module, inputs, options);
    if (!outputs) {
      Failure failure = outputs.failure();
      if (failure.diagnostic().place.file.empty()) failure.diagnostic().place.file = source.file;
      return failure;
    }
    for (std::size_t i = 0; i < outputs->size() && i < signature->outputs.size(); ++i) {
      const Port& port = signature->outputs[i];
      ref::Tensor& tensor = (*outputs)[i];
      std::vector<std::byte> bytes = ref::to_bytes(tensor);
      if (a.float64 && is_float(port.type)) {
        collected.add(i, [&] {
          ref::Tensor wide = tensor;
          wide.type = ElementType::F64;
          return ref::to_bytes(wide);
        }());
        if (port.aliases >= 0) inputs[static_cast<std::size_t>(port.aliases)] = std::move(tensor);
        continue;
      }
      if (port.aliases >= 0)
        inputs[static_cast<std::size_t>(port.aliases)] = ref::from_bytes(port.type, port.shape, bytes);
      collected.add(i, std::move(bytes));
    }
  }
  return deliver(collected, a);
}

Result<void> ref_tile(const Source& source, const Arguments& a, Progress& progress) {
  auto module = tile::parse(source.bytes.text(), source.file);
  if (!module) return module.failure();
  auto machine = choose_machine(a, module->target, source.file);
  if (!machine) return machine.failure();
  ON_TRY(tile::verify(*module, **machine));

  // The variables of the module as a program's: an output that shares an input's memory is donated.
  Signature signature;
  std::vector<BufferId> input_buffers, output_buffers;
  for (std::size_t i = 0; i < module->buffers.size(); ++i) {
    const tile::Buffer& b = module->buffers[BufferId(i)];
    if (!isa::is_hbm(b.space)) continue;
    const Port port{b.name, b.variable.type, b.variable.shape, b.bytes, -1};
    if (b.variable.kind == isa::VariableKind::Input) {
      signature.inputs.push_back(port);
      input_buffers.push_back(BufferId(i));
    } else if (b.variable.kind == isa::VariableKind::Output) {
      signature.outputs.push_back(port);
      output_buffers.push_back(BufferId(i));
    }
  }
  for (std::size_t i = 0; i < output_buffers.size(); ++i)
    for (std::size_t k = 0; k < input_buffers.size(); ++k)
      if (module->buffers[output_buffers[i]].alias == input_buffers[k])
        signature.outputs[i].aliases = static_cast<int>(k);
  auto feeds = feeds_for(signature, a);
  if (!feeds) return feeds.failure();

  std::int64_t total = 0;
  Column<BufferId, std::vector<std::byte>> hbm(module->buffers.size());
  for (std::size_t i = 0; i < module->buffers.size(); ++i) {
    const tile::Buffer& b = module->buffers[BufferId(i)];
    if (!isa::is_hbm(b.space)) continue;
    total += b.bytes;
    if (b.bytes < 0 || total > (*machine)->hbm_bytes)
      return fail(Code::MemoryExhausted, "the program's buffers need more than the core's HBM");
    auto& memory = hbm[BufferId(i)];
    memory.resize(static_cast<std::size_t>(b.bytes));
    const auto data = b.variable.data;
    if (data.empty()) continue;
    for (std::size_t at = 0; at < memory.size(); at += data.size())
      std::memcpy(memory.data() + at, data.data(), std::min(data.size(), memory.size() - at));
  }
  Collected collected{signature, a.steps, false, std::vector<std::vector<std::byte>>(signature.outputs.size())};
  const std::int64_t steps = std::max<std::int64_t>(a.steps, 1);
  for (std::int64_t step = 0; step < steps; ++step) {
    progress.update("interpret", static_cast<double>(step) / static_cast<double>(steps));
    for (std::size_t i = 0; i < input_buffers.size(); ++i) {
      const Feed& feed = (*feeds)[i];
      if (step > 0 && !feed.stepped) continue;
      const auto bytes = slice(feed, signature.inputs[i], step);
      std::copy(bytes.begin(), bytes.end(), hbm[input_buffers[i]].begin());
    }
    ON_TRY(ref::run_tile(*module, **machine, hbm));
    for (std::size_t i = 0; i < output_buffers.size(); ++i) {
      const int aliases = signature.outputs[i].aliases;
      collected.add(i, hbm[aliases >= 0 ? input_buffers[static_cast<std::size_t>(aliases)] : output_buffers[i]]);
    }
  }
  return deliver(collected, a);
}

}  // namespace

Result<void> ref(const Arguments& a) {
  auto source = open_source(a.file);
  if (!source) return source.failure();
  Progress progress;
  if (source->format == FileFormat::TileText) return ref_tile(*source, a, progress);
  if (source->format == FileFormat::Neff || source->format == FileFormat::StreamText) {
    Place place;
    place.file = source->file;
    return fail(
        Code::FormatUnfit, place,
        std::string("this is ") + format_name(source->format) + "; the oracle interprets the graph and the tile level");
  }
  return ref_graph(*source, a, progress);
}

}  // namespace openneuron::tools
