"""A training step of a small vision transformer on the digits: patches, a class token, attention without a mask."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

import gpt
import mlp
import optimisers
from common import Program, normal

BATCH, SIDE, PATCH, CLASSES, RATE = 16, 8, 2, 10, 0.05
SHAPE = gpt.Shape(layers=2, width=48, heads=4, batch=BATCH, sequence=(SIDE // PATCH) ** 2 + 1)


def network(types, images, patch, patch_b, token, positions, *rest):
    """images [batch, 64] -> logits [batch, 10]."""
    side = SIDE // PATCH
    patches = images.reshape(-1, side, PATCH, side, PATCH).transpose(0, 1, 3, 2, 4).reshape(-1, side * side, PATCH * PATCH)
    x = patches @ patch + patch_b
    x = jnp.concatenate([jnp.broadcast_to(token, (x.shape[0], 1, SHAPE.width)), x], axis=1) + positions
    for layer in range(SHAPE.layers):
        s1, b1, qkv, qkv_b, out, out_b, s2, b2, up, up_b, down, down_b = rest[layer * gpt.PER_LAYER : (layer + 1) * gpt.PER_LAYER]
        query, key, value = jnp.split(gpt.layer_norm(types, x, s1, b1) @ qkv + qkv_b, 3, axis=-1)
        query, key, value = (gpt.split_heads(SHAPE, part) for part in (query, key, value))
        x = x + gpt.merge_heads(gpt.attend(types, query, key, value, True)) @ out + out_b
        inner = jax.nn.gelu(gpt.layer_norm(types, x, s2, b2) @ up + up_b, approximate=False)
        x = x + inner @ down + down_b
    scale, bias, head, head_b = rest[-4:]
    return gpt.layer_norm(types, x[:, 0], scale, bias) @ head + head_b


def training_step(types, *arguments):
    """Parameters, velocities, images, labels -> the new parameters and velocities, the loss."""
    count = len(arguments) // 2 - 1
    parameters, velocities, (images, labels) = arguments[:count], arguments[count:-2], arguments[-2:]
    value, found = jax.value_and_grad(lambda p: optimisers.cross_entropy(types, network(types, images, *p), labels))(parameters)
    parameters, velocities = optimisers.momentum(types, parameters, velocities, found, RATE)
    return (*parameters, *velocities, value)


def parameters() -> list[np.ndarray]:
    width = SHAPE.width
    _, _, *layers = gpt.parameters(SHAPE, "float32")
    return [
        normal((PATCH * PATCH, width), "vit patch", scale=0.5),
        normal((width,), "vit patch bias", scale=0.1),
        normal((width,), "vit token", scale=0.1),
        normal((SHAPE.sequence, width), "vit positions", scale=0.1),
        *layers,
        normal((width, CLASSES), "vit head", scale=width**-0.5),
        np.zeros(CLASSES, np.float32),
    ]


def arguments() -> list[np.ndarray]:
    images, labels = mlp.digits()
    velocities = [normal(p.shape, "vit velocity", i, scale=0.05) for i, p in enumerate(parameters())]
    return [*parameters(), *velocities, images[:BATCH], labels[:BATCH]]


def programs() -> list[Program]:
    return [Program("vit_step", training_step, arguments, tuple(range(2 * len(parameters()))))]
