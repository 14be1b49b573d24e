// Matrix kernels against the FMA peak that this process measures, one thread.
//   c++ -std=c++20 -O2 -Isrc bench/kernels/kernels.cpp build/lib/libon_{device,isa,machine,num,base}.a -lcrypto
//   -ltomlplusplus
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

#include "device/core.h"

using namespace openneuron;
using namespace openneuron::device;

namespace {

double now() {  // processor time: other programs do not count
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Best of several timings of `work`, seconds. Many short ones: a shared host slows down and speeds up.
template <class F>
double best(F work, int rounds) {
  double found = 1e9;
  for (int i = 0; i < rounds; ++i) {
    const double start = now();
    work();
    found = std::min(found, now() - start);
  }
  return found;
}

}  // namespace

int main() {
  auto machine = load_machine("trn2");
  if (!machine) return 1;
  const Geometry g = geometry(**machine);
  Core core;
  core.sbuf = Mapping(static_cast<std::size_t>(g.partitions * g.sbuf_pitch));
  core.psum = Mapping(static_cast<std::size_t>(g.partitions * g.psum_pitch));
  core.bases = {core.sbuf.data(), core.psum.data()};
  std::memset(core.sbuf.data(), 0, core.sbuf.size());
  std::memset(core.psum.data(), 0, core.psum.size());
  const Threads threads(1);
  isa::Code code;
  for (HostIsa isa : available_host_isas()) {
    const Kernels& k = *find_kernels(isa);
    // The peak: the register tile over panels that stay in L1.
    const auto rows = static_cast<std::size_t>(k.tile_32.rows), columns = static_cast<std::size_t>(k.tile_32.columns);
    std::vector<float> a(128 * rows, 1.0f), b(128 * columns, 1.0f), c(rows * columns);
    const bool slow = isa == HostIsa::Baseline;
    const int repeats = slow ? 20 : 500;
    const double flops = 2.0 * 128 * static_cast<double>(rows * columns);
    const double tile = best(
        [&] {
          for (int i = 0; i < repeats; ++i) k.matmul_32(a.data(), b.data(), 128, c.data(), columns, true);
        },
        slow ? 2 : 60);
    std::printf("%-9s register tile %7.1f GF/s", host_isa_name(isa), flops * repeats / tile * 1e-9);
    for (ElementType type : {ElementType::F32, ElementType::BF16}) {
      const Context context{&code, machine->get(), &k, &threads};
      HostOperand stationary, moving, to;
      const auto set = [&](HostOperand& o, ElementType t, std::int64_t count, std::int64_t pitch) {
        o.kind = isa::OperandKind::Memory;
        o.type = t;
        o.partitions = 128;
        o.pitch = pitch;
        o.walk.rank = 1;
        o.walk.counts[0] = o.walk.count = count;
        o.walk.strides[0] = byte_width(t);
      };
      set(stationary, type, 128, g.sbuf_pitch);
      set(moving, type, 512, g.sbuf_pitch);
      set(to, ElementType::F32, 512, g.psum_pitch);
      View from{core.sbuf.data(), g.sbuf_pitch, 0, 0}, in{core.sbuf.data() + 4096, g.sbuf_pitch, 0, 0},
          out{core.psum.data(), g.psum_pitch, 0, 0};
      HostOp op;
      op.opcode = isa::Opcode::Matmul;
      op.params[0] = 1;
      const HostOperand operands[] = {to, moving};
      const View views[] = {out, in};
      const int tiles = slow ? 1 : 10;
      const double time = best(
          [&] {
            for (int i = 0; i < tiles; ++i) {
              execute_load_stationary(context, core, &stationary, &from);
              (void)execute_matmul(context, core, op, operands, views);
            }
          },
          slow ? 2 : 60);
      std::printf("  %s 128x128x512 %7.1f GF/s", type == ElementType::F32 ? "fp32" : "bf16",
                  2.0 * 128 * 128 * 512 * tiles / time * 1e-9);
    }
    std::printf("\n");
  }
}
