"""The acceptance rule must accept what is right and refuse what is wrong: otherwise every other test here is blind."""

import json

import ml_dtypes
import numpy as np
import pytest

import export
from compare import UNIT_ROUNDOFF, check_exact, check_floats, check_output, check_program, error_bound, relative_l2
from programs import meta, model

RULE = {"longest_sum": 16, "coarsest": "float32"}


def sample(shape=(40, 30)):
    return np.random.default_rng(7).standard_normal(shape)


def test_rounded_reference_is_accepted():
    reference = sample()
    assert check_floats(reference.astype(np.float32), reference, reference.astype(np.float32), **RULE)


@pytest.mark.parametrize("factor, accepted", [(0.5, True), (2.0, False)])
def test_bound_without_help_from_cpu(factor, accepted):
    """Every element off by the same factor: the relative L2 error is that factor. Own bound: 4 u + 4 * 2^-24 * 4."""
    reference = sample()
    bound = 20 * 2.0**-24
    assert error_bound(16, "float32", 0.0) == bound
    actual = reference * (1 + factor * bound)
    assert bool(check_floats(actual, reference, reference, **RULE)) is accepted


@pytest.mark.parametrize("factor, accepted", [(1.9, True), (2.1, False)])
def test_twice_the_error_of_cpu(factor, accepted):
    reference = sample()
    cpu = reference * (1 + 1e-4)
    assert bool(check_floats(reference * (1 + factor * 1e-4), reference, cpu, **RULE)) is accepted


def test_one_wrong_element_of_many():
    """Far below the L2 bound of a bad XLA:CPU, caught by the largest absolute error."""
    reference = np.ones(1_000_000)
    actual = reference.copy()
    actual[123] += 0.01
    verdict = check_floats(actual, reference, reference * 1.01, **RULE)
    assert not verdict and "absolute error" in verdict.reason


def test_bfloat16_allows_three_percent_of_the_largest():
    reference = np.ones(1_000_000)
    actual = reference.copy()
    actual[5] += 0.02
    assert check_floats(actual, reference, reference * 1.01, longest_sum=16, coarsest="bfloat16")
    actual[5] += 0.02
    assert not check_floats(actual, reference, reference * 1.01, longest_sum=16, coarsest="bfloat16")


def test_zero_reference_needs_zero():
    zero = np.zeros((3, 4))
    assert check_floats(zero, zero, zero, **RULE)
    assert check_floats(-zero, zero, zero, **RULE)
    assert not check_floats(zero + 1e-30, zero, zero, **RULE)


def test_nan_and_infinity_in_the_same_places():
    reference = sample()
    reference[0, 0], reference[1, 1], reference[2, 2] = np.nan, np.inf, -np.inf
    assert check_floats(reference.copy(), reference, reference, **RULE)
    for place, value in (((0, 0), 1.0), ((1, 1), -np.inf), ((2, 2), np.nan), ((3, 3), np.inf), ((4, 4), np.nan), ((1, 1), 3.4e38)):
        actual = reference.copy()
        actual[place] = value
        assert not check_floats(actual, reference, reference, **RULE), (place, value)


def test_all_nan_reference_accepts_only_all_nan():
    reference = np.full(4, np.nan)
    assert check_floats(reference.copy(), reference, reference, **RULE)
    assert not check_floats(np.zeros(4), reference, reference, **RULE)


def test_reference_beyond_float32_is_infinite():
    reference = np.array([1e39, -1e39, 1.0])
    assert check_floats(np.array([np.inf, -np.inf, 1], np.float32), reference, reference, **RULE)
    assert not check_floats(np.array([3e38, -np.inf, 1], np.float32), reference, reference, **RULE)


def test_shape_must_match():
    assert not check_floats(np.zeros((3, 4)), np.zeros((4, 3)), np.zeros((4, 3)), **RULE)


def test_transposed_rolled_and_truncated_data_are_refused():
    reference = sample((40, 40))
    cpu = reference.astype(np.float32)
    tail = cpu.copy()
    tail[-1, -1] = 0
    for wrong in (cpu.T, np.roll(cpu, 1), tail, cpu * 0, cpu + np.float32(0.01), -cpu):
        assert not check_floats(wrong, reference, cpu, **RULE)


def test_tiny_and_huge_magnitudes_do_not_hide_errors():
    for scale in (1e-200, 1e200):
        reference = sample() * scale
        assert relative_l2(reference * 1.5, reference) == pytest.approx(0.5)


def test_integers_are_equal():
    values = np.arange(12).reshape(3, 4)
    wrong = values.copy()
    wrong[2, 3] += 1
    assert check_exact(values.copy(), values)
    assert not check_exact(wrong, values)


def test_booleans_may_differ_only_where_the_floats_nearly_tie():
    reference = np.array([True, False, True])
    actual = np.array([False, False, True])
    assert check_exact(actual, reference, np.array([1e-9, 1.0, 1.0]))
    assert not check_exact(actual, reference, np.array([1e-3, 1.0, 1.0]))
    assert not check_exact(actual, reference, np.array([np.nan, 1.0, 1.0]))


def test_unit_roundoffs():
    """One half ulp at 1: half the distance to the next number."""
    for name, number in (("float32", np.float32), ("float16", np.float16), ("bfloat16", ml_dtypes.bfloat16)):
        assert UNIT_ROUNDOFF[name] == float(ml_dtypes.finfo(number).eps) / 2


def test_output_types_are_checked():
    meta = {"longest_sum": 4, "coarsest": "bfloat16"}
    reference = np.array([1.0, -2.0])
    raw = reference.astype(ml_dtypes.bfloat16).view("V2")
    assert check_output(raw, "bfloat16", reference, raw, None, meta)
    assert not check_output(reference.astype(np.float32), "bfloat16", reference, raw, None, meta)
    assert not check_output(reference, "float32", reference, raw, None, meta)
    assert not check_output(np.array([1, 2], np.int64), "int32", np.array([1, 2]), np.array([1, 2]), None, meta)


def test_missing_output_is_a_complaint(tmp_path):
    (tmp_path / "meta.json").write_text(
        json.dumps({"outputs": [{"shape": [2], "type": "float32"}] * 2, "longest_sum": 1, "coarsest": "float32"})
    )
    ones = np.ones(2, np.float32)
    np.savez(tmp_path / "references.npz", cpu0=ones, wide0=np.ones(2), cpu1=ones, wide1=np.ones(2))
    assert check_program({"output0": ones, "output1": ones}, tmp_path) == []
    assert len(check_program({"output0": ones}, tmp_path)) == 1
    assert len(check_program({"output0": ones, "output1": ones * 2}, tmp_path)) == 1


@pytest.mark.parametrize("name", sorted(n for n in export.all_names() if n != "unrolled_20k"))
def test_xla_itself_is_accepted(name):
    """The references of every program fit together: XLA:CPU's outputs pass against float64's, shifted ones do not."""
    folder = model(name)
    with np.load(folder / "references.npz") as known:
        outputs = {f"output{i}": known[f"cpu{i}"] for i in range(len(meta(folder)["outputs"]))}
    assert check_program(outputs, folder) == []
    shifted = {}
    for key, array in outputs.items():
        flat = array.reshape(-1)
        flipped = flat.view(np.uint8) ^ 0x40  # for outputs of one element
        shifted[key] = (np.roll(flat, 1) if len(flat) > 1 else flipped.view(flat.dtype)).reshape(array.shape)
    if name not in ("tiny_zeros", "tiny_empty_tensors"):
        assert check_program(shifted, folder) != []
