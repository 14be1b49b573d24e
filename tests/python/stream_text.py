"""Reads stream text as docs/stream.md specifies it, and works out which waits order what. Shares no code with src/.

Used to edit streams (mutations, deleted waits) and to say independently whether an edit can matter:
`orders` runs the lists symbolically and gives, for every dynamic instruction, what is certainly finished before it.
"""

from __future__ import annotations

import dataclasses
import itertools
import re

import numpy as np

HEAD = re.compile(r"^\s*(?:(PE|Vector|Scalar|GpSimd|Sync)|Dma queue=(\d+)) sem(\d+) \{\s*$")
LINE = re.compile(r"^\s*(\d+): (\w+)\b(.*)$")
WAIT = re.compile(r"sem(\d+) >= base([+-]\d+)?")
ADVANCE = re.compile(r"sem(\d+) base([+-]\d+)?")
ACCESS = re.compile(
    r"(?P<name>sbuf|psum|%\"[^\"]*\"|%[\w.$#]+)\[(?P<p0>\d+)(?::(?P<p1>\d+))?(?:\*(?P<pitch>-?\d+))?(?P<rest>(?:[^\[\]]|\[[^\]]*\])*)\]"
    r"(?: indexed\([^)]*\))?: (?P<type>\w+)"
)
BYTES = {"f32": 4, "i32": 4, "u32": 4, "bf16": 2, "f16": 2, "i16": 2, "u16": 2, "i64": 8, "u64": 8, "f64": 8}


@dataclasses.dataclass
class Instruction:
    line: int  # index into the lines of the text
    order: int
    mnemonic: str
    body: str  # operands and parameters, without waits, advance and signal
    waits: list[tuple[int, int]]  # semaphore, count from the base
    advances: list[tuple[int, int]]
    signal: bool
    region: int | None = None
    trips: int | None = None  # loop_begin with a constant count


@dataclasses.dataclass
class List:
    name: str
    semaphore: int
    core: int
    instructions: list[Instruction]


def counts(text: str, pattern: re.Pattern) -> list[tuple[int, int]]:
    return [(int(m.group(1)), int(m.group(2) or 0)) for m in pattern.finditer(text)]


def clause(text: str, word: str) -> str:
    """What stands between `word(` and its bracket."""
    found = re.search(rf"\b{word}\(([^()]*)\)", text)
    return found.group(1) if found else ""


def parse_instruction(number: int, line: str) -> Instruction | None:
    found = LINE.match(line)
    if not found:
        return None
    order, mnemonic, rest = int(found.group(1)), found.group(2), found.group(3)
    tail = re.search(r"\s(wait\(|advance\(|signal\b|loc\()", rest)
    body = rest[: tail.start()] if tail else rest
    instruction = Instruction(
        number, order, mnemonic, body.strip(), counts(clause(rest, "wait"), WAIT), counts(clause(rest, "advance"), ADVANCE),
        re.search(r"\bsignal\b", rest[tail.start() :] if tail else "") is not None,
    )  # fmt: skip
    if mnemonic.startswith(("loop_", "while_", "case_")):
        instruction.region = int(re.match(r"L(\d+)", instruction.body).group(1))
        constant = re.fullmatch(r"L\d+, (-?\d+)", instruction.body)
        instruction.trips = int(constant.group(1)) if mnemonic == "loop_begin" and constant else None
    return instruction


def parse(text: str) -> list[List]:
    lists: list[List] = []
    core = 0
    for number, line in enumerate(text.splitlines()):
        if found := re.match(r"\s*core (\d+)", line):
            core = int(found.group(1))
        elif found := HEAD.match(line):
            name = found.group(1) or f"Dma{found.group(2)}"
            lists.append(List(name, int(found.group(3)), core, []))
        elif lists and (instruction := parse_instruction(number, line)):
            lists[-1].instructions.append(instruction)
    return lists


@dataclasses.dataclass
class Event:
    """One execution of an instruction."""

    static: int
    waits: list[tuple[int, int]]  # semaphore and the absolute value waited for
    signal: bool
    loops: tuple[tuple[int, int], ...] = ()  # values of the enclosing loops' variables


