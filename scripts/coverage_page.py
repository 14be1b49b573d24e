#!/usr/bin/env python3
"""`make conformance-jax`: JAX's op harnesses (tests/jax/harnesses.py) through the plugin, in JAX's 32-bit and 64-bit modes.

Writes docs/coverage.md and tests/jax/passing_groups.txt (of the 32-bit mode). The cases are exported once, to
build/conformance. `--rows 32.json 64.json` writes both from rows that are there.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INTRODUCTION = """# Coverage: JAX's op harnesses on `neuron`

`make conformance-jax` writes this page. It runs the single-op cases that JAX's own wheel carries
(`jax._src.internal_test_util.test_harnesses`, jax {version}) through the plugin, in one process, and compares with
XLA:CPU: integers exactly, floats by JAX's tolerances (fp32 2e-5), 16-bit sums also by their distance from the same case
in fp32 or, where a case holds its type, beside their terms. What an op leaves open (the other triangle of a Cholesky factor,
the order of equal keys in an unstable sort) is not compared; a factor counts by what it multiplies to. In the 64-bit mode
the cases that are refused take, make or pass through f64 or complex<f64>, which the engines have not.

"""
MEANINGS = {
    "right": "right",
    "wrong": "wrong values",
    "refused": "refused with a coded error",
    "not lowered by JAX": "JAX has no lowering for the platform: an error before our compiler is asked",
    "no reference": "no reference: XLA:CPU does not take the case",
}


def verdicts_of(rows):
    return collections.Counter(row["verdict"] for row in rows)


def summary(modes):
    """One column a mode."""
    counts = {mode: verdicts_of(rows) for mode, rows in modes.items()}
    text = "| cases |" + "".join(f" {mode} |" for mode in modes) + "\n|---|" + "---:|" * len(modes) + "\n"
    text += "| in all |" + "".join(f" {len(rows)} |" for rows in modes.values()) + "\n"
    text += "| groups |" + "".join(f" {len({row['group'] for row in rows})} |" for rows in modes.values()) + "\n"
    for verdict, meaning in MEANINGS.items():
        if any(c[verdict] for c in counts.values()):
            text += f"| {meaning} |" + "".join(f" {c[verdict]} |" for c in counts.values()) + "\n"
    for what, left_out in (
        ("right, of those that reach the compiler and have a reference", ("no reference", "not lowered by JAX")),
        ("right, of all that have a reference", ("no reference",)),
    ):
        shares = (c["right"] / (sum(c.values()) - sum(c[v] for v in left_out)) for c in counts.values())
        text += f"| {what} |" + "".join(f" **{share:.2%}** |" for share in shares) + "\n"
    return text


def failures(rows):
    reasons = collections.defaultdict(collections.Counter)
    for row in rows:
        if row["verdict"] not in ("right", "no reference"):
            reason = "wrong values" if row["verdict"] == "wrong" else row["reason"].replace("]", "", 1).replace("|", "/")
            reasons[reason][row["group"]] += 1
    text = "| cases | reason | groups |\n|---:|---|---|\n"
    for reason, groups in sorted(reasons.items(), key=lambda item: (-sum(item[1].values()), item[0])):
        text += f"| {sum(groups.values())} | {reason} | {', '.join(f'{g} {n}' for g, n in groups.most_common())} |\n"
    return text


def by_group(rows):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["group"]].append(row)
    return {group: verdicts_of(groups[group]) for group in sorted(groups)}


def page(modes, version):
    text = INTRODUCTION.format(version=version) + summary(modes)
    for mode, rows in modes.items():
        text += f"\n## Failures by reason, {mode}\n\n{failures(rows)}"
    for mode, rows in modes.items():
        text += f"\n## By group, {mode}\n\n| group | right | of | others |\n|---|---:|---:|---|\n"
        for group, counts in by_group(rows).items():
            others = ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common() if verdict != "right")
            text += f"| {group} | {counts['right']} | {sum(counts.values())} | {others} |\n"
    return text


def passing(rows):
    return [g for g, c in by_group(rows).items() if c["right"] and c["right"] + c["no reference"] == sum(c.values())]


def run_harnesses(folder, *mode):
    tool = [sys.executable, ROOT / "tests/jax/harnesses.py"]
    subprocess.run([*tool, "export", folder, *mode], check=True)
    rows = folder.parent / f"{folder.name}.json"
    subprocess.run([*tool, "jax", folder, "--table", rows, *mode])  # its status says whether all held; the page tells
    return rows


def main():
    import jax

    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=pathlib.Path, nargs=2)
    options = parser.parse_args()
    folder = ROOT / "build/conformance"
    files = options.rows or (run_harnesses(folder / "harnesses"), run_harnesses(folder / "harnesses_x64", "--x64"))
    modes = dict(zip(("32-bit mode", "64-bit mode"), (json.loads(f.read_text()) for f in files)))
    (ROOT / "docs/coverage.md").write_text(page(modes, jax.__version__))
    (ROOT / "tests/jax/passing_groups.txt").write_text("\n".join(passing(modes["32-bit mode"])) + "\n")


if __name__ == "__main__":
    main()
