"""docs/performance.md, written from bench.json and notes.toml."""

from __future__ import annotations

from harness import sections, tables

HEAD = """# Performance

Written by `make bench`; the numbers are not edited by hand. Ratios are ours over XLA:CPU (JAX {jax}, jaxlib {jaxlib}) on the
same program, in the same run: below 1 is faster than native code.

| | |
|---|---|
| date | {time} |
| computer | {cpu}, {family} |
| cores | {cores} cores, {cpus} hardware threads; kernels for {isa} |
| memory | {memory_gib} GiB |
| system | {system} |
| commit | {commit} |
| command | `{command}` |
| load average | {before:.2f} before, {after:.2f} after |
"""

MEANING = """## What the columns mean

- `ours`, `XLA:CPU`: the best run of {rounds} rounds. In a round, ours runs a few times, then XLA:CPU, on the same pinned cores;
  both warm up once in every round. Inputs are resident, outputs stay so, donated inputs are copied outside the timer.
- `ratio best` divides the two best runs; `ratio median` is the median over the rounds of the medians' ratio, and `rounds` its
  smallest and largest. A target is reached when both reach it.
- `kept` is XLA:CPU by itself with glibc told to keep freed memory: otherwise the pages of its temporary buffers are new ones
  in every run. The ratio is to XLA:CPU as JAX comes.
- `others` is the share of these cores that other programs took while the row was measured.
- Targets are judged at two threads on two cores. Threads that share a core, and hosts without AVX-512, are shown only.
- Peak memory of a run is divided by weights + 1.3 x (outputs, constants and spilled tensors that live at once) + SBUF and PSUM.
- Compile time is StableHLO bytecode to instructions, in a fresh process; XLA:CPU's is `lowered.compile()`, tracing excluded.
  `>` marks a program whose compilation was stopped after {patience} s.
- Through JAX: both platforms in one process, in turn, threads and cores as above. `compile` is `lowered.compile()` on both sides.
- By the clock: useful FLOPs are the model's contractions, counted from its shapes (`bench/harness/useful.py`); the peak is the
  PE's for the type of the model; the roofline is the longer of those FLOPs at the peak and each input and output once at
  HBM's bandwidth; traffic is HBM bytes over each input and output once.
"""


def missed(results: dict, notes: dict[str, dict[str, str]]) -> str:
    """Every row that misses its number, with the reason and the next idea."""
    lines = []
    for name, label in sections.missed(results):
        note = notes.get(name, {})
        lines.append(f"- **{label}**: {note.get('reason', 'not yet understood.')}" + (f" Next: {note['next']}" if "next" in note else ""))
    lines += [f"- not measured: {failure}" for failure in results.get("failures", [])]
    return "## What misses its number\n\n" + "\n".join(lines or ["Nothing."]) + "\n"


def write(results: dict, notes: dict[str, dict[str, str]]) -> str:
    head = {**results["host"], **results["versions"], **{k: results[k] for k in ("time", "commit", "command")}}
    parts = [HEAD.format(**head, before=results["load"]["before"], after=results["load"]["after"])]
    for section in sections.sections(results):
        parts.append(f"## {section.title}\n\n{tables.markdown(section.columns, section.rows)}")
    parts.append(missed(results, notes))
    parts.append(MEANING.format(rounds=results["rounds"], patience=results["patience"]))
    return "\n".join(parts)
