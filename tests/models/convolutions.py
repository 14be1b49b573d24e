"""Convolutions and pools of a few ops each: every stride, padding, dilation, grouping and order, forward and gradients.

Sizes are unequal and odd, so that a swapped axis, a lost tail or a window off by one shows.
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import lax

from common import Program, cast, normal

PROBES: list[Program] = []
NHWC, NCHW = ("NHWC", "HWIO", "NHWC"), ("NCHW", "OIHW", "NCHW")
NWC, NDHWC = ("NWC", "WIO", "NWC"), ("NDHWC", "DHWIO", "NDHWC")


def register(name, function, shapes, types="float32"):
    label = "conv_" + name

    def arguments():
        return [cast(normal(shape, label, i), types) for i, shape in enumerate(shapes)]

    PROBES.append(Program(label, function, arguments, types=types, group="probe"))


def convolution(options, types, image, kernel):
    return lax.conv_general_dilated(image, kernel, **options)


def gradients(options, types, image, kernel, seed):
    """The input's and the kernel's gradient for the output gradient `seed`, without the forward result."""
    return jax.vjp(functools.partial(convolution, options, types), image, kernel)[1](seed)


def case(name, image, kernel, order=NHWC, strides=None, padding="VALID", *, types="float32", grads=True, **more):
    options = dict(window_strides=strides or (1,) * (len(image) - 2), padding=padding, dimension_numbers=order, **more)
    register(name, functools.partial(convolution, options), [image, kernel], types)
    if grads:
        output = jax.eval_shape(
            functools.partial(convolution, options, None), jax.ShapeDtypeStruct(image, jnp.float32), jax.ShapeDtypeStruct(kernel, jnp.float32)
        )
        register(name + "_grads", functools.partial(gradients, options), [image, kernel, output.shape], types)


case("2d", (2, 9, 11, 5), (3, 2, 5, 7))
case("strided", (2, 13, 11, 5), (3, 3, 5, 7), strides=(2, 3), padding=((1, 2), (0, 1)))
case("stride_above_kernel", (2, 13, 14, 3), (2, 1, 3, 5), strides=(3, 4))
case("same", (3, 8, 7, 4), (3, 3, 4, 6), padding="SAME", strides=(2, 2))
case("padding_above_kernel", (1, 5, 4, 3), (2, 3, 3, 4), padding=((4, 0), (0, 5)))
# Negative in front of positive padding in one dim would be one case more, but XLA:CPU reads past its input there.
case("negative_padding", (2, 11, 12, 4), (3, 3, 4, 6), padding=((2, -1), (-3, -1)), strides=(2, 1))
case("window_dilated", (2, 12, 13, 4), (3, 2, 4, 5), rhs_dilation=(2, 3), padding=((1, 1), (2, 0)))
case("input_dilated", (2, 5, 6, 4), (3, 2, 4, 5), lhs_dilation=(2, 3), padding=((1, 2), (0, 1)))
case("both_dilated", (2, 6, 7, 3), (2, 3, 3, 4), lhs_dilation=(2, 1), rhs_dilation=(3, 2), padding=((2, 1), (1, 1)), strides=(1, 2))
case("grouped", (2, 7, 8, 6), (3, 3, 2, 9), feature_group_count=3, padding="SAME")
case("depthwise", (2, 9, 8, 6), (3, 3, 1, 6), feature_group_count=6, padding="SAME")
case("depthwise_multiplier", (2, 8, 7, 5), (3, 2, 1, 10), feature_group_count=5, strides=(2, 1))
case("depthwise_130", (1, 6, 5, 130), (3, 3, 1, 130), feature_group_count=130, padding="SAME")
case("batch_groups", (6, 7, 5, 4), (3, 2, 4, 9), batch_group_count=3, grads=False)
case("one_by_one", (2, 6, 7, 9), (1, 1, 9, 14))
case("one_by_one_strided", (2, 7, 8, 9), (1, 1, 9, 14), strides=(2, 2))
case("whole_image", (3, 5, 6, 7), (5, 6, 7, 11))
case("channels_140", (2, 5, 6, 140), (3, 3, 140, 130), padding="SAME")
case("image_40", (1, 40, 37, 3), (5, 5, 3, 8), padding="SAME", strides=(2, 2))
case("row_600", (1, 3, 600, 3), (3, 3, 3, 4), padding="SAME")
case("nchw", (2, 5, 9, 11), (7, 5, 3, 2), NCHW, strides=(2, 1), padding=((1, 1), (0, 1)))
case("nchw_to_nhwc", (2, 5, 8, 9), (3, 2, 5, 6), ("NCHW", "HWIO", "NHWC"), grads=False)
case("1d", (3, 21, 5), (4, 5, 6), NWC, strides=(2,), rhs_dilation=(2,), padding=((3, 1),))
case("1d_causal", (2, 19, 6), (3, 6, 7), NWC, padding=((4, 0),), rhs_dilation=(2,))
case("3d", (2, 5, 6, 7, 3), (2, 3, 2, 3, 4), NDHWC, strides=(1, 2, 1), padding=((1, 0), (1, 1), (0, 1)))
case("0d", (7, 5), (5, 6), ("NC", "IO", "NC"), grads=False)
case("bf16", (2, 9, 8, 12), (3, 3, 12, 10), types="bfloat16", padding="SAME", strides=(2, 2))
case("fp16", (2, 6, 8, 12), (3, 3, 12, 10), types="float16", grads=False)


def transposed(options, types, image, kernel):
    return lax.conv_transpose(image, kernel, **options)


for name, image, kernel, options in (
    ("transposed", (2, 5, 6, 4), (3, 3, 4, 5), dict(strides=(2, 2), padding="SAME")),
    ("transposed_valid", (2, 4, 5, 3), (4, 2, 3, 6), dict(strides=(3, 2), padding="VALID")),
    ("transposed_kernel", (2, 5, 4, 6), (2, 2, 5, 6), dict(strides=(2, 2), padding="VALID", transpose_kernel=True)),
):
    register(name, functools.partial(transposed, options), [image, kernel])


def transposed_gradients(types, image, kernel):
    def total(image, kernel):
        return jnp.sum(jnp.tanh(lax.conv_transpose(image, kernel, (2, 2), "SAME")))

    return jax.grad(total, (0, 1))(image, kernel)


register("transposed_grads", transposed_gradients, [(2, 5, 6, 4), (3, 3, 4, 5)])


def reversed_kernel(types, image, kernel):
    return lax.conv_general_dilated(image, lax.rev(kernel, (0, 1)), (1, 1), "VALID", dimension_numbers=NHWC)


def bias_relu(types, image, kernel, bias):
    return jnp.maximum(lax.conv_general_dilated(image, kernel, (1, 1), "SAME", dimension_numbers=NHWC) + bias, 0)


register("reversed_kernel", reversed_kernel, [(2, 8, 7, 3), (3, 2, 3, 4)])
register("bias_relu", bias_relu, [(2, 8, 7, 3), (3, 3, 3, 4), (4,)])


# Pools: JAX's reduce_window, and select_and_scatter in the gradient of max.


def max_pool(options, types, image):
    return lax.reduce_window(image, -jnp.inf, lax.max, **options)


def sum_pool(options, types, image):
    return lax.reduce_window(image, 0.0, lax.add, **options)


def average_pool(options, types, image):
    """Divided by the number of elements that the window really holds, as networks do with padding "SAME"."""
    return sum_pool(options, types, image) / sum_pool(options, types, jnp.ones_like(image))


def pool_gradient(pool, options, types, image, seed):
    return jax.vjp(functools.partial(pool, options, types), image)[1](seed)[0]


def pool_case(name, image, window, strides, padding="VALID", types="float32", **more):
    options = dict(window_dimensions=window, window_strides=strides, padding=padding, **more)
    for kind, pool in (("max", max_pool), ("average", average_pool)):
        register(f"{kind}_pool_{name}", functools.partial(pool, options), [image], types)
        if "window_dilation" in more and kind == "max":
            continue  # JAX has no gradient for it
        output = jax.eval_shape(functools.partial(pool, options, None), jax.ShapeDtypeStruct(image, jnp.float32))
        register(f"{kind}_pool_{name}_grads", functools.partial(pool_gradient, pool, options), [image, output.shape], types)


pool_case("2x2", (2, 8, 10, 5), (1, 2, 2, 1), (1, 2, 2, 1))
pool_case("3x3_same", (2, 9, 8, 5), (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
pool_case("nchw", (2, 5, 9, 11), (1, 1, 3, 2), (1, 1, 2, 3), ((0, 0), (0, 0), (1, 1), (0, 1)))
pool_case("1d", (3, 17, 6), (1, 4, 1), (1, 3, 1))
pool_case("dilated", (2, 11, 12, 3), (1, 3, 2, 1), (1, 1, 2, 1), window_dilation=(1, 2, 3, 1))
pool_case("bf16", (2, 8, 6, 12), (1, 2, 2, 1), (1, 2, 2, 1), types="bfloat16")


def other_windows(types, a):
    """A minimum over rows, and a product over a window in all axes."""
    return (
        lax.reduce_window(a, jnp.inf, lax.min, (3, 1), (2, 1), "VALID"),
        lax.reduce_window(a, 1.0, lax.mul, (2, 3), (1, 1), "SAME"),
    )


def cumulative(types, a):
    return jnp.cumsum(a, 1), lax.cummax(a, 0), lax.cummin(a, 1, reverse=True), jnp.cumsum(a, 0), lax.cumprod(a * 0.2 + 1, 1)


def cumulative_logsumexp(types, a):
    """A reduce_window whose region is a stable log of a sum of exponentials."""
    return lax.cumlogsumexp(a, 1)


def combined_windows(types, a):
    """Windows of a stable log of a sum of exponentials, in two dims, strided and dilated; padded from the identity, and
    without padding from another initial value, which then counts."""
    start, half = jnp.asarray(-jnp.inf, types.narrow), jnp.asarray(0.5, types.narrow)
    return (
        lax.reduce_window(a, start, jnp.logaddexp, (3, 2), (2, 1), ((1, 0), (0, 2)), window_dilation=(1, 3)),
        lax.reduce_window(a, half, jnp.logaddexp, (2, 5), (1, 2), "VALID"),
    )


def windows_of_pairs(types, a, b):
    """Sum and product at once: two operands, two results."""
    zero, one = jnp.asarray(0, types.narrow), jnp.asarray(1, types.narrow)
    return lax.reduce_window((a, b), (zero, one), lambda x, y: (x[0] + y[0], x[1] * y[1]), (2, 5), (1, 3), "SAME")


register("combined_windows", combined_windows, [(9, 14)])
register("windows_of_pairs", windows_of_pairs, [(9, 14), (9, 14)])
register("other_windows", other_windows, [(9, 14)])
register("cumulative", cumulative, [(37, 21)])
register("cumulative_logsumexp", cumulative_logsumexp, [(37, 21)])


def programs() -> list[Program]:
    return PROBES
