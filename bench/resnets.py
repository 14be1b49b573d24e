"""ResNet-50 inference on one 224 x 224 image and a ResNet-18 training step on 32 images of 32 x 32, both NHWC, fp32."""

from __future__ import annotations

import dataclasses
import functools
from typing import Iterator

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import optimisers
from common import Program, generator, normal
from resnet import normed_convolutions


@dataclasses.dataclass(frozen=True)
class Shape:
    """`stages` are (blocks, width); a block widens its width by `expansion`; the first block of later stages has stride 2."""

    batch: int
    size: int
    classes: int
    stages: tuple[tuple[int, int], ...]
    bottleneck: bool
    stem: tuple[int, int]  # kernel, stride; a 3x3 pool of stride 2 follows a stem with stride 2

    @property
    def expansion(self) -> int:
        return 4 if self.bottleneck else 1


RESNET50 = Shape(1, 224, 1000, ((3, 64), (4, 128), (6, 256), (3, 512)), True, (7, 2))
RESNET18 = Shape(32, 32, 10, ((2, 64), (2, 128), (2, 256), (2, 512)), False, (3, 1))
RATE = 0.01


def blocks(shape: Shape) -> Iterator[tuple[int, int, int]]:
    """(input channels, width, stride) of every block."""
    channels = shape.stages[0][1]
    for stage, (count, width) in enumerate(shape.stages):
        for number in range(count):
            yield channels, width, 2 if stage > 0 and number == 0 else 1
            channels = width * shape.expansion


def main_path(shape: Shape, before: int, width: int, stride: int) -> list[tuple[tuple[int, ...], int]]:
    """(kernel shape, stride) of the convolutions of one block. The 3x3 carries the stride, as in torchvision's ResNet."""
    if shape.bottleneck:
        return [((1, 1, before, width), 1), ((3, 3, width, width), stride), ((1, 1, width, 4 * width), 1)]
    return [((3, 3, before, width), stride), ((3, 3, width, width), 1)]


def projected(shape: Shape, before: int, width: int, stride: int) -> bool:
    return stride != 1 or before != width * shape.expansion


def kernels(shape: Shape) -> Iterator[tuple[int, ...]]:
    """Kernel shapes of all convolutions in the order in which `network` uses them."""
    yield (shape.stem[0], shape.stem[0], 3, shape.stages[0][1])
    for before, width, stride in blocks(shape):
        for kernel, _ in main_path(shape, before, width, stride):
            yield kernel
        if projected(shape, before, width, stride):
            yield (1, 1, before, width * shape.expansion)


def network(shape: Shape, types, x, parameters, statistics):
    """Logits, and the batch's own means and variances where `statistics` is None (training mode)."""
    normed_conv, weights, seen = normed_convolutions(types, parameters, statistics)
    x = jax.nn.relu(normed_conv(x, shape.stem[1]))
    if shape.stem[1] == 2:
        low = jnp.asarray(-jnp.inf, x.dtype)
        x = lax.reduce_window(x, low, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), ((0, 0), (1, 1), (1, 1), (0, 0)))
    for before, width, stride in blocks(shape):
        y = x
        path = main_path(shape, before, width, stride)
        for number, (_, here) in enumerate(path):
            y = normed_conv(y, here)
            if number + 1 < len(path):
                y = jax.nn.relu(y)
        x = jax.nn.relu(y + (normed_conv(x, stride) if projected(shape, before, width, stride) else x))
    return jnp.mean(x, (1, 2)) @ next(weights) + next(weights), seen


def counts(shape: Shape) -> tuple[int, int]:
    """Parameter arrays, running statistics."""
    convolutions = len(list(kernels(shape)))
    return 3 * convolutions + 2, 2 * convolutions


def inference(shape: Shape, types, images, *rest):
    count, _ = counts(shape)
    return network(shape, types, images, rest[:count], rest[count:])[0]


