#include "graph/module.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <unordered_map>

#include "graph/constant_hash.h"
#include "graph/intern_table.h"

namespace openneuron::graph {
namespace {

struct TypeTraits {
  static std::uint64_t hash(const Type& t) {
    HashMix mix;
    mix.word(static_cast<std::uint64_t>(t.kind) << 8 | static_cast<std::uint64_t>(t.element));
    for (std::int64_t d : t.shape) mix.word(static_cast<std::uint64_t>(d));
    for (std::int64_t d : t.bounds) mix.word(static_cast<std::uint64_t>(d));
    for (TypeId m : t.members) mix.word(m.index);
    mix.word(t.shape.size() << 16 | t.bounds.size() << 8 | t.members.size());
    mix.word(t.input_count);
    mix.text(t.text);
    return mix.result();
  }
  static bool same(const Type& a, const Type& b) { return a == b; }
};

struct AttributeTraits {
  static std::uint64_t hash(const Attribute& a) {
    HashMix mix;
    mix.word(static_cast<std::uint64_t>(a.kind) << 8 | static_cast<std::uint64_t>(a.element));
    mix.word(static_cast<std::uint64_t>(a.integer));
    mix.word(std::bit_cast<std::uint64_t>(a.real));
    mix.text(a.text);
    mix.text(a.dialect_name);
    for (std::int64_t i : a.integers) mix.word(static_cast<std::uint64_t>(i));
    for (std::int64_t i : a.shape) mix.word(static_cast<std::uint64_t>(i));
    for (const std::string& n : a.names) mix.text(n);
    for (AttrId i : a.items) mix.word(i.index);
    mix.word(a.integers.size() << 16 | a.items.size());
    mix.word(static_cast<std::uint64_t>(a.type.index) << 32 | a.constant.index);
    return mix.result();
  }
  // Floats compare by bits: -0.0 differs from 0.0 and a NaN equals itself.
  static bool same(const Attribute& a, const Attribute& b) {
    return a.kind == b.kind && a.element == b.element && a.integer == b.integer &&
           std::bit_cast<std::uint64_t>(a.real) == std::bit_cast<std::uint64_t>(b.real) && a.text == b.text &&
           a.dialect_name == b.dialect_name && a.integers == b.integers && a.shape == b.shape && a.names == b.names &&
           a.items == b.items && a.type == b.type && a.constant == b.constant;
  }
};

struct LocationTraits {
  static std::uint64_t hash(const Location& l) {
    HashMix mix;
    mix.word(static_cast<std::uint64_t>(l.kind));
    mix.text(l.text);
    mix.word(static_cast<std::uint64_t>(l.line) << 32 | l.column);
    mix.word(static_cast<std::uint64_t>(l.end_line) << 32 | l.end_column);
    for (LocationId c : l.children) mix.word(c.index);
    return mix.result();
  }
  static bool same(const Location& a, const Location& b) { return a == b; }
};

}  // namespace

std::int64_t Type::element_count() const {
  std::int64_t count = 1;
  for (std::int64_t d : shape) count *= d;
  return count;
}

struct ConstantBytes {
  std::deque<std::vector<std::byte>> storage;
  std::vector<std::shared_ptr<const void>> owners;
};

struct Module::Tables {
  InternTable<Type, TypeTraits> types;
  InternTable<Attribute, AttributeTraits> attributes;
  InternTable<Location, LocationTraits> locations;
  std::deque<Constant> constants;
  std::unordered_multimap<std::uint64_t, ConstantId> constant_by_hash;
  ConstantBytes bytes;
  std::deque<Function> functions;
  std::unordered_map<std::string, FunctionId> function_by_name;
};

Module::Module() : tables_(std::make_unique<Tables>()) {}
Module::~Module() = default;
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;

TypeId Module::intern(Type type) { return TypeId(std::size_t{tables_->types.intern(std::move(type))}); }
AttrId Module::intern(Attribute attribute) {
  return AttrId(std::size_t{tables_->attributes.intern(std::move(attribute))});
}
LocationId Module::intern(Location location) {
  if (location.kind == LocationKind::Unknown) return {};
  return LocationId(std::size_t{tables_->locations.intern(std::move(location))});
}

const Type& Module::type(TypeId id) const { return tables_->types[id.index]; }
const Attribute& Module::attribute(AttrId id) const { return tables_->attributes[id.index]; }
const Location& Module::location(LocationId id) const {
  static const Location unknown;
  return id.valid() ? tables_->locations[id.index] : unknown;
}
std::size_t Module::type_count() const { return tables_->types.size(); }
std::size_t Module::attribute_count() const { return tables_->attributes.size(); }
std::size_t Module::constant_count() const { return tables_->constants.size(); }

namespace {

// Whether all elements have the same bytes, so that one of them says everything.
bool is_uniform(const Type& t, std::span<const std::byte> bytes) {
  const int width = t.element == ElementType::None ? 0 : byte_width(t.element);
  const std::size_t step = static_cast<std::size_t>(width);
  if (width <= 0 || bytes.size() < step || bytes.size() % step != 0) return false;
  return std::memcmp(bytes.data(), bytes.data() + step, bytes.size() - step) == 0;
}

}  // namespace

ConstantId Module::add_constant(TypeId type_id, bool splat, std::span<const std::byte> bytes) {
  if (!splat && is_uniform(type(type_id), bytes)) {
    splat = true;
    bytes = bytes.first(static_cast<std::size_t>(byte_width(type(type_id).element)));
  }
  const std::uint64_t hash = constant_hash(type(type_id), splat, bytes);
  const auto [first, last] = tables_->constant_by_hash.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const Constant& c = tables_->constants[it->second.index];
    if (c.type == type_id && c.splat == splat && c.bytes.size() == bytes.size() &&
        std::equal(bytes.begin(), bytes.end(), c.bytes.begin())) {
      return it->second;
    }
  }
  const ConstantId id(tables_->constants.size());
  tables_->constants.push_back({type_id, splat, bytes, hash});
  tables_->constant_by_hash.emplace(hash, id);
  return id;
}

