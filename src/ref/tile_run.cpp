// The sequencer of the tile oracle: one state machine per core, run in turn up to its next barrier.
#include <algorithm>
#include <optional>

#include "isa/table.h"
#include "num/convert.h"
#include "ref/ref.h"
#include "ref/tile_compute.h"
#include "tile/text.h"

namespace openneuron::ref {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::OperandKind;

constexpr std::uint64_t kMostSteps = 50'000'000;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 32;

// Blocks: the whole program, loop bodies, the two parts of a while, the branches of a case.
struct Region {
  std::size_t end = 0;                 // the closing marker
  std::vector<std::size_t> dividers;   // WhileTest, or the CaseNexts
};

// What is open while a core runs.
struct Frame {
  std::size_t begin = 0;
  std::int64_t count = 0;  // loops: trips in all
};

class Core {
 public:
  Core(const tile::Module& module, TileMemory& memory, std::size_t number, std::uint64_t step_limit)
      : module_(module),
        memory_(memory),
        program_(module.programs[number]),
        list_(program_.instructions),
        number_(number),
        step_limit_(step_limit == 0 ? kMostSteps : step_limit) {}

  Result<void> prepare();
  /// Runs up to the next barrier; `barrier` is its number, or none when the program has ended.
  Result<void> run(std::optional<std::int32_t>& barrier);

 private:
  Result<void> find_regions();
  void find_local_buffers();
  void enter_block(std::size_t block);
  Result<void> step(std::optional<std::int32_t>& barrier);
  Result<std::int64_t> count_value(const isa::Operand& operand);
  Result<void> set_register(const isa::Operand& operand, std::int64_t value);
  void describe(const Instruction& instruction);

