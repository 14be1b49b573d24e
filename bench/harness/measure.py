"""Runs what rows.toml asks for, and judges it."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys

from harness import clock, compiling, host, judge, memory, native, ours, useful

HERE = pathlib.Path(__file__).resolve().parent


def folder(name: str) -> pathlib.Path:
    import export

    (found,) = export.ensure([name])
    return found


def progress(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def asked(options: argparse.Namespace, part: str, *names: str) -> bool:
    return not options.only or part in options.only or any(name in options.only for name in names)


class Failures(list):
    """What could not be measured, in words: one broken program does not take the other rows with it."""

    def attempt(self, what: str, measured, *arguments, **named):
        try:
            return measured(*arguments, **named)
        except subprocess.CalledProcessError as problem:
            self.append(f"{what}: {pathlib.Path(str(problem.cmd[0])).name} ended with status {problem.returncode}")
            progress(self[-1])
            return None


# Run time


def worker(wanted: dict, cpus: list[int], rounds: int, *options: str, env: dict[str, str] | None = None) -> dict:
    command = [sys.executable, HERE / "alternate.py", folder(wanted["model"]), "--rounds", rounds, "--cpus", *cpus, *options]
    done = subprocess.run([str(c) for c in command], check=True, stdout=subprocess.PIPE, env={**os.environ, **(env or {})})
    return json.loads(done.stdout.splitlines()[-1])


def alternate(wanted: dict, cpus: list[int], isa: str | None, rounds: int) -> dict:
    return worker(wanted, cpus, rounds, *(["--isa", isa] if isa else []), *(["--bandwidth"] if "bandwidth" in wanted else []))


def judge_run(wanted: dict, row: dict, host_isa: str, physical: bool) -> dict:
    """A ratio, or the time itself where the row has a unit: best and median must both reach the number."""
    absolute = wanted.get("unit") == "us"
    values = [1000 * row["ours_ms_best"], 1000 * row["ours_ms_median"]] if absolute else [row["ratio_best"], row["ratio_median"]]
    must, aim = judge.target(wanted, "must", host_isa), judge.target(wanted, "aim", host_isa)
    fits = judge.judged(row["threads"], physical) and host_isa in ("avx512", "avx512_bf16", "amx")
    return {
        **{k: wanted[k] for k in ("id", "label", "model")},
        **({"unit": wanted["unit"]} if absolute else {}),
        **row,
        "must": must,
        "aim": aim,
        "verdict": judge.verdict(max(values), must, aim) if fits else judge.SHOWN,
    }


def run_rows(plan: dict, options: argparse.Namespace, rounds: int, failures: Failures) -> list[dict]:
    result = []
    for wanted in plan["run"]:
        if not asked(options, "run", wanted["id"], wanted["model"]):
            continue
        for threads in options.threads:
            cpus, physical = host.choose(threads)
            if len(cpus) < threads:
                continue
            progress(f"{wanted['label']}, {threads} threads on CPUs {cpus}{'' if physical else ' that share a core'}")
            measured = failures.attempt(f"{wanted['label']}, {threads} threads", alternate, wanted, cpus, None, rounds)
            if measured is None:
                continue
            row = judge_run(wanted, measured, host.isa(), physical)
            progress(f"    ours {row['ours_ms_best']:.3f} ms, XLA:CPU {row['xla_ms_best']:.3f} ms, ratio {row['ratio_best']:.2f}"
                     f" / {row['ratio_median']:.2f}, load {row['load_before']:.2f} to {row['load_after']:.2f}, others {row['others']:.0%}")  # fmt: skip
            if host.isa() == "avx2" or options.isa == "avx2":
                narrow = row if host.isa() == "avx2" else alternate(wanted, cpus, "avx2", rounds)
                row["ratio_avx2"] = narrow["ratio_best"]
            if judge.judged(threads, physical) and not options.quick:
                kept = worker(wanted, cpus, 2, "--native-alone", env=native.KEPT_MEMORY)
                row["xla_ms_kept"] = kept["xla_ms_best"]
            result.append(row)
    return result


def value(wanted: dict, name: str, label: str, measured: float | None, detail: str, judged: bool = True) -> dict:
    must, aim, better = wanted.get("must"), wanted.get("aim"), wanted.get("better", "lower")
    verdict = judge.verdict(measured, must, aim, better) if judged else judge.SHOWN
    return {"id": name, "label": label, "value": measured, "detail": detail, "must": must, "aim": aim, "verdict": verdict}


def bandwidth_values(plan: dict, rows: list[dict]) -> list[dict]:
    """Time of a step over the time in which this computer reads its weights and caches once."""
    result = []
    for wanted in (w for w in plan["run"] if "bandwidth" in w):
        for row in (r for r in rows if r["id"] == wanted["id"] and r["read_bytes_per_second"]):
            needed = useful.bytes_of_weights_and_caches(useful.meta_of(folder(row["model"])))
            least_ms = 1000 * needed / row["read_bytes_per_second"]
            name = wanted["id"] + "_bandwidth"
            label = f"{wanted['label']}: over reading weights and cache, {row['threads']} thread{'s' if row['threads'] > 1 else ''}"
            detail = f"{needed / 2**20:.0f} MiB at {row['read_bytes_per_second'] / 1e9:.1f} GB/s: {least_ms:.1f} ms"
            judged = row["threads"] == 2 and row["verdict"] != judge.SHOWN
            result.append(value(wanted["bandwidth"], name, label, row["ours_ms_best"] / least_ms, detail, judged))
    return result


def speedup_values(plan: dict, rows: list[dict]) -> list[dict]:
    (wanted,) = plan["derived"]
    best = {r["threads"]: r for r in rows if r["id"] == "prefill"}
    if not {1, 2} <= best.keys():
        return []
    one, two = best[1]["ours_ms_best"], best[2]["ours_ms_best"]
    judged = best[2]["verdict"] != judge.SHOWN
    return [value(wanted, "speedup", wanted["label"], one / two, f"{one:.0f} ms to {two:.0f} ms", judged)]


def kernel_values(plan: dict) -> list[dict]:
    report = ours.program("kernels", "--json")
    known = (report or {}).get("isas", {})
    result = []
    for wanted in plan["kernel"]:
        found = known.get(wanted["isa"])
        share = found["tile_fp32_gflops"] / found["fma_peak_gflops"] if found else None
        detail = f"{found['tile_fp32_gflops']:.0f} of {found['fma_peak_gflops']:.0f} GFLOP/s" if found else "not on this computer"
        result.append(value(wanted, wanted["id"], wanted["label"], share, detail))
    return result


def memory_values(plan: dict, options: argparse.Namespace, described: dict, scratch: pathlib.Path, failures: Failures) -> list[dict]:
    result = []
    for wanted in plan["memory"]:
        if not asked(options, "values", wanted["model"], "memory"):
            continue
        row = failures.attempt(f"memory of {wanted['model']}", memory.measure, folder(wanted["model"]), described, 2, scratch)
        if row is None:
            continue
        detail = f"{row['peak_rss_bytes'] / 2**20:.0f} of {row['allowed_bytes'] / 2**20:.0f} MiB"
        result.append(value(wanted, f"memory_{wanted['model']}", f"peak memory of a run, {wanted['model']}", row["ratio"], detail))
    return result


# Compile time


def compile_rows(plan: dict, options: argparse.Namespace, rounds: int, scratch: pathlib.Path, failures: Failures) -> list[dict]:
    wanted, result = plan["compile"], []
    for name in wanted["models"]:
        if not asked(options, "compile", name, f"compile_{name}"):
            continue
        progress(f"compile {name}")
        row = failures.attempt(f"compiling {name}", compiling.measure, folder(name), rounds, wanted["patience"], not options.quick, scratch)
        if row is None:
            continue
        row |= {"id": f"compile_{name}", "must": wanted["must"], "verdict": judge.verdict(row["ratio_best"], wanted["must"])}
        result.append(row)
    return result


def compile_values(plan: dict, options: argparse.Namespace, rows: list[dict], scratch: pathlib.Path, failures: Failures) -> list[dict]:
    scaling, small, result = plan["compile"]["scaling"], plan["compile"]["small"], []
    known = {r["model"]: r for r in rows}
    series = [known[name] for name in scaling["models"] if name in known]
    if len(series) == len(scaling["models"]):
        worst = max(series, key=lambda r: r["us_per_op"])
        result.append(value({"must": scaling["us_per_op"]}, "us_per_op", "compile time per op, us, the worst of 2k, 20k, 200k",
                            worst["us_per_op"], worst["model"]))  # fmt: skip
        sizes = " to ".join(f"{r['ops']:,}" for r in (series[0], series[-1]))
        result.append(value({"must": scaling["slope"]}, "slope", "slope of log time over log ops", compiling.slope(series), f"{sizes} ops"))
    if asked(options, "compile", small["model"]):
        if times := failures.attempt(f"loading {small['model']}", compiling.loaded_ms, folder(small["model"]), scratch):
            detail = f"best of {len(times)} processes; median {times[len(times) // 2]:.2f}"
            name = "ten-op program, bytes to loaded executable, ms"
            result.append(value({"must": small["must_ms"]}, "ten_op_load", name, times[0], detail))
    return result


# By the clock


def clock_rows(plan: dict, options: argparse.Namespace, described: dict, scratch: pathlib.Path, failures: Failures) -> list[dict]:
    result = []
    for wanted in plan["clock"]:
        if asked(options, "clock", wanted["model"]):
            place = folder(wanted["model"])
            if compiled := failures.attempt(f"compiling {place.name}", ours.compiled, place, scratch):
                result.append(clock.row(wanted, useful.meta_of(place), compiled[1], described))
    return result


# Through JAX


def jax_wanted(plan: dict) -> list[dict]:
    shared = plan["jax_compile"]
    compiles = [
        {"id": f"jax_compile_{name}", "label": f"compile of {name}", "kind": "compile", "model": name, "must": shared["must"]}
        for name in shared["models"]
    ]
    return plan["jax"] + compiles


def through_jax(wanted: dict, cpus: list[int], rounds: int) -> dict:
    model = ["--model", wanted["model"]] if "model" in wanted else []
    command = [sys.executable, HERE / "through_jax.py", wanted["kind"], *model, "--rounds", rounds, "--cpus", *cpus]
    done = subprocess.run([str(c) for c in command], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout.splitlines()[-1])


def jax_rows(plan: dict, options: argparse.Namespace, rounds: int, failures: Failures) -> list[dict]:
    result = []
    cpus, physical = host.choose(min(2, max(options.threads)))
    for wanted in jax_wanted(plan):
        if not asked(options, "jax", wanted["id"], wanted.get("model", wanted["id"])):
            continue
        progress(f"through JAX: {wanted['label']}")
        if (measured := failures.attempt(wanted["label"], through_jax, wanted, cpus, rounds)) is None:
            continue
        reached = judge.verdict(max(measured["ratio_best"], measured["ratio_median"]), wanted["must"], wanted.get("aim"))
        fits = judge.judged(len(cpus), physical)
        row = {"must": None, "aim": None, **wanted, **measured, "verdict": reached if fits else judge.SHOWN}
        progress(f"    ours {row['ours_ms_best']:.4f} ms, JAX on cpu {row['xla_ms_best']:.4f} ms, ratio {row['ratio_best']:.2f} / {row['ratio_median']:.2f}")
        result.append(row)
    return result


def everything(plan: dict, options: argparse.Namespace, scratch: pathlib.Path) -> dict:
    rounds, described, failures = 3 if options.quick else plan["rounds"], clock.machine(), Failures()
    kernels = failures.attempt("matrix kernels", kernel_values, plan) if asked(options, "values", "kernel") else None
    run = run_rows(plan, options, rounds, failures)
    values = bandwidth_values(plan, run) + (kernels or []) + speedup_values(plan, run)
    values += memory_values(plan, options, described, scratch, failures)
    compiled = compile_rows(plan, options, 1 if options.quick else 3, scratch, failures)
    return {
        "rounds": rounds,
        "patience": plan["compile"]["patience"],
        "run": run,
        "values": values,
        "jax": jax_rows(plan, options, rounds, failures),
        "compile": compiled,
        "compile_values": compile_values(plan, options, compiled, scratch, failures),
        "clock": clock_rows(plan, options, described, scratch, failures),
        "failures": failures,
    }
