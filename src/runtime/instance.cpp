#include "runtime/instance.h"

#include <algorithm>
#include <charconv>

namespace openneuron::runtime {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;
constexpr InstanceType kTypes[] = {
#define INSTANCE(name, machine, kind, chips, cores, gib) {name, machine, kind, chips, cores, gib * kGiB / cores},
#include "runtime/instances.def"
#undef INSTANCE
};

bool read_number(std::string_view text, int& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && read.ec == std::errc() && read.ptr == text.data() + text.size() && number >= 0;
}

Failure too_many(const InstanceType& instance, std::string_view variable, std::string_view text) {
  return fail(Code::CoresMissing, std::string(variable) + "=" + std::string(text) + " asks for more than the " +
                                      std::to_string(instance.cores()) + " cores of " + std::string(instance.name));
}

}  // namespace

std::span<const InstanceType> instance_types() { return kTypes; }

Result<const InstanceType*> find_instance(std::string_view name) {
  std::string names;
  for (const InstanceType& type : kTypes) {
    if (type.name == name) return &type;
    names += (names.empty() ? "" : ", ") + std::string(type.name);
  }
  return fail(Code::InstanceUnknown, "there is no instance type \"" + std::string(name) + "\"",
              "Set OPENNEURON_INSTANCE_TYPE to one of: " + names + ".");
}

Result<std::vector<int>> choose_cores(const InstanceType& instance, std::string_view visible, std::string_view count) {
  std::vector<int> cores;
  if (visible.empty()) {
    int wanted = 0;
    if (!count.empty() && !read_number(count, wanted))
      return fail(Code::CoresBroken, "NEURON_RT_NUM_CORES=" + std::string(count) + " is no number of cores");
    if (wanted > instance.cores()) return too_many(instance, "NEURON_RT_NUM_CORES", count);
    for (int core = 0; core < (wanted == 0 ? instance.cores() : wanted); ++core) cores.push_back(core);
    return cores;
  }
  const auto broken = [&](const std::string& why) {
    return fail(Code::CoresBroken, "NEURON_RT_VISIBLE_CORES=" + std::string(visible) + ": " + why);
  };
  for (std::size_t at = 0; at <= visible.size();) {
    const std::size_t end = std::min(visible.find(',', at), visible.size());
    const std::string_view item = visible.substr(at, end - at);
    const std::size_t dash = item.find('-');
    int first = 0, last = 0;
    const bool good = dash == std::string_view::npos
                          ? read_number(item, first) && (last = first, true)
                          : read_number(item.substr(0, dash), first) && read_number(item.substr(dash + 1), last);
    if (!good || last < first) return broken("\"" + std::string(item) + "\" is no core and no range of cores");
    if (last >= instance.cores()) return too_many(instance, "NEURON_RT_VISIBLE_CORES", visible);
    for (int core = first; core <= last; ++core) {
      if (std::find(cores.begin(), cores.end(), core) != cores.end())
        return broken("core " + std::to_string(core) + " is named twice");
      cores.push_back(core);
    }
    at = end + 1;
  }
  return cores;
}

}  // namespace openneuron::runtime
