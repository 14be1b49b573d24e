"""The drop-in compiler: console, files, options and exit codes as AWS's (compile page, observed builds)."""

import re

import pytest

from compare import check_program
from programs import engine_code, execute, left_behind, model, neff, run, source, succeed

LOG_LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ (DEBUG|INFO|USER|WARNING|ERROR|CRITICAL) \d+ \[[\w./-]+\]: .*")


def compile_options(folder, *more):
    return ["compile", "--framework", "XLA", source(folder), "--target", "trn2", *more]


def test_success_on_the_console(tmp_path):
    """Dots at most, then the status line; nothing on stderr; the NEFF and the log in the current folder."""
    result = succeed("neuronx-cc", *compile_options(model("mlp"), "--output", "mlp.neff"), cwd=tmp_path)
    lines = result.stdout.splitlines()
    assert lines[-1] == "Compiler status PASS"
    assert re.fullmatch(r"\.*\n?Compiler status PASS\n", result.stdout), result.stdout
    assert result.stderr == ""
    assert left_behind(tmp_path) == {"mlp.neff", "log-neuron-cc.txt"}


def test_default_output_is_file_neff(tmp_path):
    succeed("neuronx-cc", *compile_options(model("tiny_add")), cwd=tmp_path)
    assert "file.neff" in left_behind(tmp_path)


def test_log_file(tmp_path):
    succeed("neuronx-cc", *compile_options(model("tiny_add"), "--logfile", "here.log"), cwd=tmp_path)
    lines = (tmp_path / "here.log").read_text().splitlines()
    assert lines and all(LOG_LINE.fullmatch(line) for line in lines), lines
    assert "log-neuron-cc.txt" not in left_behind(tmp_path)


ORDERS = {
    "equals signs": lambda f: ["compile", "--framework=XLA", f, "--target=trn2", "--output=o.neff"],
    "options first": lambda f: ["--target=trn2", "compile", "--framework", "XLA", f, "--output", "o.neff"],
    "file last": lambda f: ["compile", "--output", "o.neff", "--framework", "XLA", "--target", "trn2", f],
    "right-most wins": lambda f: ["compile", "--framework", "XLA", f, "--target", "trn1", "--target", "trn2", "--output", "o.neff"],
}


@pytest.mark.parametrize("order", ORDERS)
def test_order_of_options(order, tmp_path, scratch):
    folder = model("tiny_softmax")
    succeed("neuronx-cc", *ORDERS[order](source(folder)), cwd=tmp_path)
    assert engine_code(tmp_path / "o.neff") == engine_code(neff(folder, "trn2", scratch))


@pytest.mark.parametrize("kind", ("mlirbc", "mlir", "lowered.mlir", "generic.mlir"))
def test_text_and_bytecode(kind, tmp_path, scratch):
    folder = model("mlp")
    succeed("neuronx-cc", "compile", "--framework", "XLA", source(folder, kind), "--target", "trn2", "--output", "o.neff", cwd=tmp_path)
    outputs, _ = execute(tmp_path / "o.neff", folder / "inputs.npz", scratch)
    assert check_program(outputs, folder) == []


@pytest.mark.parametrize("target", ("trn1", "trn2", "trn3"))
def test_targets(target, tmp_path, scratch):
    folder = model("tiny_softmax")
    succeed("neuronx-cc", "compile", "--framework", "XLA", source(folder), "--target", target, "--output", "o.neff", cwd=tmp_path)
    assert engine_code(tmp_path / "o.neff") == engine_code(neff(folder, target, scratch))


@pytest.mark.parametrize("verbose", ("info", "INFO", "35", "debug", "error"))
def test_verbosity_values(verbose, tmp_path):
    succeed("neuronx-cc", *compile_options(model("tiny_add"), "--verbose", verbose, "--output", "o.neff"), cwd=tmp_path)


def diagnosed(result, code, tmp_path):
    assert result.status == 70, str(result)
    assert re.search(rf"\[ERROR\] \[{code}\]", result.stderr), str(result)
    assert "Compiler status PASS" not in result.stdout
    assert not any(name.endswith(".neff") for name in left_behind(tmp_path))


def test_wrong_program_exits_with_70(tmp_path):
    (tmp_path / "bad.mlir").write_text(
        "func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<3xf32>) -> tensor<2xf32> {\n"
        "  %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n"
    )
    result = run("neuronx-cc", "compile", "--framework", "XLA", "bad.mlir", "--target", "trn2", cwd=tmp_path)
    assert result.status == 70 and len(set(result.codes)) == 1, str(result)
    assert "bad.mlir:2" in result.stderr and "Compiler status PASS" not in result.stdout
    assert "file.neff" not in left_behind(tmp_path)
    assert any(result.codes[0] in line for line in (tmp_path / "log-neuron-cc.txt").read_text().splitlines())


