"""A well-formed program around each op of the VHLO table: operand types, attributes, regions, result types."""
from vhlo_writer import (NO_TYPE, TABLE, Op, Region, accuracy, alias, array, boolean, bools, buffer_type, dense, dictionary,
                         enumerator, float32, function, future_type, integer, ints, matrix, mesh_axes, parse_version,
                         string, tuple_type, type_attr)

F = "2x3xf32"
UNARY_TYPES = {  # operand type, result type
    "count_leading_zeros": "2x3xi32", "popcnt": "2x3xi32", "not": "2x3xi32",
    "is_finite": (F, "2x3xi1"), "real": ("2xcomplex<f32>", "2xf32"), "imag": ("2xcomplex<f32>", "2xf32"),
    "convert": (F, "2x3xbf16"), "bitcast_convert": (F, "2x3xi32"), "reshape": (F, "6xf32"),
}
BINARY_TYPES = {"and": "2x3xi1", "or": "2x3xi32", "xor": "2x3xi1", "shift_left": "2x3xi32",
                "shift_right_arithmetic": "2x3xi32", "shift_right_logical": "2x3xui32"}
PRECISION = array([enumerator("Precision", "DEFAULT"), enumerator("Precision", "HIGHEST")])
GROUPS = matrix([[0, 1]], 2)


def constant(region, kind, shape, blob, text):
    return region.add(Op("constant_v1", results=[text], attributes={"value": dense(kind, shape, blob)}))


def combiner(kind="f32", op="add_v1"):
    region = Region([kind, kind])
    region.add(Op("return_v1", [region.add(Op(op, region.args, [kind]))]))
    return region


def comparison(kind="f32", direction="GE", pairs=1):
    region = Region([kind, kind] * pairs)
    result = region.add(Op("compare_v1", region.args[:2], ["i1"], {
        "comparison_direction": enumerator("ComparisonDirection", direction),
        "compare_type": enumerator("ComparisonType", "FLOAT")}))
    region.add(Op("return_v1", [result]))
    return region


def branch(values):
    region = Region()
    region.add(Op("return_v1", [region.add(Op("negate_v1", values, [values[0].kind]))]))
    return region


CHANNEL = {"channel_id": integer(1), "use_global_device_ids": boolean(True), "replica_groups": GROUPS}
GATHER = {"offset_dims": ints([1]), "collapsed_slice_dims": ints([0]), "operand_batching_dims": ints([]),
          "start_indices_batching_dims": ints([]), "start_index_map": ints([0]), "index_vector_dim": integer(1),
          "indices_are_sorted": boolean(True), "slice_sizes": ints([1, 3])}
CONVOLUTION = {
    "window_strides": ints([2, 1]), "padding": matrix([[1, 0], [0, 2]]), "lhs_dilation": ints([1, 1]),
    "rhs_dilation": ints([1, 1]), "window_reversal": bools([1, 0]), "input_batch_dimension": integer(0),
    "input_feature_dimension": integer(3), "input_spatial_dimensions": ints([1, 2]),
    "kernel_input_feature_dimension": integer(2), "kernel_output_feature_dimension": integer(3),
    "kernel_spatial_dimensions": ints([0, 1]), "output_batch_dimension": integer(0),
    "output_feature_dimension": integer(3), "output_spatial_dimensions": ints([1, 2]), "feature_group_count": integer(1),
    "batch_group_count": integer(1), "precision_config": PRECISION}
ALGORITHM = {"lhs_precision_type": NO_TYPE, "rhs_precision_type": NO_TYPE, "accumulation_type": NO_TYPE,
             "lhs_component_count": NO_TYPE, "rhs_component_count": NO_TYPE, "num_primitive_operations": NO_TYPE,
             "allow_imprecise_accumulation": NO_TYPE}
WINDOW = {"window_dimensions": ints([2, 2]), "window_strides": ints([1, 2]), "base_dilations": ints([1, 1]),
          "window_dilations": ints([1, 1]), "padding": matrix([[0, 1], [0, 0]])}
