// Convolution and reduce_window as affine readings: the operand is read at (output position * stride + tap * dilation), so
// that output dims and taps are axes of one nest. Padding and base dilation are gone by now (opt::legalise).
#pragma once
#include <vector>

#include "graph/module.h"
#include "lower/view.h"

namespace openneuron::lower {

/// A convolution as a contraction. Axes: the domain (the output's dims, the feature dim split into (group, channel) when
/// there are groups), then the contracted ones: the taps of each spatial dim, then the input channels of a group.
struct ConvolutionAxes {
  std::vector<std::int64_t> domain;
  std::vector<std::uint8_t> side;        ///< of the domain: 0 group, 1 input, 2 kernel
  std::vector<std::int64_t> contracted;
  std::vector<std::int64_t> lhs, rhs;    ///< strides per axis, contracted ones last
};
ConvolutionAxes convolution_axes(const graph::Module& module, const graph::Function& function, OpId op, const View& lhs, const View& rhs);
/// The axes without operands: domain and side only.
ConvolutionAxes convolution_domain(const graph::Module& module, const graph::Function& function, OpId op);

/// A window reduction. Axes: the output's dims, then the taps of the dims whose window is wider than 1.
struct WindowAxes {
  std::vector<std::int64_t> taps;      ///< sizes
  std::vector<std::size_t> tap_dims;   ///< the dim of each
};
WindowAxes window_axes(const graph::Module& module, const graph::Function& function, OpId op);
/// Strides per axis of a reading of `operand`.
std::vector<std::int64_t> window_strides(const graph::Module& module, const graph::Function& function, OpId op, const View& operand);

}  // namespace openneuron::lower
