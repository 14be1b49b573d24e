// The tile level: what the cores do. Program order is the meaning. A program is one list of isa::Instructions whose
// memory operands name buffers; loops, whiles and cases are region markers in the list.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "isa/code.h"
#include "isa/instruction_list.h"

namespace openneuron::tile {

/// Bytes: type and shape belong to the access.
///   sbuf, psum  `partitions` rows of `bytes` bytes; `copies` > 1 rotates: an access uses copy (rotate_loop mod copies)
///   hbm         `bytes` in all; `variable` says what the runtime binds; partitions 1, copies 1
/// A buffer whose accesses all lie in one block (loop body, branch) holds nothing across iterations.
struct Buffer {
  std::string name;
  isa::Space space = isa::Space::Sbuf;
  std::uint16_t partitions = 1;
  std::uint16_t copies = 1;
  std::uint8_t core = 0;              ///< owner (sbuf, psum, private_hbm)
  std::int64_t bytes = 0;
  std::int64_t address = -1;          ///< fixed address, or -1: the allocator's choice
  isa::Variable variable;             ///< hbm: kind, type, shape, data; its name is `name`
  BufferId alias;                     ///< hbm output: shares the memory of this input (donation)
  std::uint32_t first = 0, last = 0;  ///< sbuf, psum: numbers of the first and last instruction that names it, once allocated
};

struct Program {
  isa::InstructionList instructions;
  std::uint32_t loop_count = 0;       ///< LoopIds 0 .. loop_count-1, each used by one region
  std::uint32_t register_count = 0;   ///< virtual registers; the scheduler assigns the machine's
};

struct Module {
  std::string name;
  std::string target;
  StableColumn<BufferId, Buffer> buffers;
  std::vector<Program> programs;      ///< one per core
  std::vector<std::string> locations{""};
  std::vector<isa::Note> notes;       ///< for reports
  std::vector<std::shared_ptr<const void>> owners;  ///< keep constants' bytes alive
};

}  // namespace openneuron::tile
