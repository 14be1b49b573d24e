#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "isa/table.h"
#include "stream/names.h"
#include "stream/text.h"

namespace openneuron::stream {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using isa::OperandKind;

constexpr std::size_t kMaxDepth = 64;

// What a core's streams must agree on for one region marker, by its order number.
struct Marker {
  Opcode opcode;
  LoopId loop;
  std::uint32_t begin;  // order of the region's opening marker
};

class Verifier {
 public:
  Verifier(const isa::Code& code, const Machine& machine) : code_(code), machine_(machine) {}

  Result<void> run() {
    if (code_.cores.empty() || code_.cores.size() > static_cast<std::size_t>(machine_.cores))
      return fail(Code::StreamResource, "the program has " + std::to_string(code_.cores.size()) + " cores; " + machine_.name + " has " +
                                            std::to_string(machine_.cores));
    ON_TRY(variables());
    for (core_ = 0; core_ < code_.cores.size(); ++core_) ON_TRY(core(code_.cores[core_]));
    return {};
  }

 private:
  Failure wrong(Code code, std::string message) const {
    Place place;
    std::string where = "core " + std::to_string(core_) + ", ";
    if (stream_) where += std::string(isa::engine_name(stream_->engine)) + (stream_->engine == isa::Engine::Dma ? " queue " + std::to_string(stream_->queue) : "") + ": ";
    if (at_) {
      place.op = isa::mnemonic(at_->opcode);
      where += "instruction " + std::to_string(at_->order) + ": ";
      if (at_->location > 0 && at_->location < code_.locations.size()) message += " (" + code_.locations[at_->location] + ")";
    }
    return fail(code, place, where + message);
  }

  Result<void> variables() const {
    const auto count = code_.variables.size();
    std::set<std::string_view> names;
    for (std::size_t n = 0; n < count; ++n) {
      const isa::Variable& v = code_.variables[n];
      const auto bad = [&](const std::string& why) { return fail(Code::StreamResource, "variable '" + v.name + "': " + why); };
      if (!isa::is_hbm(v.space)) return bad("it does not lie in HBM");
      if (v.bytes < 0 || v.bytes > kLargestVariable) return bad("its size is out of range");
      if (v.kind == isa::VariableKind::Input || v.kind == isa::VariableKind::Output)
        if (v.name.empty() || !names.insert(v.name).second) return bad("inputs and outputs need names of their own");
      if (v.kind == isa::VariableKind::Constant && static_cast<std::int64_t>(v.data.size()) != (v.splat ? byte_width(v.type) : v.bytes))
        return bad("its data does not have its size");
      if (v.aliases < 0) continue;
      if (static_cast<std::size_t>(v.aliases) >= count) return bad("its alias is not there");
      const isa::Variable& input = code_.variables[static_cast<std::size_t>(v.aliases)];
      if (v.kind != isa::VariableKind::Output || input.kind != isa::VariableKind::Input || input.bytes != v.bytes)
        return bad("an alias joins an output to an input of the same size");
    }
    return {};
  }

  Result<void> core(const isa::CoreCode& core) {
    markers_.clear();
    trips_.clear();
    std::set<int> streams;
    at_ = nullptr;
    stream_ = nullptr;
    if (core.sbuf_bytes < 0 || core.sbuf_bytes > machine_.sbuf_partition_bytes || core.psum_banks < 0 || core.psum_banks > machine_.psum_banks)
      return wrong(Code::StreamAccess, "it states more SBUF or PSUM than there is");
    semaphores_.clear();
    for (const isa::Stream& s : core.streams) {
      stream_ = &s;
      if (s.semaphore >= machine_.semaphores) return wrong(Code::StreamResource, "semaphore " + std::to_string(s.semaphore) + "; " + machine_.name + " has " + std::to_string(machine_.semaphores));
      if (!semaphores_.insert(s.semaphore).second) return wrong(Code::StreamResource, "another stream signals the same semaphore");
      if (s.engine == isa::Engine::Any) return wrong(Code::StreamResource, "it has no engine");
      if (!streams.insert(static_cast<int>(s.engine) * 256 + s.queue).second) return wrong(Code::StreamResource, "the engine or queue has two streams");
    }
    for (const isa::Stream& s : core.streams) ON_TRY(stream(s));
    return {};
  }

