#include "graph/op_info.h"

namespace openneuron::graph {
namespace {

constexpr Arity Exactly(int n) { return {n, n}; }
constexpr Arity AtLeast(int n) { return {n, -1}; }

struct RuleName {
  std::string_view text;
  AttrRule rule;
};
constexpr RuleName kRules[] = {
    {"i64", AttrRule::I64},         {"i32", AttrRule::I32},         {"bool", AttrRule::Bool},
    {"f32", AttrRule::F32},         {"string", AttrRule::String},   {"symbol", AttrRule::Symbol},
    {"symbols", AttrRule::Symbols}, {"ints", AttrRule::Ints},       {"bools", AttrRule::Bools},
    {"pairs", AttrRule::Pairs},     {"groups", AttrRule::Groups},   {"precisions", AttrRule::Precisions},
    {"dict", AttrRule::Dict},       {"array", AttrRule::Array},     {"constant", AttrRule::Constant},
    {"config", AttrRule::Config},   {"version", AttrRule::Version}, {"accuracy", AttrRule::Accuracy},
    {"opaque", AttrRule::Opaque},   {"any", AttrRule::Any},
};

AttrInfo parse_attribute(std::string_view text) {
  AttrInfo info;
  const std::size_t space = text.find(' ');
  info.name = text.substr(0, space);
  std::string_view rule = text.substr(space + 1);
  if (const std::size_t equals = rule.find('='); equals != std::string_view::npos) {
    info.default_value = rule.substr(equals + 1);
    info.has_default = true;
    rule = rule.substr(0, equals);
  } else if (rule.back() == '?') {
    info.optional = true;
    rule.remove_suffix(1);
  }
  if (rule.substr(0, 5) == "enum:") {
    info.rule = AttrRule::Enum;
    info.enumeration = rule.substr(5);
  }
  for (const RuleName& r : kRules) {
    if (r.text == rule) info.rule = r.rule;
  }
  return info;
}

std::vector<AttrInfo> parse_attributes(std::string_view text) {
  std::vector<AttrInfo> all;
  while (!text.empty()) {
    const std::size_t comma = text.find(", ");
    all.push_back(parse_attribute(text.substr(0, comma)));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 2);
  }
  return all;
}

std::vector<OpInfo> make_table() {
  std::vector<OpInfo> table;
  table.reserve(op_kind_count());
#define OP(name, text, operands, regions, form, rule, traits, spec, attributes) \
  table.push_back(                                                              \
      {OpKind::name, text, operands, regions, OpForm::form, traits, OpSpec::spec, parse_attributes(attributes)});
#include "graph/ops.def"
#undef OP
  return table;
}

constexpr std::string_view kComparisonDirection[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
constexpr std::string_view kComparisonType[] = {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
constexpr std::string_view kPrecision[] = {"DEFAULT", "HIGH", "HIGHEST"};
constexpr std::string_view kFftType[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr std::string_view kRngDistribution[] = {"", "UNIFORM", "NORMAL"};
constexpr std::string_view kRngAlgorithm[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
constexpr std::string_view kTranspose[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
constexpr std::string_view kApiVersion[] = {"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL",
                                            "API_VERSION_STATUS_RETURNING", "API_VERSION_STATUS_RETURNING_UNIFIED",
                                            "API_VERSION_TYPED_FFI"};
constexpr std::string_view kAccuracyMode[] = {"DEFAULT", "HIGHEST", "TOLERANCE"};

}  // namespace

const AttrInfo* OpInfo::attribute(std::string_view wanted) const {
  for (const AttrInfo& a : attributes) {
    if (a.name == wanted) return &a;
  }
  return nullptr;
}

const OpInfo& op_info(OpKind kind) {
  static const std::vector<OpInfo> table = make_table();
  return table[static_cast<std::size_t>(kind)];
}

std::span<const std::string_view> enum_keywords(std::string_view enumeration) {
  if (enumeration == "comparison_direction") return kComparisonDirection;
  if (enumeration == "comparison_type") return kComparisonType;
  if (enumeration == "precision") return kPrecision;
  if (enumeration == "fft_type") return kFftType;
  if (enumeration == "rng_distribution") return kRngDistribution;
  if (enumeration == "rng_algorithm") return kRngAlgorithm;
  if (enumeration == "transpose") return kTranspose;
  if (enumeration == "custom_call_api_version") return kApiVersion;
  if (enumeration == "result_accuracy_mode") return kAccuracyMode;
  return {};
}

}  // namespace openneuron::graph
