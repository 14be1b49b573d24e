#include "lower/form.h"

#include <algorithm>

namespace openneuron::lower {

bool map_steps(const Form& form, std::int64_t count, std::int64_t element_bytes, std::int64_t start,
               std::span<Step> steps, FormPlace& place) {
  if (form.kind != FormKind::Tiled) {
    place = {start * element_bytes, 0};
    std::int64_t low = start, high = start;
    for (Step& step : steps) {
      step.bytes = step.step * element_bytes;
      step.partitions = 0;
      if (step.count > 1) (step.step < 0 ? low : high) += step.step * (step.count - 1);
    }
    return low >= 0 && high < count;
  }
  // A digit per factor, with the lowest and highest value that it takes.
  struct Digit {
    std::int64_t low, high;
    void move(std::int64_t by) { (by < 0 ? low : high) += by; }
    bool within(std::int64_t size) const { return low >= 0 && high < size; }
  };
  const std::int64_t s = form.s, n = form.n, tile = form.tile, block = n * s, outer = count / block;
  const auto digit = [](std::int64_t x) { return Digit{x, x}; };
  const std::int64_t p = start % block / s;
  Digit o = digit(start / block), t = digit(p / tile), r = digit(p % tile), i = digit(start % s);
  place = {((t.low * outer + o.low) * s + i.low) * element_bytes, r.low};
  for (Step& step : steps) {
    step.bytes = step.partitions = 0;
    if (step.count <= 1 || step.step == 0) continue;
    const std::int64_t last = step.count - 1;
    if (step.step % block == 0) {
      const std::int64_t k = step.step / block;
      step.bytes = k * s * element_bytes;
      o.move(k * last);
    } else if (step.step % s == 0) {
      const std::int64_t k = step.step / s;
      if (k % tile == 0) {
        step.bytes = k / tile * outer * s * element_bytes;
        t.move(k / tile * last);
      } else {
        if (k < 0) return false;  // partitions only count upwards
        step.partitions = k;
        r.move(k * last);
      }
    } else {
      step.bytes = step.step * element_bytes;
      i.move(step.step * last);
    }
  }
  return o.within(outer) && r.within(tile) && i.within(s) && t.low >= 0 && t.high * tile + r.high < n;
}

bool legal_start(std::int64_t start, std::int64_t partitions, const Machine& machine) {
  const std::int64_t q = machine.quadrant;
  if (start + partitions > machine.partitions) return false;
  if (partitions <= q) return start % q == 0;
  if (partitions <= 2 * q) return start % (2 * q) == 0;
  return start == 0;
}

std::int64_t tile_limit(const Machine& machine) {
  return std::min({machine.partitions, machine.pe_rows, machine.pe_columns});
}

std::int64_t tile_of(std::int64_t n, std::int64_t limit) {
  if (n <= limit) return std::max<std::int64_t>(n, 1);
  for (std::int64_t tile = limit; tile * 2 >= limit; --tile)
    if (n % tile == 0) return tile;
  return limit;
}

}  // namespace openneuron::lower
