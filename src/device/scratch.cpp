#include "device/scratch.h"

#include <algorithm>

namespace openneuron::device {
namespace {

struct Use {
  std::size_t first = SIZE_MAX, last = 0;  // operations of the program
};

// What a loop or branch touches is in use from its start, so that no two variables of one share memory.
std::vector<Use> uses_of(const isa::Code& code, const Program& program) {
  std::vector<Use> uses(code.variables.size());
  std::size_t depth = 0, begin = 0;
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    const HostOp& op = program.ops[i];
    if (isa::opens_region(op.opcode) && depth++ == 0) begin = i;
    for (std::size_t o = 0; o < op.operand_count; ++o) {
      const HostOperand& operand = program.operands[op.first_operand + o];
      if (operand.kind != isa::OperandKind::Memory || operand.base < kBaseVariables) continue;
      const std::size_t v = operand.base - kBaseVariables;
      uses[v].first = std::min(uses[v].first, depth > 0 ? begin : i);
      uses[v].last = std::max(uses[v].last, i);
    }
    if (isa::closes_region(op.opcode)) --depth;
  }
  return uses;
}

// A little longer than the variable: powers of two would put columns into few cache sets.
std::int64_t padded(std::int64_t bytes) {
  constexpr std::int64_t kLine = 64, kPadding = 192;
  return (bytes + kLine - 1) / kLine * kLine + kPadding;
}

}  // namespace

ScratchPlan plan_scratch(const isa::Code& code, const std::vector<Program>& programs) {
  ScratchPlan plan;
  plan.offsets.assign(code.variables.size(), 0);
  std::vector<Use> uses(code.variables.size(), Use{0, SIZE_MAX});
  if (programs.size() == 1) uses = uses_of(code, programs[0]);
  std::vector<std::size_t> order;
  for (std::size_t v = 0; v < code.variables.size(); ++v)
    if (code.variables[v].kind == isa::VariableKind::Scratch && uses[v].first != SIZE_MAX) order.push_back(v);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return uses[a].first < uses[b].first; });
  std::vector<std::size_t> placed;  // in use, by offset
  for (const std::size_t v : order) {
    std::erase_if(placed, [&](std::size_t other) { return uses[other].last < uses[v].first; });
    // The smallest gap that is large enough, else the end.
    const std::int64_t bytes = padded(code.variables[v].bytes);
    std::int64_t end = 0, best = -1, best_bytes = 0;
    std::size_t at = placed.size();
    for (std::size_t i = 0; i < placed.size(); ++i) {
      const std::int64_t gap = plan.offsets[placed[i]] - end;
      if (gap >= bytes && (best < 0 || gap < best_bytes)) {
        best = end;
        best_bytes = gap;
        at = i;
      }
      end = plan.offsets[placed[i]] + padded(code.variables[placed[i]].bytes);
    }
    plan.offsets[v] = best < 0 ? end : best;
    plan.bytes = std::max(plan.bytes, plan.offsets[v] + bytes);
    placed.insert(placed.begin() + static_cast<std::ptrdiff_t>(at), v);
  }
  return plan;
}

}  // namespace openneuron::device
