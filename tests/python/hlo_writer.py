"""Writes HloModuleProtos by hand, field by field: what the tests of the reader need beyond what JAX exports."""

from __future__ import annotations

import re
import struct

PRIMITIVE = dict(
    pred=1, s8=2, s16=3, s32=4, s64=5, u8=6, u16=7, u32=8, u64=9, f16=10, f32=11, f64=12, opaque=14, c64=15, bf16=16, token=17, c128=18,
    f8e5m2=19, f8e4m3fn=20, s4=21, u4=22, s2=26, u2=27, f4e2m1fn=32, f8e8m0fnu=33, buffer=34,
)  # fmt: skip


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number: int, value) -> bytes:
    """An integer or boolean is a varint, a float fixed32, text and bytes have a length, a list repeats the field."""
    if isinstance(value, list):
        return b"".join(field(number, item) for item in value)
    if isinstance(value, (bool, int)):
        return varint(number << 3) + varint(int(value))
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def message(**fields) -> bytes:
    """message(_1=..., _7=...): the numbers are the fields'."""
    return b"".join(field(int(name[1:]), value) for name, value in fields.items())


def packed(numbers) -> bytes:
    return b"".join(varint(n) for n in numbers)


def shape(text: str) -> bytes:
    """`f32[2,3]`, `f32[2,3]{0,1}`, `f32[<=4]` (a bounded dynamic dimension), `(f32[], s32[2])`, `token[]`."""
    data, rest = _shape(text.replace(" ", ""))
    assert rest == "", text
    return data


def _shape(text: str):
    if text.startswith("("):
        out, text = field(2, 13), text[1:]
        while not text.startswith(")"):
            member, text = _shape(text)
            out += field(4, member)
            text = text.removeprefix(",")
        return out, text[1:]
    found = re.match(r"(\w+)\[([^\]]*)\](\{([\d,]*)(:T[^}]*)?\})?", text)
    name, sizes, braces, order, tiles = found.groups()
    dims = [d for d in sizes.split(",") if d]
    numbers = [int(d.removeprefix("<=")) for d in dims]
    order = [int(d) for d in order.split(",") if d] if braces else list(range(len(dims)))[::-1]
    out = field(2, PRIMITIVE[name])
    if numbers:
        out += field(3, packed(numbers))
    if name == "token":
        return out, text[found.end() :]
    out += field(5, (field(1, packed(order)) if order else b"") + (field(6, message(_1=packed([8, 128]))) if tiles else b""))
    if any(d.startswith("<=") for d in dims):
        out += field(6, packed([d.startswith("<=") for d in dims]))
    return out, text[found.end() :]


class Computation:
    """Instructions in the order in which they are added; `add` returns the id."""

    def __init__(self, name: str, number: int, first_id: int = 1):
        self.name, self.number, self.next_id = name, number, first_id
        self.records: list[bytes] = []
        self.shapes: dict[int, bytes] = {}
        self.parameters: dict[int, int] = {}
        self.root = 0

    def add(self, opcode: str, of: str | None, *operands: int, id: int | None = None, calls=(), more: bytes = b"") -> int:
        if id is None:
            id, self.next_id = self.next_id, self.next_id + 1
        record = field(1, f"{opcode}.{id}") + field(2, opcode) + (field(3, shape(of)) if of else b"") + field(35, id)
        if operands:
            record += field(36, packed(operands))
        if calls:
            record += field(38, packed(c.number if isinstance(c, Computation) else c for c in calls))
        self.records.append(record + more)
        self.shapes[id] = shape(of) if of else b""
        self.root = id
        return id

    def parameter(self, number: int, of: str, more: bytes = b"", id: int | None = None) -> int:
        id = self.add("parameter", of, id=id, more=field(9, number) + more)
        self.parameters[number] = id
        return id

    def constant(self, of: str, literal: bytes) -> int:
        return self.add("constant", of, more=field(8, field(1, shape(of)) + literal))

    def program_shape(self) -> bytes:
        inputs = [self.shapes[self.parameters[n]] for n in sorted(self.parameters)]
        return field(1, inputs) + field(2, self.shapes.get(self.root, b"")) + field(3, [f"p{n}" for n in sorted(self.parameters)])

    def proto(self) -> bytes:
        return field(1, self.name) + field(2, self.records) + field(4, self.program_shape()) + field(5, self.number) + field(6, self.root)


def module(entry: Computation, *others: Computation, name: str = "m", more: bytes = b"", entry_id: int | None = None, interface: bytes | None = None) -> bytes:
    out = field(1, name) + field(2, entry.name) + field(3, [c.proto() for c in (*others, entry)]) + field(4, entry.program_shape() if interface is None else interface)
    return out + field(6, entry.number if entry_id is None else entry_id) + more


def frontend_attributes(**pairs) -> bytes:
    return field(68, b"".join(field(1, message(_1=k, _2=v)) for k, v in pairs.items()))
