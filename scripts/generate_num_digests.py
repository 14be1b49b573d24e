"""Writes tests/data/num/digests.txt: SHA-256 of what ml_dtypes and NumPy make of every small-float value.

One line each: "decode TYPE digest" over all bit patterns, widened to float64; "encode TYPE SET digest" over the codes of
all finite and infinite values of SET, a set of float32: every f16, every bf16, or 2^18 steps of a generator. NaN is
compared elsewhere: its sign and payload are nobody's rule.
"""
import hashlib
import pathlib

import ml_dtypes as m
import numpy as np

TYPES = {
    "f4E2M1FN": (m.float4_e2m1fn, 4), "f6E2M3FN": (m.float6_e2m3fn, 6), "f6E3M2FN": (m.float6_e3m2fn, 6),
    "f8E3M4": (m.float8_e3m4, 8), "f8E4M3": (m.float8_e4m3, 8), "f8E4M3FN": (m.float8_e4m3fn, 8),
    "f8E4M3B11FNUZ": (m.float8_e4m3b11fnuz, 8), "f8E4M3FNUZ": (m.float8_e4m3fnuz, 8), "f8E5M2": (m.float8_e5m2, 8),
    "f8E5M2FNUZ": (m.float8_e5m2fnuz, 8), "f8E8M0FNU": (m.float8_e8m0fnu, 8), "bf16": (m.bfloat16, 16),
    "f16": (np.float16, 16),
}


def generated(count=1 << 18):
    """x' = 1664525 x + 1013904223 mod 2^32, from 1; each taken as the bits of a float32."""
    out = np.empty(count, np.uint32)
    x = 1
    for i in range(count):
        x = (1664525 * x + 1013904223) & 0xFFFFFFFF
        out[i] = x
    return out.view(np.float32)


def digest(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def main():
    np.seterr(all="ignore")
    every = np.arange(65536).astype(np.uint16)
    sets = {"f16": every.view(np.float16).astype(np.float32), "bf16": every.view(m.bfloat16).astype(np.float32),
            "generated": generated()}
    lines = []
    for name, (dtype, bits) in TYPES.items():
        code = np.uint16 if bits == 16 else np.uint8
        wide = np.arange(1 << bits).astype(code).view(dtype).astype(np.float64)
        wide[np.isnan(wide)] = 0
        lines.append(f"decode {name} {digest(wide)}")
        for which, values in sets.items():
            taken = ~np.isnan(values)
            if name == "f8E8M0FNU":  # ml_dtypes has NaN for 0 and rounds float32 subnormals up; docs/numerics.md differs
                taken &= values >= np.float32(2.0**-126)
            codes = values.astype(dtype).view(code)
            lines.append(f"encode {name} {which} {digest(np.where(taken, codes, 0).astype(code))}")
    path = pathlib.Path(__file__).resolve().parent.parent / "tests/data/num/digests.txt"
    path.write_text("\n".join(lines) + "\n")


main()
