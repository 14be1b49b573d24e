// Lists of named values that the C API hands out and takes.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "pjrt/pjrt_c_api.h"

namespace openneuron::pjrt {

/// Owns what its entries point to. Copies would point into the original: move only.
class NamedValues {
 public:
  NamedValues() = default;
  NamedValues(NamedValues&&) = default;
  NamedValues& operator=(NamedValues&&) = default;

  void add(std::string_view name, std::int64_t value) { start(name, PJRT_NamedValue_kInt64).int64_value = value; }
  void add(std::string_view name, float value) { start(name, PJRT_NamedValue_kFloat).float_value = value; }
  void add(std::string_view name, std::string_view text) {
    PJRT_NamedValue& value = start(name, PJRT_NamedValue_kString);
    value.string_value = keep(text);
    value.value_size = text.size();
  }
  void add(std::string_view name, std::vector<std::int64_t> list) {
    PJRT_NamedValue& value = start(name, PJRT_NamedValue_kInt64List);
    value.int64_array_value = lists_.emplace_back(std::move(list)).data();
    value.value_size = lists_.back().size();
  }
  const PJRT_NamedValue* data() const { return values_.data(); }
  std::size_t size() const { return values_.size(); }

 private:
  const char* keep(std::string_view text) { return texts_.emplace_back(text).c_str(); }
  PJRT_NamedValue& start(std::string_view name, PJRT_NamedValue_Type type) {
    PJRT_NamedValue value{};
    value.struct_size = sizeof value;
    value.name = keep(name);
    value.name_size = name.size();
    value.type = type;
    value.value_size = 1;
    return values_.emplace_back(value);
  }

  std::vector<PJRT_NamedValue> values_;
  std::deque<std::string> texts_;
  std::deque<std::vector<std::int64_t>> lists_;
};

}  // namespace openneuron::pjrt
