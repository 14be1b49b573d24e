"""A small GPT learns sequences by AdamW, then writes: a scan over its key-value cache, and a while loop that may end early."""

import json
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax

LAYERS, WIDTH, HEADS, LENGTH, VOCABULARY, BATCH, RATE = 2, 64, 4, 32, 48, 8, 3e-3


def initial(key):
    def dense(key, rows, columns):
        return jax.random.normal(key, (rows, columns)) / jnp.sqrt(rows)

    embedding, positions, head, *layers = jax.random.split(key, 3 + LAYERS)
    return {
        "embedding": 0.1 * jax.random.normal(embedding, (VOCABULARY, WIDTH)),
        "positions": 0.1 * jax.random.normal(positions, (LENGTH, WIDTH)),
        "layers": [
            {
                "norm1": jnp.ones(WIDTH), "norm2": jnp.ones(WIDTH),
                "qkv": dense(k[0], WIDTH, 3 * WIDTH), "out": dense(k[1], WIDTH, WIDTH),
                "up": dense(k[2], WIDTH, 4 * WIDTH), "down": dense(k[3], 4 * WIDTH, WIDTH),
            }
            for k in (jax.random.split(key, 4) for key in layers)
        ],
        "norm": jnp.ones(WIDTH),
        "head": dense(head, WIDTH, VOCABULARY),
    }  # fmt: skip


def norm(x, scale):
    x = x - x.mean(-1, keepdims=True)
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * scale


def attention(layer, x, past, visible):
    """x [batch, new, width]; past: function of the new keys and values [batch, new, heads, size] -> those to look at."""
    q, k, v = (part.reshape(*x.shape[:2], HEADS, -1) for part in jnp.split(norm(x, layer["norm1"]) @ layer["qkv"], 3, -1))
    keys, values = past(k, v)
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, keys) * (WIDTH // HEADS) ** -0.5
    weights = jax.nn.softmax(jnp.where(visible, scores, -jnp.inf))
    x = x + jnp.einsum("bhqk,bkhd->bqhd", weights, values).reshape(x.shape) @ layer["out"]
    return x + jax.nn.gelu(norm(x, layer["norm2"]) @ layer["up"]) @ layer["down"], (keys, values)


def logits(parameters, tokens):
    length = tokens.shape[1]
    x = parameters["embedding"][tokens] + parameters["positions"][:length]
    for layer in parameters["layers"]:
        x, _ = attention(layer, x, lambda k, v: (k, v), jnp.tril(jnp.ones((length, length), bool)))
    return norm(x, parameters["norm"]) @ parameters["head"]


def loss(parameters, tokens):
    return optax.softmax_cross_entropy_with_integer_labels(logits(parameters, tokens[:, :-1]), tokens[:, 1:]).mean()


optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(optax.warmup_cosine_decay_schedule(0, RATE, 10, 100)))


@jax.jit
def step(parameters, state, tokens):
    value, gradients = jax.value_and_grad(loss)(parameters, tokens)
    updates, state = optimizer.update(gradients, state, parameters)
    return optax.apply_updates(parameters, updates), state, value


def decode(parameters, caches, token, place):
    """One token a sequence, [batch] -> the caches with it, and the logits of the next."""
    x = (parameters["embedding"][token] + parameters["positions"][place])[:, None]
    visible = jnp.arange(LENGTH) <= place
    fresh = []
    for layer, cache in zip(parameters["layers"], caches):

        def past(*rows):
            return [jax.lax.dynamic_update_slice_in_dim(c, row, place, 1) for c, row in zip(cache, rows)]

        x, cache = attention(layer, x, past, visible)
        fresh.append(tuple(cache))
    return fresh, (norm(x, parameters["norm"]) @ parameters["head"])[:, 0]


def no_cache(batch):
    return [(jnp.zeros((batch, LENGTH, HEADS, WIDTH // HEADS)),) * 2 for _ in range(LAYERS)]


@jax.jit
def sample(parameters, key, first):
    """Draws LENGTH - 1 tokens after each first one."""

    def one(state, place):
        caches, token = state
        caches, scores = decode(parameters, caches, token, place)
        token = jax.random.categorical(jax.random.fold_in(key, place), scores)
        return (caches, token), token

    _, tokens = jax.lax.scan(one, (no_cache(first.shape[0]), first), jnp.arange(LENGTH - 1))
    return tokens.T


@jax.jit
def write_until(parameters, first, last):
    """The likeliest tokens, until every sequence has come to the token `last`."""

    def going(state):
        *_, place, done = state
        return (place < LENGTH - 1) & ~done.all()

    def one(state):
        caches, tokens, place, done = state
        caches, scores = decode(parameters, caches, tokens[:, place], place)
        token = jnp.where(done, last, jnp.argmax(scores, -1).astype(tokens.dtype))
        return caches, tokens.at[:, place + 1].set(token), place + 1, done | (token == last)

    tokens = jnp.full((first.shape[0], LENGTH), last).at[:, 0].set(first)
    _, tokens, place, _ = jax.lax.while_loop(going, one, (no_cache(first.shape[0]), tokens, 0, first == last))
    return tokens, place


def text(steps):
    """Each token has three followers, drawn with unlike chances."""
    chance = np.random.default_rng(5)
    followers = chance.integers(0, VOCABULARY, (VOCABULARY, 3))
    tokens = np.empty((steps, BATCH, LENGTH + 1), np.int32)
    tokens[..., 0] = chance.integers(0, VOCABULARY, (steps, BATCH))
    for place in range(1, LENGTH + 1):
        tokens[..., place] = followers[tokens[..., place - 1], chance.choice(3, (steps, BATCH), p=(0.8, 0.15, 0.05))]
    return tokens


def main(steps):
    parameters = initial(jax.random.key(1))
    state = optimizer.init(parameters)
    losses = []
    for tokens in text(steps):
        parameters, state, value = step(parameters, state, tokens)
        losses.append(value)
    first = jnp.arange(2, 4, dtype=jnp.int32)
    drawn = sample(parameters, jax.random.key(2), first)
    likeliest, places = write_until(parameters, first, jnp.int32(5))
    print(json.dumps({
        "loss": [float(value) for value in losses],
        "drawn": drawn.tolist(), "likeliest": likeliest.tolist(), "places": int(places),
    }))  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
