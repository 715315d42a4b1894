"""A terminal for programs to run in: it answers what they ask, at once, late or never, reads as fast as it is told, and keeps all bytes.

    with Terminal(["spyglass"], columns=120, rows=40) as terminal:
        terminal.wait_for("of 10,000")
        terminal.send(b"j")
        print(terminal.screen.text)

A frame is what stands between `CSI ? 2026 h` and `CSI ? 2026 l` (synchronized output).
"""

import contextlib
import fcntl
import heapq
import os
import re
import select
import signal
import struct
import subprocess
import termios
import threading
import time
from dataclasses import dataclass

from screen import Screen

#: What is read at once at full speed.
CHUNK = 1 << 16
#: How often a slow terminal reads, and how much at most, so that bytes do not come before a line could have carried them.
SLOW_READS_PER_SECOND, SLOW_CHUNK = 20, 1024
#: No question is longer.
LONGEST_QUESTION = 128
#: `CPUCLOCK_SCHED` of the kernel's posix-timers.h, beside the process's number in a clock's.
CPU_CLOCK_OF_ALL_THREADS = 2
#: The private mode of the alternate screen (xterm's ctlseqs).
ALTERNATE_SCREEN = 1049
DEADLINE = 20
POLL = 0.005

BEGIN, END = rb"\x1b\[\?2026h", rb"\x1b\[\?2026l"
#: Questions, and what a terminal of 24-bit colours with a dark background and cells of 10x20 pixels says.
ANSWERS = {
    rb"\x1b\[5n": b"\x1b[0n",
    rb"\x1b\[0?c": b"\x1b[?62;22c",
    rb"\x1b\[>0?c": b"\x1b[>1;10;0c",
    rb"\x1b\[16t": b"\x1b[6;20;10t",
    rb"\x1b\[\?u": b"\x1b[?0u",
    rb"\x1b\]11;\?(?:\x07|\x1b\\)": b"\x1b]11;rgb:1010/1212/1818\x1b\\",
    rb"\x1b\]10;\?(?:\x07|\x1b\\)": b"\x1b]10;rgb:dddd/dddd/dddd\x1b\\",
    rb"\x1bP\$qm\x1b\\": b"\x1bP1$r0;48:2:1:2:3m\x1b\\",
    rb"\x1b\[\?2026\$p": b"\x1b[?2026;2$y",
    # kitty's images, sent as they are (31) or through shared memory (32).
    rb"\x1b_Gi=31[^\x1b]*\x1b\\": b"\x1b_Gi=31;OK\x1b\\",
    rb"\x1b_Gi=32[^\x1b]*\x1b\\": b"\x1b_Gi=32;OK\x1b\\",
}
#: What begins a reply about images, and about shared memory.
GRAPHICS, SHARED_MEMORY = b"\x1b_G", b"\x1b_Gi=32"
WATCHED = re.compile(b"|".join(b"(%s)" % pattern for pattern in [BEGIN, END, *ANSWERS]))
REPLIES = list(ANSWERS.values())

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": os.environ.get("HOME", "/"),
    "LANG": "C.UTF-8",
    "TERM": "xterm-256color",
    "COLORTERM": "truecolor",
    # Swift's runtime asks what to do after a crash, unless it is linked statically.
    "SWIFT_BACKTRACE": "enable=no",
}


@dataclass
class Frame:
    """One block of synchronized output: when its first and last byte came, and where it stands among all bytes."""

    began: float
    first: int
    ended: float = 0
    last: int = 0

    @property
    def size(self):
        """Its length in bytes."""
        return self.last - self.first


