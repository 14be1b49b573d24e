"""Writes tests/fuzz/seeds/hlo_proto/: small files for the fuzzer and for the tests of the HLO proto reader.

usage: hlo_seeds.py        (the files are committed; run it when the writer changes)
"""

import pathlib
import struct

from hlo_writer import Computation, field, frontend_attributes, message, module, packed, shape, varint

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "fuzz/seeds/hlo_proto"
F = "f32[2,3]"


def main(number=1, first_id=1):
    return Computation("main.1", number, first_id)


def simple(opcode="add", of=F, operands=2, more=b"", calls=()):
    """Parameters of the result's shape and one instruction."""
    c = main()
    parts = [c.parameter(i, F) for i in range(operands)]
    c.add(opcode, of, *parts, more=more, calls=calls)
    return c


def combiner(opcode="add", number=7, of="f32[]"):
    c = Computation("region." + opcode, number, 100)
    a, b = c.parameter(0, of), c.parameter(1, of)
    c.add(opcode, of, a, b)
    return c


def constant(of, literal):
    c = main()
    c.constant(of, literal)
    return module(c)


def tuples():
    """A tuple parameter with a tuple inside, and elements of elements."""
    c = main()
    p = c.parameter(0, f"({F}, ({F}, s32[]))")
    inner = c.add("get-tuple-element", f"({F}, s32[])", p, more=field(13, 1))
    x = c.add("get-tuple-element", F, inner)
    y = c.add("get-tuple-element", F, p)
    n = c.add("get-tuple-element", "s32[]", inner, more=field(13, 1))
    s = c.add("add", F, x, y)
    nested = c.add("tuple", f"(s32[], {F})", n, s)
    copied = c.add("copy", f"(s32[], {F})", nested)
    c.add("tuple", f"({F}, (s32[], {F}))", x, copied)
    return c


def shuffled_ids():
    """Ids say another order than the list, and both are valid; the root is not the last in the list."""
    c = main()
    x = c.parameter(0, F, id=1)
    c.add("negate", F, x, id=3)
    c.add("exponential", F, x, id=2)
    c.add("add", F, 2, 3, id=4)
    c.add("sine", F, x, id=5)
    c.root = 4
    return module(c)


def unordered_ids():
    """Users have smaller ids than what they use, and stand before it."""
    c = main()
    c.add("add", F, 2, 3, id=1)
    c.add("negate", F, 9, id=2)
    c.add("exponential", F, 2, id=3)
    c.parameter(0, F, id=9)
    c.root = 1
    return module(c)


def loop():
    """while: the body comes first."""
    t = "(s32[], f32[2])"
    body = Computation("body.2", 2, 10)
    p = body.parameter(0, t)
    i = body.add("get-tuple-element", "s32[]", p)
    x = body.add("get-tuple-element", "f32[2]", p, more=field(13, 1))
    one = body.constant("s32[]", field(4, packed([1])))
    body.add("tuple", t, body.add("add", "s32[]", i, one), body.add("multiply", "f32[2]", x, x))
    cond = Computation("cond.3", 3, 30)
    q = cond.parameter(0, t)
    five = cond.constant("s32[]", field(4, packed([5])))
    cond.add("compare", "pred[]", cond.add("get-tuple-element", "s32[]", q), five, more=field(63, "LT"))
    c = main()
    zero = c.constant("s32[]", field(4, packed([0])))
    x = c.parameter(0, "f32[2]")
    w = c.add("while", t, c.add("tuple", t, zero, x), calls=(body, cond))
    c.add("get-tuple-element", "f32[2]", w, more=field(13, 1))
    return module(c, body, cond)


