#include "runtime/collective.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/collective_work.h"

namespace openneuron::runtime {
namespace {

using device::CollectiveCall;

// The cores that one core meets: its group, in order; for a permutation those that pairs connect to it.
std::vector<std::int64_t> members_of(const CollectiveCall& call, std::int64_t self) {
  const auto rows = static_cast<std::size_t>(call.group_size > 0 ? static_cast<std::int64_t>(call.groups.size()) / call.group_size : 0);
  const auto row = [&](std::size_t r) { return call.groups.subspan(r * static_cast<std::size_t>(call.group_size), static_cast<std::size_t>(call.group_size)); };
  std::vector<std::int64_t> members;
  if (call.kind != isa::CollectiveKind::Permute) {
    for (std::size_t r = 0; r < rows; ++r) {
      if (std::find(row(r).begin(), row(r).end(), self) == row(r).end()) continue;
      for (std::int32_t p : row(r))
        if (p >= 0) members.push_back(p);
      return members;
    }
    return {self};
  }
  members = {self};
  for (std::size_t known = 0; known < members.size(); ++known)
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t side = 0; side < 2; ++side)
        if (row(r)[side] == members[known] && std::find(members.begin(), members.end(), row(r)[1 - side]) == members.end())
          members.push_back(row(r)[1 - side]);
  std::sort(members.begin(), members.end());
  return members;
}

bool holds(const std::vector<std::int64_t>& members, std::size_t core) {
  return std::find(members.begin(), members.end(), static_cast<std::int64_t>(core)) != members.end();
}

std::string list(const std::vector<std::int64_t>& members) {
  std::string text;
  for (std::int64_t p : members) text += (text.empty() ? "" : ", ") + std::to_string(p);
  return text;
}

std::string told(const CollectiveCall& call, const std::vector<std::int64_t>& members) {
  return std::string(isa::collective_name(call.kind)) + " of " + std::to_string(call.source.size()) + " bytes of " +
         std::string(type_name(call.type)) + " among cores " + list(members) + (call.place.empty() ? "" : " at " + call.place);
}

// One group at one collective: who has come, and the work once all have.
struct Meeting {
  std::vector<std::int64_t> members;
  std::vector<const CollectiveCall*> calls;  ///< by member
  std::size_t arrived = 0;
  std::size_t next_piece = 0, finished_pieces = 0;  ///< as many pieces as members
  std::string failure;                              ///< not empty: nobody may go on
  Code code = Code::CollectiveMismatch;

  bool open() const { return failure.empty() && !all_here(); }
  bool all_here() const { return arrived == members.size(); }
  bool over() const { return !failure.empty() || finished_pieces == members.size(); }
};

enum class Presence : std::uint8_t { Running, Ended, Failed };

}  // namespace

struct CollectiveGroup::State {
  class Core final : public device::Collective {
   public:
    Core(State& state, std::size_t self) : state_(state), self_(self) {}
    std::int64_t partition() const override { return static_cast<std::int64_t>(self_); }
    Result<void> run(const CollectiveCall& call) override { return state_.run(self_, call); }

   private:
    State& state_;
    std::size_t self_;
  };

  Result<void> run(std::size_t self, const CollectiveCall& call);
  std::shared_ptr<Meeting> join(std::size_t self, const CollectiveCall& call, const std::vector<std::int64_t>& members);
  // Says that the meeting fails; the lock is held.
  void refuse(Meeting& meeting, Code code, std::string why) {
    if (meeting.failure.empty()) {
      meeting.failure = std::move(why);
      meeting.code = code;
    }
    changed.notify_all();
  }

  // Nobody can go on: every core that still runs waits for another. The lock is held.
  void refuse_if_stuck() {
    std::string what;
    for (std::size_t c = 0; c < presence.size(); ++c) {
      if (presence[c] != Presence::Running) continue;
      if (waiting[c] == nullptr || !waiting[c]->open()) return;
      const auto at = std::find(waiting[c]->members.begin(), waiting[c]->members.end(), static_cast<std::int64_t>(c)) - waiting[c]->members.begin();
      const CollectiveCall* call = waiting[c]->calls[static_cast<std::size_t>(at)];
      if (call != nullptr && what.size() < 1000) what += (what.empty() ? "core " : "; core ") + std::to_string(c) + " in " + told(*call, waiting[c]->members);
    }
    for (const auto& meeting : waiting)
      if (meeting != nullptr && meeting->open()) refuse(*meeting, Code::CollectiveMismatch, "every core waits for another: " + what);
  }

  std::vector<Core> cores;
  std::vector<Presence> presence;
  std::vector<std::shared_ptr<Meeting>> waiting;  ///< per core: where it is now
  std::chrono::milliseconds timeout{0};
  std::mutex mutex;
  std::condition_variable changed;
};

