#include "partition/partition.h"

#include <algorithm>
#include <string>

#include "partition/divide.h"
#include "partition/mesh.h"
#include "partition/propagate.h"

namespace openneuron::partition {
namespace {

using graph::Function;
using graph::Module;

/// What a dictionary of a parameter or result says of its sharding.
struct Stated {
  bool given = false;
  Sharding tiles;
  AxisSharding axes;  ///< of Shardy only
};

Result<Stated> stated(const Module& m, const Meshes& meshes, AttrId dictionary) {
  Stated out;
  if (!dictionary.valid()) return out;
  if (const AttrId id = m.lookup(dictionary, "sdy.sharding"); id.valid()) {
    auto axes = meshes.sharding(m.attribute(id).text);
    if (!axes) return axes.failure();
    if (axes->unreduced) return fail(Code::PartitionUnsupported, "an argument or result is unreduced: " + m.attribute(id).text);
    out = {true, to_tiles(*axes), std::move(*axes)};
  } else if (const AttrId text = m.lookup(dictionary, "mhlo.sharding"); text.valid()) {
    auto tiles = read_hlo_sharding(m.attribute(text).text);
    if (!tiles) return tiles.failure();
    out = {true, std::move(*tiles), {}};
  }
  return out;
}

// Arrays of one shape on every core: JAX has no others.
Result<void> check(const Module& m, const Function& f, ValueId v, const Sharding& s, const std::string& what) {
  const graph::Type& type = m.value_type(f, v);
  if (type.kind != graph::TypeKind::Tensor) return {};
  auto shape = s.shard_shape(type.shape);
  if (shape) return {};
  Failure failure = shape.failure();
  failure.diagnostic().place.op = what;
  return failure;
}

// A donor (jax.buffer_donor) is a donation whose result JAX leaves to the compiler, because it does not know how results
// lie: the first one of its type and sharding that no other donation takes.
void find_results_of_donors(Module& m, const Partitioned& out) {
  Function& f = m.function(m.entry());
  const auto returned = f.operands(f.terminator());
  std::vector<bool> taken(returned.size(), false);
  std::vector<ValueId> donors;
  for (ValueId p : f.parameters()) {
    const AttrId given = f.parameter_attributes[p.index];
    if (!given.valid()) continue;
    const AttrId alias = m.lookup(given, "tf.aliasing_output");
    if (alias.valid() && m.attribute(alias).integer >= 0 && m.attribute(alias).integer < static_cast<std::int64_t>(taken.size()))
      taken[static_cast<std::size_t>(m.attribute(alias).integer)] = true;
    else if (!alias.valid() && m.lookup(given, "jax.buffer_donor").valid())
      donors.push_back(p);
  }
  for (ValueId p : donors)
    for (std::size_t r = 0; r < returned.size(); ++r) {
      if (taken[r] || f.type(returned[r]) != f.type(p) || out.results[r] != out.parameters[p.index]) continue;
      taken[r] = true;
      const AttrId given = f.parameter_attributes[p.index];
      std::vector<std::pair<std::string, AttrId>> pairs = {{"tf.aliasing_output", m.int_attr(static_cast<std::int64_t>(r), ElementType::I32)}};
      for (std::size_t i = 0; i < m.attribute(given).names.size(); ++i) pairs.emplace_back(m.attribute(given).names[i], m.attribute(given).items[i]);
      f.parameter_attributes[p.index] = m.dictionary(std::move(pairs));
      break;
    }
}

}  // namespace

Result<Partitioned> partition(Module module, const Request& request) {
  const FunctionId entry = module.entry();
  if (!entry.valid())
    return fail(Code::NoEntry, "the module has no public function to compile", "Name the entry function @main and make it public.");
  if (request.replicas > 1) return fail(Code::PartitionUnsupported, "the program has " + std::to_string(request.replicas) + " replicas; cores are partitions of one");
  Partitioned out;
  out.partitions = std::max(1, request.partitions);
  const Function& f = module.function(entry);
  const auto returned = f.operands(f.terminator());
  out.parameters.resize(f.parameter_count());
  out.results.resize(returned.size());
  out.parameter_passing.assign(out.parameters.size(), Passing::Whole);
  out.result_passing.assign(out.results.size(), Passing::Whole);
  if (out.partitions == 1) {
    find_results_of_donors(module, out);
    out.module = std::move(module);
    return out;
  }
  auto meshes = Meshes::read(module, out.partitions);
  if (!meshes) return meshes.failure();
  std::vector<AxisSharding> axes(out.parameters.size());
  for (ValueId p : f.parameters()) {
    auto s = stated(module, *meshes, f.parameter_attributes[p.index]);
    if (!s) return s.failure();
    ON_TRY(check(module, f, p, s->tiles, "argument " + std::to_string(p.index)));
    out.parameters[p.index] = std::move(s->tiles);
    axes[p.index] = std::move(s->axes);
  }
  bool all_stated = true;
  std::vector<bool> is_stated(returned.size(), false);
  for (std::size_t i = 0; i < returned.size(); ++i) {
    auto s = stated(module, *meshes, i < f.result_attributes.size() ? f.result_attributes[i] : AttrId());
    if (!s) return s.failure();
    is_stated[i] = s->given;
    all_stated = all_stated && s->given;
    out.results[i] = std::move(s->tiles);
    ON_TRY(check(module, f, returned[i], out.results[i], "result " + std::to_string(i)));
  }
  if (!all_stated) {
    const std::vector<AxisSharding> found = propagate(module, *meshes, axes);
    for (std::size_t i = 0; i < returned.size(); ++i)
      if (!is_stated[i] && !found[i].empty()) out.results[i] = to_tiles(found[i]);
  }
  find_results_of_donors(module, out);
  if (has_manual_parts(module)) {
    ON_TRY(divide(std::move(module), *meshes, out));
  } else {
    out.module = std::move(module);
  }
  return out;
}

}  // namespace openneuron::partition
