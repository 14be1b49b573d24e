// The lanes as blocks to draw, a bounded number of them, and what each lane stood still for.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "report/run.h"

namespace openneuron::report {
namespace {

constexpr std::size_t kBlocks = 24000;

Pause pause_of_engine(isa::Engine engine) {
  switch (engine) {
    case isa::Engine::PE: return Pause::PE;
    case isa::Engine::Vector: return Pause::Vector;
    case isa::Engine::Scalar: return Pause::Scalar;
    case isa::Engine::GpSimd: return Pause::GpSimd;
    case isa::Engine::Dma: return Pause::Dma;
    default: return Pause::Sync;
  }
}

Pause pause_of(const Run& run, const device::Span& span) {
  switch (span.wait) {
    case device::Wait::Result: return Pause::OwnResult;
    case device::Wait::Barrier: return Pause::Barrier;
    case device::Wait::Dma: return Pause::Dma;
    default: break;
  }
  if (span.cause == device::Span::kNoSpan) return Pause::Sync;
  return pause_of_engine(run.item(run.spans[span.cause]).engine);
}

// Blocks of one lane, built span by span.
class LaneBlocks {
 public:
  LaneBlocks(const Run& run, double resolution_ns) : run_(run), resolution_ns_(resolution_ns) {}

  void add(const device::Span& span, const Item& item) {
    const double pause = std::max(0.0, span.start_ns - free_ns_);
    const Pause kind = pause_of(run_, span);
    const bool grows = !blocks_.empty() && resolution_ns_ > 0 && span.end_ns - blocks_.back().begin_ns <= resolution_ns_;
    if (!grows) {
      finish();
      blocks_.emplace_back();
      blocks_.back().begin_ns = span.start_ns;
      blocks_.back().opcode = item.opcode;
      pauses_ = {};
      longest_pause_ = -1;
    }
    Block& block = blocks_.back();
    block.end_ns = std::max(block.end_ns, span.end_ns);
    block.busy_ns += span.end_ns - span.start_ns;
    block.pause_ns += pause;
    ++block.count;
    busy_of_op_[item.op] += span.end_ns - span.start_ns;
    pauses_[static_cast<std::size_t>(kind)] += pause;
    if (pause > longest_pause_) {
      longest_pause_ = pause;
      block.cause_op = span.cause == device::Span::kNoSpan ? kNone : run_.item(run_.spans[span.cause]).op;
    }
    free_ns_ = std::max(free_ns_, span.end_ns);
  }

  std::vector<Block> take() {
    finish();
    return std::move(blocks_);
  }

 private:
  void finish() {
    if (blocks_.empty()) return;
    Block& block = blocks_.back();
    double most = -1;
    for (const auto& [op, busy] : busy_of_op_)
      if (busy > most || (busy == most && op < block.op)) {
        most = busy;
        block.op = op;
      }
    busy_of_op_.clear();
    block.pause = static_cast<Pause>(std::max_element(pauses_.begin(), pauses_.end()) - pauses_.begin());
  }

  const Run& run_;
  double resolution_ns_;
  double free_ns_ = 0, longest_pause_ = -1;
  std::vector<Block> blocks_;
  std::unordered_map<std::uint32_t, double> busy_of_op_;
  std::array<double, kPauses> pauses_{};
};

}  // namespace

const char* pause_name(Pause pause) {
  constexpr std::array<const char*, kPauses> kNames = {"PE", "Vector", "Scalar", "GpSimd", "Sync", "DMA", "own result", "barrier", "done"};
  return kNames[static_cast<std::size_t>(pause)];
}

void add_timeline(const Run& run, Report& report) {
  const auto lanes = lanes_of_streams(run, nullptr);
  std::vector<double> free(report.lanes.size(), 0);
  for (const device::Span& span : run.spans) {
    const std::uint32_t lane = lane_of(lanes, span, run.item(span));
    report.lanes[lane].pauses[static_cast<std::size_t>(pause_of(run, span))] += std::max(0.0, span.start_ns - free[lane]);
    free[lane] = std::max(free[lane], span.end_ns);
  }
  for (std::size_t lane = 0; lane < free.size(); ++lane)
    report.lanes[lane].pauses[static_cast<std::size_t>(Pause::Done)] = std::max(0.0, run.done_ns - free[lane]);

  double resolution = run.spans.size() > kBlocks ? run.done_ns / 8000 : 0;
  for (;; resolution *= 2) {
    std::vector<LaneBlocks> building(report.lanes.size(), LaneBlocks(run, resolution));
    for (const device::Span& span : run.spans) {
      const Item& item = run.item(span);
      if (!item.marker) building[lane_of(lanes, span, item)].add(span, item);
    }
    std::size_t count = 0;
    report.timeline.lanes.clear();
    for (LaneBlocks& lane : building) {
      report.timeline.lanes.push_back(lane.take());
      count += report.timeline.lanes.back().size();
    }
    report.timeline.resolution_ns = resolution;
    if (count <= kBlocks || resolution <= 0) return;
  }
}

}  // namespace openneuron::report
