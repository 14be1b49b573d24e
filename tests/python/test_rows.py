"""Gather, scatter, sort and top_k: every form of dimension numbers against numpy, embedding gradients against float64
sums, which instructions do the work, and rows as long as they come.

OPENNEURON_RANDOM_SEEDS=N runs seeds 0..N-1 of each family, OPENNEURON_RANDOM_FIRST=S starts at S.
"""

import json
import os

import numpy as np
import pytest

from programs import engine_code, host_isas, load, run, same_bytes, succeed
from random_rows import generate, tensor

FIRST = int(os.environ.get("OPENNEURON_RANDOM_FIRST", "0"))
FEW = int(os.environ.get("OPENNEURON_RANDOM_SEEDS", "6"))
MANY = max(FEW, 200)
TARGETS = ("trn2", "odd", "tiny")
FAMILIES = ("gather", "scatter", "sort", "top_k")


def execute(text, inputs, folder, *options, command="run", env=None):
    file, given, outputs = folder / "program.mlir", folder / "inputs.npz", folder / "outputs.npz"
    file.write_text(text)
    np.savez(given, **{f"input{i}": a for i, a in enumerate(inputs)})
    succeed("openneuron", command, file, "--inputs", given, "--outputs", outputs, *options, env=env)
    return load(outputs)


def check(family, seed, folder, *options, command="run"):
    program = generate(family, seed)
    found = program.complaints(execute(program.text, [a for _, a in program.inputs], folder, *options, command=command))
    assert not found, "\n".join([f"{family}, seed {seed}", *found, program.text])


def seeds(first, count):
    return range(FIRST + first, FIRST + first + count)


@pytest.mark.parametrize("seed", seeds(0, FEW))
@pytest.mark.parametrize("family", FAMILIES)
def test_oracle(family, seed, tmp_path):
    check(family, seed, tmp_path, command="ref")


@pytest.mark.parametrize("seed", seeds(0, FEW))
@pytest.mark.parametrize("family", FAMILIES)
def test_device(family, seed, tmp_path):
    check(family, seed, tmp_path, "--target", TARGETS[seed % len(TARGETS)], "--check")


@pytest.mark.full
@pytest.mark.parametrize("seed", seeds(FEW, MANY - FEW))
@pytest.mark.parametrize("family", FAMILIES)
def test_device_long(family, seed, tmp_path):
    check(family, seed, tmp_path, "--target", TARGETS[seed % len(TARGETS)], "--check")


@pytest.mark.parametrize("passes", ("residency", "prune_waits", "rebalance_engines", "add_copies", "interleave"))
@pytest.mark.parametrize("family", FAMILIES)
def test_without_a_pass(family, passes, tmp_path):
    check(family, 3, tmp_path, "--disable", passes, "--check")


@pytest.mark.parametrize("family", FAMILIES)
def test_threads_and_host_kernels(family, tmp_path):
    program = generate(family, 4)
    inputs = [a for _, a in program.inputs]
    plain = execute(program.text, inputs, tmp_path, "--threads", "1", env={"OPENNEURON_HOST_ISA": "baseline"})
    for isa in host_isas():
        for threads in ("1", "2"):
            other = execute(program.text, inputs, tmp_path, "--threads", threads, env={"OPENNEURON_HOST_ISA": isa})
            assert same_bytes(plain, other) == [], (isa, threads)


def scatter_text(kind, rows, width, count, region="stablehlo.add %a, %b"):
    table, updates, scalar = tensor(kind, (rows, width)), tensor(kind, (count, width)), tensor(kind, ())
    return f"""func.func public @main(%table: {table}, %index: tensor<{count}x1xi32>, %updates: {updates}) -> {table} {{
  %zero = stablehlo.constant dense<0.0> : {table}
  %start = stablehlo.add %table, %zero : {table}
  %0 = "stablehlo.scatter"(%start, %index, %updates) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{
  ^bb0(%a: {scalar}, %b: {scalar}):
    %1 = {region} : {scalar}
    stablehlo.return %1 : {scalar}
  }}) : ({table}, tensor<{count}x1xi32>, {updates}) -> {table}
  return %0 : {table}
}}
"""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("count, width", ((1, 64), (200, 96), (1000, 33), (3000, 1)))
def test_duplicates_add_up(count, width, target, tmp_path):
    """Rows named again and again: within n roundings of the float64 sum of what was added to each."""
    random = np.random.default_rng(count)
    rows = 17
    table, updates = (random.normal(size=shape).astype(np.float32) for shape in ((rows, width), (count, width)))
    index = random.integers(-1, rows + 1, (count, 1)).astype(np.int32)
    wanted, sizes = table.astype(np.float64), np.abs(table).astype(np.float64)
    for i, update in zip(index[:, 0], updates.astype(np.float64)):
        if 0 <= i < rows:
            wanted[i] += update
            sizes[i] += np.abs(update)
    got = execute(scatter_text("f32", rows, width, count), [table, index, updates], tmp_path, "--target", target, "--check")
    assert np.all(np.abs(got["output0"] - wanted) <= count * 2.0**-24 * sizes)


