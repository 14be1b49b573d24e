// DMA and Copy between every pair of types, against the scalar conversions.
#include <doctest/doctest.h>

#include <random>

#include "builder.h"
#include "device/device.h"
#include "isa/table.h"
#include "num/convert.h"

using namespace device_test;
using isa::VariableKind;

TEST_CASE("every_pair_of_types_converts_as_the_scalar_functions_do") {
  constexpr int kCount = 67;
  std::mt19937_64 random(17);
  for (int f = 0; f < static_cast<int>(ElementType::None); ++f)
    for (int t = 0; t < static_cast<int>(ElementType::None); ++t) {
      const auto from = static_cast<ElementType>(f), to = static_cast<ElementType>(t);
      if (from == ElementType::Index || to == ElementType::Index || from == ElementType::TF32 ||
          to == ElementType::TF32)
        continue;
      if (is_complex(from) != is_complex(to)) continue;
      CAPTURE(type_name(from));
      CAPTURE(type_name(to));
      Builder b;
      const auto x = b.variable("x", VariableKind::Input, from, {2, kCount});
      const auto y = b.variable("y", VariableKind::Output, to, {2, kCount});
      const auto z = b.variable("z", VariableKind::Output, to, {2, kCount});
      b.dma(sbuf(from, 2, 0, kCount), hbm(x, from, 2, kCount));
      b.copy(sbuf(to, 2, 4096, kCount), sbuf(from, 2, 0, kCount));
      b.dma(hbm(y, to, 2, kCount), sbuf(to, 2, 4096, kCount));
      b.dma(hbm(z, to, 2, kCount), sbuf(from, 2, 0, kCount));
      Arrays a(b.code);
      std::vector<std::byte> want(a.bytes[y].size());
      for (std::size_t i = 0; i < 2 * kCount; ++i) {
        const double value =
            std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -50 - static_cast<int>(random() % 30));
        if (is_float(from) || is_complex(from))
          store_double(from, a.bytes[x].data(), i, value);
        else
          store_int(from, a.bytes[x].data(), i, static_cast<std::int64_t>(random() >> (random() % 60)));
      }
      convert_elements(from, a.bytes[x].data(), to, want.data(), 2 * kCount);
      REQUIRE(run(b.code, a) == "");
      CHECK(a.bytes[y] == want);
      CHECK(a.bytes[z] == want);
    }
}
