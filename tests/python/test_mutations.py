"""Does the machinery notice? One field of one instruction is changed, or one wait deleted, and something must happen.

A mutation is accounted for when it is refused, is reported by check mode or the stream checkers, hits the step limit,
changes an output, or is shown dead by the tests' own reading of the stream text (dead_mutations.py).
"""

import dataclasses
import random
import re

import numpy as np
import pytest

import stream_text
from dead_mutations import apply, shown_dead
from programs import engine_code, load, model, neff, run, same_bytes

ALU = (
    "add subtract multiply maximum minimum equal not_equal greater greater_equal less less_equal logical_and logical_or "
    "logical_xor bitwise_and bitwise_or bitwise_xor left_shift right_shift power abs_max bypass"
).split()
FUNCTIONS = "copy exp log tanh sigmoid sqrt rsqrt reciprocal square abs sign relu sin arctan erf gelu gelu_apprx_tanh silu softplus floor ceil trunc round log1p expm1 cos tan".split()
TYPES = "f32 bf16 f16 i32 u32 i8 u8 i1".split()
STEP_LIMIT = "2000000"


@dataclasses.dataclass
class Mutation:
    line: int
    before: str
    after: str

    def __str__(self):
        return f"line {self.line + 1}\n  - {self.before.strip()}\n  + {self.after.strip()}"


def instruction_lines(text):
    return [i for i, line in enumerate(text.splitlines()) if stream_text.LINE.match(line)]


def fields(line: str):
    """(start, end, kind) of every field of an instruction's text; not the location, which no engine reads."""
    end = line.find(" loc(")
    stop = len(line) if end < 0 else end
    tail = line[stop:].find(")")
    spans = [(0, stop)] + ([(stop + tail + 1, len(line))] if end >= 0 else [])
    for low, high in spans:
        part = line[low:high]
        for found in re.finditer(r"(?P<number>(?<![\w.\"%#])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w])|(?<=sem)(?P<semaphore>\d+)|(?<=[LR])(?P<index>\d+)\b"
                                 r"|(?<=: )(?P<type>[a-z]+\d*)(?=[,\s]|$)|\bop\d?=(?P<alu>\w+)|\bfunction=(?P<function>\w+)"
                                 r"|\b(?P<flag>signal|accumulate|skip|reverse0|reverse1|descending|total)\b|(?P<base>(?<=base)[+-]\d+)", part):  # fmt: skip
            kind = found.lastgroup
            yield low + found.start(kind), low + found.end(kind), kind


def mutate(line: str, chance: random.Random) -> str:
    choices = list(fields(line))
    start, end, kind = chance.choice(choices)
    old = line[start:end]
    if kind == "number" and "." in old or "e" in old and kind == "number":
        new = repr(chance.choice((float(old) + 1, -float(old) if float(old) else 2.0, float(old) * 2 + 0.5, 0.0 if float(old) else 1.0)))
    elif kind in ("number", "base"):
        value = int(old)
        new = chance.choice((value + 1, value - 1, value * 2 or 3, value ^ (1 << chance.randrange(10)), value + 4, 0 if value else 5))
        new = f"{new:+d}" if kind == "base" else str(new)
    elif kind in ("semaphore", "index"):
        new = str(max(0, int(old) + chance.choice((-1, 1, 2))))
    elif kind == "flag":
        new = ""
    else:
        new = chance.choice([word for word in {"type": TYPES, "alu": ALU, "function": FUNCTIONS}[kind] if word != old])
    return line[:start] + new + line[end:]


def mutations(text: str, count: int, seed: int):
    chance, lines = random.Random(seed), text.splitlines()
    candidates = [i for i in instruction_lines(text) if list(fields(lines[i]))]
    made = set()
    while len(made) < count:
        number = chance.choice(candidates)
        after = mutate(lines[number], chance)
        if after.rstrip() != lines[number].rstrip() and (number, after) not in made:
            made.add((number, after))
            yield Mutation(number, lines[number], after)


# ---- shown dead


# ---- what happens


