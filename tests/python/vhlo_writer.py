"""Writes MLIR bytecode with VHLO: any version of the container, any op of tests/data/vhlo_table.json.

A module is described with Op, Region and Value; attributes and types with the small constructors below, which say the
wire form field by field. `write` numbers everything and encodes it. Shares no code with the reader under test.
"""
import json
import pathlib
import struct

TABLE = json.loads((pathlib.Path(__file__).resolve().parent.parent / "data/vhlo_table.json").read_text())
NEWEST = TABLE["newest"]
DYNAMIC = -(1 << 63)


def parse_version(text):
    return tuple(int(part) for part in text.split("."))


def bytecode_version(vhlo):
    """The container version that StableHLO uses for a target."""
    v = parse_version(vhlo)
    return 0 if v < (0, 10) else 1 if v < (0, 12) else 3 if v < (0, 14) else 4 if v < (0, 15) else 6


# -- primitives

def varint(value):
    for extra in range(8):
        if value < 1 << (7 * (extra + 1)):
            return ((value << (extra + 1)) | (1 << extra)).to_bytes(extra + 1, "little")
    return b"\0" + value.to_bytes(8, "little")


def zigzag(value):
    return varint(((value << 1) ^ (value >> 63)) & 0xFFFFFFFFFFFFFFFF)


# -- attributes and types. A field is (kind, value).

class Entry:
    """One attribute or type; equal ones are the same object."""
    pool = {}

    def __init__(self, dialect, is_type, code, fields):
        self.dialect, self.is_type, self.code, self.fields = dialect, is_type, code, fields


def entry(dialect, is_type, code, *fields):
    key = (dialect, is_type, code, fields)
    if key not in Entry.pool:
        Entry.pool[key] = Entry(*key)
    return Entry.pool[key]


def U(value): return ("varint", value)
def S(value): return ("zigzag", value)
def A(value): return ("ref", value)
def Str(value): return ("string", value)
def Byte(value): return ("byte", value)
def Blob(value): return ("blob", bytes(value))
def Opt(value): return ("optional", value)
def Many(*fields): return ("list", tuple(fields))
def Word(width, value): return ("word", (width, value & ((1 << width) - 1)))


def battr(code, *fields): return entry("builtin", False, code, *fields)
def vattr(code, *fields): return entry("vhlo", False, code, *fields)
def vtype(code, *fields): return entry("vhlo", True, code, *fields)


SCALARS = {"i1": 0, "bf16": 2, "f16": 3, "f32": 4, "f64": 5, "f8E4M3FN": 6, "f8E5M2": 7, "index": 9, "i4": 10, "i8": 11,
           "i16": 12, "i32": 13, "i64": 14, "ui4": 15, "ui8": 16, "ui16": 17, "ui32": 18, "ui64": 19,
           "f8E4M3FNUZ": 27, "f8E5M2FNUZ": 28, "f8E4M3B11FNUZ": 29, "i2": 31, "ui2": 32, "tf32": 34, "f8E4M3": 35,
           "f8E3M4": 36, "f4E2M1FN": 37, "f6E2M3FN": 38, "f6E3M2FN": 39, "f8E8M0FNU": 40}


def scalar(name):
    if name.startswith("complex<"):
        return vtype(1, A(scalar(name[8:-1])))
    return vtype(SCALARS[name])


def tensor_of(element, shape, bounds=None):
    dims = Many(*[S(DYNAMIC if d is None else d) for d in shape])
    if bounds is None:
        return vtype(20, dims, A(element))
    extension = vattr(18, Many(*[S(DYNAMIC if b is None else b) for b in bounds]))
    return vtype(21, A(extension), dims, A(element))


def parse_type(text):
    """"2x?xf32", "f32", "token", or an entry as it is."""
    if not isinstance(text, str):
        return text
    if text == "token":
        return vtype(22)
    dims = []
    rest = text
    while rest and (rest[0].isdigit() or rest[0] == "?"):
        head, rest = rest.split("x", 1)
        dims.append(None if head == "?" else int(head))
    return tensor_of(scalar(rest), dims)


