"""What a model asks for, from its shapes alone: the FLOPs of its contractions, and the bytes that must move.

A multiply-add is two FLOPs. Contractions and convolutions count, elementwise work does not: the share is of the matrix
engine's peak. Attention counts the whole square of scores, since the programs compute it before they mask; a
convolution's taps count at the border too, as is usual. A training step has, for each product of the forward pass, one
for each operand's gradient; where an operand needs none, it counts none.
"""

from __future__ import annotations

import json
import math
import pathlib

BYTES = {"float32": 4, "int32": 4, "bfloat16": 2, "float16": 2, "bool": 1, "uint32": 4, "int8": 1}


def gpt_forward(layers: int, width: int, batch: int, queries: int, keys: int, vocabulary: int) -> int:
    """Multiply-adds of a pre-LN GPT: projections q, k, v, out and a 4x MLP, scores, mixing, and logits of every row."""
    rows = batch * queries
    projections = rows * width * (3 * width + width + 4 * width + 4 * width)
    attention = 2 * rows * keys * width  # scores and mixing, over all heads
    return layers * (projections + attention) + rows * width * vocabulary


def llama_block(batch: int, sequence: int, width: int, heads: int, key_heads: int, size: int, hidden: int) -> int:
    rows = batch * sequence
    projections = rows * width * size * (heads + 2 * key_heads) + rows * heads * size * width
    return projections + 2 * rows * sequence * heads * size + 3 * rows * width * hidden


def convolution(batch: int, out: int, kernel: tuple[int, ...]) -> int:
    """Multiply-adds of a square NHWC convolution whose output is out x out: kernel is [height, width, in, channels]."""
    return batch * out * out * math.prod(kernel)


def resnet_convolutions(shape) -> list[int]:
    """Multiply-adds of each convolution of bench/resnets.py's network, in its order: the stem is the first."""
    import resnets

    size = shape.size // shape.stem[1]
    counts = [convolution(shape.batch, size, (shape.stem[0], shape.stem[0], 3, shape.stages[0][1]))]
    if shape.stem[1] == 2:
        size //= 2  # the pool
    for before, width, stride in resnets.blocks(shape):
        out = size // stride
        here = size
        for kernel, step in resnets.main_path(shape, before, width, stride):
            here //= step
            counts.append(convolution(shape.batch, here, kernel))
        if resnets.projected(shape, before, width, stride):
            counts.append(convolution(shape.batch, out, (1, 1, before, width * shape.expansion)))
        size = out
    return counts


def resnet_head(shape) -> int:
    return shape.batch * shape.stages[-1][1] * shape.expansion * shape.classes


def mlp_forward(widths: tuple[int, ...], batch: int) -> list[int]:
    """Multiply-adds of each layer."""
    return [batch * a * b for a, b in zip(widths, widths[1:])]


def gpt_of(shape, queries: int, keys: int) -> int:
    return gpt_forward(shape.layers, shape.width, shape.batch, queries, keys, shape.vocabulary)


def multiply_adds(model: str) -> int:
    """Of one run of a benchmark model."""
    import mlp
    import resnets
    import transformers as t

    if model in ("gpt2_prefill", "gpt2_prefill_bf16"):
        return gpt_of(t.GPT2_SMALL, t.GPT2_SMALL.sequence, t.GPT2_SMALL.sequence)
    if model == "gpt2_decode":
        return gpt_of(t.GPT2_DECODE, 1, t.GPT2_DECODE.positions)
    if model == "gpt_train":
        return 3 * gpt_of(t.TRAINED, t.TRAINED.sequence, t.TRAINED.sequence)
    if model == "llama_1b":
        s = t.LLAMA_1B
        return llama_block(s.batch, s.sequence, s.width, s.heads, s.key_heads, s.size, s.hidden)
    if model == "resnet50":
        return sum(resnet_convolutions(resnets.RESNET50)) + resnet_head(resnets.RESNET50)
    if model == "resnet18_train":
        counts = resnet_convolutions(resnets.RESNET18)
        return 3 * (sum(counts) + resnet_head(resnets.RESNET18)) - counts[0]  # no gradient of the images
    if model == "mlp":
        counts = mlp_forward(mlp.WIDTHS, mlp.BATCH)
        return 3 * sum(counts) - counts[0]
    raise KeyError(f"no formula for {model}")


def flops(model: str) -> int:
    return 2 * multiply_adds(model)


def size_bytes(described: dict) -> int:
    return math.prod(described["shape"]) * BYTES[described["type"]]


def bytes_once(meta: dict) -> int:
    """Each input read once and each output written once. A decode step writes one position of each donated cache."""
    read = sum(size_bytes(i) for i in meta["inputs"])
    written = sum(size_bytes(o) for o in meta["outputs"])
    if meta["name"] == "gpt2_decode":
        caches = meta["outputs"][: len(meta["donated"])]
        written -= sum(size_bytes(c) - size_bytes(c) // c["shape"][2] for c in caches)
    return read + written


def bytes_of_weights_and_caches(meta: dict) -> int:
    return sum(size_bytes(i) for i in meta["inputs"])


def meta_of(folder: pathlib.Path) -> dict:
    return json.loads((folder / "meta.json").read_text())
