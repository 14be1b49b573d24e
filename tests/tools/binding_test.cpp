#include "tools/binding.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

using namespace openneuron;
using namespace openneuron::tools;

namespace {

Array floats(const std::string& name, std::vector<std::int64_t> shape, const std::vector<float>& data) {
  Array a;
  a.name = name;
  a.shape = std::move(shape);
  a.bytes = std::as_bytes(std::span(data));
  return a;
}

// state' = f(state, x); y: state is donated to output 0.
Signature training() {
  Signature s;
  s.inputs = {{"state", ElementType::F32, {2}, 8, -1}, {"input1", ElementType::F32, {}, 4, -1}};
  s.outputs = {{"output0", ElementType::F32, {2}, 8, 0}, {"output1", ElementType::F32, {}, 4, -1}};
  return s;
}

}  // namespace

TEST_CASE("arrays are found by name and by position") {
  const std::vector<float> two = {1, 2}, one = {3};
  const Array arrays[] = {floats("input1", {}, one), floats("input0", {2}, two)};
  CHECK(bind_arrays(training(), arrays, 0, "f"));
  const Array named[] = {floats("state", {2}, two), floats("input1", {}, one)};
  CHECK(bind_arrays(training(), named, 0, "f"));
}

TEST_CASE("what does not fit is refused with its code") {
  const std::vector<float> two = {1, 2}, one = {3};
  const auto code = [](std::span<const Array> arrays, std::int64_t steps) {
    auto feeds = bind_arrays(training(), arrays, steps, "f");
    REQUIRE(!feeds);
    return feeds.diagnostic().code;
  };
  const Array missing[] = {floats("input0", {2}, two)};
  CHECK(code(missing, 0) == Code::ArrayMissing);
  const Array shaped[] = {floats("input0", {2, 1}, two), floats("input1", {}, one)};
  CHECK(code(shaped, 0) == Code::ArrayShape);
  const Array extra[] = {floats("input0", {2}, two), floats("input1", {}, one), floats("inptu9", {}, one)};
  CHECK(code(extra, 0) == Code::ArrayUnknown);
  Array typed[] = {floats("input0", {2}, two), floats("input1", {}, one)};
  typed[1].kind = 'i';
  CHECK(code(typed, 0) == Code::ArrayType);
  // An extra dimension needs --steps of its size, and never fits a donated input.
  const Array stacked[] = {floats("input0", {2}, two), floats("input1", {2}, two)};
  CHECK(code(stacked, 0) == Code::ArrayShape);
  CHECK(code(stacked, 3) == Code::ArrayShape);
  CHECK(bind_arrays(training(), stacked, 2, "f"));
  const std::vector<float> four = {1, 2, 3, 4};
  const Array donated[] = {floats("input0", {2, 2}, four), floats("input1", {}, one)};
  CHECK(code(donated, 2) == Code::ArrayShape);
}

TEST_CASE("steps feed slices, keep donated state and stack the rest") {
  const std::vector<float> state = {10, 20}, x = {1, 2, 3};
  const Array arrays[] = {floats("input0", {2}, state), floats("input1", {3}, x)};
  auto feeds = bind_arrays(training(), arrays, 3, "f");
  REQUIRE(feeds);
  auto memory = Memory::allocate(training(), std::move(*feeds), 3, 0);
  REQUIRE(memory);
  for (int step = 0; step < 3; ++step) {
    memory->begin_step(step);
    float s[2], v;
    std::memcpy(s, memory->input(0), 8);
    std::memcpy(&v, memory->input(1), 4);
    s[0] += v;
    s[1] -= v;
    CHECK(memory->output(0) == memory->input(0));
    std::memcpy(memory->output(0), s, 8);
    std::memcpy(memory->output(1), &s[0], 4);
    memory->end_step(step);
  }
  const auto results = memory->results();
  REQUIRE(results.size() == 2);
  CHECK(results[0].shape == std::vector<std::int64_t>{2});
  CHECK(results[1].shape == std::vector<std::int64_t>{3});
  float last[2], stacked[3];
  std::memcpy(last, results[0].bytes.data(), 8);
  std::memcpy(stacked, results[1].bytes.data(), 12);
  CHECK(last[0] == 16);
  CHECK(last[1] == 14);
  CHECK(stacked[0] == 11);
  CHECK(stacked[1] == 13);
  CHECK(stacked[2] == 16);
  memory->begin_step(0, Memory::Restore::Yes);
  std::memcpy(last, memory->input(0), 8);
  CHECK(last[0] == 10);
}

TEST_CASE("random inputs are standard normal, or 0 and 1, and follow the seed") {
  Signature s;
  s.inputs = {{"a", ElementType::F32, {20000}, 80000, -1},
              {"b", ElementType::I32, {1000}, 4000, -1},
              {"c", ElementType::I1, {64}, 64, -1}};
  auto feeds = random_feeds(s, 5), same = random_feeds(s, 5), other = random_feeds(s, 6);
  REQUIRE(feeds);
  CHECK(std::memcmp((*feeds)[0].bytes.data(), (*same)[0].bytes.data(), 80000) == 0);
  CHECK(std::memcmp((*feeds)[0].bytes.data(), (*other)[0].bytes.data(), 80000) != 0);
  std::vector<float> a(20000);
  std::memcpy(a.data(), (*feeds)[0].bytes.data(), 80000);
  double sum = 0, squares = 0;
  for (float v : a) sum += v, squares += static_cast<double>(v) * v;
  CHECK(std::fabs(sum / 20000) < 0.03);          // 4 standard errors of 1/sqrt(20000)
  CHECK(std::fabs(squares / 20000 - 1) < 0.04);  // 4 standard errors of sqrt(2/20000)
  std::vector<int> b(1000);
  std::memcpy(b.data(), (*feeds)[1].bytes.data(), 4000);
  int ones = 0;
  for (int v : b) {
    CHECK((v == 0 || v == 1));
    ones += v;
  }
  CHECK(ones > 400);
  CHECK(ones < 600);
}

TEST_CASE("memory that cannot be is refused") {
  Signature s;
  s.inputs = {{"a", ElementType::F32, {1}, 1000, -1}};
  CHECK(!Memory::allocate(s, {{}}, 0, 999));
  s.inputs[0].bytes = INT64_MAX - 10;
  CHECK(Memory::allocate(s, {{}}, 0, 0).diagnostic().code == Code::MemoryExhausted);
}
