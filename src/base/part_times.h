// How long the parts of a pass take, for people.
#pragma once
#include <chrono>
#include <string_view>
#include <vector>

namespace openneuron {

struct PartTime {
  std::string_view name;
  double milliseconds = 0;
};

class PartTimes {
 public:
  /// Counts the time since the last call, at first since construction, to `part`.
  void lap(std::string_view part) {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double, std::milli> spent = now - start_;
    start_ = now;
    for (PartTime& row : rows_)
      if (row.name == part) {
        row.milliseconds += spent.count();
        return;
      }
    rows_.push_back({part, spent.count()});
  }
  const std::vector<PartTime>& rows() const { return rows_; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<PartTime> rows_;
};

/// The same where times may not be wanted.
inline void lap(PartTimes* times, std::string_view part) {
  if (times) times->lap(part);
}

}  // namespace openneuron
