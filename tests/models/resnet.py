"""A ResNet-like network on 32x32 images, batch 8, NHWC: inference with running statistics, and a training step with
batch norm over the batch and momentum."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import optimisers
from common import Program, generator, normal

BATCH, SIZE, CLASSES, STEPS = 8, 32, 10, 100
STEM = 16
# (input channels, output channels, stride) of each block; a block whose shape changes has a projection shortcut.
BLOCKS = ((16, 16, 1), (16, 32, 2), (32, 64, 2))
# Whether a relu's input near zero passes its gradient depends on the order of a sum, and training amplifies it. At this
# rate and seed the 100-step curves of float32 and float64 agree within about 1e-4; at ten times the rate within 1e-2 only.
RATE, NOISE = 0.001, 0.2
SEED = 5


def conv(x, kernel, stride=1):
    return lax.conv_general_dilated(x, kernel, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def layers():
    """(kernel shape, norm before a relu) of all convolutions in the order in which `network` uses them."""
    yield (3, 3, 3, STEM)
    for before, after, stride in BLOCKS:
        yield (3, 3, before, after)
        yield (3, 3, after, after)
        if projected(before, after, stride):
            yield (1, 1, before, after)


def projected(before, after, stride):
    return before != after or stride != 1


def batch_norm(types, x, scale, bias, mean, variance):
    return (x - mean) * (lax.rsqrt(variance + jnp.asarray(1e-5, types.narrow)) * scale) + bias


def normed_convolutions(types, parameters, statistics):
    """normed_conv(x, stride), which takes its arrays in order; the iterator of the parameters; and the list of the batch's
    own means and variances, which fills where `statistics` is None (training mode)."""
    weights, known, seen = iter(parameters), iter(statistics or ()), []

    def normed_conv(x, stride=1):
        x = conv(x, next(weights), stride)
        if statistics is None:
            mean, variance = jnp.mean(x, (0, 1, 2)), jnp.var(x, (0, 1, 2))
            seen.extend((mean, variance))
        else:
            mean, variance = next(known), next(known)
        return batch_norm(types, x, next(weights), next(weights), mean, variance)

    return normed_conv, weights, seen


def network(types, x, parameters, statistics):
    """Logits, and the batch's own means and variances where `statistics` is None (training mode)."""
    normed_conv, weights, seen = normed_convolutions(types, parameters, statistics)
    x = jax.nn.relu(normed_conv(x))
    for before, after, stride in BLOCKS:
        y = normed_conv(jax.nn.relu(normed_conv(x, stride)))
        x = jax.nn.relu((normed_conv(x, stride) if projected(before, after, stride) else x) + y)
    return jnp.mean(x, (1, 2)) @ next(weights) + next(weights), seen


COUNT = 3 * len(list(layers())) + 2
NORMS = 2 * len(list(layers()))


def inference(types, images, *rest):
    return network(types, images, rest[:COUNT], rest[COUNT:])[0]


def training_step(types, *arguments):
    """Parameters, velocities, running statistics, images, labels -> the same state after the step, and the loss."""
    parameters, velocities = arguments[:COUNT], arguments[COUNT : 2 * COUNT]
    running, (images, labels) = arguments[2 * COUNT : -2], arguments[-2:]

    def loss(parameters):
        logits, seen = network(types, images, parameters, None)
        return optimisers.cross_entropy(types, logits, labels), seen

    (value, seen), gradients = jax.value_and_grad(loss, has_aux=True)(parameters)
    parameters, velocities = optimisers.momentum(types, parameters, velocities, gradients, RATE)
    running = [jnp.asarray(0.9, types.narrow) * r + jnp.asarray(0.1, types.narrow) * s for r, s in zip(running, seen)]
    return (*parameters, *velocities, *running, value)


def parameters() -> list[np.ndarray]:
    arrays = []
    for i, kernel in enumerate(layers()):
        fan_in = kernel[0] * kernel[1] * kernel[2]
        arrays += [normal(kernel, SEED, "resnet", i, scale=np.sqrt(2 / fan_in))]
        arrays += [1 + normal(kernel[3:], SEED, "resnet scale", i, scale=0.1), normal(kernel[3:], SEED, "resnet bias", i, scale=0.1)]
    last = BLOCKS[-1][1]
    return arrays + [normal((last, CLASSES), SEED, "resnet head", scale=last**-0.5), np.zeros(CLASSES, np.float32)]


def statistics() -> list[np.ndarray]:
    arrays = []
    for i, kernel in enumerate(layers()):
        arrays += [normal(kernel[3:], "resnet mean", i, scale=0.3), 1 + np.abs(normal(kernel[3:], "resnet variance", i))]
    return arrays


def fresh_statistics() -> list[np.ndarray]:
    return [np.full(s.shape, i % 2, np.float32) for i, s in enumerate(statistics())]


def batches(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Each class is a colour pattern of low frequency; an image is its class's pattern, shifted, under noise."""
    chance = generator(SEED, "resnet images")
    coarse = chance.standard_normal((CLASSES, 4, 4, 3))
    patterns = coarse.repeat(SIZE // 4, 1).repeat(SIZE // 4, 2)
    labels = chance.integers(0, CLASSES, (count, BATCH)).astype(np.int32)
    images = patterns[labels] + NOISE * chance.standard_normal((count, BATCH, SIZE, SIZE, 3))
    return images.astype(np.float32), labels


def inference_arguments() -> list[np.ndarray]:
    return [batches(1)[0][0], *parameters(), *statistics()]


def training_arguments() -> list[np.ndarray]:
    images, labels = batches(1)
    velocities = [normal(p.shape, "resnet velocity", i, scale=0.1) for i, p in enumerate(parameters())]
    return [*parameters(), *velocities, *statistics(), images[0], labels[0]]


def steps() -> list[np.ndarray]:
    velocities = [np.zeros_like(p) for p in parameters()]
    return [*parameters(), *velocities, *fresh_statistics(), *batches(STEPS)]


def programs() -> list[Program]:
    return [
        Program("resnet", inference, inference_arguments),
        Program("resnet_step", training_step, training_arguments, tuple(range(2 * COUNT + NORMS)), steps=steps),
    ]