TRANSFER = {"channel_id": integer(2), "channel_type": integer(2), "is_host_transfer": boolean(True),
            "source_target_pairs": matrix([], 2)}
NORM = {"epsilon": float32(0.001), "feature_index": integer(1)}

# target -> operand types, result types, attributes, regions
FIXED = {
    "after_all": (["token", "token"], ["token"], {}),
    "all_gather": ([F], ["4x3xf32"], {**CHANNEL, "all_gather_dim": integer(0)}),
    "all_reduce": ([F], [F], CHANNEL, lambda: [combiner()]),
    "all_to_all": (["4x3xf32"], ["2x6xf32"], {**CHANNEL, "split_dimension": integer(0), "concat_dimension": integer(1),
                                              "split_count": integer(2)}),
    "batch_norm_grad": ([F, "3xf32", "3xf32", "3xf32", F], [F, "3xf32", "3xf32"], NORM),
    "batch_norm_inference": ([F, "3xf32", "3xf32", "3xf32", "3xf32"], [F], NORM),
    "batch_norm_training": ([F, "3xf32", "3xf32"], [F, "3xf32", "3xf32"], NORM),
    "broadcast_in_dim": (["3xf32"], [F], {"broadcast_dimensions": ints([1])}),
    "broadcast": (["3xf32"], [F], {"broadcast_sizes": ints([2])}),
    "cholesky": (["3x3xf32"], ["3x3xf32"], {"lower": boolean(True)}),
    "clamp": (["f32", F, "f32"], [F], {}),
    "collective_broadcast": ([F], [F], {**CHANNEL, "has_dynamic_root": boolean(False)}),
    "collective_permute": ([F], [F], {**CHANNEL, "source_target_pairs": matrix([[0, 1], [1, 0]])}),
    "collective_reduce": ([F], [F], {**CHANNEL, "has_dynamic_root": boolean(False)}, lambda: [combiner()]),
    "compare": ([F, F], ["2x3xi1"], {"comparison_direction": enumerator("ComparisonDirection", "LT"),
                                     "compare_type": enumerator("ComparisonType", "TOTALORDER")}),
    "complex": (["2xf64", "2xf64"], ["2xcomplex<f64>"], {}),
    "concatenate": ([F, "4x3xf32", F], ["8x3xf32"], {"dimension": integer(0)}),
    "constant": ([], ["3xi16"], {"value": dense("i16", [3], b"\1\0\2\0\xff\xff")}),
    "convolution": (["1x8x9x3xf32", "3x3x3x4xf32"], ["1x4x9x4xf32"], CONVOLUTION),
    "create_token": ([], ["token"], {}),
    "cross-replica-sum": ([F], [F], CHANNEL),
    "dot": ([F, "3x4xf32"], ["2x4xf32"], {"precision_config": PRECISION}),
    "dot_general": (["5x2x3xf32", "5x3x4xf32"], ["5x2x4xf32"], {
        "lhs_batching_dimensions": ints([0]), "rhs_batching_dimensions": ints([0]),
        "lhs_contracting_dimensions": ints([2]), "rhs_contracting_dimensions": ints([1]),
        "precision_config": PRECISION, **ALGORITHM}),
    "dynamic_broadcast_in_dim": (["3xf32", "2xi32"], [F], {
        "broadcast_dimensions": ints([1]), "known_expanding_dimensions": ints([]),
        "known_nonexpanding_dimensions": ints([0])}),
    "dynamic_conv": (["1x8x9x3xf32", "3x3x3x4xf32", "2x2xi32"], ["1x?x?x4xf32"],
                     {**CONVOLUTION, "padding": matrix([[0, 0], [0, 0]])}),
    "dynamic_gather": (["5x3xf32", "4x1xi32", "2xi32"], ["4x3xf32"], GATHER),
    "dynamic_iota": (["2xi32"], [F], {"iota_dimension": integer(1)}),
    "dynamic_pad": (["3xf32", "f32", "1xi32", "1xi32", "1xi32"], ["?xf32"], {}),
    "dynamic_reshape": ([F, "1xi32"], ["6xf32"], {}),
    "dynamic_slice": ([F, "i32", "i32"], ["1x2xf32"], {"slice_sizes": ints([1, 2])}),
    "dynamic_update_slice": ([F, "1x2xf32", "i32", "i32"], [F], {}),
    "einsum": ([F, "3x4xf32"], ["2x4xf32"], {"einsum_config": string("ij,jk->ik")}),
    "fft": (["4x8xcomplex<f32>"], ["4x8xcomplex<f32>"], {"fft_type": enumerator("FftType", "IFFT"),
                                                         "fft_length": ints([8])}),
    "gather": (["5x3xf32", "4x1xi32"], ["4x3xf32"], GATHER),
    "get_dimension_size": ([F], ["i32"], {"dimension": integer(1)}),
    "get_tuple_element": ([tuple_type(F, "2xi32")], ["2xi32"], {"index": integer(1, "i32")}),
    "infeed": (["token"], [F, "token"], {"infeed_config": string("foo"), "layout": array([array([integer(1), integer(0)])])}),
    "iota": ([], [F], {"iota_dimension": integer(1)}),
    "map": ([F, F], [F], {"dimensions": ints([0, 1])}, lambda: [combiner(op="multiply_v1")]),
    "optimization_barrier": ([F, "token", "2xi32"], [F, "token", "2xi32"], {}),
    "outfeed": ([F, "token"], ["token"], {"outfeed_config": string("bar")}),
    "pad": (["2x3xf32", "f32"], ["4x8xf32"], {"edge_padding_low": ints([1, -1]), "edge_padding_high": ints([1, 2]),
                                              "interior_padding": ints([0, 2])}),
    "partition_id": ([], ["ui32"], {}),
    "replica_id": ([], ["ui32"], {}),
    "real_dynamic_slice": (["9xf32", "1xi32", "1xi32", "1xi32"], ["?xf32"], {}),
    "recv": (["token"], [F, "token"], {**TRANSFER, "channel_type": integer(3)}),
    "send": ([F, "token"], ["token"], TRANSFER),
    "reduce_precision": ([F], [F], {"exponent_bits": integer(5, "i32"), "mantissa_bits": integer(10, "i32")}),
    "reduce_scatter": (["4x3xf32"], [F], {**CHANNEL, "scatter_dimension": integer(0)}, lambda: [combiner()]),
    "reduce_window": (["4x6xf32", "f32"], ["4x3xf32"], WINDOW, lambda: [combiner(op="maximum_v1")]),
    "reverse": ([F], [F], {"dimensions": ints([0, 1])}),
    "rng": (["f32", "f32", "2xi64"], [F], {"rng_distribution": enumerator("RngDistribution", "NORMAL")}),
    "rng_bit_generator": (["2xui64"], ["2xui64", "2x3xui32"], {"rng_algorithm": enumerator("RngAlgorithm", "THREE_FRY")}),
    "scatter": (["5x3xf32", "4x1xi32", "4x3xf32"], ["5x3xf32"], {
        "update_window_dims": ints([1]), "inserted_window_dims": ints([0]), "input_batching_dims": ints([]),
        "scatter_indices_batching_dims": ints([]), "scatter_dims_to_operand_dims": ints([0]),
        "index_vector_dim": integer(1), "indices_are_sorted": boolean(False), "unique_indices": boolean(True)},
                lambda: [combiner()]),
    "select": (["2x3xi1", F, F], [F], {}),
    "select_and_scatter": (["4x6xf32", "2x3xf32", "f32"], ["4x6xf32"], {
        "window_dimensions": ints([2, 2]), "window_strides": ints([2, 2]), "padding": matrix([[0, 0], [0, 0]])},
                           lambda: [comparison(), combiner()]),
    "set_dimension_size": ([F, "i32"], ["2x3xf32"], {"dimension": integer(1)}),
    "slice": (["7x9xf32"], ["2x3xf32"], {"start_indices": ints([1, 0]), "limit_indices": ints([3, 7]),
                                         "strides": ints([1, 3])}),
    "sort": (["3x9xf32", "3x9xi32"], ["3x9xf32", "3x9xi32"], {"dimension": integer(1), "is_stable": boolean(True)}),
    "torch_index_select": (["5x3xf32", "2xi32"], ["2x3xf32"], {"dim": integer(0), "batch_dims": integer(0)}),
    "transpose": (["2x3x5xf32"], ["3x5x2xf32"], {"permutation": ints([1, 2, 0])}),
    "triangular_solve": (["3x3xf32", "3x2xf32"], ["3x2xf32"], {
        "left_side": boolean(True), "lower": boolean(False), "unit_diagonal": boolean(True),
        "transpose_a": enumerator("Transpose", "ADJOINT")}),
    "tuple": ([F, "2xi32"], [tuple_type(F, "2xi32")], {}),
    "unary_einsum": ([F], ["3x2xf32"], {"einsum_config": string("ij->ji")}),
}


