"""Loops that end when they are near enough: a neural ODE with adaptive steps, a Gaussian process by conjugate gradients."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from common import Program, normal

BATCH, STATE, HIDDEN = 6, 12, 32
POINTS, QUERIES, INPUTS = 40, 15, 3


def neural_ode(types, start, w1, b1, w2, b2):
    """dx/dt = an MLP of x, from t = 0 to 1 by Heun's method; a step is halved or grown by its error against Euler's.

    Returns the state at 1, the number of steps taken and of steps refused.
    """

    def number(value):
        return jnp.asarray(value, types.narrow)

    def slope(x):
        return jnp.tanh(x @ w1 + b1) @ w2 + b2

    def go_on(state):
        return (state[0] < number(1)) & (state[3] + state[4] < 200)

    def step(state):
        t, size, x, taken, refused = state
        size = jnp.minimum(size, 1 - t)
        first = slope(x)
        second = slope(x + size * first)
        error = jnp.max(jnp.abs(second - first)) * size * number(0.5)
        good = error < number(2e-2)
        x = jnp.where(good, x + size * number(0.5) * (first + second), x)
        t = jnp.where(good, t + size, t)
        size = jnp.where(good, size * number(1.5), size * number(0.5))
        return t, size, x, taken + good.astype(jnp.int32), refused + (~good).astype(jnp.int32)

    state = (number(0), number(0.25), start, jnp.int32(0), jnp.int32(0))
    t, _, x, taken, refused = jax.lax.while_loop(go_on, step, state)
    return x, taken, refused


def gaussian_process(types, points, values, queries):
    """Posterior mean with an RBF kernel and noise variance 0.5: conjugate gradients until the squared residual is below 1e-4 of the start."""

    def kernel(a, b):
        distances = jnp.sum((a[:, None, :] - b[None, :, :]) ** 2, -1)
        return jnp.exp(jnp.asarray(-0.5, types.narrow) * distances)

    matrix = kernel(points, points) + jnp.asarray(0.5, types.narrow) * jnp.eye(POINTS, dtype=types.narrow)
    limit = jnp.asarray(1e-4, types.narrow) * (values @ values)

    def step(state):
        x, residual, direction, size, trips = state
        moved = matrix @ direction
        rate = size / (direction @ moved)
        x, residual = x + rate * direction, residual - rate * moved
        after = residual @ residual
        return x, residual, residual + (after / size) * direction, after, trips + 1

    state = (jnp.zeros_like(values), values, values, values @ values, jnp.int32(0))
    x, _, _, _, trips = jax.lax.while_loop(lambda s: (s[3] > limit) & (s[4] < 100), step, state)
    return kernel(queries, points) @ x, trips


def ode_arguments() -> list[np.ndarray]:
    return [
        normal((BATCH, STATE), "ode start"),
        normal((STATE, HIDDEN), "ode w1", scale=1.5 * STATE**-0.5),
        normal((HIDDEN,), "ode b1", scale=0.1),
        normal((HIDDEN, STATE), "ode w2", scale=2 * HIDDEN**-0.5),
        normal((STATE,), "ode b2", scale=0.1),
    ]


def process_arguments() -> list[np.ndarray]:
    points = normal((POINTS, INPUTS), "process points")
    values = np.sin(2 * points).sum(-1).astype(np.float32) + normal((POINTS,), "process noise", scale=0.1)
    return [points, values, normal((QUERIES, INPUTS), "process queries")]


def programs() -> list[Program]:
    return [Program("neural_ode", neural_ode, ode_arguments), Program("gaussian_process", gaussian_process, process_arguments)]