def expand(stream: List, trips: dict[int, int], branch: dict[int, int]) -> list[Event]:
    """The instructions in execution order, with data-dependent trips and branches as chosen."""
    events: list[Event] = []
    base: dict[int, int] = {}
    values: dict[int, int] = {}
    code = stream.instructions

    def emit(index: int) -> None:
        instruction = code[index]
        events.append(Event(index, [(s, base.get(s, 0) + n) for s, n in instruction.waits], instruction.signal, tuple(values.items())))
        for semaphore, count in instruction.advances:
            base[semaphore] = base.get(semaphore, 0) + count

    def parts(begin: int) -> list[int]:
        """Markers of the region opened at `begin`: itself, its dividers, its end."""
        region, marks, depth = code[begin].region, [begin], 0
        for index in range(begin + 1, len(code)):
            mnemonic = code[index].mnemonic
            if mnemonic.endswith("_begin"):
                depth += 1
            elif mnemonic.endswith("_end") and mnemonic.startswith(("loop", "while", "case")):
                if depth == 0:
                    assert code[index].region == region
                    return [*marks, index]
                depth -= 1
            elif mnemonic in ("while_test", "case_next") and depth == 0:
                marks.append(index)
        raise ValueError("region without an end")

    def block(first: int, end: int) -> None:
        index = first
        while index < end:
            if not code[index].mnemonic.endswith("_begin"):
                emit(index)
                index += 1
                continue
            marks = parts(index)
            emit(index)
            instruction = code[index]
            if instruction.mnemonic == "loop_begin":
                count = instruction.trips if instruction.trips is not None else trips.get(instruction.region, 2)
                for value in range(count):
                    values[instruction.region] = value
                    block(marks[0] + 1, marks[1])
                    emit(marks[1])
                values.pop(instruction.region, None)
            elif instruction.mnemonic == "while_begin":
                for iteration in range(trips.get(instruction.region, 2) + 1):
                    block(marks[0] + 1, marks[1])
                    emit(marks[1])
                    if iteration < trips.get(instruction.region, 2):
                        block(marks[1] + 1, marks[2])
                        emit(marks[2])
            else:
                taken = min(branch.get(instruction.region, 0), len(marks) - 2)
                block(marks[taken] + 1, marks[taken + 1])
                emit(marks[taken + 1])
            index = marks[-1] + 1

    block(0, len(code))
    return events


class Deadlock(Exception):
    pass


@dataclasses.dataclass
class Orders:
    """clocks[l][e][m]: how many events of list m are certainly finished before event e of list l starts.
    implied: {(list, static instruction, wait number): every execution of the wait follows from other waits}."""

    events: list[list[Event]]
    clocks: list[np.ndarray]
    implied: dict[tuple[int, int, int], bool]


def orders(lists: list[List], trips: dict[int, int] | None = None, branch: dict[int, int] | None = None) -> Orders:
    events = [expand(stream, trips or {}, branch or {}) for stream in lists]
    width = len(lists)
    # Position of the n-th signalling event of each list: what "the semaphore has reached n" stands for.
    signals = [[i for i, event in enumerate(sequence) if event.signal] for sequence in events]
    owner = {stream.semaphore: number for number, stream in enumerate(lists)}
    clocks = [np.zeros((len(sequence) + 1, width), np.int64) for sequence in events]
    done = [0] * width
    implied: dict[tuple[int, int, int], bool] = {}
    moved = True
    while moved:
        moved = False
        for number in range(width):
            while done[number] < len(events[number]):
                event = events[number][done[number]]
                needed = []
                for semaphore, value in event.waits:
                    source = owner[semaphore]
                    if value <= 0:
                        needed.append((source, -1))
                    elif value > len(signals[source]):
                        raise Deadlock(f"{lists[number].name}: waits for sem{semaphore} >= {value}, which has {len(signals[source])}")
                    else:
                        needed.append((source, signals[source][value - 1]))
                if any(position >= done[source] for source, position in needed):
                    break
                start = clocks[number][done[number] - 1].copy() if done[number] else np.zeros(width, np.int64)
                start[number] = done[number]
                each = []
                for source, position in needed:
                    clock = np.zeros(width, np.int64)
                    if position >= 0:
                        clock = clocks[source][position].copy()
                        clock[source] = position + 1
                    each.append((source, position, clock))
                for which, (source, position, _) in enumerate(each):
                    others = start.copy()
                    for other, (_, _, clock) in enumerate(each):
                        if other != which:
                            np.maximum(others, clock, out=others)
                    key = (number, event.static, which)
                    implied[key] = implied.get(key, True) and bool(others[source] >= position + 1)
                for _, _, clock in each:
                    np.maximum(start, clock, out=start)
                clocks[number][done[number]] = start
                done[number] += 1
                moved = True
    stuck = [lists[n].name for n in range(width) if done[n] < len(events[n])]
    if stuck:
        raise Deadlock(f"stuck: {', '.join(stuck)}")
    return Orders(events, [clock[:-1] for clock in clocks], implied)


