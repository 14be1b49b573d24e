"""Whatever is fed in: one coded message with a place and a hint, the right exit status, nothing half written, no crash."""

import json
import os
import pathlib
import random
import resource
import shutil
import signal
import stat
import subprocess
import tempfile
import time

import numpy as np
import pytest

from programs import BIN, CODE, ROOT, left_behind, load, model, neff, refused, run, source, succeed

GOOD = """func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
"""


def text_of(tmp_path, text, name="program.mlir"):
    file = tmp_path / name
    file.write_text(text)
    return file


def compile_text(tmp_path, text):
    """Compiles a text into out.neff; whatever happens, out.neff is whole or absent and nothing else appears."""
    file = text_of(tmp_path, text)
    before = left_behind(tmp_path)
    result = run("openneuron", "opt", file, "--to", "neff", "-o", tmp_path / "out.neff", cwd=tmp_path)
    new = left_behind(tmp_path) - before
    assert new == ({"out.neff"} if result.status == 0 else set()), f"left behind {new}\n{result}"
    return result


# ---- programs that are wrong


def test_the_good_program_is_good(tmp_path):
    assert compile_text(tmp_path, GOOD).status == 0


WRONG = {
    "unknown op": (GOOD.replace("stablehlo.add", "stablehlo.frobnicate"), r"program\.mlir:2:\d+", "frobnicate"),
    "unknown dialect": (GOOD.replace("stablehlo.add", "linalg.add"), r"program\.mlir:2:\d+", "linalg"),
    "operand types differ": (GOOD.replace("%arg1: tensor<4x8xf32>", "%arg1: tensor<4x8xi32>"), r"program\.mlir:2:\d+", "stablehlo.add|arg1"),
    "operand shapes differ": (GOOD.replace("%arg1: tensor<4x8xf32>", "%arg1: tensor<8x4xf32>"), r"program\.mlir:2:\d+", "stablehlo.add|arg1"),
    "result type differs": (GOOD.replace("return %0 : tensor<4x8xf32>", "return %0 : tensor<4x9xf32>"), r"program\.mlir:3:\d+", ""),
    "undefined value": (GOOD.replace("%arg0, %arg1 :", "%arg0, %arg7 :"), r"program\.mlir:2:\d+", "arg7"),
    "value defined twice": (GOOD.replace("return", "%0 = stablehlo.add %arg0, %arg1 : tensor<4x8xf32>\n  return"), r"program\.mlir:3:\d+", "%?0"),
    "dynamic dimension": (GOOD.replace("4x8xf32", "?x8xf32"), r"program\.mlir", "input0|:[12]:\\d+"),  # an argument without loc() is named
    "unknown element type": (GOOD.replace("xf32", "xq7"), r"program\.mlir:1:\d+", ""),
    "no entry": (GOOD.replace("@main", "@one") + GOOD.replace("@main", "@two"), r"program\.mlir", "main"),
    "dot with unequal K": (
        """func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<5x6xf32>) -> tensor<3x6xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<5x6xf32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}
""",
        r"program\.mlir:2:\d+",
        "dot_general",
    ),
    "transpose that is no permutation": (
        """func.func @main(%arg0: tensor<3x4xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.transpose %arg0, dims = [1, 1] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
""",
        r"program\.mlir:2:\d+",
        "transpose",
    ),
    "huge tensor": (GOOD.replace("4x8xf32", "99999999999x99999999999xf32"), r"program\.mlir", ""),
    "constant of the wrong size": (
        """func.func @main() -> tensor<3xf32> {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<3xf32>
  return %0 : tensor<3xf32>
}
""",
        r"program\.mlir:2:\d+",
        "",
    ),
    "call of nothing": (GOOD.replace("stablehlo.add %arg0, %arg1 : tensor<4x8xf32>", "call @gone(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>"), r"program\.mlir:2:\d+", "gone"),
    "call of itself": (GOOD.replace("stablehlo.add %arg0, %arg1 : tensor<4x8xf32>", "call @main(%arg0, %arg1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>"), r"program\.mlir", "circle|recur"),
    "empty file": ("", r"program\.mlir", ""),
    "prose": ("Dear compiler, please add two tensors.\n", r"program\.mlir", ""),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_wrong_program(what, tmp_path):
    text, place, mentions = WRONG[what]
    result = compile_text(tmp_path, text)
    refused(result, place=place)
    import re

    assert re.search(mentions, result.stderr), str(result)


def test_deep_nesting_is_refused_without_overflow(tmp_path):
    """200,000 nested brackets, and 50,000 nested regions: refused or read, never a stack overflow."""
    for text in (
        GOOD.replace("stablehlo.add %arg0, %arg1 : tensor<4x8xf32>", "stablehlo.constant dense<" + "[" * 200_000),
        GOOD.replace("  return", "  " + '"stablehlo.case"(%arg0) ({\n' * 50_000 + "  return"),
        "loc(" * 100_000,
        "module {" * 100_000,
    ):
        refused(compile_text(tmp_path, text))


def test_text_truncated_anywhere(tmp_path):
    """Every tenth of the text of the MLP step, and each of its first characters."""
    whole = source(model("mlp"), "mlir").read_bytes()
    places = sorted({*range(0, 60, 3), *range(100, len(whole) - 4000, max(1, len(whole) // 40))})
    for place in places:
        file = tmp_path / "cut.mlir"
        file.write_bytes(whole[:place])
        result = run("openneuron", "opt", file, "--to", "neff", "-o", tmp_path / "out.neff")
        # A cut behind the module's end, inside the list of locations, can leave a whole program only if none is missing.
        refused(result, place=r"cut\.mlir")
        assert not (tmp_path / "out.neff").exists()


def crash_free(command, file, tmp_path):
    """Right or refused: never a signal, a hang or an uncoded message; a refused file leaves nothing."""
    out = tmp_path / "fuzzed.out"
    result = run("openneuron", *command, file, *(["-o", out] if command[0] != "run" else ["--outputs", out]), timeout=60)
    assert result.status in (0, 1), str(result)
    if result.status == 1:
        assert len(set(result.codes)) == 1 and "ON-E1099" not in result.codes, str(result)
        assert not out.exists()
    out.unlink(missing_ok=True)
    return result


def corrupt(data: bytes, chance: random.Random) -> bytes:
    """One of: cut, bytes overwritten, a slice removed, a slice doubled, a varint-like byte set to its extreme."""
    data, kind = bytearray(data), chance.randrange(5)
    at = chance.randrange(len(data))
    if kind == 0:
        return bytes(data[:at])
    if kind == 1:
        for _ in range(chance.randrange(1, 9)):
            data[chance.randrange(len(data))] = chance.randrange(256)
    elif kind == 2:
        del data[at : at + chance.randrange(1, 40)]
    elif kind == 3:
        data[at:at] = data[at : at + chance.randrange(1, 40)]
    else:
        data[at] = chance.choice((0, 0xFF, 0x7F, 0x80))
    return bytes(data)


def corrupted(whole: bytes, count: int, seed: int, command, name, tmp_path):
    chance, statuses = random.Random(seed), []
    for attempt in range(count):
        file = tmp_path / name
        file.write_bytes(corrupt(whole, chance))
        try:
            statuses.append(crash_free(command, file, tmp_path).status)
        except (AssertionError, subprocess.TimeoutExpired) as failure:
            kept = ROOT / "build" / "failed" / f"{seed}-{attempt}-{name}"
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, kept)
            pytest.fail(f"seed {seed}, attempt {attempt}, kept as {kept}: {failure}")
    return statuses


@pytest.mark.parametrize("count", (60, pytest.param(1500, marks=pytest.mark.full)))
@pytest.mark.parametrize("program", ("tiny_scan", "decode_bf16"))
def test_corrupt_bytecode(program, count, tmp_path):
    statuses = corrupted(source(model(program)).read_bytes(), count, count, ("opt", "--to", "neff"), "bad.mlirbc", tmp_path)
    assert statuses.count(1) > count // 3


@pytest.mark.parametrize("count", (40, pytest.param(1000, marks=pytest.mark.full)))
def test_corrupt_text(count, tmp_path):
    corrupted(source(model("tiny_scan"), "mlir").read_bytes(), count, count + 1, ("opt", "--to", "neff"), "bad.mlir", tmp_path)


def test_random_bytes(tmp_path):
    chance = random.Random(5)
    for length in (1, 2, 3, 4, 5, 17, 300, 5000, 100_000):
        for magic in (b"", b"ML\xefR", b"ML\xefR\x06StableHLO_v1.15.0\x00"):
            file = tmp_path / "random.bin"
            file.write_bytes(magic + chance.randbytes(length))
            refused(run("openneuron", "opt", file, "--to", "neff", "-o", tmp_path / "out.neff"), place=r"random\.bin")


def test_bytecode_says_the_byte_offset(tmp_path):
    whole = source(model("mlp")).read_bytes()
    file = tmp_path / "cut.mlirbc"
    file.write_bytes(whole[: len(whole) // 2])
    refused(run("openneuron", "opt", file, "--to", "neff", "-o", tmp_path / "o"), code=r"ON-E14\d\d", place=r"cut\.mlirbc.*\d")


def test_bytecode_without_vhlo_is_refused(tmp_path):
    result = run("openneuron", "opt", source(model("tiny_add"), "raw.mlirbc"), "--to", "neff", "-o", tmp_path / "o")
    refused(result, code=r"ON-E14\d\d")
    assert "vhlo" in result.stderr.lower()


# ---- NEFFs that are wrong


@pytest.mark.parametrize("count", (60, pytest.param(1500, marks=pytest.mark.full)))
def test_corrupt_neff(count, scratch, tmp_path):
    """Every corruption is noticed: the header holds a hash of the data section."""
    whole = neff(model("tiny_softmax"), "trn2", scratch).read_bytes()
    statuses = corrupted(whole, count, count + 2, ("run", "--seed", "1"), "bad.neff", tmp_path)
    assert statuses.count(0) <= count // 4, "header bytes that are read by nobody may change, data may not"


def rehash(data: bytearray) -> bytes:
    """A NEFF with its hash made right again, so that readers behind the hash are reached. Layout: docs/neff.md."""
    import hashlib

    digest = hashlib.md5(bytes(data[1024:])).digest()
    return bytes(data), digest


def test_truncated_neff_at_every_region(scratch, tmp_path):
    whole = neff(model("tiny_softmax"), "trn2", scratch).read_bytes()
    for length in (0, 1, 7, 8, 100, 1023, 1024, 1025, len(whole) // 2, len(whole) - 1):
        file = tmp_path / "cut.neff"
        file.write_bytes(whole[:length])
        result = run("openneuron", "run", file, "--seed", "1")
        refused(result, place=r"cut\.neff")


def test_neff_of_another_maker_or_version(scratch, tmp_path):
    """The first eight bytes are the package version, little-endian; one above ours is too new."""
    whole = bytearray(neff(model("tiny_softmax"), "trn2", scratch).read_bytes())
    assert int.from_bytes(whole[:8], "little") == 2
    whole[0] = 9
    file = tmp_path / "new.neff"
    file.write_bytes(whole)
    refused(run("openneuron", "show", file), code=r"ON-E18\d\d", place=r"new\.neff")


def test_neff_for_another_target_is_refused(scratch):
    file = neff(model("tiny_softmax"), "trn1", scratch)
    result = run("openneuron", "run", file, "--seed", "1", "--target", "trn2")
    refused(result)
    assert "trn1" in result.stderr and "trn2" in result.stderr


# ---- arrays that are wrong


@pytest.fixture
def arrays(tmp_path):
    """Inputs of tiny_dot_bias_relu: [33, 65], [65, 130], [130] float32."""
    return load(model("tiny_dot_bias_relu") / "inputs.npz")


def run_arrays(tmp_path, arrays=None, raw=None, name="in.npz", program="tiny_dot_bias_relu"):
    file = tmp_path / name
    if arrays is not None:
        np.savez(file, **arrays)
    elif raw is not None:
        file.write_bytes(raw)
    before = left_behind(tmp_path)
    result = run("openneuron", "run", source(model(program)), "--inputs", file, "--outputs", tmp_path / "out.npz", cwd=tmp_path)
    new = left_behind(tmp_path) - before
    assert new == ({"out.npz"} if result.status == 0 else set()), f"left behind {new}\n{result}"
    return result


def test_missing_array(arrays, tmp_path):
    del arrays["input1"]
    assert "input1" in refused(run_arrays(tmp_path, arrays), code=r"ON-E21\d\d").stderr


@pytest.mark.parametrize(
    "change",
    (lambda a: a[:-1], lambda a: a.T, lambda a: a[None], lambda a: a.ravel(), lambda a: a[0], lambda a: a[:0]),
    ids=("short", "transposed", "extra axis", "flat", "rank", "empty"),
)
def test_misshaped_array(change, arrays, tmp_path):
    arrays["input1"] = change(arrays["input1"])
    message = refused(run_arrays(tmp_path, arrays), code=r"ON-E21\d\d").stderr
    assert "input1" in message and "65" in message and "130" in message


@pytest.mark.parametrize("kind", ("float64", "int32", "float16", "bool", "complex64", "U3"))
def test_array_of_another_type(kind, arrays, tmp_path):
    arrays["input2"] = arrays["input2"].astype(kind)
    assert "input2" in refused(run_arrays(tmp_path, arrays), code=r"ON-E21\d\d").stderr


def test_big_endian_array_is_refused_or_read_right(arrays, tmp_path):
    swapped = run_arrays(tmp_path, {k: a.astype(">f4") for k, a in arrays.items()})
    if swapped.status != 0:
        refused(swapped, code=r"ON-E21\d\d")
        return
    outputs = load(tmp_path / "out.npz")
    (tmp_path / "out.npz").unlink()
    assert run_arrays(tmp_path, arrays).status == 0
    assert load(tmp_path / "out.npz")["output0"].tobytes() == outputs["output0"].tobytes()


def test_unknown_array_is_refused(arrays, tmp_path):
    """A misspelt name would otherwise be ignored silently."""
    arrays["inptu9"] = np.zeros(3, np.float32)
    assert "inptu9" in refused(run_arrays(tmp_path, arrays), code=r"ON-E21\d\d").stderr


def test_pickled_objects_are_refused(arrays, tmp_path):
    arrays["input2"] = np.array([{"a": 1}] * 130, object)
    refused(run_arrays(tmp_path, arrays), code=r"ON-E21\d\d")


def test_compressed_and_column_major_arrays_are_read(arrays, tmp_path):
    np.savez_compressed(tmp_path / "packed.npz", **{k: np.asfortranarray(a) for k, a in arrays.items()})
    folder = model("tiny_dot_bias_relu")
    succeed("openneuron", "run", source(folder), "--inputs", tmp_path / "packed.npz", "--outputs", tmp_path / "packed.out.npz")
    succeed("openneuron", "run", source(folder), "--inputs", folder / "inputs.npz", "--outputs", tmp_path / "plain.out.npz")
    assert load(tmp_path / "packed.out.npz")["output0"].tobytes() == load(tmp_path / "plain.out.npz")["output0"].tobytes()


def test_outputs_are_read_by_numpy(arrays, tmp_path):
    """bfloat16 travels as V2; the file is a plain npz."""
    folder = model("tiny_dot_bf16")
    succeed("openneuron", "run", source(folder), "--inputs", folder / "inputs.npz", "--outputs", tmp_path / "out.npz")
    out = load(tmp_path / "out.npz")["output0"]
    assert out.dtype == np.dtype("V2") and out.shape == (131, 140)


def test_broken_array_files(arrays, tmp_path):
    np.savez(tmp_path / "good.npz", **arrays)
    whole = (tmp_path / "good.npz").read_bytes()
    (tmp_path / "good.npz").unlink()
    for raw in (b"", b"PK", whole[:100], whole[: len(whole) // 2], whole[:-10], b"\x93NUMPY" + bytes(200), b"prose"):
        refused(run_arrays(tmp_path, raw=raw), place=r"in\.npz")


@pytest.mark.parametrize("count", (60, pytest.param(1000, marks=pytest.mark.full)))
def test_corrupt_array_files(count, tmp_path):
    small = {k: a for k, a in load(model("tiny_add") / "inputs.npz").items()}
    np.savez(tmp_path / "good.npz", **small)
    whole, chance = (tmp_path / "good.npz").read_bytes(), random.Random(count)
    (tmp_path / "good.npz").unlink()
    for _ in range(count):
        result = run_arrays(tmp_path, raw=corrupt(whole, chance), program="tiny_add")
        assert result.status in (0, 1), str(result)
        assert result.status == 0 or len(set(result.codes)) == 1, str(result)
        (tmp_path / "out.npz").unlink(missing_ok=True)


def test_steps_with_unequal_leading_axes(tmp_path):
    """200 steps asked for, one streamed array holds 199."""
    streamed = load(model("mlp") / "steps.npz")
    streamed["input7"] = streamed["input7"][:-1]
    np.savez(tmp_path / "in.npz", **streamed)
    result = run("openneuron", "run", source(model("mlp")), "--inputs", tmp_path / "in.npz", "--steps", "200", "--outputs", tmp_path / "out.npz")
    assert "input7" in refused(result, code=r"ON-E21\d\d").stderr
    assert not (tmp_path / "out.npz").exists()


def test_index_out_of_range_is_clamped_as_stablehlo_says(tmp_path):
    """A token beyond the table reads the last row, as gather clamps: not a crash, not memory of others."""
    table, rows = np.arange(40, dtype=np.float32).reshape(10, 4), np.array([[0], [99], [-7]], np.int32)
    text = text_of(
        tmp_path,
        """func.func @main(%arg0: tensor<10x4xf32>, %arg1: tensor<3x1xi32>) -> tensor<3x4xf32> {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
""",
    )
    np.savez(tmp_path / "in.npz", input0=table, input1=rows)
    succeed("openneuron", "run", text, "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz")
    np.testing.assert_array_equal(load(tmp_path / "out.npz")["output0"], table[[0, 9, 0]])


# ---- targets and machine files


def test_unknown_target(tmp_path):
    result = run("openneuron", "run", source(model("tiny_add")), "--seed", "1", "--target", "trn9")
    refused(result, code=r"ON-E20\d\d")
    assert "trn9" in result.stderr and "trn2" in result.stderr


def machine_file() -> str:
    return (ROOT / "data" / "machines" / "trn2.toml").read_text()


def test_a_machine_file_is_a_target(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(machine_file())
    folder = model("tiny_softmax")
    for target in (file, "trn2"):
        succeed("openneuron", "run", source(folder), "--inputs", folder / "inputs.npz", "--target", target, "--outputs", tmp_path / "o.npz")


BROKEN = {
    "syntax": lambda t: t + "\nthis is not toml\n",
    "cut": lambda t: t[: len(t) // 2] + '\nx = "',
    "word for a number": lambda t: numbers(t, '"many"'),
    "negative": lambda t: numbers(t, "-4"),
    "zero": lambda t: numbers(t, "0"),
    "huge": lambda t: numbers(t, "9223372036854775807"),
    "empty": lambda t: "",
    "binary": lambda t: "\x00\x01\x02",
}


def numbers(text: str, value: str) -> str:
    """The first key named partitions, with another value."""
    import re

    changed, count = re.subn(r"(?m)^(\s*partitions\s*=\s*)\S+", lambda m: m.group(1) + value, text, count=1)
    assert count == 1
    return changed


@pytest.mark.parametrize("what", BROKEN)
def test_broken_machine_file(what, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(BROKEN[what](machine_file()))
    result = run("openneuron", "run", source(model("tiny_add")), "--seed", "1", "--target", file, "--outputs", tmp_path / "out.npz")
    refused(result, code=r"ON-E20\d\d", place=r"mine\.toml")
    assert not (tmp_path / "out.npz").exists()


# ---- files that cannot be read


def unreadable(tmp_path):
    (tmp_path / "folder").mkdir()
    os.symlink("loop_b", tmp_path / "loop_a")
    os.symlink("loop_a", tmp_path / "loop_b")
    os.symlink("nowhere", tmp_path / "dangling")
    return {"absent": tmp_path / "absent", "directory": tmp_path / "folder", "symlink loop": tmp_path / "loop_a", "dangling": tmp_path / "dangling"}


@pytest.mark.parametrize("what", ("absent", "directory", "symlink loop", "dangling"))
def test_unreadable_file(what, tmp_path):
    path = unreadable(tmp_path)[what]
    place = path.name
    for command in (["run", path, "--seed", "1"], ["ref", path, "--seed", "1"], ["show", path], ["opt", path, "--to", "neff", "-o", tmp_path / "o"], ["strip", path, "-o", tmp_path / "o"]):
        refused(run("openneuron", *command), code="ON-E1001", place=place)
        assert not (tmp_path / "o").exists()
    refused(run("openneuron", "run", source(model("tiny_add")), "--inputs", path), code="ON-E1001", place=place)
    result = run("openneuron", "run", source(model("tiny_add")), "--seed", "1", "--target", str(path) + ("" if what == "directory" else ""))
    refused(result, code=r"ON-E(1001|20\d\d)", place=place)


def test_a_pipe_and_a_device_do_not_hang(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/null"):
        result = run("openneuron", "opt", path, "--to", "neff", "-o", tmp_path / "o", timeout=30)
        refused(result)


@pytest.fixture
def open_folder():
    """A folder that every user may enter, with copies of what an unprivileged user needs."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="openneuron-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("secret", ("program", "inputs", "machine"))
def test_file_without_permission(secret, open_folder):
    """Mode 000. Root may read anything, so as root the program runs under a dropped user id."""
    folder = model("tiny_add")
    files = {"program": open_folder / "p.mlirbc", "inputs": open_folder / "in.npz", "machine": open_folder / "m.toml"}
    shutil.copy(source(folder), files["program"])
    shutil.copy(folder / "inputs.npz", files["inputs"])
    files["machine"].write_text(machine_file())
    for file in files.values():
        file.chmod(0o644)
    command = open_folder / "openneuron"
    shutil.copy(BIN / "openneuron", command)
    command.chmod(0o755)

    def drop():
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)

    def attempt():
        done = subprocess.run(
            [command, "run", files["program"], "--inputs", files["inputs"], "--target", files["machine"]],
            preexec_fn=drop, capture_output=True, timeout=60, cwd=open_folder,
        )  # fmt: skip
        return done.returncode, done.stdout.decode() + done.stderr.decode()

    status, text = attempt()
    assert status == 0, text
    files[secret].chmod(0)
    status, text = attempt()
    assert status == 1 and CODE.findall(text)[:1] == ["ON-E1001"] and files[secret].name in text, text


# ---- files that cannot be written


def limit_file_size(limit):
    def apply():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return apply


WRITERS = {
    "opt neff": lambda d, f: ["openneuron", "opt", source(f), "--to", "neff", "-o", d / "out"],
    "opt stream": lambda d, f: ["openneuron", "opt", source(f), "--to", "stream", "-o", d / "out"],
    "outputs": lambda d, f: ["openneuron", "run", source(f), "--seed", "1", "--outputs", d / "out"],
    "report": lambda d, f: ["openneuron", "run", source(f), "--seed", "1", "--report", d / "out"],
    "timeline": lambda d, f: ["openneuron", "run", source(f), "--seed", "1", "--timeline", d / "out"],
}


@pytest.mark.parametrize("what", WRITERS)
def test_full_disk(what, tmp_path):
    """At every size from nothing to one byte less than the whole file: refused, and the old file is untouched."""
    folder = model("tiny_softmax")
    program, *arguments = WRITERS[what](tmp_path, folder)
    succeed(program, *arguments, cwd=tmp_path)
    size = (tmp_path / "out").stat().st_size
    (tmp_path / "out").write_text("before")
    nearly = size - 200 if what == "report" else size - 1  # the digits of its times make a report longer or shorter
    for limit in sorted({0, 1, 100, size // 2, nearly}):
        result = run(program, *arguments, cwd=tmp_path, preexec=limit_file_size(limit))
        refused(result, code="ON-E1002", place="out")
        assert (tmp_path / "out").read_text() == "before"
        assert left_behind(tmp_path) == {"out"}


def test_full_disk_under_neuronx_cc(tmp_path):
    """Its log file is written too: neither is left half written, the status is 70."""
    arguments = ["compile", "--framework", "XLA", source(model("tiny_softmax")), "--target", "trn2", "--output", "out.neff"]
    result = run("neuronx-cc", *arguments, cwd=tmp_path, preexec=limit_file_size(600))
    assert result.status == 70 and result.codes, str(result)
    assert not (tmp_path / "out.neff").exists()


@pytest.fixture(scope="session")
def failing_writes(tmp_path_factory):
    """A library that makes the n-th write, fsync, close or rename of regular files fail. Preloaded."""
    library = tmp_path_factory.mktemp("preload") / "failing_writes.so"
    here = pathlib.Path(__file__).parent
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, here / "failing_writes.c", "-ldl"], check=True)
    return library


@pytest.mark.parametrize("what", WRITERS)
def test_nth_write_fails(what, failing_writes, tmp_path):
    """For every n until the run gets through without meeting the n-th: refused, and the old file is untouched."""
    program, *arguments = WRITERS[what](tmp_path, model("tiny_softmax"))
    (tmp_path / "out").write_text("before")
    for n in range(1, 200):
        env = {"LD_PRELOAD": str(failing_writes), "FAIL_WRITE": str(n)}
        result = run(program, *arguments, cwd=tmp_path, env=env)
        if result.status == 0:
            break
        refused(result, code="ON-E1002", place="out")
        assert (tmp_path / "out").read_text() == "before", n
        assert left_behind(tmp_path) == {"out"}, n
    assert result.status == 0 and n > 1, f"no write was counted\n{result}"
    assert (tmp_path / "out").read_bytes() != b"before"


@pytest.mark.parametrize("where", ("absent/out", "file/out", "folder"))
def test_output_place_that_cannot_be(where, tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    for option, command in (("-o", ["opt", "--to", "neff"]), ("--outputs", ["run", "--seed", "1"])):
        result = run("openneuron", *command, source(model("tiny_add")), option, tmp_path / where, cwd=tmp_path)
        refused(result, code="ON-E1002", place=where.split("/")[-1])
    assert left_behind(tmp_path) == {"file", "folder"}


def test_closed_standard_output(tmp_path):
    """`openneuron ... | head`: a broken pipe is no crash."""
    command = f"{BIN / 'openneuron'} opt {source(model('gpt'))} --to tile"
    done = subprocess.run(["bash", "-c", f"{command} | head -c 10; exit ${{PIPESTATUS[0]}}"], capture_output=True, timeout=60)
    assert done.returncode in (0, 1, 128 + signal.SIGPIPE), done


# ---- interrupted


def heed_interrupts():
    """A shell starts background jobs with SIGINT ignored, and that is inherited: not what a person at a terminal has."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def shell_status(process) -> int:
    """What a shell shows: a process ended by SIGINT has status 130 as well."""
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


@pytest.mark.parametrize("after_seconds", (0.05, 0.3, 1.0))
def test_interrupt(after_seconds, tmp_path):
    """Ctrl-C during a long run, whichever stage it hits: status 130, one message, nothing written."""
    folder = model("unrolled_2k")
    command = [BIN / "openneuron", "run", source(folder), "--inputs", folder / "inputs.npz", "--outputs", tmp_path / "out.npz", "--repeat", "100000"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=heed_interrupts)
    try:
        time.sleep(after_seconds)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    text = (out + err).decode()
    assert shell_status(process) == 130, text
    if process.returncode == 130:  # else it had not come to main yet: the system ended it, and said nothing
        assert set(CODE.findall(text)) == {"ON-E1003"}, text
    else:
        assert after_seconds < 0.1 and text == ""
    assert left_behind(tmp_path) == set()


def test_interrupted_neuronx_cc_leaves_no_neff(tmp_path):
    command = [BIN / "neuronx-cc", "compile", "--framework", "XLA", source(model("unrolled_20k")), "--target", "trn2", "--output", "x.neff"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=heed_interrupts)
    time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=30)
    assert shell_status(process) == 130
    assert not any("neff" in name and "log" not in name for name in left_behind(tmp_path))


# ---- used wrongly


@pytest.mark.parametrize(
    "arguments",
    (
        [], ["frobnicate"], ["run"], ["run", "a", "--no-such-option"], ["run", "a", "--threads", "many"], ["run", "a", "--threads", "-1"],
        ["run", "a", "--threads", "0"], ["run", "a", "--steps", "0"], ["run", "a", "--seed", "x"], ["opt", "a", "--to", "moon"],
        ["run", "a", "--numerics", "vague"], ["opt", "a", "--to", "tile", "-O7"], ["strip", "a"],
    ),
    ids=" ".join,
)  # fmt: skip
def test_usage(arguments, tmp_path):
    result = run("openneuron", *arguments, cwd=tmp_path)
    assert result.status == 2 and result.stderr.strip(), str(result)
    assert left_behind(tmp_path) == set()


def test_help_and_version_succeed():
    for arguments in (["--help"], ["run", "--help"], ["--version"]):
        result = succeed("openneuron", *arguments)
        assert result.stdout.strip() and not result.stderr


def test_nothing_is_shown_when_piped():
    """Progress belongs on a terminal: a piped run says nothing on stderr."""
    folder = model("mlp")
    result = succeed("openneuron", "run", source(folder), "--inputs", folder / "inputs.npz")
    assert result.stderr == "" and "\r" not in result.stdout and "\x1b" not in result.stdout


def test_progress_on_a_terminal(tmp_path):
    """Anything over a second shows stage and percentage."""
    import pty

    folder = model("unrolled_2k")
    main, side = pty.openpty()
    process = subprocess.Popen(
        [BIN / "openneuron", "run", source(folder), "--inputs", folder / "inputs.npz", "--repeat", "100000"],
        stdin=side, stdout=side, stderr=side, cwd=tmp_path, preexec_fn=heed_interrupts,
    )  # fmt: skip
    os.close(side)
    seen, deadline = b"", time.monotonic() + 20
    try:
        while time.monotonic() < deadline and b"%" not in seen:
            seen += os.read(main, 4096)
    except OSError:
        pass
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=20)
        os.close(main)
    assert b"%" in seen, seen


def test_report_of_a_bug_is_not_among_the_codes():
    """Every code printed in these tests has a page."""
    pages = {p.stem for p in (ROOT / "docs" / "errors").glob("*.md")}
    table = (ROOT / "src" / "base" / "errors.def").read_text()
    assert set(CODE.findall(table)) <= pages, set(CODE.findall(table)) - pages