def branches(flag):
    """A conditional in a conditional; one branch uses nothing, one value goes to both."""
    inner = [Computation(f"inner.{k}", 20 + k, 50 + 10 * k) for k in range(2)]
    for k, b in enumerate(inner):
        b.add(("sine", "cosine")[k], "f32[]", b.parameter(0, "f32[]"))
    outer = [Computation(f"outer.{k}", 10 + k, 20 + 10 * k) for k in range(2)]
    p = outer[0].parameter(0, "(f32[], f32[], s32[])")
    a, b = (outer[0].add("get-tuple-element", "f32[]", p, more=field(13, k)) for k in (1, 0))
    which = outer[0].add("get-tuple-element", "s32[]", p, more=field(13, 2))
    outer[0].add("add", "f32[]", outer[0].add("conditional", "f32[]", which, a, a, calls=inner), b)
    outer[1].parameter(0, "(f32[], f32[])")
    outer[1].constant("f32[]", field(8, struct.pack("<f", 2.0)))
    c = main()
    x, y = c.parameter(0, "f32[]"), c.parameter(1, "f32[]")
    n = c.parameter(2, "s32[]")
    chosen = c.parameter(3, "pred[]") if flag else n
    first = c.add("tuple", "(f32[], f32[], s32[])", x, y, n)
    c.add("conditional", "f32[]", chosen, first, c.add("tuple", "(f32[], f32[])", y, x), calls=outer)
    return module(c, *inner, *outer)


def calls():
    """One computation called from two places, as function and as reducer."""
    f = combiner("maximum", 5)
    c = main()
    x, s = c.parameter(0, F), c.parameter(1, "f32[]")
    r = c.add("reduce", "f32[2]", x, s, more=field(14, packed([1])), calls=(f,))
    t = c.add("reduce", "f32[]", r, s, more=field(14, packed([0])), calls=(f,))
    c.add("call", "f32[]", t, c.add("call", "f32[]", t, s, calls=(f,)), calls=(f,))
    return module(c, f)


def aliases():
    c = main()
    p = c.parameter(0, f"({F}, f32[])")
    x = c.parameter(1, F)
    y = c.add("get-tuple-element", F, p)
    c.parameter(2, "f32[5]")
    c.add("tuple", f"({F}, ({F}, f32[]))", c.add("add", F, x, y), c.add("tuple", f"({F}, f32[])", y, c.add("get-tuple-element", "f32[]", p, more=field(13, 1))))
    pairs = [message(_1=packed([0]), _2=1, _4=1), message(_1=packed([1, 1]), _3=packed([1]), _4=2)]
    return module(c, more=field(8, field(1, pairs)) + field(18, field(1, message(_1=2))))


def names():
    """What NKIPy's writer says of a NEFF's variables."""
    c = main()
    x = c.parameter(0, F, frontend_attributes(neff_input_names="left"))
    y = c.parameter(1, F, frontend_attributes(neff_input_names="right"))
    c.add("tuple", f"({F}, {F})", c.add("add", F, x, y), c.add("multiply", F, x, y), more=frontend_attributes(neff_output_names="sum,product"))
    return module(c)


def locations():
    where = field(7, message(_1="op", _2="jit(f)/mul", _15=2))
    inline = field(7, message(_2="step", _3="model.py", _4=12))
    index = message(_1=["train.py", "layer.py"], _2=["<module>", "forward"])
    index += message(_3=[message(_1=1, _2=1, _3=4, _4=2, _5=4, _6=9), message(_1=2, _2=2, _3=30, _4=7)])
    index += message(_4=[message(_1=1), message(_1=2, _2=1), message(_1=1, _2=4), message(_1=2, _2=3)])
    c = main()
    x = c.parameter(0, F)
    a = c.add("multiply", F, x, x, more=where)
    b = c.add("sine", F, a, more=inline)
    c.add("cosine", F, b, more=field(7, message(_2="circle", _15=3)))
    return module(c, more=field(17, index))


def shardings():
    kinds = [
        message(_1=0), message(_1=1, _4=packed([3])), message(_1=4), message(_1=3, _3=packed([2, 1]), _4=packed([0, 1])),
        message(_1=3, _3=packed([1, 2, 2]), _6=True, _9=packed([2, 2]), _10=packed([1, 0])),
        message(_1=3, _3=packed([2, 2]), _8=packed([4]), _9=packed([4]), _10=packed([0])), message(_1=2, _5=[message(_1=0), message(_1=4)]),
    ]  # fmt: skip
    c = main()
    x = c.parameter(0, F, field(40, message(_1=3, _3=packed([2, 1]), _9=packed([2]), _10=packed([0]))))
    for kind in kinds:
        x = c.add("negate", F, x, more=field(40, kind))
    return module(c)


