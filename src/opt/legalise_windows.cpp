// Convolutions and window reductions in the form that lowering knows: no padding, no dilation of the input, no reversed
// windows, no batch groups. What remains reads its input affinely: element (output position * stride + tap * dilation).
#include <algorithm>

#include "opt/apply_region.h"
#include "opt/legalise_rules.h"
#include "opt/legalise_tools.h"
#include "opt/moves.h"

namespace openneuron::opt::rules {
namespace {

using graph::OpKind;
using Ints = std::vector<std::int64_t>;

constexpr std::int64_t kDoublingFrom = 16;  // windows of a running sum from here on are made by doubling
constexpr std::int64_t kTapsMax = 4096;     // products that one depthwise convolution may become
constexpr std::int64_t kFewChannels = 32;   // of an input that is read pixel by pixel: a quadrant of the PE's rows
constexpr std::int64_t kPhasesMax = 4;

Ints copy(std::span<const std::int64_t> s) { return {s.begin(), s.end()}; }
std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
bool all(std::span<const std::int64_t> s, std::int64_t x) {
  for (std::int64_t e : s)
    if (e != x) return false;
  return true;
}

// The op's attributes with some of them replaced.
AttrId with(Visit& v, const std::vector<std::pair<std::string, AttrId>>& changes) {
  graph::Module& m = v.out.module();
  const graph::Attribute& dict = m.attribute(v.old.attributes_of(v.op));
  std::vector<std::pair<std::string, AttrId>> pairs;
  for (std::size_t i = 0; i < dict.names.size(); ++i) pairs.push_back({dict.names[i], dict.items[i]});
  for (const auto& change : changes) {
    bool found = false;
    for (auto& p : pairs)
      if (p.first == change.first) {
        p.second = change.second;
        found = true;
      }
    if (!found) pairs.push_back(change);
  }
  return m.dictionary(std::move(pairs));
}

// The convolution's numbers, as they change on the way.
struct Window {
  Ints in_space, kernel_space, out_space, strides, dilation;
  std::int64_t in_batch, in_feature, kernel_in, kernel_out, out_batch, out_feature, groups;
};

// out[.., c*m + j] = sum over taps of in[.., c] * kernel[tap, c*m + j]: one multiply and add per tap on Vector.
ValueId depthwise(Visit& v, const Window& w, ValueId in, ValueId kernel, TypeId result) {
  graph::Module& m = v.out.module();
  const Ints in_shape = v.out.type(in).shape, kernel_shape = v.out.type(kernel).shape, out_shape = m.type(result).shape;
  const ElementType element = v.out.type(in).element, out_element = m.type(result).element;
  const std::int64_t channels = in_shape[at(w.in_feature)], multiplier = kernel_shape[at(w.kernel_out)] / channels;
  // Products in the order of the output's dims, the feature dim split into (channel, multiplier).
  const std::size_t rank = out_shape.size();
  Ints split;
  std::size_t channel_dim = 0;
  for (std::size_t d = 0; d < rank; ++d) {
    if (static_cast<std::int64_t>(d) == w.out_feature) {
      channel_dim = split.size();
      split.push_back(channels);
      if (multiplier > 1) split.push_back(multiplier);
    } else {
      split.push_back(out_shape[d]);
    }
  }
  const TypeId wide = m.tensor(element == ElementType::F32 || !is_float(element) ? element : ElementType::F32, split);
  Ints order(rank);  // input dim of each output dim
  order[at(w.out_batch)] = w.in_batch;
  order[at(w.out_feature)] = w.in_feature;
  for (std::size_t i = 0; i < w.in_space.size(); ++i) order[at(w.out_space[i])] = w.in_space[i];
  Ints places;  // where each output dim lies in `split`
  for (std::size_t d = 0; d < rank; ++d)
    places.push_back(static_cast<std::int64_t>(d + (multiplier > 1 && d > at(w.out_feature) ? 1 : 0)));
  std::int64_t taps = 1;
  for (std::int64_t d : w.kernel_space) taps *= kernel_shape[at(d)];
  ValueId sum;
  for (std::int64_t t = 0; t < taps; ++t) {
    Ints start(in_shape.size(), 0), count = in_shape, strides(in_shape.size(), 1);
    Ints k_start(kernel_shape.size(), 0), k_count(kernel_shape.size(), 1), k_strides(kernel_shape.size(), 1);
    k_count[at(w.kernel_out)] = kernel_shape[at(w.kernel_out)];
    std::int64_t rest = t;
    for (std::size_t i = w.in_space.size(); i-- > 0;) {
      const std::int64_t size = kernel_shape[at(w.kernel_space[i])], tap = rest % size;
      rest /= size;
      start[at(w.in_space[i])] = tap * w.dilation[i];
      count[at(w.in_space[i])] = out_shape[at(w.out_space[i])];
      strides[at(w.in_space[i])] = w.strides[i];
      k_start[at(w.kernel_space[i])] = tap;
    }
    ValueId data = Moves(v).transpose(Moves(v).slice(in, start, count, strides), order);
    data = broadcast(v, convert(v, data, m.type(wide).element), wide, places);
    Ints per_channel = {channels}, channel_places = {static_cast<std::int64_t>(channel_dim)};
    if (multiplier > 1) {
      per_channel.push_back(multiplier);
      channel_places.push_back(static_cast<std::int64_t>(channel_dim) + 1);
    }
    const ValueId weights = convert(v, Moves(v).reshape(Moves(v).slice(kernel, k_start, k_count, k_strides), per_channel), m.type(wide).element);
    const ValueId product = v.out.emit(OpKind::Multiply, {data, broadcast(v, weights, wide, channel_places)}, wide, {}, v.location());
    sum = t == 0 ? product : v.out.emit(OpKind::Add, {sum, product}, wide, {}, v.location());
  }
  return Moves(v).reshape(convert(v, sum, out_element), out_shape);
}

// Of an image of few channels, pixels are what is read in runs. With a stride along the innermost spatial dim `i` a tap reads
// every stride-th pixel: the taps of each phase meet one slice of the pixels, which can lie in runs, and add up.
bool has_phases(const Visit& v, const Window& w, std::size_t i, ValueId in, ValueId kernel) {
  const Ints &shape = v.out.type(in).shape, &taps = v.out.type(kernel).shape;
  return is_float(v.out.type(in).element) && w.groups == 1 && w.strides[i] > 1 && w.strides[i] <= kPhasesMax && w.dilation[i] == 1 && w.in_space[i] + 1 == w.in_feature &&
         shape[at(w.in_feature)] < kFewChannels && taps[at(w.kernel_space[i])] > w.strides[i];
}

// A running reduction over the last `n` elements of dim `d`: y = op(y, y shifted by 1, 2, 4, ...).
ValueId by_doubling(Visit& v, OpKind kind, ValueId value, ValueId init, std::size_t d, std::int64_t n, bool backwards) {
  const TypeId type = v.out.function().type(value);
  const std::size_t rank = v.out.module().type(type).shape.size();
  for (std::int64_t by = 1; by < n; by *= 2) {
    Ints low(rank, 0), high(rank, 0);
    low[d] = backwards ? -by : by;
    high[d] = -low[d];
    const ValueId shifted = Moves(v).pad(value, init, low, high, Ints(rank, 0));
    value = v.out.emit(kind, {shifted, value}, type, {}, v.location());
  }
  return value;
}

// Windows of any region over padded operands, one dim after the other. Windows of 1, 2, 4, ... elements are made from
// pairs of shorter ones, and a window of n from those that n's bits name: log2(n) steps, and the order of elements stays.
Result<std::vector<ValueId>> windows_by_region(Rewriter& rewriter, Visit& v, FunctionId region, std::vector<ValueId> values,
                                               const Ints& sizes, const Ints& strides, const Ints& dilation) {
  const std::size_t count = values.size(), rank = sizes.size();
  for (std::size_t d = rank; d-- > 0;) {  // the innermost first: a window's elements combine in row-major order
    // Windows that start where those of `first` start: `first` over their first elements, then `second`, `by` further on.
    const auto join = [&](const std::vector<ValueId>& first, const std::vector<ValueId>& second, std::int64_t by) {
      const Ints shape = v.out.type(second[0]).shape;
      Ints start(rank, 0), extent = shape;
      extent[d] -= by;
      std::vector<ValueId> arguments;
      for (ValueId value : first) arguments.push_back(Moves(v).slice(value, start, extent, Ints(rank, 1)));
      start[d] = by;
      for (ValueId value : second) arguments.push_back(Moves(v).slice(value, start, extent, Ints(rank, 1)));
      return apply_region(rewriter, v, region, arguments);
    };
    std::vector<ValueId> power = values, whole;
    std::int64_t held = 0;  // elements of a window in `whole`
    for (std::int64_t size = 1; size <= sizes[d]; size *= 2) {
      if (size > 1) {
        auto twice = join(power, power, size / 2 * dilation[d]);
        if (!twice) return twice.failure();
        power = std::move(*twice);
      }
      if ((sizes[d] & size) == 0) continue;
      if (held > 0) {
        auto longer = join(whole, power, held * dilation[d]);
        if (!longer) return longer.failure();
        whole = std::move(*longer);
      } else {
        whole = power;
      }
      held += size;
    }
    values = std::move(whole);
  }
  Ints start(rank, 0), shape = v.out.type(values[0]).shape;
  for (std::size_t d = 0; d < rank; ++d) shape[d] = (shape[d] - 1) / strides[d] + 1;
  std::vector<ValueId> arguments;
  for (std::size_t i = 0; i < count; ++i) {
    const ValueId init = v.operands[count + i];
    arguments.push_back(broadcast(v, init, v.out.module().tensor(v.out.type(init).element, shape)));
  }
  for (ValueId value : values) arguments.push_back(Moves(v).slice(value, start, shape, strides));
  return apply_region(rewriter, v, region, arguments);
}

}  // namespace

Result<bool> convolution(Rewriter&, Visit& v) {
  graph::Module& m = v.out.module();
  const auto integer = [&](std::string_view name) { return m.attribute(v.attr(name)).integer; };
  Window w;
  w.in_space = copy(v.ints("input_spatial_dimensions"));
  w.kernel_space = copy(v.ints("kernel_spatial_dimensions"));
  w.out_space = copy(v.ints("output_spatial_dimensions"));
  w.strides = copy(v.ints("window_strides"));
  w.dilation = copy(v.ints("rhs_dilation"));
  const std::size_t spatial = w.in_space.size();
  w.strides.resize(spatial, 1);
  w.dilation.resize(spatial, 1);
  w.in_batch = integer("input_batch_dimension");
  w.in_feature = integer("input_feature_dimension");
  w.kernel_in = integer("kernel_input_feature_dimension");
  w.kernel_out = integer("kernel_output_feature_dimension");
  w.out_batch = integer("output_batch_dimension");
  w.out_feature = integer("output_feature_dimension");
  w.groups = integer("feature_group_count");
  const std::int64_t batch_groups = integer("batch_group_count");
  const Ints padding = copy(v.ints("padding")), base = copy(v.ints("lhs_dilation")), reversal = copy(v.ints("window_reversal"));
  ValueId in = v.operands[0], kernel = v.operands[1];
  const TypeId result = v.result_type();

  // Mixed small and wide floats: the narrower one is widened, as for dot_general.
  const ElementType a = v.out.type(in).element, b = v.out.type(kernel).element;
  if (a != b && is_float(a) && is_float(b)) {
    const ElementType wide = bit_width(a) > bit_width(b) ? a : bit_width(b) > bit_width(a) ? b : ElementType::F32;
    in = convert(v, in, wide);
    kernel = convert(v, kernel, wide);
  }
  Ints reversed;
  for (std::size_t i = 0; i < reversal.size(); ++i)
    if (reversal[i] != 0) reversed.push_back(w.kernel_space[i]);
  if (!reversed.empty()) {
    kernel = v.out.emit(OpKind::Reverse, {kernel}, v.out.function().type(kernel), m.dictionary({{"dimensions", m.ints_attr(reversed)}}), v.location());
  }
  Ints low(spatial + 2, 0), high = low, interior = low;
  for (std::size_t i = 0; i < spatial; ++i) {
    if (!padding.empty()) {
      low[at(w.in_space[i])] = padding[2 * i];
      high[at(w.in_space[i])] = padding[2 * i + 1];
    }
    if (!base.empty()) interior[at(w.in_space[i])] = base[i] - 1;
  }
  const bool phases = spatial > 0 && batch_groups == 1 && m.type(result).element_count() > 0 && has_phases(v, w, spatial - 1, in, kernel);
  if (phases) {  // the same number of pixels for each
    const std::size_t d = at(w.in_space.back());
    const std::int64_t n = v.out.type(in).shape[d], width = n + low[d] + high[d] + (n > 0 ? n - 1 : 0) * interior[d];
    high[d] += (w.strides.back() - width % w.strides.back()) % w.strides.back();
  }
  // A kernel of one tap gives nothing where its input is only filled: the output is filled instead, and no zeros are multiplied.
  const bool dilated = std::any_of(interior.begin(), interior.end(), [](std::int64_t n) { return n > 0; });
  std::int64_t all_taps = 1;
  for (std::int64_t d : w.kernel_space) all_taps *= v.out.type(kernel).shape[at(d)];
  const bool fills_output = dilated && all_taps == 1 && w.groups == 1 && batch_groups == 1 && all(w.strides, 1) && m.type(result).element_count() > 0;
  const ElementType filled = fills_output ? m.type(result).element : v.out.type(in).element;
  const ValueId zero = v.out.constant(m.tensor(filled, {}), 0.0, v.location());
  if (!fills_output) in = Moves(v).pad(in, zero, low, high, interior);
  if (batch_groups > 1) {  // group g of the batch meets group g of the output features: the groups become features
    Ints shape = v.out.type(in).shape, order;
    shape[at(w.in_batch)] /= batch_groups;
    shape.insert(shape.begin() + w.in_batch, batch_groups);
    const ValueId grouped = Moves(v).reshape(in, shape);
    Ints merged = v.out.type(in).shape;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(spatial + 2); ++d) {
      if (d == w.in_feature) order.push_back(w.in_batch);
      order.push_back(d + (d >= w.in_batch ? 1 : 0));
    }
    merged[at(w.in_batch)] /= batch_groups;
    merged[at(w.in_feature)] *= batch_groups;
    in = Moves(v).reshape(Moves(v).transpose(grouped, order), merged);
    w.groups = batch_groups;
  }
  if (m.type(result).element_count() > 0 && w.groups > 1 && v.out.type(kernel).shape[at(w.kernel_in)] == 1) {
    std::int64_t taps = 1;
    for (std::int64_t d : w.kernel_space) taps *= v.out.type(kernel).shape[at(d)];
    if (v.out.type(in).shape[at(w.in_feature)] == w.groups && taps > 0 && taps <= kTapsMax)
      return v.replace(depthwise(v, w, in, kernel, result));
  }
  const auto plain = [&](ValueId data, ValueId taps, const Ints& strides, TypeId type) {
    const AttrId attributes = with(v, {{"padding", m.matrix_attr(Ints(spatial * 2, 0), static_cast<std::int64_t>(spatial), 2)},
                                       {"lhs_dilation", m.ints_attr(Ints(spatial, 1))},
                                       {"rhs_dilation", m.ints_attr(w.dilation)},
                                       {"window_strides", m.ints_attr(strides)},
                                       {"window_reversal", m.bools_attr(Ints(spatial, 0))},
                                       {"feature_group_count", m.int_attr(w.groups)},
                                       {"batch_group_count", m.int_attr(1)}});
    return v.out.emit(OpKind::Convolution, {data, taps}, type, attributes, v.location());
  };
  if (fills_output) {
    Ints out_low(spatial + 2, 0), out_high = out_low, out_interior = out_low, shape = m.type(result).shape;
    for (std::size_t i = 0; i < spatial; ++i) {
      const std::size_t from = at(w.in_space[i]), to = at(w.out_space[i]);
      out_low[to] = low[from];
      out_high[to] = high[from];
      out_interior[to] = interior[from];
      shape[to] = v.out.type(in).shape[from];
    }
    return v.replace(Moves(v).pad(plain(in, kernel, w.strides, m.tensor(m.type(result).element, shape)), zero, out_low, out_high, out_interior));
  }
  if (!phases) return v.replace(plain(in, kernel, w.strides, result));
  const std::size_t data_dim = at(w.in_space.back()), tap_dim = at(w.kernel_space.back());
  const std::int64_t stride = w.strides.back(), outputs = m.type(result).shape[at(w.out_space.back())];
  const TypeId wide = m.tensor(ElementType::F32, m.type(result).shape);  // parts are rounded when they have met
  Ints strides = w.strides;
  strides.back() = 1;
  ValueId sum;
  for (std::int64_t phase = 0; phase < stride; ++phase) {
    Ints start(spatial + 2, 0), count = v.out.type(in).shape, step(spatial + 2, 1);
    Ints tap_start(spatial + 2, 0), tap_count = v.out.type(kernel).shape, tap_step(spatial + 2, 1);
    tap_start[tap_dim] = start[data_dim] = phase;
    tap_step[tap_dim] = step[data_dim] = stride;
    tap_count[tap_dim] = (tap_count[tap_dim] - phase + stride - 1) / stride;
    count[data_dim] = outputs + tap_count[tap_dim] - 1;
    const ValueId data = Moves(v).slice(in, start, count, step);
    const ValueId part = plain(data, Moves(v).slice(kernel, tap_start, tap_count, tap_step), strides, wide);
    sum = phase == 0 ? part : v.out.emit(OpKind::Add, {sum, part}, wide, {}, v.location());
  }
  return v.replace(convert(v, sum, m.type(result).element));
}

