#include "runtime/first_guess.h"

#include <algorithm>
#include <vector>

#include "device/device.h"

namespace openneuron::runtime {
namespace {

// Assumed of the host, as orders of magnitude: a wrong guess costs one hand-over between threads, or one run on the
// caller's thread; from the second run on, the last one's time is known.
constexpr double kInstructionNs = 250, kFlopsPerNs = 20, kBytesPerNs = 4;

// Time of the instructions of one stream; at least `enough` once it is known to be that long.
double instructions_ns(const isa::Stream& stream, double enough) {
  std::vector<double> trips = {1};
  double ns = 0;
  for (const isa::Instruction& in : stream.instructions) {
    ns += kInstructionNs * trips.back();
    if (ns > enough || in.opcode == isa::Opcode::WhileBegin) return enough + 1;
    if (in.opcode == isa::Opcode::LoopBegin) {
      if (in.operands[0].kind != isa::OperandKind::Immediate) return enough + 1;
      trips.push_back(trips.back() * std::max(0.0, in.operands[0].immediate));
    } else if (in.opcode == isa::Opcode::LoopEnd && trips.size() > 1) {
      trips.pop_back();
    }
  }
  return ns;
}

}  // namespace

std::int64_t guess_host_ns(const isa::Code& code, const Machine& machine, std::int64_t enough_ns) {
  const auto enough = static_cast<double>(enough_ns);
  double ns = 0;
  for (const isa::CoreCode& core : code.cores)
    for (const isa::Stream& stream : core.streams) {
      ns += instructions_ns(stream, enough);
      if (ns > enough) return enough_ns + 1;
    }
  const device::Estimate work = device::estimate(code, machine);  // short: it walks over few instructions
  ns += work.flops / kFlopsPerNs + static_cast<double>(work.hbm_read_bytes + work.hbm_written_bytes) / kBytesPerNs;
  return static_cast<std::int64_t>(std::min(ns, enough + 1));
}

}  // namespace openneuron::runtime