def as_terminal_does():
    """In the program's process: opens its own terminal, and restores signals that the parent ignores (nohup, &)."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Terminal:
    """A pseudo-terminal with a program in it, and a thread that plays the terminal."""

    def __init__(self, command, columns=80, rows=24, environment=None, delay=0.0, answers=True, bytes_per_second=None,
                 has_pixels=False):  # fmt: skip
        """Starts the program.

        `delay` is what passes before an answer, in seconds; without `answers` there are none; `bytes_per_second` is how fast the
        terminal reads; with `has_pixels` it says that it draws kitty's images.
        """
        self.delay, self.answers, self.bytes_per_second, self.has_pixels = delay, answers, bytes_per_second, has_pixels
        self.master, self.slave = os.openpty()
        self.set_size(columns, rows)
        self.settings = termios.tcgetattr(self.slave)
        self.bytes, self.chunks, self.frames, self.questions = bytearray(), [], [], []
        self.owed, self.scanned, self.fed = [], 0, 0
        self.lock, self.is_over = threading.Lock(), False
        self.screen_shown = Screen(columns, rows)
        self.process = subprocess.Popen(
            command, stdin=self.slave, stdout=self.slave, stderr=self.slave, env={**ENVIRONMENT, **(environment or {})},
            start_new_session=True, preexec_fn=as_terminal_does)  # fmt: skip
        self.thread = threading.Thread(target=self.play, daemon=True)
        self.thread.start()

    def __enter__(self):
        """Itself."""
        return self

    def __exit__(self, *_):
        """Ends the program, if it has not ended."""
        self.close()

    def set_size(self, columns, rows):
        """Tells the kernel the size; the program gets SIGWINCH where it changes."""
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, columns * 10, rows * 20))

    def resize(self, columns, rows):
        """Another size, as a user drags the window to."""
        with self.lock:
            self.show_all()
            self.screen_shown.resize(columns, rows)
        self.set_size(columns, rows)

    # The terminal's thread

    def play(self):
        """Reads and answers until the program is gone and everything is read."""
        free = time.perf_counter()
        while not self.is_over:
            due = self.owed[0][0] - time.perf_counter() if self.owed else 0.05
            is_busy, _, _ = select.select([self.master], [], [], 0)
            ready = is_busy or select.select([self.master], [], [], min(max(0, due), 0.05))[0]
            self.answer()
            if not ready:
                continue
            size = CHUNK
            if self.bytes_per_second:
                size = max(1, min(self.bytes_per_second // SLOW_READS_PER_SECOND, SLOW_CHUNK))
            try:
                data = os.read(self.master, size)
            except OSError:
                return
            if self.bytes_per_second:
                free = (free if is_busy else time.perf_counter()) + len(data) / self.bytes_per_second
                self.rest(free)
            now = time.perf_counter()
            with self.lock:
                self.chunks.append((now, len(self.bytes)))
                self.bytes += data
            self.scan(now)

    def rest(self, until):
        """A slow terminal answers in time all the same."""
        while (left := until - time.perf_counter()) > 0 and not self.is_over:
            time.sleep(min(left, 0.01))
            self.answer()

    def scan(self, now):
        """Finds frames and questions in what came."""
        for match in WATCHED.finditer(self.bytes, self.scanned):
            kind = match.lastindex - 1
            if kind == 0:
                self.frames.append(Frame(self.time_of(match.start()), match.start()))
            elif kind == 1 and self.frames and not self.frames[-1].ended:
                self.frames[-1].ended, self.frames[-1].last = now, match.end()
            elif kind > 1:
                self.questions.append((now, match[0]))
                reply = REPLIES[kind - 2]
                if self.answers and self.gives(reply):
                    heapq.heappush(self.owed, (now + self.delay, len(self.questions), reply))
            self.scanned = match.end()
        self.scanned = max(self.scanned, len(self.bytes) - LONGEST_QUESTION)
        self.answer()

    def gives(self, reply):
        """Whether it gives a reply about images, and one about shared memory, which only a terminal on this machine reads."""
        if reply.startswith(SHARED_MEMORY):
            return self.has_pixels and not self.bytes_per_second
        return self.has_pixels or not reply.startswith(GRAPHICS)

    def time_of(self, offset):
        """When a byte came."""
        return next(moment for moment, first in reversed(self.chunks) if first <= offset)

    def answer(self):
        """Gives the answers whose time has come."""
        while self.owed and self.owed[0][0] <= time.perf_counter():
            self.send(heapq.heappop(self.owed)[2])

    # The user

    def send(self, data):
        """Types, and says when."""
        now = time.perf_counter()
        with contextlib.suppress(OSError):
            os.write(self.master, data)
        return now

    @property
    def screen(self):
        """What is shown now."""
        with self.lock:
            self.show_all()
        return self.screen_shown

    def show_all(self):
        """Shows what has come since the last time."""
        self.screen_shown.feed(bytes(self.bytes[self.fed :]))
        self.fed = len(self.bytes)

    def wait_until(self, holds, what, deadline=DEADLINE):
        """Waits until something holds; stops the run with the screen where it does not come to that."""
        end = time.perf_counter() + deadline
        while not holds():
            if time.perf_counter() > end:
                raise TimeoutError(f"{what} did not happen within {deadline} s; the screen:\n{self.screen.text}")
            time.sleep(POLL)

    def wait_for(self, text, deadline=DEADLINE):
        """Waits until a text is on the screen."""
        self.wait_until(lambda: text in self.screen.text, f"'{text}' on the screen", deadline)

    def wait_for_quiet(self, seconds=0.25, deadline=DEADLINE):
        """Waits until nothing has been written for so long; answers whether that came about."""
        end = time.perf_counter() + deadline
        while time.perf_counter() < end:
            last = self.chunks[-1][0] if self.chunks else 0
            if time.perf_counter() - last >= seconds:
                return True
            time.sleep(POLL)
        return False

    # The program

    @property
    def cpu_seconds(self):
        """What the program has computed so far, those of its threads that have ended included (clock_getcpuclockid(3))."""
        return time.clock_gettime(~self.process.pid << 3 | CPU_CLOCK_OF_ALL_THREADS)

    @property
    def peak_memory(self):
        """The most memory that the program had, in MiB (VmHWM)."""
        with open(f"/proc/{self.process.pid}/status") as file:
            kibibytes = next(line.split()[1] for line in file if line.startswith("VmHWM:"))
        return int(kibibytes) / 1024

    def wait_for_end(self, deadline=DEADLINE):
        """Waits for the end of the program, and says when that was; `returncode` is the process's."""
        self.wait_until(lambda: self.process.poll() is not None, "the end of the program", deadline)
        return time.perf_counter()

    def wait_for_restored_screen(self, deadline=DEADLINE):
        """Waits until the terminal has left the alternate screen, which is what a user sees of an end, and says when that was."""
        self.wait_until(lambda: ALTERNATE_SCREEN not in self.screen.modes, "the end of the alternate screen", deadline)
        return time.perf_counter()

    def read_rest(self):
        """Reads what an ended program has left, however slow the terminal was."""
        self.bytes_per_second = None
        # The last bytes may be older than that, and newer ones not read yet.
        time.sleep(0.1)
        self.wait_until(lambda: not self.unread, "the end of what it wrote")
        self.wait_for_quiet(0.1, 2)

    @property
    def unread(self):
        """How many bytes the terminal has not read (FIONREAD of ioctl_tty(2))."""
        return struct.unpack("i", fcntl.ioctl(self.master, termios.FIONREAD, b"\0" * 4))[0]

    @property
    def settings_are_back(self):
        """Whether the line discipline is as it was at the start (termios(3))."""
        return termios.tcgetattr(self.slave) == self.settings

    def close(self):
        """Ends the program and the terminal."""
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.is_over = True
        self.thread.join()
        os.close(self.slave)
        os.close(self.master)