def test_scatter_add_is_one_dma_compute_in_a_loop(tmp_path):
    """Into a donated table: nothing is looped over row by row, and HBM sees the rows that are named and no others."""
    rows, width, count = 1000, 256, 512
    text = scatter_text("f32", rows, width, count)
    text = text.replace("%table: tensor<1000x256xf32>", "%table: tensor<1000x256xf32> {tf.aliasing_output = 0 : i32}")
    text = text.replace("(%start, ", "(%table, ")
    code = execute_code(text, tmp_path)
    assert code.count("dma_compute") == 1 and "while_begin" not in code
    random = np.random.default_rng(1)
    index = random.integers(0, rows, (count, 1)).astype(np.int32)
    table, updates = (random.normal(size=s).astype(np.float32) for s in ((rows, width), (count, width)))
    np.savez(tmp_path / "in.npz", input0=table, input1=index, input2=updates)
    succeed("openneuron", "run", tmp_path / "program.mlir", "--inputs", tmp_path / "in.npz", "--report", tmp_path / "report.json")
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["hbm_read_bytes"] == 2 * updates.nbytes + index.nbytes
    assert report["hbm_written_bytes"] == updates.nbytes


def execute_code(text, folder):
    file = folder / "program.mlir"
    file.write_text(text)
    return engine_code(file)


def top_k_text(kind, rows, n, k):
    return f"""func.func public @main(%x: {tensor(kind, (rows, n))}) -> ({tensor(kind, (rows, k))}, {tensor("i32", (rows, k))}) {{
  %values, %indices = chlo.top_k(%x, k = {k}) : {tensor(kind, (rows, n))} -> ({tensor(kind, (rows, k))}, {tensor("i32", (rows, k))})
  return %values, %indices : {tensor(kind, (rows, k))}, {tensor("i32", (rows, k))}
}}
"""


@pytest.mark.parametrize("kind", ("f32", "bf16", "i8"))
@pytest.mark.parametrize("n, k", ((5, 2), (8, 8), (1000, 1), (50257, 8)))
def test_top_k_up_to_eight_is_no_routine(kind, n, k, tmp_path):
    code = execute_code(top_k_text(kind, 4, n, k), tmp_path)
    assert "max8" in code and " sort " not in code


def test_only_sorts_and_longer_top_k_are_routines(tmp_path):
    """The whole list of routines that these families use."""
    assert " sort " in execute_code(top_k_text("f32", 4, 100, 9), tmp_path)
    for family in ("gather", "scatter"):
        for seed in range(4):
            assert " sort " not in execute_code(generate(family, seed).text, tmp_path)