def tuple_type(*members): return vtype(23, Many(*[A(parse_type(m)) for m in members]))
def future_type(*members): return vtype(42, Many(*[A(parse_type(m)) for m in members]))
def buffer_type(element, shape): return vtype(41, Many(*[S(d) for d in shape]), A(scalar(element)))


def function_type(inputs, outputs):
    return vtype(8, Many(*[A(t) for t in inputs]), Many(*[A(t) for t in outputs]))


NO_TYPE = vattr(17, A(vtype(33)))


def string(text): return vattr(14, Str(text))
def boolean(value): return vattr(2, U(int(value)))
def integer(value, kind="i64"): return vattr(9, A(scalar(kind)), Word(int(kind.lstrip("ui")), value))
def array(items): return vattr(1, Many(*[A(i) for i in items]))
def dictionary(pairs): return vattr(6, Many(*[("pair", (string(k), v)) for k, v in sorted(pairs.items())]))
def type_attr(kind): return vattr(17, A(scalar(kind)))
def float32(value): return vattr(8, A(scalar("f32")), Word(32, struct.unpack("<I", struct.pack("<f", value))[0]))


def double(value): return Word(64, struct.unpack("<Q", struct.pack("<d", value))[0])


def dense(kind, shape, blob): return vattr(15, A(tensor_of(scalar(kind), shape)), Blob(blob))


def ints(values, kind="i64"):
    data = struct.pack(f"<{len(values)}q", *values)
    if len(values) > 1 and len(set(values)) == 1:
        data = data[:8]  # MLIR stores a splat as one element
    return dense(kind, [len(values)], data)


def bools(values):
    if values and len(set(values)) == 1:
        return dense("i1", [len(values)], b"\xff" if values[0] else b"\0")
    return dense("i1", [len(values)], bytes(sum(v << i for i, v in enumerate(values[at:at + 8]))
                                            for at in range(0, len(values), 8)))


def matrix(rows, columns=2):
    flat = [v for row in rows for v in row]
    data = struct.pack(f"<{len(flat)}q", *flat)
    if len(flat) > 1 and len(set(flat)) == 1:
        data = data[:8]
    return dense("i64", [len(rows), columns], data)


def enumerator(name, keyword):
    code = next(int(c) for c, v in TABLE["vhlo_attr_codes"].items() if v[0] == name)
    return vattr(code, U(TABLE["enums"][name].index(keyword)))


def accuracy(mode="DEFAULT", atol=0.0, rtol=0.0, ulps=0):
    return vattr(20, double(atol), double(rtol), S(ulps), A(enumerator("ResultAccuracyMode", mode)))


def alias(output, operand, inner):
    return vattr(10, Many(*[S(v) for v in output]), S(operand), Many(*[S(v) for v in inner]))


def mesh_axes(axes, chosen, device_ids=None):
    """replica groups by mesh: axes [(name, size)], chosen [name or (name, pre_size, size)]."""
    mesh = vattr(25, A(array([vattr(24, A(string(n)), S(s)) for n, s in axes])),
                 U(0) if device_ids is None else Opt(ints(device_ids)))
    refs = []
    for axis in chosen:
        if isinstance(axis, str):
            refs.append(vattr(22, A(string(axis)), U(0)))
        else:
            refs.append(vattr(22, A(string(axis[0])), U(1), A(vattr(21, S(axis[1]), S(axis[2])))))
    return vattr(23, A(mesh), A(array(refs)))


def builtin_string(text): return battr(2, Str(text))
def builtin_dictionary(pairs):
    return battr(1, Many(*[("pair", (builtin_string(k), v)) for k, v in sorted(pairs.items())]))


def builtin_integer(value, width):
    return battr(8, A(entry("builtin", True, 0, U(width << 2))), Word(width, value))


UNKNOWN_LOCATION = battr(15)