def choices(lists: list[List]) -> list[tuple[dict[int, int], dict[int, int]]]:
    """Trip counts and branches to try for the regions that depend on data: 0 to 3 trips, each branch."""
    dynamic, cases = set(), {}
    for stream in lists:
        for instruction in stream.instructions:
            if instruction.mnemonic == "while_begin" or (instruction.mnemonic == "loop_begin" and instruction.trips is None):
                dynamic.add(instruction.region)
            if instruction.mnemonic == "case_begin":
                cases[instruction.region] = int(re.search(r"branches=(\d+)", instruction.body).group(1))
    picks = [{r: n for r in dynamic} for n in ((2,) if not dynamic else (0, 1, 2, 3))]
    taken = [dict(zip(cases, t)) for t in itertools.islice(itertools.product(*(range(n) for n in cases.values())), 16)]
    return [(p, t) for p in picks for t in taken]


def implied_waits(lists: list[List]) -> dict[tuple[int, int, int], bool]:
    """Waits that follow from others whatever the data: for every choice tried."""
    result: dict[tuple[int, int, int], bool] = {}
    for trips, branch in choices(lists):
        for key, value in orders(lists, trips, branch).implied.items():
            result[key] = result.get(key, True) and value
    return result


def delete_wait(text: str, instruction: Instruction, which: int) -> str:
    """The text without wait number `which` of the instruction."""
    lines = text.splitlines()
    line = lines[instruction.line]
    kept = [part for i, part in enumerate(re.findall(r"sem\d+ >= base(?:[+-]\d+)?", clause(line, "wait"))) if i != which]
    replacement = f"wait({', '.join(kept)})" if kept else ""
    lines[instruction.line] = re.sub(r"\bwait\([^()]*\)", replacement, line, count=1).rstrip()
    return "\n".join(lines) + "\n"


# ---- which bytes an access reaches


@dataclasses.dataclass
class Access:
    name: str
    type: str
    first: int
    count: int
    pitch: int
    start: str
    dims: list[tuple[int, int]]

    @property
    def uses_registers(self) -> bool:
        return re.search(r"\bR\d+", self.start) is not None


def accesses(body: str) -> list[Access]:
    """The memory operands, in order. `pattern[...]` of iota is not memory."""
    result = []
    for found in ACCESS.finditer(body):
        p0 = int(found["p0"])
        p1 = int(found["p1"]) if found["p1"] else p0 + 1
        rest = found["rest"]
        dims = [(int(s), int(n)) for s, n in re.findall(r"\[(-?\d+),(-?\d+)\]", rest)]
        start = re.sub(r"\[[^\]]*\]", "", rest).strip(" ,")
        result.append(Access(found["name"], found["type"], p0, p1 - p0, int(found["pitch"] or 1), start, dims))
    return result


