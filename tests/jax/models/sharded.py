"""A transformer block with AdamW trains over several devices: data parallel, tensor parallel, with every parameter and
moment sharded (FSDP), or data parallel by shard_map. `sharded.py single:1 fsdp:4 100` prints the losses of 100 steps."""

import functools
import json
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

WIDTH, HEADS, LENGTH, VOCABULARY, BATCH = 32, 8, 16, 24, 16

# Where each parameter is cut in two when devices share the layers: columns, then rows, so that one sum a layer is needed.
TENSOR = {"qkv": P(None, None, "d"), "out": P("d", None), "up": P(None, "d"), "down": P("d", None), "head": P()}
FSDP = {"embedding": P(None, "d"), "qkv": P("d"), "out": P("d"), "up": P("d"), "down": P("d"), "head": P("d")}


def initial(key):
    k = jax.random.split(key, 6)
    dense = lambda key, *shape: jax.random.normal(key, shape) * shape[0] ** -0.5
    return {
        "embedding": dense(k[0], VOCABULARY, WIDTH),
        "qkv": dense(k[1], WIDTH, 3, WIDTH),
        "out": dense(k[2], WIDTH, WIDTH),
        "up": dense(k[3], WIDTH, 4 * WIDTH),
        "down": dense(k[4], 4 * WIDTH, WIDTH),
        "head": dense(k[5], WIDTH, VOCABULARY),
    }


def norm(x):
    x = x - x.mean(-1, keepdims=True)
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5)


def loss(parameters, tokens):
    x = parameters["embedding"][tokens[:, :-1]]
    q, k, v = (
        part[:, :, 0].reshape(*x.shape[:2], HEADS, WIDTH // HEADS)
        for part in jnp.split(jnp.einsum("blw,wpv->blpv", norm(x), parameters["qkv"]), 3, axis=2)
    )
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * (WIDTH // HEADS) ** -0.5
    scores = jnp.where(jnp.tril(jnp.ones((LENGTH, LENGTH), bool)), scores, -1e9)
    x = x + jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v).reshape(x.shape) @ parameters["out"]
    x = x + jax.nn.gelu(norm(x) @ parameters["up"]) @ parameters["down"]
    return optax.softmax_cross_entropy_with_integer_labels(norm(x) @ parameters["head"], tokens[:, 1:]).mean()


optimizer = optax.adamw(3e-3)


def update(gradients, parameters, moments):
    updates, moments = optimizer.update(gradients, moments, parameters)
    return optax.apply_updates(parameters, updates), moments


@functools.partial(jax.jit, donate_argnums=(0, 1))
def step(parameters, moments, tokens):
    value, gradients = jax.value_and_grad(loss)(parameters, tokens)
    return *update(gradients, parameters, moments), value


def mapped_step(mesh):
    """Data parallel as each device sees it: its part of the batch, and means over all devices."""

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    @functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P(), P("d")), out_specs=P(), check_vma=False)
    def one(parameters, moments, tokens):
        value, gradients = jax.value_and_grad(loss)(parameters, tokens)
        value, gradients = jax.lax.pmean((value, gradients), "d")
        return *update(gradients, parameters, moments), value

    return one


def text(steps):
    """Counting modulo VOCABULARY by a stride that each sequence keeps."""
    chance = np.random.default_rng(9)
    start, stride = (chance.integers(low, high, (steps, BATCH, 1)) for low, high in ((0, VOCABULARY), (1, 4)))
    return ((start + stride * np.arange(LENGTH + 1)) % VOCABULARY).astype(np.int32)


def train(kind, count, steps):
    parameters = initial(jax.random.key(6))
    run, place = step, lambda tokens: tokens
    if kind != "single":
        mesh = Mesh(np.array(jax.devices()[:count]), ("d",))
        over = lambda spec: NamedSharding(mesh, spec)
        specs = {"tensor": TENSOR, "fsdp": FSDP}.get(kind, {})
        parameters = {name: jax.device_put(p, over(specs.get(name, P()))) for name, p in parameters.items()}
        place = functools.partial(jax.device_put, device=over(P() if kind == "tensor" else P("d")))
        run = mapped_step(mesh) if kind == "shard_map" else step
    moments = optimizer.init(parameters)
    if kind == "shard_map":
        moments = jax.device_put(moments, over(P()))
    losses = []
    for tokens in text(steps):
        parameters, moments, value = run(parameters, moments, place(tokens))
        losses.append(value)
    shards = {name: list(p.addressable_shards[0].data.shape) for name, p in parameters.items()}
    return {"kind": kind, "count": count, "loss": [float(value) for value in losses], "shards": shards}


if __name__ == "__main__":
    *plans, steps = sys.argv[1:] or ["single:1", "100"]
    for plan in plans:
        kind, _, count = plan.partition(":")
        print(json.dumps(train(kind, int(count or 1), int(steps))), flush=True)