def main_of(operands, results, make):
    return function("main", operands, results, make)


def fixed_example(name, row):
    target = row["target"].split(".")[1]
    wanted = {a["name"] for a in row["attributes"]}
    if target in FIXED:
        operands, results, attributes, *rest = FIXED[target]
        regions = rest[0] if rest else lambda: []
        attributes = {k: v for k, v in attributes.items() if k in wanted}
    elif row["operands"] == ["lhs", "rhs"]:
        kind = BINARY_TYPES.get(target, F)
        operands, results, attributes, regions = [kind, kind], [kind], {}, lambda: []
    else:
        kinds = UNARY_TYPES.get(target, F)
        operand, result = kinds if isinstance(kinds, tuple) else (kinds, kinds)
        operands, results, attributes, regions = [operand], [result], {}, lambda: []
    if "result_accuracy" in wanted:
        attributes = {**attributes, "result_accuracy": accuracy()}
    made = regions()
    if target == "sort":
        region = Region(["f32", "f32", "i32", "i32"])
        less = region.add(Op("compare_v1", region.args[:2], ["i1"], {
            "comparison_direction": enumerator("ComparisonDirection", "LT"),
            "compare_type": enumerator("ComparisonType", "TOTALORDER")}))
        region.add(Op("return_v1", [less]))
        made = [region]

    def body(region):
        op = Op(name, region.args, results, attributes, made)
        region.add(op)
        return op.results
    return [main_of(operands, results, body)]


