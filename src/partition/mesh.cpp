#include "partition/mesh.h"

#include <algorithm>

#include "partition/cursor.h"

namespace openneuron::partition {
namespace {

Failure unreadable(std::string_view text, const std::string& what) {
  return fail(Code::PartitionSharding, "'" + std::string(text) + "': " + what);
}

// The coordinate of a part of an axis at place `place` of the mesh.
std::int64_t coordinate(const Mesh& mesh, const AxisPart& part, std::int64_t place) {
  for (std::size_t a = mesh.axes.size(); a-- > part.axis + 1;) place /= mesh.axes[a].size;
  const std::int64_t whole = mesh.axes[part.axis].size;
  return place % whole / (whole / (part.before * part.size)) % part.size;
}

// Places of the mesh by their number along `parts` (row-major); within one number in order.
std::vector<std::vector<std::int64_t>> buckets(const Mesh& mesh, const std::vector<AxisPart>& parts) {
  std::int64_t count = 1;
  for (const AxisPart& p : parts) count *= p.size;
  std::vector<std::vector<std::int64_t>> out(static_cast<std::size_t>(count));
  for (std::int64_t place = 0; place < mesh.size(); ++place) {
    std::int64_t number = 0;
    for (const AxisPart& p : parts) number = number * p.size + coordinate(mesh, p, place);
    out[static_cast<std::size_t>(number)].push_back(mesh.order.empty() ? place : mesh.order[static_cast<std::size_t>(place)]);
  }
  return out;
}

// <["a"=2, "b"=4], device_ids=[...]>
Result<void> read_mesh(Cursor& c, std::string_view text, Mesh& mesh) {
  if (!c.accept("<[")) return unreadable(text, "no mesh");
  while (!c.accept("]")) {
    Axis axis;
    if (!c.quoted(axis.name) || !c.accept("=") || !c.integer(axis.size) || axis.size < 1) return unreadable(text, "an axis is not of the form \"name\"=size");
    if (mesh.size() > (1 << 20) / axis.size) return unreadable(text, "the mesh is too large");
    mesh.axes.push_back(std::move(axis));
    c.accept(",");
  }
  if (c.accept(",")) {
    if (!c.accept("device_ids=[")) return unreadable(text, "a part of it is not known");
    while (!c.accept("]")) {
      std::int64_t id = 0;
      if (!c.integer(id)) return unreadable(text, "a device is no number");
      mesh.order.push_back(id);
      c.accept(",");
    }
  }
  if (!c.accept(">")) return unreadable(text, "the mesh does not end");
  return {};
}

}  // namespace

std::int64_t Mesh::size() const {
  std::int64_t n = 1;
  for (const Axis& a : axes) n *= a.size;
  return n;
}

std::optional<std::size_t> Mesh::find(std::string_view axis) const {
  for (std::size_t a = 0; a < axes.size(); ++a)
    if (axes[a].name == axis) return a;
  return std::nullopt;
}

bool AxisSharding::empty() const {
  return std::all_of(dims.begin(), dims.end(), [](const auto& parts) { return parts.empty(); });
}
std::int64_t AxisSharding::parts(std::size_t dim) const {
  std::int64_t n = 1;
  for (const AxisPart& p : dims[dim]) n *= p.size;
  return n;
}

Result<Meshes> Meshes::read(const graph::Module& module, std::int64_t partitions) {
  Meshes out;
  out.partitions_ = partitions;
  for (const std::string& text : module.extra_ops) {
    Cursor c(text);
    if (!c.accept("sdy.mesh @")) continue;
    Mesh mesh;
    if (!c.quoted(mesh.name)) mesh.name = c.word();
    if (!c.accept("=")) return unreadable(text, "no mesh");
    ON_TRY(read_mesh(c, text, mesh));
    // One device without axes: everything lies there (a maximal mesh). Meshes without axes cut nothing.
    if (mesh.axes.empty()) mesh.order.clear();
    if (!mesh.axes.empty() && mesh.size() != partitions)
      return unreadable(text, "it has " + std::to_string(mesh.size()) + " places, the program " + std::to_string(partitions) + " partitions");
    std::vector<std::int64_t> sorted = mesh.order;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i)
      if (sorted.size() != static_cast<std::size_t>(mesh.size()) || sorted[i] != static_cast<std::int64_t>(i))
        return unreadable(text, "its devices are not the partitions, each once");
    out.meshes_.push_back(std::move(mesh));
  }
  return out;
}

const Mesh* Meshes::find(std::string_view name) const {
  for (const Mesh& m : meshes_)
    if (m.name == name) return &m;
  return nullptr;
}

