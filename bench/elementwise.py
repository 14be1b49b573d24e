"""Ten elementwise ops on [128, 16]: what a framework's small programs cost beyond their arithmetic."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from common import Program, normal

SHAPE = (128, 16)


def ten_ops(types, a, b):
    """Each op reads the one before it, so none can be left out."""

    def number(value):
        return jnp.asarray(value, types.narrow)

    x = a + b
    x = x * a
    x = jnp.maximum(x, number(-2))
    x = x - b
    x = jnp.tanh(x)
    x = x * number(0.5)
    x = jnp.exp(x)
    x = x + number(1)
    x = jnp.minimum(x, a * a)
    return x


def arguments() -> list[np.ndarray]:
    return [normal(SHAPE, "ten_ops", i) for i in range(2)]


def programs() -> list[Program]:
    return [Program("ten_ops", ten_ops, arguments, group="full")]
