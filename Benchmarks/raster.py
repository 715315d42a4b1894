"""Draws what a terminal shows for a stream of SGR colours and symbols, 4x8 samples a cell, and reads pictures of kitty, iTerm2 and sixel back.

Nothing here is taken from a program under test. Quadrants, sextants and octants follow the rules of the Unicode charts for Block
Elements and Symbols for Legacy Computing; all other characters have the shapes of GNU Unifont. `check` compares the rules with the font.
"""

import base64
import functools
import io
import re
import sys
import zlib
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

sys.path.append(str(Path(__file__).parent.parent / "Fixtures/images"))
from reference import to_bytes, to_light, to_srgb  # noqa: E402

#: Columns and rows of samples in a cell.
SAMPLES = (4, 8)
#: The least number of rows that both the three of a sextant and those of the samples divide.
FINE_ROWS = 24
#: Columns and rows of sub-pixels in a cell of each set.
GRIDS = {"quadrant": (2, 2), "sextant": (2, 3), "octant": (2, 4)}
QUADRANTS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
SEXTANTS_ELSEWHERE = {0x00: " ", 0x15: "▌", 0x2A: "▐", 0x3F: "█"}
#: Octants that Unicode has outside of its run of octants; bit 2 * row + column is set where a sub-pixel is.
OCTANTS_ELSEWHERE = {
    0x00: 0x20, 0x01: 0x1CEA8, 0x02: 0x1CEAB, 0x03: 0x1FB82, 0x05: 0x2598, 0x0A: 0x259D, 0x0F: 0x2580, 0x14: 0x1FBE6, 0x28: 0x1FBE7,
    0x3F: 0x1FB85, 0x40: 0x1CEA3, 0x50: 0x2596, 0x55: 0x258C, 0x5A: 0x259E, 0x5F: 0x259B, 0x80: 0x1CEA0, 0xA0: 0x2597, 0xA5: 0x259A,
    0xAA: 0x2590, 0xAF: 0x259C, 0xC0: 0x2582, 0xF0: 0x2584, 0xF5: 0x2599, 0xFA: 0x259F, 0xFC: 0x2586, 0xFF: 0x2588,
}  # fmt: skip
FONTS = [Path(f"/usr/share/fonts/opentype/unifont/unifont{plane}.otf") for plane in ("", "_upper")]
#: Unifont's cell; wider characters are not symbols.
FONT_CELL = (8, 16)

TOKEN = re.compile(r"\x1b\[([0-9;:?]*)([A-Za-z])|\x1b[78]|(.)", re.DOTALL)
#: xterm's 16 colours (its XTerm-col.ad), then the cube and the greys of 256.
BASIC = ("000000", "cd0000", "00cd00", "cdcd00", "0000ee", "cd00cd", "00cdcd", "e5e5e5",
         "7f7f7f", "ff0000", "00ff00", "ffff00", "5c5cff", "ff00ff", "00ffff", "ffffff")  # fmt: skip
CUBE = (0, 95, 135, 175, 215, 255)
PALETTE = [tuple(bytes.fromhex(color)) for color in BASIC]
PALETTE += [(red, green, blue) for red in CUBE for green in CUBE for blue in CUBE]
PALETTE += [(grey, grey, grey) for grey in range(8, 248, 10)]


def symbols(name):
    """{character: the pattern that it shows} of one set."""
    if name == "quadrant":
        return {character: pattern for pattern, character in enumerate(QUADRANTS)}
    if name == "sextant":
        found = {character: pattern for pattern, character in SEXTANTS_ELSEWHERE.items()}
        others = (pattern for pattern in range(64) if pattern not in SEXTANTS_ELSEWHERE)
        return found | {chr(0x1FB00 + number): pattern for number, pattern in enumerate(others)}
    found = {chr(character): pattern for pattern, character in OCTANTS_ELSEWHERE.items()}
    others = (pattern for pattern in range(256) if pattern not in OCTANTS_ELSEWHERE)
    return found | {chr(0x1CD00 + number): pattern for number, pattern in enumerate(others)}


