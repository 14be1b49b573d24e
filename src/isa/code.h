// A finished program: what the stream level prints, the NEFF holds and the device executes.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isa/instruction_list.h"

namespace openneuron::isa {

/// One engine's list (or one DMA queue's). All lists of a core share one region tree: a list holds the markers of the
/// regions that it has instructions in.
struct Stream {
  Engine engine = Engine::PE;
  std::uint8_t queue = 0;
  std::uint16_t semaphore = 0;  ///< the one its signalling instructions increment
  InstructionList instructions;
};

enum class VariableKind : std::uint8_t { Input, Output, Constant, Scratch };
const char* variable_kind_name(VariableKind kind);  ///< "input" ...

/// A tensor in HBM, by its name in the NEFF.
struct Variable {
  std::string name;
  VariableKind kind = VariableKind::Scratch;
  Space space = Space::PrivateHbm;
  ElementType type = ElementType::F32;
  std::vector<std::int64_t> shape;
  std::int64_t bytes = 0;
  std::int32_t aliases = -1;        ///< Output: the input variable whose memory it is (donation), or -1
  bool splat = false;               ///< Constant: `data` is one element, repeated
  std::span<const std::byte> data;  ///< Constant: little-endian; owned by Code::owners
};

struct CoreCode {
  std::vector<Stream> streams;
  std::int64_t sbuf_bytes = 0;   ///< per partition, highest used address
  std::int64_t psum_banks = 0;
};

/// What the compiler decided and no instruction says, for reports. A stripped file has none.
enum class NoteKind : std::uint8_t { Turned, Spilled };
struct Note {
  NoteKind kind = NoteKind::Turned;
  std::uint32_t location = 0;  ///< into Code::locations: the op that was lowered
  std::int64_t bytes = 0;      ///< of the value
  std::string value, why;
};
/// A buffer of SBUF or PSUM: the same bytes of each of its partitions.
struct BufferNote {
  std::string name;
  Space space = Space::Sbuf;
  std::uint8_t core = 0;
  std::uint16_t partitions = 0;
  std::int64_t address = 0, bytes = 0;  ///< of a partition, all copies of a rotating buffer
  std::uint32_t first = 0, last = 0;    ///< Instruction::order of the first and last access
};
struct Facts {
  std::string layouts;  ///< the layouts chosen, one line a group
  std::vector<Note> notes;
  std::vector<BufferNote> buffers;
};

struct Code {
  std::string name;
  std::string target;                  ///< machine name
  std::vector<Variable> variables;     ///< an HBM operand's `buffer` is an index into it
  std::vector<CoreCode> cores;         ///< one, or two that share SharedHbm
  std::vector<std::string> locations;  ///< 0 is ""; "file.py:12:3 (name)"
  std::vector<std::shared_ptr<const void>> owners;
  Facts facts;
};

}  // namespace openneuron::isa
