"""A small GPT in JAX: its training step with AdamW, and its sampling loop over a key-value cache as one program.

`make demo-gpt` trains it on the documentation strings of Python's own library.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

LAYERS, WIDTH, HEADS, POSITIONS = 2, 128, 4, 64
BATCH, RATE, WARM_UP, STEPS = 16, 3e-3, 40, 500


def shapes(vocabulary: int) -> list[tuple[int, ...]]:
    """Embedding, positions, per layer (attention norm, qkv, out, mlp norm, up, down), last norm, head."""
    layer = [(WIDTH,), (WIDTH, 3 * WIDTH), (WIDTH, WIDTH), (WIDTH,), (WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH)]
    return [(vocabulary, WIDTH), (POSITIONS, WIDTH), *layer * LAYERS, (WIDTH,), (WIDTH, vocabulary)]


def initial(vocabulary: int) -> list[np.ndarray]:
    chance = np.random.default_rng(7)
    scale = lambda shape: 0.02 if shape[0] in (vocabulary, POSITIONS) else shape[0] ** -0.5
    return [
        (np.ones(shape) if len(shape) == 1 else scale(shape) * chance.standard_normal(shape)).astype(np.float32)
        for shape in shapes(vocabulary)
    ]


def normed(x, scale):
    centred = x - jnp.mean(x, -1, keepdims=True)
    return centred * jax.lax.rsqrt(jnp.mean(centred * centred, -1, keepdims=True) + 1e-5) * scale


def heads(x):
    """[batch, length, width] -> [batch, heads, length, size]"""
    return x.reshape(*x.shape[:2], HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)


def attend(query, key, value, visible):
    scores = jnp.einsum("bhqd,bhkd->bhqk", query, key) * (WIDTH // HEADS) ** -0.5
    mixed = jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(jnp.where(visible, scores, -1e9), -1), value)
    return mixed.transpose(0, 2, 1, 3).reshape(mixed.shape[0], mixed.shape[2], WIDTH)


def logits(parameters, tokens):
    embedding, positions, *layers, last, head = parameters
    length = tokens.shape[1]
    visible = jnp.tril(jnp.ones((length, length), bool))
    x = embedding[tokens] + positions[:length]
    for at in range(0, 6 * LAYERS, 6):
        norm1, qkv, out, norm2, up, down = layers[at : at + 6]
        query, key, value = map(heads, jnp.split(normed(x, norm1) @ qkv, 3, -1))
        x = x + attend(query, key, value, visible) @ out
        x = x + jax.nn.gelu(normed(x, norm2) @ up) @ down
    return normed(x, last) @ head


def loss(parameters, tokens):
    """Mean cross-entropy, in nats, of each next token; tokens [batch, length + 1]."""
    scores = jax.nn.log_softmax(logits(parameters, tokens[:, :-1]))
    return -jnp.mean(jnp.take_along_axis(scores, tokens[:, 1:, None], -1))


def training_step(*arguments):
    """Parameters, first moments, second moments, step number, tokens -> all but the tokens after the step, the loss."""
    *state, step, tokens = arguments
    count = len(state) // 3
    parameters, means, squares = state[:count], state[count : 2 * count], state[2 * count :]
    value, gradients = jax.value_and_grad(loss)(list(parameters), tokens)
    number = (step + 1).astype(jnp.float32)
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in gradients))
    gradients = [g * jnp.minimum(1, 1 / norm) for g in gradients]
    means = [0.9 * m + 0.1 * g for m, g in zip(means, gradients)]
    squares = [0.99 * v + 0.01 * g * g for v, g in zip(squares, gradients)]
    rate = RATE * jnp.minimum(number / WARM_UP, 1 - 0.9 * number / STEPS)
    changes = [m / (1 - 0.9**number) / (jnp.sqrt(v / (1 - 0.99**number)) + 1e-8) for m, v in zip(means, squares)]
    decays = [0.01 if p.ndim == 2 else 0.0 for p in parameters]
    parameters = [p - rate * (c + d * p) for p, c, d in zip(parameters, changes, decays)]
    return (*parameters, *means, *squares, step + 1, value)


def sample(key, temperature, prompts, lengths, *parameters):
    """Continues prompts [batch, POSITIONS], of which `lengths` [batch] tokens are given: a scan of one-token steps over a
    key-value cache, all in one program."""
    embedding, positions, *layers, last, head = parameters
    batch = prompts.shape[0]
    empty = [jnp.zeros((batch, HEADS, POSITIONS, WIDTH // HEADS), jnp.float32)] * (2 * LAYERS)

    def step(state, place):
        caches, drawn = list(state[0]), state[1]
        token = jnp.where(place < lengths, jax.lax.dynamic_slice_in_dim(prompts, place, 1, 1)[:, 0], drawn)
        x = embedding[token][:, None] + jax.lax.dynamic_slice_in_dim(positions, place, 1)
        visible = jnp.arange(POSITIONS) <= place
        for number in range(LAYERS):
            norm1, qkv, out, norm2, up, down = layers[6 * number : 6 * number + 6]
            query, *rows = map(heads, jnp.split(normed(x, norm1) @ qkv, 3, -1))
            for at, row in enumerate(rows, 2 * number):
                caches[at] = jax.lax.dynamic_update_slice_in_dim(caches[at], row, place, 2)
            x = x + attend(query, caches[2 * number], caches[2 * number + 1], visible) @ out
            x = x + jax.nn.gelu(normed(x, norm2) @ up) @ down
        scores = (normed(x, last) @ head)[:, 0] / temperature
        noise = jax.random.gumbel(jax.random.fold_in(jax.random.wrap_key_data(key), place), scores.shape)
        return (caches, jnp.argmax(scores + noise, -1).astype(jnp.int32)), token

    _, tokens = jax.lax.scan(step, (empty, prompts[:, 0]), jnp.arange(POSITIONS, dtype=jnp.int32))
    return tokens.T
