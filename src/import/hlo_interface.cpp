// The entry's surroundings: donations, the names of variables, layouts of parameters and results.
#include <algorithm>

#include "import/hlo_build.h"

namespace openneuron::import::hlo {
namespace {

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    std::string_view part = text.substr(0, comma);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    parts.push_back(part);
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

// The text of one frontend attribute, or nothing.
std::string_view frontend_text(Bytes attributes, std::string_view key, Source& source) {
  for (const auto& [name, value] : read_frontend_attributes(attributes, source)) {
    if (name == key) return value;
  }
  return {};
}

}  // namespace

void Builder::entry_interface(graph::Function& function) {
  const Frame& f = frame();
  const Computation& c = *f.computation;
  std::vector<graph::NamedAttributes> parameters(function.parameter_count()),
      results(function.result_attributes.size());
  std::uint32_t first = 0;
  for (const std::uint32_t index : c.parameters) {
    const InstructionHead& head = structure_.instructions[c.first + index];
    head_ = &head;
    Instruction in;
    in.read(head.record, source_);
    const Shape& shape = shapes_.read(in.shape);
    if (source_.failed) return;
    const auto names = split(frontend_text(in.frontend_attributes, "neff_input_names", source_));
    for (std::size_t i = 0; i < shape.leaves.size(); ++i) {
      if (names.size() == shape.leaves.size() && !names[i].empty())
        parameters[first + i].emplace_back("neff.name", module_.string_attr(names[i]));
    }
    if (shape.leaves.size() == 1) maker_.add_extra(in, parameters[first]);
    first += static_cast<std::uint32_t>(shape.leaves.size());
  }
  const InstructionHead& root = structure_.instructions[c.first + c.root];
  head_ = &root;
  Instruction in;
  in.read(root.record, source_);
  const auto names = split(frontend_text(in.frontend_attributes, "neff_output_names", source_));
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (names.size() == results.size() && !names[i].empty())
      results[i].emplace_back("neff.name", module_.string_attr(names[i]));
  }
  check_layouts();
  donations(parameters);
  if (source_.failed) return;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].empty()) function.parameter_attributes[i] = module_.dictionary(std::move(parameters[i]));
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].empty()) function.result_attributes[i] = module_.dictionary(std::move(results[i]));
  }
}

// Within a module layouts say nothing that matters here: only the callers' arrays and literals lie in memory. XLA's
// builders leave on results what they inferred, and callers get row-major arrays all the same; of results only tiles
// would change what a caller gets. Without an interface the parameters' own layouts are the callers'.
void Builder::check_layouts() {
  const Computation& c = *frame().computation;
  head_ = nullptr;
  std::size_t inputs = 0;
  Message m(structure_.interface, source_);
  while (m.next()) {
    if (m.number() > 2) continue;
    const Shape& shape = shapes_.read(m.bytes());
    if (m.number() == 1 && !shape.plain)
      return fail(Code::HloLayout, "parameter " + std::to_string(inputs) + " is tiled, or not row-major");
    if (m.number() == 2 && shape.tiled) return fail(Code::HloLayout, "the result is tiled");
    inputs += m.number() == 1;
  }
  if (source_.failed || inputs != 0) return;
  for (const std::uint32_t index : c.parameters) {
    head_ = &structure_.instructions[c.first + index];
    Instruction in;
    in.read(head_->record, source_);
    if (!shapes_.read(in.shape).plain) return fail(Code::HloLayout, "a parameter is tiled, or not row-major");
  }
}

void Builder::donations(std::vector<graph::NamedAttributes>& parameters) {
  const Computation& c = *frame().computation;
  std::vector<std::uint32_t> first;  // leaf of each parameter
  std::uint32_t leaves = 0;
  std::vector<Bytes> shapes;
  for (const std::uint32_t index : c.parameters) {
    Instruction in;
    in.read(structure_.instructions[c.first + index].record, source_);
    first.push_back(leaves);
    shapes.push_back(in.shape);
    leaves += static_cast<std::uint32_t>(shapes_.read(in.shape).leaves.size());
  }
  Instruction root;
  root.read(structure_.instructions[c.first + c.root].record, source_);
  std::vector<bool> taken(parameters.size(), false);
  head_ = nullptr;
  for (const auto* table : {&structure_.aliases, &structure_.donors}) {
    for (const Alias& alias : *table) {
      const auto number = static_cast<std::uint64_t>(alias.parameter);
      std::uint32_t leaf = kNone, output = 0;
      if (alias.parameter >= 0 && number < shapes.size())
        leaf = shapes_.leaf(shapes[static_cast<std::size_t>(number)], alias.parameter_path);
      const bool donor = table == &structure_.donors;
      if (!donor) output = shapes_.leaf(root.shape, alias.output_path);
      if (leaf == kNone || output == kNone)
        return fail(Code::HloMalformed,
                    "an alias of inputs and outputs names a parameter or a result that is not there");
      leaf += first[static_cast<std::size_t>(number)];
      if (taken[leaf]) continue;
      taken[leaf] = true;
      if (donor)
        parameters[leaf].emplace_back("jax.buffer_donor", module_.bool_attr(true));
      else
        parameters[leaf].emplace_back("tf.aliasing_output", module_.int_attr(output, ElementType::I32));
    }
  }
}

}  // namespace openneuron::import::hlo
