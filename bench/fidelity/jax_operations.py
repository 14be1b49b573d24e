"""The measured operations as JAX programs, for the compiler: name -> StableHLO text."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from operations import BETA1, BETA2, DECAY, EPSILON, RATE, STEP


def silu(x):
    return x * jax.nn.sigmoid(x)


def adamw(theta, gradient, mean, square):
    mean = BETA1 * mean + (1 - BETA1) * gradient
    square = BETA2 * square + (1 - BETA2) * gradient * gradient
    step = mean / (1 - BETA1**STEP) / (jnp.sqrt(square / (1 - BETA2**STEP)) + EPSILON)
    return theta - RATE * DECAY * theta - RATE * step


def matmul(lhs, rhs):
    return lhs @ rhs


FUNCTIONS = {"silu": silu, "adamw": adamw, "matmul": matmul, "bmm": matmul}


def stablehlo(name: str, *shapes: tuple[int, ...]) -> str:
    arguments = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes]
    return jax.jit(FUNCTIONS[name]).lower(*arguments).as_text()