// <@mesh, [{"a", "b":(1)2}, {?}p1], replicated={"c"}, unreduced={"d"}>
Result<AxisSharding> Meshes::sharding_at(Cursor& c, std::string_view text) const {
  AxisSharding out;
  if (!c.accept("<")) return unreadable(text, "no sharding");
  if (!c.accept("@")) return unreadable(text, "a mesh of its own is not read");
  std::string name;
  if (!c.quoted(name)) name = c.word();
  out.mesh = find(name);
  if (out.mesh == nullptr) return unreadable(text, "the module has no mesh @" + name);
  const auto axes = [&](std::vector<AxisPart>& parts) -> Result<void> {
    if (!c.accept("{")) return unreadable(text, "a dimension has no braces");
    while (!c.accept("}")) {
      if (c.accept("?")) continue;
      std::string axis;
      if (!c.quoted(axis)) return unreadable(text, "an axis has no name");
      const auto found = out.mesh->find(axis);
      if (!found) return unreadable(text, "mesh @" + name + " has no axis \"" + axis + "\"");
      AxisPart part{*found, 1, out.mesh->axes[*found].size};
      if (c.accept(":(") && (!c.integer(part.before) || !c.accept(")") || !c.integer(part.size) || part.before < 1 || part.size < 1 ||
                             out.mesh->axes[*found].size % part.before != 0 || out.mesh->axes[*found].size / part.before % part.size != 0))
        return unreadable(text, "a part of axis \"" + axis + "\" does not divide it");
      parts.push_back(part);
      c.accept(",");
    }
    return {};
  };
  if (!c.accept(",") || !c.accept("[")) return unreadable(text, "it lists no dimensions");
  while (!c.accept("]")) {
    ON_TRY(axes(out.dims.emplace_back()));
    std::int64_t priority = 0;
    if (c.accept("p") && !c.integer(priority)) return unreadable(text, "a priority is no number");
    c.accept(",");
  }
  while (c.accept(",")) {
    std::vector<AxisPart> rest;
    out.unreduced = out.unreduced || c.accept("unreduced=") || c.accept("unreduced ");
    c.accept("replicated=");
    ON_TRY(axes(rest));
  }
  if (!c.accept(">")) return unreadable(text, "a part of it is not known");
  return out;
}

Result<AxisSharding> Meshes::sharding(std::string_view text) const {
  Cursor c(text);
  c.accept("#sdy.sharding");
  return sharding_at(c, text);
}

Result<std::vector<AxisSharding>> Meshes::per_value(std::string_view text) const {
  Cursor c(text);
  std::vector<AxisSharding> out;
  if (!c.accept("#sdy.sharding_per_value<") || !c.accept("[")) return unreadable(text, "no list of shardings");
  while (!c.accept("]")) {
    auto one = sharding_at(c, text);
    if (!one) return one.failure();
    out.push_back(std::move(*one));
    c.accept(",");
  }
  return out;
}

std::vector<std::string> manual_axes(std::string_view text) {
  Cursor c(text);
  std::vector<std::string> out;
  if (!c.accept("#sdy<manual_axes") || !c.accept("{")) return out;
  std::string name;
  while (c.quoted(name)) {
    out.push_back(name);
    c.accept(",");
  }
  return out;
}

Sharding to_tiles(const AxisSharding& s) {
  std::vector<AxisPart> parts;
  std::vector<std::int64_t> tiles, holders;
  for (std::size_t d = 0; d < s.dims.size(); ++d) {
    tiles.push_back(s.parts(d));
    parts.insert(parts.end(), s.dims[d].begin(), s.dims[d].end());
  }
  if (s.empty()) return {};
  const auto held = buckets(*s.mesh, parts);
  for (const auto& bucket : held) holders.insert(holders.end(), bucket.begin(), bucket.end());
  const auto copies = static_cast<std::int64_t>(held[0].size());
  if (copies > 1) tiles.push_back(copies);
  return tiled(std::move(tiles), std::move(holders), copies > 1);
}

AxisSharding only_axes(const AxisSharding& sharding, const std::vector<std::string>& axes) {
  AxisSharding out = sharding;
  for (auto& parts : out.dims)
    parts.erase(std::remove_if(parts.begin(), parts.end(),
                               [&](const AxisPart& p) { return std::find(axes.begin(), axes.end(), out.mesh->axes[p.axis].name) == axes.end(); }),
                parts.end());
  return out;
}

std::vector<std::vector<std::int64_t>> groups_along(const Mesh& mesh, const std::vector<AxisPart>& axes) {
  const auto members = buckets(mesh, axes);
  std::vector<std::vector<std::int64_t>> groups(members[0].size());
  for (const auto& bucket : members)
    for (std::size_t g = 0; g < bucket.size(); ++g) groups[g].push_back(bucket[g]);
  return groups;
}

}  // namespace openneuron::partition
