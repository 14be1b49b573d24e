"""The acceptance rule for outputs, in one place.

Per floating output tensor against a float64 reference that reads the same inputs widened:
  relative L2 error          <= max(2 * XLA:CPU's own error, 4 u + 4 * 2^-24 * sqrt(K))
  largest absolute error     <= 1e-3 (3e-2 when the program holds bfloat16) of the reference's largest magnitude
  a reference of all zeros   => an output of all zeros
  NaN and infinities         in the same places (and infinities of the same sign)
Integers and booleans are equal, except where the floats that decided them differ, in float64, by less than the bound.

K is the longest sum of the program, u the unit roundoff of the coarsest float type in it.
"""

from __future__ import annotations

import dataclasses
import json
import math
import pathlib

import ml_dtypes
import numpy as np

UNIT_ROUNDOFF = {"float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}


@dataclasses.dataclass
class Verdict:
    """What one output tensor was measured to be, and whether it is accepted."""

    accepted: bool
    reason: str
    error: float = 0.0
    bound: float = 0.0

    def __bool__(self) -> bool:
        return self.accepted


def error_bound(longest_sum: int, coarsest: str, cpu_error: float) -> float:
    own = 4 * UNIT_ROUNDOFF[coarsest] + 4 * 2.0**-24 * math.sqrt(longest_sum)
    return max(2 * cpu_error, own)


def relative_l2(actual: np.ndarray, reference: np.ndarray) -> float:
    """Over the places where the reference is finite; 0 when both are zero there, inf when only the reference is.

    Scaled by the largest magnitude first, so that squares neither overflow nor vanish.
    """
    finite = np.isfinite(reference)
    actual, reference = actual[finite], reference[finite]
    scale = np.max(np.abs(reference), initial=0.0)
    difference = actual - reference
    if scale == 0.0:
        return 0.0 if not np.any(difference) else math.inf
    return float(np.linalg.norm(difference / scale) / np.linalg.norm(reference / scale))


def typed(array: np.ndarray, type_name: str) -> np.ndarray:
    """npy has no bfloat16: it arrives as two raw bytes and is read by the program's own type."""
    if type_name == "bfloat16" and array.dtype.kind == "V":
        return array.view(ml_dtypes.bfloat16)
    return array


def check_floats(
    actual: np.ndarray, reference: np.ndarray, cpu: np.ndarray, *, longest_sum: int, coarsest: str
) -> Verdict:
    if actual.shape != reference.shape:
        return Verdict(False, f"shape {actual.shape}, reference {reference.shape}")
    # A float64 reference that leaves the range of the output's type is compared as what that type makes of it.
    reference = np.asarray(reference, np.float64)
    with np.errstate(over="ignore"):
        overflowed = np.isinf(reference.astype(actual.dtype).astype(np.float64)) & np.isfinite(reference)
    reference = np.where(overflowed, np.copysign(np.inf, reference), reference)
    actual, cpu = np.asarray(actual, np.float64), np.asarray(cpu, np.float64)
    if not np.array_equal(np.isnan(actual), np.isnan(reference)):
        return Verdict(False, f"NaN in {first(np.isnan(actual) != np.isnan(reference))} of one side only")
    infinite = np.isinf(reference) | np.isinf(actual)
    if not np.array_equal(actual[infinite], reference[infinite]):
        return Verdict(False, f"infinities differ, first at {first(infinite & (actual != reference))}")
    finite = np.isfinite(reference)
    if not np.any(reference[finite]):
        wrong = finite & (actual != 0)
        return Verdict(not wrong.any(), f"reference is all zero, output is not at {first(wrong)}" if wrong.any() else "")
    cpu_error = relative_l2(cpu, reference)
    if not math.isfinite(cpu_error):
        cpu_error = 0.0  # XLA:CPU disagrees about where the infinities are: its error is no allowance
    bound = error_bound(longest_sum, coarsest, cpu_error)
    error = relative_l2(actual, reference)
    if not error <= bound:
        return Verdict(False, f"relative L2 error {error:.3g} above {bound:.3g} (XLA:CPU {cpu_error:.3g})", error, bound)
    largest = np.max(np.abs(reference[finite]))
    share = 3e-2 if coarsest == "bfloat16" else 1e-3
    difference = np.where(finite, np.abs(np.where(finite, actual, 0) - np.where(finite, reference, 0)), 0)
    if not np.max(difference) <= share * largest:
        place = np.unravel_index(np.argmax(difference), difference.shape)
        return Verdict(False, f"absolute error {np.max(difference):.3g} at {place}, largest magnitude {largest:.3g}", error, bound)
    return Verdict(True, "", error, bound)


def check_exact(
    actual: np.ndarray, reference: np.ndarray, margin: np.ndarray | None = None, *, longest_sum: int = 1, coarsest: str = "float32"
) -> Verdict:
    """`margin` is the relative difference of the compared floats, per element, where the value was decided by floats."""
    if actual.shape != reference.shape:
        return Verdict(False, f"shape {actual.shape}, reference {reference.shape}")
    wrong = actual != reference
    if margin is not None:
        wrong &= ~(np.broadcast_to(margin, wrong.shape) < error_bound(longest_sum, coarsest, 0.0))
    if wrong.any():
        place = first(wrong)
        return Verdict(False, f"{int(wrong.sum())} values differ, first {actual[place]} for {reference[place]} at {place}")
    return Verdict(True, "")


def first(mask: np.ndarray) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(np.argmax(mask), mask.shape))


def check_output(actual: np.ndarray, type_name: str, reference: np.ndarray, cpu: np.ndarray, margin, meta: dict) -> Verdict:
    """One output of the program that `meta` (meta.json) describes."""
    rule = {"longest_sum": meta["longest_sum"], "coarsest": meta["coarsest"]}
    actual, cpu = typed(actual, type_name), typed(cpu, type_name)
    if type_name.startswith(("float", "bfloat")):
        wanted = ml_dtypes.bfloat16 if type_name == "bfloat16" else np.dtype(type_name)
        if actual.dtype != wanted:
            return Verdict(False, f"type {actual.dtype}, program says {type_name}")
        return check_floats(actual, reference, cpu, **rule)
    if actual.dtype != np.dtype(type_name):
        return Verdict(False, f"type {actual.dtype}, program says {type_name}")
    return check_exact(actual, np.asarray(reference).astype(actual.dtype), margin, **rule)


def check_program(outputs: dict[str, np.ndarray], folder: pathlib.Path, references: str = "references") -> list[str]:
    """Complaints about the outputs of one program, empty when all are accepted."""
    meta = json.loads((folder / "meta.json").read_text())
    complaints = []
    with np.load(folder / f"{references}.npz") as known:
        for i, described in enumerate(meta["outputs"]):
            actual = outputs.get(f"output{i}")
            if actual is None:
                complaints.append(f"output{i} is missing; there are {sorted(outputs)}")
                continue
            margin = known[f"margin{i}"] if f"margin{i}" in known.files else None
            verdict = check_output(actual, described["type"], known[f"wide{i}"], known[f"cpu{i}"], margin, meta)
            if not verdict:
                complaints.append(f"output{i}: {verdict.reason}")
    return complaints
