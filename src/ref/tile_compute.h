// Instructions of Vector, Scalar and GpSimd, the PE, and DMA, each executed whole from the words of isa.def.
#pragma once
#include <cstdint>
#include <vector>

#include "ref/tile_memory.h"

namespace openneuron::ref {

/// What LoadStationary left in the PE: value [k * columns + m] as fp32.
struct Stationary {
  std::int64_t rows = 0, columns = 0;
  ElementType type = ElementType::None;
  std::vector<float> values;
};

struct Execution {
  const tile::Module& module;
  TileMemory& memory;
  CoreState& core;
  Stationary& stationary;
};

/// Everything that is no sequencer instruction; ON-E1593 for one it does not know.
Result<void> run_elementwise(const isa::Instruction& instruction, Execution& execution);
Result<void> run_matrix(const isa::Instruction& instruction, Execution& execution);
Result<void> run_transfer(const isa::Instruction& instruction, Execution& execution);
Result<void> run_rows(const isa::Instruction& instruction, Execution& execution);  ///< DmaCompute, Max8, FindIndex8, Sort, Collective, RankId

/// A number in the domain of an instruction: fp32, or a 32-bit integer.
enum class Domain : std::uint8_t { Float, Signed, Unsigned };
struct Word {
  float real = 0;
  std::int64_t integer = 0;  // in range of the domain
};
Result<Word> combine(isa::AluOp op, Domain domain, Word a, Word b, const CoreState& core);
float apply_function(isa::Function function, float x);

}  // namespace openneuron::ref
