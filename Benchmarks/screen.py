"""What a terminal shows after the bytes that a full-screen program has written: characters, modes, cursor; no colours."""

import codecs
import re
import unicodedata

#: One unit of what a program writes (ECMA-48): a control sequence, a string of control, an escape, text, or a control character.
TOKEN = re.compile(
    r"\x1b\[([<-?]?)([0-9;:]*)([ -/]*)([@-~])"
    r"|\x1b[\]PX^_](?:[^\x07\x1b]|\x1b(?!\\))*(?:\x07|\x1b\\)"
    r"|\x1b([ -/]*)([0-OQ-WYZ`-~])"
    r"|([^\x00-\x1f\x7f]+)"
    r"|([\x00-\x1a\x1c-\x1f\x7f])"
)
#: A beginning of the above that is kept until more comes.
UNFINISHED = re.compile(r"\x1b(?:\[[<-?]?[0-9;:]*[ -/]*|[\]PX^_](?:[^\x07\x1b]|\x1b(?!\\))*\x1b?|[ -/]*)?\Z")
RUN_OF_HALF_BLOCKS = re.compile("[▀▄▌▐]{2,}")
#: Modes that a terminal starts in.
USUAL_MODES = frozenset({7, 25})
#: SGR parameters that end one thing each (ECMA-48 section 8.3.117).
ENDS_OF_STYLES = {22, 23, 24, 25, 27, 28, 29, 39, 49}