  const tile::Module& module_;
  TileMemory& memory_;
  const tile::Program& program_;
  isa::OpenedList list_;  // of the program
  std::size_t number_;
  std::uint64_t step_limit_;
  std::vector<Region> regions_;                    // by the index of the opening marker
  std::vector<std::vector<BufferId>> forgotten_;   // by block: on-chip buffers that hold nothing when it begins
  std::vector<std::size_t> block_of_marker_;       // the block that begins behind a marker
  std::vector<Frame> frames_;
  CoreState state_;
  Stationary stationary_;
  std::size_t at_ = 0;
  std::uint64_t steps_ = 0;
};

void Core::describe(const Instruction& instruction) {
  state_.instruction = std::string(isa::opcode_name(instruction.opcode)) + " #" + std::to_string(at_);
  if (module_.programs.size() > 1) state_.instruction += " of core " + std::to_string(number_);
  if (instruction.location > 0 && instruction.location < module_.locations.size())
    state_.instruction += " (" + module_.locations[instruction.location] + ")";
}

Result<void> Core::find_regions() {
  const auto& list = list_;
  regions_.assign(list.size(), {});
  std::vector<std::size_t> open;
  for (at_ = 0; at_ < list.size(); ++at_) {
    const Instruction& in = list[at_];
    describe(in);
    const isa::Row& row = isa::row(in.opcode);
    if (static_cast<int>(in.operands.size()) != row.operand_count || static_cast<int>(in.params.size()) != row.param_count)
      return tile_failure(Code::OracleTileUnsupported, state_, "the instruction has the wrong number of operands");
    if (isa::opens_region(in.opcode)) open.push_back(at_);
    if (!isa::closes_region(in.opcode) && !isa::divides_region(in.opcode)) continue;
    const Opcode opener = open.empty() ? Opcode::Memset : list[open.back()].opcode;
    const bool loop = in.opcode == Opcode::LoopEnd, wait = in.opcode == Opcode::WhileTest || in.opcode == Opcode::WhileEnd;
    const Opcode wanted = loop ? Opcode::LoopBegin : wait ? Opcode::WhileBegin : Opcode::CaseBegin;
    if (opener != wanted) return tile_failure(Code::OracleTileUnsupported, state_, "the regions are not nested");
    Region& region = regions_[open.back()];
    if (isa::divides_region(in.opcode)) {
      region.dividers.push_back(at_);
      continue;
    }
    region.end = at_;
    const bool complete = in.opcode != Opcode::WhileEnd || region.dividers.size() == 1;
    const bool all = in.opcode != Opcode::CaseEnd ||
                     static_cast<std::int32_t>(region.dividers.size()) + 1 == list[open.back()].params[0];
    if (!complete || !all) return tile_failure(Code::OracleTileUnsupported, state_, "a region lacks a part");
    open.pop_back();
  }
  if (!open.empty()) return tile_failure(Code::OracleTileUnsupported, state_, "a region is not closed");
  return {};
}

// An on-chip buffer whose accesses all lie in one block holds nothing when that block begins again.
void Core::find_local_buffers() {
  const auto& list = list_;
  std::vector<std::size_t> parent{0};  // blocks; 0 is the program
  std::vector<int> depth{0};
  std::vector<std::size_t> open{0};
  block_of_marker_.assign(list.size(), 0);
  const std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> home(module_.buffers.size(), none);
  const auto new_block = [&](std::size_t marker) {
    parent.push_back(open.back());
    depth.push_back(depth[open.back()] + 1);
    open.push_back(parent.size() - 1);
    block_of_marker_[marker] = open.back();
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Instruction& in = list[i];
    for (const isa::Operand& operand : in.operands) {
      if (operand.kind != OperandKind::Memory || operand.buffer.index >= home.size()) continue;
      std::size_t& block = home[operand.buffer.index];
      std::size_t here = open.back();
      if (block == none) block = here;
      while (block != here) {
        if (depth[here] >= depth[block]) here = parent[here];
        else block = parent[block];
      }
    }
    if (isa::closes_region(in.opcode)) open.pop_back();
    if (isa::divides_region(in.opcode)) open.pop_back();
    if (isa::opens_region(in.opcode) || isa::divides_region(in.opcode)) new_block(i);
  }
  forgotten_.assign(parent.size(), {});
  for (std::uint32_t b = 0; b < home.size(); ++b) {
    const tile::Buffer& buffer = module_.buffers[BufferId(std::size_t{b})];
    const bool on_chip = !isa::is_hbm(buffer.space);
    if (home[b] != none && home[b] != 0 && on_chip) forgotten_[home[b]].push_back(BufferId(std::size_t{b}));
  }
}

void Core::enter_block(std::size_t marker) {
  for (const BufferId buffer : forgotten_[block_of_marker_[marker]]) memory_.forget(buffer);
}

Result<void> Core::prepare() {
  ON_TRY(find_regions());
  find_local_buffers();
  state_.loop_values.assign(program_.loop_count, 0);
  state_.registers.assign(program_.register_count, 0);
  state_.register_set.assign(program_.register_count, false);
  at_ = 0;
  return {};
}

Result<std::int64_t> Core::count_value(const isa::Operand& operand) {
  if (operand.kind == OperandKind::Register) return read_register(state_, operand.reg);
  if (operand.kind == OperandKind::Immediate) return static_cast<std::int64_t>(operand.immediate);
  return tile_failure(Code::OracleTileUnsupported, state_, "a count is neither a number nor a register");
}

Result<void> Core::set_register(const isa::Operand& operand, std::int64_t value) {
  const std::size_t i = static_cast<std::size_t>(operand.reg);
  if (operand.reg < 0 || i >= state_.registers.size())
    return tile_failure(Code::OracleTileUnsupported, state_, "the program has no register " + std::to_string(operand.reg));
  state_.registers[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
  state_.register_set[i] = true;
  return {};
}

Result<void> Core::run(std::optional<std::int32_t>& barrier) {
  barrier.reset();
  while (at_ < list_.size() && !barrier) ON_TRY(step(barrier));
  return {};
}

Result<void> Core::step(std::optional<std::int32_t>& barrier) {
  const Instruction& in = list_[at_];
  describe(in);
  if (++steps_ > step_limit_)
    return tile_failure(Code::OracleTileSteps, state_, std::to_string(step_limit_) + " instructions ran");
  const auto loop_value = [&]() -> std::int64_t* {
    return in.loop.index < state_.loop_values.size() ? &state_.loop_values[in.loop.index] : nullptr;
  };
  Execution execution{module_, memory_, state_, stationary_};
  switch (in.opcode) {
    case Opcode::RegisterMove: {
      auto value = count_value(in.operands[1]);
      if (!value) return value.failure();
      ON_TRY(set_register(in.operands[0], *value));
      break;
    }
    case Opcode::RegisterLoad: {
      auto source = View::resolve(in.operands[1], module_, memory_, state_);
      if (!source) return source.failure();
      if (source->count() != 1 || is_float(source->type()))
        return tile_failure(Code::OracleTileUnsupported, state_, "a register takes one integer");
      auto bytes = source->read(0, 0);
      if (!bytes) return bytes.failure();
      ON_TRY(set_register(in.operands[0], load_int(source->type(), *bytes, 0)));
      break;
    }
    case Opcode::LoopBegin: {
      auto count = count_value(in.operands[0]);
      if (!count) return count.failure();
      if (!loop_value()) return tile_failure(Code::OracleTileUnsupported, state_, "the program has no such loop");
      *loop_value() = 0;
      if (*count <= 0) {
        at_ = regions_[at_].end;
        break;
      }
      frames_.push_back({at_, *count});
      enter_block(at_);
      break;
    }
    case Opcode::LoopEnd: {
      const Frame frame = frames_.back();
      std::int64_t& value = state_.loop_values[list_[frame.begin].loop.index];
      if (++value < frame.count) {
        at_ = frame.begin;
        enter_block(at_);
      } else {
        frames_.pop_back();
      }
      break;
    }
    case Opcode::WhileBegin:
      if (loop_value()) *loop_value() = 0;
      frames_.push_back({at_, 0});
      enter_block(at_);
      break;
    case Opcode::WhileTest: {
      auto value = read_register(state_, in.operands[0].reg);
      if (!value) return value.failure();
      if (*value == 0) {
        at_ = regions_[frames_.back().begin].end;
        frames_.pop_back();
      } else {
        enter_block(at_);
      }
      break;
    }
    case Opcode::WhileEnd: {
      at_ = frames_.back().begin;
      const LoopId loop = list_[at_].loop;
      if (loop.index < state_.loop_values.size()) ++state_.loop_values[loop.index];
      enter_block(at_);
      break;
    }
    case Opcode::CaseBegin: {
      auto selector = read_register(state_, in.operands[0].reg);
      if (!selector) return selector.failure();
      const std::int64_t branches = in.params[0];
      const std::int64_t chosen = *selector < 0 || *selector >= branches ? branches - 1 : *selector;
      frames_.push_back({at_, 0});
      if (chosen > 0) at_ = regions_[at_].dividers[static_cast<std::size_t>(chosen - 1)];
      enter_block(at_);
      break;
    }
    case Opcode::CaseNext:  // the end of the branch that ran
      at_ = regions_[frames_.back().begin].end;
      frames_.pop_back();
      break;
    case Opcode::CaseEnd: frames_.pop_back(); break;
    case Opcode::Advance: break;
    case Opcode::CoreBarrier: barrier = in.params[0]; break;
    case Opcode::LoadStationary:
    case Opcode::Matmul:
    case Opcode::Transpose: ON_TRY(run_matrix(in, execution)); break;
    case Opcode::Dma: ON_TRY(run_transfer(in, execution)); break;
    case Opcode::DmaCompute:
    case Opcode::Max8:
    case Opcode::FindIndex8:
    case Opcode::Collective:
    case Opcode::RankId:
    case Opcode::Sort: ON_TRY(run_rows(in, execution)); break;
    default: ON_TRY(run_elementwise(in, execution)); break;
  }
  ++at_;
  return {};
}

}  // namespace

Result<void> run_tile(const tile::Module& module, const Machine& machine, Column<BufferId, std::vector<std::byte>>& hbm,
                      std::uint64_t step_limit) {
  ON_TRY(tile::verify(module, machine));
  double total = 0;
  for (const tile::Buffer& buffer : module.buffers)
    total += static_cast<double>(buffer.bytes) * (isa::is_hbm(buffer.space) ? 1 : buffer.partitions * buffer.copies);
  if (total > static_cast<double>(kMostBytes))
    return fail(Code::OracleLimit, "the program's buffers hold " + std::to_string(total) + " bytes; the limit is " +
                std::to_string(kMostBytes));
  hbm.resize(module.buffers.size());
  TileMemory memory(module);
  for (std::uint32_t i = 0; i < module.buffers.size(); ++i) {
    const BufferId id(std::size_t{i});
    const tile::Buffer& buffer = module.buffers[id];
    if (!isa::is_hbm(buffer.space)) continue;
    const isa::Variable& variable = buffer.variable;
    const bool constant = variable.kind == isa::VariableKind::Constant;
    if (!constant && variable.kind != isa::VariableKind::Input) continue;
    Storage& storage = memory.storage(id);
    if (constant) {
      const std::size_t given = variable.data.size();
      if (given == 0 && !storage.bytes.empty())
        return fail(Code::OracleInput, "constant " + buffer.name + " has no data");
      for (std::size_t b = 0; b < storage.bytes.size(); ++b)
        if (variable.splat || b < given) storage.bytes[b] = variable.data[b % given], storage.written[b] = 1;
      continue;
    }
    if (hbm[id].size() != storage.bytes.size())
      return fail(Code::OracleInput, "input " + buffer.name + " has " + std::to_string(hbm[id].size()) +
                  " bytes; the program wants " + std::to_string(storage.bytes.size()));
    std::copy(hbm[id].begin(), hbm[id].end(), storage.bytes.begin());
    std::fill(storage.written.begin(), storage.written.end(), std::uint8_t{1});
  }

  std::vector<Core> cores;
  cores.reserve(module.programs.size());
  for (std::size_t i = 0; i < module.programs.size(); ++i) {
    cores.emplace_back(module, memory, i, step_limit);
    ON_TRY(cores.back().prepare());
  }
  for (;;) {
    std::vector<std::optional<std::int32_t>> barriers(cores.size());
    for (std::size_t i = 0; i < cores.size(); ++i) ON_TRY(cores[i].run(barriers[i]));
    for (std::size_t i = 1; i < cores.size(); ++i) {
      if (barriers[i] == barriers[0]) continue;
      const auto name = [](const std::optional<std::int32_t>& b) {
        return b ? "waits at barrier " + std::to_string(*b) : std::string("has ended");
      };
      return fail(Code::OracleTileBarrier,
                  "core 0 " + name(barriers[0]) + ", core " + std::to_string(i) + " " + name(barriers[i]));
    }
    if (barriers.empty() || !barriers[0]) break;
  }

  for (std::uint32_t i = 0; i < module.buffers.size(); ++i) {
    const BufferId id(std::size_t{i});
    const tile::Buffer& buffer = module.buffers[id];
    if (!isa::is_hbm(buffer.space) || buffer.variable.kind == isa::VariableKind::Constant) continue;
    const Storage& storage = memory.storage(id);
    if (buffer.variable.kind == isa::VariableKind::Output) {
      const auto gap = std::find(storage.written.begin(), storage.written.end(), std::uint8_t{0});
      if (gap != storage.written.end())
        return fail(Code::OracleTileUnwritten, "output " + buffer.name + " ends with byte " +
                    std::to_string(gap - storage.written.begin()) + " never written");
    }
    hbm[id] = storage.bytes;
  }
  return {};
}

}  // namespace openneuron::ref