def file_location(name, line, column): return battr(11, A(builtin_string(name)), U(line), U(column))
def name_location(name, child=UNKNOWN_LOCATION): return battr(14, A(builtin_string(name)), A(child))
def call_location(callee, caller): return battr(10, A(callee), A(caller))
def fused_location(*parts): return battr(12, Many(*[A(p) for p in parts]))
def range_location(name, *numbers): return battr(22, A(builtin_string(name)), U(len(numbers)), *[U(n) for n in numbers])


# -- programs

class Value:
    def __init__(self, kind):
        self.kind = kind


class Region:
    """One block. `args` are types; `ops` are appended by the maker."""

    def __init__(self, args=()):
        self.args = [Value(parse_type(a)) for a in args]
        self.ops = []

    def add(self, op):
        self.ops.append(op)
        return op.results[0] if len(op.results) == 1 else op.results


class Op:
    def __init__(self, name, operands=(), results=(), attributes=None, regions=(), extra=None, location=UNKNOWN_LOCATION,
                 dialect="vhlo"):
        self.name, self.dialect = name, dialect
        self.operands = list(operands)
        self.results = [Value(parse_type(r)) for r in results]
        self.attributes = attributes or {}
        self.regions = list(regions)
        self.extra = extra or {}
        self.location = location


def function(name, args, results, make, public=True, arg_attrs=None, res_attrs=None, extra=None):
    """A func_v1 whose body `make(region)` fills; make returns the values to return."""
    region = Region(args)
    returned = make(region)
    region.add(Op("return_v1", returned))
    inputs = [a.kind for a in region.args]
    outputs = [parse_type(r) for r in results]
    return Op("func_v1", attributes={
        "arg_attrs": array([dictionary(a) for a in arg_attrs] if arg_attrs else []),
        "function_type": vattr(17, A(function_type(inputs, outputs))),
        "res_attrs": array([dictionary(a) for a in res_attrs] if res_attrs else []),
        "sym_name": string(name),
        "sym_visibility": string("" if public else "private"),
    }, regions=[region], extra=extra)


