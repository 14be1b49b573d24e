#include "import/hlo_attributes.h"

#include <algorithm>

#include "graph/op_info.h"

namespace openneuron::import::hlo {

using graph::OpKind;

graph::NamedAttributes AttributeMaker::make(OpKind kind, const Instruction& in) {
  out_.clear();
  switch (kind) {
    case OpKind::BroadcastInDim: ints("broadcast_dimensions", in.dimensions); break;
    case OpKind::Transpose: ints("permutation", in.dimensions); break;
    case OpKind::Reverse:
    case OpKind::Map:
    case OpKind::Reduce: ints("dimensions", in.dimensions); break;
    case OpKind::Iota: the_dimension(in, "iota_dimension"); break;
    case OpKind::Concatenate: the_dimension(in, "dimension"); break;
    case OpKind::Sort:
      the_dimension(in, "dimension");
      flag("is_stable", in.is_stable);
      break;
    case OpKind::GetDimensionSize:
    case OpKind::SetDimensionSize: the_dimension(in, "dimension"); break;
    case OpKind::Slice: slice(in); break;
    case OpKind::Pad: pad(in); break;
    case OpKind::DynamicSlice: ints("slice_sizes", in.dynamic_slice_sizes); break;
    case OpKind::Gather: gather(in); break;
    case OpKind::Scatter: scatter(in); break;
    case OpKind::ReduceWindow:
    case OpKind::SelectAndScatter: window(in, kind); break;
    case OpKind::Convolution:
      window(in, kind);
      convolution(in);
      break;
    case OpKind::DotGeneral: dot(in); break;
    case OpKind::ChloRaggedDot: ragged_dot(in); break;
    case OpKind::Compare:
      out_.emplace_back("comparison_direction", module_.string_attr(in.comparison_direction));
      if (!in.comparison_type.empty()) out_.emplace_back("compare_type", module_.string_attr(in.comparison_type));
      break;
    case OpKind::ReducePrecision:
      integer("exponent_bits", in.exponent_bits);
      integer("mantissa_bits", in.mantissa_bits);
      break;
    case OpKind::Fft:
      keyword(in, "fft_type", "fft_type", in.fft_type);
      ints("fft_length", in.fft_length);
      break;
    case OpKind::Cholesky: flag("lower", Numbers(in.cholesky, source_).value(1) != 0); break;
    case OpKind::TriangularSolve: triangular(in); break;
    case OpKind::BatchNormTraining:
    case OpKind::BatchNormInference:
    case OpKind::BatchNormGrad: batch_norm(in); break;
    case OpKind::Rng: keyword(in, "rng_distribution", "rng_distribution", in.distribution); break;
    case OpKind::RngBitGenerator: keyword(in, "rng_algorithm", "rng_algorithm", in.rng_algorithm); break;
    case OpKind::ChloTopK: integer("k", in.k); break;
    case OpKind::Infeed: out_.emplace_back("infeed_config", module_.string_attr(in.infeed_config)); break;
    case OpKind::Outfeed: out_.emplace_back("outfeed_config", module_.string_attr(in.outfeed_config)); break;
    case OpKind::AllReduce:
      groups(in);
      flag("use_global_device_ids", in.global_device_ids);
      break;
    case OpKind::AllGather:
      the_dimension(in, "all_gather_dim");
      groups(in);
      flag("use_global_device_ids", in.global_device_ids);
      break;
    case OpKind::ReduceScatter:
      the_dimension(in, "scatter_dimension");
      groups(in);
      flag("use_global_device_ids", in.global_device_ids);
      break;
    case OpKind::AllToAll:
      the_dimension(in, "split_dimension");
      the_dimension(in, "concat_dimension");
      groups(in);
      break;
    case OpKind::CollectiveBroadcast:
      groups(in);
      flag("has_dynamic_root", in.dynamic_root);
      break;
    case OpKind::CollectivePermute:
      out_.emplace_back(
          "source_target_pairs",
          module_.matrix_attr(in.source_target_pairs, static_cast<std::int64_t>(in.source_target_pairs.size() / 2), 2));
      integer("channel_id", in.channel_id);
      break;
    case OpKind::CustomCall: custom_call(in); break;
    default: break;
  }
  return std::move(out_);
}

void AttributeMaker::keyword(const Instruction& in, const char* name, const char* enumeration, std::int64_t number) {
  const auto keywords = graph::enum_keywords(enumeration);
  if (number < 0 || static_cast<std::uint64_t>(number) >= keywords.size() ||
      keywords[static_cast<std::size_t>(number)].empty())
    return fail(in, Code::HloMalformed, std::string(name) + " has no value " + std::to_string(number));
  out_.emplace_back(name, module_.enum_attr(enumeration, keywords[static_cast<std::size_t>(number)]));
}

void AttributeMaker::the_dimension(const Instruction& in, const char* name) {
  if (in.dimensions.size() != 1)
    return fail(in, Code::HloMalformed, std::to_string(in.dimensions.size()) + " dimensions are given instead of one");
  integer(name, in.dimensions[0]);
}

void AttributeMaker::slice(const Instruction& in) {
  std::vector<std::int64_t> columns[3];
  for (const auto& dimension : in.slices) {
    for (std::size_t k = 0; k < 3; ++k) columns[k].push_back(k == 2 && dimension[k] == 0 ? 1 : dimension[k]);
  }
  ints("start_indices", columns[0]);
  ints("limit_indices", columns[1]);
  ints("strides", columns[2]);
}

void AttributeMaker::pad(const Instruction& in) {
  std::vector<std::int64_t> columns[3];
  Message m(in.padding, source_);
  while (m.next()) {
    if (m.number() != 1) continue;
    const Numbers n(m.bytes(), source_);
    for (std::uint32_t k = 0; k < 3; ++k) columns[k].push_back(n.value(k + 1));
  }
  ints("edge_padding_low", columns[0]);
  ints("edge_padding_high", columns[1]);
  ints("interior_padding", columns[2]);
}

// A stride or dilation that is absent (0) is taken as 1.
void AttributeMaker::window(const Instruction& in, OpKind kind) {
  std::vector<std::int64_t> size, stride, padding, dilation, base_dilation, reversal;
  Message m(in.window, source_);
  while (m.next()) {
    if (m.number() != 1) continue;
    const Numbers n(m.bytes(), source_);
    const auto or_one = [&](std::uint32_t number) { return n.value(number) == 0 ? 1 : n.value(number); };
    size.push_back(n.value(1));
    stride.push_back(or_one(2));
    padding.push_back(n.value(3));
    padding.push_back(n.value(4));
    dilation.push_back(or_one(5));
    base_dilation.push_back(or_one(6));
    reversal.push_back(n.value(7) != 0);
  }
  const auto any = [](const std::vector<std::int64_t>& v, std::int64_t but) {
    return std::any_of(v.begin(), v.end(), [but](std::int64_t x) { return x != but; });
  };
  out_.emplace_back("padding", module_.matrix_attr(padding, static_cast<std::int64_t>(size.size()), 2));
  ints("window_strides", stride);
  if (kind == OpKind::Convolution) {
    ints("lhs_dilation", base_dilation);
    ints("rhs_dilation", dilation);
    out_.emplace_back("window_reversal", module_.bools_attr(reversal));
    return;
  }
  ints("window_dimensions", size);
  if (any(reversal, 0)) return fail(in, Code::HloUnsupported, "a reversed window is only a convolution's");
  if (kind == OpKind::ReduceWindow) {
    ints("base_dilations", base_dilation);
    ints("window_dilations", dilation);
  } else if (any(dilation, 1) || any(base_dilation, 1)) {
    fail(in, Code::HloUnsupported, "select-and-scatter has no dilation");
  }
}

void AttributeMaker::convolution(const Instruction& in) {
  const Numbers n(in.convolution, source_);
  integer("kernel_input_feature_dimension", n.value(3));
  integer("kernel_output_feature_dimension", n.value(4));
  ints("kernel_spatial_dimensions", n.list(6));
  integer("input_batch_dimension", n.value(7));
  integer("input_feature_dimension", n.value(8));
  integer("output_batch_dimension", n.value(9));
  integer("output_feature_dimension", n.value(10));
  ints("input_spatial_dimensions", n.list(11));
  ints("output_spatial_dimensions", n.list(12));
  integer("feature_group_count", in.feature_group_count == 0 ? 1 : in.feature_group_count);
  integer("batch_group_count", in.batch_group_count == 0 ? 1 : in.batch_group_count);
  precision(in);
}

void AttributeMaker::precision(const Instruction& in) {
  const Numbers n(in.precision, source_);
  std::vector<AttrId> items;
  for (const std::int64_t p : n.list(1)) {
    const auto keywords = graph::enum_keywords("precision");
    if (p < 0 || static_cast<std::uint64_t>(p) >= keywords.size())
      return fail(in, Code::HloMalformed, "a precision has no value " + std::to_string(p));
    items.push_back(module_.enum_attr("precision", keywords[static_cast<std::size_t>(p)]));
  }
  if (!items.empty()) out_.emplace_back("precision_config", module_.array_attr(std::move(items)));
  if (n.value(2) != 0) algorithm(in, n.value(2));
}

// PrecisionConfig.Algorithm as StableHLO's algorithm, by number.
void AttributeMaker::algorithm(const Instruction& in, std::int64_t number) {
  struct Row {
    ElementType operands, sum;
    std::int64_t primitive_operations;
    bool imprecise;
  };
  static constexpr Row kRows[] = {
      {ElementType::F8E5M2, ElementType::F32, 1, false}, {ElementType::F8E5M2, ElementType::F32, 1, true},
      {ElementType::F16, ElementType::F16, 1, false},    {ElementType::F16, ElementType::F32, 1, false},
      {ElementType::BF16, ElementType::BF16, 1, false},  {ElementType::BF16, ElementType::F32, 1, false},
      {ElementType::BF16, ElementType::F32, 3, false},   {ElementType::BF16, ElementType::F32, 6, false},
      {ElementType::TF32, ElementType::F32, 1, false},   {ElementType::TF32, ElementType::F32, 3, false},
      {ElementType::F32, ElementType::F32, 1, false},    {ElementType::F64, ElementType::F64, 1, false},
      {ElementType::BF16, ElementType::F32, 9, false},
  };
  if (number < 1 || static_cast<std::uint64_t>(number) > std::size(kRows))
    return fail(in, Code::HloUnsupported, "algorithm " + std::to_string(number) + " of a dot is not known");
  const Row& row = kRows[number - 1];
  out_.emplace_back("algorithm",
                    module_.dictionary({{"lhs_precision_type", module_.element_type_attr(row.operands)},
                                        {"rhs_precision_type", module_.element_type_attr(row.operands)},
                                        {"accumulation_type", module_.element_type_attr(row.sum)},
                                        {"lhs_component_count", module_.int_attr(1)},
                                        {"rhs_component_count", module_.int_attr(1)},
                                        {"num_primitive_operations", module_.int_attr(row.primitive_operations)},
                                        {"allow_imprecise_accumulation", module_.bool_attr(row.imprecise)}}));
}

void AttributeMaker::dot(const Instruction& in) {
  const Numbers n(in.dot, source_);
  ints("lhs_contracting_dimensions", n.list(1));
  ints("rhs_contracting_dimensions", n.list(2));
  ints("lhs_batching_dimensions", n.list(3));
  ints("rhs_batching_dimensions", n.list(4));
  precision(in);
}

void AttributeMaker::ragged_dot(const Instruction& in) {
  Bytes dot;
  std::vector<std::int64_t> ragged, group;
  Message m(in.ragged_dot, source_);
  while (m.next()) {
    if (m.number() == 1) dot = m.bytes();
    if (m.number() == 2) m.integers(ragged);
    if (m.number() == 3) m.integers(group);
  }
  const Numbers n(dot, source_);
  out_.emplace_back("ragged_dot_dimension_numbers",
                    module_.dictionary({{"lhs_contracting_dimensions", module_.ints_attr(n.list(1))},
                                        {"rhs_contracting_dimensions", module_.ints_attr(n.list(2))},
                                        {"lhs_batching_dimensions", module_.ints_attr(n.list(3))},
                                        {"rhs_batching_dimensions", module_.ints_attr(n.list(4))},
                                        {"lhs_ragged_dimensions", module_.ints_attr(ragged)},
                                        {"rhs_group_dimensions", module_.ints_attr(group)}}));
  precision(in);
}

void AttributeMaker::gather(const Instruction& in) {
  const Numbers n(in.gather, source_);
  ints("offset_dims", n.list(1));
  ints("collapsed_slice_dims", n.list(2));
  ints("start_index_map", n.list(3));
  integer("index_vector_dim", n.value(4));
  ints("operand_batching_dims", n.list(5));
  ints("start_indices_batching_dims", n.list(6));
  ints("slice_sizes", in.gather_slice_sizes);
  flag("indices_are_sorted", in.sorted_indices);
}

void AttributeMaker::scatter(const Instruction& in) {
  const Numbers n(in.scatter, source_);
  ints("update_window_dims", n.list(1));
  ints("inserted_window_dims", n.list(2));
  ints("scatter_dims_to_operand_dims", n.list(3));
  integer("index_vector_dim", n.value(4));
  ints("input_batching_dims", n.list(5));
  ints("scatter_indices_batching_dims", n.list(6));
  flag("indices_are_sorted", in.sorted_indices);
  flag("unique_indices", in.unique_indices);
}

void AttributeMaker::triangular(const Instruction& in) {
  const Numbers n(in.triangular, source_);
  flag("left_side", n.value(1) != 0);
  flag("lower", n.value(2) != 0);
  flag("unit_diagonal", n.value(3) != 0);
  keyword(in, "transpose_a", "transpose", n.value(4));
}

void AttributeMaker::batch_norm(const Instruction& in) {
  out_.emplace_back("epsilon", module_.float_attr(static_cast<double>(in.epsilon), ElementType::F32));
  integer("feature_index", in.feature_index);
}

// Groups that are an iota, reshaped and transposed, cut into rows.
std::vector<std::vector<std::int64_t>> AttributeMaker::iota_groups(const Instruction& in) {
  constexpr std::int64_t kMaxDevices = 1 << 16;
  const Numbers n(in.iota_devices, source_);
  const std::int64_t rows = n.value(1), columns = n.value(2);
  const std::vector<std::int64_t>& shape = n.list(3);
  std::vector<std::int64_t> order = n.list(4);
  if (order.empty()) {
    for (std::size_t i = 0; i < shape.size(); ++i) order.push_back(static_cast<std::int64_t>(i));
  }
  std::int64_t devices = 1;
  bool good = rows > 0 && columns > 0 && rows <= kMaxDevices && columns <= kMaxDevices / rows &&
              order.size() == shape.size() && shape.size() <= 16;
  for (std::size_t i = 0; good && i < shape.size(); ++i) {
    good = shape[i] > 0 && shape[i] <= kMaxDevices / devices &&
           std::count(order.begin(), order.end(), static_cast<std::int64_t>(i)) == 1;
    if (good) devices *= shape[i];
  }
  if (!good || devices != rows * columns) {
    fail(in, Code::HloMalformed, "the list of replica groups is inconsistent");
    return {};
  }
  std::vector<std::int64_t> stride(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) stride[i - 1] = stride[i] * shape[i];
  std::vector<std::vector<std::int64_t>> result(static_cast<std::size_t>(rows));
  for (std::int64_t flat = 0; flat < devices; ++flat) {
    std::int64_t rest = flat, device = 0;
    for (std::size_t i = order.size(); i-- > 0;) {
      const auto dimension = static_cast<std::size_t>(order[i]);
      device += rest % shape[dimension] * stride[dimension];
      rest /= shape[dimension];
    }
    result[static_cast<std::size_t>(flat / columns)].push_back(device);
  }
  return result;
}

void AttributeMaker::groups(const Instruction& in) {
  if (in.mesh_groups) return fail(in, Code::HloUnsupported, "replica groups over the axes of a mesh are not read");
  std::vector<std::vector<std::int64_t>> rows = in.iota_devices.empty() ? in.replica_groups : iota_groups(in);
  std::size_t columns = 0;
  for (const auto& row : rows) columns = std::max(columns, row.size());
  if (columns != 0 && rows.size() > (std::size_t{1} << 24) / columns)
    return fail(in, Code::HloLimit, "the replica groups are too many");
  std::vector<std::int64_t> flat;
  for (const auto& row : rows) {
    flat.insert(flat.end(), row.begin(), row.end());
    flat.insert(flat.end(), columns - row.size(), -1);
  }
  out_.emplace_back("replica_groups", module_.matrix_attr(flat, static_cast<std::int64_t>(rows.size()),
                                                          static_cast<std::int64_t>(columns)));
  integer("channel_id", in.channel_id);
}

void AttributeMaker::custom_call(const Instruction& in) {
  out_.emplace_back("call_target_name", module_.string_attr(in.custom_call_target));
  out_.emplace_back("backend_config", module_.string_attr(in.backend_config));
  flag("has_side_effect", in.side_effect);
  integer("api_version", in.api_version == 0 ? 1 : in.api_version);
  if (in.constrain_layout) {
    if (const AttrId operands = layouts(in, in.operand_shapes); operands.valid())
      out_.emplace_back("operand_layouts", operands);
    const Bytes result[] = {in.shape};
    if (const AttrId results = layouts(in, result); results.valid()) out_.emplace_back("result_layouts", results);
  }
  std::vector<AttrId> aliases;
  for (const Bytes alias : in.output_aliases) {
    const Numbers n(alias, source_);
    aliases.push_back(module_.dictionary({{"output_tuple_indices", module_.ints_attr(n.list(1))},
                                          {"operand_index", module_.int_attr(n.value(2))},
                                          {"operand_tuple_indices", module_.ints_attr(n.list(3))}}));
  }
  if (!aliases.empty()) out_.emplace_back("output_operand_aliases", module_.array_attr(std::move(aliases)));
}

// The orders of all tensors in the shapes, members of tuples one after another.
AttrId AttributeMaker::layouts(const Instruction& in, std::span<const Bytes> shapes) {
  std::vector<AttrId> items;
  std::vector<Message> open;
  const auto enter = [&](Bytes shape) {
    std::vector<std::int64_t> order, dimensions;
    bool layout = false, tuple = false;
    Message m(shape, source_);
    while (m.next()) {
      if (m.number() == 2) tuple = m.integer() == 13;
      if (m.number() == 3) m.integers(dimensions);
      if (m.number() == 5) {
        Message l(m.bytes(), source_);
        while (l.next()) {
          if (l.number() == 1) l.integers(order);
        }
        layout = true;
      }
    }
    if (tuple) return open.push_back(Message(shape, source_));
    if (!layout || order.size() != dimensions.size()) {
      order.clear();
      for (std::size_t i = dimensions.size(); i-- > 0;) order.push_back(static_cast<std::int64_t>(i));
    }
    items.push_back(module_.ints_attr(order));
  };
  for (const Bytes shape : shapes) {
    enter(shape);
    while (!open.empty() && !source_.failed) {
      if (!open.back().next()) {
        open.pop_back();
      } else if (open.back().number() == 4) {
        if (open.size() > 64) return fail(in, Code::HloLimit, "tuples nest too deeply"), AttrId();
        enter(open.back().bytes());
      }
    }
  }
  return source_.failed ? AttrId() : module_.array_attr(std::move(items));
}

AttrId AttributeMaker::frontend(Bytes attributes) {
  graph::NamedAttributes pairs;
  for (const auto& [key, value] : read_frontend_attributes(attributes, source_)) {
    const std::string_view name = key;
    if (std::none_of(pairs.begin(), pairs.end(), [&](const auto& p) { return p.first == name; }))
      pairs.emplace_back(std::string(key), module_.string_attr(value));
  }
  return pairs.empty() || source_.failed ? AttrId() : module_.dictionary(std::move(pairs));
}

void AttributeMaker::add_extra(const Instruction& in, graph::NamedAttributes& out) {
  if (!in.frontend_attributes.empty()) {
    if (const AttrId pairs = frontend(in.frontend_attributes); pairs.valid())
      out.emplace_back("mhlo.frontend_attributes", pairs);
  }
  if (!in.sharding.empty()) out.emplace_back("mhlo.sharding", module_.string_attr(sharding_text(in.sharding, source_)));
}

}  // namespace openneuron::import::hlo
