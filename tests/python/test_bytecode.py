"""MLIR bytecode: every op, version and container version is read, and gives the graph that the same module's text gives.

Two independent writers: vhlo_writer.py, for all versions, and StableHLO's own in jaxlib, for the versions it knows."""

import concurrent.futures

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src.interpreters.mlir import make_ir_context
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxlib.mlir.dialects import stablehlo

import vhlo_examples
from programs import ROOT, refused, run, succeed
from vhlo_writer import NEWEST, TABLE, Writer, ops_in, parse_version, versions

JAXLIB = stablehlo.get_current_version()
JAXLIB_VERSIONS = [v for v in versions() if parse_version(v) <= parse_version(JAXLIB)]


def graph_of(path, data):
    """The graph level's text of a program as it is read: no passes."""
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return succeed("openneuron", "opt", path).stdout


def all_graphs(folder, programs):
    """name -> text, for name -> content."""
    names = list(programs)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        texts = pool.map(lambda n: graph_of(folder / f"{n}.input", programs[n]), names)
    return dict(zip(names, texts))


def text_by_jaxlib(data, generic=False):
    return stablehlo.deserialize_portable_artifact(make_ir_context(), data).operation.get_asm(print_generic_op_form=generic)


def examples():
    """(name, version) -> bytecode of each op's oldest and newest version, and of the special forms."""
    found = {}
    for name, row in TABLE["ops"].items():
        for version in {row["since"], row["until"]}:
            found[f"{name}-{version}"] = Writer(version).write(vhlo_examples.example(name))
    for name, (version, ops) in vhlo_examples.special_examples().items():
        for v in {version, NEWEST}:
            found[f"special_{name}-{v}"] = Writer(v).write(ops)
    return found


@pytest.fixture(scope="module")
def example_graphs(tmp_path_factory):
    return all_graphs(tmp_path_factory.mktemp("examples"), examples())


def test_every_op_of_the_table_is_read(example_graphs):
    assert len(TABLE["ops"]) == 145
    for name, row in TABLE["ops"].items():
        texts = [example_graphs[f"{name}-{v}"] for v in (row["since"], row["until"])]
        assert texts[0] == texts[1], name  # an op means the same in each version that has it
        target = row["target"].split(".")[1]
        assert target in texts[0] or target == "func", f"{name}\n{texts[0]}"


def test_older_forms_become_the_newest(example_graphs):
    for name, row in TABLE["ops"].items():
        newer = name[:-1] + "2"
        if name.endswith("_v1") and newer in TABLE["ops"]:
            newer_row = TABLE["ops"][newer]
            assert example_graphs[f"{name}-{row['until']}"] == example_graphs[f"{newer}-{newer_row['since']}"], name


def test_same_graph_as_from_stablehlos_text(tmp_path, example_graphs):
    texts = {}
    for name, data in examples().items():
        if parse_version(name.rsplit("-", 1)[1]) <= parse_version(JAXLIB):
            texts[name + ".generic"] = text_by_jaxlib(data, generic=True)
            if "einsum" not in name:  # deprecated; its short form is not read
                texts[name + ".pretty"] = text_by_jaxlib(data)
    assert len(texts) > 300
    for name, text in all_graphs(tmp_path, texts).items():
        assert text == example_graphs[name.rsplit(".", 1)[0]], name


@pytest.mark.parametrize("name", ["while_v1", "reduce_v1", "case_v1", "scatter_v1"])
def test_every_container_version(tmp_path, name):
    """Each container version in turn around the same program, whatever version StableHLO would have taken."""
    graphs = all_graphs(tmp_path, {str(v): Writer("0.9.0", bytecode=v).write(vhlo_examples.example(name)) for v in range(7)})
    assert len(set(graphs.values())) == 1, graphs


def test_table_and_writer_agree_on_versions():
    assert parse_version(NEWEST) >= parse_version(JAXLIB)
    assert {name for name, _ in ops_in("0.9.0")} >= {"add_v1", "gather_v1", "dot_general_v1"}
    assert "dot_general_v2" not in {name for name, _ in ops_in("1.5.0")}


# ---- programs from JAX, written by jaxlib

F32 = jnp.float32


def shaped(*shape, dtype=F32):
    return jax.ShapeDtypeStruct(shape, dtype)


def step(w, v, x):
    def loss(w, v):
        return -jnp.mean(jax.nn.log_softmax(jnp.tanh(x @ w) @ v)[:, 0])
    gw, gv = jax.grad(loss, (0, 1))(w, v)
    return w - 0.1 * gw, v - 0.1 * gv


