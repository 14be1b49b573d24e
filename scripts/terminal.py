"""What the demos draw on a terminal, or print into a pipe."""

from __future__ import annotations

import os
import shutil
import sys

STYLED = sys.stdout.isatty() and "NO_COLOR" not in os.environ
BRAILLE_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # [row][column] of one character cell


def style(text: str, code: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if STYLED else text


def say(step: str, text: str) -> None:
    print(f"{style(step.ljust(9), '1')} {text}", flush=True)


class Plot:
    """Curves in braille: each character cell is 2 dots wide and 4 high."""

    def __init__(self, columns: int, rows: int, top: float):
        self.columns, self.rows, self.top = columns, rows, top
        self.cells = [[0] * columns for _ in range(rows)]
        self.owner = [[""] * columns for _ in range(rows)]

    def curve(self, values, colour: str) -> None:
        width, height = self.columns * 2, self.rows * 4
        before = None
        for x in range(width):
            value = values[round(x * (len(values) - 1) / (width - 1))]
            y = height - 1 - round(min(max(value / self.top, 0), 1) * (height - 1))
            steps = range(min(before, y), max(before, y) + 1) if before is not None else (y,)
            for dot in steps:  # joined to the dot before, so that a steep curve has no gaps
                self.cells[dot // 4][x // 2] |= BRAILLE_DOTS[dot % 4][x % 2]
                self.owner[dot // 4][x // 2] = colour
            before = y

    def draw(self, steps: int) -> None:
        for row in range(self.rows):
            label = f"{self.top * (1 - row / (self.rows - 1)):5.2f}" if row % 3 == 0 or row == self.rows - 1 else " " * 5
            line = ""
            for cell, colour in zip(self.cells[row], self.owner[row]):
                character = chr(0x2800 + cell)
                line += style(character, colour) if cell else " "
            print(f"  {label} ┤{line}")
        print("        └" + "─" * self.columns)
        print("         " + "0".ljust(self.columns - 4) + str(steps).rjust(4) + " steps")


def table(rows: list[tuple[str, str]]) -> None:
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"  {name.ljust(width)}  {value}")


def count(value: float) -> str:
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.2f} {unit}"
    return f"{value:.0f} "


def draw_losses(loss, cpu) -> None:
    """The core's curve over XLA:CPU's, as wide as the terminal."""
    print(style("\nTraining loss", "1") + f"   {style('━', '32')} the emulated core   {style('━', '35')} XLA:CPU (visible where they differ)")
    columns = max(40, min(shutil.get_terminal_size((80, 24)).columns - 12, 100))
    plot = Plot(columns, 13, top=float(max(loss.max(), cpu.max())) * 1.02)
    plot.curve(cpu, "35")
    plot.curve(loss, "32")
    plot.draw(len(loss))


def engine_bars(rows: list[tuple[str, str, float]]) -> None:
    """Engine, what it did, its busy share of the time."""
    for name, did, share in rows:
        print(f"  {name.ljust(14)} {did:>13}   {100 * share:5.1f} %  {style('█' * round(30 * min(share, 1)), '36')}")
