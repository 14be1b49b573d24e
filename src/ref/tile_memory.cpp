#include "ref/tile_memory.h"

#include <algorithm>

namespace openneuron::ref {

using isa::Operand;

Failure tile_failure(Code code, const CoreState& core, std::string message) {
  Place place;
  place.op = core.instruction;
  return fail(code, std::move(place), std::move(message));
}

Result<std::int64_t> read_register(const CoreState& core, std::int16_t reg) {
  const std::size_t i = static_cast<std::size_t>(reg);
  if (reg < 0 || i >= core.registers.size() || !core.register_set[i])
    return tile_failure(Code::OracleTileUnwritten, core, "register " + std::to_string(reg) + " was never written");
  return core.registers[i];
}

TileMemory::TileMemory(const tile::Module& module) : module_(module) {
  for (std::uint32_t i = 0; i < module.buffers.size(); ++i) {
    const tile::Buffer& buffer = module.buffers[BufferId(std::size_t{i})];
    Storage s;
    s.copies = std::max<std::int64_t>(buffer.copies, 1);
    s.partitions = isa::is_hbm(buffer.space) ? 1 : std::max<std::int64_t>(buffer.partitions, 1);
    s.row_bytes = std::max<std::int64_t>(buffer.bytes, 0);
    storage_.push(std::move(s));
  }
}

BufferId TileMemory::root(BufferId buffer) const {
  // Chains of aliases end after as many steps as there are buffers, or they are a ring.
  for (std::size_t step = 0; step < module_.buffers.size(); ++step) {
    const BufferId next = module_.buffers[buffer].alias;
    if (!next.valid() || next.index >= module_.buffers.size()) break;
    buffer = next;
  }
  return buffer;
}

Storage& TileMemory::storage(BufferId buffer) {
  Storage& s = storage_[root(buffer)];
  const std::size_t bytes = static_cast<std::size_t>(s.copies * s.partitions * s.row_bytes);
  if (s.bytes.size() != bytes) {
    s.bytes.assign(bytes, std::byte{0});
    s.written.assign(bytes, 0);
  }
  return s;
}

void TileMemory::forget(BufferId buffer) {
  Storage& s = storage_[root(buffer)];
  std::fill(s.written.begin(), s.written.end(), std::uint8_t{0});
}

Result<View> View::resolve(const Operand& operand, const tile::Module& module, TileMemory& memory, const CoreState& core) {
  if (operand.kind != isa::OperandKind::Memory)
    return tile_failure(Code::OracleTileUnsupported, core, "an operand is no memory access");
  if (operand.buffer.index >= module.buffers.size())
    return tile_failure(Code::OracleTileUnsupported, core, "an access names no buffer");
  View view;
  view.buffer_ = &module.buffers[operand.buffer];
  view.storage_ = &memory.storage(operand.buffer);
  view.core_ = &core;
  view.type_ = operand.type;
  view.width_ = byte_width(operand.type);
  view.hbm_ = isa::is_hbm(view.buffer_->space);
  view.partitions_ = operand.partition_count;
  view.first_partition_ = operand.partition_start;
  view.partition_stride_ = operand.partition_stride;
  view.start_ = operand.start;
  for (const isa::Term& term : operand.terms) {
    if (term.loop.index >= core.loop_values.size())
      return tile_failure(Code::OracleTileUnsupported, core, "an access names a loop that the program does not have");
    const std::int64_t value = core.loop_values[term.loop.index];
    view.first_partition_ += value * term.partitions;
    view.start_ += value * term.bytes;
  }
  if (operand.reg >= 0) {
    auto value = read_register(core, operand.reg);
    if (!value) return value.failure();
    view.start_ += *value * operand.reg_bytes;
  }
  if (operand.copies > 1) {
    if (operand.rotate_loop.index >= core.loop_values.size())
      return tile_failure(Code::OracleTileUnsupported, core, "a rotating access names no loop");
    view.copy_ = core.loop_values[operand.rotate_loop.index] % operand.copies;
  }
  const std::int64_t count = operand.free_count();
  if (view.width_ == 0 || count < 0 || count > (std::int64_t{1} << 31))
    return tile_failure(Code::OracleTileUnsupported, core, "an access has no type or a senseless size");
  view.free_.reserve(static_cast<std::size_t>(count));
  std::vector<std::int64_t> index(operand.dims.size(), 0);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * operand.dims[d].stride;
    view.free_.push_back(offset);
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < operand.dims[d].count) break;
      index[d] = 0;
    }
  }
  view.shifts_.assign(static_cast<std::size_t>(view.partitions_), 0);
  return view;
}

Result<std::int64_t> View::locate(std::int64_t p, std::int64_t i) const {
  const std::int64_t shift = shifts_[static_cast<std::size_t>(p)];
  std::int64_t row = first_partition_ + p * partition_stride_;
  std::int64_t byte = start_ + shift + free_[static_cast<std::size_t>(i)];
  if (hbm_) {
    byte += p * partition_stride_;
    row = 0;
  }
  if (row < 0 || row >= storage_->partitions || byte < 0 || byte + width_ > storage_->row_bytes || copy_ >= storage_->copies)
    return tile_failure(Code::OracleTileRange, *core_,
                        "element " + std::to_string(i) + " of partition " + std::to_string(p) + " lies at partition " +
                            std::to_string(row) + ", byte " + std::to_string(byte) + ", copy " + std::to_string(copy_) +
                            " of buffer " + buffer_->name + ", which has " + std::to_string(storage_->partitions) +
                            " partitions of " + std::to_string(storage_->row_bytes) + " bytes and " +
                            std::to_string(storage_->copies) + " copies");
  return (copy_ * storage_->partitions + row) * storage_->row_bytes + byte;
}

Result<const std::byte*> View::read(std::int64_t p, std::int64_t i) const {
  auto at = locate(p, i);
  if (!at) return at.failure();
  for (int b = 0; b < width_; ++b)
    if (!storage_->written[static_cast<std::size_t>(*at + b)])
      return tile_failure(Code::OracleTileUnwritten, *core_,
                          "element " + std::to_string(i) + " of partition " + std::to_string(p) + " reads buffer " +
                              buffer_->name + " at byte " + std::to_string(*at + b) + ", which nothing has written");
  return static_cast<const std::byte*>(storage_->bytes.data() + *at);
}

Result<std::byte*> View::write(std::int64_t p, std::int64_t i) const {
  auto at = locate(p, i);
  if (!at) return at.failure();
  std::fill_n(storage_->written.begin() + *at, width_, std::uint8_t{1});
  return storage_->bytes.data() + *at;
}

}  // namespace openneuron::ref
