// The stages of one compile, for a profiler that listens.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "compile/compile.h"
#include "runtime/trace.h"

namespace openneuron::pjrt {

/// Tells the profiler when it ends; does nothing when none listened at its beginning.
class CompileTrace {
 public:
  CompileTrace() : listening_(runtime::trace::on()) {
    if (listening_) made_.whole.start_ns = runtime::trace::wall_ns();
  }
  CompileTrace(const CompileTrace&) = delete;
  CompileTrace& operator=(const CompileTrace&) = delete;
  ~CompileTrace() {
    if (!listening_) return;
    end();
    made_.whole.end_ns = runtime::trace::wall_ns();
    runtime::trace::add(std::move(made_));
  }

  void name(const std::string& program) {
    if (listening_) made_.whole.name = "compile " + program;
  }
  /// Ends the stage before; when it begins, in nanoseconds of the wall clock.
  std::int64_t begin(std::string stage) {
    if (!listening_) return 0;
    end();
    made_.stages.push_back({std::move(stage), runtime::trace::wall_ns(), 0});
    open_ = made_.stages.size();
    return made_.stages.back().start_ns;
  }
  /// Passes that ran one after the other from `start` on.
  void add_passes(std::int64_t start, const std::vector<compile::PassTime>& passes) {
    if (!listening_) return;
    for (const compile::PassTime& pass : passes) {
      const std::int64_t end = start + static_cast<std::int64_t>(pass.milliseconds * 1e6);
      made_.passes.push_back({std::string(pass.name), start, end});
      start = end;
    }
  }

 private:
  void end() {
    if (open_ > 0) made_.stages[open_ - 1].end_ns = runtime::trace::wall_ns();
    open_ = 0;
  }

  bool listening_;
  std::size_t open_ = 0;  // the stage that runs, counted from 1
  runtime::trace::Compile made_;
};

}  // namespace openneuron::pjrt
