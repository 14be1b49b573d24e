#include "lower/form.h"

#include <algorithm>

namespace openneuron::lower {

namespace {

/// A factor's index: where an access starts, and the lowest and highest value that its steps lead to.
struct Digit {
  std::int64_t low, high;
  explicit Digit(std::int64_t start) : low(start), high(start) {}
  void move(std::int64_t by) { (by < 0 ? low : high) += by; }
  bool within(std::int64_t size) const { return low >= 0 && high < size; }
};

bool map_row_major(std::int64_t count, std::int64_t element_bytes, std::int64_t start, std::span<Step> steps, FormPlace& place) {
  place = {start * element_bytes, 0};
  Digit at(start);
  for (Step& step : steps) {
    step.bytes = step.step * element_bytes;
    step.partitions = 0;
    if (step.count > 1) at.move(step.step * (step.count - 1));
  }
  return at.within(count);
}

bool map_spilled(const Form& form, std::int64_t count, std::int64_t element_bytes, std::int64_t start, std::span<Step> steps, FormPlace& place) {
  const std::int64_t s = form.s, n = form.n, block = n * s, outer = count / block;
  Digit o(start / block), p(start % block / s), i(start % s);
  place = {((p.low * outer + o.low) * s + i.low) * element_bytes, 0};
  for (Step& step : steps) {
    step.bytes = step.partitions = 0;
    if (step.count <= 1 || step.step == 0) continue;
    const bool blocks = step.step % block == 0, rows = !blocks && step.step % s == 0;
    const std::int64_t k = blocks ? step.step / block : rows ? step.step / s : step.step;
    step.bytes = k * (blocks ? s : rows ? outer * s : 1) * element_bytes;
    (blocks ? o : rows ? p : i).move(k * (step.count - 1));
  }
  return o.within(outer) && p.within(n) && i.within(s);
}

bool map_tiled(const Form& form, std::int64_t count, std::int64_t element_bytes, std::int64_t start, std::span<Step> steps, FormPlace& place) {
  const std::int64_t s = form.s, n = form.n, tile = form.tile, block = n * s, outer = count / block, p = start % block / s;
  Digit o(start / block), t(p / tile), r(p % tile), i(start % s);
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

}  // namespace

bool map_steps(const Form& form, std::int64_t count, std::int64_t element_bytes, std::int64_t start,
               std::span<Step> steps, FormPlace& place) {
  switch (form.kind) {
    case FormKind::Tiled: return map_tiled(form, count, element_bytes, start, steps, place);
    case FormKind::Spilled: return map_spilled(form, count, element_bytes, start, steps, place);
    default: return map_row_major(count, element_bytes, start, steps, place);
  }
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
