// The emulated NeuronCore: loads isa::Code, executes its instructions, times them.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "device/host_isa.h"
#include "isa/code.h"
#include "machine/machine.h"

namespace openneuron::device {

class Collective;

struct Options {
  int threads = 1;
  HostIsa host_isa = HostIsa::Auto;
  bool chip_numerics = false;
  std::uint64_t step_limit = 0;  ///< instructions executed before the run is refused (ON-E19xx); 0 none
  /// The way to the other cores of the group; must outlive the model's runs. Null: alone. Then collectives of groups of one
  /// core run, others are refused (ON-E1912).
  Collective* collective = nullptr;
};

/// How data decided in a run: per core, for each region (LoopId) whose trips or branch depend on data, one number each
/// time it was entered: trips of a loop or while, branch of a case.
struct Trips {
  std::vector<std::unordered_map<std::uint32_t, std::vector<std::int32_t>>> cores;
};

/// A loaded program. Owns no thread when idle. Not thread safe.
class Model {
 public:
  /// Decodes `code` into host operations. `code` must outlive the model.
  static Result<std::unique_ptr<Model>> load(const isa::Code& code, std::shared_ptr<const Machine> machine,
                                             const Options& options);
  virtual ~Model() = default;

  /// Runs once. memory[i] is the HBM of variable i: Input and Output variables are the caller's (an aliased output is
  /// given its input's memory); Constant and Scratch entries are null: the model owns those.
  virtual Result<void> run(std::span<std::byte* const> memory) = 0;

  /// Check mode: the streams with only their semaphores for order, in a random interleaving drawn from `seed`; reports
  /// races, missing waits, reads of uninitialised memory, writes past a buffer, deadlock, with the source op. The
  /// outputs are the same bytes as run()'s.
  virtual Result<void> run_checked(std::span<std::byte* const> memory, std::uint64_t seed) = 0;

  /// Of the last run; empty before the first.
  virtual const Trips& trips() const = 0;
};

/// Per engine (PE, Vector, Scalar, GpSimd, Sync, then each DMA queue in use).
struct EngineTime {
  std::string name;
  double busy_ns = 0;
  std::uint64_t instructions = 0;
};
/// What an instruction started as soon as: the span `Span::cause` of the same timeline did it.
enum class Wait : std::uint8_t {
  Nothing,  ///< at once
  Engine,   ///< the instruction before it in its list left the engine
  Signal,   ///< another list's signal came
  Started,  ///< the multiply before it started: the stationary tile loads beside it
  Result,   ///< its own engine's earlier result was there
  Dma,      ///< another queue's transfer left the DMA engines
  Barrier,  ///< the last core arrived
};
struct Span {  // one executed instruction, for timelines
  std::uint16_t stream = 0;
  Wait wait = Wait::Nothing;
  std::uint32_t order = 0;
  std::uint32_t cause = kNoSpan;  ///< index of the span that it waited for last
  double start_ns = 0, end_ns = 0;
  double done_ns = 0;             ///< its result is there: end_ns and the latency
  static constexpr std::uint32_t kNoSpan = 0xFFFFFFFFu;
};
struct Estimate {
  double total_ns = 0;
  std::vector<EngineTime> engines;
  std::uint64_t hbm_read_bytes = 0, hbm_written_bytes = 0;
  double flops = 0;
  double routine_share = 0;  ///< of the estimated busy time
  std::uint64_t routine_instructions = 0;
  std::uint64_t instructions = 0;
  bool truncated = false;       ///< more than 2e8 instructions: the rest is not counted
  bool data_dependent = false;  ///< regions whose trips depend on data were timed with `trips`, or without it once
};
/// One max-plus sweep over the streams of code that Model::load accepts. `timeline`, when not null, receives every
/// executed instruction; `trips` (Model::trips) says how data decided.
Estimate estimate(const isa::Code& code, const Machine& machine, std::vector<Span>* timeline = nullptr,
                  const Trips* trips = nullptr);

/// Where the estimated time went: a chain of spans, each of which made the next one wait, from the start to the span that
/// was done last. The pieces are disjoint and add up to the time between the launches.
struct PathPiece {
  std::uint32_t span = 0;    ///< whose time it is
  double busy_ns = 0;        ///< it kept its engine
  double latency_ns = 0;     ///< its result was awaited, the hop of the signal included
  Wait next = Wait::Nothing; ///< how the next span of the chain waited for it; Nothing: the last one
};
std::vector<PathPiece> critical_path(std::span<const Span> timeline);

}  // namespace openneuron::device
