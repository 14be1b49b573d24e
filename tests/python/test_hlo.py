"""HloModuleProtos: read as XLA reads them, and programs that compute what JAX computes.

XLA's own reader in jaxlib turns a proto into StableHLO text; our text of the same data flow is the evidence that ours
reads the same. It writes some things otherwise, see `as_xla_writes`.
"""

import fnmatch
import os
import pathlib
import re

os.environ["JAX_PLATFORMS"] = "cpu"

import export
import numpy as np
import pytest
from graph_flow import flow
from hlo_probes import DONATED, PROBES, lowered, proto, right_values
from programs import execute, load, model, refused, run, same_bytes, source, succeed

SEEDS = pathlib.Path(__file__).resolve().parent.parent / "fuzz/seeds/hlo_proto"
# Seeds that XLA's reader does not take, or writes in dialects of its own.
XLA_REFUSES = {"constant_column_major", "constant_tuple", "convolution", "effects", "old_dynamic_slice", "shardings", "top_k", "tuples", "unordered_ids", "wrapped"}
# Read otherwise on purpose: AwsNeuronTopK is an op here; XLA moved lists of groups to a new field and ignores the old.
READ_OTHERWISE = {"custom_calls", "collectives"}
# Opcodes that XLA's text has in its own dialect.
MHLO = {"top_k", "acos", "acosh", "asin", "asinh", "atanh", "cosh", "sinh", "erf"}

# XLA:CPU narrows to 16 bits within these; the oracle computes in float64 throughout.
NARROWED = {"bf16_constant", "convert_to_bf16", "convert_to_f16", "dot_algorithm", "dot_mixed"}


def as_xla_writes(line: str) -> str:
    """No comparison types but TOTALORDER's, `dot` for plain products, layouts on transposes."""
    line = re.sub(r", (SIGNED|UNSIGNED|FLOAT) : ", " : ", line)
    line = re.sub(r' \{result_layout = .*?"\}', "", line)
    plain = re.match(r"stablehlo\.dot (\S+ \S+), precision.* : \(tensor<((?:\d+x)*)", line)
    if plain:
        line = line.replace(f"stablehlo.dot {plain[1]}", f"stablehlo.dot_general {plain[1]}, contracting_dims = [{plain[2].count('x') - 1}] x [0]")
    return line


def graph(file) -> str:
    return succeed("openneuron", "opt", file, "--passes", "inline_calls").stdout


def xla_text(data: bytes) -> str:
    from jax._src.interpreters import mlir
    from jax._src.lib import _jax
    from jax._src.lib.mlir import ir

    with mlir.make_ir_context():
        return str(ir.Module.parse(_jax.mlir.hlo_to_stablehlo(data)))


def reads_as_xla(file: pathlib.Path, folder: pathlib.Path) -> bool:
    text = folder / "xla.mlir"
    text.write_text(xla_text(file.read_bytes()))
    return flow(graph(file), as_xla_writes) == flow(graph(text), as_xla_writes)


def test_flow_tells_programs_apart(tmp_path):
    """The comparison notices a swapped operand, another constant, attribute or region, and ignores order and names."""
    body = """func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.negate %arg0 : tensor<2xf32>
    %1 = stablehlo.sine %arg1 : tensor<2xf32>
    %2 = stablehlo.subtract %0, %1 : tensor<2xf32>
    return %2 : tensor<2xf32>\n}"""
    renamed = body.replace("%0", "%7").replace("    %7 = stablehlo.negate %arg0 : tensor<2xf32>\n", "").replace("    %2 =", "    %7 = stablehlo.negate %arg0 : tensor<2xf32>\n    %2 =")
    assert flow(body) == flow(renamed) and renamed != body
    for changed in (body.replace("%0, %1", "%1, %0"), body.replace("sine %arg1", "sine %arg0"), body.replace("sine", "cosine")):
        assert flow(changed) != flow(body)


@pytest.mark.parametrize("name", sorted(p.stem for p in SEEDS.glob("*.pb") if not p.stem.startswith("bad_")))
def test_seeds(name, tmp_path):
    if name in XLA_REFUSES | READ_OTHERWISE:
        graph(SEEDS / f"{name}.pb")
    else:
        assert reads_as_xla(SEEDS / f"{name}.pb", tmp_path)


@pytest.mark.parametrize("name", sorted({p.stem[:8]: p.stem for p in SEEDS.glob("bad_*.pb")}.values()))
def test_refusals(name):
    """One of each code; tests/import/hlo_read_test.cpp has them all."""
    refused(run("openneuron", "opt", SEEDS / f"{name}.pb", "--to", "graph"), code=f"ON-E{name.split('_')[1]}", place=name)


SMALL = ("mlp", "gpt", "gpt_bf16", "decode", "decode_bf16", "tiny_*")


@pytest.mark.parametrize("name", sorted({hit for pattern in SMALL for hit in fnmatch.filter(export.all_names(), pattern)}))
def test_programs_read_as_xla_reads_them(name, tmp_path):
    assert reads_as_xla(source(model(name), "hlo.pb"), tmp_path)


# XLA's text has top_k in its own dialect.
UNREADABLE = {"mixture", "mixture_grads"}


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(n for n in export.all_names() if not n.startswith("tiny_") and n not in UNREADABLE))
def test_all_programs_read_as_xla_reads_them(name, tmp_path):
    assert reads_as_xla(source(model(name), "hlo.pb"), tmp_path)