def loops(x, n):
    y = x * 2
    z = jax.lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * 0.5 + y), (0, x))[1]
    return jax.lax.cond(n > 3, lambda: z + y, lambda: z - 1), jax.lax.scan(lambda c, r: (c + r, c * r), x[0], x)


def indexing(x, i):
    return x[i], x.at[i].add(1.0), jnp.sort(x, axis=1), jnp.argmax(x, axis=1), jax.lax.dynamic_update_slice(x, x[:2], (i[0], 0))


def numbers(x):
    return (jnp.fft.rfft(x), jnp.array([1 + 2j, 3 - 4j]), x.astype(jnp.bfloat16), x.astype(jnp.float8_e4m3fn),
            jnp.array([True, False, True]), jnp.arange(300) * jnp.array(range(300)),
            jax.random.normal(jax.random.key(3), (5,)), jnp.cumsum(x), jax.scipy.special.erf(x), jax.lax.top_k(x, 2))


def convolution(x, k):
    y = jax.lax.conv_general_dilated(x, k, (1, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def sharded(x):
    mesh = Mesh(np.array(jax.devices()[:1]), ("x",))
    constrained = jax.lax.with_sharding_constraint(x * 2, NamedSharding(mesh, PartitionSpec("x")))
    return jax.shard_map(lambda a: jax.lax.psum(a, "x"), mesh=mesh, in_specs=PartitionSpec("x"), out_specs=PartitionSpec())(
        constrained)


PROGRAMS = {
    "step": (step, shaped(5, 7), shaped(7, 3), shaped(4, 5)),
    "loops": (loops, shaped(6, 2), shaped(dtype=jnp.int32)),
    "indexing": (indexing, shaped(9, 4), shaped(3, dtype=jnp.int32)),
    "numbers": (numbers, shaped(16)),
    "convolution": (convolution, shaped(1, 8, 8, 3), shaped(3, 3, 3, 4)),
    "sharded": (sharded, shaped(4, 3)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_jax_export(tmp_path, name):
    make, *arguments = PROGRAMS[name]
    exported = jax.export.export(jax.jit(make), platforms=["neuron"])(*arguments)
    graphs = all_graphs(tmp_path, {"bytecode": exported.mlir_module_serialized, "text": exported.mlir_module()})
    assert graphs["bytecode"] == graphs["text"]


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n != "sharded"])  # Shardy needs a target of 1.11 or more
def test_every_version_that_jaxlib_writes(tmp_path, name):
    make, *arguments = PROGRAMS[name]
    module = jax.jit(make).trace(*arguments).lower(lowering_platforms=("neuron",)).compiler_ir("stablehlo")
    with module.context:
        programs = {"text": module.operation.get_asm(enable_debug_info=True)}
        for version in JAXLIB_VERSIONS:
            if name == "numbers" and parse_version(version) < (1, 11, 0):
                continue  # chlo.top_k stays as it is, which older targets do not admit
            programs[version] = stablehlo.serialize_portable_artifact(module, version, parse_version(version) >= (1, 11, 0))
    graphs = all_graphs(tmp_path, programs)
    for version, graph in graphs.items():
        assert graph == graphs["text"], version


# ---- what is refused

BAD = {
    "bad_version": "ON-E1403", "bad_vhlo_version": "ON-E1403", "bad_raw_stablehlo": "ON-E1404", "bad_op": "ON-E1405",
    "bad_attribute_code": "ON-E1406", "bad_type_code": "ON-E1406", "bad_sparse": "ON-E1407", "bad_depth": "ON-E1408",
    "bad_expansion": "ON-E1408", "bad_region_depth": "ON-E1408", "bad_literal": "ON-E1402", "bad_arity": "ON-E1402",
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_refusals(name):
    file = ROOT / "tests/fuzz/seeds/bytecode" / f"{name}.bc"
    result = refused(run("openneuron", "opt", file), code=BAD[name], place=r"byte \d+")
    if name == "bad_op":
        assert "frobnicate_v1" in result.stderr and "StableHLO_v" + NEWEST in result.stderr


def test_a_file_cut_short(tmp_path):
    data = Writer(NEWEST).write(vhlo_examples.example("while_v1"))
    for size in range(4, len(data), 37):
        file = tmp_path / f"cut{size}"
        file.write_bytes(data[:size])
        refused(run("openneuron", "opt", file), code=r"ON-E14\d\d")
