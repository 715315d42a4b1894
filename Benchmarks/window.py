"""A terminal in a window on an X server without a screen (Xvfb), with a command in it: what it shows, and keys to type.

    with Window("kitty", ["bash"], columns=80, rows=24) as window:
        window.press(b"ls\\r")
        window.wait_until_still()
        pathlib.Path("screen.xwd").write_bytes(window.snapshot())
"""

import contextlib
import fcntl
import os
import pathlib
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import tty

#: Larger than the windows, which stand at its upper left.
SCREEN = "1700x1100x24"
FONT = "DejaVu Sans Mono"
#: After so long the screen is the same, or was not whole the first time; and how often that is tried.
DRAWING_SECONDS, TRIES = 0.012, 4
DEADLINE = 20


def terminal(kind, columns, rows):
    """The command of a terminal, up to the one that it runs."""
    if kind in ("xterm", "plain"):
        # vt340: with sixel.
        model = ["-ti", "vt340"] if kind == "xterm" else []
        look = ["-b", "0", "-bw", "0", "+sb", "-bg", "black", "-fg", "grey90", "-fa", FONT, "-fs", "11"]
        return ["xterm", *model, *look, "-geometry", f"{columns}x{rows}+0+0", "-e"]
    options = {"remember_window_size": "no", "initial_window_width": f"{columns}c", "initial_window_height": f"{rows}c",
               "window_padding_width": 0, "placement_strategy": "top-left", "font_family": FONT, "cursor_blink_interval": 0,
               "update_check_interval": 0}  # fmt: skip
    return ["kitty", "--config", "NONE", *(word for name, value in options.items() for word in ("-o", f"{name}={value}"))]


def relay(folder, command):
    """Runs a command inside the terminal: what the terminal sends and what comes from `keys` are its input; `output` keeps what it writes."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, fcntl.ioctl(0, termios.TIOCGWINSZ, b" " * 8))
    process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                               preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))  # fmt: skip
    tty.setraw(0)
    keys = os.open(folder / "keys", os.O_RDWR)
    with contextlib.suppress(OSError), open(folder / "output", "wb", buffering=0) as output:
        (folder / "size.new").write_bytes(fcntl.ioctl(slave, termios.TIOCGWINSZ, b" " * 8))
        (folder / "size.new").rename(folder / "size")
        os.close(slave)
        while process.poll() is None:
            for source in select.select([0, master, keys], [], [], 0.1)[0]:
                data = os.read(source, 1 << 16)
                if source == master:
                    output.write(data)
                for rest in [1] if source == master else [master]:
                    while data:
                        data = data[os.write(rest, data) :]


class Window:
    """An X server, a terminal, and a command."""

    def __init__(self, kind, command, columns, rows, environment=None, folder=None):
        """Starts all three, and waits until the command runs."""
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        os.mkfifo(self.folder / "keys")
        self.terminal = None
        reading, writing = os.pipe()
        server = ["Xvfb", "-displayfd", str(writing), "-screen", "0", SCREEN, "-fbdir", str(self.folder), "-nocursor"]
        self.server = subprocess.Popen(server, pass_fds=[writing], stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as display:
            number = display.readline().strip()
        names = {**os.environ, "DISPLAY": f":{number}", "COLORTERM": "truecolor", "LANG": "C.UTF-8", **(environment or {})}
        for name in ("NO_COLOR", "SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "LC_ALL", "TMUX"):
            names.pop(name, None)
        inside = [sys.executable, __file__, "--relay", str(self.folder), *command]
        self.terminal = subprocess.Popen([*terminal(kind, columns, rows), *inside], env=names, cwd=folder, stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL)  # fmt: skip
        self.keys = os.open(self.folder / "keys", os.O_RDWR)
        try:
            self.wait_until((self.folder / "size").exists, f"{kind} did not start")
        except TimeoutError:
            self.close()
            raise
        self.rows, self.columns, self.width, self.height = struct.unpack("HHHH", (self.folder / "size").read_bytes())

    def __enter__(self):
        """Itself."""
        return self

    def __exit__(self, *_):
        """Ends all three."""
        self.close()

    @property
    def place(self):
        """Where the window is on the screen, in ImageMagick's words."""
        return f"{self.width}x{self.height}+0+0"

    @property
    def output(self):
        """Every byte that the command has written so far."""
        return (self.folder / "output").read_bytes()

    def press(self, keys):
        """Types."""
        os.write(self.keys, keys)

    def snapshot(self):
        """What is on the screen, as xwd(1) writes it, and never what is being drawn."""
        data = None
        for _ in range(TRIES):
            before, data = data, (self.folder / "Xvfb_screen0").read_bytes()
            if data == before:
                break
            time.sleep(DRAWING_SECONDS)
        return data

    def rgb(self, data):
        """(width, height, RGB bytes) of a snapshot."""
        words = struct.unpack(">25I", data[:100])
        start, stride = words[0] + 12 * words[19], words[12]
        width, height = self.width, self.height
        shown = bytearray(width * height * 3)
        for color, byte in enumerate((2, 1, 0)):
            rows = (data[start + row * stride + byte : start + row * stride + width * 4 : 4] for row in range(height))
            shown[color::3] = b"".join(rows)
        return width, height, bytes(shown)

    def wait_until(self, holds, what):
        """Waits until something holds."""
        end = time.monotonic() + DEADLINE
        while not holds():
            if time.monotonic() > end:
                raise TimeoutError(f"{what} within {DEADLINE} s")
            time.sleep(0.02)

    def wait_until_still(self, seconds=1):
        """Waits until the screen is the same for so long; answers it."""
        since, last = time.monotonic(), self.snapshot()
        end = since + DEADLINE
        while time.monotonic() < end and time.monotonic() - since < seconds:
            time.sleep(0.1)
            now = self.snapshot()
            if now != last:
                last, since = now, time.monotonic()
        return last

    def close(self):
        """Ends all three."""
        for process in (self.terminal, self.server):
            if process:
                process.send_signal(signal.SIGTERM)
                process.wait()
        self.temporary.cleanup()


if __name__ == "__main__" and sys.argv[1:2] == ["--relay"]:
    relay(pathlib.Path(sys.argv[2]), sys.argv[3:])