def variants(arrays):
    """Inputs that show what N(0, 1) does not: ties and zeros, a maximum at either end, other branches, negative indices."""
    chance = np.random.default_rng(3)

    def ramp(a):
        return (np.arange(a.size).reshape(a.shape) / max(a.size, 1) * 4 - 2).astype(a.dtype)

    def few(a):
        return chance.integers(-2, 3, a.shape).astype(a.dtype)

    floats = (few, few, ramp, lambda a: -ramp(a))
    # Scalars choose branches and positions. Indices: as they are, from the end, beyond it, and numbers whose halves have other signs.
    rules = ((1, lambda a: a), (-1, lambda a: -1 - a % 100), (2, lambda a: a + 37), (0, lambda a: -1 - a * 199))
    for change, (step, indices) in zip(floats, rules):
        result = {}
        for key, a in arrays.items():
            if a.dtype.kind == "f":
                result[key] = change(a)
            elif a.dtype.kind == "i":
                result[key] = (a + step if a.ndim == 0 else indices(a)).astype(a.dtype)
            else:
                result[key] = a
        yield result


class Subject:
    """A compiled program as stream text, its inputs, and what it computes from them."""

    def __init__(self, name, scratch, target="trn2"):
        folder = model(name)
        self.name, self.folder, self.scratch, self.target = name, folder, scratch, target
        self.text = engine_code(neff(folder, target, scratch))
        arrays = load(folder / "inputs.npz")
        self.inputs = [folder / "inputs.npz"]
        for number, other in enumerate(variants(arrays)):
            np.savez(scratch / f"{name}.{number}.mutation.npz", **other)
            self.inputs.append(scratch / f"{name}.{number}.mutation.npz")
        self.outputs = [self.outputs_of(self.text, inputs) for inputs in self.inputs]
        assert all(isinstance(outputs, dict) for outputs in self.outputs), self.outputs

    def outputs_of(self, text, inputs, *options):
        """The outputs, or the result of the program that refused."""
        file, out = self.scratch / f"{self.name}.mutant.stream", self.scratch / f"{self.name}.mutant.npz"
        file.write_text(text)
        out.unlink(missing_ok=True)
        result = run("openneuron", "run", file, "--inputs", inputs, "--outputs", out, "--step-limit", STEP_LIMIT, *options, timeout=60)
        if result.status == 0:
            return load(out)
        assert result.status == 1 and len(set(result.codes)) == 1 and "ON-E1099" not in result.codes, str(result)
        return result

    def fate(self, mutation):
        """What became of the mutation, in one word, or None when nothing noticed."""
        mutant = apply(self.text, mutation)
        checked = self.outputs_of(mutant, self.inputs[0], "--check")
        if not isinstance(checked, dict):
            return f"refused or reported {checked.codes[0]}"
        for inputs, right in zip(self.inputs, self.outputs):
            outputs = self.outputs_of(mutant, inputs)
            if not isinstance(outputs, dict):
                return f"refused {outputs.codes[0]}"
            if same_bytes(right, outputs):
                return "changes an output"
        return shown_dead(self, mutation)


def try_mutations(name, count, seed, scratch, target="trn2"):
    subject, fates, survivors = Subject(name, scratch, target), {}, []
    for mutation in mutations(subject.text, count, seed):
        fate = subject.fate(mutation)
        fates[fate] = fates.get(fate, 0) + 1
        if fate is None:
            survivors.append(str(mutation))
    print(f"{name} on {target}, seed {seed}: {fates}")
    assert not survivors, f"{len(survivors)} of {count} noticed by nothing (seed {seed}):\n" + "\n".join(survivors)
    return fates


@pytest.mark.parametrize("name", ("tiny_layernorm", "tiny_while_update_rows", "mlp", "graphnet"))
def test_sixty_mutations(name, scratch):
    fates = try_mutations(name, 60, 1, scratch)
    assert fates.get("changes an output", 0) > 0 and len(fates) > 1


@pytest.mark.parametrize("name", ("conv_strided_grads", "control_nested_0", "lstm_grads"))
def test_fifteen_mutations_of_convolutions_and_loops(name, scratch):
    try_mutations(name, 15, 5, scratch)


@pytest.mark.full
@pytest.mark.parametrize(
    "name, target",
    [("mlp", "trn2"), ("conv_strided_grads", "odd"), ("lstm_grads", "trn2"), ("graphnet_grads", "trn2"), ("decode", "trn2"), ("gpt_bf16", "trn1"), ("mlp", "tiny"), ("tiny_softmax", "odd"), ("tiny_layernorm", "trn3"), ("tiny_switch_1", "trn2")],
)
def test_three_hundred_mutations(name, target, scratch):
    try_mutations(name, 300, 2, scratch, target)


def check_file(subject, text):
    return subject.outputs_of(text, subject.inputs[0], "--check")


