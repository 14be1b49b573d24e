"""Why a mutation that nothing notices changes nothing, by the tests' own reading of the stream text (stream_text.py).

  same places     the access reaches the same bytes in the same order
  unread operand  an immediate next to op1=bypass, which nothing reads
  neutral         an operation with the operand that changes nothing: integer + 0, | 0, ^ 0, << 0, * 1 for bypass; and
                  maximum, != and the like with 0 where the value is a comparison's 0 or 1
  commutative     a `reverse` flag of an operation whose operands commute
  same order      the waits order the same pairs of instructions as before, or more of them
  free order      no two instructions that reach a common byte, one of them writing, lost their order
  program order   the number leaves the instruction where it was; the closing marker of a region that one list holds
  not selected    only selects read what it writes, and with those selects replaced by a copy of their other operand the
                  program still computes the same
  poisoned        a memset whose value an output never sees: with NaN instead, every output keeps its bytes
  idempotent      a loop that runs more often: its body reads nothing that it writes, and no address moves with the loop
  bounded again   the upper bound of a clamp is raised, and the indirect transfer of the same op skips what lies beyond it
  filled          it reads another part of what one memset, and nothing else, wrote with one value
  never read      a memset that reaches more or fewer bytes: nothing reads those before they are overwritten
  overwritten     what a loop that runs more often writes in addition, the next instruction of the list writes again
  redundant       a register load that can be left out: the register holds the value already
  same bits       an i1 read or written as another one-byte integer; zero converted from one type to another
"""

import dataclasses
import itertools
import re

import numpy as np

import stream_text
from programs import same_bytes

COMMUTE = {"add", "multiply", "maximum", "minimum", "equal", "not_equal", "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor"}


def apply(text: str, mutation) -> str:
    lines = text.splitlines()
    lines[mutation.line] = mutation.after
    return "\n".join(lines) + "\n"


