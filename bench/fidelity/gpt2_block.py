"""A block of GPT-2-small (pre-LN, causal attention, bf16), scheduled by hand for one core of trn2.

What the machine rewards: weights, activations and everything between stay in SBUF; loads are issued first, in the order of
use; the PE's rows, columns and 512 moving columns are full; the PE never waits for a softmax, because the head it
multiplies is not the head that Scalar and Vector work on.

  layer norm      tokens on partitions; scale and bias ride on the copy of the turned tile, where they are one number a row
  q, k            [head size, tokens], two heads on the 128 partitions; v [tokens, head size], its bias added after the mix
                  (the weights of a softmax add up to 1)
  scores          [queries, keys]; the mask is added by the PE (identity x mask), so the maximum reads PSUM once
  softmax         exp(scale * score - scale * maximum) with its sum on Scalar, one multiply at Vector's fast rate
  mix             the weights are turned on the PE; out [head size, queries], again two heads on the partitions
  second half     in halves of the tokens, so that norms of one half run while the PE multiplies the other
"""

from __future__ import annotations

import dataclasses

from writer import Tile

P = 128
NONE = -1e9  # what the mask puts in place of an invisible score
EPSILON = 1e-5


@dataclasses.dataclass(frozen=True)
class Shape:
    tokens: int = 512
    width: int = 768
    heads: int = 12

    @property
    def size(self) -> int:
        return self.width // self.heads


class Pool:
    """Buffers used in turn."""

    def __init__(self, buffers):
        self.buffers, self.next = buffers, 0

    def take(self):
        self.next += 1
        return self.buffers[(self.next - 1) % len(self.buffers)]


