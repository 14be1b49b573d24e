#include "report/units.h"

#include <fmt/format.h>

#include <initializer_list>

namespace openneuron::report {
namespace {

std::string scaled(double value, double step, std::initializer_list<const char*> units) {
  auto unit = units.begin();
  while (value >= step && unit + 1 != units.end()) {
    value /= step;
    ++unit;
  }
  return fmt::format("{:.4g} {}", value, *unit);
}

}  // namespace

std::string bytes_text(double bytes) { return scaled(bytes, 1024, {"B", "KiB", "MiB", "GiB", "TiB"}); }
std::string flops_text(double flops) { return scaled(flops, 1000, {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"}); }
std::string time_text(double ns) { return scaled(ns, 1000, {"ns", "us", "ms", "s"}); }

}  // namespace openneuron::report
