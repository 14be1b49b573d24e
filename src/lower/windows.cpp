#include "lower/windows.h"

#include <numeric>

namespace openneuron::lower {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
std::int64_t stride_of(const ViewDim& d) { return d.size > 1 ? d.stride : 0; }

}  // namespace

ConvolutionAxes convolution_domain(const graph::Module& m, const graph::Function& f, OpId op) {
  ConvolutionAxes c;
  const auto& shape = m.type(f.type(f.result(op))).shape;
  const auto feature = at(m.integer(f, op, "output_feature_dimension", 0));
  const std::int64_t groups = m.integer(f, op, "feature_group_count", 1);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (d == feature && groups > 1) {
      c.domain.push_back(groups);
      c.side.push_back(0);
      c.domain.push_back(shape[d] / groups);
      c.side.push_back(2);
    } else {
      c.domain.push_back(shape[d]);
      c.side.push_back(d == feature ? 2 : 1);
    }
  }
  return c;
}

ConvolutionAxes convolution_axes(const graph::Module& m, const graph::Function& f, OpId op, const View& lhs, const View& rhs) {
  ConvolutionAxes c = convolution_domain(m, f, op);
  const auto number = [&](std::string_view name) { return at(m.integer(f, op, name, 0)); };
  const std::size_t feature = number("output_feature_dimension"), batch = number("output_batch_dimension");
  const std::int64_t groups = m.integer(f, op, "feature_group_count", 1);
  const auto in_space = m.ints(f, op, "input_spatial_dimensions"), kernel_space = m.ints(f, op, "kernel_spatial_dimensions"),
             out_space = m.ints(f, op, "output_spatial_dimensions"), strides = m.ints(f, op, "window_strides"),
             dilation = m.ints(f, op, "rhs_dilation");
  const auto axis = [&](std::size_t d) { return d + (groups > 1 && d > feature ? 1 : 0); };
  c.lhs.assign(c.domain.size(), 0);
  c.rhs.assign(c.domain.size(), 0);
  const ViewDim in_channels = lhs.dims[number("input_feature_dimension")];
  const ViewDim out_channels = rhs.dims[number("kernel_output_feature_dimension")];
  c.lhs[axis(batch)] = stride_of(lhs.dims[number("input_batch_dimension")]);
  if (groups > 1) {
    c.lhs[feature] = in_channels.stride * (in_channels.size / groups);
    c.rhs[feature] = out_channels.stride * (out_channels.size / groups);
    c.rhs[feature + 1] = stride_of(out_channels);
  } else {
    c.rhs[feature] = stride_of(out_channels);
  }
  for (std::size_t i = 0; i < in_space.size(); ++i) {
    const ViewDim in = lhs.dims[at(in_space[i])], kernel = rhs.dims[at(kernel_space[i])];
    c.lhs[axis(at(out_space[i]))] = stride_of(in) * strides[i];
    c.contracted.push_back(kernel.size);
    c.lhs.push_back(stride_of(in) * dilation[i]);
    c.rhs.push_back(stride_of(kernel));
  }
  c.contracted.push_back(in_channels.size / groups);
  c.lhs.push_back(stride_of(in_channels));
  c.rhs.push_back(stride_of(rhs.dims[number("kernel_input_feature_dimension")]));
  return c;
}

WindowAxes window_axes(const graph::Module& m, const graph::Function& f, OpId op) {
  WindowAxes w;
  const auto sizes = m.ints(f, op, "window_dimensions");
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] > 1) {
      w.taps.push_back(sizes[d]);
      w.tap_dims.push_back(d);
    }
  return w;
}

std::vector<std::int64_t> window_strides(const graph::Module& m, const graph::Function& f, OpId op, const View& operand) {
  const auto steps = m.ints(f, op, "window_strides"), dilation = m.ints(f, op, "window_dilations");
  std::vector<std::int64_t> strides;
  for (std::size_t d = 0; d < operand.dims.size(); ++d) strides.push_back(stride_of(operand.dims[d]) * steps[d]);
  for (std::size_t d : window_axes(m, f, op).tap_dims) strides.push_back(stride_of(operand.dims[d]) * dilation[d]);
  return strides;
}

}  // namespace openneuron::lower