def width(character):
    """How many cells a character takes."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Screen:
    """A screen that is fed bytes, split anywhere."""

    def __init__(self, columns, rows):
        """An empty one."""
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.rest = ""
        self.modes = set(USUAL_MODES)
        self.keyboards = 0
        self.is_styled = False
        self.unknown = set()
        self.resize(columns, rows)

    def resize(self, columns, rows):
        """Another size, and nothing on it."""
        self.columns, self.rows = columns, rows
        self.top, self.bottom = 0, rows - 1
        self.x = self.y = 0
        self.cells = [[" "] * columns for _ in range(rows)]

    @property
    def lines(self):
        """What stands in each row."""
        return ["".join(row).rstrip() for row in self.cells]

    @property
    def text(self):
        """All rows."""
        return "\n".join(self.lines)

    @property
    def half_blocks(self):
        """How many cells are parts of pictures; the bar beside what is selected stands alone."""
        return sum(len(run) for row in self.cells for run in RUN_OF_HALF_BLOCKS.findall("".join(row)))

    @property
    def unrestored(self):
        """What a program that has ended should have put back."""
        names = {mode: f"mode {mode} is {'on' if mode in self.modes else 'off'}" for mode in self.modes ^ USUAL_MODES}
        wrong = [names[mode] for mode in sorted(names)]
        wrong += ["the keyboard is not as it was"] if self.keyboards else []
        wrong += ["colours are left"] if self.is_styled else []
        wrong += ["a scroll region is left"] if (self.top, self.bottom) != (0, self.rows - 1) else []
        return wrong

    def feed(self, data):
        """Takes bytes."""
        text = self.rest + self.decoder.decode(data)
        position = 0
        while position < len(text):
            match = TOKEN.match(text, position)
            if not match:
                if UNFINISHED.match(text, position):
                    break
                # CAN and what else breaks a sequence off.
                position += 1
                continue
            self.take(match)
            position = match.end()
        self.rest = text[position:]

    def take(self, match):
        """Does what one unit says."""
        private, parameters, between, final, escape_between, escape, printable, control = match.groups()
        if printable:
            self.write(printable)
        elif control:
            self.control(control)
        elif final:
            numbers = [int(number) if number.isdigit() else 0 for number in parameters.split(";")]
            self.sequence(private, numbers, between, final)
        elif escape == "c" and not escape_between:
            self.__init__(self.columns, self.rows)

    def write(self, text):
        """Puts characters at the cursor."""
        for character in text:
            cells = width(character)
            if cells == 0:
                place = max(0, self.x - 1)
                self.cells[self.y][place] += character
                continue
            if self.x + cells > self.columns:
                if 7 in self.modes:
                    self.x = 0
                    self.line_feed()
                else:
                    self.x = max(0, self.columns - cells)
            row = self.cells[self.y]
            row[self.x] = character
            if cells == 2 and self.x + 1 < self.columns:
                row[self.x + 1] = ""
            self.x += cells
        self.x = min(self.x, self.columns if 7 in self.modes else self.columns - 1)

    def control(self, character):
        """Does what a control character says."""
        if character == "\r":
            self.x = 0
        elif character == "\n":
            self.line_feed()
        elif character == "\b":
            self.x = max(0, self.x - 1)

    def line_feed(self):
        """Goes down a row, scrolling at the end of the region."""
        if self.y == self.bottom:
            self.scroll(1)
        else:
            self.y = min(self.y + 1, self.rows - 1)

    def scroll(self, count):
        """Moves the rows of the region up, or down where `count` is negative."""
        height = self.bottom + 1 - self.top
        blank = [[" "] * self.columns for _ in range(min(abs(count), height))]
        region = self.cells[self.top : self.bottom + 1]
        moved = region[count:] + blank if count > 0 else blank + region[: max(0, height + count)]
        self.cells[self.top : self.bottom + 1] = moved

    def sequence(self, private, numbers, between, final):
        """Does what a control sequence says."""
        first = max(1, numbers[0])
        if private == "?" and final in "hl":
            (self.modes.update if final == "h" else self.modes.difference_update)(numbers)
            # Synchronized output shows nothing, and 1049 clears what it enters.
            if 1049 in numbers:
                self.resize(self.columns, self.rows)
        elif private == ">" and final == "u":
            self.keyboards += 1
        elif private == "<" and final == "u":
            self.keyboards = max(0, self.keyboards - first)
        elif private or between:
            pass
        elif final in "Hf":
            column = numbers[1] if len(numbers) > 1 else 1
            self.y, self.x = min(first, self.rows) - 1, min(max(1, column), self.columns) - 1
        elif final == "m":
            # What takes a look back leaves others as they are.
            if numbers[0] == 0 or numbers[0] not in ENDS_OF_STYLES:
                self.is_styled = any(numbers)
        elif final in "ABCDGd":
            self.move(final, first)
        elif final in "JKX":
            self.erase(final, numbers[0])
        elif final == "r":
            bottom = numbers[1] if len(numbers) > 1 and numbers[1] else self.rows
            self.top, self.bottom = first - 1, min(bottom, self.rows) - 1
            self.x = self.y = 0
        elif final in "ST":
            self.scroll(first if final == "S" else -first)
        elif final not in "cnthl":
            self.unknown.add(final)

    def move(self, final, count):
        """Moves the cursor."""
        if final in "AB":
            self.y = min(max(0, self.y + (count if final == "B" else -count)), self.rows - 1)
        elif final in "CD":
            self.x = min(max(0, self.x + (count if final == "C" else -count)), self.columns - 1)
        elif final == "G":
            self.x = min(count, self.columns) - 1
        else:
            self.y = min(count, self.rows) - 1

    def erase(self, final, how):
        """Clears a part of the row, or of the screen."""
        x = min(self.x, self.columns - 1)
        row = self.cells[self.y]
        if final == "X":
            row[x : x + max(1, how)] = [" "] * min(max(1, how), self.columns - x)
        elif how == 0:
            row[x:] = [" "] * (self.columns - x)
        elif how == 1:
            row[: x + 1] = [" "] * (x + 1)
        else:
            row[:] = [" "] * self.columns
        if final == "J":
            others = {0: range(self.y + 1, self.rows), 1: range(self.y)}.get(how, range(self.rows))
            for number in others:
                self.cells[number] = [" "] * self.columns
