"""Losses and update rules that the training programs share. State is flat: parameters, then moments, in argument order."""

from __future__ import annotations

import jax
import jax.numpy as jnp


def cross_entropy(types, logits, labels):
    """Mean over all rows of softmax cross-entropy with integer labels, by the label's own log probability."""
    scores = jax.nn.log_softmax(logits.astype(types.wide))
    return -jnp.mean(jnp.take_along_axis(scores, labels[..., None], axis=-1))


def momentum(types, parameters, velocities, gradients, rate, decay=0.9):
    velocities = [jnp.asarray(decay, types.narrow) * v + g for v, g in zip(velocities, gradients)]
    return [p - jnp.asarray(rate, types.narrow) * v for p, v in zip(parameters, velocities)], velocities


def clip_by_global_norm(types, gradients, limit):
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in gradients))
    factor = jnp.minimum(1, jnp.asarray(limit, types.wide) / norm)
    return [g * factor for g in gradients], norm


def adamw(types, parameters, means, squares, gradients, step, rate, b1=0.9, b2=0.999, epsilon=1e-8, decay=0.01):
    """`step` counts from 0. Vectors (biases, norms) are not decayed."""

    def number(value):
        return jnp.asarray(value, types.wide)

    count = (step + 1).astype(types.wide)
    means = [number(b1) * m + number(1 - b1) * g for m, g in zip(means, gradients)]
    squares = [number(b2) * v + number(1 - b2) * g * g for v, g in zip(squares, gradients)]
    first, second = 1 - number(b1) ** count, 1 - number(b2) ** count
    new = []
    for p, m, v in zip(parameters, means, squares):
        change = (m / first) / (jnp.sqrt(v / second) + number(epsilon))
        new.append(p - number(rate) * (change + number(decay if p.ndim > 1 else 0) * p))
    return new, means, squares
