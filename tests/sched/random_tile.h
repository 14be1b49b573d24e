// Random tile programs that verify: loops, whiles, cases, rotating buffers, strided and partial accesses, registers,
// gathers, matmuls. They compute nothing sensible; every value stays defined. The input "index" holds 0..3 in its first
// four elements (counts, selectors, rows) and 0..127 in all (offsets).
#pragma once
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tile/module.h"

namespace openneuron::test {

class RandomTile {
 public:
  explicit RandomTile(unsigned seed, bool data_dependent = true) : random_(seed), data_dependent_(data_dependent) {}

  tile::Module make(int size) {
    module_.name = "random";
    module_.target = "trn2";
    for (int n = 0; n < 2; ++n) hbm("x" + std::to_string(n), isa::VariableKind::Input, ElementType::F32, {128, 512});
    index_ = hbm("index", isa::VariableKind::Input, ElementType::I32, {128, 1});
    for (int n = 0; n < 2; ++n) hbm("y" + std::to_string(n), isa::VariableKind::Output, ElementType::F32, {128, 512});
    module_.buffers[tensors_[2]].alias = tensors_[0];
    for (int n = 0; n < 4; ++n) tiles_.push_back(buffer(isa::Space::Sbuf, "t" + std::to_string(n), 512, 1));
    for (int n = 0; n < 2; ++n) banks_.push_back(buffer(isa::Space::Psum, "p" + std::to_string(n), 512, 1));
    offsets_ = buffer(isa::Space::Sbuf, "offsets", 4, 1);
    for (BufferId id : tiles_) memset(id);
    for (BufferId id : banks_) memset(id);
    for (std::size_t n = 2; n < tensors_.size(); ++n)
      for (int column = 0; column < 4; ++column) {
        Operand to = row_access(tensors_[n], 128, 0);
        to.start = 512 * column;
        dma(to, whole(tiles_[n % 4], 128));
      }
    dma(access(offsets_, 0, 128, 0, {}, ElementType::I32), hbm_column());
    block(size, 0);
    // Give everything to the outside.
    for (std::size_t n = 2; n < tensors_.size(); ++n) dma(row_access(tensors_[n], 128, 0), whole(tiles_[n % 4], 128));
    program().loop_count = loops_;
    program().register_count = registers_;
    return std::move(module_);
  }

