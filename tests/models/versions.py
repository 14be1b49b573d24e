#!/usr/bin/env python3
"""Writes a module's bytecode as older and newer producers would: one file per StableHLO version, by jaxlib's own writer.

    python tests/models/versions.py MODULE.mlir OUT_FOLDER [VERSION ...]
"""

from __future__ import annotations

import os
import pathlib
import sys

# Each version at which jaxlib's writer changes something in our programs, and the two ends.
VERSIONS = ("0.9.0", "0.10.0", "0.12.0", "0.14.0", "0.16.0", "0.17.0", "0.20.0", "1.0.0", "1.3.0", "1.7.0", "1.9.0", "1.12.0", "1.15.0", "1.17.0")


def write(text: str, folder: pathlib.Path, versions=VERSIONS) -> dict[str, pathlib.Path]:
    """Files by version; a version that has no form for one of the module's ops (batched gather before 1.3) is left out."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    from jax._src.interpreters import mlir as jax_mlir
    from jax._src.lib.mlir.dialects import hlo

    files = {}
    with jax_mlir.make_ir_context():
        for version in versions:
            try:
                data = hlo.serialize_portable_artifact_str(text, version)
            except ValueError:
                continue
            files[version] = folder / f"{version}.mlirbc"
            files[version].write_bytes(data)
    return files


if __name__ == "__main__":
    out = pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for file in write(pathlib.Path(sys.argv[1]).read_text(), out, sys.argv[3:] or VERSIONS).values():
        print(file)
