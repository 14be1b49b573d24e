"""The documentation strings of Python's own library as a training text, and a byte-pair vocabulary of it."""

from __future__ import annotations

import ast
import collections
import functools
import inspect
import builtins
import pathlib
import re
import sysconfig

WORDS = re.compile(r" ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s")
LEFT_OUT = {"test", "tests", "idle_test", "site-packages", "dist-packages", "idlelib", "lib2to3", "__pycache__"}


def documentation() -> str:
    """Read from the sources, since importing every module of the library has effects of its own."""
    root = pathlib.Path(sysconfig.get_paths()["stdlib"])
    texts = [inspect.getdoc(value) or "" for name, value in sorted(vars(builtins).items()) if callable(value) and name[0] != "_"]
    for file in sorted(root.rglob("*.py")):
        if LEFT_OUT & set(file.relative_to(root).parts):
            continue
        try:
            tree = ast.parse(file.read_text())
        except (SyntaxError, UnicodeDecodeError, OSError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                texts.append(ast.get_docstring(node) or "")
    text = "\n\n".join(text for text in texts if len(text) > 40)
    text = re.sub(r"[^\n -~]", "", text)  # printable ASCII
    return re.sub(r"(.)\1{4,}", r"\1\1\1", text)  # no rulers and tables


class BytePairs:
    """A vocabulary that starts with the text's characters and merges its most frequent pair until it is full."""

    def __init__(self, text: str, size: int):
        counts = collections.Counter(WORDS.findall(text))
        self.tokens = sorted(set(text))
        self.ranks: dict[tuple[str, str], int] = {}
        words = [list(word) for word in counts]
        weights = list(counts.values())
        pairs: collections.Counter = collections.Counter()
        places = collections.defaultdict(set)
        for number, word in enumerate(words):
            for pair in zip(word, word[1:]):
                pairs[pair] += weights[number]
                places[pair].add(number)
        while len(self.tokens) < size:
            best = max(pairs, key=lambda pair: (pairs[pair], pair))
            self.ranks[best] = len(self.tokens)
            self.tokens.append("".join(best))
            for number in list(places[best]):
                for pair in zip(words[number], words[number][1:]):
                    pairs[pair] -= weights[number]
                words[number] = merge(words[number], best)
                for pair in zip(words[number], words[number][1:]):
                    pairs[pair] += weights[number]
                    places[pair].add(number)
            del pairs[best], places[best]
        self.numbers = {token: number for number, token in enumerate(self.tokens)}
        self.word = functools.lru_cache(None)(self._word)

    def _word(self, word: str) -> list[int]:
        parts = list(word)
        while len(parts) > 1:
            best = min(zip(parts, parts[1:]), key=lambda pair: self.ranks.get(pair, 1 << 30))
            if best not in self.ranks:
                break
            parts = merge(parts, best)
        return [self.numbers[part] for part in parts]

    def encode(self, text: str) -> list[int]:
        return [number for word in WORDS.findall(text) for number in self.word(word)]

    def decode(self, numbers) -> str:
        return "".join(self.tokens[number] for number in numbers)


def merge(parts: list[str], pair: tuple[str, str]) -> list[str]:
    out: list[str] = []
    for part in parts:
        if out and out[-1] == pair[0] and part == pair[1]:
            out[-1] = "".join(pair)
        else:
            out.append(part)
    return out
