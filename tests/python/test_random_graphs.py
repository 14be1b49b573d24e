"""Random programs: the device and the oracle against numpy, which evaluated each op as the program grew.

A failing seed is cut down to its first failing op; the message holds that program. OPENNEURON_RANDOM_SEEDS=N runs seeds
0..N-1, OPENNEURON_RANDOM_FIRST=S starts at S.
"""

import os

import pytest

from programs import load, run
from random_graphs import RandomProgram, generate

FIRST = int(os.environ.get("OPENNEURON_RANDOM_FIRST", "0"))
FEW = int(os.environ.get("OPENNEURON_RANDOM_SEEDS", "12"))
MANY = max(FEW, 300)
OPS = 25
TARGETS = ("trn2", "odd", "tiny")


def complaints(program: RandomProgram, command: str, folder, *options) -> list[str]:
    """What `openneuron COMMAND` gets wrong."""
    text, inputs, outputs = folder / "program.mlir", folder / "inputs.npz", folder / "outputs.npz"
    text.write_text(program.text)
    program.save_inputs(inputs)
    result = run("openneuron", command, text, "--inputs", inputs, "--outputs", outputs, *options)
    if result.status != 0:
        return [str(result)]
    return program.complaints(load(outputs))


def check(seed: int, command: str, folder, *options) -> None:
    found = complaints(generate(seed, OPS), command, folder, *options)
    if not found:
        return
    for ops in range(1, OPS + 1):
        smaller = generate(seed, ops, only_last=True)
        again = complaints(smaller, command, folder, *options)
        if again:
            pytest.fail("\n".join([f"seed {seed}, op {ops}, openneuron {command} {' '.join(options)}", *again, smaller.text]))
    pytest.fail("\n".join([f"seed {seed}, only as a whole, openneuron {command} {' '.join(options)}", *found]))


def seeds(first: int, count: int):
    return range(FIRST + first, FIRST + first + count)


@pytest.mark.parametrize("seed", seeds(0, FEW))
def test_oracle(seed, tmp_path):
    check(seed, "ref", tmp_path)


@pytest.mark.parametrize("seed", seeds(0, FEW))
def test_device(seed, tmp_path):
    check(seed, "run", tmp_path, "--target", TARGETS[seed % len(TARGETS)], "--check")


@pytest.mark.full
@pytest.mark.parametrize("seed", seeds(FEW, MANY - FEW))
def test_device_long(seed, tmp_path):
    check(seed, "run", tmp_path, "--target", TARGETS[seed % len(TARGETS)], "--check")


def test_fewer_ops_are_a_prefix():
    """Cutting down relies on it."""
    whole = generate(5, OPS).text.splitlines()
    for ops in (1, 7, 20):
        part = generate(5, ops).text.splitlines()
        body = part[3 : part.index(next(line for line in part if line.startswith("    return ")))]
        assert whole[3 : 3 + len(body)] == body