def loop_values(text: str, line: int, limit=4096):
    """Values of the loop variables around a line: all combinations, thinned out when there are very many."""
    stack = []
    for number, content in enumerate(text.splitlines()):
        if number >= line:
            break
        if found := re.match(r"\s*\d+: loop_begin L(\d+), (\d+)", content):
            stack.append((int(found[1]), int(found[2])))
        elif re.match(r"\s*\d+: loop_begin", content):
            stack.append((int(re.search(r"L(\d+)", content)[1]), 3))
        elif re.match(r"\s*\d+: loop_end", content):
            stack.pop()
        elif stream_text.HEAD.match(content):
            stack = []
    total = int(np.prod([n for _, n in stack])) if stack else 1
    step = max(1, total // limit)
    for index, values in enumerate(itertools.product(*(range(n) for _, n in stack))):
        if index % step == 0 or index == total - 1:
            yield {loop: value for (loop, _), value in zip(stack, values)}


def same_places(text, mutation):
    before, after = (stream_text.parse_instruction(0, line) for line in (mutation.before, mutation.after))
    if after is None or before is None:
        return False

    def rest(instruction):
        return stream_text.ACCESS.sub("@", instruction.body), instruction.waits, instruction.advances, instruction.signal, instruction.order

    if rest(before) != rest(after) or before.mnemonic != after.mnemonic:
        return False
    one, two = stream_text.accesses(before.body), stream_text.accesses(after.body)
    for a, b in zip(one, two):
        if a == b:
            continue
        if a.type != b.type or a.name != b.name or (a.uses_registers or b.uses_registers) and a.start != b.start or [n for _, n in a.dims] != [n for _, n in b.dims]:
            return False
        for values in loop_values(text, mutation.line):
            # A register adds the same to both.
            fixed = [dataclasses.replace(x, start=re.sub(r"R\d+(\*-?\d+)?", "0", x.start)) for x in (a, b)]
            if not np.array_equal(stream_text.places(fixed[0], values), stream_text.places(fixed[1], values)):
                return False
    return True


def unread_operand(mutation):
    """tensor_scalar and scalar_tensor_tensor: the second scalar stands before op0; with op1=bypass nothing reads it."""
    if "op1=bypass" not in mutation.before or "op1=bypass" not in mutation.after:
        return False
    pattern = r"(-?[\d.e+-]+|inf|nan)(?= op0=)"
    return re.sub(pattern, "@", mutation.before) == re.sub(pattern, "@", mutation.after) or (
        mutation.before.replace(" reverse1", "").split() == mutation.after.replace(" reverse1", "").split()
    )


NEUTRAL = {"add": "0", "subtract": "0", "bitwise_or": "0", "bitwise_xor": "0", "left_shift": "0", "right_shift": "0", "multiply": "1"}


COMPARISONS = r"(less|less_equal|greater|greater_equal|equal|not_equal)"


# Operations with 0 that leave 0 and 1 as they are.
KEEPS_TRUTH = "add subtract maximum abs_max not_equal greater logical_or logical_xor bitwise_or bitwise_xor left_shift right_shift".split()


def neutral(mutation):
    """`x op1 operand` before and after the mutation is x: bypass, or an integer operation with its neutral operand."""
    truth = re.search(rf", 0(\.0)? op0={COMPARISONS}\b(?: reverse0)? op1=bypass", mutation.before)
    if truth and mutation.after in [mutation.before.replace("op1=bypass", f"op1={op}") for op in KEEPS_TRUTH]:
        return True
    if not re.search(r": [iu]\d+", mutation.after) or re.search(r": (f32|bf16|f16)", mutation.after):
        return False

    def is_identity(line):
        found = re.search(r", (\S+) op0=\w+(?: reverse0)? op1=(\w+)(?! reverse1)", line)
        return found and (found[2] == "bypass" or NEUTRAL.get(found[2]) == found[1])

    def rest(line):
        return re.sub(r"\S+ (op0=\w+(?: reverse0)?) op1=\w+", r"\1", line)

    return is_identity(mutation.before) and is_identity(mutation.after) and rest(mutation.before) == rest(mutation.after)


def not_selected(subject, mutation):
    """See the top. Readers are found by bytes over all loop iterations' hulls, so another buffer there defeats it."""
    before = stream_text.parse_instruction(0, mutation.before)
    if before is None or not (written := stream_text.accesses(before.body)[:1]) or written[0].name != "sbuf" or written[0].uses_registers:
        return False

    def hull(access):
        if access.uses_registers:
            return None
        reached = stream_text.places(access, {})
        width = stream_text.BYTES.get(access.type, 1)
        return (access.first, access.first + access.count, reached[:, 1].min(), reached[:, 1].max() + width) if len(reached) else None

    def meet(a, b):
        return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]

    mine, lines, found = hull(written[0]), subject.text.splitlines(), False
    for number, line in enumerate(lines):
        instruction = stream_text.parse_instruction(number, line)
        if instruction is None:
            continue
        for position, access in enumerate(stream_text.accesses(instruction.body)):
            if position == 0 or access.name != "sbuf":
                continue
            if "rot" in access.start or "L" in access.start or (other := hull(access)) is None:
                return False
            if not meet(mine, other):
                continue
            if instruction.mnemonic != "select" or position < 2:
                return False
            destination, _, on_true, on_false = re.findall(r"sbuf\[(?:[^\[\]]|\[[^\]]*\])*\]: \w+|psum\[(?:[^\[\]]|\[[^\]]*\])*\]: \w+", line)
            operands = f"{destination}, {on_false if position == 2 else on_true}"
            lines[number] = line.replace("select " + instruction.body, "copy " + operands)
            found = found or lines[number] != line
    rewritten = "\n".join(lines) + "\n"
    return found and all(
        isinstance(outputs := subject.outputs_of(rewritten, inputs), dict) and not same_bytes(right, outputs)
        for inputs, right in zip(subject.inputs, subject.outputs)
    )


def unread_destination(subject, mutation):
    """An activation_reduce writes a tile of which only the sum is wanted: moved elsewhere it is as unread as before, as
    outputs that stay the same show."""
    before = stream_text.parse_instruction(0, mutation.before)
    if before is None or before.mnemonic != "activation_reduce":
        return False
    written = stream_text.accesses(before.body)[0]
    after = stream_text.accesses(stream_text.parse_instruction(0, mutation.after).body)
    if written.name != "sbuf" or after[1:] != stream_text.accesses(before.body)[1:]:
        return False
    place = re.escape(f"sbuf[{written.first}:{written.first + written.count}, {written.start}")
    lines = [line for line in subject.text.splitlines() if re.search(place + r"[,\]]", line)]
    return all(re.search(r"activation_reduce " + place + r"[,\]]", line) for line in lines)