class Writer:
    """Encodes a module. `shuffle` permutes the sections, `aligned` gives them alignments, `use_lists` adds use-list
    orders, `resources` a list of (key, bytes)."""

    def __init__(self, vhlo, bytecode=None, producer=None, shuffle=None, aligned=False, use_lists=False, resources=()):
        self.vhlo = vhlo
        self.version = bytecode_version(vhlo) if bytecode is None else bytecode
        self.producer = producer if producer is not None else f"StableHLO_v{vhlo}"
        self.shuffle, self.aligned, self.use_lists, self.resources = shuffle, aligned, use_lists, list(resources)
        self.strings, self.string_index = [], {}
        self.entries = {}          # entry -> index, filled after collection
        self.seen = {}
        self.ops, self.properties = {}, {}

    # collection: everything that is referred to, so that indices can be given dialect by dialect
    def collect(self, item):
        if item in self.seen:
            return
        self.seen[item] = None
        for field in item.fields:
            self.collect_field(field)

    def collect_field(self, field):
        kind, value = field
        if kind in ("ref", "optional"):
            self.collect(value)
        elif kind == "pair":
            self.collect(value[0])
            self.collect(value[1])
        elif kind == "list":
            for part in value:
                self.collect_field(part)

    def collect_op(self, op):
        self.ops.setdefault((op.dialect, op.name), None)
        self.collect(op.location)
        for item in self.property_entries(op):
            self.collect(item)
        attributes = self.dictionary_of(op)
        if attributes is not None:
            self.collect(attributes)
        for value in op.results:
            self.collect(value.kind)
        for region in op.regions:
            for value in region.args:
                self.collect(value.kind)
                self.collect(UNKNOWN_LOCATION)
            for inner in region.ops:
                self.collect_op(inner)

    def property_entries(self, op):
        if self.version < 5:
            return []
        return [op.attributes[k] for k in sorted(op.attributes)]

    def dictionary_of(self, op):
        pairs = dict(op.extra)
        if self.version < 5:
            pairs.update(op.attributes)
        return builtin_dictionary(pairs) if pairs else None

    # encoding
    def string(self, text):
        if text not in self.string_index:
            self.string_index[text] = len(self.strings)
            self.strings.append(text)
        return self.string_index[text]

    def field(self, field):
        kind, value = field
        if kind == "varint":
            return varint(value)
        if kind == "zigzag":
            return zigzag(value)
        if kind == "ref":
            return varint(self.entries[value])
        if kind == "optional":
            return varint(self.entries[value] << 1 | 1)
        if kind == "string":
            return varint(self.string(value))
        if kind == "byte":
            return bytes([value])
        if kind == "blob":
            return varint(len(value)) + value
        if kind == "pair":
            return varint(self.entries[value[0]]) + varint(self.entries[value[1]])
        if kind == "list":
            return varint(len(value)) + b"".join(self.field(part) for part in value)
        width, word = value
        if width <= 8:
            return bytes([word])
        return varint(((word << 1) ^ (-(word >> 63) & 0xFFFFFFFFFFFFFFFF)) & 0xFFFFFFFFFFFFFFFF)

    def write(self, ops, module_attributes=None, name=None):
        module = Op("module", dialect="builtin", regions=[Region()], extra=module_attributes or {})
        module.regions[0].ops = list(ops)
        if name is not None and self.version < 5:
            module.extra["sym_name"] = builtin_string(name)
        self.module_name = builtin_string(name) if name is not None and self.version >= 5 else None
        self.collect_op(module)
        if self.module_name:
            self.collect(self.module_name)

        dialects = sorted({e.dialect for e in self.seen} | {d for d, _ in self.ops})
        number = {d: i for i, d in enumerate(dialects)}
        ordered = {False: [], True: []}
        for is_type in (False, True):
            for dialect in dialects:
                ordered[is_type] += [e for e in self.seen if e.dialect == dialect and e.is_type == is_type]
            for index, item in enumerate(ordered[is_type]):
                self.entries[item] = index
        for index, key in enumerate(sorted(self.ops, key=lambda k: number[k[0]])):
            self.ops[key] = index

        payload, offsets = b"", varint(len(ordered[False])) + varint(len(ordered[True]))
        for is_type in (False, True):
            for dialect in dialects:
                group = [e for e in ordered[is_type] if e.dialect == dialect]
                if not group:
                    continue
                offsets += varint(number[dialect]) + varint(len(group))
                for item in group:
                    data = varint(item.code) + b"".join(self.field(f) for f in item.fields)
                    payload += data
                    offsets += varint(len(data) << 1 | 1)

        ir = varint(1 << 1) + self.op(module, {}, 0)
        table = varint(len(dialects))
        for dialect in dialects:
            table += varint(self.string(dialect) << (1 if self.version >= 1 else 0))
        if self.version >= 4:
            table += varint(len(self.ops))
        for dialect in dialects:
            group = sorted((k for k in self.ops if k[0] == dialect), key=lambda k: self.ops[k])
            if not group:
                continue
            table += varint(number[dialect]) + varint(len(group))
            for _, op_name in group:
                table += varint(self.string(op_name) << 1 | 1 if self.version >= 5 else self.string(op_name))

        resource_offsets, resource_data = varint(0), b""
        if self.resources:
            resource_offsets += varint(number["builtin"]) + varint(len(self.resources))
            for key, data in self.resources:
                blob = varint(1) + varint(len(data)) + data
                resource_offsets += varint(self.string(key)) + varint(len(blob)) + b"\0"
                resource_data += blob
        blobs = varint(len(self.properties))
        for blob in self.properties:
            blobs += varint(len(blob)) + blob
        strings = varint(len(self.strings))
        encoded = [s.encode() + b"\0" for s in self.strings]
        strings += b"".join(varint(len(s)) for s in reversed(encoded)) + b"".join(encoded)

        sections = [(1, table), (3, offsets), (2, payload), (4, ir), (6, resource_offsets), (5, resource_data),
                    (0, strings)] + ([(8, blobs)] if self.version >= 5 else [])
        if self.shuffle:
            self.shuffle.shuffle(sections)
        out = b"ML\xefR" + varint(self.version) + self.producer.encode() + b"\0"
        for i, (ident, data) in enumerate(sections):
            alignment = (1 << (i % 5)) if self.aligned and ident != 4 else 0
            if not alignment:
                out += bytes([ident]) + varint(len(data)) + data
                continue
            out += bytes([ident | 0x80]) + varint(len(data)) + varint(alignment)
            out += b"\xcb" * (-len(out) % alignment) + data
        return out

    def op(self, op, scope, base):
        """scope: Value -> id; base: first id behind the enclosing region's."""
        blob = None
        if self.version >= 5:
            if op.dialect == "builtin" and op.name == "module":
                blob = (varint(self.entries[self.module_name] << 1 | 1) if self.module_name else varint(0)) + varint(0)
            elif op.attributes:
                blob = b"".join(varint(self.entries[e]) for e in self.property_entries(op))
        attributes = self.dictionary_of(op)
        orders = self.use_lists and self.version >= 3 and op.results and op.dialect == "vhlo"
        mask = ((1 if attributes is not None else 0) | (2 if op.results else 0) | (4 if op.operands else 0) |
                (16 if op.regions else 0) | (32 if orders else 0) | (64 if blob is not None else 0))
        out = varint(self.ops[(op.dialect, op.name)]) + bytes([mask]) + varint(self.entries[op.location])
        if attributes is not None:
            out += varint(self.entries[attributes])
        if blob is not None:
            out += varint(self.properties.setdefault(blob, len(self.properties)))
        if op.results:
            out += varint(len(op.results)) + b"".join(varint(self.entries[v.kind]) for v in op.results)
        if op.operands:
            out += varint(len(op.operands)) + b"".join(varint(scope[v]) for v in op.operands)
        if orders:
            if len(op.results) != 1:
                out += varint(1) + varint(0)
            out += varint(2 << 1) + varint(1) + varint(0)
        if op.regions:
            isolated = not any(self.captures(r) for r in op.regions)
            out += varint(len(op.regions) << 1 | int(isolated))
            body = b"".join(self.region(r, {} if isolated else scope, 0 if isolated else base) for r in op.regions)
            out += bytes([4]) + varint(len(body)) + body if isolated and self.version >= 2 else body
        return out

    def captures(self, region):
        inside = set(region.args)
        outside = set()
        for op in region.ops:
            outside |= {v for v in op.operands if v not in inside}
            for inner in op.regions:
                outside |= {v for v in self.captures(inner) if v not in inside}
            inside |= set(op.results)
        return outside

    def region(self, region, scope, base):
        scope = dict(scope)
        count = len(region.args) + sum(len(op.results) for op in region.ops)
        out = varint(1) + varint(count) + varint(len(region.ops) << 1 | int(bool(region.args)))
        at = base
        if region.args:
            out += varint(len(region.args))
            for value in region.args:
                scope[value] = at
                at += 1
                kind, where = self.entries[value.kind], varint(self.entries[UNKNOWN_LOCATION])
                out += varint(kind << 1) if self.version >= 4 else varint(kind) + where
            if self.version >= 3:
                out += b"\0"
        for op in region.ops:
            out += self.op(op, scope, base + count)
            for value in op.results:
                scope[value] = at
                at += 1
        return out


def ops_in(version):
    """(name, row) of the table's ops that a writer of `version` uses."""
    v = parse_version(version)
    return [(name, row) for name, row in TABLE["ops"].items()
            if parse_version(row["since"]) <= v <= parse_version(row["until"])]


def versions():
    """Every version at which the table changes, and the last before each change."""
    found = {NEWEST, "0.9.0"}
    for row in TABLE["ops"].values():
        found |= {row["since"], row["until"]}
    return sorted(found, key=parse_version)
