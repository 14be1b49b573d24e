"""Writes tests/fuzz/seeds/bytecode/: small files for the fuzzer and for the tests of the bytecode reader.

usage: vhlo_seeds.py        (the files are committed; run it when the writer changes)
"""
import pathlib
import random
import sys

import vhlo_examples as examples
from vhlo_writer import (NEWEST, A, Many, Op, Region, Writer, array, battr, builtin_dictionary, builtin_integer,
                         builtin_string, call_location, dense, entry, file_location, fused_location, function, integer,
                         name_location, range_location, string, vattr, vtype)

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "fuzz/seeds/bytecode"
F = "2x3xf32"


def add_module(op="add_v1", **more):
    return [function("main", [F, F], [F], lambda r: [r.add(Op(op, r.args, [F], **more))])]


def attribute_module(attribute):
    return add_module(extra={"test.attribute": attribute})


def located():
    where = call_location(name_location("mul", file_location("model.py", 3, 7)), fused_location(
        range_location("train.py", 10, 2, 10, 9), range_location("train.py", 12, 1, 30), name_location("step")))
    return add_module(location=where)


def deep_location(depth):
    where = file_location("model.py", 1, 1)
    for i in range(depth):
        where = call_location(name_location(f"f{i % 3}"), where)
    return add_module(location=where)


def deep_array(depth):
    item = integer(1)
    for _ in range(depth):
        item = array([item])
    return item


def wide_array(levels):
    """Doubles at each level: 2^levels parts when written out."""
    item = integer(1)
    for _ in range(levels):
        item = array([item, item])
    return item


def sharding(dims, mesh="mesh"):
    axis = lambda name: entry("sdy", False, 4, ("string", name), ("varint", 0))
    dimension = lambda names: entry("sdy", False, 5, Many(*[A(axis(n)) for n in names]), ("byte", 1), ("varint", 0))
    name = battr(4, A(builtin_string(mesh)))
    return entry("sdy", False, 15, A(name), Many(*[A(dimension(d)) for d in dims]), Many(), Many())


def sharded():
    """A mesh, a sharded argument, a constraint between casts."""
    builtin_f32 = entry("builtin", True, 13, Many(("zigzag", 2), ("zigzag", 3)), A(entry("builtin", True, 5)))
    axis = entry("sdy", False, 1, ("string", "x"), ("zigzag", 1))
    mesh = entry("sdy", False, 2, Many(A(axis)), Many())

    def body(r):
        inner = r.add(Op("unrealized_conversion_cast", [r.args[0]], [builtin_f32], dialect="builtin"))
        kept = r.add(Op("sharding_constraint", [inner], [builtin_f32], {"sharding": sharding([["x"], []])}, dialect="sdy"))
        outer = r.add(Op("unrealized_conversion_cast", [kept], [F], dialect="builtin"))
        return [r.add(Op("negate_v1", [outer], [F]))]
    return [Op("mesh", attributes={"mesh": mesh, "sym_name": builtin_string("mesh")}, dialect="sdy"),
            function("main", [F], [F], body, arg_attrs=[{"sdy.sharding": sharding([["x"], []])}])]


def resource():
    """A dense resource: an attribute of the builtin dialect that names the first resource."""
    kind = entry("builtin", True, 13, Many(("zigzag", 2)), A(entry("builtin", True, 5)))
    return attribute_module(battr(16, A(kind), ("varint", 0)))


def nested_cases(depth):
    def level(values, left):
        region = Region()
        if left == 0:
            region.add(Op("return_v1", [region.add(Op("negate_v1", [values[1]], [F]))]))
        else:
            region.add(Op("return_v1", [region.add(Op("case_v1", [values[0]], [F], regions=[level(values, left - 1)]))]))
        return region
    return [function("main", ["i32", F], [F],
                     lambda r: [r.add(Op("case_v1", [r.args[0]], [F], regions=[level(r.args, depth)]))])]


def files():
    yield from ((f"version_{v}", Writer(v).write(add_module(), name="m"))
                for v in ("0.9.0", "0.10.0", "0.12.0", "0.14.0", NEWEST))
    yield "version_2", Writer("0.12.0", bytecode=2).write(examples.example("while_v1"))
    yield "version_5", Writer("0.15.0", bytecode=5).write(examples.example("while_v1"))
    yield "capture_inline", Writer("0.9.0").write(examples.example("while_v1"))
    yield "module_attributes", Writer(NEWEST).write(add_module(), name="jit_f", module_attributes={
        "mhlo.num_partitions": builtin_integer(1, 32), "jax.uses_shape_polymorphism": builtin_integer(0, 1),
        "dictionary": builtin_dictionary({"a": battr(7), "b": builtin_string("x")})})
    yield "locations", Writer(NEWEST).write(located())
    yield "deep_location", Writer(NEWEST).write(deep_location(700))
    yield "sections_shuffled", Writer(NEWEST, shuffle=random.Random(3)).write(examples.example("case_v1"))
    yield "sections_aligned", Writer(NEWEST, aligned=True, use_lists=True).write(examples.example("while_v1"))
    yield "resource", Writer(NEWEST, resources=[("weights", b"\0\0\x80\x3f\0\0\0\x40")]).write(resource())
    yield "sdy", Writer(NEWEST).write(sharded())
    for name in ("custom_call_v2", "scatter_v2", "reduce_v1", "uniform_quantize_v1", "composite_v2", "dot_general_v2"):
        yield name, Writer(NEWEST).write(examples.example(name))
    for name, (version, ops) in examples.special_examples().items():
        yield "special_" + name, Writer(version).write(ops)
    # Refused, each for one reason.
    yield "bad_version", Writer(NEWEST, bytecode=7).write(add_module())
    yield "bad_vhlo_version", Writer(NEWEST, producer="StableHLO_v1.21.0").write(add_module())
    yield "bad_raw_stablehlo", Writer(NEWEST).write(add_module("add", dialect="stablehlo"))
    yield "bad_op", Writer(NEWEST).write(add_module("frobnicate_v1"))
    yield "bad_attribute_code", Writer(NEWEST).write(attribute_module(vattr(77)))
    yield "bad_type_code", Writer(NEWEST).write([function("main", [vtype(99)], [vtype(99)], lambda r: r.args)])
    yield "bad_depth", Writer(NEWEST).write(attribute_module(deep_array(300)))
    yield "bad_expansion", Writer(NEWEST).write(attribute_module(wide_array(60)))
    yield "bad_region_depth", Writer(NEWEST).write(nested_cases(250))
    yield "bad_literal", Writer(NEWEST).write(attribute_module(dense("f32", [3], b"1234567")))
    yield "bad_sparse", Writer(NEWEST).write(attribute_module(battr(20)))
    yield "bad_arity", Writer(NEWEST).write(add_module("negate_v1"))
    yield "bad_value", Writer(NEWEST).write([function("main", [], [F], lambda r: [
        r.add(Op("constant_v1", [], [F], {"value": string("text")}))])])


def main():
    sys.setrecursionlimit(10000)  # bad_region_depth
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.bc"):
        old.unlink()
    for name, data in files():
        (FOLDER / f"{name}.bc").write_bytes(data)


if __name__ == "__main__":
    main()
