#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "runtime/buffer.h"
#include "runtime/core.h"
#include "runtime/event.h"

using namespace openneuron;
using namespace openneuron::runtime;

TEST_CASE("HBM counts what lives, and its peak") {
  Core core(0, 1000);
  auto a = core.allocate(600, label("a"));
  REQUIRE(a);
  CHECK(reinterpret_cast<std::uintptr_t>((*a)->data()) % 64 == 0);
  CHECK(core.hbm().used == 600);
  { auto b = core.allocate(400, label("b")); REQUIRE(b); }
  CHECK(core.hbm().used == 600);
  CHECK(core.hbm().peak == 1000);
  core.clear_peak();
  CHECK(core.hbm().peak == 600);
  *a = nullptr;
  CHECK(core.hbm().used == 0);
}

TEST_CASE("a full HBM names the largest holders and stays usable") {
  Core core(3, 1000);
  auto small = core.allocate(100, label("small"));
  auto large = core.allocate(500, label("large"));
  auto refused = core.allocate(401, label("third"));
  REQUIRE(!refused);
  CHECK(refused.diagnostic().code == Code::HbmFull);
  const std::string& text = refused.diagnostic().message;
  CHECK(text.find("large (500 bytes), small (100 bytes)") != std::string::npos);
  CHECK(text.find("core 3") != std::string::npos);
  CHECK(core.hbm().used == 600);
  CHECK(core.allocate(400, label("fits")));
}

TEST_CASE("large blocks are reused and hold their bytes") {
  Core core(0, std::int64_t{1} << 30);
  for (int turn = 0; turn < 3; ++turn) {
    auto made = core.allocate(3 << 20, label("block"));
    REQUIRE(made);
    std::memset((*made)->data(), turn, 3 << 20);
  }
  CHECK(core.hbm().used == 0);
}

TEST_CASE("a view tells its owner when nothing uses it any more") {
  Core core(0, 1000);
  std::byte bytes[64];
  int released = 0;
  auto view = core.view(bytes, sizeof bytes, label("view"), [&] { ++released; });
  REQUIRE(view);
  Buffer buffer(std::move(*view), Event::done());
  const auto held = buffer.memory();
  CHECK(!buffer.take().alone);  // the caller's memory is never written
  CHECK(released == 0);
  const_cast<std::shared_ptr<Allocation>&>(held) = nullptr;
  CHECK(released == 1);
}

TEST_CASE("a buffer gives its memory away once; a reader keeps it from being written") {
  Core core(0, 1000);
  Buffer alone(*core.allocate(8, label("a")), Event::done()), read(*core.allocate(8, label("b")), Event::done());
  const Reader reader = read.read();
  CHECK(alone.take().alone);
  CHECK(alone.take().memory == nullptr);
  CHECK(alone.deleted());
  const auto taken = read.take();
  CHECK(taken.memory != nullptr);
  CHECK(!taken.alone);
}

TEST_CASE("an event calls back once, at once or when it is set, and may be destroyed in the callback") {
  int calls = 0;
  Event::done()->on_ready([&](const Error& error) { calls += error ? 100 : 1; });
  CHECK(calls == 1);
  auto event = Event::pending();
  Event* raw = event.get();
  raw->on_ready([&](const Error& error) {
    event = nullptr;  // the last reference but the event's own
    calls += error ? 10 : 1;
  });
  CHECK(calls == 1);
  raw->set(error_of(fail(Code::Internal, "no")));
  CHECK(calls == 11);
}

TEST_CASE("waiting for an event gives its error") {
  auto event = Event::pending();
  std::thread setter([event] { event->set(error_of(fail(Code::HbmFull, "full"))); });
  const Error& error = event->wait();
  setter.join();
  REQUIRE(error);
  CHECK(error->code == Code::HbmFull);
}

TEST_CASE("work runs in the order of submission, and drain waits for it") {
  WorkQueue queue;
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) queue.submit([&order, i] { order.push_back(i); });
  queue.drain();
  REQUIRE(order.size() == 100);
  for (int i = 0; i < 100; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("a queue that works runs nothing on the caller's thread") {
  WorkQueue queue;
  auto gate = Event::pending();
  queue.submit([gate] { gate->wait(); });
  CHECK(!queue.run_if_idle([] {}));
  gate->set();
  queue.drain();
  bool ran = false;
  CHECK(queue.run_if_idle([&] { ran = true; }));
  CHECK(ran);
}

TEST_CASE("a queue that ends runs what waits") {
  std::atomic<int> done{0};
  {
    WorkQueue queue;
    for (int i = 0; i < 20; ++i) queue.submit([&] { ++done; });
  }
  CHECK(done == 20);
}
