// Walks back from the span that was done last, each time to the span that it waited for last.
#include <algorithm>

#include "device/device.h"

namespace openneuron::device {

std::vector<PathPiece> critical_path(std::span<const Span> timeline) {
  std::vector<PathPiece> out;
  if (timeline.empty()) return out;
  const auto last = std::max_element(timeline.begin(), timeline.end(),
                                     [](const Span& a, const Span& b) { return a.done_ns < b.done_ns; });
  auto at = static_cast<std::uint32_t>(last - timeline.begin());
  double until = last->done_ns;  // this span's share of the time ends here
  Wait next = Wait::Nothing;
  for (;;) {
    const Span& span = timeline[at];
    const double engine_left = std::clamp(span.end_ns, span.start_ns, std::max(span.start_ns, until));
    out.push_back({at, engine_left - span.start_ns, until - engine_left, next});
    if (span.cause == Span::kNoSpan) break;
    next = span.wait;
    until = span.start_ns;
    at = span.cause;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace openneuron::device