class Block:
    def __init__(self, shape: Shape, target: str, skip: bool):
        self.shape, self.skip = shape, skip
        self.tile = Tile("gpt2_block", target)
        self.tiles, self.chunks = shape.tokens // P, shape.width // P  # of tokens; of the width
        self.declare()

    def sbuf(self, name, elements, type="bf16"):
        return self.tile.sbuf(name, elements, type)

    def each(self, name, count, elements, type="bf16"):
        return [self.sbuf(f"{name}{i}", elements, type) for i in range(count)]

    def banks(self, name, count, elements, type="f32"):
        return Pool([self.tile.psum(f"{name}{i}", elements, type) for i in range(count)])

    def declare(self):
        s, tile = self.shape, self.tile
        hbm = lambda n, *dims: tile.hbm("input", f"input{n}", *dims, type="bf16")
        width, hidden = s.width, 4 * s.width
        self.source = hbm(0, s.tokens, width)
        vectors = {1: width, 2: width, 4: 3 * width, 6: width, 7: width, 8: width, 10: hidden, 12: width}
        self.vectors = {n: hbm(n, length) for n, length in vectors.items()}
        self.weights = {3: hbm(3, width, 3 * width), 5: hbm(5, width, width), 9: hbm(9, width, hidden), 11: hbm(11, hidden, width)}
        self.result = tile.hbm("output", "output0", s.tokens, width, type="bf16")

        self.x = self.each("x", self.tiles, width)
        self.y = self.each("y", self.tiles, width)
        self.normal = self.each("normal", self.tiles, width)
        self.turned = self.each("turned", self.chunks, s.tokens)
        self.q, self.k = self.each("q", self.chunks, s.tokens), self.each("k", self.chunks, s.tokens)
        self.v = self.each("v", self.tiles, width)
        self.mixed = self.each("mixed", self.chunks, s.tokens)
        self.hidden = self.each("hidden", hidden // P, s.tokens)
        self.p = Pool(self.each("weights", 3, self.tiles * s.tokens))
        self.pt = Pool(self.each("weights_turned", 3, self.tiles * s.tokens))
        self.w_qkv, self.w_out = self.each("w_qkv", self.chunks, 3 * width), self.each("w_out", self.chunks, width)
        self.w_up, self.w_down = self.each("w_up", self.chunks, hidden), self.each("w_down", hidden // P, width)
        self.wide = self.banks("wide", 2, 512)
        self.scored = self.banks("scored", 3, 512)
        flipped = self.banks("flipped", 2, 1024, "bf16").buffers
        self.flipped = Pool([bank.part(base) for bank in flipped for base in (0, 1024)])
        self.mix = self.banks("mix", 1, 512)
        self.small = Pool(self.each("small", 48, 4, "f32"))

    # ---- loads and constants

    def load(self):
        s, tile = self.shape, self.tile
        row = s.width * 2
        # Vectors that are needed one number a partition: rows of 128, turned together.
        columns = [(1, s.width), (2, s.width), (4, 3 * s.width), (7, s.width), (8, s.width), (10, 4 * s.width)]
        count = sum(length for _, length in columns) // P
        rows = self.sbuf("rows", P)
        self.column = {}
        for t in range(self.tiles):
            tile.dma(self.x[t].at(s.width), self.source.at(s.width, start=t * P * row))
        first = 0
        for n, length in columns:
            tile.dma(rows.at(P, first=first, rows=length // P), self.vectors[n].at(P, rows=length // P, pitch=2 * P))
            self.column[n] = first
            first += length // P
        for part in range(3):  # q, k, v
            self.split(3, self.w_qkv, part * s.width, s.width)
        wide = {n: self.sbuf(f"row{n}", s.width) for n in (6, 12)}
        for n, to in wide.items():
            tile.dma(to.at(s.width), self.vectors[n].at(s.width, pitch=0))
        self.row = wide
        self.split(5, self.w_out, 0, s.width)
        self.split(9, self.w_up, 0, 4 * s.width)
        self.split(11, self.w_down, 0, s.width)

        places = self.sbuf("places", s.tokens, "f32")  # column minus row
        self.mask, self.identity = self.sbuf("mask", s.tokens), self.sbuf("identity", P)
        tile.emit("iota", places.at(s.tokens), f"pattern[0:{P}*-1, 0, [1,{s.tokens}]]", engine="GpSimd")
        tile.vector_scalar(self.identity.at(P), places.at(P), "equal", "0.0", engine="GpSimd")
        tile.vector_scalar(self.mask.at(s.tokens), places.at(s.tokens), "greater", "0.0", "multiply", repr(NONE * s.size**0.5), engine="GpSimd")
        self.columns = self.sbuf("columns", count, "f32")
        self.rows, self.count = rows, count

    def split(self, n, tiles, first, columns):
        pitch = self.weights[n].pitch
        for i, to in enumerate(tiles):
            self.tile.dma(to.at(columns, start=2 * first), self.weights[n].at(columns, start=i * P * pitch + 2 * first))

    def turn_vectors(self):
        flipped = self.flipped.take()
        self.tile.emit("transpose", flipped.at(self.count), self.rows.at(P, rows=self.count))
        self.tile.emit("copy", self.columns.at(self.count), flipped.at(self.count), engine="Vector")

    def number(self, n, chunk):
        """Chunk `chunk` of vector n, one number a partition."""
        return self.columns.at(start=4 * (self.column[n] + chunk))

    # ---- layer norm

    def norm(self, source, tiles):
        """These tiles of the norm, before scale and bias; statistics of all tiles lie side by side."""
        tile, width, count = self.tile, self.shape.width, len(tiles)
        total, mean, squares, rate = (self.small.take() for _ in range(4))
        data = [source[t].at(width) for t in tiles]
        out = [self.normal[t].at(width) for t in tiles]
        one = lambda buffer, n: buffer.at(start=4 * n)
        for n in range(count):
            if n % 2 == 0:
                tile.emit("tensor_reduce", one(total, n), data[n], op="add", axes=1, engine="Vector")
            else:  # the copy is not needed, the sum is
                tile.emit("activation_reduce", out[n], one(total, n), data[n], "1.0", "0.0", function="copy")
        tile.vector_scalar(mean.at(count), total.at(count), "multiply", repr(-1 / width))
        for n in range(count):
            tile.emit("activation_reduce", out[n], one(squares, n), data[n], "1.0", one(mean, n), function="square")
        tile.vector_scalar(rate.at(count), squares.at(count), "multiply", repr(1 / width), "add", EPSILON)
        tile.vector_scalar(rate.at(count), rate.at(count), "power", "-0.5")
        for n in range(count):
            tile.vector_scalar(out[n], data[n], "add", one(mean, n), "multiply", one(rate, n))

    def turn_norm(self, tiles, scale, bias):
        """Turns these tiles of the norm; scale and bias ride on the copy."""
        tile, first, span = self.tile, tiles[0], len(tiles)
        for c in range(self.chunks):
            flipped = self.flipped.take()
            for t in tiles:
                tile.emit("transpose", flipped.at(P, start=2 * P * (t - first)), self.normal[t].at(P, start=2 * P * c))
            tile.vector_scalar(self.turned[c].at(span * P, start=2 * P * first), flipped.at(span * P),
                               "multiply", self.number(scale, c), "add", self.number(bias, c))  # fmt: skip

    # ---- products

    def product(self, to, pairs):
        """to = the sum over pairs (stationary, moving)."""
        for i, (held, moving) in enumerate(pairs):
            self.tile.emit("load_stationary", held)
            self.tile.emit("matmul", to, moving, accumulate=i > 0)

    def values(self, t):
        """v of token tile t."""
        s, half = self.shape, self.shape.width // 2
        for part in range(2):
            to = self.wide.take().at(half)
            start = 2 * (2 * s.width + part * half)
            self.product(to, [(self.turned[c].at(P, start=2 * P * t), self.w_qkv[c].at(half, start=start)) for c in range(self.chunks)])
            self.tile.emit("copy", self.v[t].at(half, start=2 * part * half), to, engine=("Scalar", "Vector")[part])

    def project(self, out, which, m):
        """Chunk m of q (which 0) or k (1): two heads."""
        s = self.shape
        to = self.wide.take().at(s.tokens)
        start = 2 * (which * s.width + m * P)
        self.product(to, [(self.w_qkv[c].at(P, start=start), self.turned[c].at(s.tokens)) for c in range(self.chunks)])
        self.tile.scalar("copy", out[m].at(s.tokens), to, bias=self.number(4, which * self.chunks + m))

    # ---- attention, head by head

    def rows_of(self, h):
        return {"first": h * self.shape.size % P, "rows": self.shape.size}

    def keys(self, i):
        """How many keys query tile i multiplies."""
        return P * (i + 1) if self.skip else self.shape.tokens

    def score(self, h, i, p, least, sums):
        """Scores of query tile i, their maximum, exponentials and the sum of those; normalised a step later."""
        s, tile = self.shape, self.tile
        m, n, scale = h * s.size // P, self.keys(i), s.size**-0.5
        to, masked, least, sums = self.scored.take(), n - P * i, least.at(start=4 * i), sums.at(start=4 * i)
        tile.emit("load_stationary", self.q[m].at(P, start=2 * P * i, **self.rows_of(h)))
        tile.emit("matmul", to.at(n), self.k[m].at(n, **self.rows_of(h)))
        tile.emit("load_stationary", self.identity.at(P))
        tile.emit("matmul", to.at(masked, start=4 * P * i), self.mask.at(masked), accumulate=True)
        tile.emit("tensor_reduce", least, to.at(n), op="maximum", axes=1, engine="Vector")
        tile.vector_scalar(least, least, "multiply", repr(-scale))
        tile.emit("activation_reduce", p.at(n, start=2 * s.tokens * i), sums, to.at(n), repr(scale), least, function="exp")

    def normalise(self, p, sums):
        tile, s = self.tile, self.shape
        tile.vector_scalar(sums.at(self.tiles), sums.at(self.tiles), "power", "-1.0")
        for i in range(self.tiles):
            part = p.at(self.keys(i), start=2 * s.tokens * i)
            tile.vector_scalar(part, part, "multiply", sums.at(start=4 * i))

    def flip(self, p, pt, j):
        """Key tile j of a head's weights, keys on partitions."""
        tile, s = self.tile, self.shape
        first = j if self.skip else 0
        flipped = self.flipped.take()
        for i in range(first, self.tiles):
            tile.emit("transpose", flipped.at(P, start=2 * P * i), p.at(P, start=2 * (s.tokens * i + P * j)))
        n = (self.tiles - first) * P
        tile.emit("copy", pt.at(n, start=2 * (s.tokens * j + P * first)), flipped.at(n, start=2 * P * first),
                  engine=("Vector", "Scalar")[j % 2])  # fmt: skip

    def attend(self, h, pt):
        """The mix of head h, [head size, queries]; two heads share a bank."""
        s, place = self.shape, self.rows_of(h)
        both = self.mix.buffers[0]
        for j in range(self.tiles):
            first = j if self.skip else 0
            n = (self.tiles - first) * P
            self.tile.emit("load_stationary", self.v[j].at(s.size, start=2 * s.size * h))
            moving = pt.at(n, start=2 * (s.tokens * j + P * first))
            self.tile.emit("matmul", both.at(n, start=4 * P * first, **place), moving, accumulate=j > 0)
        if place["first"] + s.size == P:
            m = h * s.size // P
            self.tile.vector_scalar(self.mixed[m].at(s.tokens), both.at(s.tokens), "add", self.number(4, 2 * self.chunks + m))

    # ---- second half

    def outward(self, t, tiles, weights, source, result):
        """result = source + tiles^T weights, for token tile t; tokens on partitions."""
        s, tile, half = self.shape, self.tile, self.shape.width // 2
        for part in range(2):
            to = self.second.take().at(half)
            place = {"start": 2 * part * half}
            self.product(to, [(held.at(P, start=2 * P * t), w.at(half, **place)) for held, w in zip(tiles, weights)])
            tile.vector("add", result[t].at(half, **place), to, source[t].at(half, **place))

    def add_row(self, n, to, source):
        """to = source + vector n, for every token tile, where nothing waits for it."""
        for t in range(self.tiles):
            at = to[t].at(self.shape.width), source[t].at(self.shape.width), self.row[n].at(self.shape.width)
            self.tile.emit("tensor_tensor", *at, op="add", engine="GpSimd")

    def upward(self, tiles):
        """The hidden layer of these tiles."""
        first, n = tiles[0], len(tiles) * P
        for m, to in enumerate(self.hidden):
            bank = self.second.take().at(n)
            self.product(bank, [(self.w_up[c].at(P, start=2 * P * m), self.turned[c].at(n, start=2 * P * first)) for c in range(self.chunks)])
            self.tile.scalar("gelu_apprx_tanh", to.at(n, start=2 * P * first), bank, bias=self.number(10, m))

    def attention(self):
        """Step h scores head h, turns the weights of head h - 1 and mixes head h - 2."""
        s = self.shape
        running = {}
        for h in range(s.heads + 2):
            now, last, oldest = running.get(h), running.get(h - 1), running.get(h - 2)
            if last:
                self.normalise(last["p"], last["sums"])
            chunk, which = h * s.size // P + 1, h * s.size % P // s.size
            if chunk < self.chunks and which < 2:
                self.project((self.q, self.k)[which], which, chunk)
            if h < s.heads:
                now = running[h] = {"p": self.p.take(), "pt": self.pt.take(), "least": self.small.take(), "sums": self.small.take()}
            if oldest:
                self.attend(h - 2, oldest["pt"])
            for i in range(self.tiles):
                if now:
                    self.score(h, i, now["p"], now["least"], now["sums"])
                if last:
                    self.flip(last["p"], last["pt"], i)

    def build(self) -> str:
        s, tiles = self.shape, range(self.tiles)
        early, late = tiles[: self.tiles // 2], tiles[self.tiles // 2 :]
        self.load()
        self.norm(self.x, tiles)
        self.add_row(6, self.x, self.x)
        self.turn_vectors()
        self.turn_norm(tiles, 1, 2)
        self.project(self.q, 0, 0)
        self.project(self.k, 1, 0)
        for t in tiles:
            self.values(t)
        self.attention()
        self.second = Pool(self.wide.buffers + self.scored.buffers + self.mix.buffers)
        for t in early:
            self.outward(t, self.mixed, self.w_out, self.x, self.y)
        self.norm(self.y, early)
        for t in late:
            self.outward(t, self.mixed, self.w_out, self.x, self.y)
        self.turn_norm(early, 7, 8)
        self.norm(self.y, late)
        self.upward(early)
        self.turn_norm(late, 7, 8)
        self.upward(late)
        self.add_row(12, self.y, self.y)
        for t in tiles:
            self.outward(t, self.hidden, self.w_down, self.y, self.x)
            self.tile.dma(self.result.at(s.width, start=t * P * s.width * 2), self.x[t].at(s.width))
        return self.tile.text()


def gpt2_block(target: str = "trn2", shape: Shape = Shape(), skip: bool = False) -> str:
    """`skip`: leave out the blocks of keys that no query of a tile may see, which the compiler would have to find out."""
    return Block(shape, target, skip).build()
