"""Reads a stream of half-blocks back as pixels: SGR colours, and the characters ▀ ▄ █ and space."""

import re

import numpy as np

TOKEN = re.compile(r"\x1b\[([0-9;:?]*)([A-Za-z])|\x1b[78]|(.)", re.DOTALL)
#: Which colour each half of a cell has: f(oreground) or b(ackground).
HALVES = {"▀": "fb", "▄": "bf", "█": "ff", " ": "bb"}


class Pen:
    """The colours in force; None is the terminal's own."""

    def __init__(self):
        """Starts with the terminal's own colours."""
        self.select("")

    def select(self, parameters):
        """Applies one SGR sequence."""
        codes = [int(code or 0) for code in parameters.split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.foreground = self.background = None
                self.reverse = False
            elif code in (38, 48) and codes[:1] == [2]:
                colour, codes = tuple(codes[1:4]), codes[4:]
                if code == 38:
                    self.foreground = colour
                else:
                    self.background = colour
            elif code == 39:
                self.foreground = None
            elif code == 49:
                self.background = None
            elif code in (7, 27):
                self.reverse = code == 7
            else:
                raise ValueError(f"SGR {parameters}: not expected in truecolor half-blocks")

    def halves(self, character):
        """The colours of the upper and the lower half of a cell."""
        colours = {"f": self.foreground, "b": self.background}
        if self.reverse:
            colours = {"f": self.background, "b": self.foreground}
        return [colours[half] for half in HALVES[character]]


def read_back(stream):
    """Rows x columns x RGB bytes that a stream draws; a last pixel row that is nothing but background is left out."""
    pen, rows = Pen(), [[]]
    for parameters, final, character in TOKEN.findall(stream.decode("utf-8")):
        if final == "m":
            pen.select(parameters)
        elif character == "\n":
            rows.append([])
        elif character in HALVES:
            rows[-1].append(pen.halves(character))
        elif character:
            raise ValueError(f"{character!r}: not a half-block")
    cells = [row for row in rows if row]
    lines = [[cell[half] for cell in row] for row in cells for half in (0, 1)]
    if all(colour is None for colour in lines[-1]):
        lines.pop()
    return np.array([[colour or (0, 0, 0) for colour in line] for line in lines], np.uint8)