@pytest.mark.parametrize("name", sorted(PROBES))
def test_probes(name, tmp_path):
    """Each opcode that JAX reaches: the graph is XLA's, and the oracle computes what XLA:CPU computes."""
    function, *arguments = PROBES[name]
    file = tmp_path / f"{name}.pb"
    file.write_bytes(proto(function, *arguments))
    if name not in MHLO:
        assert reads_as_xla(file, tmp_path)
    np.savez(tmp_path / "in.npz", **{f"input{i}": a for i, a in enumerate(arguments)})
    result = run("openneuron", "ref", file, "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz")
    if result.status and "ON-E1190" in result.codes:
        pytest.skip("the oracle does not cover it")
    assert result.status == 0, str(result)
    outputs = load(tmp_path / "out.npz")
    rights = right_values(function, *arguments)
    assert len(outputs) == len(rights)
    for k, right in enumerate(rights):
        value = outputs[f"output{k}"]
        if value.dtype.kind == "V":
            value = value.view(right.dtype)
        assert value.shape == right.shape
        if right.dtype.kind in "fcV":
            wide = np.complex128 if right.dtype.kind == "c" else np.float64
            tolerance = 2e-2 if name in NARROWED else 2e-5
            np.testing.assert_allclose(value.astype(wide), right.astype(wide), rtol=tolerance, atol=tolerance)
        else:
            assert np.array_equal(value, right)


def test_donation(tmp_path):
    file = tmp_path / "donated.pb"
    file.write_bytes(proto(*DONATED, donate_argnums=0))
    assert re.search(r"%arg0: tensor<3x5xf32> \{tf.aliasing_output = 0 : i32\}", graph(file))


def test_locations(tmp_path):
    """op_name and the stack of the module's index become the location."""
    text = succeed("openneuron", "opt", SEEDS / "locations.pb", "--to", "stream").stdout
    assert re.search(r'"train\.py:4:2[^"]*jit\(f\)/mul|jit\(f\)/mul', text)
    assert "layer.py:30:7" in text and "model.py:12" in text


def code_alone(file) -> list[str]:
    """The engine code's text without locations, which XLA's reader of the text adds to."""
    lines = succeed("openneuron", "opt", file, "--to", "stream").stdout.splitlines()
    return [re.sub(r" loc\(\d+\)", "", line) for line in lines if not line.startswith("  location")]


# XLA writes down an empty constant that nothing reads, or constants in another place: other code for the same bits.
OTHER_CODE = {"tiny_empty_tensors", "tiny_update_donated", "tiny_while_input_trips", "tiny_while_nested", "tiny_while_update_rows", "tiny_while_zero_trips"}


@pytest.mark.parametrize("name", sorted({hit for pattern in SMALL for hit in fnmatch.filter(export.all_names(), pattern)} - OTHER_CODE))
def test_text_and_proto_give_the_same_engine_code(name):
    """XLA writes some ops otherwise (docs/hlo_proto.md); the compiler undoes all of it."""
    folder = model(name)
    assert code_alone(source(folder, "lowered.mlir")) == code_alone(source(folder, "hlo.pb"))


@pytest.mark.parametrize("name", sorted({"mlp", "decode_bf16", "tiny_scan", *OTHER_CODE}))
def test_runs_give_the_bits_of_the_text(name, scratch):
    folder = model(name)
    text, _ = execute(source(folder, "lowered.mlir"), folder / "inputs.npz", scratch)
    code, _ = execute(source(folder, "hlo.pb"), folder / "inputs.npz", scratch)
    assert same_bytes(text, code) == []


def test_neuronx_cc_takes_a_proto(tmp_path):
    folder = model("mlp")
    succeed("neuronx-cc", "compile", "--framework", "XLA", source(folder, "hlo.pb"), "--target", "trn2", "--output", "made.neff", cwd=tmp_path)
    outputs, _ = execute(tmp_path / "made.neff", folder / "inputs.npz", tmp_path)
    again, _ = execute(source(folder, "hlo.pb"), folder / "inputs.npz", tmp_path)
    assert same_bytes(outputs, again) == []


def test_variables_have_the_names_that_the_program_gives(tmp_path):
    """Inputs are found by their names and by position; a name that is taken or unusable gives way to the position's."""
    left, right = np.arange(6, dtype=np.float32).reshape(2, 3), np.full((2, 3), 0.5, np.float32)
    for number, names in enumerate((("left", "right"), ("input0", "input1"))):
        np.savez(tmp_path / "in.npz", **dict(zip(names, (left, right))))
        outputs, _ = execute(SEEDS / "names.pb", tmp_path / "in.npz", tmp_path, env={"RUN": str(number)})
        assert sorted(outputs) == ["product", "sum"]
        assert np.array_equal(outputs["sum"], left + right) and np.array_equal(outputs["product"], left * right)

    def names_in(text: str) -> list[str]:
        file = tmp_path / "named.mlir"
        file.write_text(text)
        return re.findall(r"%(\S+) = private_hbm (?:input|output)", succeed("openneuron", "opt", file, "--to", "stream").stdout)

    given = ("a b/c", "output0", "a_b_c", "constant1", "0")
    arguments = ", ".join(f'%{i}: tensor<f32> {{neff.name = "{name}"}}' for i, name in enumerate(given)).replace("%", "%arg")
    found = names_in(f"func.func @main({arguments}) -> (tensor<f32>) {{\n  %0 = stablehlo.add %arg0, %arg1 : tensor<f32>\n  return %0 : tensor<f32>\n}}")
    assert found == ["a_b_c", "input1", "input2", "input3", "input4", "output0"]


def test_the_name_does_not_matter(tmp_path):
    file = tmp_path / "program.mlir"
    file.write_bytes((SEEDS / "add.pb").read_bytes())
    assert "stablehlo.add" in graph(file)
    assert "stablehlo.add" in graph(SEEDS / "wrapped.pb")
