"""Unrolled transformers of about 2,000 and 20,000 StableHLO ops: compile time must grow in proportion."""

from __future__ import annotations

import functools

import gpt
from common import Program

# A layer is about 116 StableHLO ops once private functions are expanded; see export.py, which counts them.
LAYERS = {"unrolled_2k": 17, "unrolled_20k": 172}


def shape(layers: int) -> gpt.Shape:
    return gpt.Shape(layers=layers, width=64, heads=2, batch=1, sequence=64, vocabulary=256, positions=64)


def programs() -> list[Program]:
    return [
        Program(
            name,
            functools.partial(gpt.forward, shape(layers)),
            functools.partial(gpt.forward_arguments, shape(layers), "float32"),
            references=name == "unrolled_2k",
            group="larger",
        )
        for name, layers in LAYERS.items()
    ]
