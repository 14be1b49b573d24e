// The JSON that the programs write. nlohmann-json appears in json_files.cpp only.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "image/neff.h"
#include "isa/code.h"

namespace openneuron::tools {

/// What --report holds. Fields below 0 are left out.
struct RunReport {
  std::string target, host_isa;
  double compile_ms = -1, load_ms = -1, run_ms_best = -1, run_ms_median = -1;
  std::int64_t peak_rss_bytes = 0;
  std::int64_t threads = -1, steps = -1;
  const device::Estimate* estimate = nullptr;
};
std::string report_json(const RunReport& report);

/// Chrome's trace format, which ui.perfetto.dev opens: a track per engine and DMA queue, times in microseconds.
Result<void> write_timeline(const std::string& path, const isa::Code& code, std::span<const device::Span> spans);

/// `openneuron show --json`.
std::string show_json(const image::Header& header, const isa::Code& code);

/// Names of the routines that the code calls, each once.
std::vector<std::string> routines_of(const isa::Code& code);

}  // namespace openneuron::tools