@pytest.mark.parametrize("rows, n, k", ((3, 20000, 8), (2, 50257, 5), (130, 16385, 1), (2, 40000, 50)))
def test_top_k_of_wide_rows(rows, n, k, tmp_path):
    x = np.random.default_rng(n).normal(size=(rows, n)).astype(np.float32)
    x[:, :: n // 7] = 5.0  # equal ones: the first of them count
    got = execute(top_k_text("f32", rows, n, k), [x], tmp_path)
    place = np.argsort(-x, axis=-1, kind="stable")[:, :k]
    assert np.array_equal(got["output1"], place)
    assert np.array_equal(got["output0"], np.take_along_axis(x, place, axis=-1))


@pytest.mark.parametrize("target, rows, n", (("trn2", 3, 100_000), ("tiny", 5, 3000), ("odd", 2, 9001)))
def test_rows_longer_than_sbuf_are_sorted_in_hbm(target, rows, n, tmp_path):
    shape = tensor("f32", (n, rows))
    text = f"""func.func public @main(%x: {shape}) -> ({shape}, {tensor("i32", (n, rows))}) {{
  %i = stablehlo.iota dim = 0 : {tensor("i32", (n, rows))}
  %0:2 = "stablehlo.sort"(%x, %i) <{{dimension = 0 : i64, is_stable = true}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }}) : ({shape}, {tensor("i32", (n, rows))}) -> ({shape}, {tensor("i32", (n, rows))})
  return %0#0, %0#1 : {shape}, {tensor("i32", (n, rows))}
}}
"""
    x = np.random.default_rng(n).integers(-1000, 1000, (n, rows)).astype(np.float32)
    got = execute(text, [x], tmp_path, "--target", target, "--check")
    place = np.argsort(-x, axis=0, kind="stable")
    assert np.array_equal(got["output1"], place)
    assert np.array_equal(got["output0"], np.take_along_axis(x, place, axis=0))


def test_operand_that_is_its_own_update(tmp_path):
    """x.at[reversed].set(x): the operand's memory is not written while the updates are read from it."""
    n, width = 150, 7
    table = tensor("f32", (n, width))
    text = f"""func.func public @main(%x: {table}, %index: tensor<{n}x1xi32>) -> {table} {{
  %y = stablehlo.add %x, %x : {table}
  %0 = "stablehlo.scatter"(%y, %index, %y) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }}) : ({table}, tensor<{n}x1xi32>, {table}) -> {table}
  return %0 : {table}
}}
"""
    x = np.arange(n * width, dtype=np.float32).reshape(n, width)
    for options in ((), ("--disable", "residency")):
        got = execute(text, [x, np.arange(n, dtype=np.int32)[::-1].reshape(n, 1)], tmp_path, "--check", *options)
        assert np.array_equal(got["output0"], 2 * x[::-1])


def test_comparators_that_are_no_order_of_keys(tmp_path):
    """By distance from three, ties as they stood; rows too long for all pairs are refused."""
    def text(n):
        t = tensor("f32", (4, n))
        return f"""func.func public @main(%x: {t}) -> {t} {{
  %0 = "stablehlo.sort"(%x) <{{dimension = 1 : i64, is_stable = true}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %three = stablehlo.constant dense<3.0> : tensor<f32>
    %1 = stablehlo.subtract %a, %three : tensor<f32>
    %2 = stablehlo.abs %1 : tensor<f32>
    %3 = stablehlo.subtract %b, %three : tensor<f32>
    %4 = stablehlo.abs %3 : tensor<f32>
    %5 = stablehlo.compare LT, %2, %4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }}) : ({t}) -> {t}
  return %0 : {t}
}}
"""

    x = np.random.default_rng(5).integers(-20, 20, (4, 200)).astype(np.float32)
    got = execute(text(200), [x], tmp_path, "--check")
    place = np.argsort(np.abs(x - 3), axis=1, kind="stable")
    assert np.array_equal(got["output0"], np.take_along_axis(x, place, axis=1))
    (tmp_path / "long.mlir").write_text(text(100_000))
    result = run("openneuron", "opt", tmp_path / "long.mlir", "--to", "tile")
    assert result.status == 1 and result.codes == ["ON-E1702"]


@pytest.mark.parametrize("shape, indices, dim, batch", (((7, 40), (9,), 0, 0), ((7, 40), (9, 2), 1, 0), ((3, 7, 40), (3, 5), 1, 1), ((3, 7, 40), (3, 5), 2, 1), ((3, 7, 4, 5), (3, 7, 6), 2, 2)))
def test_torch_index_select(shape, indices, dim, batch, tmp_path):
    result = shape[:dim] + indices[batch:] + shape[dim + 1 :]
    types = f"({tensor('f32', shape)}, {tensor('i32', indices)}) -> {tensor('f32', result)}"
    text = f"""func.func public @main(%x: {tensor("f32", shape)}, %i: {tensor("i32", indices)}) -> {tensor("f32", result)} {{
  %0 = "stablehlo.torch_index_select"(%x, %i) <{{dim = {dim} : i64, batch_dims = {batch} : i64}}> : {types}
  return %0 : {tensor("f32", result)}
}}
"""
    random = np.random.default_rng(dim)
    x, i = random.normal(size=shape).astype(np.float32), random.integers(0, shape[dim], indices).astype(np.int32)
    wanted = np.zeros(result, np.float32)
    for where in np.ndindex(*result):
        place, rest = where[dim : dim + len(indices) - batch], where[dim + len(indices) - batch :]
        wanted[where] = x[where[:dim] + (i[where[:batch] + place],) + rest]
    for command in ("ref", "run"):
        assert np.array_equal(execute(text, [x, i], tmp_path, command=command)["output0"], wanted), command


def test_captured_values_in_regions(tmp_path):
    """A scatter and a sort whose regions use values of the function around them."""
    text = """func.func public @main(%x: tensor<3x40xf32>, %i: tensor<7x1xi32>, %u: tensor<7x40xf32>, %c: tensor<f32>) -> (tensor<3x40xf32>, tensor<3x40xf32>) {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.multiply %b, %c : tensor<f32>
    %2 = stablehlo.subtract %1, %a : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<3x40xf32>, tensor<7x1xi32>, tensor<7x40xf32>) -> tensor<3x40xf32>
  %3 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %4 = stablehlo.subtract %a, %c : tensor<f32>
    %5 = stablehlo.abs %4 : tensor<f32>
    %6 = stablehlo.subtract %b, %c : tensor<f32>
    %7 = stablehlo.abs %6 : tensor<f32>
    %8 = stablehlo.compare LT, %5, %7, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %8 : tensor<i1>
  }) : (tensor<3x40xf32>) -> tensor<3x40xf32>
  return %0, %3 : tensor<3x40xf32>, tensor<3x40xf32>
}
"""
    random = np.random.default_rng(2)
    x, u = (random.integers(-9, 9, shape).astype(np.float32) for shape in ((3, 40), (7, 40)))
    index, c = np.array([[0], [2], [2], [-1], [0], [3], [2]], np.int32), np.float32(3)
    wanted = x.copy()
    for row, update in zip(index[:, 0], u):
        if 0 <= row < 3:
            wanted[row] = update * c - wanted[row]
    got = execute(text, [x, index, u, c], tmp_path, "--check")
    assert np.array_equal(got["output0"], wanted)
    assert np.array_equal(got["output1"], np.take_along_axis(x, np.argsort(np.abs(x - c), axis=1, kind="stable"), axis=1))
