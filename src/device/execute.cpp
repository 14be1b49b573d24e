// Addresses of operands, and the execution of one operation that is no marker.
#include <algorithm>
#include <cstring>

#include "device/core.h"

namespace openneuron::device {
namespace {

__extension__ typedef __int128 Wide;

Failure outside(const Context& context, const HostOp& op, const HostOperand& operand, const View& view) {
  std::string where = "bytes " + std::to_string(view.byte + operand.low) + " to " +
                      std::to_string(view.byte + operand.high - 1) + " of " + std::to_string(operand.limit);
  if (operand.chip)
    where += ", partitions " + std::to_string(view.partition) + " to " +
             std::to_string(view.partition + operand.partitions - 1) + " of " + std::to_string(operand.partition_limit);
  return fail(Code::DeviceAddress, place_of(*context.code, *op.source), "an access reaches " + where);
}

std::int32_t register_value(ElementType type, const std::byte* p) {
  if (type == ElementType::I1) return *p != std::byte{0};
  std::int32_t value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

}  // namespace

Result<View> resolve(const Context& context, const Core& core, const Sequencer& sequencer, const HostOp& op,
                     const HostOperand& operand) {
  View view;
  view.pitch = operand.broadcast ? 0 : operand.pitch;
  view.partition = operand.partition_start;
  if (operand.dynamic) {
    Wide byte = operand.start;
    for (const LoopTerm& term : operand.terms) {
      byte += static_cast<Wide>(sequencer.counters[term.slot]) * term.bytes;
      view.partition += sequencer.counters[term.slot] * term.partitions;
    }
    if (operand.reg >= 0)
      byte += static_cast<Wide>(sequencer.registers[static_cast<std::size_t>(operand.reg)]) * operand.reg_bytes;
    if (operand.copies > 1) byte += sequencer.counters[operand.rotate_slot] % operand.copies * operand.rotate_bytes;
    constexpr std::int64_t kFar = std::int64_t{1} << 60;
    view.byte = static_cast<std::int64_t>(std::clamp<Wide>(byte, -kFar, kFar));
    const bool rows_inside =
        !operand.chip || (view.partition >= 0 &&
                          view.partition + (operand.broadcast ? 1 : operand.partitions) <= operand.partition_limit);
    // The rows of an indirect access are checked with their offsets.
    const bool by_offsets = isa::indirect_operand(op) >= 0 && operand.indirect_limit > 0;
    const bool bytes_inside = view.byte + operand.low >= 0 && view.byte + operand.high <= operand.limit;
    if (!rows_inside || (!bytes_inside && !by_offsets)) return outside(context, op, operand, view);
    if (!bytes_inside) {
      view.data = core.bases[operand.base];  // each row's address comes from its offset
      return view;
    }
  } else {
    view.byte = operand.start;
    for (const LoopTerm& term : operand.terms) {
      view.byte += sequencer.counters[term.slot] * term.bytes;
      view.partition += sequencer.counters[term.slot] * term.partitions;
    }
    if (operand.copies > 1)
      view.byte += sequencer.counters[operand.rotate_slot] % operand.copies * operand.rotate_bytes;
  }
  view.data = core.bases[operand.base] + view.byte + (operand.chip ? view.partition * operand.pitch : 0);
  return view;
}

Result<void> resolve_operands(const Context& context, const Core& core, const Sequencer& sequencer, const HostOp& op,
                              const HostOperand* operands, View* views) {
  for (std::size_t i = 0; i < op.operand_count; ++i) {
    if (operands[i].kind == isa::OperandKind::Memory) {
      auto view = resolve(context, core, sequencer, op, operands[i]);
      if (!view) return view.failure();
      views[i] = *view;
    } else if (operands[i].kind == isa::OperandKind::Pattern) {
      // Numbers modulo 2^32; products and sums may wrap.
      std::uint64_t start = static_cast<std::uint64_t>(operands[i].start);
      for (const LoopTerm& term : operands[i].terms)
        start += static_cast<std::uint64_t>(sequencer.counters[term.slot]) * static_cast<std::uint64_t>(term.bytes);
      if (operands[i].reg >= 0)
        start += static_cast<std::uint64_t>(
                     static_cast<std::int64_t>(sequencer.registers[static_cast<std::size_t>(operands[i].reg)])) *
                 static_cast<std::uint64_t>(operands[i].reg_bytes);
      views[i].byte = static_cast<std::int64_t>(start);
    }
  }
  return {};
}

Result<void> execute_resolved(const Context& context, Core& core, Sequencer& sequencer, const HostOp& op,
                              const HostOperand* operands, const View* views) {
  switch (op.opcode) {
    case isa::Opcode::LoadStationary: execute_load_stationary(core, operands, views); return {};
    case isa::Opcode::Matmul: return execute_matmul(context, core, op, operands, views);
    case isa::Opcode::Transpose: execute_transpose(context, operands, views); return {};
    case isa::Opcode::Dma: return execute_dma(context, core, op, operands, views);
    case isa::Opcode::DmaCompute: return execute_dma_compute(context, core, op, operands, views);
    case isa::Opcode::Max8: execute_max8(context, operands, views); return {};
    case isa::Opcode::FindIndex8: execute_find_index8(context, operands, views); return {};
    case isa::Opcode::Sort: execute_sort(context, op, operands, views); return {};
    case isa::Opcode::Collective: return execute_collective(context, op, operands, views);
    case isa::Opcode::RankId: execute_rank_id(context, views); return {};
    case isa::Opcode::RegisterMove:
      sequencer.registers[op.register_index] = operands[1].kind == isa::OperandKind::Register
                                                   ? sequencer.registers[static_cast<std::size_t>(operands[1].reg)]
                                                   : static_cast<std::int32_t>(operands[1].immediate);
      return {};
    case isa::Opcode::RegisterLoad:
      sequencer.registers[op.register_index] = register_value(operands[1].type, views[1].data);
      return {};
    default: execute_local(context, op, operands, views, 0, operands[0].partitions); return {};
  }
}

Result<void> execute(const Context& context, Core& core, Sequencer& sequencer, const Program& program,
                     const HostOp& op) {
  const HostOperand* operands = program.operands.data() + op.first_operand;
  View views[isa::kMaxOperands];
  ON_TRY(resolve_operands(context, core, sequencer, op, operands, views));
  return execute_resolved(context, core, sequencer, op, operands, views);
}

}  // namespace openneuron::device