def places(access: Access, loops: dict[int, int]) -> np.ndarray | None:
    """(partition, byte) of every element in order, with the loop variables' values; None when registers decide."""
    if access.uses_registers:
        return None
    partition, byte = access.first, 0
    start = access.start
    for found in re.finditer(r"rot\(L(\d+),\s*(\d+)\*(\d+)\)", start):
        byte += (loops.get(int(found[1]), 0) % int(found[2])) * int(found[3])
    start = re.sub(r"rot\([^)]*\)", "0", start)
    for found in re.finditer(r"L(\d+)\*(?:\((\d+)p \+ (-?\d+)\)|(-?\d+)p|(-?\d+))", start):
        value = loops.get(int(found[1]), 0)
        partition += value * int(found[2] or found[4] or 0)
        byte += value * int(found[3] or found[5] or 0)
    start = re.sub(r"L\d+\*(?:\([^)]*\)|-?\d+p?)", "0", start)
    byte += sum(int(n) for n in re.findall(r"(?<![\w.])-?\d+", start))
    offsets = np.zeros(1, np.int64)
    for stride, count in access.dims:
        offsets = (offsets[:, None] + np.arange(max(count, 0)) * stride).ravel()
    if access.name in ("sbuf", "psum"):
        rows = partition + np.arange(access.count) * (1 if access.pitch else 0)
        return np.stack([np.repeat(rows, len(offsets)), np.tile(byte + offsets, len(rows))], 1)
    rows = np.arange(access.count) * access.pitch
    return np.stack([np.zeros(len(rows) * len(offsets), np.int64), (rows[:, None] + byte + offsets).ravel()], 1)


# ---- which orders matter

# Instructions whose second operand is written too; a sort without payload has two accesses.
TWO_RESULTS = ("activation_reduce", "sort")


class Footprints:
    """Bytes that executions of instructions read and write, for finding the pairs that must be ordered."""

    def __init__(self, text: str, lists: list[List]):
        self.lists = lists
        self.alias = dict(re.findall(r"(%\S+) = \w+ output \S+.*\balias=(%\S+)", text))
        self.cache: dict = {}

    def of(self, number: int, event: Event):
        """[(memory, written, lines or None)]: lines is a sorted array of byte keys; None stands for all of the memory."""
        instruction = self.lists[number].instructions[event.static]
        key = (number, event.static, event.loops)
        if key in self.cache:
            return self.cache[key]
        result = []
        found = accesses(instruction.body)
        for position, access in enumerate(found):
            memory = self.alias.get(access.name, access.name)
            written = position == 0 and instruction.mnemonic != "load_stationary" and instruction.mnemonic != "register_load"
            written = written or (position == 1 and instruction.mnemonic in TWO_RESULTS and len(found) > 2)
            reached = None if "indexed(" in instruction.body else places(access, dict(event.loops))
            if reached is not None:
                width = BYTES.get(access.type, 1)
                keys = reached[:, 0] * (1 << 40) + reached[:, 1]
                reached = np.unique((keys[:, None] + np.arange(width)).ravel())
            result.append((memory, written, reached))
        self.cache[key] = result
        return result

    def conflict(self, a: int, one: Event, b: int, two: Event) -> bool:
        for memory, written, reached in self.of(a, one):
            for other_memory, other_written, other in self.of(b, two):
                if memory != other_memory or not (written or other_written):
                    continue
                if reached is None or other is None:
                    return True
                if len(reached) == 0 or len(other) == 0 or reached[-1] < other[0] or other[-1] < reached[0]:
                    continue
                small, large = sorted((reached, other), key=len)
                at = np.searchsorted(large, small)
                if (large[np.minimum(at, len(large) - 1)] == small).any():
                    return True
        return False


def lost_orders(before: str, after: str):
    """A pair of executions that conflict, ordered by the waits of `before` and no longer by those of `after`; else None.
    The texts differ in waits, signals and advances only."""
    old, new = parse(before), parse(after)
    footprints = Footprints(before, old)
    for trips, branch in choices(old):
        a, b = orders(old, trips, branch), orders(new, trips, branch)
        for number, (events, was, now) in enumerate(zip(a.events, a.clocks, b.clocks)):
            for index, source in zip(*np.nonzero(now < was)):
                for earlier in range(now[index, source], was[index, source]):
                    if footprints.conflict(source, a.events[source][earlier], number, events[index]):
                        return old[source].instructions[a.events[source][earlier].static], old[number].instructions[events[index].static]
    return None
