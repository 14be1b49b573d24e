#include "lower/store.h"

#include <algorithm>

namespace openneuron::lower {

using isa::Operand;
using isa::OperandKind;
using isa::Space;

Store::Store(Emitter& emitter, double residency)
    : emitter_(emitter),
      budget_(static_cast<std::int64_t>(static_cast<double>(emitter.machine().sbuf_partition_bytes) * residency)) {}

HomeId Store::add(std::string name, ElementType type, std::vector<std::int64_t> shape, std::uint32_t last_use) {
  Home h;
  h.name = std::move(name);
  h.type = type;
  h.count = 1;
  for (std::int64_t n : shape) h.count *= n;
  h.shape = std::move(shape);
  h.last_use = last_use;
  h.scope = scope_;
  return homes_.push(std::move(h));
}

void Store::begin_group(std::uint32_t now) {
  now_ = now;
  auto dead = [&](const Reservation& r) {
    const Home& h = homes_[r.home];
    if (h.last_use >= now || r.scope != scope_) return false;
    used_ -= r.bytes;
    return true;
  };
  reservations_.erase(std::remove_if(reservations_.begin(), reservations_.end(), dead), reservations_.end());
}

bool Store::reserve(HomeId id, std::int64_t bytes) {
  const std::int64_t padded = (bytes + 31) / 32 * 32;
  if (bookings_) bookings_->push_back({id, padded});
  if (used_ + padded > budget_) {
    homes_[id].wanted = padded;
    homes_[id].left = budget_ - used_;
    return false;
  }
  used_ += padded;
  reservations_.push_back({id, padded, scope_});
  return true;
}

bool Store::give_back(HomeId id, std::int64_t bytes) {
  const auto held = std::find_if(reservations_.begin(), reservations_.end(), [&](const Reservation& r) { return r.home == id && r.bytes == bytes && r.scope == scope_; });
  if (held == reservations_.end()) return false;
  if (bookings_) bookings_->push_back({id, -bytes});
  used_ -= bytes;
  reservations_.erase(held);
  return true;
}

void Store::keep_only(HomeId id, BufferId kept) {
  Home& home = homes_[id];
  if (home.scope != scope_) return;  // the body of a loop will read it again
  const auto unused = [&](const Form& f) {
    if (!f.on_chip() || f.buffer == kept) return false;
    return give_back(id, (f.bytes(home.count, byte_width(home.type)) + 31) / 32 * 32);
  };
  home.forms.erase(std::remove_if(home.forms.begin(), home.forms.end(), unused), home.forms.end());
}

void Store::push_scope() { ++scope_; }

void Store::pop_scope() {
  --scope_;
  for (std::size_t i = scoped_forms_.size(); i-- > 0;) {
    if (scoped_forms_[i].scope <= scope_) continue;
    auto& forms = homes_[scoped_forms_[i].home].forms;
    const BufferId buffer = scoped_forms_[i].buffer;
    forms.erase(std::remove_if(forms.begin(), forms.end(), [&](const Form& f) { return f.buffer == buffer; }), forms.end());
    scoped_forms_.erase(scoped_forms_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  auto inner = [&](const Reservation& r) {
    if (r.scope <= scope_) return false;
    used_ -= r.bytes;
    return true;
  };
  reservations_.erase(std::remove_if(reservations_.begin(), reservations_.end(), inner), reservations_.end());
}

std::optional<Operand> Store::operand(HomeId id, const Form& form, std::int64_t start, std::span<const Use> uses,
                                      std::int64_t partitions) const {
  const Home& home = homes_[id];
  Step steps[24];
  if (uses.size() > 24) return std::nullopt;
  for (std::size_t i = 0; i < uses.size(); ++i) steps[i] = {uses[i].step, uses[i].count, 0, 0};
  FormPlace place;
  if (!map_steps(form, home.count, byte_width(home.type), start, std::span(steps, uses.size()), place)) return std::nullopt;
  Operand o;
  o.kind = OperandKind::Memory;
  const bool in_hbm = !form.on_chip();
  o.space = in_hbm ? Space::PrivateHbm : Space::Sbuf;
  o.type = home.type;
  o.buffer = form.buffer;
  o.start = place.bytes;
  o.partition_start = static_cast<std::uint16_t>(place.partition);
  o.partition_count = static_cast<std::uint16_t>(partitions);
  if (in_hbm) o.partition_stride = 0;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const Use& use = uses[i];
    const Step& step = steps[i];
    switch (use.kind) {
      case Use::Partition:
        o.partition_count = static_cast<std::uint16_t>(use.count);
        if (in_hbm) {
          o.partition_stride = step.bytes;
        } else if (form.kind == FormKind::Replicated) {
          if (use.step != 0 && use.count > 1) return std::nullopt;
        } else if (use.count > 1 && (step.partitions != 1 || step.bytes != 0)) {
          return std::nullopt;
        }
        break;
      case Use::Dim:
        if (step.partitions != 0) return std::nullopt;
        o.dims.push_back({step.bytes, use.count});
        break;
      case Use::Loop:
        if (step.bytes != 0 || step.partitions != 0)
          o.terms.push_back({use.loop, static_cast<std::int32_t>(step.partitions), step.bytes});
        break;
    }
  }
  if (o.space == Space::Sbuf) {
    const Machine& m = emitter_.machine();
    if (!legal_start(o.partition_start, o.partition_count, m)) return std::nullopt;
    for (std::size_t i = 0; i < uses.size(); ++i)
      if (uses[i].kind == Use::Loop && steps[i].partitions != 0 &&
          !legal_start(o.partition_start + steps[i].partitions * (uses[i].count - 1), o.partition_count, m))
        return std::nullopt;
    for (std::size_t i = 0; i < uses.size(); ++i)
      if (uses[i].kind == Use::Loop && steps[i].partitions % m.quadrant != 0) return std::nullopt;
  }
  return o;
}

const Form* Store::hbm(HomeId id) const {
  for (const Form& f : homes_[id].forms)
    if (f.kind == FormKind::Hbm) return &f;
  return nullptr;
}

BufferId Store::sbuf(const Home& home, std::int64_t partitions, std::int64_t bytes) {
  return emitter_.buffer(Space::Sbuf, home.name, partitions, bytes, false);
}

std::optional<Form> Store::new_tiled(HomeId id, std::int64_t s, std::int64_t n, std::int64_t tile) {
  Form form{FormKind::Tiled, s, n, tile, BufferId()};
  const Home& home = homes_[id];
  if (s <= 0 || n <= 0 || home.count == 0 || home.count % (n * s) != 0) return std::nullopt;
  const std::int64_t bytes = form.bytes(home.count, byte_width(home.type));
  if (!reserve(id, bytes)) return std::nullopt;
  form.buffer = sbuf(home, tile, bytes);
  if (scope_ > home.scope) scoped_forms_.push_back({id, form.buffer, scope_});
  return form;
}

std::optional<Form> Store::new_replicated(HomeId id) {
  const Home& home = homes_[id];
  Form form;
  form.kind = FormKind::Replicated;
  const std::int64_t bytes = form.bytes(home.count, byte_width(home.type));
  if (home.count == 0 || !reserve(id, bytes)) return std::nullopt;
  form.buffer = sbuf(home, emitter_.machine().partitions, bytes);
  if (scope_ > home.scope) scoped_forms_.push_back({id, form.buffer, scope_});
  return form;
}

Form Store::scratch(HomeId id, const char* order) {
  Home& home = homes_[id];
  const std::string name = home.name + order + std::to_string(id.index) + (home.scratches > 0 ? "_" + std::to_string(home.scratches) : "");
  ++home.scratches;
  std::string why = "an op reads or writes it in HBM";
  if (home.wanted > 0)
    why = "SBUF had no room: it needs " + std::to_string(home.wanted) + " bytes a partition, " + std::to_string(home.left) +
          " of the " + std::to_string(budget_) + " for values were free";
  emitter_.note(isa::NoteKind::Spilled, name, home.count * element_bytes(id), std::move(why));
  Form form;
  form.buffer = emitter_.hbm(name, isa::VariableKind::Scratch, home.type, home.shape);
  if (scope_ > home.scope) scoped_forms_.push_back({id, form.buffer, scope_});
  return form;
}

Form Store::new_hbm(HomeId id) {
  Form form;
  form.buffer = homes_[id].hbm_target;
  return form.buffer.valid() ? form : scratch(id, "_spill");
}

std::optional<Form> Store::new_spilled(HomeId id, std::int64_t s, std::int64_t n) {
  const Home& home = homes_[id];
  if (s <= 0 || n <= 1 || home.count % (n * s) != 0) return std::nullopt;
  Form form = scratch(id, "_tiles");
  form.kind = FormKind::Spilled;
  form.s = s;
  form.n = n;
  form.tile = tile_of(n, tile_limit(emitter_.machine()));
  return form;
}

void Store::keep_only_hbm(HomeId id) {
  auto& forms = homes_[id].forms;
  forms.erase(std::remove_if(forms.begin(), forms.end(), [](const Form& f) { return f.kind != FormKind::Hbm; }), forms.end());
}

bool is_whole(const View& view, const Store& store) {
  if (view.kind != ViewKind::Memory || view.offset != 0) return false;
  std::int64_t stride = 1;
  for (std::size_t i = view.dims.size(); i-- > 0;) {
    if (view.dims[i].size != 1 && view.dims[i].stride != stride) return false;
    stride *= view.dims[i].size;
  }
  return stride == store.home(view.home).count;
}

}  // namespace openneuron::lower