def collectives():
    c = main()
    x = c.parameter(0, "f32[4,8]")
    add = combiner()
    groups = field(49, [message(_1=packed([0, 1])), message(_1=packed([2, 3]))])
    iota = field(87, field(2, message(_1=2, _2=2, _3=packed([2, 2]), _4=packed([1, 0]))))
    a = c.add("all-reduce", "f32[4,8]", x, calls=(add,), more=groups + field(26, 1) + field(71, True))
    b = c.add("all-gather", "f32[8,8]", a, more=iota + field(14, packed([0])))
    d = c.add("reduce-scatter", "f32[4,8]", b, calls=(add,), more=field(92, message(_1=2, _2=2, _3=packed([4]))) + field(14, packed([0])))
    e = c.add("all-to-all", "f32[4,8]", d, more=groups + field(14, packed([1])))
    f = c.add("collective-permute", "f32[4,8]", e, more=field(52, [message(_2=1), message(_1=1)]) + field(26, 1))
    c.add("collective-broadcast", "f32[4,8]", f, more=groups)
    c.add("replica-id", "u32[]")
    c.add("partition-id", "u32[]")
    c.root = 7
    return module(c, add)


def custom_calls():
    helper = Computation("helper", 9, 200)
    helper.parameter(0, "f32[]")
    c = main()
    x = c.parameter(0, F)
    layouts = field(56, True) + field(57, [shape("f32[2,3]{0,1}")])
    a = c.add("custom-call", F, x, calls=(helper,), more=field(28, "target") + field(43, "a=1") + field(65, True) + field(77, 2) + layouts
              + field(74, message(_2=0)) + frontend_attributes(key="value"))  # fmt: skip
    top = c.add("custom-call", "(f32[2,2], u32[2,2])", a, more=field(28, "AwsNeuronTopK") + field(43, "2"))
    c.add("tuple", f"({F}, (f32[2,2], u32[2,2]))", a, top)
    return module(c, helper)


def effects():
    c = main()
    t = c.add("after-all", "token[]")
    got = c.add("infeed", f"({F}, token[])", t, more=field(27, "in"))
    x = c.add("get-tuple-element", F, got)
    u = c.add("get-tuple-element", "token[]", got, more=field(13, 1))
    sent = c.add("outfeed", "token[]", x, u, more=field(22, "out") + field(29, shape(F)))
    c.add("after-all", "token[]", sent, u)
    a, b = c.parameter(0, "f32[]"), c.parameter(1, "f32[]")
    c.add("rng", "f32[3]", a, b, more=field(23, 1))
    return module(c)


def old_dynamic_slice():
    c = main()
    x, at = c.parameter(0, "f32[5,6]"), c.parameter(1, "s32[2]")
    part = c.add("dynamic-slice", "f32[2,3]", x, at, more=field(20, packed([2, 3])))
    c.add("dynamic-update-slice", "f32[5,6]", x, part, at)
    return module(c)


def layers(count=3):
    """Deep tuples: within the limit."""
    text = "f32[2]"
    c = main()
    v = c.parameter(0, text)
    for _ in range(count):
        text = f"({text}, {text})"
        v = c.add("tuple", text, v, v)
    return module(c)


def convolution():
    window = message(_1=[message(_1=3, _2=2, _3=1, _4=-1, _5=1, _6=2), message(_1=2, _4=1, _7=True)])
    numbers = message(_3=2, _4=3, _6=packed([0, 1]), _7=0, _8=3, _9=0, _10=3, _11=packed([1, 2]), _12=packed([1, 2]))
    c = main()
    x, w = c.parameter(0, "f32[2,5,4,6]"), c.parameter(1, "f32[3,2,3,8]")
    c.add("convolution", "f32[2,4,4,8]", x, w, more=field(15, window) + field(16, numbers) + field(50, 2) + field(51, message(_1=packed([2, 1]))))
    return module(c)


