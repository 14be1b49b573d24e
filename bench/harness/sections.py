"""What stands in which table: title, columns and rows, from the results that run.py writes to bench.json."""

from __future__ import annotations

from typing import Iterator, NamedTuple

from harness.tables import Column


class Section(NamedTuple):
    title: str
    columns: list[Column]
    rows: list[dict]


def key(name: str):
    return lambda row: row.get(name)


def milliseconds(name: str):
    """Four significant digits at most, so that 0.012 ms and 1200 ms read alike."""

    def read(row: dict) -> str | None:
        value = row.get(name)
        return None if value is None else f"{value:.3f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"

    return read


def spread(row: dict) -> str:
    low, high = row["spread"]
    return f"{low:.2f} to {high:.2f}"


def limit(name: str):
    def read(row: dict) -> str | None:
        value = row.get(name)
        return None if value is None else f"{value:g}" + (f" {row['unit']}" if row.get("unit") else "")

    return read


def run_columns(results: dict) -> list[Column]:
    columns = [
        ("row", key("label"), ""), ("threads", key("threads"), "d"),
        ("ours ms", milliseconds("ours_ms_best"), ""), ("XLA:CPU ms", milliseconds("xla_ms_best"), ""), ("kept ms", milliseconds("xla_ms_kept"), ""),
        ("ratio best", key("ratio_best"), ".2f"), ("ratio median", key("ratio_median"), ".2f"), ("rounds", spread, ""),
        ("load ms", milliseconds("load_ms"), ""), ("others", key("others"), ".0%"),
        ("must", limit("must"), ""), ("aim", limit("aim"), ""), ("", key("verdict"), ""),
    ]  # fmt: skip
    if any("ratio_avx2" in row for row in results["run"]):
        columns.insert(7, ("AVX2", key("ratio_avx2"), ".2f"))
    return columns


VALUE_COLUMNS: list[Column] = [
    ("row", key("label"), ""), ("value", key("value"), ".3f"), ("of", key("detail"), ""),
    ("must", limit("must"), ""), ("aim", limit("aim"), ""), ("", key("verdict"), ""),
]  # fmt: skip

JAX_COLUMNS: list[Column] = [
    ("row", key("label"), ""), ("ours ms", milliseconds("ours_ms_best"), ""), ("cpu ms", milliseconds("xla_ms_best"), ""),
    ("ratio best", key("ratio_best"), ".2f"), ("ratio median", key("ratio_median"), ".2f"), ("rounds", spread, ""),
    ("must", limit("must"), ""), ("aim", limit("aim"), ""), ("", key("verdict"), ""),
]  # fmt: skip

COMPILE_COLUMNS: list[Column] = [
    ("program", key("model"), ""), ("ops", key("ops"), ",d"), ("ours ms", milliseconds("ours_ms_best"), ""),
    ("median ms", milliseconds("ours_ms_median"), ""), ("us/op", key("us_per_op"), ".2f"),
    ("peak MiB", lambda row: row["peak_rss_bytes"] / 2**20, ".0f"),
    ("XLA:CPU ms", lambda row: ("" if row["xla_finished"] else "> ") + (milliseconds("xla_ms_best")(row) or "-"), ""),
    ("ratio", lambda row: None if row["ratio_best"] is None else ("" if row["xla_finished"] else "< ") + f"{row['ratio_best']:.3f}", ""),
    ("must", limit("must"), ""), ("", key("verdict"), ""),
]  # fmt: skip


def wanted(value: str, name: str):
    """A value with its limit and verdict: "1.84 (1.2: missed)"."""

    def read(row: dict) -> str:
        text, goal = value.format(row[name[0]]), row["wanted"].get(name[1])
        return text if goal is None else f"{text} ({goal:g}: {row['verdicts'][name[1]]})"

    return read


CLOCK_COLUMNS: list[Column] = [
    ("program", key("model"), ""), ("estimated us", key("estimated_us"), ",.0f"), ("useful GFLOP", key("useful_gflops"), ",.2f"),
    ("useful share of peak", wanted("{:.3f}", ("useful_share", "useful")), ""),
    ("over busiest", wanted("{:.2f}", ("over_busiest", "busiest")), ""), ("busiest", key("busiest"), ""),
    ("HBM traffic", wanted("{:.2f}", ("traffic", "traffic")), ""),
    ("over roofline", lambda row: f"{row['over_roofline']:.2f}" + ("" if row["over_roofline"] >= 1 else " (below: missed)"), ""),
]  # fmt: skip


def sections(results: dict) -> Iterator[Section]:
    """Those that were measured, in the order of the page."""
    if results.get("run"):
        yield Section("Run time beside XLA:CPU", run_columns(results), results["run"])
    if results.get("values"):
        yield Section("Other measures of a run", VALUE_COLUMNS, results["values"])
    if results.get("jax"):
        yield Section("Through JAX, beside JAX on cpu", JAX_COLUMNS, results["jax"])
    if results.get("compile"):
        yield Section("Compile time beside XLA:CPU", COMPILE_COLUMNS, results["compile"])
    if results.get("compile_values"):
        yield Section("Compile time by itself", VALUE_COLUMNS, results["compile_values"])
    if results.get("clock"):
        yield Section("By the clock, one core of trn2", CLOCK_COLUMNS, results["clock"])


def missed(results: dict) -> list[tuple[str, str]]:
    """(id, label) of what misses its number, once each."""
    from harness.judge import MISSED

    found: dict[str, str] = {}
    for row in [*results.get("run", []), *results.get("values", []), *results.get("jax", []), *results.get("compile", []), *results.get("compile_values", [])]:
        if row.get("verdict") == MISSED:
            found.setdefault(row["id"], row.get("label") or f"compile time of {row['model']}")
    for row in results.get("clock", []):
        for name, verdict in row["verdicts"].items():
            if verdict == MISSED:
                found[f"clock_{row['model']}_{name}"] = f"{row['model']} by the clock: {CLOCK_NAMES[name]}"
    return list(found.items())


CLOCK_NAMES = {
    "useful": "useful share of peak",
    "busiest": "time over the busiest engine's",
    "traffic": "HBM traffic",
    "roofline": "below the roofline",
}