def call_example(name):
    callee = function("callee", [F], [F], lambda r: [r.add(Op("negate_v1", r.args, [F]))], public=False)
    main = main_of([F], [F], lambda r: [r.add(Op(name, r.args, [F], {"callee": string("callee")}))])
    return [main, callee]


def composite_example(name):
    impl = function("impl", [F], [F], lambda r: [r.add(Op("negate_v1", r.args, [F]))], public=False)
    attributes = {"name": string("test.negate"), "decomposition": string("impl"), "version": integer(3, "i32"),
                  "composite_attributes": dictionary({"n": integer(7), "flag": boolean(True)})}
    return [main_of([F], [F], lambda r: [r.add(Op(name, r.args, [F], attributes))]), impl]


def custom_call_example(name, wanted):
    attributes = {
        "api_version": enumerator("CustomCallApiVersion", "STATUS_RETURNING"), "backend_config": string("conf"),
        "call_target_name": string("Qr"), "called_computations": array([]), "has_side_effect": boolean(True),
        "operand_layouts": array([dense("index", [2], (1).to_bytes(8, "little") + bytes(8))]),
        "result_layouts": array([dense("index", [2], bytes(8) + (1).to_bytes(8, "little"))]),
        "output_operand_aliases": array([alias([], 0, [])]), "result_tilings": array([])}
    return [main_of([F], [F], lambda r: [r.add(Op(name, r.args, [F], {k: v for k, v in attributes.items() if k in wanted}))])]


