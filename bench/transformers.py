"""GPT-2-small's prefill and decode step, a GPT training step with AdamW, a Llama block at 1B widths, and a transformer
unrolled to about 200,000 StableHLO ops."""

from __future__ import annotations

import functools

import jax
import numpy as np

import gpt
import llama
import optimisers
import unrolled
from common import Program, generator, normal

GPT2_SMALL = gpt.Shape(layers=12, width=768, heads=12, batch=1, sequence=512, vocabulary=50257, positions=1024)
GPT2_DECODE = gpt.Shape(layers=12, width=768, heads=12, batch=1, sequence=1, vocabulary=50257, positions=512)
FILLED = 511  # the last step of a full cache: every key and value is read
TRAINED = gpt.Shape(layers=4, width=256, heads=4, batch=8, sequence=128, vocabulary=4096, positions=128)
LLAMA_1B = llama.Shape(batch=1, sequence=128, width=2048, heads=32, key_heads=8, size=64, hidden=8192)
RATE = 3e-4


def training_step(shape, count, types, *arguments):
    """Parameters, first moments, second moments, step, tokens [batch, sequence + 1] -> the state after the step, the loss."""
    parameters, means, squares = (list(arguments[i * count : (i + 1) * count]) for i in range(3))
    step, tokens = arguments[3 * count :]

    def loss(parameters):
        logits = gpt.forward(shape, types, tokens[:, :-1], *parameters)
        return optimisers.cross_entropy(types, logits, tokens[:, 1:])

    value, gradients = jax.value_and_grad(loss)(parameters)
    parameters, means, squares = optimisers.adamw(types, parameters, means, squares, gradients, step, RATE)
    return (*parameters, *means, *squares, step + 1, value)


def training_arguments(shape, types) -> list[np.ndarray]:
    parameters = gpt.parameters(shape, types)
    means = [normal(p.shape, "gpt_train mean", i, scale=1e-3) for i, p in enumerate(parameters)]
    squares = [normal(p.shape, "gpt_train square", i, scale=1e-3) ** 2 for i, p in enumerate(parameters)]
    tokens = generator("gpt_train tokens").integers(0, shape.vocabulary, (shape.batch, shape.sequence + 1)).astype(np.int32)
    return [*parameters, *means, *squares, np.array(10, np.int32), tokens]


def training_program() -> Program:
    count = 2 + gpt.PER_LAYER * TRAINED.layers + 2
    return Program(
        "gpt_train",
        functools.partial(training_step, TRAINED, count),
        functools.partial(training_arguments, TRAINED, "float32"),
        donated=tuple(range(3 * count + 1)),
        group="full",
    )


def programs() -> list[Program]:
    result = [training_program()]
    for types, suffix in (("float32", ""), ("bfloat16", "_bf16")):
        result.append(
            Program(
                f"gpt2_prefill{suffix}",
                functools.partial(gpt.forward, GPT2_SMALL),
                functools.partial(gpt.forward_arguments, GPT2_SMALL, types),
                types=types,
                group="full",
            )
        )
    result.append(
        Program(
            "gpt2_decode",
            functools.partial(gpt.decode, GPT2_DECODE),
            functools.partial(gpt.decode_arguments, GPT2_DECODE, "float32", FILLED),
            donated=tuple(range(2 * GPT2_DECODE.layers)),
            group="full",
        )
    )
    result.append(
        Program(
            "llama_1b",
            functools.partial(llama.block, LLAMA_1B),
            functools.partial(llama.arguments, LLAMA_1B, "bfloat16"),
            types="bfloat16",
            group="full",
        )
    )
    deep = unrolled.shape(1720)
    result.append(
        Program(
            "unrolled_200k",
            functools.partial(gpt.forward, deep),
            functools.partial(gpt.forward_arguments, deep, "float32"),
            references=False,
            group="full",
        )
    )
    return result