Result<bool> reduce_window(Rewriter& rewriter, Visit& v) {
  graph::Module& m = v.out.module();
  const std::size_t count = v.old.results(v.op).size();
  const Ints sizes = copy(v.ints("window_dimensions"));
  const std::size_t rank = sizes.size();
  Ints strides = copy(v.ints("window_strides")), base = copy(v.ints("base_dilations")), dilation = copy(v.ints("window_dilations"));
  Ints padding = copy(v.ints("padding"));
  strides.resize(rank, 1);
  base.resize(rank, 1);
  dilation.resize(rank, 1);
  padding.resize(rank * 2, 0);
  const FunctionId region = v.old.regions(v.op)[0];
  OpKind kind = OpKind::Add;
  const bool plain = count == 1 && single_op_region(rewriter.old_function(region), kind) &&
                     v.out.type(v.operands[0]).element == v.out.module().type(v.result_type()).element;
  const auto init = plain ? v.out.splat(v.operands[1]) : std::nullopt;
  const bool from_identity = init && is_identity(kind, *init);

  if (from_identity) {  // a running sum: the window is the whole dim, padded on one side
    std::size_t wide = rank, wides = 0;
    for (std::size_t d = 0; d < rank; ++d)
      if (sizes[d] > 1) {
        wide = d;
        ++wides;
      }
    if (wides == 1 && all(strides, 1) && all(base, 1) && all(dilation, 1) && sizes[wide] >= kDoublingFrom) {
      const std::int64_t n = v.out.type(v.operands[0]).shape[wide];
      Ints forward(rank * 2, 0), backward(rank * 2, 0);
      forward[wide * 2] = backward[wide * 2 + 1] = sizes[wide] - 1;
      if (sizes[wide] == n && (padding == forward || padding == backward))
        return v.replace(by_doubling(v, kind, v.operands[0], v.operands[1], wide, n, padding == backward));
    }
  }
  Ints low(rank), high(rank), interior(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    low[d] = padding[d * 2];
    high[d] = padding[d * 2 + 1];
    interior[d] = base[d] - 1;
  }
  std::vector<ValueId> inputs;
  for (std::size_t i = 0; i < count; ++i) inputs.push_back(Moves(v).pad(v.operands[i], v.operands[count + i], low, high, interior));
  if (from_identity) {
    const AttrId attributes = m.dictionary({{"window_dimensions", m.ints_attr(sizes)},
                                            {"window_strides", m.ints_attr(strides)},
                                            {"window_dilations", m.ints_attr(dilation)},
                                            {"base_dilations", m.ints_attr(Ints(rank, 1))},
                                            {"padding", m.matrix_attr(Ints(rank * 2, 0), static_cast<std::int64_t>(rank), 2)}});
    auto regions = rewriter.rewrite_regions(v);
    if (!regions) return regions.failure();
    const ValueId operands[] = {inputs[0], v.operands[1]};
    const TypeId types[] = {v.result_type()};
    const OpId made = v.out.emit_op(OpKind::ReduceWindow, operands, types, attributes, v.location(), *regions, 0, {});
    return v.replace(v.out.function().result(made));
  }
  auto windows = windows_by_region(rewriter, v, region, inputs, sizes, strides, dilation);
  if (!windows) return windows.failure();
  for (std::size_t i = 0; i < count; ++i) v.map[v.old.result(v.op, i)] = (*windows)[i];
  return true;
}

}  // namespace openneuron::opt::rules
