"""Large programs as text, by formula, and the ways to count what compiling one costs."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

from programs import BIN

VECTOR = "tensor<128xf32>"


def module(body: str, arguments: str = f"%x: {VECTOR}", results: str = VECTOR, rest: str = "") -> str:
    return f"module @m {{\n  func.func public @main({arguments}) -> ({results}) {{\n{body}  }}\n{rest}}}\n"


def chain(n: int) -> str:
    """n additions, each of the one before."""
    lines = [f"    %{i} = stablehlo.add {f'%{i - 1}' if i else '%x'}, %x : {VECTOR}\n" for i in range(n)]
    return module("".join(lines) + f"    return %{n - 1} : {VECTOR}\n")


def users(n: int) -> str:
    """One value that n sums read, each in a loop nest of its own: a reduction ends it."""
    lines = [f"    %e = stablehlo.exponential %x : {VECTOR}\n    %z = stablehlo.constant dense<0.0> : tensor<f32>\n    %s0 = stablehlo.negate %z : tensor<f32>\n"]
    for i in range(n):
        lines.append(f"    %c{i} = stablehlo.constant dense<{i}.5> : {VECTOR}\n")
        lines.append(f"    %m{i} = stablehlo.multiply %e, %c{i} : {VECTOR}\n")
        lines.append(f"    %r{i} = stablehlo.reduce(%m{i} init: %z) applies stablehlo.add across dimensions = [0] : ({VECTOR}, tensor<f32>) -> tensor<f32>\n")
        lines.append(f"    %s{i + 1} = stablehlo.add %s{i}, %r{i} : tensor<f32>\n")
    return module("".join(lines) + f"    return %s{n} : tensor<f32>\n", results="tensor<f32>")


def whiles(n: int) -> str:
    """n loops with a trip count that the data decides, one after the other."""
    lines = ["    %one = stablehlo.constant dense<1> : tensor<i32>\n    %zero = stablehlo.constant dense<0> : tensor<i32>\n"]
    for i in range(n):
        before = f"%w{i - 1}#1" if i else "%x"
        lines.append(
            f"    %w{i}:2 = stablehlo.while(%i{i} = %zero, %v{i} = {before}) : tensor<i32>, {VECTOR}\n"
            f"    cond {{\n"
            f"      %c{i} = stablehlo.compare LT, %i{i}, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
            f"      stablehlo.return %c{i} : tensor<i1>\n"
            f"    }} do {{\n"
            f"      %a{i} = stablehlo.add %i{i}, %one : tensor<i32>\n"
            f"      %b{i} = stablehlo.add %v{i}, %v{i} : {VECTOR}\n"
            f"      stablehlo.return %a{i}, %b{i} : tensor<i32>, {VECTOR}\n"
            f"    }}\n"
        )
    return module("".join(lines) + f"    return %w{n - 1}#1 : {VECTOR}\n", arguments=f"%x: {VECTOR}, %n: tensor<i32>")


def donated(n: int) -> str:
    """n buffers, each updated in place."""
    arguments = ", ".join(f"%a{i}: {VECTOR} {{tf.aliasing_output = {i} : i32}}" for i in range(n))
    lines = [f"    %r{i} = stablehlo.add %a{i}, %a{i} : {VECTOR}\n" for i in range(n)]
    returned = ", ".join(f"%r{i}" for i in range(n))
    return module("".join(lines) + f"    return {returned} : {', '.join([VECTOR] * n)}\n", arguments, ", ".join([VECTOR] * n))


def parameters(n: int) -> str:
    """A function of n arguments, added up."""
    arguments = ", ".join(f"%a{i}: {VECTOR}" for i in range(n))
    lines = [f"    %s{i} = stablehlo.add {f'%s{i - 1}' if i > 1 else '%a0'}, %a{i} : {VECTOR}\n" for i in range(1, n)]
    return module("".join(lines) + f"    return %s{n - 1} : {VECTOR}\n", arguments)


def deep_calls(n: int) -> str:
    """n functions: each calls the next one, and main calls the first."""
    return functions(n, n)


def calls(n: int) -> str:
    """n functions in chains of twenty: each calls the next one of its chain, and main calls the first of each."""
    return functions(n, 20)


def functions(n: int, depth: int) -> str:
    body, before = [], "%x"
    for i in range(0, n, depth):
        body.append(f"    %r{i} = func.call @f{i}({before}) : ({VECTOR}) -> {VECTOR}\n")
        before = f"%r{i}"
    rest = []
    for i in range(n):
        inner, result = f"    %0 = stablehlo.add %x, %x : {VECTOR}\n", "%0"
        if i + 1 < n and (i + 1) % depth:
            inner, result = inner + f"    %1 = func.call @f{i + 1}(%0) : ({VECTOR}) -> {VECTOR}\n", "%1"
        rest.append(f"  func.func private @f{i}(%x: {VECTOR}) -> {VECTOR} {{\n{inner}    return {result} : {VECTOR}\n  }}\n")
    return module("".join(body) + f"    return {before} : {VECTOR}\n", rest="".join(rest))


def nested(n: int) -> str:
    """Conditionals in each other, n deep."""
    opens = "".join(f'%r{i} = "stablehlo.if"(%p) ({{\n' for i in range(n, 0, -1))
    closes = "".join(f"stablehlo.return %r{i} : {VECTOR}\n}}, {{\nstablehlo.return %x : {VECTOR}\n}}) : (tensor<i1>) -> {VECTOR}\n" for i in range(n))
    text = f"{opens}%r0 = stablehlo.add %x, %x : {VECTOR}\n{closes}"
    return module(text + f"    return %r{n} : {VECTOR}\n", arguments=f"%x: {VECTOR}, %p: tensor<i1>")


def locations(n: int, ops: int = 1000) -> str:
    """n locations, a part of them on each op."""
    each = n // ops
    table = "".join(f'#loc{i} = loc("file.py":{i + 1}:1)\n' for i in range(n))
    lines = []
    for i in range(ops):
        fused = ", ".join(f"#loc{j}" for j in range(i * each, (i + 1) * each))
        lines.append(f"    %{i} = stablehlo.add {f'%{i - 1}' if i else '%x'}, %x : {VECTOR} loc(fused[{fused}])\n")
    return table + module("".join(lines) + f"    return %{ops - 1} : {VECTOR}\n")


def instructions(file: pathlib.Path, *options: str) -> int:
    """Machine instructions that compiling `file` executes, counted by valgrind: no clock decides."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", BIN / "openneuron", "opt", file, "--to", "neff", "-o", "/dev/null", *options]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr[-2000:]
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


# Run by a small process: a child's peak counts from the fork on, and the process of the tests is large.
MEASURE = """
import os, sys
child = os.fork()
if child == 0:
    os.execv(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
"""


def cost(file: pathlib.Path, out: pathlib.Path, *options: str) -> tuple[float, int]:
    """Processor seconds and peak bytes of one compile to `out`."""
    command = [BIN / "openneuron", "opt", file, "--to", "neff", "-o", out, *options]
    done = subprocess.run([sys.executable, "-I", "-S", "-c", MEASURE, *map(str, command)], capture_output=True, text=True)
    status, seconds, peak = done.stdout.split()
    assert status == "0", done.stderr
    return float(seconds), int(peak)