  Result<void> stream(const isa::Stream& s) {
    stream_ = &s;
    regions_.clear();
    std::int64_t order = -1;
    Instruction stationary;
    bool loaded = false;
    for (const Instruction& i : s.instructions) {
      at_ = &i;
      if (static_cast<std::size_t>(i.opcode) >= isa::rows().size()) return wrong(Code::StreamRegions, "unknown opcode");
      if (static_cast<std::int64_t>(i.order) <= order) return wrong(Code::StreamRegions, "its number does not come after " + std::to_string(order));
      order = i.order;
      if (i.engine != s.engine || i.queue != s.queue) return wrong(Code::StreamResource, "it names another engine or queue than its stream");
      for (auto* checked : {&isa::check_instruction, &isa::check_registers})
        if (auto result = checked(i, machine_); !result) return wrong(result.diagnostic().code, result.diagnostic().message);
      if (i.opcode == Opcode::LoadStationary) stationary = i, loaded = true;
      if (i.opcode == Opcode::Matmul) {
        if (!loaded) return wrong(Code::StreamRegions, "no load_stationary stands before it");
        if (auto result = isa::check_pair(stationary, i); !result) return wrong(result.diagnostic().code, result.diagnostic().message);
      }
      if (i.location >= std::max<std::size_t>(code_.locations.size(), 1)) return wrong(Code::StreamResource, "its location is not there");
      ON_TRY(waits(i));
      for (const Operand& o : i.operands)
        if (o.kind == OperandKind::Memory || o.kind == OperandKind::Pattern) ON_TRY(access(o));
      ON_TRY(region(i));
    }
    at_ = nullptr;  // a list of instructions hands out copies: none outlives its turn
    if (!regions_.empty()) return wrong(Code::StreamRegions, "a region is not closed at the end of the stream");
    return {};
  }

  Result<void> waits(const Instruction& i) const {
    const bool ends = isa::closes_region(i.opcode) || isa::divides_region(i.opcode) || i.opcode == Opcode::Advance;
    if (!i.advances.empty() && !ends) return wrong(Code::StreamRegions, "only the end of a block advances bases");
    for (const auto* list : {&i.waits, &i.advances})
      for (const isa::Wait& w : *list)
        if (!semaphores_.count(w.semaphore)) return wrong(Code::StreamResource, "no stream of this core signals semaphore " + std::to_string(w.semaphore));
    return {};
  }

