"""Bytecode of every StableHLO version that jaxlib can write, 0.9.0 to 1.17.0, is the same program."""

import pytest

import export
import versions
from programs import model, source, succeed

TINY = sorted(n for n in export.all_names("probe") if not n.endswith("_large"))


def stream(file):
    return succeed("openneuron", "opt", file, "--to", "stream").stdout


def same_program(name, tmp_path, wanted=versions.VERSIONS):
    text = source(model(name), "mlir")
    expected = stream(text)
    files = versions.write(text.read_text(), tmp_path, wanted)
    assert wanted[-1] in files
    for version, file in files.items():
        assert stream(file).split("\n", 1)[1] == expected.split("\n", 1)[1], f"{name} written as {version}"


@pytest.mark.parametrize("name", ("mlp", "decode_bf16", "tiny_while_unknown_trips", "tiny_switch_1", "tiny_gather_batched", "tiny_pads"))
def test_every_version(name, tmp_path):
    same_program(name, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("name", TINY)
def test_oldest_and_newest(name, tmp_path):
    same_program(name, tmp_path, ("0.9.0", "1.0.0", "1.17.0"))