def case_example(name):
    def body(r):
        return [r.add(Op(name, [r.args[0]], [F], regions=[branch([r.args[2]]), branch([r.args[1]])]))]
    return [main_of(["i32", F, F], [F], body)]


def if_example(name):
    def body(r):
        return [r.add(Op(name, [r.args[0]], [F], regions=[branch([r.args[1]]), branch([r.args[1]])]))]
    return [main_of(["i1", F], [F], body)]


def while_example(name):
    def body(r):
        limit = r.args[1]
        condition, loop = Region(["i32", F]), Region(["i32", F])
        less = condition.add(Op("compare_v1", [condition.args[0], limit], ["i1"], {
            "comparison_direction": enumerator("ComparisonDirection", "LT"),
            "compare_type": enumerator("ComparisonType", "SIGNED")}))
        condition.add(Op("return_v1", [less]))
        one = constant(loop, "i32", [], b"\1\0\0\0", "i32")
        count = loop.add(Op("add_v1", [loop.args[0], one], ["i32"]))
        total = loop.add(Op("add_v1", [loop.args[1], r.args[2]], [F]))
        loop.add(Op("return_v1", [count, total]))
        return r.add(Op(name, [r.args[0], r.args[3]], ["i32", F], regions=[condition, loop]))
    return [main_of(["i32", "i32", F, F], ["i32", F], body)]


def reduce_example(name):
    def body(r):
        region = Region(["f32", "i32", "f32", "i32"])
        a, b, c, d = region.args
        region.add(Op("return_v1", [region.add(Op("add_v1", [a, c], ["f32"])), region.add(Op("maximum_v1", [b, d], ["i32"]))]))
        return r.add(Op(name, r.args, ["2xf32", "2xi32"], {"dimensions": ints([1])}, [region]))
    return [main_of(["2x3xf32", "2x3xi32", "f32", "i32"], ["2xf32", "2xi32"], body)]


def async_example():
    def body(r):
        region = Region([F])
        region.add(Op("return_v1", [region.add(Op("collective_permute_v1", region.args, [F], {
            "channel_id": integer(1), "source_target_pairs": matrix([[0, 1]])}))]))
        started = r.add(Op("async_start_v1", r.args, [future_type(F)], regions=[region]))
        return [r.add(Op("async_done_v1", [started], [F]))]
    return [main_of([F], [F], body)]


def quantize_example(name):
    from vhlo_writer import A, S, U, double, scalar, tensor_of, vtype
    quantized = tensor_of(vtype(24, U(1), A(scalar("i8")), A(scalar("f32")), double(0.25), S(3), S(-128), S(127)), [2, 3])
    pair = (F, quantized) if name.startswith("uniform_quantize") else (quantized, F)
    return [main_of([pair[0]], [pair[1]], lambda r: [r.add(Op(name, r.args, [pair[1]]))])]


def example(name):
    """The ops of a module that uses VHLO op `name`."""
    row = TABLE["ops"][name]
    target = row["target"]
    wanted = {a["name"] for a in row["attributes"]}
    short = target.split(".")[1]
    if name == "func_v1" or name == "return_v1":
        return [main_of([F], [F], lambda r: [r.args[0]])]
    if name in ("async_start_v1", "async_done_v1"):
        return async_example()
    if target == "func.call":
        return call_example(name)
    if short == "composite":
        return composite_example(name)
    if short == "custom_call":
        return custom_call_example(name, wanted)
    if short in ("uniform_quantize", "uniform_dequantize"):
        return quantize_example(name)
    maker = {"case": case_example, "if": if_example, "while": while_example, "reduce": reduce_example}.get(short)
    return maker(name) if maker else fixed_example(name, row)


