"""What a test program is: a JAX function, its arguments, and the float types it computes in."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any, Callable, Sequence

import numpy as np


@dataclasses.dataclass(frozen=True)
class Types:
    """The float types a program computes in. The float64 reference runs the same function with both set to float64.

    narrow  parameters, activations and the operands of contractions
    wide    what the program itself widens to (softmax and norms of a bfloat16 model); equal to narrow in fp32 models
    """

    narrow: Any
    wide: Any

    @staticmethod
    def named(name: str) -> "Types":
        import jax.numpy as jnp

        single = {"float32": jnp.float32, "float16": jnp.float16, "float64": jnp.float64}
        if name in single:
            return Types(single[name], single[name])
        if name == "bfloat16":
            return Types(jnp.bfloat16, jnp.float32)
        raise ValueError(f"unknown float type {name}")


@dataclasses.dataclass
class Program:
    """One program to export.

    function   called as function(types, *arguments); the result is an array or a flat tuple of arrays
    arguments  a callable that returns the numpy arrays of one call, in argument order (cheap to hold, made on demand)
    donated    argument numbers whose buffers become outputs: argument donated[i] is taken over by output i
    types      name of the float type, see Types.named
    steps      for programs that run in a loop: a callable returning, per argument, an array with a leading step axis
               for streamed arguments and the initial value for donated ones
    margins    for outputs that are integers or booleans decided by comparing floats: {output number: function}, each
               called like `function` in float64 and returning |a - b| / max(|a|, |b|) of the deciding comparison
    group      "model": every test runs it on every machine; "network": tests sample machines and options and --full runs
               all; "probe": a few ops, one behaviour; "larger": what tests of growth and time compile
    script     file whose content decides whether a cached export is still right (filled in by the loader)
    """

    name: str
    function: Callable[..., Any]
    arguments: Callable[[], Sequence[np.ndarray]]
    donated: tuple[int, ...] = ()
    types: str = "float32"
    steps: Callable[[], Sequence[np.ndarray]] | None = None
    margins: dict[int, Callable[..., Any]] = dataclasses.field(default_factory=dict)
    references: bool = True
    group: str = "network"
    script: str = ""


def generator(*labels: Any) -> np.random.Generator:
    """A generator seeded by its labels alone: the same on every machine and independent of call order."""
    digest = hashlib.sha256(repr(labels).encode()).digest()
    return np.random.default_rng(np.frombuffer(digest, np.uint32))


def normal(shape: Sequence[int], *labels: Any, scale: float = 1.0) -> np.ndarray:
    return (generator(*labels).standard_normal(tuple(shape)) * scale).astype(np.float32)


def cast(array: np.ndarray, types: str) -> np.ndarray:
    """`array` in the narrow type of `types`; integers stay as they are."""
    if array.dtype.kind != "f":
        return array
    if types == "bfloat16":
        import ml_dtypes

        return array.astype(ml_dtypes.bfloat16)
    return array.astype(types)