ConstantId Module::own_constant(TypeId type_id, bool splat, std::vector<std::byte> bytes) {
  const std::size_t before = tables_->constants.size();
  const ConstantId id = add_constant(type_id, splat, bytes);
  if (tables_->constants.size() != before) {  // new: its bytes move to where they stay
    Constant& c = tables_->constants[id.index];
    bytes.resize(c.bytes.size());
    tables_->bytes.storage.push_back(std::move(bytes));
    c.bytes = tables_->bytes.storage.back();
  }
  return id;
}

const Constant& Module::constant(ConstantId id) const { return tables_->constants[id.index]; }
void Module::keep(std::shared_ptr<const void> owner) { tables_->bytes.owners.push_back(std::move(owner)); }

std::shared_ptr<const void> Module::take_constant_bytes() {
  auto taken = std::make_shared<ConstantBytes>(std::move(tables_->bytes));
  *this = Module();
  return taken;
}

FunctionId Module::add_function(Function function) {
  const FunctionId id(tables_->functions.size());
  if (!function.is_region) tables_->function_by_name.emplace(function.name, id);
  tables_->functions.push_back(std::move(function));
  return id;
}
Function& Module::function(FunctionId id) { return tables_->functions[id.index]; }
const Function& Module::function(FunctionId id) const { return tables_->functions[id.index]; }
IdRange<FunctionId> Module::functions() const { return {0, static_cast<std::uint32_t>(tables_->functions.size())}; }

std::vector<Function> Module::take_functions() {
  std::vector<Function> taken(std::make_move_iterator(tables_->functions.begin()),
                              std::make_move_iterator(tables_->functions.end()));
  tables_->functions.clear();
  tables_->function_by_name.clear();
  return taken;
}

FunctionId Module::find(std::string_view wanted) const {
  const auto it = tables_->function_by_name.find(std::string(wanted));
  return it == tables_->function_by_name.end() ? FunctionId() : it->second;
}

void Module::rename(FunctionId id, std::string name) {
  tables_->function_by_name.erase(function(id).name);
  function(id).name = std::move(name);
  tables_->function_by_name.emplace(function(id).name, id);
}

FunctionId Module::entry() const {
  FunctionId only;
  for (FunctionId id : functions()) {
    const Function& f = function(id);
    if (f.is_region || !f.is_public) continue;
    if (f.name == "main") return id;
    if (only.valid()) {
      only = {};
      for (FunctionId other : functions()) {
        if (!function(other).is_region && function(other).is_public && function(other).name == "main") return other;
      }
      return {};
    }
    only = id;
  }
  return only;
}

}  // namespace openneuron::graph
