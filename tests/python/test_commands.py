"""The small commands of openneuron: opt, show, report, strip, explain, and what they refuse."""

import json

import numpy as np
import pytest

from programs import ROOT, load, model, neff, refused, run, source, succeed


def test_explain_prints_the_page():
    for code in ("ON-E1001", "on-e1001", "NCC_EARG001"):
        page = (ROOT / "docs" / "errors" / f"{code.upper()}.md").read_text()
        assert succeed("openneuron", "explain", code).stdout == page
    refused(run("openneuron", "explain", "frobnicate"), code="ON-E2103")


def test_every_page_is_built_in():
    for page in sorted((ROOT / "docs" / "errors").glob("*.md")):
        if page.stem != "README":
            assert succeed("openneuron", "explain", page.stem).stdout == page.read_text(), page.stem


def test_unknown_passes_are_refused():
    file = source(model("tiny_add"))
    for option in ("--passes", "--disable", "--dump-after", "--stop-after"):
        assert "no_such_pass" in refused(run("openneuron", "opt", file, option, "no_such_pass"), code="ON-E2104").stderr
    refused(run("openneuron", "opt", file, "--to", "neff", "--disable", "lower"), code="ON-E2104")


def test_a_file_of_the_wrong_format_is_refused(scratch, tmp_path):
    text, code = source(model("tiny_add"), "mlir"), neff(model("tiny_add"), "trn2", scratch)
    refused(run("openneuron", "opt", code, "--to", "graph"), code="ON-E2102")
    refused(run("openneuron", "opt", code, "--to", "tile"), code="ON-E2102")
    refused(run("openneuron", "ref", code, "--seed", "1"), code="ON-E2102")
    refused(run("openneuron", "show", text), code=r"ON-E18\d\d")
    refused(run("openneuron", "strip", text, "-o", tmp_path / "out"), code=r"ON-E18\d\d")
    assert not (tmp_path / "out").exists()


def test_dump_and_stop():
    file = source(model("tiny_softmax"))
    dumped = succeed("openneuron", "opt", file, "--to", "neff", "-o", "/dev/null", "--dump-after", "legalise,lower")
    assert "// ---- after legalise\n" in dumped.stderr and "// ---- after lower\ntile " in dumped.stderr
    stopped = succeed("openneuron", "opt", file, "--stop-after", "lower")
    assert stopped.stdout.startswith("tile ") and stopped.stderr == ""
    timed = succeed("openneuron", "run", file, "--seed", "1", "--time-passes")
    assert "lower" in timed.stderr and "total" in timed.stderr


def test_show_and_report(scratch):
    file = neff(model("mlp"), "trn2", scratch)
    whole, short = succeed("openneuron", "show", file).stdout, succeed("openneuron", "show", file, "--header").stdout
    assert whole.startswith(short) and "instructions" in whole and "input0" in short
    shown = json.loads(succeed("openneuron", "show", file, "--json").stdout)
    assert shown["target"] == "trn2" and shown["header"]["package_version"] == 2
    assert [v["name"] for v in shown["variables"] if v["kind"] == "output"][:2] == ["output0", "output1"]
    text = succeed("openneuron", "report", file).stdout
    assert "estimated time" in text and "mlp.py" in text and "PE" in text
    assert json.loads(succeed("openneuron", "report", file, "--json").stdout)["estimated_ns"] > 0


def test_graph_text_is_printed_as_it_was_read(tmp_path):
    """Printing is a fixed point: the printed graph reads and prints the same."""
    first = succeed("openneuron", "opt", source(model("gpt"))).stdout
    (tmp_path / "again.mlir").write_text(first)
    assert succeed("openneuron", "opt", tmp_path / "again.mlir").stdout == first


def test_a_single_npy_is_input0(tmp_path):
    (tmp_path / "negate.mlir").write_text(
        "func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
        "  %0 = stablehlo.negate %arg0 : tensor<2x3xf32>\n  return %0 : tensor<2x3xf32>\n}\n"
    )
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.save(tmp_path / "in.npy", array)
    succeed("openneuron", "run", tmp_path / "negate.mlir", "--inputs", tmp_path / "in.npy", "--outputs", tmp_path / "o.npz")
    np.testing.assert_array_equal(load(tmp_path / "o.npz")["output0"], -array)


@pytest.mark.parametrize("kind", ("float64",))
def test_ref_in_float64(kind, tmp_path):
    folder = model("tiny_softmax")
    succeed("openneuron", "ref", source(folder), "--inputs", folder / "inputs.npz", "--outputs", tmp_path / "o.npz", "--float64")
    out = load(tmp_path / "o.npz")["output0"]
    assert out.dtype == kind
    np.testing.assert_allclose(out.sum(axis=-1), 1, rtol=1e-12)