// Finds or opens the meeting; the lock is held.
std::shared_ptr<Meeting> CollectiveGroup::State::join(std::size_t self, const CollectiveCall& call, const std::vector<std::int64_t>& members) {
  // Another member may wait elsewhere, for cores that it shares with no one here. But if it waits for this core in another
  // group, neither will ever go on.
  std::shared_ptr<Meeting> meeting;
  for (std::int64_t p : members) {
    const auto& other = waiting[static_cast<std::size_t>(p)];
    if (other == nullptr || !other->open()) continue;
    if (other->members == members || holds(other->members, self)) meeting = other;
  }
  if (meeting == nullptr) {
    meeting = std::make_shared<Meeting>();
    meeting->members = members;
    meeting->calls.resize(members.size());
  }
  waiting[self] = meeting;
  const auto first = std::find_if(meeting->calls.begin(), meeting->calls.end(), [](const CollectiveCall* c) { return c != nullptr; });
  const bool same = first == meeting->calls.end() ||
                    (meeting->members == members && (*first)->kind == call.kind && (*first)->op == call.op && (*first)->type == call.type &&
                     (*first)->source.size() == call.source.size() && (*first)->destination.size() == call.destination.size());
  if (!same) {
    const auto who = static_cast<std::size_t>(first - meeting->calls.begin());
    refuse(*meeting, Code::CollectiveMismatch, "core " + std::to_string(meeting->members[who]) + " runs " + told(**first, meeting->members) + ", core " +
                                                   std::to_string(self) + " runs " + told(call, members));
    return meeting;
  }
  for (std::int64_t p : members)
    if (presence[static_cast<std::size_t>(p)] != Presence::Running) {
      const bool failed = presence[static_cast<std::size_t>(p)] == Presence::Failed;
      refuse(*meeting, failed ? Code::CollectiveAborted : Code::CollectiveAlone,
             "core " + std::to_string(self) + " runs " + told(call, members) + "; core " + std::to_string(p) + (failed ? " has failed" : " has ended its program"));
      return meeting;
    }
  const auto at = static_cast<std::size_t>(std::find(members.begin(), members.end(), static_cast<std::int64_t>(self)) - members.begin());
  meeting->calls[at] = &call;
  ++meeting->arrived;
  if (meeting->all_here()) changed.notify_all();
  refuse_if_stuck();
  return meeting;
}

Result<void> CollectiveGroup::State::run(std::size_t self, const CollectiveCall& call) {
  const std::vector<std::int64_t> members = members_of(call, static_cast<std::int64_t>(self));
  for (std::int64_t p : members)
    if (p < 0 || static_cast<std::size_t>(p) >= cores.size())
      return fail(Code::CollectiveMismatch, told(call, members) + ": the program runs on " + std::to_string(cores.size()) + " cores");
  std::unique_lock lock(mutex);
  const std::shared_ptr<Meeting> meeting = join(self, call, members);
  const auto ready = [&] { return meeting->all_here() || meeting->over(); };
  if (timeout.count() > 0) {
    if (!changed.wait_for(lock, timeout, ready))
      refuse(*meeting, Code::CollectiveAlone, "core " + std::to_string(self) + " waits in " + told(call, members) + " for more than " +
                                                  std::to_string(timeout.count()) + " ms; only " + std::to_string(meeting->arrived) + " of " +
                                                  std::to_string(members.size()) + " cores came");
  } else {
    changed.wait(lock, ready);
  }
  // Whoever is awake takes the next piece: a small collective is done by the last to come.
  while (meeting->failure.empty() && meeting->next_piece < members.size()) {
    const std::size_t piece = meeting->next_piece++;
    lock.unlock();
    run_piece(meeting->calls, meeting->members, piece);
    lock.lock();
    if (++meeting->finished_pieces == members.size()) changed.notify_all();
  }
  changed.wait(lock, [&] { return meeting->over(); });
  waiting[self] = nullptr;
  if (!meeting->failure.empty()) return fail(meeting->code, meeting->failure);
  return {};
}

CollectiveGroup::CollectiveGroup(std::size_t cores, std::chrono::milliseconds timeout) : state_(std::make_unique<State>()) {
  state_->timeout = timeout;
  state_->presence.assign(cores, Presence::Running);
  state_->waiting.resize(cores);
  state_->cores.reserve(cores);
  for (std::size_t c = 0; c < cores; ++c) state_->cores.emplace_back(*state_, c);
}
CollectiveGroup::~CollectiveGroup() = default;

device::Collective* CollectiveGroup::core(std::size_t partition) { return &state_->cores[partition]; }

void CollectiveGroup::leave(std::size_t partition, bool failed) {
  const std::lock_guard lock(state_->mutex);
  state_->presence[partition] = failed ? Presence::Failed : Presence::Ended;
  for (const auto& meeting : state_->waiting) {
    // Of a meeting that failed, some may have gone: their calls are not theirs to read any more.
    if (meeting == nullptr || !meeting->open()) continue;
    if (!holds(meeting->members, partition)) continue;
    std::string op;
    for (const CollectiveCall* call : meeting->calls)
      if (call != nullptr) op = told(*call, meeting->members);
    state_->refuse(*meeting, failed ? Code::CollectiveAborted : Code::CollectiveAlone,
                   op + " waits for core " + std::to_string(partition) + (failed ? ", which has failed" : ", which has ended its program"));
  }
  state_->refuse_if_stuck();
}

}  // namespace openneuron::runtime