def test_unknown_option(tmp_path):
    result = run("neuronx-cc", *compile_options(model("tiny_add"), "--no-such-thing"), cwd=tmp_path)
    diagnosed(result, "NCC_EARG002", tmp_path)
    assert "--no-such-thing" in result.stderr


def test_lnc_2_is_refused_for_now(tmp_path):
    for spelling in (["--lnc", "2"], ["--lnc=2"], ["-lnc", "2"], ["--logical-nc-config", "2"]):
        result = run("neuronx-cc", *compile_options(model("tiny_add"), *spelling), cwd=tmp_path)
        assert result.status == 70 and len(set(result.codes)) == 1, str(result)
        assert not any(name.endswith(".neff") for name in left_behind(tmp_path))
    result = run("neuronx-cc", "compile", "--framework", "XLA", source(model("tiny_add")), "--target", "trn1", "--lnc", "2", cwd=tmp_path)
    diagnosed(result, "NCC_EARG001", tmp_path)


def test_lnc_1_is_accepted(tmp_path):
    succeed("neuronx-cc", *compile_options(model("tiny_add"), "--lnc", "1"), cwd=tmp_path)


@pytest.mark.parametrize("arguments", (["compile"], ["compile", "--framework", "XLA"], ["compile", "--framework", "TF", "x", "--target", "trn2"]), ids=str)
def test_incomplete_command_line(arguments, tmp_path):
    result = run("neuronx-cc", *arguments, cwd=tmp_path)
    assert result.status in (2, 70) and (result.stderr + result.stdout).strip(), str(result)


def test_without_arguments_it_explains_itself(tmp_path):
    result = run("neuronx-cc", cwd=tmp_path)
    assert result.status in (0, 2) and "compile" in result.stdout + result.stderr


def test_absent_file(tmp_path):
    result = run("neuronx-cc", "compile", "--framework", "XLA", "absent.mlir", "--target", "trn2", cwd=tmp_path)
    assert result.status == 70 and result.codes and "absent.mlir" in result.stderr, str(result)


def test_unknown_target(tmp_path):
    result = run("neuronx-cc", "compile", "--framework", "XLA", source(model("tiny_add")), "--target", "trn9", cwd=tmp_path)
    assert result.status != 0 and "trn9" in result.stderr + result.stdout, str(result)


def test_nothing_of_ours_on_its_help():
    """Its options are AWS's alone."""
    result = succeed("neuronx-cc", "compile", "--help")
    for word in ("--framework", "--target", "--output", "--verbose", "--logfile", "--lnc"):
        assert word in result.stdout
    for word in ("--disable ", "--dump-after", "--numerics", "--host-isa", "openneuron"):
        assert word not in result.stdout


def test_header_of_the_neff(tmp_path):
    """1024 bytes, little-endian, at the documented offsets; then a gzipped tar of the documented members."""
    import hashlib
    import io
    import tarfile

    (tmp_path / "deep").mkdir()
    succeed("neuronx-cc", *compile_options(model("mlp"), "--output", "deep/mlp.neff"), cwd=tmp_path)
    whole = (tmp_path / "deep" / "mlp.neff").read_bytes()
    data = whole[1024:]
    words = [int.from_bytes(whole[at : at + 8], "little") for at in range(0, 40, 8)]
    assert words == [2, 1024, len(data), 2, 0]  # package version, header and data bytes, NEFF version 2.0

    def text(at, size):
        return whole[at : at + size].rstrip(b"\0").decode()

    assert re.fullmatch(r"openneuron \d+\.\d+\.\d+.*", text(40, 128))
    assert int.from_bytes(whole[168:172], "little") == 1  # cores
    assert text(172, 32) == hashlib.md5(data).hexdigest()
    assert whole[204:220] == hashlib.sha256(data).digest()[:16]
    assert text(220, 256) == "mlp.neff"
    assert int.from_bytes(whole[552:556], "little") == 1  # lnc_size
    assert not any(whole[556:1024])
    assert data[:2] == b"\x1f\x8b" and data[4:8] == bytes(4)  # gzip without a time stamp
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        members = tar.getmembers()
    names = [m.name for m in members]
    assert names == sorted(names) and all(m.mtime == 0 for m in members)
    for name in ("neff.json", "info.json", "kelf-0.json", "sg00/def.json"):
        assert name in names, names
