#include "device/check_mode.h"

#include <algorithm>
#include <cstring>

#include "device/strips.h"

namespace openneuron::device {
namespace {

__extension__ typedef __int128 Wide;

bool reads(const HostOp& op, std::size_t index) {
  const isa::Use use = isa::operand_field(isa::row(op.opcode), index).use;
  if (op.opcode == isa::Opcode::Matmul && index == 0) return op.params[0] != 0;
  return use != isa::Use::Writes;
}
bool writes(const HostOp& op, std::size_t index) {
  const isa::Use use = isa::operand_field(isa::row(op.opcode), index).use;
  return use == isa::Use::Writes || use == isa::Use::ReadsWrites;
}

}  // namespace

CheckedRun::CheckedRun(const Context& context, std::vector<Core>& cores, std::uint64_t step_limit, std::uint64_t seed)
    : context_(context), cores_(cores), step_limit_(step_limit), state_(seed), geometry_(geometry(*context.machine)) {}

// splitmix64
std::uint64_t CheckedRun::random() {
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

Result<void> CheckedRun::prepare() {
  const isa::Code& code = *context_.code;
  for (std::size_t c = 0; c < code.cores.size(); ++c) {
    semaphores_.emplace_back(static_cast<std::size_t>(context_.machine->semaphores));
    for (std::size_t s = 0; s < code.cores[c].streams.size(); ++s) {
      const isa::Stream& stream = code.cores[c].streams[s];
      std::vector<const isa::Instruction*> list;
      for (const isa::Instruction& i : (*context_.lists)[c][s]) list.push_back(&i);
      auto program = decode_program(code, list, *context_.machine);
      if (!program) return program.failure();
      if (stream.semaphore >= semaphores_[c].size())
        return fail(Code::DeviceProgram, "a stream signals semaphore " + std::to_string(stream.semaphore) +
                                             "; the machine has " + std::to_string(semaphores_[c].size()));
      for (const Runner& other : runners_)
        if (other.core == c && other.stream->semaphore == stream.semaphore)
          return fail(Code::DeviceProgram, "two streams signal semaphore " + std::to_string(stream.semaphore));
      Runner runner;
      runner.stream = &stream;
      runner.core = c;
      runner.index = static_cast<std::uint32_t>(runners_.size());
      runner.program = std::move(*program);
      runner.sequencer.counters.assign(runner.program.slots, 0);
      runner.sequencer.trips.assign(runner.program.slots, 0);
      runner.bases.assign(semaphores_[c].size(), 0);
      runners_.push_back(std::move(runner));
    }
  }
  history_.known.assign(runners_.size(), std::vector<std::uint32_t>(runners_.size(), 0));
  return prepare_shadows();
}

Result<void> CheckedRun::prepare_shadows() {
  const isa::Code& code = *context_.code;
  // A cell is as narrow as the narrowest element of any access to the memory.
  const auto width = [](ElementType type) { return std::clamp<std::int64_t>(byte_width(type), 1, 4); };
  std::vector<std::int64_t> chip(2 * code.cores.size(), 4), variable(code.variables.size(), 4);
  variable_shadow_.resize(code.variables.size());
  for (std::size_t v = 0; v < code.variables.size(); ++v) {
    const std::int32_t input = code.variables[v].aliases;
    variable_shadow_[v] =
        input >= 0 && static_cast<std::size_t>(input) < code.variables.size() ? static_cast<std::size_t>(input) : v;
    variable[variable_shadow_[v]] = std::min(variable[variable_shadow_[v]], width(code.variables[v].type));
  }
  for (const Runner& r : runners_)
    for (const HostOperand& o : r.program.operands) {
      if (o.kind != isa::OperandKind::Memory) continue;
      std::int64_t& granule = o.chip ? chip[2 * r.core + o.base] : variable[variable_shadow_[o.base - kBaseVariables]];
      granule = std::min(granule, width(o.type));
    }
  for (std::size_t i = 0; i < chip.size(); ++i) {
    // Rows begin at a cell: partition bytes are a multiple of any granule, or rounded up to one.
    const std::int64_t bytes = i % 2 == 0 ? geometry_.sbuf_bytes : geometry_.psum_bytes;
    chip_.emplace_back(geometry_.partitions * ((bytes + 3) / 4 * 4), chip[i], false);
  }
  for (std::size_t v = 0; v < code.variables.size(); ++v) {
    const isa::VariableKind kind = code.variables[v].kind;
    const bool initialised = kind == isa::VariableKind::Input || kind == isa::VariableKind::Constant;
    variables_.emplace_back(variable_shadow_[v] == v ? code.variables[v].bytes : 0, variable[v], initialised);
  }
  for (const auto* group : {&chip_, &variables_})
    for (const Shadow& shadow : *group)
      if (!shadow.valid()) return fail(Code::DeviceMemory, "the host has no memory to check this program");
  return {};
}

Result<void> CheckedRun::run() {
  ON_TRY(prepare());
  std::vector<Runner*> candidates;
  for (;;) {
    candidates.clear();
    bool all_done = true;
    for (Runner& r : runners_) {
      if (r.finished()) continue;
      all_done = false;
      if (ready(r)) candidates.push_back(&r);
    }
    if (all_done) return check_outputs();
    if (candidates.empty()) return deadlock();
    Runner& chosen = *candidates[random() % candidates.size()];
    // Bursts of any length, so that some engines run far ahead.
    const std::uint64_t burst = random() % 4 == 0 ? 1 + random() % 64 : 1;
    for (std::uint64_t i = 0; i < burst && !chosen.finished() && ready(chosen); ++i) ON_TRY(step(chosen));
  }
}

bool CheckedRun::ready(Runner& r) {
  const HostOp& op = r.program.ops[r.sequencer.pc];
  for (const isa::Wait& wait : op.source->waits)
    if (semaphores_[r.core][wait.semaphore].value < r.bases[wait.semaphore] + wait.count) return false;
  return op.opcode != isa::Opcode::CoreBarrier || barrier_open(r);
}

// Whether every core stands at, or has passed, its barrier of the same place in its sequence.
bool CheckedRun::barrier_open(Runner& r) {
  if (cores_.size() < 2) return true;
  r.waits_at_barrier = true;
  std::vector<bool> arrived(cores_.size(), false);
  for (const Runner& other : runners_)
    if (other.barriers > r.barriers || (other.barriers == r.barriers && other.waits_at_barrier))
      arrived[other.core] = true;
  return std::all_of(arrived.begin(), arrived.end(), [](bool a) { return a; });
}

Result<void> CheckedRun::step(Runner& r) {
  const HostOp& op = r.program.ops[r.sequencer.pc];
  if (++steps_ > step_limit_ && step_limit_ != 0)
    return fail(Code::DeviceStepLimit, place_of(*context_.code, *op.source),
                "the limit is " + std::to_string(step_limit_) + " instructions");
  if (history_.events.size() >= 0x7FFFFFFFu)
    return fail(Code::DeviceStepLimit, place_of(*context_.code, *op.source), "check mode follows 2^31 instructions");
  std::vector<std::uint32_t>& clock = history_.known[r.index];
  const std::size_t streams = runners_.size();
  // What the waits of an instruction let its stream know.
  const auto learn = [&](const Runner& waiting, const isa::Instruction& instruction) {
    for (const isa::Wait& wait : instruction.waits) {
      const std::int64_t target = waiting.bases[wait.semaphore] + wait.count;
      if (target <= 0) continue;
      const std::uint32_t* seen =
          semaphores_[waiting.core][wait.semaphore].clocks.data() + static_cast<std::size_t>(target - 1) * streams;
      for (std::size_t i = 0; i < streams; ++i) clock[i] = std::max(clock[i], seen[i]);
    }
  };
  learn(r, *op.source);
  const auto event = static_cast<EventId>(history_.events.size());
  history_.events.push_back({r.index, clock[r.index] + 1, op.source});
  ON_TRY(registers(r, op));
  if (op.opcode == isa::Opcode::CoreBarrier) {
    if (cores_.size() > 1) {
      for (const Runner& other : runners_) {
        if (other.barriers == r.barriers && other.waits_at_barrier &&
            other.program.ops[other.sequencer.pc].params[0] != op.params[0])
          return fail(Code::DeviceDeadlock, place_of(*context_.code, *op.source),
                      "the cores wait at different barriers");
        // What the other core had done when it arrived; it has not gone on if it still waits, and its later
        // instructions are counted by clocks that this one does not learn.
        if (other.core == r.core) continue;
        if (other.barriers == r.barriers && other.waits_at_barrier) {
          for (std::size_t i = 0; i < streams; ++i) clock[i] = std::max(clock[i], history_.known[other.index][i]);
          learn(other, *other.program.ops[other.sequencer.pc].source);  // its barrier's own waits hold as well
        } else if (other.barriers == r.barriers + 1) {
          for (std::size_t i = 0; i < streams; ++i) clock[i] = std::max(clock[i], other.sequencer.barrier_clock[i]);
        }
      }
    }
    r.sequencer.barrier_clock = clock;
    ++r.barriers;
    r.waits_at_barrier = false;
    ++r.sequencer.pc;
  } else if (is_marker(op.opcode)) {
    execute_marker(r.program, op, r.sequencer);
  } else {
    ON_TRY(touch(r, op, event));
    ON_TRY(execute(context_, cores_[r.core], r.sequencer, r.program, op));
    ++r.sequencer.pc;
  }
  ++clock[r.index];
  for (const isa::Wait& advance : op.source->advances) r.bases[advance.semaphore] += advance.count;
  if (op.source->signal) {
    Semaphore& semaphore = semaphores_[r.core][r.stream->semaphore];
    ++semaphore.value;
    semaphore.clocks.insert(semaphore.clocks.end(), clock.begin(), clock.end());
  }
  return {};
}

// Registers are per engine: one that this engine never set holds nothing.
Result<void> CheckedRun::registers(Runner& r, const HostOp& op) {
  const auto& operands = op.source->operands;
  const bool sets = op.opcode == isa::Opcode::RegisterMove || op.opcode == isa::Opcode::RegisterLoad;
  for (std::size_t i = sets ? 1 : 0; i < operands.size(); ++i) {
    const std::int16_t reg = r.program.operands[op.first_operand + i].reg;
    if (reg >= 0 && !r.known[static_cast<std::size_t>(reg)])
      return fail(Code::DeviceUninitialised, place_of(*context_.code, *op.source),
                  "register " + std::to_string(reg) + " is read before this engine sets it");
  }
  if (sets) r.known[op.register_index] = true;
  return {};
}

Result<void> CheckedRun::touch(Runner& r, const HostOp& op, EventId event) {
  const HostOperand* operands = r.program.operands.data() + op.first_operand;
  const std::size_t count = op.source->operands.size();
  // Reads first: an instruction may overwrite what it reads.
  for (bool write_pass : {false, true})
    for (std::size_t i = 0; i < count; ++i) {
      if (operands[i].kind != isa::OperandKind::Memory || !(write_pass ? writes(op, i) : reads(op, i))) continue;
      auto view = resolve(context_, cores_[r.core], r.sequencer, op, operands[i]);
      if (!view) return view.failure();
      if (isa::indirect_operand(op) == static_cast<int>(i))
        ON_TRY(touch_rows(r, op, i, *view, event));
      else
        ON_TRY(touch_operand(r, op, i, *view, event));
    }
  return {};
}

Result<void> CheckedRun::touch_operand(Runner& r, const HostOp& op, std::size_t index, const View& view,
                                       EventId event) {
  const HostOperand& operand = r.program.operands[op.first_operand + index];
  const std::int64_t row_bytes =
      operand.chip ? ((operand.base == kBaseSbuf ? geometry_.sbuf_bytes : geometry_.psum_bytes) + 3) / 4 * 4 : 0;
  const bool reading = reads(op, index), writing = writes(op, index);
  for (std::int64_t p = 0; p < (operand.broadcast ? 1 : operand.partitions); ++p) {
    const std::int64_t base =
        operand.chip ? (view.partition + p) * row_bytes + view.byte : view.byte + p * operand.pitch;
    if (reading) ON_TRY(touch_walk(r, op, index, base, event, false));
    if (writing) ON_TRY(touch_walk(r, op, index, base, event, true));
  }
  return {};
}

// The rows that offsets name; rows that are left out are not touched, rows out of range are for the executor to refuse.
Result<void> CheckedRun::touch_rows(Runner& r, const HostOp& op, std::size_t index, const View& view, EventId event) {
  const HostOperand* operands = r.program.operands.data() + op.first_operand;
  const HostOperand& moved = operands[index];
  auto offsets = resolve(context_, cores_[r.core], r.sequencer, op, operands[2]);
  if (!offsets) return offsets.failure();
  for (std::int64_t p = 0; p < moved.partitions; ++p) {
    std::int32_t raw;
    std::memcpy(&raw, offsets->data + p * offsets->pitch, sizeof raw);
    const std::int64_t offset =
        operands[2].type == ElementType::U32 ? static_cast<std::int64_t>(static_cast<std::uint32_t>(raw)) : raw;
    if (offset < 0 || offset >= moved.indirect_limit) continue;
    const Wide byte = view.byte + static_cast<Wide>(offset) * moved.indirect_stride;
    if (byte + moved.low < 0 || byte + moved.high > moved.limit) continue;
    const std::int64_t row_bytes =
        ((moved.base == kBaseSbuf ? geometry_.sbuf_bytes : geometry_.psum_bytes) + 3) / 4 * 4;
    const std::int64_t base = static_cast<std::int64_t>(byte) + (moved.chip ? (view.partition + p) * row_bytes : 0);
    if (reads(op, index)) ON_TRY(touch_walk(r, op, index, base, event, false));
    if (writes(op, index)) ON_TRY(touch_walk(r, op, index, base, event, true));
  }
  return {};
}

Result<void> CheckedRun::touch_walk(Runner& r, const HostOp& op, std::size_t index, std::int64_t base, EventId event,
                                    bool writing) {
  const HostOperand& operand = r.program.operands[op.first_operand + index];
  Shadow& shadow = shadow_of(r, operand);
  const std::int64_t width = byte_width(operand.type);
  WalkCursor cursor(operand.walk, 0);
  for (std::int64_t done = 0; done < operand.walk.count;) {
    const auto run = cursor.next(operand.walk.count - done);
    done += run.count;
    const bool together = run.stride == width, repeated = run.stride == 0;
    const std::int64_t pieces = together || repeated ? 1 : run.count, bytes = together ? width * run.count : width;
    for (std::int64_t i = 0; i < pieces; ++i) {
      const std::int64_t first = base + run.offset + i * run.stride;
      const auto found = writing ? shadow.write(history_, readers_, event, first, bytes)
                                 : shadow.read(history_, readers_, event, first, bytes);
      if (found) return conflict(op, index, writing, *found);
    }
  }
  return {};
}

Shadow& CheckedRun::shadow_of(const Runner& r, const HostOperand& operand) {
  return operand.chip ? chip_[2 * r.core + operand.base] : variables_[variable_shadow_[operand.base - kBaseVariables]];
}

Failure CheckedRun::conflict(const HostOp& op, std::size_t index, bool writing, const Conflict& found) const {
  const isa::Operand& o = op.source->operands[index];
  std::string where;
  if (isa::is_hbm(o.space)) {
    where = "byte " + std::to_string(found.byte) + " of variable " + context_.code->variables[o.buffer.index].name;
  } else {
    const std::int64_t row = ((o.space == isa::Space::Psum ? geometry_.psum_bytes : geometry_.sbuf_bytes) + 3) / 4 * 4;
    where = "partition " + std::to_string(found.byte / row) + ", byte " + std::to_string(found.byte % row) + " of " +
            (o.space == isa::Space::Psum ? "PSUM" : "SBUF");
  }
  const Place place = place_of(*context_.code, *op.source);
  const std::string field(isa::operand_field(isa::row(op.opcode), index).name);
  if (found.other == 0)
    return fail(Code::DeviceUninitialised, place,
                "operand " + field + " reads " + where + ", which nothing has written");
  return fail(Code::DeviceRace, place,
              "operand " + field + (writing ? " writes " : " reads ") + where + ", which is also reached by " +
                  place_of(*context_.code, *history_.events[found.other].instruction).op);
}

Failure CheckedRun::deadlock() const {
  std::string message;
  Place place;
  for (const Runner& r : runners_) {
    if (r.finished()) continue;
    const HostOp& op = r.program.ops[r.sequencer.pc];
    const Place here = place_of(*context_.code, *op.source);
    if (message.empty())
      place = here;
    else
      message += "; ";
    message += here.op;
    for (const isa::Wait& wait : op.source->waits)
      if (semaphores_[r.core][wait.semaphore].value < r.bases[wait.semaphore] + wait.count)
        message += " waits for semaphore " + std::to_string(wait.semaphore) + " to reach " +
                   std::to_string(r.bases[wait.semaphore] + wait.count) + " (it is " +
                   std::to_string(semaphores_[r.core][wait.semaphore].value) + ")";
    if (op.opcode == isa::Opcode::CoreBarrier) message += " waits for the other core";
  }
  return fail(Code::DeviceDeadlock, place, message);
}

Result<void> CheckedRun::check_outputs() const {
  const isa::Code& code = *context_.code;
  for (std::size_t v = 0; v < code.variables.size(); ++v) {
    if (code.variables[v].kind != isa::VariableKind::Output) continue;
    const std::int64_t byte = variables_[variable_shadow_[v]].unwritten(code.variables[v].bytes);
    if (byte >= 0)
      return fail(Code::DeviceUninitialised,
                  "output " + code.variables[v].name + " is never written at byte " + std::to_string(byte));
  }
  return {};
}

}  // namespace openneuron::device
