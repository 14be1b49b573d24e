"""A training step of a U-Net-like denoiser: strided and transposed convolutions, concatenated skips, group norm."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from common import Program, normal

CHANNELS, WIDTH, SIZE, BATCH, GROUPS, RATE = 3, 16, 16, 2, 4, 0.05
ORDER = ("NHWC", "HWIO", "NHWC")
# Name -> kernel: down path, middle, up path, output. Each is followed by its norm's scale and bias, but the last.
KERNELS = {
    "enter": (3, 3, CHANNELS, WIDTH),
    "down": (3, 3, WIDTH, 2 * WIDTH),
    "deeper": (3, 3, 2 * WIDTH, 2 * WIDTH),
    "up1": (2, 2, 2 * WIDTH, 2 * WIDTH),
    "join1": (3, 3, 4 * WIDTH, 2 * WIDTH),
    "up2": (2, 2, 2 * WIDTH, WIDTH),
    "join2": (3, 3, 2 * WIDTH, WIDTH),
    "leave": (1, 1, WIDTH, CHANNELS),
}


def group_norm(types, x, scale, bias):
    batch, height, width, channels = x.shape
    grouped = x.reshape(batch, height, width, GROUPS, channels // GROUPS)
    mean = jnp.mean(grouped, (1, 2, 4), keepdims=True)
    variance = jnp.var(grouped, (1, 2, 4), keepdims=True)
    return ((grouped - mean) * lax.rsqrt(variance + jnp.asarray(1e-5, types.narrow))).reshape(x.shape) * scale + bias


def network(types, x, parameters):
    weights = iter(parameters)

    def normed(y):
        return jax.nn.silu(group_norm(types, y, next(weights), next(weights)))

    def conv(y, stride=1):
        return normed(lax.conv_general_dilated(y, next(weights), (stride, stride), "SAME", dimension_numbers=ORDER))

    def up(y):
        return normed(lax.conv_transpose(y, next(weights), (2, 2), "VALID", dimension_numbers=ORDER))

    first = conv(x)
    second = conv(first, 2)
    middle = conv(second, 2)
    joined = conv(jnp.concatenate([second, up(middle)], -1))
    joined = conv(jnp.concatenate([first, up(joined)], -1))
    return lax.conv_general_dilated(joined, next(weights), (1, 1), "SAME", dimension_numbers=ORDER)


def training_step(types, *arguments):
    """Parameters, noisy images, clean images -> the new parameters (SGD), the mean squared error."""
    *parameters, noisy, clean = arguments
    value, found = jax.value_and_grad(lambda p: jnp.mean((network(types, noisy, p) - clean) ** 2))(parameters)
    return (*(p - jnp.asarray(RATE, types.narrow) * g for p, g in zip(parameters, found)), value)


def parameters() -> list[np.ndarray]:
    arrays = []
    for name, kernel in KERNELS.items():
        arrays.append(normal(kernel, "unet", name, scale=np.sqrt(2 / np.prod(kernel[:3]))))
        if name != "leave":
            channels = kernel[3:]
            arrays += [1 + normal(channels, "unet scale", name, scale=0.1), normal(channels, "unet bias", name, scale=0.1)]
    return arrays


def arguments() -> list[np.ndarray]:
    clean = normal((BATCH, SIZE // 4, SIZE // 4, CHANNELS), "unet clean").repeat(4, 1).repeat(4, 2)
    return [*parameters(), clean + normal(clean.shape, "unet noise", scale=0.3), clean]


def programs() -> list[Program]:
    return [Program("unet_step", training_step, arguments, tuple(range(len(parameters()))))]
