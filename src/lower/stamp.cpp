#include "lower/stamp.h"

#include <algorithm>
#include <span>

#include "base/hash.h"

namespace openneuron::lower {
namespace {

// The default name of a program's input, by which buffers that hold it are called: it differs from layer to layer.
std::size_t input_name_length(const std::string& text) {
  constexpr std::string_view kInput = "input";
  if (text.compare(0, kInput.size(), kInput) != 0) return 0;
  std::size_t end = kInput.size();
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  return end == kInput.size() ? 0 : end;
}

std::uint64_t hash_of(std::string_view text) { return hash64(std::as_bytes(std::span(text))); }

// The number of `item` in the list, which grows by it when it is new.
template <class IdType>
std::size_t place_in(std::vector<IdType>& list, IdType item) {
  const auto place = static_cast<std::size_t>(std::find(list.begin(), list.end(), item) - list.begin());
  if (place == list.size()) list.push_back(item);
  return place;
}

}  // namespace

std::uint64_t Stamper::number_of(BufferId buffer) { return buffer.valid() ? place_in(names_.buffers, buffer) + 1 : 0; }

void Stamper::describe_home(HomeId id) {
  const std::size_t known = names_.homes.size();
  const std::size_t place = place_in(names_.homes, id);
  put(place);
  if (place < known) return;
  const Home& home = c_.store.home(id);
  const bool numbered = input_name_length(home.name) == home.name.size();
  put(numbered ? 0 : hash_of(home.name));
  put(home.type);
  put_all(home.shape);
  put(home.last_use == UINT32_MAX ? 2 : home.last_use > c_.store.now() ? 1 : 0);
  put(home.scope);
  put(home.writable, home.fill.has_value(), bool(c_.plan.home_needed[id.index]));
  if (home.fill) put_real(*home.fill);
  put(number_of(home.hbm_target));
  put(home.wanted, home.left, home.forms.size());
  for (const Form& f : home.forms) {
    put(f.kind, f.s, f.n, f.tile, number_of(f.buffer));
    if (!f.buffer.valid()) continue;
    const tile::Buffer& b = c_.store.emitter().module().buffers[f.buffer];
    put(b.partitions, b.copies, b.space, b.bytes, number_of(b.alias));
  }
  const auto& demands = c_.demands[id];
  put(demands.size());
  for (const Demand& d : demands) {
    put(d.stride);
    put_real(d.weight);
  }
}

void Stamper::describe_region(FunctionId id) {
  const graph::Function& f = c_.module.function(id);
  for (OpId op : f.ops()) {
    put(f.kind(op), f.attributes_of(op).index);
    for (ValueId v : f.operands(op)) put(v.index);
    for (ValueId v : f.results(op)) put(f.type(v).index);
    for (FunctionId inner : f.regions(op)) describe_region(inner);
  }
}

void Stamper::describe_value(ValueId v) {
  const graph::Function& f = c_.function;
  const std::size_t known = values_.size();
  const std::size_t place = place_in(values_, v);
  put(place);
  if (place < known) return;
  const ValuePlan& p = c_.plan.values[v.index];
  const bool inside = p.group == index_ && p.in_group;
  put(f.type(v).index);
  put(inside, p.in_group, p.computed, p.group == index_);
  put_all(p.axes);
  const View& view = p.view;
  put_real(view.splat);
  put(view.kind, view.type, view.offset, view.dims.size(), view.home.valid());
  for (const ViewDim& d : view.dims) {
    put(d.size, d.stride);
  }
  if (view.home.valid()) describe_home(view.home);
  if (!inside || p.computed) return;
  const OpId made_by = f.definition(v);  // a view of a value of the group
  put(f.kind(made_by), f.attributes_of(made_by).index);
  for (ValueId operand : f.operands(made_by)) describe_value(operand);
}

// All that lowering the group reads.
void Stamper::describe(const Group& group) {
  key_.clear();
  names_ = {};
  values_.clear();
  put(group.accumulates, group.closed, c_.store.used(), group.ops.size());
  put_all(group.domain);
  put_all(group.reduced);
  put_all(group.side);
  const graph::Function& f = c_.function;
  for (OpId op : group.ops) {
    put(f.kind(op), op == group.contraction, f.attributes_of(op).index, f.operands(op).size());
    for (FunctionId region : f.regions(op)) describe_region(region);
    for (ValueId v : f.operands(op)) describe_value(v);
    for (ValueId v : f.results(op)) describe_value(v);
  }
  put(group.reads.size());
  for (HomeId home : group.reads) describe_home(home);
}

Stamper::Marks Stamper::marks() {
  Emitter& e = c_.store.emitter();
  e.finish();
  return {e.program().instructions.size(), e.module().buffers.size(), c_.store.home_count(), e.module().notes.size(), c_.report.size(),
          e.program().loop_count, e.program().register_count};
}

bool Stamper::stamp(std::int32_t index) {
  recording_ = false;
  if (c_.layouts || c_.store.emitter().depth() > 0 || c_.store.scope() > 0) return false;
  index_ = index;
  describe(c_.plan.groups[static_cast<std::size_t>(index)]);
  hash_ = hash64(std::as_bytes(std::span(key_)));
  const auto alike = records_.find(hash_);
  if (alike == records_.end()) {
    recording_ = true;
    from_ = marks();
    located_.clear();
    bookings_.clear();
    c_.located = &located_;
    c_.store.note_bookings(&bookings_);
    return false;
  }
  if (!alike->second.usable || alike->second.key != key_) return false;
  copy(alike->second);
  return true;
}

void Stamper::record() {
  if (!recording_) return;
  c_.located = nullptr;
  c_.store.note_bookings(nullptr);
  Record& r = records_[hash_];
  r.key = std::move(key_);
  r.names = std::move(names_);
  r.ops = c_.plan.groups[static_cast<std::size_t>(index_)].ops;
  r.from = from_;
  r.to = marks();
  r.located = std::move(located_);
  r.bookings = std::move(bookings_);
  r.usable = can_copy(r);
}

bool Stamper::stem_of(std::string name, const Names& names, Stem& stem) const {
  stem = {-1, std::move(name)};
  const std::size_t length = input_name_length(stem.rest);
  if (length == 0) return true;
  for (std::size_t h = 0; h < names.homes.size(); ++h)
    if (stem.rest.compare(0, length, c_.store.home(names.homes[h]).name) == 0) stem.home = static_cast<std::int32_t>(h);
  stem.rest.erase(0, length);
  return stem.home >= 0;
}

std::string Stamper::name_of(const Stem& stem) const {
  return (stem.home < 0 ? std::string() : c_.store.home(names_.homes[static_cast<std::size_t>(stem.home)]).name) + stem.rest;
}

// Whether the group touched nothing but what a copy takes into account.
bool Stamper::can_copy(Record& r) {
  const tile::Module& m = c_.store.emitter().module();
  if (r.from.homes != r.to.homes) return false;
  const auto home_known = [&](HomeId id) { return std::find(r.names.homes.begin(), r.names.homes.end(), id) != r.names.homes.end(); };
  const auto buffer_known = [&](BufferId id) {
    return !id.valid() || id.index >= r.from.buffers || std::find(r.names.buffers.begin(), r.names.buffers.end(), id) != r.names.buffers.end();
  };
  for (const Booking& b : r.bookings)
    if (!home_known(b.home)) return false;
  for (std::size_t b = r.from.buffers; b < r.to.buffers; ++b) {
    const tile::Buffer& buffer = m.buffers[BufferId(b)];
    if (isa::is_hbm(buffer.space)) return false;
    Stem stem;
    if (!stem_of(buffer.name.substr(0, buffer.name.rfind('_')), r.names, stem)) return false;
    r.stems.push_back(std::move(stem));
  }
  for (std::size_t n = r.from.notes; n < r.to.notes; ++n) {
    NoteCopy note{{}, r.located.size()};
    if (!stem_of(m.notes[n].value, r.names, note.value)) return false;
    for (std::size_t l = 0; l < r.located.size(); ++l) {
      if (r.located[l].location != m.notes[n].location) continue;
      if (note.located < l && r.located[note.located].op != r.located[l].op) return false;
      note.located = l;
    }
    if (note.located == r.located.size()) return false;
    r.notes.push_back(std::move(note));
  }
  for (HomeId id : r.names.homes) {
    r.forms.push_back(c_.store.home(id).forms);
    for (const Form& f : r.forms.back())
      if (!buffer_known(f.buffer)) return false;
  }
  isa::Instruction in;
  const isa::InstructionList& all = c_.store.emitter().program().instructions;
  for (std::size_t i = r.from.instructions; i < r.to.instructions; ++i) {
    all.read(i, in);
    for (const isa::Operand& o : in.operands)
      if (!buffer_known(o.buffer)) return false;
  }
  return true;
}

void Stamper::copy(const Record& r) {
  Emitter& e = c_.store.emitter();
  const Marks to = marks();
  const graph::Function& f = c_.function;
  const auto& ops = c_.plan.groups[static_cast<std::size_t>(index_)].ops;
  const std::string line = c_.report.substr(r.from.report, r.to.report - r.from.report);
  c_.report += "group " + std::to_string(index_) + line.substr(std::min(line.find(':'), line.size()));

  const auto buffer = [&](BufferId old) {
    if (!old.valid()) return old;
    if (old.index >= r.from.buffers) return BufferId(to.buffers + (old.index - r.from.buffers));
    return names_.buffers[static_cast<std::size_t>(std::find(r.names.buffers.begin(), r.names.buffers.end(), old) - r.names.buffers.begin())];
  };
  const auto loop = [&](LoopId old) { return old.valid() ? LoopId(to.loops + (old.index - r.from.loops)) : old; };
  for (std::size_t b = 0; b < r.stems.size(); ++b) {
    const BufferId old(r.from.buffers + b);
    e.copy_buffer(old, name_of(r.stems[b]), loop(e.rotation(old)));
  }
  for (const Booking& b : r.bookings) {
    const HomeId home = names_.homes[static_cast<std::size_t>(std::find(r.names.homes.begin(), r.names.homes.end(), b.home) - r.names.homes.begin())];
    if (b.bytes > 0)
      c_.store.reserve(home, b.bytes);
    else
      c_.store.give_back(home, -b.bytes);
  }
  for (std::size_t h = 0; h < r.forms.size(); ++h) {
    auto& forms = c_.store.home(names_.homes[h]).forms;
    forms = r.forms[h];
    for (Form& form : forms) form.buffer = buffer(form.buffer);
  }

  isa::Instruction in;
  std::size_t next = 0;
  std::vector<std::uint32_t> locations;
  for (std::size_t i = r.from.instructions; i <= r.to.instructions; ++i) {
    for (; next < r.located.size() && r.located[next].instruction == i; ++next) {
      const auto place = std::find(r.ops.begin(), r.ops.end(), r.located[next].op) - r.ops.begin();
      locations.push_back(e.location_index(location_text(c_.module, f.location_of(ops[static_cast<std::size_t>(place)]))));
      e.set_location(locations.back());
    }
    if (i == r.to.instructions) break;
    e.program().instructions.read(i, in);
    in.loop = loop(in.loop);
    for (isa::Operand& o : in.operands) {
      o.buffer = buffer(o.buffer);
      o.rotate_loop = loop(o.rotate_loop);
      for (isa::Term& t : o.terms) t.loop = loop(t.loop);
      if (o.reg >= 0) o.reg = static_cast<std::int16_t>(o.reg + static_cast<std::int32_t>(to.registers - r.from.registers));
    }
    e.append(in);
  }
  for (std::size_t n = 0; n < r.notes.size(); ++n) {
    isa::Note note = e.module().notes[r.from.notes + n];
    note.value = name_of(r.notes[n].value);
    note.location = locations[r.notes[n].located];
    e.module().notes.push_back(std::move(note));
  }
  e.program().loop_count += r.to.loops - r.from.loops;
  e.program().register_count += r.to.registers - r.from.registers;
}

}  // namespace openneuron::lower