def averaged(shape, size):
    """An array of a shape, averaged to the given columns and rows, which divide it."""
    columns, rows = size
    return shape.reshape(rows, shape.shape[0] // rows, columns, shape.shape[1] // columns).mean(axis=(1, 3))


@functools.cache
def ruled():
    """{character: the share of the foreground in each sample} of all three sets."""
    found = {}
    for name, (columns, rows) in GRIDS.items():
        for character, pattern in symbols(name).items():
            bits = np.array([pattern >> bit & 1 for bit in range(columns * rows)], float).reshape(rows, columns)
            fine = np.kron(bits, np.ones((FINE_ROWS // rows, SAMPLES[0] // columns)))
            found.setdefault(character, averaged(fine, SAMPLES))
    return found


def drawn_by_font(character):
    """Unifont's bitmap of a character, 16 rows of 8."""
    path = FONTS[ord(character) > 0xFFFF]
    if not path.exists():
        raise SystemExit(f"compare: cannot draw {character!r}: {path} is missing; install fonts-unifont")
    image = Image.new("1", FONT_CELL)
    font = ImageFont.truetype(str(path), FONT_CELL[1])
    ImageDraw.Draw(image).text((0, font.getmetrics()[0]), character, 1, font, anchor="ls")
    return np.asarray(image, float)


@functools.cache
def shape(character):
    """The share of the foreground in each sample of a cell."""
    known = ruled().get(character)
    return averaged(drawn_by_font(character), SAMPLES) if known is None else known


def check():
    """Stops where a rule is not what Unifont draws; the middle third of a sextant is 5 of its 16 rows."""
    for name in ("quadrant", "sextant"):
        for character in symbols(name):
            theirs = averaged(drawn_by_font(character), SAMPLES)
            if np.abs(theirs - ruled()[character]).max() > (0 if name == "quadrant" else 0.5):
                raise SystemExit(f"compare: U+{ord(character):X} is not drawn as Unifont draws it")


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
                self.is_reversed = False
            elif code in (38, 48):
                kind = codes.pop(0)
                color, codes = (PALETTE[codes[0]], codes[1:]) if kind == 5 else (tuple(codes[:3]), codes[3:])
                self.set(code - 8, color)
            elif code in (39, 49):
                self.set(code - 9, None)
            elif code in (7, 27):
                self.is_reversed = code == 7
            elif 30 <= code <= 37 or 40 <= code <= 47:
                self.set(code // 10 * 10, PALETTE[code % 10])
            elif 90 <= code <= 97 or 100 <= code <= 107:
                self.set(code // 10 * 10 - 60, PALETTE[code % 10 + 8])
            else:
                raise SystemExit(f"compare: SGR {parameters} is not expected in a picture")

    def set(self, kind, color):
        """Sets a colour: 30 is the foreground, 40 the background."""
        if kind == 30:
            self.foreground = color
        else:
            self.background = color

    @property
    def colors(self):
        """Foreground and background as they are shown."""
        return (self.background, self.foreground) if self.is_reversed else (self.foreground, self.background)


def cells(stream):
    """Rows of (character, foreground, background) that a stream draws."""
    pen, rows = Pen(), [[]]
    for parameters, final, character in TOKEN.findall(stream.decode("utf-8")):
        if final == "m":
            pen.select(parameters)
        elif character == "\n":
            rows.append([])
        elif character >= " ":
            rows[-1].append((character, *pen.colors))
    return [row for row in rows if row]


def raster(stream):
    """Rows x columns x RGB bytes of what a stream draws, 4x8 samples a cell; mixed samples are averages of light.

    The terminal's own colour is black. Rows and columns at the end that have no other are left out.
    """
    rows = cells(stream)
    width = max(len(row) for row in rows)
    rows = [row + [(" ", None, None)] * (width - len(row)) for row in rows]
    share = np.array([[shape(character) for character, _, _ in row] for row in rows])[..., None]
    foreground, background = ([[cell[kind] for cell in row] for row in rows] for kind in (1, 2))
    light = [np.array([[color or (0, 0, 0) for color in row] for row in colors]) / 255 for colors in (foreground, background)]
    own = [np.array([[color is None for color in row] for row in colors])[..., None, None] for colors in (foreground, background)]
    front, back = (to_light(each)[:, :, None, None, :] for each in light)
    samples = to_bytes(to_srgb(share * front + (1 - share) * back))
    is_drawn = np.where(share[..., 0] >= 0.5, ~own[0], ~own[1])
    height = len(rows) * SAMPLES[1]
    samples = samples.transpose(0, 2, 1, 3, 4).reshape(height, width * SAMPLES[0], 3)
    is_drawn = is_drawn.transpose(0, 2, 1, 3).reshape(height, width * SAMPLES[0])
    if not is_drawn.any():
        raise SystemExit("compare: a stream draws nothing")
    return samples[: np.flatnonzero(is_drawn.any(axis=1))[-1] + 1, : np.flatnonzero(is_drawn.any(axis=0))[-1] + 1]


def half_blocks(stream):
    """Rows x columns x RGB bytes of a stream of half-blocks, two by two pixels a cell."""
    return raster(stream)[:: SAMPLES[1] // 2, :: SAMPLES[0] // 2]


def kitty(stream):
    """The picture that a stream transmits with kitty's graphics protocol."""
    commands = re.findall(rb"\x1b_G([^;\x1b]*)(?:;([^\x1b]*))?\x1b\\", stream)
    keys, data = {}, b""
    for words, payload in commands:
        values = dict(word.split("=") for word in words.decode().split(",") if word)
        if not payload or values.get("a") == "q":
            continue
        keys = keys or values
        data += payload
    decoded = base64.b64decode(data)
    if keys.get("f") == "100":
        if keys.get("o") == "z":
            decoded = zlib.decompress(decoded)
        return np.asarray(Image.open(io.BytesIO(decoded)).convert("RGB"))
    if keys.get("o") == "z":
        decoded = zlib.decompress(decoded)
    depth = 3 if keys.get("f") == "24" else 4
    return np.frombuffer(decoded, np.uint8).reshape(int(keys["v"]), int(keys["s"]), depth)[..., :3]


def iterm2(stream):
    """The picture that a stream transmits with iTerm2's protocol, in one sequence or in parts."""
    data = re.findall(rb"\x1b\]1337;(?:File=[^:\x07]*:|FilePart=)([^\x07\x1b]*)", stream)
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(b"".join(data)))).convert("RGB"))


SIXEL = re.compile(rb'"(?P<raster>[0-9;]*)|#(?P<color>[0-9;]+)|!(?P<count>\d+)(?P<repeated>[?-~])|(?P<data>[?-~]+)|(?P<control>[$-])')


def sixel(stream):
    """The picture of a sixel stream, as large as its raster attributes say; a register's per cent become the nearest byte."""
    body = re.search(rb"\x1bP[0-9;]*q([^\x1b]*)\x1b\\", stream)[1]
    registers, band, column, color, picture = {}, 0, 0, (0, 0, 0), None
    for part in SIXEL.finditer(body):
        if part["raster"] is not None:
            _, _, width, height = (int(number) for number in part["raster"].split(b";"))
            picture = np.zeros(((height + 5) // 6 * 6 + 6, width, 3), np.uint8)
        elif part["color"]:
            number, *definition = (int(number) for number in part["color"].split(b";"))
            if definition:
                registers[number] = tuple((share * 255 + 50) // 100 for share in definition[1:])
            color = registers[number]
        elif part["control"]:
            column = 0
            band += part["control"] == b"-"
        else:
            data = part["data"] or part["repeated"] * int(part["count"])
            bits = np.frombuffer(data, np.uint8)[:, None] - 63 >> np.arange(6) & 1
            columns, rows = np.nonzero(bits)
            picture[band * 6 + rows, column + columns] = color
            column += len(data)
    return picture[:height]
