"""Tables, as plain text for the terminal and as Markdown for the page, from the same columns."""

from __future__ import annotations

from typing import Any, Callable, Sequence

Column = tuple[str, Callable[[dict], Any], str]  # heading, value of a row, format


def cells(columns: Sequence[Column], rows: Sequence[dict]) -> list[list[str]]:
    """Headings, then a line a row; "-" where there is no value."""

    def cell(row: dict, read, form: str) -> str:
        value = read(row)
        return "-" if value is None else format(value, form)

    return [[heading for heading, _, _ in columns]] + [[cell(row, read, form) for _, read, form in columns] for row in rows]


def plain(title: str, columns: Sequence[Column], rows: Sequence[dict]) -> str:
    lines = cells(columns, rows)
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    lines.insert(1, ["-" * w for w in widths])
    text = ["  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))) for line in lines]
    return "\n".join([title, *("  " + line.rstrip() for line in text)]) + "\n"


def markdown(columns: Sequence[Column], rows: Sequence[dict]) -> str:
    head, *body = [[c.replace("|", "\\|") for c in line] for line in cells(columns, rows)]
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "".join("| " + " | ".join(line) + " |\n" for line in (head, rule, *body))
