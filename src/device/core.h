// What one core holds while it runs, and the execution of single operations on it.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "device/collective.h"
#include "device/kernels/kernels.h"
#include "device/memory.h"
#include "device/program.h"
#include "device/threads.h"

namespace openneuron::device {

/// Where an operand lies now.
struct View {
  std::byte* data = nullptr;   ///< element (0, 0, ...)
  std::int64_t pitch = 0;      ///< bytes from partition to partition
  std::int64_t partition = 0;  ///< first partition (chip)
  std::int64_t byte = 0;       ///< byte offset in the partition, or in the variable
};

/// The tile that LoadStationary put into the PE.
struct Stationary {
  bool loaded = false;
  bool held = false;                    ///< copied: its source may be overwritten
  const HostOperand* source = nullptr;  ///< not held: where it lies
  View view;                            ///< of the source or the copy
  HostOperand copy;                     ///< held: dense rows
  std::vector<std::byte> bytes;

  const HostOperand& operand() const { return held ? copy : *source; }
  /// Copies the tile, if it is loaded and not held yet.
  void hold();
};

struct Core {
  Mapping sbuf, psum;
  Stationary stationary;
  /// SBUF, PSUM, then each variable.
  std::vector<std::byte*> bases;
  std::int64_t psum_pitch = 0;
};

/// Counters and registers of one sequencer.
struct Sequencer {
  std::uint32_t pc = 0;
  std::vector<std::int64_t> counters;  ///< per loop slot: the loop variable
  std::vector<std::int64_t> trips;
  std::array<std::int32_t, kSequencerRegisters> registers{};
  std::vector<std::uint32_t> barrier_clock;  ///< check mode: what this sequencer knew at its last barrier
};

/// What every execution needs beside the core.
struct Context {
  const isa::Code* code = nullptr;
  const Machine* machine = nullptr;
  const Kernels* kernels = nullptr;
  const Threads* threads = nullptr;
  const std::vector<std::vector<isa::OpenedList>>* lists = nullptr;  ///< [core][stream]
  Collective* collective = nullptr;                                  ///< Options::collective
};

/// errors  ON-E1902
Result<View> resolve(const Context& context, const Core& core, const Sequencer& sequencer, const HostOp& op,
                     const HostOperand& operand);

/// A partition-local operation on its partitions first..last-1 (counted from the operation's first).
/// `views` are its resolved memory operands.
void execute_local(const Context& context, const HostOp& op, const HostOperand* operands, const View* views,
                   std::int64_t first, std::int64_t last);

Result<void> execute_dma(const Context& context, const Core& core, const HostOp& op, const HostOperand* operands,
                         const View* views);
/// A DMA whose rows pair up: rows first..last-1.
void execute_dma_rows(const Context& context, const HostOperand* operands, const View* views, std::int64_t first,
                      std::int64_t last);
// execute_rows.cpp
Result<void> execute_dma_compute(const Context& context, const Core& core, const HostOp& op,
                                 const HostOperand* operands, const View* views);
void execute_max8(const Context& context, const HostOperand* operands, const View* views);
void execute_find_index8(const Context& context, const HostOperand* operands, const View* views);
void execute_sort(const Context& context, const HostOp& op, const HostOperand* operands, const View* views);
// execute_collective.cpp
/// errors  ON-E1912, and those of the Collective
Result<void> execute_collective(const Context& context, const HostOp& op, const HostOperand* operands, const View* views);
void execute_rank_id(const Context& context, const View* views);
/// Copies the tile at once.
void execute_load_stationary(Core& core, const HostOperand* operands, const View* views);
/// Whether a Matmul fits a stationary tile [k, m]; `small`: of 16 or 8 bits.
/// errors  ON-E1905
Result<void> check_stationary(const Context& context, const HostOp& matmul, std::size_t k, std::size_t m, bool small,
                              const HostOperand* operands);
/// errors  ON-E1905
Result<void> execute_matmul(const Context& context, Core& core, const HostOp& op, const HostOperand* operands,
                            const View* views);
void execute_transpose(const Context& context, const HostOperand* operands, const View* views);

/// Resolves all operands of an operation.
Result<void> resolve_operands(const Context& context, const Core& core, const Sequencer& sequencer, const HostOp& op,
                              const HostOperand* operands, View* views);
/// Executes an operation on resolved operands.
Result<void> execute_resolved(const Context& context, Core& core, Sequencer& sequencer, const HostOp& op,
                              const HostOperand* operands, const View* views);
/// Everything that is no marker: resolves and executes. PE, element, DMA and register instructions.
Result<void> execute(const Context& context, Core& core, Sequencer& sequencer, const Program& program,
                     const HostOp& op);

}  // namespace openneuron::device
