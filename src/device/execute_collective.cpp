// Collective and RankId: handed to Options::collective; alone, a core is partition 0 and its own group.
#include <algorithm>
#include <cstring>

#include "device/collective.h"
#include "device/core.h"

namespace openneuron::device {
namespace {

std::size_t bytes_of(const HostOperand& o) { return static_cast<std::size_t>(o.walk.count) * static_cast<std::size_t>(byte_width(o.type)); }

// What a group of one core does. False: the core meets others.
bool run_alone(const CollectiveCall& call) {
  const auto size = static_cast<std::size_t>(call.group_size);
  bool filled = false, named = false;
  for (std::size_t g = 0; g + size <= call.groups.size(); g += size) {
    const auto group = call.groups.subspan(g, size);
    if (std::find(group.begin(), group.end(), 0) == group.end()) continue;
    if (std::any_of(group.begin(), group.end(), [](std::int32_t p) { return p > 0; })) return false;
    named = filled = true;
  }
  if (!named) filled = call.kind != isa::CollectiveKind::Permute && call.kind != isa::CollectiveKind::Broadcast;
  if (call.destination.empty()) return true;
  if (filled)
    std::memcpy(call.destination.data(), call.source.data(), call.destination.size());
  else
    std::memset(call.destination.data(), 0, call.destination.size());
  return true;
}

}  // namespace

Result<void> execute_collective(const Context& context, const HostOp& op, const HostOperand* operands, const View* views) {
  std::vector<std::int32_t> groups;
  const HostOperand& table = operands[2];
  for (std::int64_t g = 0; g < table.partitions; ++g)
    for (std::int64_t i = 0; i < table.walk.count; ++i) {
      std::int64_t at = g * table.pitch, rest = i;
      for (std::size_t d = static_cast<std::size_t>(table.walk.rank); d-- > 0;) {
        at += rest % table.walk.counts[d] * table.walk.strides[d];
        rest /= table.walk.counts[d];
      }
      std::int32_t partition = 0;
      std::memcpy(&partition, views[2].data + at, sizeof(partition));
      groups.push_back(partition);
    }
  CollectiveCall call;
  call.kind = static_cast<isa::CollectiveKind>(op.params[0]);
  call.op = op.alu(1);
  call.type = operands[0].type;
  call.groups = groups;
  call.group_size = table.walk.count;
  call.source = {views[1].data, bytes_of(operands[1])};
  call.destination = {views[0].data, bytes_of(operands[0])};
  const Place place = place_of(*context.code, *op.source);
  call.place = place.op;
  if (context.collective != nullptr) return context.collective->run(call);
  if (run_alone(call)) return {};
  return fail(Code::DeviceCollective, place, std::string(isa::collective_name(call.kind)) + " meets other cores");
}

void execute_rank_id(const Context& context, const View* views) {
  const auto rank = static_cast<std::int32_t>(context.collective == nullptr ? 0 : context.collective->partition());
  std::memcpy(views[0].data, &rank, sizeof(rank));
}

}  // namespace openneuron::device