def special_examples():
    """name -> (first version, ops): forms of attributes and types that the per-op examples leave out."""
    algorithm = {"lhs_precision_type": type_attr("bf16"), "rhs_precision_type": type_attr("bf16"),
                 "accumulation_type": type_attr("f32"), "lhs_component_count": integer(1),
                 "rhs_component_count": integer(1), "num_primitive_operations": integer(1),
                 "allow_imprecise_accumulation": boolean(False)}
    default = enumerator("Precision", "DEFAULT")
    dot = {**FIXED["dot_general"][2], **algorithm, "precision_config": array([default, default])}
    mesh = mesh_axes([("x", 2), ("y", 4)], ["x", ("y", 1, 2)])
    types = ["2xi4", "2xui4", "2xi8", "2xui8", "2xi16", "2xui16", "2xi64", "2xui64", "2xbf16", "2xf16", "2xf64",
             "2xcomplex<f32>", "2xf8E4M3FN", "2xf8E5M2", "0x3xf32", "f32", "?x4xf32", "4294967296xf32"]
    return {
        "types": ("0.9.0", [main_of(types, types, lambda r: r.args)]),
        "small_floats": ("1.8.0", [main_of(*[["2x" + t for t in (
            "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3B11FNUZ", "i2", "ui2", "f8E4M3", "f8E3M4", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN",
            "f8E8M0FNU")]] * 2, lambda r: r.args)]),
        "algorithm": ("1.6.0", [main_of(["5x2x3xf32", "5x3x4xf32"], ["5x2x4xf32"],
                                        lambda r: [r.add(Op("dot_general_v2", r.args, ["5x2x4xf32"], dot))])]),
        "tolerance": ("1.10.0", [main_of([F], [F], lambda r: [r.add(Op("tanh_v2", r.args, [F], {
            "result_accuracy": accuracy("TOLERANCE", 1e-5, 0.0, 2)}))])]),
        "highest": ("1.10.0", [main_of([F], [F], lambda r: [r.add(Op("sqrt_v2", r.args, [F], {
            "result_accuracy": accuracy("HIGHEST")}))])]),
        "mesh_groups": ("1.16.0", [main_of([F], [F], lambda r: [r.add(Op("all_reduce_v2", r.args, [F], {
            **{k: v for k, v in CHANNEL.items()}, "replica_groups": mesh}, [combiner()]))])]),
        "config_dictionary": ("1.3.0", [main_of([F], [F], lambda r: [r.add(Op("custom_call_v1", r.args, [F], {
            "api_version": enumerator("CustomCallApiVersion", "TYPED_FFI"),
            "backend_config": dictionary({"n": integer(3, "i32"), "x": float32(0.5), "s": string("t")}),
            "call_target_name": string("ffi"), "called_computations": array([]), "has_side_effect": boolean(False),
            "operand_layouts": array([]), "result_layouts": array([]), "output_operand_aliases": array([])}))])]),
        "buffers": ("1.13.0", [main_of([buffer_type("f32", [2, 3])], [buffer_type("f32", [2, 3])],
                                       lambda r: [r.args[0]])]),
        "constants": ("0.9.0", [main_of([], [t for t, _ in CONSTANTS], lambda r: [
            r.add(Op("constant_v1", results=[t], attributes={"value": v})) for t, v in CONSTANTS])]),
    }


CONSTANTS = [
    ("4xf32", dense("f32", [4], b"\0\0\x80?")), ("f32", dense("f32", [], b"\0\0\xc0\x7f")),
    ("2x2xf32", dense("f32", [2, 2], bytes(range(16)))), ("0x3xf32", dense("f32", [0, 3], b"")),
    ("3xi1", dense("i1", [3], b"\5")), ("9xi1", dense("i1", [9], b"\5\1")), ("4xi1", dense("i1", [4], b"\xff")),
    ("9xi1", dense("i1", [9], b"\0")), ("i1", dense("i1", [], b"\xff")),
    ("3xi4", dense("i4", [3], b"\x0f\x07\x08")), ("2xcomplex<f32>", dense("complex<f32>", [2], bytes(range(16)))),
    ("2xui64", dense("ui64", [2], b"\xff" * 8)), ("2xbf16", dense("bf16", [2], b"\x80?\0@")),
]


def newest_of(row):
    return row["until"]


def oldest_of(row):
    return max(row["since"], "0.9.0", key=parse_version)
