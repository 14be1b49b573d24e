"""Whether a row reaches its number."""

from __future__ import annotations

AIM, MUST, MISSED, SHOWN = "aim reached", "reached", "missed", "not judged"


def target(row: dict, key: str, isa: str) -> float | None:
    """`must` or `aim` of a row of rows.toml on this host."""
    return row.get(f"{key}_{isa}", row.get(key))


def verdict(value: float | None, must: float | None, aim: float | None = None, better: str = "lower") -> str:
    if value is None or must is None:
        return SHOWN
    sign = -1 if better == "higher" else 1

    def reaches(limit: float) -> bool:
        return sign * value <= sign * limit

    if aim is not None and reaches(aim):
        return AIM
    return MUST if reaches(must) else MISSED


def judged(threads: int, physical: bool) -> bool:
    """Targets hold for two threads on two cores; on hardware threads of one core a row is shown only."""
    return threads == 2 and physical
