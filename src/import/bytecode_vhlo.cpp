#include "import/bytecode_vhlo.h"

#include <algorithm>
#include <iterator>

namespace openneuron::import::bytecode {
namespace {

constexpr VhloOp kOps[] = {
#define VHLO_OP(name, target, s0, s1, s2, u0, u1, u2, operands, regions, results, first, count) \
  {name, target, {s0, s1, s2}, {u0, u1, u2}, operands, regions, results, first, count},
#include "import/vhlo_ops.def"
};

constexpr VhloAttribute kAttributes[] = {
#define VHLO_ATTRIBUTE(name, kind) {name, AttributeKind::kind},
#include "import/vhlo_ops.def"
};

}  // namespace

const VhloOp* find_vhlo_op(std::string_view name) {
  const auto* it = std::lower_bound(std::begin(kOps), std::end(kOps), name,
                                    [](const VhloOp& op, std::string_view n) { return op.name < n; });
  return it != std::end(kOps) && it->name == name ? it : nullptr;
}

const VhloAttribute* vhlo_attributes(const VhloOp& op) { return kAttributes + op.first_attribute; }

VhloVersion newest_vhlo_version() {
#define VHLO_VERSION(a, b, c) return {a, b, c};
#include "import/vhlo_ops.def"
}

bool version_of_producer(std::string_view producer, VhloVersion& version) {
  constexpr std::string_view kPrefix = "StableHLO_v";
  if (producer.substr(0, kPrefix.size()) != kPrefix) return false;
  producer.remove_prefix(kPrefix.size());
  int* const parts[] = {&version.major, &version.minor, &version.patch};
  for (int i = 0; i < 3; ++i) {
    if (i > 0) {
      if (producer.empty() || producer[0] != '.') return false;
      producer.remove_prefix(1);
    }
    std::size_t digits = 0;
    int value = 0;
    while (digits < producer.size() && digits < 6 && producer[digits] >= '0' && producer[digits] <= '9')
      value = value * 10 + (producer[digits++] - '0');
    if (digits == 0) return false;
    producer.remove_prefix(digits);
    *parts[i] = value;
  }
  return producer.empty();
}

VhloEnum enum_of_code(std::uint64_t code) {
  switch (code) {
    case 3: return VhloEnum::ComparisonDirection;
    case 4: return VhloEnum::ComparisonType;
    case 5: return VhloEnum::CustomCallApiVersion;
    case 7: return VhloEnum::FftType;
    case 11: return VhloEnum::Precision;
    case 12: return VhloEnum::RngAlgorithm;
    case 13: return VhloEnum::RngDistribution;
    case 16: return VhloEnum::Transpose;
    case 19: return VhloEnum::ResultAccuracyMode;
    default: return VhloEnum::None;
  }
}

std::string_view enum_name(VhloEnum kind) {
  switch (kind) {
    case VhloEnum::ComparisonDirection: return "comparison_direction";
    case VhloEnum::ComparisonType: return "comparison_type";
    case VhloEnum::CustomCallApiVersion: return "custom_call_api_version";
    case VhloEnum::FftType: return "fft_type";
    case VhloEnum::Precision: return "precision";
    case VhloEnum::RngAlgorithm: return "rng_algorithm";
    case VhloEnum::RngDistribution: return "rng_distribution";
    case VhloEnum::Transpose: return "transpose";
    case VhloEnum::ResultAccuracyMode: return "result_accuracy_mode";
    case VhloEnum::None: break;
  }
  return {};
}

bool arity_fits(std::string_view names, std::size_t count) {
  std::size_t fixed = 0, variadic = 0;
  while (!names.empty()) {
    const std::size_t space = std::min(names.find(' '), names.size());
    if (space > 0 && names[space - 1] == '*') {
      ++variadic;
    } else {
      ++fixed;
    }
    names.remove_prefix(std::min(space + 1, names.size()));
  }
  if (count < fixed) return false;
  // Several variadic groups are of equal length.
  return variadic == 0 ? count == fixed : (count - fixed) % variadic == 0;
}

}  // namespace openneuron::import::bytecode
