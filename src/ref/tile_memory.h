// Memory of the tile oracle: every copy of every buffer stored apart, each byte with a mark whether it was written.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "isa/instruction.h"
#include "tile/module.h"

namespace openneuron::ref {

/// Bytes of one buffer: copy c, partition p, byte b lie at (c * partitions + p) * row_bytes + b.
struct Storage {
  std::int64_t copies = 1, partitions = 1, row_bytes = 0;
  std::vector<std::byte> bytes;
  std::vector<std::uint8_t> written;  // per byte
};

class TileMemory {
 public:
  /// `core` programs share HBM; an alias shares the storage of the buffer it names.
  explicit TileMemory(const tile::Module& module);
  Storage& storage(BufferId buffer);
  void forget(BufferId buffer);  ///< marks all of it unwritten

 private:
  BufferId root(BufferId buffer) const;
  const tile::Module& module_;
  Column<BufferId, Storage> storage_;
};

/// What a core adds to an access: loop variables and registers.
struct CoreState {
  std::vector<std::int64_t> loop_values;
  std::vector<std::int64_t> registers;
  std::vector<bool> register_set;
  std::string instruction;  ///< name, number and source of the instruction that runs, for messages
};

Failure tile_failure(Code code, const CoreState& core, std::string message);
Result<std::int64_t> read_register(const CoreState& core, std::int16_t reg);

/// A memory operand with everything resolved: element (p, i) lies at byte row(p) + free[i] of the storage.
class View {
 public:
  static Result<View> resolve(const isa::Operand& operand, const tile::Module& module, TileMemory& memory,
                              const CoreState& core);

  ElementType type() const { return type_; }
  std::int64_t partitions() const { return partitions_; }
  std::int64_t free_count() const { return static_cast<std::int64_t>(free_.size()); }
  std::int64_t count() const { return partitions_ * free_count(); }
  int width() const { return width_; }

  /// Moves row `p` by `bytes` (indirect transfers).
  void shift_row(std::int64_t p, std::int64_t bytes) { shifts_[static_cast<std::size_t>(p)] = bytes; }

  /// The bytes of an element, for reading: in range and written.
  Result<const std::byte*> read(std::int64_t p, std::int64_t i) const;
  /// The bytes of an element, for writing: in range; marks them written.
  Result<std::byte*> write(std::int64_t p, std::int64_t i) const;

 private:
  Result<std::int64_t> locate(std::int64_t p, std::int64_t i) const;

  Storage* storage_ = nullptr;
  const CoreState* core_ = nullptr;
  const tile::Buffer* buffer_ = nullptr;
  ElementType type_ = ElementType::None;
  int width_ = 1;
  bool hbm_ = false;
  std::int64_t partitions_ = 0, first_partition_ = 0, partition_stride_ = 1, copy_ = 0, start_ = 0;
  std::vector<std::int64_t> free_;    // byte offsets of the free elements in row-major order
  std::vector<std::int64_t> shifts_;  // per partition
};

}  // namespace openneuron::ref
