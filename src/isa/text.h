// One instruction as text: shared by the tile level (docs/tile.md) and the stream level (docs/stream.md).
//
//   tensor_tensor %out[0:128, 0 + L0*512, [4,128]]: f32, %a[0:128, 64, [4,128]]: f32, R2 op=add engine=Vector loc(3)
//
// Operands stand in table order, then parameters by name, then what the level adds. Table-driven: a new row of isa.def
// needs nothing here.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "isa/instruction_list.h"

namespace openneuron::isa {

/// The names of buffers (tile level) or HBM variables (stream level). A name that is empty or used twice prints with its
/// index, `%tmp#17`, so that any list of names reads back.
class MemoryNames {
 public:
  void add(std::string name, Space space);
  std::size_t size() const { return names_.size(); }
  Space space(BufferId id) const { return spaces_[id.index]; }
  bool has(BufferId id) const { return id.index < names_.size(); }

  void print(TextWriter& out, BufferId id) const;  ///< "%name"; "%?" when there is no such buffer
  Result<BufferId> parse(TextReader& in) const;    ///< a name that was added
  static Result<void> skip(TextReader& in);        ///< any name, declared or not
  /// A name where it is declared; its index, when written, must be `size()`.
  Result<std::string> parse_declared(TextReader& in) const;

 private:
  std::vector<std::string> names_;
  std::vector<Space> spaces_;
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> ids_;
};

enum class TextLevel : std::uint8_t { Tile, Stream };

/// "tensor_tensor" for TensorTensor.
std::string mnemonic(Opcode opcode);
bool opcode_from_mnemonic(std::string_view name, Opcode& opcode);

void print_type(TextWriter& out, ElementType type);
Result<ElementType> parse_type(TextReader& in);
void print_operand(TextWriter& out, const Operand& operand, const MemoryNames& names);
Result<Operand> parse_operand(TextReader& in, const MemoryNames& names);

/// Without indentation and line end. Tile level: engine and queue are printed, order is not; stream level: the reverse.
void print_instruction(TextWriter& out, const Instruction& instruction, const MemoryNames& names, TextLevel level);
/// Up to the end of the line.
Result<Instruction> parse_instruction(TextReader& in, const MemoryNames& names, TextLevel level);

/// Prints a whole list, one a line, regions indented.
void print_instructions(TextWriter& out, const InstructionList& list, const MemoryNames& names,
                        TextLevel level);

}  // namespace openneuron::isa