def rows_of_a_pattern(mutation):
    """A pattern says numbers, not places: which partitions it names means nothing where rows do not differ."""
    pattern = r"pattern\[\d+:\d+\*0,"
    return "pattern[" in mutation.before and re.sub(pattern, "", mutation.before) == re.sub(pattern, "", mutation.after)


def poisoned(subject, mutation):
    pattern = r"(memset .*?: (?:f32|bf16|f16), )\S+"
    if not re.search(pattern, mutation.before) or re.sub(pattern, r"\1", mutation.before) != re.sub(pattern, r"\1", mutation.after):
        return False
    poison = dataclasses.replace(mutation, after=re.sub(pattern, r"\1nan", mutation.before))
    return all(
        isinstance(outputs := subject.outputs_of(apply(subject.text, poison), inputs), dict) and not same_bytes(right, outputs)
        for inputs, right in zip(subject.inputs, subject.outputs)
    )


def same_bits(subject, mutation):
    one_byte = r": (i1|i8|u8)(?=[,\s]|$)"
    if re.sub(one_byte, ": @", mutation.before) == re.sub(one_byte, ": @", mutation.after) and ": i1" in mutation.before:
        return re.search(rf"op0={COMPARISONS}\b.* op1=bypass", mutation.before) is not None or " copy " in mutation.before
    types = r"(?<=: )[a-z]+\d+"
    if re.search(r": (dma|copy) ", mutation.before) and re.sub(types, "@", mutation.before) == re.sub(types, "@", mutation.after):
        accesses = [found.group(0) for found in stream_text.ACCESS.finditer(mutation.before)]
        if len(accesses) < 2:
            return False
        place = re.escape(re.match(r"[^\[]*\[[^,\]]*, [^,\]]*", accesses[1]).group(0))  # the same start, whatever its dims
        written = re.findall(rf": (\w+) {place}(?:, [^:]*)?\]: \w+, ([^\n]*)", subject.text)
        return bool(written) and all(name == "memset" and re.match(r"0(\.0)?\b", value) for name, value in written)
    return False


def idempotent(subject, mutation):
    """loop_begin with another constant count, of which the first iteration did all there is to do."""
    pattern = r"(loop_begin L(\d+), )(\d+)"
    before, after = re.search(pattern, mutation.before), re.search(pattern, mutation.after)
    if not before or not after or re.sub(pattern, "", mutation.before) != re.sub(pattern, "", mutation.after) or int(after[3]) < 1:
        return False
    lists = stream_text.parse(subject.text)
    holders = [s for s in lists if any(i.region == int(before[2]) for i in s.instructions)]
    if len(holders) != 1:
        return False
    number = lists.index(holders[0])
    lines = [i.line for i in holders[0].instructions if i.region == int(before[2])]
    body = [n for n, i in enumerate(holders[0].instructions) if lines[0] < i.line < lines[-1]]
    footprints, reads, writes = stream_text.Footprints(subject.text, lists), [], []
    for index in body:
        instruction = holders[0].instructions[index]
        if instruction.signal or instruction.waits or f"L{before[2]}" in instruction.body or instruction.region is not None:
            return False
        for memory, written, reached in footprints.of(number, stream_text.Event(index, [], False)):
            if reached is None:
                return False
            (writes if written else reads).append((memory, reached))
    return not any(m == n and np.intersect1d(a, b).size for m, a in writes for n, b in reads)


