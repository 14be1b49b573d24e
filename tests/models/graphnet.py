"""A graph network: messages along edges, summed per node by segment sums (nodes have many edges, one or none)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from common import Program, generator, normal

NODES, EDGES, WIDTH, ROUNDS = 30, 100, 24, 2


def network(types, senders, receivers, nodes, message, message_b, update, update_b):
    for _ in range(ROUNDS):
        pairs = jnp.concatenate([nodes[senders], nodes[receivers]], -1)
        messages = jnp.tanh(pairs @ message + message_b)
        summed = jax.ops.segment_sum(messages, receivers, NODES)
        counts = jax.ops.segment_sum(jnp.ones(EDGES, types.narrow), receivers, NODES)
        summed = summed / jnp.maximum(counts, 1)[:, None]
        nodes = nodes + jnp.tanh(jnp.concatenate([nodes, summed], -1) @ update + update_b)
    return nodes


def gradients(types, senders, receivers, *arrays):
    def loss(arrays):
        return jnp.mean(network(types, senders, receivers, *arrays) ** 2)

    value, found = jax.value_and_grad(loss)(arrays)
    return value, *found


def segment_extremes(types, values, segments):
    """Maxima and minima per segment; segments without members stay at the least and greatest number."""
    return jax.ops.segment_max(values, segments, 9), jax.ops.segment_min(values, segments, 9)


def arguments() -> list[np.ndarray]:
    chance = generator("graphnet edges")
    senders = chance.integers(0, NODES, EDGES).astype(np.int32)
    receivers = np.minimum(chance.integers(0, NODES, EDGES), chance.integers(0, NODES, EDGES)).astype(np.int32)
    return [
        senders,
        receivers,
        normal((NODES, WIDTH), "graphnet nodes"),
        normal((2 * WIDTH, WIDTH), "graphnet message", scale=(2 * WIDTH) ** -0.5),
        normal((WIDTH,), "graphnet message bias", scale=0.1),
        normal((2 * WIDTH, WIDTH), "graphnet update", scale=(2 * WIDTH) ** -0.5),
        normal((WIDTH,), "graphnet update bias", scale=0.1),
    ]


def segment_arguments() -> list[np.ndarray]:
    return [normal((50, 7), "segment values"), generator("segments").integers(0, 8, 50).astype(np.int32)]


def programs() -> list[Program]:
    return [
        Program("graphnet", network, arguments),
        Program("graphnet_grads", gradients, arguments),
        Program("segment_extremes", segment_extremes, segment_arguments, group="probe"),
    ]
