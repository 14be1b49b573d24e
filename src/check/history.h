// What has been accessed so far, by bytes, and the program order of executed instructions.
#pragma once
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "check/overlap.h"
#include "isa/instruction.h"

namespace openneuron::check {

/// Iterations as nodes of a tree, so that two executed instructions can be put in program order.
class Moments {
 public:
  Moments() { nodes_.push_back({0, 0, 0, 0}); }
  /// The node of iteration (part, branch) `iteration` of the region opened by order number `region` inside `outer`.
  std::uint32_t inside(std::uint32_t outer, std::uint32_t region, std::int64_t iteration);
  /// Whether (moment a, order) comes before (moment b, order).
  bool before(std::uint32_t a, std::uint32_t order_a, std::uint32_t b, std::uint32_t order_b) const;

 private:
  struct Node {
    std::uint32_t outer, region;
    std::int64_t iteration;
    std::uint32_t depth;
  };
  std::vector<Node> nodes_;
  std::map<std::pair<std::uint64_t, std::int64_t>, std::uint32_t> known_;
};

struct Event {
  std::uint32_t stream = 0;
  std::uint32_t number = 0;        ///< the stream's clock with it
  std::uint32_t moment = 0;
  const isa::Instruction* instruction = nullptr;
  int core = 0;
};

struct Conflict {
  enum Kind { None, Unordered, Backwards } kind = None;
  Event other;
};

class History {
 public:
  explicit History(std::size_t streams) : streams_(streams) {}
  /// Enters an access and compares it with those before: `known` is what the event's stream knows to be complete.
  Conflict add(const Event& event, const Reach& reach, bool write, const std::vector<std::uint32_t>& known, const Moments& moments);

 private:
  struct Entry {
    Event event;
    Reach reach;
  };
  struct Piece {
    std::vector<std::vector<std::uint32_t>> lists;  // [2 * stream + write]: entries, oldest first
  };
  using Pieces = std::map<std::int64_t, Piece>;

  std::size_t streams_;
  std::vector<Entry> entries_;
  std::map<std::uint32_t, Pieces> memories_;
};

}  // namespace openneuron::check
