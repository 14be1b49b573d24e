"""By the clock: how well the compiled program uses the machine that the estimate describes. Nothing here runs a program."""

from __future__ import annotations

import pathlib
import tomllib

from harness import judge, useful

MACHINE = pathlib.Path(__file__).resolve().parent.parent.parent / "data" / "machines" / "trn2.toml"


def machine() -> dict:
    return tomllib.loads(MACHINE.read_text())


def peak_flops(described: dict, types: str) -> float:
    """FLOPs per second of the PE: a multiply-add per row and column, `rate` columns a cycle."""
    cost = described["costs"]["pe_matmul_32" if types == "float32" else "pe_matmul_16"]
    return 2 * described["sizes"]["pe_rows"] * described["sizes"]["pe_columns"] * cost["rate"] * described["clocks"]["pe_hz"]


def roofline_us(described: dict, types: str, flops: float, bytes_moved: float) -> float:
    """What no program can beat: its useful FLOPs at the peak, or its inputs and outputs at HBM's bandwidth."""
    return max(1e6 * flops / peak_flops(described, types), bytes_moved / described["figures"]["hbm_bytes_per_ns"] / 1000)


def row(wanted: dict, meta: dict, report: dict, described: dict) -> dict:
    """One model: `wanted` of rows.toml, meta.json, the compiler's report."""
    flops, least = useful.flops(meta["name"]), useful.bytes_once(meta)
    estimated_us = report["estimated_ns"] / 1000
    busiest = max(report["engines"], key=lambda e: e["busy_ns"])
    moved = report["hbm_read_bytes"] + report["hbm_written_bytes"]
    result = {
        "model": meta["name"],
        "types": meta["types"],
        "estimated_us": estimated_us,
        "useful_gflops": flops / 1e9,
        "useful_share": flops / (peak_flops(described, meta["types"]) * report["estimated_ns"] * 1e-9),
        "busiest": busiest["name"],
        "over_busiest": report["estimated_ns"] / busiest["busy_ns"],
        "hbm_bytes": moved,
        "traffic": moved / least,
        "roofline_us": roofline_us(described, meta["types"], flops, least),
        "routine_share": report["routine_share"],
    }
    result["over_roofline"] = estimated_us / result["roofline_us"]
    checks = {
        "useful": judge.verdict(result["useful_share"], wanted.get("useful"), better="higher"),
        "busiest": judge.verdict(result["over_busiest"], wanted.get("busiest")),
        "traffic": judge.verdict(result["traffic"], wanted.get("traffic")),
        "roofline": judge.verdict(result["over_roofline"], 1.0, better="higher"),
    }
    return {**result, "wanted": wanted, "verdicts": checks}
