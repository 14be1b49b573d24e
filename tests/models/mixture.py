"""A mixture-of-experts layer: each token's two best experts, rows gathered for them and added back, and all gradients."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from common import Program, normal

TOKENS, WIDTH, HIDDEN, EXPERTS, CHOSEN, CAPACITY = 40, 32, 48, 6, 2, 20


def layer(types, x, router, up, down):
    """x [tokens, width]. An expert takes the first `CAPACITY` tokens that chose it; what is over goes past it."""
    shares = jax.nn.softmax(x @ router)
    weights, chosen = jax.lax.top_k(shares, CHOSEN)
    weights = weights / jnp.sum(weights, -1, keepdims=True)
    experts = chosen.reshape(-1)  # of each (token, choice)
    ones = (experts[:, None] == jnp.arange(EXPERTS, dtype=jnp.int32)).astype(jnp.int32)
    place = jnp.sum((jnp.cumsum(ones, 0) - 1) * ones, -1)  # the how-manieth token of its expert
    token = jnp.arange(TOKENS * CHOSEN, dtype=jnp.int32) // CHOSEN
    slot = jnp.where(place < CAPACITY, experts * CAPACITY + place, EXPERTS * CAPACITY)
    gathered = jnp.zeros((EXPERTS * CAPACITY, WIDTH), types.narrow).at[slot].set(x[token], mode="drop")
    hidden = jax.nn.silu(jnp.einsum("ecw,ewh->ech", gathered.reshape(EXPERTS, CAPACITY, WIDTH), up))
    results = jnp.einsum("ech,ehw->ecw", hidden, down).reshape(EXPERTS * CAPACITY, WIDTH)
    taken = jnp.where((place < CAPACITY)[:, None], results[jnp.minimum(slot, EXPERTS * CAPACITY - 1)], 0)
    mixed = jnp.zeros_like(x).at[token].add(taken * weights.reshape(-1)[:, None])
    return x + mixed, chosen


def gradients(types, *arguments):
    def loss(arguments):
        mixed, _ = layer(types, *arguments)
        return jnp.mean(jnp.tanh(mixed) ** 2)

    value, found = jax.value_and_grad(loss)(arguments)
    return value, *found


def arguments() -> list[np.ndarray]:
    return [
        normal((TOKENS, WIDTH), "mixture tokens"),
        normal((WIDTH, EXPERTS), "mixture router", scale=0.5),
        normal((EXPERTS, WIDTH, HIDDEN), "mixture up", scale=WIDTH**-0.5),
        normal((EXPERTS, HIDDEN, WIDTH), "mixture down", scale=HIDDEN**-0.5),
    ]


def programs() -> list[Program]:
    return [Program("mixture", layer, arguments), Program("mixture_grads", gradients, arguments)]