def overwritten(subject, mutation):
    pattern = r"(loop_begin L(\d+), )(\d+)"
    before, after = re.search(pattern, mutation.before), re.search(pattern, mutation.after)
    if not before or not after or re.sub(pattern, "", mutation.before) != re.sub(pattern, "", mutation.after):
        return False
    lines = subject.text.splitlines()
    body, end, following = (stream_text.parse_instruction(0, line) for line in lines[mutation.line + 1 : mutation.line + 4])
    extra = range(int(before[3]), int(after[3]))
    if not extra or len(extra) > 16 or following is None or end is None or end.mnemonic != "loop_end" or body.signal or body.waits or following.waits:
        return False

    def keys(access, loops):
        reached = stream_text.places(access, loops)
        return np.unique(((reached[:, 0] * (1 << 40) + reached[:, 1])[:, None] + np.arange(stream_text.BYTES.get(access.type, 1))).ravel())

    outer = {loop for values in loop_values(subject.text, mutation.line, limit=1) for loop in values}
    written, again = stream_text.accesses(body.body), stream_text.accesses(following.body)
    if outer or not written or not again or written[0].name != again[0].name or written[0].uses_registers or again[0].uses_registers:
        return False
    new = np.unique(np.concatenate([keys(written[0], {int(before[2]): value}) for value in extra]))
    read = [keys(access, {}) for access in again[1:] if access.name == again[0].name]
    return np.isin(new, keys(again[0], {})).all() and not any(np.intersect1d(new, r).size for r in read)


def keys(access, loops):
    """A number for each byte that the access reaches."""
    reached = stream_text.places(access, loops)
    width = stream_text.BYTES.get(access.type, 1)
    return np.unique(((reached[:, 0] * (1 << 40) + reached[:, 1])[:, None] + np.arange(width)).ravel())


def bounded_again(subject, mutation):
    pattern = re.compile(r"(tensor_scalar .*, -?\d+, )(\d+)( op0=maximum op1=minimum .*)(loc\(\d+\))")
    before, after = pattern.search(mutation.before), pattern.search(mutation.after)
    if not before or not after or pattern.sub(r"\1@\3\4", mutation.before) != pattern.sub(r"\1@\3\4", mutation.after):
        return False
    skips = rf"indexed\(\d+,{int(before[2]) + 1}\).* skip .*{re.escape(before[4])}"
    return int(after[2]) > int(before[2]) and re.search(skips, subject.text) is not None


def filled(subject, mutation):
    before, after = (stream_text.parse_instruction(mutation.line, line) for line in (mutation.before, mutation.after))
    if after is None or before.mnemonic != after.mnemonic:
        return False
    rest = [(stream_text.ACCESS.sub("@", i.body), i.waits, i.advances, i.signal, i.order) for i in (before, after)]
    pairs = list(zip(stream_text.accesses(before.body), stream_text.accesses(after.body)))
    if rest[0] != rest[1] or pairs[0][0] != pairs[0][1]:
        return False
    for old, new in pairs[1:]:
        if old == new:
            continue
        if (old.name, old.type) != (new.name, new.type) or old.name != "sbuf" or old.uses_registers or new.uses_registers or "L" in old.start + new.start:
            return False
        read, writers = np.union1d(keys(old, {}), keys(new, {})), []
        for stream in stream_text.parse(subject.text):
            for other in stream.instructions:
                written = stream_text.accesses(other.body)[:1]
                if not written or written[0].name != "sbuf" or other.mnemonic in ("load_stationary", "register_load"):
                    continue
                if written[0].uses_registers:
                    return False
                if any(np.intersect1d(read, keys(written[0], loops)).size for loops in loop_values(subject.text, other.line, limit=64)):
                    writers.append((other.mnemonic, written[0]))
        if len(writers) != 1 or writers[0][0] != "memset" or writers[0][1].type != old.type or np.setdiff1d(read, keys(writers[0][1], {})).size:
            return False
    return True


def never_read(subject, mutation):
    before, after = (stream_text.parse_instruction(mutation.line, line) for line in (mutation.before, mutation.after))
    if after is None or before.mnemonic != "memset" or after.mnemonic != "memset":
        return False
    rest = [stream_text.ACCESS.sub("@", i.body) for i in (before, after)]
    if rest[0] != rest[1] or (before.waits, before.signal, before.order) != (after.waits, after.signal, after.order):
        return False
    old, new = stream_text.accesses(before.body)[0], stream_text.accesses(after.body)[0]
    if old.name != new.name or old.type != new.type or old.start != new.start and "L" in old.start + new.start or old.uses_registers:
        return False
    changed = np.setxor1d(keys(old, {}), keys(new, {}))
    for stream in stream_text.parse(subject.text):
        for other in stream.instructions:
            if other.line == mutation.line:
                continue
            for position, access in enumerate(stream_text.accesses(other.body)):
                if access.name != old.name or (position == 0 and other.mnemonic not in ("load_stationary", "register_load")):
                    continue
                if access.uses_registers:
                    return False
                for loops in loop_values(subject.text, other.line, limit=64):
                    if np.intersect1d(changed, keys(access, loops)).size:
                        return False
    return True