  Result<void> access(const Operand& o) const {
    std::int64_t low = o.start, high = o.start, first = o.partition_start, last = first + o.partition_count;
    bool known = o.reg < 0 && o.indirect_stride == 0;
    for (const isa::Term& term : o.terms) {
      const auto found = std::find_if(regions_.begin(), regions_.end(), [&](const Marker& m) { return m.loop == term.loop; });
      if (found == regions_.end() || found->opcode != Opcode::LoopBegin) return wrong(Code::StreamRegions, "L" + std::to_string(term.loop.index) + " is no loop around it");
      const std::int64_t trips = trips_.at(term.loop.index);
      if (trips < 0) {
        known = known && term.bytes == 0;
        if (term.partitions != 0) return wrong(Code::StreamAccess, "a loop whose count a register holds cannot move partitions");
        continue;
      }
      const std::int64_t steps = std::max<std::int64_t>(trips - 1, 0);
      if (steps > 0 && std::abs(term.bytes) > kLargestVariable / steps) return wrong(Code::StreamAccess, "a loop term is too large");
      (term.bytes < 0 ? low : high) += term.bytes * steps;
      (term.partitions < 0 ? first : last) += term.partitions * steps;
    }
    if (o.kind == OperandKind::Pattern) return {};
    if (o.copies > 1) {
      const auto found = std::find_if(regions_.begin(), regions_.end(), [&](const Marker& m) { return m.loop == o.rotate_loop; });
      if (found == regions_.end() || found->opcode != Opcode::LoopBegin) return wrong(Code::StreamRegions, "an access rotates with a loop that is not around it");
      high += o.rotate_bytes * (o.copies - 1);
    }
    const isa::ByteRange range = isa::free_range(o);
    low += range.begin;
    high += range.end;
    std::int64_t limit = 0;
    if (isa::is_hbm(o.space)) {
      if (o.buffer.index >= code_.variables.size()) return wrong(Code::StreamResource, "an operand names a variable that is not there");
      const isa::Variable& v = code_.variables[o.buffer.index];
      if (v.space != o.space) return wrong(Code::StreamAccess, "an operand states another space than its variable's");
      limit = v.bytes;
      const std::int64_t rows = o.partition_stride * (o.partition_count - 1);
      (rows < 0 ? low : high) += rows;
    } else {
      if (o.buffer.valid()) return wrong(Code::StreamResource, "an on-chip operand names a variable");
      limit = o.space == isa::Space::Psum ? machine_.psum_banks * machine_.psum_bank_bytes : machine_.sbuf_partition_bytes;
      if (first < 0 || last > machine_.partitions) return wrong(Code::StreamAccess, "partitions " + std::to_string(first) + " to " + std::to_string(last - 1) + " are not all there");
    }
    if (known && (low < 0 || high > limit))
      return wrong(Code::StreamAccess, "an access reaches bytes " + std::to_string(low) + " to " + std::to_string(high - 1) + " of " + std::to_string(limit));
    return {};
  }

  Result<void> region(const Instruction& i) {
    if (!isa::opens_region(i.opcode) && !isa::closes_region(i.opcode) && !isa::divides_region(i.opcode)) return {};
    if (!i.loop.valid() || i.loop.index > (1u << 24)) return wrong(Code::StreamRegions, "it names no region");
    if (isa::opens_region(i.opcode)) {
      if (regions_.size() == kMaxDepth) return wrong(Code::StreamRegions, "regions nest deeper than " + std::to_string(kMaxDepth));
      regions_.push_back({i.opcode, i.loop, i.order});
      std::int64_t trips = -1;
      if (i.opcode == Opcode::LoopBegin && i.operands[0].kind == OperandKind::Immediate) trips = std::max<std::int64_t>(0, static_cast<std::int64_t>(i.operands[0].immediate));
      const auto known = trips_.emplace(i.loop.index, trips);
      if (known.first->second != trips) return wrong(Code::StreamRegions, "another stream states another count for this loop");
    }
    const Opcode wants = i.opcode == Opcode::LoopEnd || i.opcode == Opcode::LoopBegin                                        ? Opcode::LoopBegin
                         : i.opcode == Opcode::WhileBegin || i.opcode == Opcode::WhileEnd || i.opcode == Opcode::WhileTest ? Opcode::WhileBegin
                                                                                                                            : Opcode::CaseBegin;
    if (regions_.empty() || regions_.back().opcode != wants || regions_.back().loop != i.loop) return wrong(Code::StreamRegions, "it does not belong to the region that is open");
    const auto known = markers_.emplace(i.order, Marker{i.opcode, i.loop, regions_.back().begin});
    const Marker& first = known.first->second;
    if (first.opcode != i.opcode || first.loop != i.loop || first.begin != regions_.back().begin)
      return wrong(Code::StreamRegions, "another stream has another marker under this number");
    if (isa::closes_region(i.opcode)) regions_.pop_back();
    return {};
  }

  const isa::Code& code_;
  const Machine& machine_;
  std::size_t core_ = 0;
  const isa::Stream* stream_ = nullptr;
  const Instruction* at_ = nullptr;
  std::set<int> semaphores_;
  std::map<std::uint32_t, Marker> markers_;
  std::map<std::uint32_t, std::int64_t> trips_;
  std::vector<Marker> regions_;
};

}  // namespace

Result<void> verify(const isa::Code& code, const Machine& machine) { return Verifier(code, machine).run(); }

}  // namespace openneuron::stream
