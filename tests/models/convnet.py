"""A small NCHW convnet with max and average pooling: forward, and all gradients."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import optimisers
from common import Program, generator, normal

SHAPES = ((8, 3, 5, 5), (8,), (16, 8, 3, 3), (16,), (20, 16, 3, 3), (20,), (20 * 3 * 3, 10), (10,))


def conv(x, kernel, padding):
    return lax.conv_general_dilated(x, kernel, (1, 1), padding, dimension_numbers=("NCHW", "OIHW", "NCHW"))


def pool(x, kind, size, stride):
    start, combine = {"max": (-jnp.inf, lax.max), "average": (0.0, lax.add)}[kind]
    pooled = lax.reduce_window(x, start, combine, (1, 1, size, size), (1, 1, stride, stride), "VALID")
    return pooled if kind == "max" else pooled / jnp.asarray(size * size, x.dtype)


def forward(types, images, k1, b1, k2, b2, k3, b3, w, b):
    """[4, 3, 27, 27] -> [4, 10]."""
    x = jax.nn.relu(conv(images, k1, "VALID") + b1[None, :, None, None])  # 23
    x = pool(x, "max", 3, 2)  # 11
    x = jnp.tanh(conv(x, k2, "SAME") + b2[None, :, None, None])
    x = pool(x, "average", 2, 2)  # 5
    x = jax.nn.leaky_relu(conv(x, k3, "SAME") + b3[None, :, None, None], jnp.asarray(0.1, types.narrow))
    x = pool(x, "max", 3, 1)  # 3
    return x.reshape(x.shape[0], -1) @ w + b


def gradients(types, images, labels, *parameters):
    def loss(parameters):
        return optimisers.cross_entropy(types, forward(types, images, *parameters), labels)

    value, found = jax.value_and_grad(loss)(parameters)
    return value, *found


def parameters() -> list[np.ndarray]:
    return [
        normal(s, "convnet", i, scale=(2 / (np.prod(s[1:]) if len(s) == 4 else s[0])) ** 0.5 if len(s) > 1 else 0.1)
        for i, s in enumerate(SHAPES)
    ]


def images() -> np.ndarray:
    return normal((4, 3, 27, 27), "convnet images")


def programs() -> list[Program]:
    labels = generator("convnet labels").integers(0, 10, 4).astype(np.int32)
    return [
        Program("convnet_nchw", forward, lambda: [images(), *parameters()]),
        Program("convnet_nchw_grads", gradients, lambda: [images(), labels, *parameters()]),
    ]