def delete_each_wait(name, scratch, target="trn2", limit=None):
    subject = Subject(name, scratch, target)
    lists = stream_text.parse(subject.text)
    implied = stream_text.implied_waits(lists)
    waits = [(l, i, w) for l, s in enumerate(lists) for i, x in enumerate(s.instructions) for w in range(len(x.waits))]
    assert waits, "a program without waits proves nothing"
    if limit and len(waits) > limit:
        waits = random.Random(4).sample(waits, limit)
    reported, unreported, needless = 0, [], 0
    for l, i, w in waits:
        instruction = lists[l].instructions[i]
        shorter = stream_text.delete_wait(subject.text, instruction, w)
        result = check_file(subject, shorter)
        if not isinstance(result, dict):
            reported += 1
            assert re.fullmatch(r"ON-E(22|19|16)\d\d", result.codes[0]), str(result)
        elif not implied.get((l, i, w), False):
            # The wait may ask for more than it must, and what it must ask for may follow from others.
            lost = stream_text.lost_orders(subject.text, shorter)
            needless += lost is None
            if lost is not None:
                unreported.append(
                    f"{lists[l].name}: wait {instruction.waits[w]} of: {subject.text.splitlines()[instruction.line].strip()}\n"
                    f"    now unordered: {lost[0].order} {lost[0].mnemonic} {lost[0].body}\n    and {lost[1].order} {lost[1].mnemonic} {lost[1].body}"
                )
    print(
        f"{name} on {target}: {len(waits)} waits, {reported} deletions reported, {sum(implied.values())} waits implied by others, "
        f"{needless} that order nothing which others do not"
    )
    assert not unreported, f"{len(unreported)} deletions that no other wait implies went unreported:\n" + "\n".join(unreported)
    assert reported > 0


@pytest.mark.parametrize("name", ("tiny_layernorm", "tiny_dot_131x257x515", "mlp", "conv_strided_grads"))
def test_deleting_each_wait_is_reported(name, scratch):
    delete_each_wait(name, scratch, limit=60)


@pytest.mark.full
@pytest.mark.parametrize("target", ("trn2", "odd"))
@pytest.mark.parametrize("name", ("mlp", "gpt", "decode_bf16", "tiny_reductions", "tiny_while_update_rows"))
def test_deleting_every_wait_is_reported(name, target, scratch):
    delete_each_wait(name, scratch, target)


def overlaps(subject, limit):
    """Mutants in which one instruction writes over bytes that another list's buffer holds while it lives: its SBUF
    destination is moved onto another instruction's source."""
    lines = subject.text.splitlines()
    lists = stream_text.parse(subject.text)
    sources = []
    for stream in lists:
        for instruction in stream.instructions:
            found = stream_text.accesses(instruction.body)
            sources += [a for a in found[1:] if a.name == "sbuf" and not a.uses_registers and "rot" not in a.start]
    chance = random.Random(6)
    for stream in lists:
        for instruction in stream.instructions:
            found = stream_text.accesses(instruction.body)
            if not found or found[0].name != "sbuf" or found[0].uses_registers:
                continue
            others = [s for s in sources if s.start != found[0].start]
            if not others:
                continue
            target = chance.choice(others)
            line = lines[instruction.line]
            old = f"{found[0].first}:{found[0].first + found[0].count}, {found[0].start}"
            new = f"{found[0].first}:{found[0].first + found[0].count}, {target.start.split(' ')[0]}"
            if old in line and "L" not in target.start:
                yield Mutation(instruction.line, line, line.replace(old, new, 1))
                limit -= 1
                if limit == 0:
                    return


@pytest.mark.parametrize("name", ("tiny_layernorm", "mlp", "conv_strided_grads"))
def test_overlapping_two_live_buffers_is_reported(name, scratch):
    """A buffer moved onto another: check mode or the stream checkers say so (its readers then also read what nothing
    wrote). What is not reported must at least not go unseen: it changes an output or is shown dead."""
    subject, reported, unseen, total = Subject(name, scratch), 0, [], 0
    for mutation in overlaps(subject, 25):
        total += 1
        fate = subject.fate(mutation)
        reported += bool(fate) and "reported" in fate
        if fate is None:
            unseen.append(str(mutation))
    print(f"{name}: {total} overlaps, {reported} reported by check mode or the checkers")
    assert total and not unseen, "\n".join(unseen)
    assert reported > total // 2