def redundant(subject, mutation):
    if " register_load " not in mutation.before:
        return False
    lines = subject.text.splitlines()
    register = re.search(r"register_load (R\d+)", mutation.before).group(1)
    # An earlier load of the register in the same list, so that leaving this one out does not leave it empty.
    held = False
    for line in reversed(lines[: mutation.line]):
        if stream_text.HEAD.match(line):
            break
        held = held or f"register_load {register}," in line
    if not held or "signal" in mutation.before:
        return False
    del lines[mutation.line]
    without = "\n".join(lines) + "\n"
    return all(
        isinstance(outputs := subject.outputs_of(without, inputs), dict) and not same_bytes(right, outputs)
        for inputs, right in zip(subject.inputs, subject.outputs)
    )


def commutative(mutation):
    for flag, op in (("reverse0", "op0"), ("reverse1", "op1")):
        found = re.search(rf"{op}=(\w+)", mutation.before)
        if found and found[1] in COMMUTE and mutation.before.replace(f" {flag}", "").split() == mutation.after.replace(f" {flag}", "").split():
            return True
    return False


def same_order(text, mutation):
    """The mutation touched waits, signals or advances only, and everything that was ordered still is."""
    before, after = (stream_text.parse_instruction(0, line) for line in (mutation.before, mutation.after))
    if after is None or (before.body, before.mnemonic, before.order) != (after.body, after.mnemonic, after.order):
        return False
    old, new = stream_text.parse(text), stream_text.parse(apply(text, mutation))
    for trips, branch in stream_text.choices(old):
        try:
            a, b = stream_text.orders(old, trips, branch), stream_text.orders(new, trips, branch)
        except (stream_text.Deadlock, KeyError):
            return False
        if any(len(x) != len(y) for x, y in zip(a.events, b.events)) or any((y < x).any() for x, y in zip(a.clocks, b.clocks)):
            return False
    return True


def free_order(text, mutation):
    before, after = (stream_text.parse_instruction(0, line) for line in (mutation.before, mutation.after))
    if after is None or (before.body, before.mnemonic, before.order) != (after.body, after.mnemonic, after.order):
        return False
    try:
        return stream_text.lost_orders(text, apply(text, mutation)) is None
    except (stream_text.Deadlock, KeyError):
        return False


def same_program_order(text, mutation):
    """Only the program-order number changed, and the instruction keeps its rank among all instructions of its core."""
    before, after = (stream_text.parse_instruction(mutation.line, line) for line in (mutation.before, mutation.after))
    if after is None or dataclasses.replace(before, order=0) != dataclasses.replace(after, order=0):
        return False
    lists = stream_text.parse(text)
    holders = [s for s in lists if any(i.region is not None and i.region == before.region for i in s.instructions)]
    if before.mnemonic.endswith("_end") and len(holders) == 1:
        orders = [after.order if i.line == mutation.line else i.order for i in holders[0].instructions]
        if orders == sorted(set(orders)):
            return True
    others = {i.order for s in lists for i in s.instructions if i.line != mutation.line}
    return after.order not in others and not any(min(before.order, after.order) < o < max(before.order, after.order) for o in others)


def shown_dead(subject, mutation):
    text = subject.text
    if same_places(text, mutation):
        return "same places"
    if unread_operand(mutation):
        return "unread operand"
    if commutative(mutation):
        return "commutative"
    if same_program_order(text, mutation):
        return "same program order"
    if same_order(text, mutation):
        return "same order"
    if free_order(text, mutation):
        return "free order"
    if neutral(mutation):
        return "neutral"
    if rows_of_a_pattern(mutation):
        return "rows of a pattern"
    if unread_destination(subject, mutation):
        return "unread destination"
    if poisoned(subject, mutation):
        return "poisoned"
    for rule in (same_bits, idempotent, overwritten, bounded_again, filled, never_read, redundant):
        if rule(subject, mutation):
            return rule.__name__.replace("_", " ")
    if not_selected(subject, mutation):
        return "not selected"
    return None
