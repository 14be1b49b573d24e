// Builds a tile program: buffers, loops, instructions. Knows no graph.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "isa/instruction.h"
#include "machine/machine.h"
#include "tile/module.h"

namespace openneuron::lower {

struct OpenLoop {
  LoopId loop;
  std::int64_t count;
};

class Emitter {
 public:
  /// `rotates`: whether buffers may have copies at all.
  Emitter(tile::Module& module, const Machine& machine, bool rotates = true) : module_(module), machine_(machine), rotates_(rotates) {
    module_.programs.emplace_back();
  }

  const Machine& machine() const { return machine_; }
  tile::Module& module() { return module_; }

  // -- buffers
  /// `rotate`: two copies, used in turn by the iterations of the innermost open loop of more than one turn (one copy
  /// outside of loops).
  BufferId buffer(isa::Space space, std::string_view name, std::int64_t partitions, std::int64_t bytes, bool rotate);
  BufferId hbm(std::string_view name, isa::VariableKind kind, ElementType type, std::vector<std::int64_t> shape);
  /// An operand that names the buffer's start, rotating where the buffer does; dims and counts are the caller's.
  isa::Operand whole(BufferId buffer, ElementType type, std::int64_t partitions) const;

  // -- control
  OpenLoop begin_loop(std::int64_t count);
  void end_loop();
  LoopId new_region() { return LoopId(program().loop_count++); }
  std::int16_t new_register() { return static_cast<std::int16_t>(program().register_count++); }
  std::size_t depth() const { return loops_.size(); }
  const std::vector<OpenLoop>& loops() const { return loops_; }
  /// Marks a while body or branch: buffers made inside do not rotate by loops outside of it.
  void push_scope(OpenLoop scope) { loops_.push_back(scope); }
  void pop_scope() { loops_.pop_back(); }

  // -- instructions
  /// What it returns may be changed until the next one is emitted.
  isa::Instruction& emit(isa::Opcode opcode, std::initializer_list<isa::Operand> operands,
                         std::initializer_list<std::int32_t> params = {});
  void set_location(std::uint32_t location) { location_ = location; }
  std::uint32_t location_index(const std::string& text);
  /// Of the next instruction.
  std::size_t position() { return program().instructions.size() + (has_last_ ? 1 : 0); }

  // -- copies (stamp.h)
  LoopId rotation(BufferId buffer) const { return rotation_[buffer.index]; }
  /// A buffer like `old`, called `stem` and its number.
  BufferId copy_buffer(BufferId old, std::string stem, LoopId rotation);
  /// An instruction of this program once more; its order and location are set here.
  void append(isa::Instruction& instruction);
  /// For reports: what happens to a value here, and why.
  void note(isa::NoteKind kind, const std::string& value, std::int64_t bytes, std::string why) {
    module_.notes.push_back({kind, location_, bytes, value, std::move(why)});
  }
  tile::Program& program() { return module_.programs.back(); }
  /// After the last instruction.
  void finish();

 private:
  tile::Module& module_;
  const Machine& machine_;
  bool rotates_ = true;
  std::vector<OpenLoop> loops_;
  std::vector<LoopId> rotation_;  // per buffer: the loop it rotates by
  std::uint32_t location_ = 0;
  isa::Instruction last_;  ///< not yet in the program
  bool has_last_ = false;
};

isa::Operand immediate(double value, ElementType type = ElementType::F32);
isa::Operand no_operand();
isa::Operand register_operand(std::int16_t reg);

/// Drops dims of one element and merges neighbours that merge in all operands, so that instructions carry few dims.
/// All operands have the same number of dims with the same counts.
void merge_dims(std::initializer_list<isa::Operand*> operands);

/// Runs `body(start, extent, loop, loop_count)` over the tiles of an axis: a loop over the full ones (also over a single
/// one, so that code size does not depend on sizes), then the rest.
template <class Body>
void over_tiles(Emitter& emitter, std::int64_t n, std::int64_t tile, Body body) {
  const std::int64_t full = n / tile, rest = n % tile;
  if (n == 1) return body(std::int64_t{0}, tile, LoopId(), std::int64_t{1});
  if (full > 0) {
    const OpenLoop loop = emitter.begin_loop(full);
    body(std::int64_t{0}, tile, loop.loop, full);
    emitter.end_loop();
  }
  if (rest > 0) body(full * tile, rest, LoopId(), std::int64_t{1});
}

}  // namespace openneuron::lower