def good():
    yield "add", module(simple())
    yield "wrapped", field(1, module(simple())) + field(3, b"")
    yield "long_name", module(simple(), name="a_module_of_some_length_indeed_very_long")
    yield "tuples", module(tuples())
    yield "shuffled_ids", shuffled_ids()
    yield "unordered_ids", unordered_ids()
    yield "while", loop()
    yield "case", branches(False)
    yield "if", branches(True)
    yield "calls", calls()
    yield "aliases", aliases()
    yield "names", names()
    yield "locations", locations()
    yield "shardings", shardings()
    yield "collectives", collectives()
    yield "custom_calls", custom_calls()
    yield "effects", effects()
    yield "old_dynamic_slice", old_dynamic_slice()
    yield "nested_tuples", layers()
    yield "convolution", convolution()
    yield "top_k", module(simple("topk", "(f32[2,2], s32[2,2])", 1, field(81, 2) + field(85, True)))
    yield "dynamic", dynamic()
    yield "constant_f32", constant("f32[2,3]", field(8, struct.pack("<6f", 1, 2, 3, 4, 5, 6)))
    yield "constant_splat", constant("f32[4]", field(8, struct.pack("<4f", 7, 7, 7, 7)))
    yield "constant_unpacked", constant("s32[2]", field(4, 5) + field(4, -1))
    yield "constant_s64", constant("s64[3]", field(5, packed([-(2**63), -1, 2**62])))
    yield "constant_u32", constant("u32[2]", field(6, packed([0, 2**32 - 1])))
    yield "constant_pred", constant("pred[3]", field(2, packed([1, 0, 1])))
    yield "constant_pred_wide", constant("pred[2]", field(2, b"\x81\x00\x00"))
    yield "constant_s8", constant("s8[3]", field(15, bytes([1, 255, 128])))
    yield "constant_s4", constant("s4[3]", field(21, bytes([0x07, 0x08, 0xFF])))
    yield "constant_bf16", constant("bf16[2]", field(13, bytes([0x80, 0x3F, 0x00, 0xC0])))
    yield "constant_c64", constant("c64[2]", field(12, struct.pack("<4f", 1, 2, 3, 4)))
    yield "constant_column_major", column_major()
    yield "constant_empty", constant("f32[0,3]", b"")
    yield "inner_layouts", module(inner_layouts())
    yield "constant_tuple", constant("(s32[], (f32[2], pred[]))", field(10, field(1, shape("s32[]")) + field(4, packed([9])))
                                     + field(10, field(1, shape("(f32[2], pred[])")) + field(10, field(1, shape("f32[2]")) + field(8, struct.pack("<2f", 1, 2)))
                                             + field(10, field(1, shape("pred[]")) + field(2, packed([1])))))  # fmt: skip


def column_major():
    c = main()
    c.add("copy", F, c.constant("f32[2,3]{0,1}", field(8, struct.pack("<6f", 1, 4, 2, 5, 3, 6))))
    return module(c)


def inner_layouts():
    """Layouts within the module and of the result, which only the builder's inference left there."""
    c = main()
    t = c.add("transpose", "f32[3,2]{0,1}", c.parameter(0, F), more=field(14, packed([1, 0])))
    c.add("negate", "f32[3,2]{0,1}", t)
    return c


def dynamic():
    c = main()
    x = c.parameter(0, "f32[<=4,3]")
    c.add("negate", "f32[<=4,3]", x)
    return module(c)


def cyclic_calls():
    a, b = Computation("a", 5, 50), Computation("b", 6, 60)
    a.add("call", "f32[]", a.parameter(0, "f32[]"), calls=(b,))
    b.add("call", "f32[]", b.parameter(0, "f32[]"), calls=(a,))
    c = main()
    c.add("call", "f32[]", c.parameter(0, "f32[]"), calls=(a,))
    return module(c, a, b)


