"""Writes tile text (docs/tile.md): the few lines that the programs of this folder share."""

from __future__ import annotations

import contextlib
import copy
import math

WIDTH = {"f32": 4, "bf16": 2, "i32": 4, "i1": 1}


class Access:
    """Part of a buffer: `rows` partitions from `first` (in HBM rows `pitch` bytes apart), from byte `start`, then free dims."""

    def __init__(self, name, start, dims, rows, first, pitch, kind):
        self.name, self.start, self.dims, self.kind = name, start, dims, kind
        self.rows, self.first, self.pitch = rows, first, pitch

    def __str__(self):
        pitch = f"*{self.pitch}" if self.pitch is not None else ""
        dims = "".join(f", [{stride},{count}]" for stride, count in self.dims)
        return f"%{self.name}[{self.first}:{self.first + self.rows}{pitch}, {self.start}{dims}]: {self.kind}"


class Buffer:
    def __init__(self, name: str, kind: str, partitions: int, copies: int = 1, pitch: int | None = None):
        self.name, self.kind, self.partitions, self.copies, self.pitch = name, kind, partitions, copies, pitch
        self.base = 0  # bytes before a part's first one

    def part(self, base: int) -> Buffer:
        """The buffer from byte `base` on, for starts that are numbers."""
        part = copy.copy(self)
        part.base = base
        return part

    def at(self, *dims, start="0", rows=None, first=0, turn=None, kind=None, pitch=None) -> Access:
        """`dims`: a number is that many neighbouring elements, a pair is [stride in bytes, count]. `turn`: the loop that
        takes the copies in turn."""
        kind = kind or self.kind
        pairs = [d if isinstance(d, tuple) else (WIDTH[kind], d) for d in dims]
        start = int(start) + self.base if self.base else start
        if turn is not None and self.copies > 1:
            start = f"{start} + rot({turn},{self.copies})"
        return Access(self.name, start, pairs, rows or self.partitions, first, self.pitch if pitch is None else pitch, kind)


class Tile:
    def __init__(self, name: str, target: str):
        self.head, self.declared, self.lines, self.loops, self.indent = f'tile "{name}" target "{target}" {{', [], [], 0, "    "

    def hbm(self, kind: str, name: str, *shape: int, type: str = "f32", extra: str = "") -> Buffer:
        self.declared.append(f"  %{name} = private_hbm {kind} {type}[{','.join(map(str, shape))}]{extra}")
        return Buffer(name, type, 128, pitch=math.prod(shape[1:]) * WIDTH[type])

    def chip(self, space: str, name: str, elements: int, type: str = "f32", copies: int = 1, partitions: int = 128) -> Buffer:
        turn = f" copies={copies}" if copies > 1 else ""
        self.declared.append(f"  %{name} = {space} partitions={partitions} bytes={elements * WIDTH[type]}{turn}")
        return Buffer(name, type, partitions, copies)

    def sbuf(self, *args, **kwargs) -> Buffer:
        return self.chip("sbuf", *args, **kwargs)

    def psum(self, *args, **kwargs) -> Buffer:
        return self.chip("psum", *args, **kwargs)

    @contextlib.contextmanager
    def loop(self, count: int):
        name = f"L{self.loops}"
        self.loops += 1
        self.lines.append(f"{self.indent}loop_begin {name}, {count}")
        self.indent += "  "
        yield name
        self.indent = self.indent[:-2]
        self.lines.append(f"{self.indent}loop_end {name}")

    def emit(self, mnemonic: str, *operands, **attributes) -> None:
        """An instruction; an attribute that is True stands by its bare name."""
        words = "".join(f" {k}" if v is True else f" {k}={v}" for k, v in attributes.items() if v is not False)
        self.lines.append(f"{self.indent}{mnemonic} {', '.join(str(o) for o in operands)}{words}")

    # The forms that most programs need.
    def dma(self, to, source) -> None:
        self.emit("dma", to, source, "none", indirect=0)

    def scalar(self, function, to, data, scale="1.0", bias="0.0") -> None:
        self.emit("activation", to, data, scale, bias, function=function)

    def vector(self, op, to, a, b) -> None:
        self.emit("tensor_tensor", to, a, b, op=op, engine="Vector")

    def vector_scalar(self, to, data, op0, operand0, op1="bypass", operand1="0.0", engine="Vector") -> None:
        self.emit("tensor_scalar", to, data, operand0, operand1, op0=op0, op1=op1, engine=engine)

    def fused(self, to, data, op0, operand0, op1, b) -> None:
        """to = (data op0 operand0) op1 b."""
        self.emit("scalar_tensor_tensor", to, data, operand0, b, op0=op0, op1=op1, engine="Vector")

    def text(self) -> str:
        body = [self.head, *self.declared, f"  core 0 loops={self.loops} {{", *self.lines, "  }", "}"]
        return "\n".join(body) + "\n"
