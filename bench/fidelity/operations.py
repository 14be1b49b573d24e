"""Tile programs of the operations that docs/fidelity.md compares with measured times: fp32, one core.

Every program moves the bytes and does the arithmetic of the measured kernel; shapes are parameters, so that small ones can
be checked against NumPy.
"""

from __future__ import annotations

from writer import WIDTH, Tile

ROWS = 128
F32 = 4
BANK = 512  # fp32 elements of a PSUM bank


def silu(target: str, m: int, n: int, way: str = "table", pieces: int = 1, rows: int = 1, copies: int = 3) -> str:
    """y = x * sigmoid(x), `rows` tiles of 128 rows at a time, or one in `pieces` pieces.

    way   table: one pass of Scalar, in place; reciprocal: exp and add on Scalar, reciprocal and multiply on Vector
    """
    tile = Tile("silu", target)
    x, y = tile.hbm("input", "x", m, n), tile.hbm("output", "y", m, n)
    width = n // pieces
    held = [tile.sbuf(f"held{piece}", rows * width, copies=copies) for piece in range(pieces)]
    made = held if way == "table" else [tile.sbuf(f"made{piece}", rows * width, copies=copies) for piece in range(pieces)]
    with tile.loop(m // ROWS // rows) as row:
        for piece in range(pieces):
            place = f"{piece * width * F32} + {row}*{rows * ROWS * n * F32}"
            outside, inside = ((ROWS * n * F32, rows), width), ((width * F32, rows), width)
            source, result = held[piece].at(*inside, turn=row), made[piece].at(*inside, turn=row)
            tile.dma(source, x.at(*outside, start=place))
            if way == "table":
                tile.scalar("silu", result, source)
            else:
                tile.scalar("exp", result, source, scale="-1.0")
                tile.scalar("copy", result, result, bias="1.0")
                tile.emit("reciprocal", result, result, engine="Vector")
                tile.vector("multiply", result, result, source)
            tile.dma(y.at(*outside, start=place), result)
    return tile.text()


# Decoupled weight decay (AdamW) at a fixed step.
BETA1, BETA2, EPSILON, RATE, DECAY, STEP = 0.9, 0.999, 1e-8, 1e-3, 0.01, 10


NAMES = ("theta", "gradient", "mean", "square")


def update(tile: Tile, sources, result, parts, reciprocal: str) -> None:
    """A step of (accesses in SBUF, rows, dims, start in HBM) `parts`. Each stage runs over all parts before the next, so that
    Scalar works on one while Vector works on another."""
    for held, rows, dims, place in parts:
        for to, source in zip(held, sources):
            tile.dma(to, source.at(*dims, start=place, rows=rows))
    for (theta, gradient, mean, square, squared), *_ in parts:
        tile.scalar("copy", mean, mean, scale=BETA1)
        tile.scalar("square", squared, gradient, scale=repr((1 - BETA2) ** 0.5))
    for (theta, gradient, mean, square, squared), *_ in parts:
        tile.fused(mean, gradient, "multiply", repr(1 - BETA1), "add", mean)
        tile.fused(square, square, "multiply", BETA2, "add", squared)
    for (theta, gradient, mean, square, squared), *_ in parts:
        tile.scalar("sqrt", square, square, scale=repr(1 / (1 - BETA2**STEP)))
        tile.scalar("copy", square, square, bias=EPSILON)
        if reciprocal == "Scalar":
            tile.scalar("reciprocal", square, square)
    for (theta, gradient, mean, square, squared), rows, dims, place in parts:
        if reciprocal == "Vector":
            tile.emit("reciprocal", square, square, engine="Vector")
        tile.fused(mean, mean, "multiply", repr(RATE / (1 - BETA1**STEP)), "multiply", square)
        tile.fused(theta, theta, "multiply", repr(1 - RATE * DECAY), "subtract", mean)
        tile.dma(result.at(*dims, start=place, rows=rows), theta)


def adamw_rows(target: str, m: int, n: int) -> str:
    """theta after a step, of theta, its gradient and two moments; what is measured writes theta only. 128 rows at a time."""
    tile = Tile("adamw", target)
    sources = [tile.hbm("input", name, m, n) for name in NAMES]
    result = tile.hbm("output", "updated", m, n)
    buffers = [tile.sbuf(name + "_tile", n, copies=2) for name in (*NAMES, "squared")]
    full, rest = divmod(m, ROWS)
    with tile.loop(full) as step:
        held = [buffer.at(n, turn=step) for buffer in buffers]
        update(tile, sources, result, [(held, ROWS, (n,), f"0 + {step}*{ROWS * n * F32}")], "Vector")
    if rest:
        held = [tile.sbuf(name + "_rest", n, partitions=rest).at(n) for name in (*NAMES, "squared")]
        update(tile, sources, result, [(held, rest, (n,), f"{full * ROWS * n * F32}")], "Vector")
    return tile.text()


def adamw(target: str, m: int, n: int, chunk: int) -> str:
    """The same, read as 128 rows of m*n/128 elements, `chunk` elements of each at a time."""
    row = m * n // ROWS
    assert m * n % ROWS == 0 and row % chunk == 0
    parts = next(p for p in (2, 3, 1) if row // chunk % p == 0)
    tile = Tile("adamw", target)
    sources = [tile.hbm("input", name, ROWS, row) for name in NAMES]
    result = tile.hbm("output", "updated", ROWS, row)
    buffers = [[tile.sbuf(f"{name}{part}", chunk, copies=2) for name in (*NAMES, "squared")] for part in range(parts)]
    with tile.loop(row // chunk // parts) as step:
        places = [f"{part * chunk * F32} + {step}*{parts * chunk * F32}" for part in range(parts)]
        held = [[buffer.at(chunk, turn=step) for buffer in part] for part in buffers]
        update(tile, sources, result, [(part, ROWS, (chunk,), place) for part, place in zip(held, places)], "Scalar")
    return tile.text()


def turn(tile: Tile, turned, moved, source, identity, count: int, loop: str) -> None:
    """`count` tiles [128, 128] beside each other in `source` are turned on the PE, by a product with the identity as
    generation 2 does it, into `turned`, a bank of PSUM at a time."""
    width, each = WIDTH[source.kind], min(count, BANK // ROWS)
    with tile.loop(count // each) as group:
        with tile.loop(each) as step:
            start = f"0 + {group}*{each * ROWS * width} + {step}*{ROWS * width}"
            tile.emit("load_stationary", source.at(ROWS, start=start, turn=loop))
            tile.emit("matmul", moved.at(ROWS, start=f"0 + {step}*{ROWS * F32}", turn=group), identity.at(ROWS))
        to = turned.at(each * ROWS, start=f"0 + {group}*{each * ROWS * width}", turn=loop)
        tile.emit("copy", to, moved.at(each * ROWS, turn=group), engine="Vector")


class Product:
    """out = lhs[m, k] rhs[k, n]: what both orders of its loops share."""

    def __init__(self, target: str, m: int, k: int, n: int, type: str, rows: int, banks: int):
        self.tile, self.type, self.width, self.shape = Tile("matmul", target), type, WIDTH[type], (m, k, n)
        hbm = lambda kind, name, *dims, type=type: self.tile.hbm(kind, name, *dims, type=type)
        self.lhs, self.rhs, self.out = hbm("input", "lhs", m, k), hbm("input", "rhs", k, n), hbm("output", "out", m, n, type="f32")
        ones = hbm("input", "identity", ROWS, ROWS)
        sbuf = lambda name, elements, copies=1, type=type: self.tile.sbuf(name, elements, type, copies)
        self.identity, self.rows = sbuf("ones", ROWS), sbuf("rows", k, 2)
        self.turned = [sbuf(f"turned{r}", k, 2 if rows == 1 else 1) for r in range(rows)]
        self.first, self.others = sbuf("first", banks * BANK, 2), sbuf("others", banks * BANK, 4)
        self.made = sbuf("made", banks * BANK, 2, "f32")
        self.moved = self.tile.psum("moved", BANK, copies=2)
        copies = 2 if rows * banks <= 3 else 1
        self.sums = [[self.tile.psum(f"sum{r}_{b}", BANK, copies=copies) for b in range(banks)] for r in range(rows)]
        self.tile.dma(self.identity.at(ROWS), ones.at(ROWS))

    def load_rows(self, r: int, place: str, loop: str) -> None:
        k = self.shape[1]
        self.rows_loop = loop
        self.tile.dma(self.rows.at(k, turn=loop), self.lhs.at(k, start=place))
        turn(self.tile, self.turned[r], self.moved, self.rows, self.identity, k // ROWS, loop)

    def contract(self, place: str, loop: str) -> None:
        """sums = the product of the turned rows and the columns of rhs from `place` on."""
        wide = len(self.sums[0]) * BANK

        def step(held, at, loop_of_held, more):
            self.tile.dma(held.at(wide, turn=loop_of_held), self.rhs.at(wide, start=f"{at(ROWS * self.rhs.pitch)} + {place}"))
            for turned, banks in zip(self.turned, self.sums):
                self.tile.emit("load_stationary", turned.at(ROWS, start=at(ROWS * self.width), turn=self.rows_loop))
                for b, bank in enumerate(banks):
                    moving = held.at(BANK, start=f"{b * BANK * self.width}", turn=loop_of_held)
                    self.tile.emit("matmul", bank.at(BANK, turn=loop), moving, accumulate=more)

        step(self.first, lambda size: "0", loop, False)
        with self.tile.loop(self.shape[1] // ROWS - 1) as inner:
            step(self.others, lambda size: f"{size} + {inner}*{size}", inner, True)

    def store(self, places, loop: str) -> None:
        for banks, place in zip(self.sums, places):
            for b, bank in enumerate(banks):
                to = self.made.at(BANK, start=f"{b * BANK * F32}", turn=loop)
                self.tile.emit("copy", to, bank.at(BANK, turn=loop), engine=("Vector", "Scalar")[b % 2])
            wide = len(banks) * BANK
            self.tile.dma(self.out.at(wide, start=place), self.made.at(wide, turn=loop))


def matmul_columns(target: str, m: int, k: int, n: int, wide: int = 1024) -> str:
    """`wide` columns at a time: lhs is read and turned for each, rhs is read for every 128 rows."""
    p = Product(target, m, k, n, "f32", 1, wide // BANK)
    with p.tile.loop(n // wide) as column, p.tile.loop(m // ROWS) as row:
        p.load_rows(0, f"0 + {row}*{ROWS * k * F32}", row)
        p.contract(f"{column}*{wide * F32}", row)
        p.store([f"0 + {column}*{wide * F32} + {row}*{ROWS * n * F32}"], row)
    return p.tile.text()


def matmul_rows(target: str, m: int, k: int, n: int, block: int, type: str = "f32") -> str:
    """`block` tiles of 128 rows at a time: lhs is read and turned once, rhs is read for every block."""
    p = Product(target, m, k, n, type, block, 1)
    with p.tile.loop(m // ROWS // block) as row:
        for r in range(block):
            p.load_rows(r, f"{r * ROWS * k * p.width} + {row}*{block * ROWS * k * p.width}", row)
        with p.tile.loop(n // BANK) as column:
            p.contract(f"{column}*{BANK * p.width}", column)
            rest = f"{column}*{BANK * F32} + {row}*{block * ROWS * n * F32}"
            p.store([f"{r * ROWS * n * F32} + {rest}" for r in range(block)], column)
    return p.tile.text()


def bmm(target: str, batch: int, m: int, k: int, n: int, block: int = 1) -> str:
    """out[b] = lhs[b, m, k] rhs[b, k, n], k at most 128: `block` tiles of lhs are turned, then multiplied."""
    tile = Tile("bmm", target)
    lhs = tile.hbm("input", "lhs", batch * m, k)
    rhs = tile.hbm("input", "rhs", batch * k, n)
    out = tile.hbm("output", "out", batch * m, n)
    ones = tile.hbm("input", "identity", ROWS, ROWS)
    identity = tile.sbuf("ones", ROWS)
    right = tile.sbuf("right", n, copies=2, partitions=k)
    left, turned = tile.sbuf("left", block * k, copies=2), tile.sbuf("turned", block * ROWS, copies=2, partitions=k)
    moved = tile.psum("moved", ROWS, copies=2, partitions=k)
    sums = [tile.psum(f"sum{i}", BANK) for i in range(4)]
    made = tile.sbuf("made", n, copies=2)
    tile.dma(identity.at(ROWS), ones.at(ROWS))
    with tile.loop(batch) as b:
        tile.dma(right.at(n, turn=b), rhs.at(n, rows=k, start=f"0 + {b}*{k * n * F32}"))
        with tile.loop(m // ROWS // block) as group:
            step = ROWS * k * F32
            place = f"0 + {b}*{m * k * F32} + {group}*{block * step}"
            tile.dma(left.at((k * F32, block), k, turn=group), lhs.at((step, block), k, start=place))
            with tile.loop(block) as t:
                tile.emit("load_stationary", left.at(k, start=f"0 + {t}*{k * F32}", turn=group))
                tile.emit("matmul", moved.at(ROWS, turn=t), identity.at(ROWS))
                tile.emit("copy", turned.at(ROWS, start=f"0 + {t}*{ROWS * F32}", turn=group), moved.at(ROWS, turn=t), engine="Vector")
            with tile.loop(block) as t:
                for column in range(n // BANK):
                    place = {"start": f"{column * BANK * F32}"}
                    to = sums[column % len(sums)].at(BANK)
                    tile.emit("load_stationary", turned.at(ROWS, start=f"0 + {t}*{ROWS * F32}", turn=group))
                    tile.emit("matmul", to, right.at(BANK, turn=b, **place))
                    tile.emit("copy", made.at(BANK, turn=t, **place), to, engine=("Scalar", "Vector")[column % 2])
                place = f"0 + {b}*{m * n * F32} + {group}*{block * ROWS * n * F32} + {t}*{ROWS * n * F32}"
                tile.dma(out.at(n, start=place), made.at(n, turn=t))
    return tile.text()
