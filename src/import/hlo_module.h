// The structure of an HloModuleProto: computations, instructions and how they refer to each other, by index. An
// instruction's own fields are decoded when it is built (hlo_instruction.h).
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "import/hlo_wire.h"

namespace openneuron::import::hlo {

inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;

struct InstructionHead {
  Bytes record;
  std::string_view opcode;
  std::string_view name;
  std::int64_t id = 0;
  std::uint32_t first_operand = 0, operand_count = 0;  ///< in Structure::operands
  std::uint32_t first_called = 0, called_count = 0;    ///< in Structure::called
};

struct Computation {
  Bytes record;
  std::string_view name;
  std::int64_t id = 0;
  std::uint32_t first = 0, count = 0;     ///< its instructions, in Structure::instructions
  std::uint32_t root = 0;                 ///< index within the computation
  std::vector<std::uint32_t> order;       ///< indices within the computation, operands before users
  std::vector<std::uint32_t> parameters;  ///< by number: indices within the computation
};

/// One pair of an alias table: leaves are reached by index paths.
struct Alias {
  std::vector<std::int64_t> output_path;  ///< of aliases; not of donors
  std::int64_t parameter = 0;
  std::vector<std::int64_t> parameter_path;
};

struct Structure {
  std::string_view name;
  std::vector<Computation> computations;
  std::vector<InstructionHead> instructions;
  std::vector<std::uint32_t> operands;  ///< indices within the instruction's computation
  std::vector<std::uint32_t> called;    ///< indices of computations
  std::uint32_t entry = kNone;
  std::vector<Alias> aliases, donors;
  Bytes interface;            ///< ProgramShapeProto of the entry as its callers see it, with their layouts; or empty
  Bytes stack_frames;         ///< StackFrameIndexProto
  Bytes frontend_attributes;  ///< of the module
};

/// The HloModuleProto in `file`, which may be wrapped in an HloProto.
Bytes module_in(Bytes file);
/// Fills `structure`; the problem is in `source`. Ensures that all references exist, that neither instructions nor
/// computations depend on themselves, that parameters are numbered 0, 1, ... without gaps.
void read_structure(Bytes module, Source& source, Structure& structure);
/// Whether the bytes look like an HloModuleProto or an HloProto: a name, then computations.
bool looks_like_hlo(Bytes file);

}  // namespace openneuron::import::hlo
