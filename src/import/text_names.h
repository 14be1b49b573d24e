// SSA names in scope while text is read: a flat hash table with undo, so that leaving a region costs what it defined.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace openneuron::import {

class NameTable {
 public:
  struct Entry {
    std::string_view name;  // points into the text
    std::uint64_t hash = 0;
    ValueId first;  // in the region of depth `level`
    std::uint32_t count = 0;
    std::uint32_t level = 0;
    bool live = false;
  };

  /// Null when `name` is not in scope.
  const Entry* find(std::string_view name) const;
  /// False when the name is already in scope.
  bool define(std::string_view name, ValueId first, std::uint32_t count, std::uint32_t level);
  std::size_t mark() const { return defined_.size(); }
  /// Ends the scope of everything defined since `mark`.
  void release(std::size_t mark);
  void clear();

 private:
  std::size_t slot(std::string_view name, std::uint64_t hash) const;
  void grow();

  std::vector<Entry> entries_;          // open addressing; a dead entry keeps its slot
  std::vector<std::uint32_t> defined_;  // slots, in order of definition
  std::size_t used_ = 0;
};

std::uint64_t hash_text(std::string_view text);

}  // namespace openneuron::import
