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

constexpr std::string_view kComparisonDirection[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
constexpr std::string_view kComparisonType[] = {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
constexpr std::string_view kApiVersion[] = {"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL",
                                            "API_VERSION_STATUS_RETURNING", "API_VERSION_STATUS_RETURNING_UNIFIED",
                                            "API_VERSION_TYPED_FFI"};
constexpr std::string_view kFftType[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr std::string_view kPrecision[] = {"DEFAULT", "HIGH", "HIGHEST"};
constexpr std::string_view kRngAlgorithm[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
constexpr std::string_view kRngDistribution[] = {"", "UNIFORM", "NORMAL"};
constexpr std::string_view kTranspose[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
constexpr std::string_view kAccuracyMode[] = {"DEFAULT", "HIGHEST", "TOLERANCE"};

template <std::size_t n>
std::string_view pick(const std::string_view (&words)[n], std::uint64_t value) {
  return value < n ? words[value] : std::string_view();
}

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

std::string_view enum_keyword(AttributeKind kind, std::uint64_t value) {
  switch (kind) {
    case AttributeKind::ComparisonDirection: return pick(kComparisonDirection, value);
    case AttributeKind::ComparisonType: return pick(kComparisonType, value);
    case AttributeKind::CustomCallApiVersion: return pick(kApiVersion, value);
    case AttributeKind::FftType: return pick(kFftType, value);
    case AttributeKind::Precision: return pick(kPrecision, value);
    case AttributeKind::RngAlgorithm: return pick(kRngAlgorithm, value);
    case AttributeKind::RngDistribution: return pick(kRngDistribution, value);
    case AttributeKind::Transpose: return pick(kTranspose, value);
    case AttributeKind::ResultAccuracyMode: return pick(kAccuracyMode, value);
    default: return {};
  }
}

std::string_view enum_name(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::ComparisonDirection: return "comparison_direction";
    case AttributeKind::ComparisonType: return "comparison_type";
    case AttributeKind::CustomCallApiVersion: return "custom_call_api_version";
    case AttributeKind::FftType: return "fft_type";
    case AttributeKind::Precision: return "precision";
    case AttributeKind::RngAlgorithm: return "rng_algorithm";
    case AttributeKind::RngDistribution: return "rng_distribution";
    case AttributeKind::Transpose: return "transpose";
    case AttributeKind::ResultAccuracyMode: return "result_accuracy_mode";
    default: return {};
  }
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
