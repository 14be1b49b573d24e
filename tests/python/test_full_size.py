"""The models of the benchmarks at full size, on trn2, within the acceptance rule against the float64 reference.

Two that export and run in a few seconds belong to every run of the tests; the others run with --full.
"""

import pytest

import export
from compare import check_program
from programs import execute, model, neff, same_bytes, source

QUICK = ("resnet50", "llama_1b")
NAMES = [name for name in export.all_names("full") if name != "unrolled_200k"]  # compiled by the benchmarks, never run


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.full) for name in NAMES])
def test_full_size(name, scratch):
    folder = model(name)
    outputs, report = execute(neff(folder, "trn2", scratch), folder / "inputs.npz", scratch, "--threads", "2", timeout=600)
    complaints = check_program(outputs, folder)
    assert not complaints, f"{name}: {complaints}"
    # An engine is busy once when it loads and multiplies at the same time.
    assert all(engine["busy_ns"] <= report["estimated_ns"] for engine in report["engines"])


@pytest.mark.full
@pytest.mark.parametrize("target", ("trn1", "trn3", "odd", "tiny"))
@pytest.mark.parametrize("name", NAMES)
def test_other_machines(name, target, scratch):
    folder = model(name)
    outputs, _ = execute(source(folder), folder / "inputs.npz", scratch, target=target, timeout=1200)
    complaints = check_program(outputs, folder)
    assert not complaints, f"{name} on {target}: {complaints}"


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_check_mode_and_one_thread_give_the_same_bytes(name, scratch):
    """Nothing to report by the stream checkers and by check mode, whose order is only what the semaphores say."""
    folder = model(name)
    file = neff(folder, "trn2", scratch)
    plain, _ = execute(file, folder / "inputs.npz", scratch, "--threads", "2", timeout=600)
    for options in (("--threads", "1"), ("--check",)):
        other, _ = execute(file, folder / "inputs.npz", scratch, *options, timeout=3000)
        assert same_bytes(plain, other) == [], options