 private:
  using Operand = isa::Operand;
  int pick(int low, int high) { return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)); }
  bool chance(int percent) { return pick(1, 100) <= percent; }
  tile::Program& program() {
    if (module_.programs.empty()) module_.programs.emplace_back();
    return module_.programs[0];
  }
  isa::Instruction& emit(isa::Opcode opcode, std::vector<Operand> operands, std::vector<std::int32_t> params = {}) {
    isa::Instruction i;
    i.opcode = opcode;
    for (Operand& o : operands) i.operands.push_back(std::move(o));
    for (std::int32_t p : params) i.params.push_back(p);
    i.order = static_cast<std::uint32_t>(program().instructions.size());
    program().instructions.open().push_back(std::move(i));
    return program().instructions.open().back();
  }
  BufferId hbm(const std::string& name, isa::VariableKind kind, ElementType type, std::vector<std::int64_t> shape) {
    tile::Buffer b;
    b.name = name;
    b.space = isa::Space::PrivateHbm;
    b.variable.kind = kind;
    b.variable.type = type;
    b.bytes = byte_width(type);
    for (std::int64_t n : shape) b.bytes *= n;
    b.variable.shape = std::move(shape);
    const BufferId id = module_.buffers.push(b);
    if (type == ElementType::F32) tensors_.push_back(id);
    return id;
  }
  BufferId buffer(isa::Space space, const std::string& name, std::int64_t bytes, int copies) {
    tile::Buffer b;
    b.name = name;
    b.space = space;
    b.partitions = 128;
    b.bytes = bytes;
    b.copies = static_cast<std::uint16_t>(copies);
    return module_.buffers.push(b);
  }

  struct Loop {
    LoopId id;
    int trips;  // -1: from data
  };

  static Operand none() { return {}; }
  static Operand number(double v, ElementType type = ElementType::F32) {
    Operand o;
    o.kind = isa::OperandKind::Immediate;
    o.type = type;
    o.immediate = v;
    return o;
  }
  Operand access(BufferId id, int partition, int partitions, std::int64_t start, std::vector<isa::Dim> dims, ElementType type = ElementType::F32) {
    Operand o;
    o.kind = isa::OperandKind::Memory;
    o.buffer = id;
    o.space = module_.buffers[id].space;
    o.type = type;
    o.partition_start = static_cast<std::uint16_t>(partition);
    o.partition_count = static_cast<std::uint16_t>(partitions);
    o.start = start;
    for (const isa::Dim& d : dims) o.dims.push_back(d);
    if (module_.buffers[id].copies > 1) {
      o.copies = module_.buffers[id].copies;
      o.rotate_loop = rotation_[id.index];
    }
    return o;
  }
  Operand whole(BufferId id, int elements) { return access(id, 0, 128, 0, {{4, elements}}); }
  // 32 elements of each of `partitions` rows of an on-chip buffer, somewhere.
  Operand tile_access(BufferId id, int partitions) {
    const int partition = partitions == 128 ? 0 : partitions == 64 ? 64 * pick(0, 1) : 32 * pick(0, 3);
    Operand o;
    if (chance(25)) {
      o = access(id, partition, partitions, 4 * pick(0, 3), {{16, 32}});
    } else {
      const Loop* loop = chance(50) ? small_loop() : nullptr;
      o = access(id, partition, partitions, loop ? 0 : 128 * pick(0, 3), {{4, 32}});
      if (loop) o.terms.push_back({loop->id, 0, 128});
    }
    return o;
  }
  // [partitions, 32] of a tensor: a column tile, with rows of 2048 bytes.
  Operand row_access(BufferId id, int partitions, int elements) {
    Operand o = access(id, 0, partitions, elements ? 128 * pick(0, 15) : 0, {{4, elements ? elements : 128}});
    o.partition_stride = 2048;
    if (elements && chance(60))
      if (const Loop* loop = small_loop()) {
        o.start = 512 * pick(0, 3);
        o.terms.push_back({loop->id, 0, 128});
      }
    return o;
  }
  Operand hbm_column() {
    Operand o = access(index_, 0, 128, 0, {}, ElementType::I32);
    o.partition_stride = 4;
    return o;
  }
  const Loop* small_loop() {
    std::vector<const Loop*> fit;
    for (const Loop& l : open_)
      if (l.trips > 0 && l.trips <= 4) fit.push_back(&l);
    return fit.empty() ? nullptr : fit[random_() % fit.size()];
  }
  BufferId any_tile() {
    if (!rotating_.empty() && chance(50)) return rotating_[random_() % rotating_.size()];
    return tiles_[random_() % tiles_.size()];
  }
  void memset(BufferId id) { emit(isa::Opcode::Memset, {whole(id, 128), number(0)}); }
  void dma(Operand to, Operand from) { emit(isa::Opcode::Dma, {std::move(to), std::move(from), none()}, {0, 0}); }
  std::int16_t load_register() { return load_register(access(index_, 0, 1, 4 * pick(0, 3), {}, ElementType::I32)); }
  std::int16_t load_register(const Operand& source) {
    Operand reg;
    reg.kind = isa::OperandKind::Register;
    reg.reg = static_cast<std::int16_t>(registers_++);
    emit(isa::Opcode::RegisterLoad, {reg, source});
    return reg.reg;
  }
  static Operand reg(std::int16_t r) {
    Operand o;
    o.kind = isa::OperandKind::Register;
    o.reg = r;
    return o;
  }

  void step() {
    const int partitions = chance(60) ? 128 : chance(50) ? 64 : 32;
    // The destination's buffer is no source: instructions whose operands overlap in part have no defined result.
    const BufferId a = any_tile();
    BufferId b = a, c = a;
    while (b == a) b = any_tile();
    while (c == a) c = any_tile();
    const auto to_psum = [&](BufferId id) { return chance(20) ? banks_[0] : id; };
    const auto of_psum = [&](BufferId id) { return chance(20) ? banks_[1] : id; };
    switch (pick(0, 13)) {
      case 0: case 1: dma(tile_access(a, partitions), row_access(tensors_[static_cast<std::size_t>(pick(0, 3))], partitions, 32)); break;
      case 2: dma(row_access(tensors_[static_cast<std::size_t>(pick(2, 3))], partitions, 32), tile_access(a, partitions)); break;
      case 3: case 4: emit(isa::Opcode::TensorTensor, {tile_access(to_psum(a), partitions), tile_access(b, partitions), tile_access(of_psum(c), partitions)}, {1}); break;
      case 5: emit(isa::Opcode::TensorScalar, {tile_access(a, partitions), tile_access(b, partitions), number(2), number(0)}, {3, 0, 0, 0}); break;
      case 6: emit(isa::Opcode::Activation, {tile_access(to_psum(a), partitions), tile_access(of_psum(b), partitions), number(1), number(0)}, {11}); break;  // relu
      case 7: emit(isa::Opcode::Copy, {tile_access(to_psum(a), partitions), tile_access(of_psum(b), partitions)}); break;
      case 8:
        emit(isa::Opcode::LoadStationary, {access(b, 0, 128, 0, {{4, 128}})});
        emit(isa::Opcode::Matmul, {tile_access(banks_[random_() % 2], 128), tile_access(c, 128)}, {pick(0, 1)});
        break;
      case 9: dma(tile_access(a, partitions), tile_access(b, partitions)); break;
      case 10: {  // gather of rows
        Operand source = access(tensors_[static_cast<std::size_t>(pick(0, 3))], 0, 128, 0, {{4, 32}});
        source.partition_stride = 0;
        source.indirect_stride = 2048;
        source.indirect_limit = 128;
        emit(isa::Opcode::Dma, {tile_access(a, 128), source, access(offsets_, 0, 128, 0, {}, ElementType::I32)}, {1, 0});
        break;
      }
      case 12: {  // rows added where the offsets say
        Operand to = access(tensors_[static_cast<std::size_t>(pick(2, 3))], 0, 128, 0, {{4, 32}});
        to.partition_stride = 0;
        to.indirect_stride = 2048;
        to.indirect_limit = 128;
        emit(isa::Opcode::DmaCompute, {to, tile_access(a, 128), access(offsets_, 0, 128, 0, {}, ElementType::I32)}, {1});
        break;
      }
      case 13: emit(isa::Opcode::Sort, {tile_access(a, partitions), none(), tile_access(b, partitions), none()}, {0, 0}); break;
      case 11:
        if (!data_dependent_) break;
        {  // a row chosen by a register
          Operand to = row_access(tensors_[static_cast<std::size_t>(pick(2, 3))], 1, 32);
          to.reg = load_register();
          to.reg_bytes = 2048;
          Operand from = tile_access(a, 32);
          from.partition_count = 1;
          dma(to, from);
        }
        break;
    }
  }

  void block(int size, int depth) {
    for (int n = 0; n < size; ++n) {
      const int kind = depth < 3 ? pick(0, 11) : 11;
      const LoopId id(static_cast<std::size_t>(loops_));
      if (kind <= 1) {
        ++loops_;
        const bool from_data = data_dependent_ && chance(25);
        const int trips = from_data ? -1 : pick(chance(90) ? 1 : 0, 4);
        Operand count = from_data ? reg(load_register()) : number(trips, ElementType::I32);
        emit(isa::Opcode::LoopBegin, {count}).loop = id;
        open_.push_back({id, trips});
        const std::size_t mine = rotating_.size();
        for (int r = pick(0, 2); r > 0; --r) {
          const BufferId b = buffer(isa::Space::Sbuf, "", 512, pick(2, 3));
          rotation_[b.index] = id;
          if (chance(50))
            memset(b);
          else
            dma(whole(b, 128), row_access(tensors_[static_cast<std::size_t>(pick(0, 1))], 128, 0));
          rotating_.push_back(b);
        }
        block(pick(1, 6), depth + 1);
        rotating_.resize(mine);
        open_.pop_back();
        emit(isa::Opcode::LoopEnd, {}).loop = id;
      } else if (kind == 2 && data_dependent_) {
        ++loops_;
        // Runs 0 to 3 times, and again as often when a loop comes back to it.
        const BufferId counter = buffer(isa::Space::Sbuf, "", 4, 1);
        const Operand count = access(counter, 0, 1, 0, {}, ElementType::I32);
        emit(isa::Opcode::Memset, {count, number(pick(0, 3), ElementType::I32)});
        emit(isa::Opcode::WhileBegin, {}).loop = id;
        block(pick(0, 2), depth + 1);
        const std::int16_t r = load_register(count);
        emit(isa::Opcode::WhileTest, {reg(r)}).loop = id;
        block(pick(1, 4), depth + 1);
        emit(isa::Opcode::TensorScalar, {count, count, number(1, ElementType::I32), number(0)}, {2, 0, 0, 0});
        emit(isa::Opcode::WhileEnd, {}).loop = id;
      } else if (kind == 3 && data_dependent_) {
        ++loops_;
        const int branches = pick(1, 3);
        const std::int16_t r = load_register();
        emit(isa::Opcode::CaseBegin, {reg(r)}, {branches}).loop = id;
        for (int b = 0; b < branches; ++b) {
          if (b) emit(isa::Opcode::CaseNext, {}).loop = id;
          block(pick(0, 3), depth + 1);
        }
        emit(isa::Opcode::CaseEnd, {}).loop = id;
      } else {
        step();
      }
    }
  }

  std::mt19937 random_;
  bool data_dependent_;
  tile::Module module_;
  std::vector<BufferId> tensors_, tiles_, banks_, rotating_;
  std::map<std::uint32_t, LoopId> rotation_;
  BufferId index_, offsets_;
  std::vector<Loop> open_;
  std::uint32_t loops_ = 0, registers_ = 0;
};

}  // namespace openneuron::test
