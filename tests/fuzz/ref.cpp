// Any text as a program: what the reader and the verifier let through runs on the oracle, to its end or to a diagnostic.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "graph/module.h"
#include "graph/verify.h"
#include "import/import.h"
#include "machine/machine.h"
#include "ref/ref.h"
#include "tile/text.h"

using namespace openneuron;

namespace {

constexpr std::int64_t kLargest = 1 << 16;

void run_graph(std::string_view text) {
  auto module = import::read_text({reinterpret_cast<const std::byte*>(text.data()), text.size()}, "fuzz");
  if (!module || !module->entry().valid() || !graph::verify(*module)) return;
  const graph::Function& f = module->function(module->entry());
  std::vector<ref::Tensor> inputs;
  for (const ValueId parameter : f.parameters()) {
    const graph::Type& type = module->value_type(f, parameter);
    double count = 1;
    for (const std::int64_t d : type.shape) count *= d < 0 ? kLargest + 1.0 : static_cast<double>(d);
    if (type.kind != graph::TypeKind::Tensor || count > static_cast<double>(kLargest)) return;
    inputs.push_back(ref::from_bytes(type.element, type.shape, {}));
  }
  ref::Options options;
  options.step_limit = 100;
  options.work_limit = 1e6;
  (void)ref::run_graph(*module, inputs, options);
}

void run_tile(std::string_view text) {
  auto module = tile::parse(text, "fuzz");
  if (!module) return;
  std::int64_t total = 0;
  Column<BufferId, std::vector<std::byte>> hbm(module->buffers.size());
  for (std::uint32_t i = 0; i < module->buffers.size(); ++i) {
    const tile::Buffer& b = module->buffers[BufferId(std::size_t{i})];
    if (b.bytes < 0 || b.bytes > kLargest) return;
    total += b.bytes * std::max<std::int64_t>(b.partitions, 1) * std::max<std::int64_t>(b.copies, 1);
    if (total > 16 * kLargest) return;
    if (isa::is_hbm(b.space)) hbm[BufferId(std::size_t{i})].resize(static_cast<std::size_t>(b.bytes));
  }
  static const auto machine = load_machine("trn2");
  if (machine) (void)ref::run_tile(*module, **machine, hbm, 500);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.substr(0, 4) == "tile" || text.substr(0, 2) == "//")
    run_tile(text);
  else
    run_graph(text);
  return 0;
}
