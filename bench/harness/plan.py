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
