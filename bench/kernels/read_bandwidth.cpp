// How fast this computer reads memory, each byte once:  bench_read_bandwidth [THREADS [MEGABYTES [ROUNDS]]]
// Prints one JSON object. A decode step reads every weight once, so this is the time it cannot beat.
#include <sys/mman.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <thread>
#include <vector>

namespace {

using Line = std::uint64_t __attribute__((vector_size(64)));
using Clock = std::chrono::steady_clock;

// Two places at a time. Wide loads matter: with 16 bytes each, half as many lines are under way at once.
__attribute__((target_clones("avx512f", "avx2", "default"))) std::uint64_t sum(const Line* lines, std::size_t count) {
  const std::size_t half = count / 2;
  Line low = {}, high = {};
  for (std::size_t i = 0; i < half; ++i) {
    low += lines[i];
    high += lines[half + i];
  }
  std::uint64_t total = 0;
  for (int i = 0; i < 8; ++i) total += low[i] + high[i];
  return total;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i, long otherwise) { return i < argc ? std::max(1L, std::atol(argv[i])) : otherwise; };
  const long threads = number(1, 1), megabytes = number(2, 1024), rounds = number(3, 7);
  const std::size_t bytes = static_cast<std::size_t>(megabytes) << 20;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  ::madvise(memory, bytes, MADV_HUGEPAGE);
  const std::span<Line> lines(static_cast<Line*>(memory), bytes / sizeof(Line));
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = Line{i, i, i, i, i, i, i, i};

  std::vector<double> seconds;
  std::vector<std::uint64_t> totals(static_cast<std::size_t>(threads));
  std::barrier turn(threads);
  const auto work = [&](long which) {
    const std::size_t share = lines.size() / static_cast<std::size_t>(threads);
    const auto mine = lines.subspan(static_cast<std::size_t>(which) * share, share);
    for (long round = 0; round <= rounds; ++round) {
      turn.arrive_and_wait();
      const auto start = Clock::now();
      totals[static_cast<std::size_t>(which)] += sum(mine.data(), mine.size());
      turn.arrive_and_wait();
      // The first round warms up.
      if (which == 0 && round > 0) seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    }
  };
  std::vector<std::thread> others;
  for (long i = 1; i < threads; ++i) others.emplace_back(work, i);
  work(0);
  for (std::thread& other : others) other.join();

  std::sort(seconds.begin(), seconds.end());
  std::uint64_t check = 0;
  for (std::uint64_t total : totals) check ^= total;  // printed, so that no compiler leaves the reads out
  std::printf("{\"threads\": %ld, \"bytes\": %zu, \"gigabytes_per_second_best\": %.3f, \"gigabytes_per_second_median\": %.3f, "
              "\"check\": %llu}\n",
              threads, bytes, 1e-9 * static_cast<double>(bytes) / seconds.front(),
              1e-9 * static_cast<double>(bytes) / seconds[seconds.size() / 2], static_cast<unsigned long long>(check));
}
