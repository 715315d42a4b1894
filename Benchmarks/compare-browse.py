"""Measures `spyglass browse` by driving it in a pseudo-terminal, against its targets: no other tool browses such an archive.

Benchmarks/compare browse [--rounds N] [--only WORD] [--spyglass PATH]
"""

import argparse
import contextlib
import itertools
import json
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from PIL import Image, ImageOps

import archive_server
import harness
from report import Report
from screen import Screen
from terminal import Terminal

FOLDER = Path(__file__).parent
PREVIEW = FOLDER.parent / "Samples/archive/images/bmng-southeast-asia/bmng-southeast-asia~thumb.jpg"
PROJECT = FOLDER.parent
COLUMNS, ROWS = 120, 40
DEMO_ITEMS = 10_000
KEYS_PER_SECOND = 30
KEYS = 300
PAGES_PER_SECOND = 5
PAGES = 60
STEPS = 50
#: How many items the selection is moved before steps are counted, so that every step moves the list.
STEPS_BEFORE = 12
IDLE_SECONDS = 10
#: Slower than a held key repeats, and faster than people read.
SCROLLS_PER_SECOND = 50
#: What a server takes for a picture, so that some arrive at all times; and one after a search, so that text and picture do not come
#: in one.
PICTURE_SECONDS = 0.1
FIRST_PICTURE_SECONDS = 0.3
PICTURE_CELLS = 20
POSITION = re.compile(r"([\d,]+) of ([\d,]+)")
#: Where grids in pixels are measured: the size of the terminal, rows that are moved, and lines.
WIDE, GRID_ROWS, SLOW_LINE = (160, 50), 8, 125_000
TURNS = (Image.Image.copy, ImageOps.mirror, ImageOps.flip)
MOBILE = {"bytes_per_second": 5_000_000 // 8, "delay": 0.1}
#: Of kitty's protocol: a new image with its number, and what shows one.
TRANSMISSION, PLACEMENT = re.compile(rb"\x1b_Ga=t[^;]*,i=(\d+)"), re.compile(rb"\x1b_Ga=[pT]")
DOWN, PAGE_DOWN, REPAINT, GRID = b"j", b"\x1b[6~", b"\x0c", b"v"


class Browser(Terminal):
    """The browser in a terminal, with folders of its own."""

    def __init__(self, spyglass, *words, home=None, settings=None, size=(COLUMNS, ROWS), is_remote=False, **terminal):
        """Starts it, with the folders in `home` if there is one, and with stored settings; `is_remote`: as over ssh."""
        self.home = contextlib.nullcontext(home) if home else tempfile.TemporaryDirectory()
        name = home or self.home.name
        folders = {each: f"{name}/{each}" for each in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        if settings:
            stored = Path(folders["XDG_CONFIG_HOME"], "spyglass")
            stored.mkdir(mode=0o700, parents=True, exist_ok=True)
            (stored / "settings.json").write_text(json.dumps(settings))
        if is_remote:
            folders["SSH_CONNECTION"] = "10.0.0.7 4711 10.0.0.1 22"
        super().__init__([str(spyglass), "browse", *words], *size, folders, **terminal)

    def close(self):
        """Ends it, and removes its folders."""
        super().close()
        with self.home:
            pass

    def show_everything(self):
        """From the home screen to the list of everything."""
        self.wait_until(lambda: self.frames and self.frames[-1].ended, "the first frame")
        self.send(b"\r")
        self.wait_for(f"1 of {DEMO_ITEMS:,}")

    def frame_after(self, moment):
        """Waits for a frame that began after a moment, and answers it."""
        self.wait_until(lambda: self.frames and self.frames[-1].ended and self.frames[-1].began >= moment, "a frame")
        return next(frame for frame in self.frames if frame.began >= moment)

    def bytes_of(self, key):
        """How many bytes a key makes the browser write until it is quiet, and in how many frames."""
        self.wait_for_quiet()
        moment = self.send(key)
        self.frame_after(moment)
        self.wait_for_quiet()
        frames = [frame for frame in self.frames if frame.began >= moment]
        return sum(frame.size for frame in frames), len(frames)


def screens(browser, size=(COLUMNS, ROWS)):
    """Every frame that has come, with the screen as it leaves it."""
    screen, shown = Screen(*size), 0
    for frame in list(browser.frames):
        if not frame.ended:
            return
        screen.feed(bytes(browser.bytes[shown : frame.last]))
        shown = frame.last
        yield frame, screen


def positions(browser, since):
    """The position that each frame since a moment shows, with the moment when its first byte came."""
    found = ((frame.began, POSITION.search(screen.lines[0])) for frame, screen in screens(browser))
    return [(began, int(match[1].replace(",", ""))) for began, match in found if match and began >= since]


def percentile(values, share):
    """The value that so many percent are not above."""
    return statistics.quantiles(values, n=100)[share - 1]


def press(browser, key, count, pace):
    """Presses a key so often a second, and says when each press was."""
    moments, start = [], time.perf_counter()
    for number in range(count):
        time.sleep(max(0, start + number / pace - time.perf_counter()))
        moments.append(browser.send(key))
    return moments


def measure_keys(report, spyglass, rounds):
    """From a key to the first byte of the frame that shows what it did, while pictures load."""
    demo, served = ([], []), ([], [])
    for _ in range(rounds):
        with Browser(spyglass, "--source", "demo") as browser:
            browser.show_everything()
            time_keys(browser, *demo)
        with archive_server.serving(items=DEMO_ITEMS, picture_seconds=PICTURE_SECONDS) as archive:
            with Browser(spyglass, "--endpoint", f"{archive.base}/", "asia") as browser:
                browser.wait_for(f"1 of {DEMO_ITEMS:,}")
                time_keys(browser, *served)
    for source, (steps, pages) in (("demo", demo), ("a server", served)):
        for name, pace, seconds in (("item", KEYS_PER_SECOND, steps), ("page", PAGES_PER_SECOND, pages)):
            samples = [1000 * each for each in seconds]
            name = f"key to first byte of the frame, pictures loading from {source}, one {name} down, {pace} a second"
            report.add_target(f"{name}: p50", samples, "ms", 5)
            report.add_target(f"{name}: p99", samples, "ms", 20, percentile(samples, 99))


def time_keys(browser, steps, pages):
    """Adds what keys take that move by an item, and such that move by a page."""
    moments = press(browser, DOWN, KEYS, KEYS_PER_SECOND)
    browser.wait_for(f"{KEYS + 1} of {DEMO_ITEMS:,}")
    seen = positions(browser, moments[0])
    for number, moment in enumerate(moments):
        steps.append(next(began for began, place in seen if place >= number + 2) - moment)
    moments = press(browser, PAGE_DOWN, PAGES, PAGES_PER_SECOND)
    browser.frame_after(moments[-1])
    seen = positions(browser, 0)
    for moment in moments:
        before = [place for began, place in seen if began < moment][-1]
        pages.append(next(began for began, place in seen if place > before and began >= moment) - moment)


def measure_bytes(report, spyglass):
    """What one item down writes, beside a full repaint."""
    with Browser(spyglass, "--source", "demo") as browser:
        browser.show_everything()
        for _ in range(STEPS_BEFORE):
            browser.bytes_of(DOWN)
        steps = [browser.bytes_of(DOWN) for _ in range(STEPS)]
        repaints = [browser.bytes_of(REPAINT)[0] for _ in range(5)]
    sizes = [size for size, _ in steps]
    report.add_target("full repaint, exact, with scroll region", repaints, "bytes")
    report.add_target("one item down, exact, with scroll region", sizes, "bytes")
    share = [100 * size / harness.median(repaints) for size in sizes]
    report.add_target("one item down of a full repaint, exact, with scroll region", share, "%", 25)


def measure_idle(report, spyglass):
    """The cost of an idle list."""
    with Browser(spyglass, "--source", "demo") as browser:
        browser.show_everything()
        browser.wait_for_quiet(1)
        before, start = browser.cpu_seconds, time.perf_counter()
        written = len(browser.bytes)
        time.sleep(IDLE_SECONDS)
        share = 100 * (browser.cpu_seconds - before) / (time.perf_counter() - start)
        report.add_target(f"CPU over {IDLE_SECONDS} s of idling", [share], "%", 0.1)
        report.add_target("bytes written meanwhile", [len(browser.bytes) - written], "bytes", 0)


def measure_memory(report, spyglass):
    """Every item scrolled through."""
    with Browser(spyglass, "--source", "demo") as browser:
        browser.show_everything()
        seconds = scroll_through(browser)
        report.add_target(f"peak memory (VmHWM), {DEMO_ITEMS:,} items scrolled through", [browser.peak_memory], "MiB", 64)
        report.add_target(f"time for that, at {SCROLLS_PER_SECOND} pages a second", [seconds], "s")
        report.add_target("CPU time for that", [browser.cpu_seconds], "s")


def scroll_through(browser):
    """Goes page by page from the first item to the last; answers the seconds that it took."""
    start, place = time.perf_counter(), 1
    while place < DEMO_ITEMS:
        press(browser, PAGE_DOWN, SCROLLS_PER_SECOND, SCROLLS_PER_SECOND)
        match = POSITION.search(browser.screen.lines[0])
        before, place = place, int(match[1].replace(",", "")) if match else place
        if before == place:
            raise SystemExit(f"compare: the list does not go on at {place}:\n{browser.screen.text}")
    return time.perf_counter() - start


def measure_folder(report, spyglass, rounds):
    """A folder of 10,000 files: from the start of the program to the names, and to the pictures once they are cached."""
    photograph = PREVIEW.read_bytes()
    names, pictures = [], []
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as home:
        for number in range(DEMO_ITEMS):
            Path(folder, f"{number}.jpg").write_bytes(photograph)
        for number in range(rounds + 1):
            start = time.perf_counter()
            with Browser(spyglass, folder, home=home) as browser:
                browser.wait_until(lambda: browser.screen.half_blocks >= PICTURE_CELLS, "a picture")
                browser.wait_for_quiet()
                shown = [(frame.began, POSITION.search(screen.lines[0]), screen.half_blocks) for frame, screen in screens(browser)]
                browser.send(b"\x03")
                browser.wait_for_end()
            # The first run fills the cache.
            if number > 0:
                names.append((next(began for began, place, _ in shown if place) - start) * 1000)
                pictures.append((next(began for began, _, cells in shown if cells >= PICTURE_CELLS) - start) * 1000)
        what = f"from the start to the %s of a folder of {DEMO_ITEMS:,} files, worst"
        report.add_target(what % "names and boxes", names, "ms", 150, max(names))
        report.add_target(what % "cached pictures", pictures, "ms", 150, max(pictures))
        with Browser(spyglass, folder) as browser:
            browser.wait_for(f"1 of {DEMO_ITEMS:,}")
            scroll_through(browser)
            report.add_target(f"peak memory (VmHWM), {DEMO_ITEMS:,} files scrolled through", [browser.peak_memory], "MiB", 64)


def measure_first(report, spyglass, rounds):
    """From the last byte that a server sends to what is seen of it; of the pictures that can be seen, the first that was sent."""
    texts, pictures = [], []
    for _ in range(rounds):
        with archive_server.serving(picture_seconds=FIRST_PICTURE_SECONDS) as archive:
            with Browser(spyglass, "--endpoint", f"{archive.base}/", "asia") as browser:
                browser.wait_for(archive_server.title(0))
                browser.wait_until(lambda: browser.screen.half_blocks >= PICTURE_CELLS, "a picture")
                browser.wait_for_quiet()
                seen = {}
                for frame, screen in screens(browser):
                    if archive_server.title(0) in screen.text:
                        seen.setdefault("search", frame.began)
                    if screen.half_blocks >= PICTURE_CELLS:
                        seen.setdefault("picture", frame.began)
                visible = [number for number in range(archive.items) if archive_server.title(number) in screen.text]
            texts.append((seen["search"] - archive.left["search"]) * 1000)
            came = [archive.left.get(archive_server.name_of(number), seen["picture"]) for number in visible]
            pictures.append((seen["picture"] - min(came)) * 1000)
    report.add_target("first text after the last byte of the server's answer, worst", texts, "ms", 100, max(texts))
    report.add_target("first picture after its last byte, worst", pictures, "ms", 50, max(pictures))


def measure_slow(report, spyglass):
    """How long leaving takes on terminals that are no good."""
    for name, terminal in {
        "a terminal that reads 2 KB/s": {"bytes_per_second": 2000},
        "a terminal that never answers": {"answers": False},
        "a terminal that answers a second late": {"delay": 1.0},
    }.items():
        with Browser(spyglass, "--source", "demo", **terminal) as browser:
            browser.wait_for("Spyglass")
            browser.send(b"\r")
            time.sleep(2)
            press(browser, DOWN, 20, KEYS_PER_SECOND)
            moment = browser.send(b"\x03")
            end = browser.wait_for_end()
            seen = browser.wait_for_restored_screen()
            report.add_target(f"from Ctrl-C to the end, {name}", [(end - moment) * 1000], "ms", 1000)
            report.add_target(f"from Ctrl-C to the screen that was there before, {name}", [(seen - moment) * 1000], "ms", 1000)


def measure_home(report, spyglass, rounds):
    """From the start of the program, without files of its own, to the home screen with its pictures."""
    pictures = []
    for _ in range(rounds):
        start = time.perf_counter()
        with Browser(spyglass) as browser:
            browser.wait_until(lambda: browser.screen.half_blocks >= PICTURE_CELLS, "a picture")
            browser.wait_for_quiet()
            shown = [(frame.began, screen.half_blocks) for frame, screen in screens(browser)]
            most = max(cells for _, cells in shown)
            pictures.append((next(began for began, cells in shown if cells == most) - start) * 1000)
    report.add_target("from the first start to home with all of its pictures, worst", pictures, "ms", 150, max(pictures))


def measure_pixels(report, spyglass, rounds):
    """A grid of photographs in kitty's pixels: on the same machine, over a mobile line, and over a slow one in characters."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as home:
        photographs = sorted((PROJECT / "Samples/archive/images").glob("*/*~thumb.jpg"))
        # As they are, mirrored and upside down: equal images would be sent once.
        for number, (turn, photograph) in enumerate(itertools.product(TURNS, photographs)):
            turn(Image.open(photograph).convert("RGB")).save(f"{folder}/{number}.jpg", quality=85)

        def start(**terminal):
            # The caches stay, and the browser begins with a list each time.
            return Browser(spyglass, folder, home=home, settings={"arrangement": "list"}, size=WIDE, **terminal)

        with start(has_pixels=True) as browser:
            open_grid(browser)
        grids, rows, twice = [], [], []
        for _ in range(rounds):
            with start(has_pixels=True) as browser:
                moment = open_grid(browser)
                grids.append(1000 * (last_placement(browser, moment) - moment))
                # Down to the last row on the screen first.
                each = [1000 * (last_placement(browser, pressed) - pressed) for pressed in press_quietly(browser, DOWN, 2 * GRID_ROWS)]
                rows += each[GRID_ROWS:]
                sent = TRANSMISSION.findall(browser.bytes)
                twice.append(len(sent) - len(set(sent)))
        report.add_target("from 'v' to the last byte of a grid in pixels, 160x50, worst", grids, "ms", 150, max(grids))
        report.add_target("images sent twice on the way down a grid", twice, "images", 0)
        report.add_target("one row further in a grid in pixels, 160x50: p99", rows, "ms", 60, percentile(rows, 99))
        answers, finished = [], []
        for _ in range(rounds):
            with start(has_pixels=True, is_remote=True, **MOBILE) as browser:
                open_grid(browser)
                moments = press(browser, DOWN, 12, 1 / 0.15)
                browser.wait_for_quiet(2)
                answers += [1000 * (browser.frame_after(moment).began - moment) for moment in moments]
                shown = ((frame, screen.half_blocks) for frame, screen in screens(browser, WIDE))
                ends = [frame.ended for frame, symbols in shown if frame.began >= moments[-1] and not symbols]
                finished.append(ends[0] - moments[-1])
        report.add_target("key to its frame, grid in pixels, 100 ms and 5 Mbit/s: p99", answers, "ms", 25, percentile(answers, 99))
        report.add_target("from the last key to pixels alone on the screen, 100 ms and 5 Mbit/s, worst", finished, "s", 3, max(finished))
        lists, grids = [], []
        for _ in range(rounds):
            began = time.perf_counter()
            with start(bytes_per_second=SLOW_LINE) as browser:
                browser.wait_until(lambda: browser.screen.half_blocks >= PICTURE_CELLS, "a picture")
                browser.wait_for_quiet(0.5)
                lists.append(last_byte(browser) - began)
                moment = browser.send(GRID)
                browser.frame_after(moment)
                browser.wait_for_quiet(0.5)
                grids.append(last_byte(browser) - moment)
        report.add_target("from the start to a list in characters, 160x50, 125 KB/s, worst", lists, "s", 0.5, max(lists))
        report.add_target("from 'v' to a grid in characters, 160x50, 125 KB/s, worst", grids, "s", 1.2, max(grids))


def open_grid(browser):
    """From the start to a grid with all of its images; answers when the key was pressed."""
    browser.wait_for("1 of ")
    browser.wait_for_quiet(1)
    moment = browser.send(GRID)
    browser.frame_after(moment)
    browser.wait_for_quiet(1)
    return moment


def press_quietly(browser, key, count):
    """Presses a key so often, each time when nothing more comes; answers when."""
    for _ in range(count):
        moment = browser.send(key)
        browser.frame_after(moment)
        browser.wait_for_quiet(0.5)
        yield moment


def last_placement(browser, moment):
    """When the last frame ended that placed an image since a moment; the frame of the key, where none did."""
    frames = [frame for frame in browser.frames if frame.began >= moment and frame.ended]
    placed = [frame.ended for frame in frames if PLACEMENT.search(browser.bytes, frame.first, frame.last)]
    return placed[-1] if placed else frames[0].ended


def last_byte(browser):
    """When the last bytes came."""
    return browser.chunks[-1][0]


def measure_bench(report, spyglass):
    """Without a terminal (`spyglass bench`): keys of a filter; `+` on a local photograph to its first new image and to the final one."""
    printed = subprocess.run([spyglass, "bench", "browse", "--json"], check=True, stdout=subprocess.PIPE, text=True).stdout
    values = {result["name"]: result["value"] for result in json.loads(printed)["results"]}
    for name, figure, target in (("something new", "browse.zoom", 50), ("the final image", "browse.zoom.final", 150)):
        report.add_target(f"zoom of a local 12-megapixel JPEG, until {name}", [values[figure]], "ms", target)
    report.add_target("a key of the filter, 10,000 photos, drawn", [1000 / values["browse.filter"]], "ms", 16)


def main():
    """Measures all of it."""
    parser = argparse.ArgumentParser(description="Measures the browser in a pseudo-terminal.")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of what is measured in rounds (default 5)")
    parser.add_argument("--only", help="what to measure: keys, bytes, idle, memory, folder, first, slow, home, pixels or bench; it takes its place in the results")
    parser.add_argument("--spyglass", type=Path, default=PROJECT / ".build/release/spyglass", help="the binary")
    options = parser.parse_args()
    print(f"## spyglass browse, {COLUMNS}x{ROWS}\n\n{json.dumps(harness.machine())}\n")
    report, spyglass = Report("browse"), options.spyglass.resolve()
    jobs = {
        "keys": lambda: measure_keys(report, spyglass, options.rounds),
        "bytes": lambda: measure_bytes(report, spyglass),
        "idle": lambda: measure_idle(report, spyglass),
        "memory": lambda: measure_memory(report, spyglass),
        "folder": lambda: measure_folder(report, spyglass, options.rounds),
        "first": lambda: measure_first(report, spyglass, options.rounds),
        "slow": lambda: measure_slow(report, spyglass),
        "home": lambda: measure_home(report, spyglass, options.rounds),
        "pixels": lambda: measure_pixels(report, spyglass, options.rounds),
        "bench": lambda: measure_bench(report, spyglass),
    }
    if options.only:
        jobs[options.only]()
    else:
        for job in jobs.values():
            job()
    report.save(is_part=bool(options.only))


if __name__ == "__main__":
    main()
