"""What a graph's text computes, as a data flow: equal whatever the order of ops, their names, dead ops, and how often a
constant or an equal op is written down."""

from __future__ import annotations

import hashlib
import re

NAME = re.compile(r"%[A-Za-z0-9_]+(?:#\d+)?")
RESULT = re.compile(r"(%[A-Za-z0-9_]+)(?::(\d+))? = ")


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


class Reader:
    """Of the text that `openneuron opt` prints."""

    def __init__(self, text: str, normal=lambda line: line):
        self.lines = [line.strip() for line in text.splitlines() if line.strip()]
        self.at = 0
        self.normal = normal

    def replaced(self, text: str, names: dict[str, str]) -> str:
        return NAME.sub(lambda found: names[found.group()], text)

    def block(self, names: dict[str, str]) -> tuple[str, str]:
        """Digest of a block's terminator and of what it does besides; the line that closes it. `names` grows."""
        names = dict(names)
        effects: list[str] = []
        ended = ""
        while True:
            line = self.lines[self.at]
            self.at += 1
            if line.startswith("}"):
                return digest(ended, *effects), line
            if line.startswith("^bb0("):
                for k, name in enumerate(re.findall(r"(%[A-Za-z0-9_]+):", line)):
                    names[name] = f"block{self.at_depth}.{k}"
                continue
            found = RESULT.match(line)
            text = line[found.end() :] if found else line
            own = digest(self.op(self.normal(text), names))
            if re.match(r"(stablehlo\.|sdy\.)?return\b", text):
                ended = own
            elif not found or re.match(r'"?stablehlo\.(custom_call|infeed|outfeed|rng\b|all_|collective)', text):
                effects.append(own)
            if found:
                names[found.group(1)] = own
                for k in range(int(found.group(2) or 0)):
                    names[f"{found.group(1)}#{k}"] = f"{own}#{k}"

    at_depth = 0

    def op(self, text: str, names: dict[str, str]) -> str:
        """The op's line with operands by digest, and its regions."""
        parts = []
        self.at_depth += 1
        inner = dict(names)
        loop = re.match(r"stablehlo\.while\((.*)\) : ", text)
        if loop:
            for k, pair in enumerate(re.findall(r"(%\S+) = (%[A-Za-z0-9_#]+)", loop.group(1))):
                inner[pair[0]] = f"block{self.at_depth}.{k}"
                parts.append(names[pair[1]])
            text = "stablehlo.while " + text[loop.end() :]
        reducer = re.search(r"reducer\(|$", self.lines[self.at] if self.at < len(self.lines) else "")
        if "stablehlo.reduce(" in text and reducer.group():
            header = self.lines[self.at]
            self.at += 1
            pairs = re.findall(r"(%[A-Za-z0-9_]+): [^,)]*, (%[A-Za-z0-9_]+): ", header)
            for k, pair in enumerate(pairs):  # printed interleaved: lhs k, rhs k
                inner[pair[0]], inner[pair[1]] = f"block{self.at_depth}.{k}", f"block{self.at_depth}.{len(pairs) + k}"
            body, _ = self.block(inner)
            parts.append(body)
        if loop:  # cond { ... } do { ... }
            assert self.lines[self.at] == "cond {", self.lines[self.at]
            self.at += 1
            for closing in ("} do {", "}"):
                body, end = self.block(inner)
                assert end == closing, end
                parts.append(body)
        elif text.endswith("({"):
            parts.append(self.replaced(text, names))
            while True:
                body, end = self.block(inner)
                parts.append(body)
                if end != "}, {":
                    parts.append(self.replaced(end, names))
                    break
            text = ""
        self.at_depth -= 1
        return digest(self.replaced(text, names), *parts)


def flow(text: str, normal=lambda line: line) -> str:
    """Digest of the entry of a module that has no other functions but what it calls, inlined."""
    reader = Reader(text, normal)
    while not re.match(r"func\.func (public )?@main", reader.lines[reader.at]):
        reader.at += 1
    header = reader.lines[reader.at]
    reader.at += 1
    names = {f"%arg{k}": f"argument{k}" for k in range(len(re.findall(r"%arg\d+: ", header)))}
    types = re.sub(r" \{[^{}]*(\{[^{}]*\})?[^{}]*\}", "", header.removesuffix(" {"))
    body, _ = reader.block(names)
    return digest(types, body)
