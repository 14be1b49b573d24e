"""rows.toml and notes.toml: what is measured, and what is known about what is missed."""

from __future__ import annotations

import pathlib
import tomllib

BENCH = pathlib.Path(__file__).resolve().parent.parent


def read(name: str) -> dict:
    return tomllib.loads((BENCH / name).read_text())


def rows() -> dict:
    return read("rows.toml")


def notes() -> dict[str, dict[str, str]]:
    return read("notes.toml")


PARTS = ("run", "values", "jax", "compile", "clock", "kernel", "memory")


def known(rows: dict) -> set[str]:
    """What `--only` may name: parts, ids, programs."""
    named = [r for part in ("run", "kernel", "memory", "clock", "jax") for r in rows[part]]
    models = {r["model"] for r in named if "model" in r} | set(rows["compile"]["models"])
    return {*PARTS, *(r["id"] for r in named if "id" in r), *models, *(f"{part}_{m}" for part in ("compile", "jax_compile") for m in rows[part]["models"])}
