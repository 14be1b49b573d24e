"""Tile programs of the operations that docs/fidelity.md compares with measured times: fp32, one core.

Every program moves the bytes and does the arithmetic of the measured kernel; shapes are parameters, so that small ones can
be checked against NumPy.
"""

from __future__ import annotations

from writer import Tile

ROWS = 128
F32 = 4
BANK = 512  # fp32 elements of a PSUM bank


def silu(target: str, m: int, n: int, way: str = "table", pieces: int = 1, ahead: int = 3) -> str:
    """y = x * sigmoid(x), 128 rows at a time, each in `pieces` pieces.

    way   table: one pass of Scalar; reciprocal: exp on Scalar, then add, reciprocal and multiply, as the measured baseline
    """
    tile = Tile("silu", target)
    x, y = tile.hbm("input", "x", m, n), tile.hbm("output", "y", m, n)
    width = n // pieces
    held = tile.sbuf("held", width, copies=ahead)
    made = tile.sbuf("made", width, copies=2)
    with tile.loop(m // ROWS) as row, tile.loop(pieces) as piece:
        turn = row if pieces == 1 else piece
        place = f"0 + {row}*{ROWS * n * F32} + {piece}*{width * F32}"
        source, result = held.at(width, turn=turn), made.at(width, turn=turn)
        tile.dma(source, x.at(width, start=place))
        if way == "table":
            tile.scalar("silu", result, source)
        else:
            tile.scalar("exp", result, source, scale="-1.0")
            tile.scalar("copy", result, result, bias="1.0")
            tile.emit("reciprocal", result, result, engine="Vector")
            tile.vector("multiply", result, result, source)
        tile.dma(y.at(width, start=place), result)
    return tile.text()


# Decoupled weight decay (AdamW) at a fixed step.
BETA1, BETA2, EPSILON, RATE, DECAY, STEP = 0.9, 0.999, 1e-8, 1e-3, 0.01, 10


def adamw(target: str, m: int, n: int, chunk: int, parts: int = 2, reciprocal: str = "vector") -> str:
    """theta after a step, of theta, its gradient and two moments; what is measured writes theta only.

    The tensors are read as 128 rows of m*n/128 elements, `chunk` at a time. Each stage runs over `parts` chunks before the
    next, so that Scalar works on one while Vector works on another. `reciprocal`: the engine that makes it.
    """
    row = m * n // ROWS
    assert m * n % ROWS == 0 and row % (chunk * parts) == 0
    tile = Tile("adamw", target)
    names = ("theta", "gradient", "mean", "square")
    sources = [tile.hbm("input", name, ROWS, row) for name in names]
    result = tile.hbm("output", "updated", ROWS, row)
    buffers = [[tile.sbuf(f"{name}{part}", chunk, copies=2) for name in (*names, "squared")] for part in range(parts)]
    with tile.loop(row // chunk // parts) as step:
        held = [[buffer.at(chunk, turn=step) for buffer in part] for part in buffers]
        places = [f"{part * chunk * F32} + {step}*{parts * chunk * F32}" for part in range(parts)]
        for part, place in zip(held, places):
            for to, source in zip(part, sources):
                tile.dma(to, source.at(chunk, start=place))
        for theta, gradient, mean, square, squared in held:
            tile.scalar("copy", mean, mean, scale=BETA1)
            tile.scalar("square", squared, gradient, scale=repr((1 - BETA2) ** 0.5))
        for theta, gradient, mean, square, squared in held:
            tile.fused(mean, gradient, "multiply", repr(1 - BETA1), "add", mean)
            tile.fused(square, square, "multiply", BETA2, "add", squared)
        for theta, gradient, mean, square, squared in held:
            tile.scalar("sqrt", square, square, scale=repr(1 / (1 - BETA2**STEP)))
            tile.scalar("copy", square, square, bias=EPSILON)
            if reciprocal == "scalar":
                tile.scalar("reciprocal", square, square)
        for (theta, gradient, mean, square, squared), place in zip(held, places):
            if reciprocal == "vector":
                tile.emit("reciprocal", square, square, engine="Vector")
            tile.fused(mean, mean, "multiply", repr(RATE / (1 - BETA1**STEP)), "multiply", square)
            tile.fused(theta, theta, "multiply", repr(1 - RATE * DECAY), "subtract", mean)
            tile.dma(result.at(chunk, start=place), theta)
    return tile.text()


def turn(tile: Tile, turned, moved, source, identity, count: int, columns: int, loop: str) -> None:
    """`count` tiles [128, columns] beside each other in `source` are turned on the PE, by a product with the identity as
    generation 2 does it, into `turned` [columns, count * 128], a bank of PSUM at a time."""
    at_once = BANK // ROWS
    with tile.loop(-(-count // at_once)) as group:
        each = min(count, at_once)
        with tile.loop(each) as step:
            start = f"0 + {group}*{at_once * columns * F32} + {step}*{columns * F32}"
            tile.emit("load_stationary", source.at(columns, start=start, turn=loop))
            tile.emit("matmul", moved.at(ROWS, start=f"0 + {step}*{ROWS * F32}", turn=group), identity.at(ROWS))
        tile.emit("copy", turned.at(each * ROWS, start=f"0 + {group}*{at_once * ROWS * F32}", turn=loop),
                  moved.at(each * ROWS, turn=group), engine="Vector")  # fmt: skip


def matmul(target: str, m: int, k: int, n: int, wide: int = 1024, block: int = 1) -> str:
    """out = lhs[m, k] rhs[k, n]: `wide` columns at a time, and `block` tiles of 128 rows that share each read of rhs.

    lhs is read, and turned on the PE, once for every `wide` columns; rhs once for every block of rows.
    """
    tile = Tile("matmul", target)
    lhs, rhs, out = tile.hbm("input", "lhs", m, k), tile.hbm("input", "rhs", k, n), tile.hbm("output", "out", m, n)
    ones = tile.hbm("input", "identity", ROWS, ROWS)
    steps, banks = k // ROWS, wide // BANK
    identity = tile.sbuf("ones", ROWS)
    rows = tile.sbuf("rows", k, copies=2)
    turned = [tile.sbuf(f"turned{b}", k, copies=2 if block == 1 else 1) for b in range(block)]
    moved = tile.psum("moved", BANK, copies=2)
    columns = tile.sbuf("columns", wide, copies=4)
    first = tile.sbuf("first", wide, copies=2)
    spare = 6 // (block * banks)
    sums = [[tile.psum(f"sum{b}_{s}", BANK, copies=min(spare, 2)) for s in range(banks)] for b in range(block)]
    made = tile.sbuf("made", wide, copies=2)
    tile.dma(identity.at(ROWS), ones.at(ROWS))

    def step(at, source, step_bytes, loop, accumulate):
        tile.dma(at, source)
        for b in range(block):
            tile.emit("load_stationary", turned[b].at(ROWS, start=step_bytes, turn=loop))
            for s in range(banks):
                part = columns if accumulate else first
                start = f"{s * BANK * F32}"
                moving = part.at(BANK, start=start, turn=inner if accumulate else loop)
                tile.emit("matmul", sums[b][s].at(BANK, turn=loop), moving, accumulate=accumulate)

    with tile.loop(n // wide) as column, tile.loop(m // ROWS // block) as row:
        for b in range(block):
            start = f"{b * ROWS * k * F32} + {row}*{block * ROWS * k * F32}"
            loop = row
            tile.dma(rows.at(k, turn=row), lhs.at(k, start=start))
            turn(tile, turned[b], moved, rows, identity, steps, ROWS, row)
        place = f"{column}*{wide * F32}"
        inner = None
        step(first.at(wide, turn=row), rhs.at(wide, start=f"0 + {place}"), "0", row, False)
        with tile.loop(steps - 1) as inner:
            step(columns.at(wide, turn=inner), rhs.at(wide, start=f"{ROWS * n * F32} + {place} + {inner}*{ROWS * n * F32}"),
                 f"{ROWS * F32} + {inner}*{ROWS * F32}", row, True)  # fmt: skip
        for b in range(block):
            for s in range(banks):
                engine = ("Vector", "Scalar")[s % 2]
                tile.emit("copy", made.at(BANK, start=f"{s * BANK * F32}", turn=row), sums[b][s].at(BANK, turn=row), engine=engine)
            tile.dma(out.at(wide, start=f"{b * ROWS * n * F32} + {place} + {row}*{block * ROWS * n * F32}"), made.at(wide, turn=row))
    return tile.text()