def training_step(shape: Shape, types, *arguments):
    """Parameters, velocities, running statistics, images, labels -> the same state after the step, and the loss."""
    count, _ = counts(shape)
    parameters, velocities = arguments[:count], arguments[count : 2 * count]
    running, (images, labels) = arguments[2 * count : -2], arguments[-2:]

    def loss(parameters):
        logits, seen = network(shape, types, images, parameters, None)
        return optimisers.cross_entropy(types, logits, labels), seen

    (value, seen), gradients = jax.value_and_grad(loss, has_aux=True)(parameters)
    parameters, velocities = optimisers.momentum(types, parameters, velocities, gradients, RATE)
    running = [jnp.asarray(0.9, types.narrow) * r + jnp.asarray(0.1, types.narrow) * s for r, s in zip(running, seen)]
    return (*parameters, *velocities, *running, value)


def parameters(shape: Shape) -> list[np.ndarray]:
    arrays = []
    for i, kernel in enumerate(kernels(shape)):
        arrays += [normal(kernel, "resnets", shape.size, i, scale=np.sqrt(2 / (kernel[0] * kernel[1] * kernel[2])))]
        # The last norm of a block starts small, as is usual, so that fifty layers keep the activations in range.
        arrays += [0.5 + normal(kernel[3:], "resnets scale", i, scale=0.1), normal(kernel[3:], "resnets bias", i, scale=0.1)]
    last = shape.stages[-1][1] * shape.expansion
    return arrays + [normal((last, shape.classes), "resnets head", scale=last**-0.5), np.zeros(shape.classes, np.float32)]


def statistics(shape: Shape) -> list[np.ndarray]:
    arrays = []
    for i, kernel in enumerate(kernels(shape)):
        arrays += [normal(kernel[3:], "resnets mean", i, scale=0.1), 1 + np.abs(normal(kernel[3:], "resnets variance", i))]
    return arrays


def images(shape: Shape) -> np.ndarray:
    return normal((shape.batch, shape.size, shape.size, 3), "resnets images", shape.size)


def inference_arguments(shape: Shape) -> list[np.ndarray]:
    return [images(shape), *parameters(shape), *statistics(shape)]


def away_from_zero(shape: Shape, arrays: list[np.ndarray]) -> list[np.ndarray]:
    """The parameters with every norm's bias at four of its scales, on the same side for a channel of all layers of a width.

    Where a relu's input lies within rounding of zero, the order of a sum decides whether its gradient flows. Of the 18
    million relus of a step some ten lie there by chance, and each moves a weight's gradient by 1e-3 of the largest: right
    fp32 runs, XLA:CPU's among them, then differ from float64 by more than rounding. Here almost none does: a channel is
    on or off but for some 600 of its elements in 18 million, also behind a sum with a shortcut, which has the same side.
    """
    shifted = list(arrays)
    for i in range(1, len(arrays) - 2, 3):
        scale, bias = arrays[i], arrays[i + 1]
        side = generator("resnets side", len(scale)).choice([-4.0, 4.0], len(scale))
        shifted[i + 1] = (bias + side * scale).astype(np.float32)
    return shifted


def training_arguments(shape: Shape) -> list[np.ndarray]:
    labels = generator("resnets labels").integers(0, shape.classes, shape.batch).astype(np.int32)
    start = away_from_zero(shape, parameters(shape))
    # As small as the gradients, so that an error of a gradient shows in the velocity that it is added to.
    velocities = [normal(p.shape, "resnets velocity", i, scale=0.001) for i, p in enumerate(start)]
    return [*start, *velocities, *statistics(shape), images(shape), labels]


def programs() -> list[Program]:
    count, norms = counts(RESNET18)
    return [
        Program("resnet50", functools.partial(inference, RESNET50), functools.partial(inference_arguments, RESNET50), group="full"),
        Program(
            "resnet18_train",
            functools.partial(training_step, RESNET18),
            functools.partial(training_arguments, RESNET18),
            donated=tuple(range(2 * count + norms)),
            group="full",
        ),
    ]
