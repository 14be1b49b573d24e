"""Measured times of kernels that others published, and the tile programs of ours that stand beside them.

A   AccelOpt (NKIBench kernels and their profile table; Apache-2.0): trn1, one core, fp32: times, exact bytes and FLOPs
B   kda-for-trainium, 31 July 2026 (facts with attribution): trn2: variants of the same operations; only their order is used,
    since the absolute times are about twice as fast as one core allows
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Callable

import operations as op

SILU, ADAMW, BMM, MATMUL = (4096, 7168), (10944, 2048), (16, 4096, 64, 4096), (4096, 5120, 12288)


@dataclasses.dataclass(frozen=True)
class Row:
    """A row of A. Bytes and FLOPs follow from the shapes: `counts` says how.

    flops   hardware FLOPs: fp32 counts twice the arithmetic; `turning` is the part that turns tiles
    """

    name: str
    shapes: tuple[tuple[int, ...], ...]
    baseline_ms: float
    best_ms: float
    plain: Callable[[str], str]
    scheduled: Callable[[str], str]
    read: int
    written: int
    flops: int
    turning: int
    spilled: tuple[float, float]  # MB read and written that A counts as spills
    busy: tuple[float, float]  # Scalar, Vector: fractions of the baseline's time
    counts: str


def partial(function, *arguments, **named):
    return lambda target: function(target, *arguments, **named)


def row(name, shapes, plain, scheduled, **rest) -> Row:
    return Row(name, shapes, plain=plain, scheduled=scheduled, **rest)


_theta = 4 * ADAMW[0] * ADAMW[1]
_b, _bm, _bk, _bn = BMM
_m, _k, _n = MATMUL
_identity = 4 * 128 * 128
_turn = 2 * 2 * 128 * 128  # hardware FLOPs for each row of a turned tile

ROWS = (
    row(
        "adamw 10944 x 2048", (ADAMW,) * 4, partial(op.adamw_rows, *ADAMW), partial(op.adamw, *ADAMW, 1824),
        baseline_ms=2.000, best_ms=1.888, read=4 * _theta, written=_theta, flops=0, turning=0,
        spilled=(0, 0), busy=(0.616, 0.900),
        counts="theta, gradient and both moments read once; theta alone written",
    ),
    row(
        "bmm 16 x 4096 x 64 x 4096", ((_b, _bm, _bk), (_b, _bk, _bn)), partial(op.bmm, *BMM, 1), partial(op.bmm, *BMM, 16),
        baseline_ms=4.611, best_ms=4.333, read=4 * _b * _bk * (_bm + _bn) + _identity, written=4 * _b * _bm * _bn,
        flops=2 * 2 * _b * _bm * _bk * _bn + _b * _bm // 128 * _bk * _turn, turning=_b * _bm // 128 * _bk * _turn,
        spilled=(33.8, 12.6), busy=(0.373, 0.0),
        counts="each operand read once, the result written once; lhs is turned once",
    ),
    row(
        "matmul 4096 x 5120 x 12288", ((_m, _k), (_k, _n)), partial(op.matmul_columns, *MATMUL), partial(op.matmul_columns, *MATMUL),
        baseline_ms=35.200, best_ms=35.3, read=4 * (12 * _m * _k + 32 * _k * _n) + _identity, written=4 * _m * _n,
        flops=2 * 2 * _m * _k * _n + 12 * _m // 128 * _k * _turn, turning=12 * _m // 128 * _k * _turn,
        spilled=(0, 0), busy=(0.068, 0.0),
        counts="1024 columns at a time: lhs read and turned 12 times, rhs read for each of 32 tiles of rows",
    ),
    row(
        "silu 4096 x 7168", (SILU,), partial(op.silu, *SILU, way="reciprocal", copies=2), partial(op.silu, *SILU),
        baseline_ms=1.333, best_ms=0.798, read=4 * SILU[0] * SILU[1], written=4 * SILU[0] * SILU[1], flops=0, turning=0,
        spilled=(0, 0), busy=(0.315, 0.739),
        counts="read once, written once",
    ),
)  # fmt: skip


def sweep(function, shape, *cases):
    """(what, B's milliseconds, program) for each (what, milliseconds, arguments) of a sweep."""
    return [(what, ms, functools.partial(partial, function)(*shape, **arguments)) for what, ms, arguments in cases]


# B's variants whose idea is a tile program here: trn2, raw milliseconds.
RANKS = {
    "silu": sweep(
        op.silu, SILU,
        ("full rows", 0.3009, {}), ("2 tiles of rows a transfer", 0.3350, {"rows": 2}),
        ("4 tiles of rows a transfer", 0.3971, {"rows": 4, "copies": 1}), ("rows in 2 pieces", 0.3001, {"pieces": 2}),
        ("rows in 4 pieces", 0.2981, {"pieces": 4}), ("rows in 7 pieces", 0.2940, {"pieces": 7}),
        ("rows in 8 pieces", 0.3105, {"pieces": 8}), ("one tile after the other", 0.5889, {"copies": 1}),
    ),
    "adamw": sweep(
        op.adamw, ADAMW,
        *((f"chunks of {chunk}", ms, {"chunk": chunk}) for chunk, ms in (
            (512, 0.7768), (576, 0.5839), (608, 0.5860), (684, 0.6390), (768, 0.7517), (912, 0.5606), (1024, 0.5921),
            (1152, 0.6834), (1216, 0.5601), (1368, 0.5825), (1536, 0.6515), (1824, 0.5474), (2304, 0.6105))),
    ),
    "matmul": sweep(
        op.matmul_rows, MATMUL,
        ("1 tile of rows", 15.8853, {"block": 1}), ("2 tiles of rows", 13.808, {"block": 2}),
        ("4 tiles of rows", 13.352, {"block": 4}), ("8 tiles of rows", 14.021, {"block": 8}),
        ("bf16, 4 tiles of rows", 3.6908, {"block": 4, "type": "bf16"}),
    ),
    "bmm": sweep(
        op.bmm, BMM,
        ("turned one by one", 3.8477, {"block": 1}), ("turned 8 at a time", 3.4920, {"block": 8}),
        ("turned 16 at a time", 3.1046, {"block": 16}), ("turned 32 at a time", 2.0353, {"block": 32}),
    ),
}  # fmt: skip
