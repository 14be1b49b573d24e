#include "import/text_names.h"

namespace openneuron::import {

std::uint64_t hash_text(std::string_view text) {
  std::uint64_t h = 1469598103934665603ull;
  for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return h ^ (h >> 32);
}

std::size_t NameTable::slot(std::string_view name, std::uint64_t hash) const {
  const std::size_t mask = entries_.size() - 1;
  std::size_t at = static_cast<std::size_t>(hash) & mask;
  while (!entries_[at].name.empty() && !(entries_[at].hash == hash && entries_[at].name == name)) at = (at + 1) & mask;
  return at;
}

const NameTable::Entry* NameTable::find(std::string_view name) const {
  if (entries_.empty()) return nullptr;
  const Entry& entry = entries_[slot(name, hash_text(name))];
  return entry.live ? &entry : nullptr;
}

bool NameTable::define(std::string_view name, ValueId first, std::uint32_t count, std::uint32_t level) {
  if (2 * (used_ + 1) > entries_.size()) grow();
  const std::uint64_t hash = hash_text(name);
  const std::size_t at = slot(name, hash);
  Entry& entry = entries_[at];
  if (entry.live) return false;
  if (entry.name.empty()) ++used_;
  entry = {name, hash, first, count, level, true};
  defined_.push_back(static_cast<std::uint32_t>(at));
  return true;
}

void NameTable::release(std::size_t mark) {
  while (defined_.size() > mark) {
    entries_[defined_.back()].live = false;
    defined_.pop_back();
  }
}

void NameTable::clear() {
  defined_.clear();
  used_ = 0;
  if (entries_.size() > 4096) {
    entries_.clear();  // a small function after a huge one must not pay for its table
  } else {
    entries_.assign(entries_.size(), Entry());
  }
}

void NameTable::grow() {
  std::vector<Entry> old = std::move(entries_);
  entries_.assign(old.empty() ? 128 : old.size() * 2, Entry());
  // Slots move, so the definition list is rebuilt: old slot -> new slot.
  std::vector<std::uint32_t> moved(old.size(), 0);
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old[i].name.empty()) continue;
    const std::size_t at = slot(old[i].name, old[i].hash);
    entries_[at] = old[i];
    moved[i] = static_cast<std::uint32_t>(at);
  }
  for (std::uint32_t& at : defined_) at = moved[at];
}

}  // namespace openneuron::import