def cycle():
    c = main()
    c.add("negate", F, 2, id=1)
    c.add("negate", F, 1, id=2)
    return module(c)


def deep_regions(depth):
    """map of map of map ..."""
    chain = []
    for k in range(depth):
        c = Computation(f"c{k}", 10 + k, 1)
        x = c.parameter(0, "f32[]")
        c.add("map", "f32[]", x, calls=(chain[-1],)) if chain else c.add("negate", "f32[]", x)
        chain.append(c)
    c = main()
    c.add("map", "f32[]", c.parameter(0, "f32[]"), calls=(chain[-1],))
    return module(c, *chain)


def doubled_regions(depth):
    """Each computation uses the next one twice: written out, 2^depth regions."""
    chain = []
    for k in range(depth):
        c = Computation(f"c{k}", 10 + k, 1)
        x = c.parameter(0, "f32[]")
        if chain:
            c.add("map", "f32[]", c.add("map", "f32[]", x, calls=(chain[-1],)), calls=(chain[-1],))
        else:
            c.add("negate", "f32[]", x)
        chain.append(c)
    c = main()
    c.add("map", "f32[]", c.parameter(0, "f32[]"), calls=(chain[-1],))
    return module(c, *chain)


def bad():
    """Name -> (code, bytes): each is refused with this code."""
    yield "truncated", "ON-E1421", module(simple())[:-120]
    yield "length", "ON-E1421", field(1, "m") + varint(3 << 3 | 2) + varint(1000) + b"x"
    yield "packed", "ON-E1421", module(simple(more=field(14, b"\x80")))
    yield "wire_type", "ON-E1422", module(simple(more=varint(14 << 3 | 1) + b"12345678"))
    yield "field_number", "ON-E1422", field(1, "m") + field(3, main().proto()[:-3] + b"\x07\x07")
    yield "no_entry", "ON-E1422", module(simple(), entry_id=77).replace(field(2, "main.1"), field(2, "other1"), 1)
    yield "no_computation", "ON-E1422", field(1, "m") + field(3, field(1, "c") + field(5, 1))
    yield "missing_operand", "ON-E1422", module(simple("negate", operands=0, more=field(36, packed([55]))))
    yield "missing_root", "ON-E1422", module(rooted(99))
    yield "missing_call", "ON-E1422", module(simple("call", operands=1, calls=(55,)))
    yield "double_id", "ON-E1422", double_id()
    yield "parameter_gap", "ON-E1422", parameters(0, 2)
    yield "parameter_twice", "ON-E1422", parameters(0, 0)
    yield "parameter_number", "ON-E1422", parameters(0, 2**40)
    yield "no_callee", "ON-E1422", module(simple("call", operands=1))
    yield "region_count", "ON-E1422", module(simple(calls=(combiner(),)), combiner())
    yield "alias", "ON-E1422", module(simple(), more=field(8, field(1, message(_1=packed([0, 1]), _2=0))))
    yield "enumeration", "ON-E1422", module(simple("fft", "c64[2,3]", 1, more=field(31, 9)))
    yield "concatenate", "ON-E1422", module(simple("concatenate", "f32[4,3]"))
    yield "opcode", "ON-E1423", module(simple("frobnicate"))
    yield "no_opcode", "ON-E1423", module(simple(""))
    for opcode in ("fusion", "bitcast", "copy-start", "copy-done", "domain", "add-dependency", "all-reduce-start", "async-start",
                   "rng-get-and-update-state"):  # fmt: skip
        yield "optimised_" + opcode.replace("-", "_"), "ON-E1424", module(simple(opcode, operands=1))
    yield "primitive_type", "ON-E1425", module(simple(of="opaque[]", operands=0))
    yield "buffer_type", "ON-E1425", module(simple(of="buffer[2]", operands=0))
    yield "huge_shape", "ON-E1425", module(simple(of="f32[1099511627776,1099511627776]", operands=0))
    yield "rank", "ON-E1425", module(simple(of="f32[" + ",".join("1" * 33) + "]", operands=0))
    yield "tuple_shape", "ON-E1425", module(simple("tuple", f"({F})"))
    yield "copy_shape", "ON-E1425", module(simple("copy", "f32[3,2]", 1))
    yield "element", "ON-E1425", module(simple("get-tuple-element", F, 1))
    yield "branch_shape", "ON-E1425", branch_shape()
    yield "result", "ON-E1103", module(simple(of="f32[3,2]"))
    yield "literal_size", "ON-E1426", constant("f32[2,3]", field(8, struct.pack("<2f", 1, 2)))
    yield "literal_type", "ON-E1426", constant("f32[2]", field(4, packed([1, 2])))
    yield "literal_none", "ON-E1426", module(simple("constant", F, 0))
    yield "literal_sparse", "ON-E1426", constant("f32[2]", field(8, struct.pack("<2f", 1, 2)) + field(14, packed([1])))
    yield "literal_huge", "ON-E1426", constant("f32[68719476736]", b"")
    yield "literal_members", "ON-E1426", constant("(f32[], f32[])", field(10, field(8, 1.0)))
    yield "literal_shape", "ON-E1426", module(other_literal())
    yield "literal_layout", "ON-E1427", constant("f32[2,3]{0,0}", field(8, struct.pack("<6f", *range(6))))
    yield "parameter_layout", "ON-E1427", module(transposed())
    yield "result_layout", "ON-E1427", module(simple(), interface=field(1, [shape(F), shape(F)]) + field(2, shape("f32[2,3]{1,0:T(8,128)}")))
    yield "own_layout", "ON-E1427", module(transposed(), interface=b"")
    yield "parameter_tiles", "ON-E1427", module(transposed("f32[2,3]{1,0:T(8,128)}"))
    yield "calls_itself", "ON-E1428", cyclic_calls()
    yield "cycle", "ON-E1428", cycle()
    yield "deep_regions", "ON-E1429", deep_regions(300)
    yield "doubled_regions", "ON-E1429", doubled_regions(40)
    yield "deep_tuple", "ON-E1429", module(simple("tuple", "(" * 80 + "f32[]" + ")" * 80, 0))
    yield "send", "ON-E1430", module(simple("send", operands=2))
    yield "smallest", "ON-E1430", module(simple("topk", "(f32[2,2], s32[2,2])", 1, field(81, 2)))
    yield "mesh_groups", "ON-E1430", module(simple("all-gather", "f32[4,3]", 1, more=field(14, packed([0])) + field(93, b"")))
    yield "algorithm", "ON-E1430", module(simple("dot", "f32[2,2]", 2, more=field(30, message(_1=packed([1]), _2=packed([1]))) + field(51, message(_2=77))))


def rooted(root):
    c = simple()
    c.root = root
    return c


def double_id():
    c = main()
    c.parameter(0, F, id=1)
    c.add("negate", F, 1, id=1)
    return module(c)


def parameters(*numbers):
    c = main()
    for n in numbers:
        c.parameter(n, F)
    return module(c)


def transposed(of="f32[2,3]{0,1}"):
    c = main()
    c.add("negate", F, c.parameter(0, of))
    return c


def other_literal():
    c = main()
    c.add("constant", F, more=field(8, field(1, shape("f32[6]")) + field(8, struct.pack("<6f", *range(6)))))
    return c


def branch_shape():
    b = Computation("b", 4, 40)
    b.parameter(0, "f32[3]")
    c = main()
    x, n = c.parameter(0, "f32[2]"), c.parameter(1, "s32[]")
    c.add("conditional", "f32[3]", n, x, calls=(b,))
    return module(c, b)


def write():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.pb"):
        old.unlink()
    for name, data in good():
        (FOLDER / f"{name}.pb").write_bytes(data)
    for name, code, data in bad():
        (FOLDER / f"bad_{code[4:]}_{name}.pb").write_bytes(data)


if __name__ == "__main__":
    write()
