"""Compares formats other than JPEG and PNG with giflib, vipsthumbnail, timg, and Spyglass without its worker.

Benchmarks/compare formats [--rounds N] [--only gif|webp|avif|heic|worker|play|grid] [--spyglass PATH]

A part is skipped, with the reason, where its tool is missing or this binary does not decode the format.
"""

import argparse
import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image, features

import harness
import inputs
import photographs
from report import OURS, Report
from terminal import Terminal

browse = importlib.import_module("compare-browse")

PROJECT = Path(__file__).parent.parent
VIPS, TIMG, IN_PROCESS = "vipsthumbnail", "timg", "in process (--sandbox off)"
#: Width and height in cells of the terminal in which an animation plays, and milliseconds of a frame.
PLAY_CELLS, FRAME_MS = (80, 24), 40
#: A link of 5 Mbit/s whose round trip takes 100 ms.
LINK = {"bytes_per_second": 625_000, "delay": 0.1}
GRID_ITEMS, GRID_KEYS, GRID_KEYS_PER_SECOND = 12, 100, 4


class Skipped(Exception):
    """Why a part cannot be measured here."""


def need(tool):
    """Stops a part without its tool."""
    if not shutil.which(tool):
        raise Skipped(f"{tool} is missing")


def need_format(spyglass, path):
    """Stops a part where the binary does not decode the format."""
    run = subprocess.run([spyglass, "show", path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode:
        raise Skipped(run.stderr.strip())


def saved(name, save):
    """A file in the work folder, made once by `save`."""
    path = harness.WORK / name
    if not path.exists():
        print(f"making {name}", file=sys.stderr)
        temporary = path.with_stem(path.stem + "-unfinished")
        save(temporary)
        temporary.rename(path)
    return path


def animation(name, size, count):
    """A GIF that pans over the map."""

    def save(path):
        width, height = size
        whole = inputs.blue_marble()
        frames = [whole.crop((300 + 4 * n, 300 + 2 * n, 300 + 4 * n + width, 300 + 2 * n + height)) for n in range(count)]
        frames = [frame.quantize(256) for frame in frames]
        frames[0].save(path, save_all=True, append_images=frames[1:], duration=FRAME_MS, loop=0)

    return saved(name, save)


def photograph(kind):
    """The photograph of 12 megapixels in a format."""
    source = inputs.all_inputs()["12-megapixel"]
    if kind == "heic":
        need("heif-enc")
        return saved("4000x3000.heic", lambda path: subprocess.run(["heif-enc", "-q", "60", source, "-o", path], check=True))
    if not features.check(kind):
        raise Skipped(f"this Pillow writes no {kind}")
    return saved(f"4000x3000.{kind}", lambda path: Image.open(source).save(path, quality=75))


def thumbnails(scratch):
    """A thousand WebP files whose longer side has 640 px."""
    if not features.check("webp"):
        raise Skipped("this Pillow writes no webp")
    folder = scratch / "webp"
    folder.mkdir()
    pictures = photographs.small()
    for path in pictures:
        Image.open(path).convert("RGB").save(folder / f"{path.stem}.webp", quality=75, method=0)
    return sorted(folder.iterdir())


def tree_memory(command):
    """(VmHWM, Pss) in MiB of a process and those that it starts: their peaks added up, and the peak of the sum.

    Pss counts a page that several processes map in equal parts (proc_pid_smaps(5)): the program itself once, not in each of them.
    """
    process, peaks, peak = harness.spawn(command), {}, 0
    while True:
        together = 0
        for number in family(process):
            try:
                lines = [*Path(f"/proc/{number}/status").read_text().splitlines(),
                         *Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()[1:]]  # fmt: skip
            except OSError:
                continue
            sizes = {line.split()[0]: int(line.split()[1]) for line in lines if line.endswith(" kB")}
            peaks[number] = max(peaks.get(number, 0), sizes.get("VmHWM:", 0))
            together += sizes.get("Pss:", 0)
        peak = max(peak, together)
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            harness.check(command, status)
            return sum(peaks.values()) / 1024, peak / 1024
        time.sleep(harness.MEMORY_POLL_SECONDS)


def family(process):
    """A process and its descendants."""
    found = [process]
    for number in found:
        for path in Path(f"/proc/{number}/task").glob("*/children"):
            try:
                found += [int(child) for child in path.read_text().split()]
            except OSError:
                continue
    return found


def resize(spyglass, files, scratch, *options):
    """Ours; every run makes everything again."""
    return [str(spyglass), "resize", *map(str, files), "--out", str(scratch / "ours"), "--force", "--quiet", *options]


def measure_gif(report, spyglass, _, __):
    """All frames of a GIF, beside giflib, called plainly in turn (`spyglass bench`)."""
    path = animation("920x596.gif", (920, 596), 26)
    run = subprocess.run([spyglass, "bench", "decode", path, "--json"], stdout=subprocess.PIPE, text=True, check=False)
    results = json.loads(run.stdout)["results"] if run.stdout else []
    result = next((each for each in results if each["name"].startswith("decode.gif.frames")), None)
    if not result or "ratio" not in result:
        raise Skipped("no figure beside giflib (libgif.so.7)")
    figures = {OURS: [result["value"]], result["rival"]: [result["value"] / result["ratio"]]}
    report.add("GIF, 26 frames of 920x596, all decoded", figures, "MP/s", better="more")


def measure_photograph(kind):
    """A part: one photograph of 12 megapixels to 320 px."""

    def measure(report, spyglass, scratch, rounds):
        path = photograph(kind)
        need_format(spyglass, path)
        need("vipsthumbnail")
        commands = {
            OURS: resize(spyglass, [path], scratch, "--jobs", "1"),
            VIPS: ["env", "VIPS_CONCURRENCY=1", "vipsthumbnail", "--size", "320x320", "-o", f"{scratch}/%s.jpg", str(path)],
        }
        job = f"{kind.upper()}, 12 megapixels to 320 px"
        samples = harness.alternate(commands, rounds)
        report.add(f"{job}: CPU time", {tool: sample.cpu for tool, sample in samples.items()}, "ms")
        runs = {tool: [tree_memory(command) for _ in range(3)] for tool, command in commands.items()}
        for place, what in enumerate(("VmHWM, of all processes", "Pss, of all processes")):
            report.add(f"{job}: peak memory ({what})", {tool: [run[place] for run in each] for tool, each in runs.items()}, "MiB")

    return measure


def measure_worker(report, spyglass, scratch, rounds):
    """A thousand thumbnails in the worker and without it, and the first one."""
    files = thumbnails(scratch)
    need_format(spyglass, files[0])
    for job, some in ((f"{len(files):,} WebP, 640 to 160 px", files), ("one WebP, 640 to 160 px", files[:1])):
        command = resize(spyglass, some, scratch, "--size", "160")
        commands = {OURS: command, IN_PROCESS: [*command, "--sandbox", "off"]}
        samples = harness.alternate(commands, rounds if len(some) > 1 else 10 * rounds)
        report.add(f"{job}: CPU time", {tool: sample.cpu for tool, sample in samples.items()}, "ms")
        report.add(f"{job}: wall time", {tool: sample.wall for tool, sample in samples.items()}, "ms")


def played(command):
    """(CPU in ms, peak in MiB) of a program that plays an animation in a terminal and ends by itself."""
    with Terminal(command, *PLAY_CELLS) as terminal:
        cpu, peak = 0, 0
        while terminal.process.poll() is None:
            try:
                cpu, peak = max(cpu, terminal.cpu_seconds), max(peak, terminal.peak_memory)
            except (OSError, StopIteration, ValueError):
                break
            time.sleep(harness.MEMORY_POLL_SECONDS)
        if terminal.process.wait():
            raise SystemExit(f"compare: {' '.join(command)}: exit status {terminal.process.returncode}")
        return 1000 * cpu, peak


def measure_play(report, spyglass, _, rounds):
    """A GIF of 300 frames, once, in half-blocks."""
    path = animation("480x360.gif", (480, 360), 300)
    need_format(spyglass, path)
    need("timg")
    columns, rows = PLAY_CELLS
    commands = {
        OURS: [str(spyglass), "show", "--pixels", "half", "--cells", f"{columns}x{rows}", "--loops", "1", str(path)],
        TIMG: ["timg", "-ph", f"-g{columns}x{rows}", "--loops=1", str(path)],
    }
    runs = {tool: [played(command) for _ in range(min(rounds, 3))] for tool, command in commands.items()}
    job = f"playing a GIF, 300 frames of 480x360, {columns}x{rows} cells"
    report.add(f"{job}: CPU time", {tool: [cpu for cpu, _ in each] for tool, each in runs.items()}, "ms")
    report.add(f"{job}: peak memory (VmHWM)", {tool: [peak for _, peak in each] for tool, each in runs.items()}, "MiB")


def measure_grid(report, spyglass, scratch, rounds):
    """From a key to the first byte of its frame in a grid of pictures that move, and of such that do not."""
    moving = scratch / "moving"
    moving.mkdir()
    source = animation("480x360.gif", (480, 360), 300)
    need_format(spyglass, source)
    for number in range(GRID_ITEMS):
        shutil.copy(source, moving / f"{number:02}.gif")
    samples = {}
    for name, choice in (("moving", "all"), ("still", "none")):
        samples[name] = []
        for _ in range(rounds):
            with browse.Browser(spyglass, str(moving), settings={"animations": choice}, **LINK) as browser:
                browser.wait_for(f"1 of {GRID_ITEMS}")
                browser.send(b"v")
                browser.wait_for_quiet(1, 5)
                samples[name] += grid_keys(browser)
    job = f"key to first byte of its frame, {GRID_ITEMS} pictures, 100 ms and 5 Mbit/s"
    for name, seconds in samples.items():
        report.add_target(f"{job}, {name}: p99", [1000 * each for each in seconds], "ms", None,
                          1000 * browse.percentile(seconds, 99))  # fmt: skip
    more = 1000 * (browse.percentile(samples["moving"], 99) - browse.percentile(samples["still"], 99))
    report.add_target(f"{job}, more with moving ones: p99", [more], "ms", 20)


def grid_keys(browser):
    """What keys take that select the next picture and the one before, in turn."""
    moments = []
    for number in range(GRID_KEYS):
        moments.append((browser.send(b"l" if number % 2 == 0 else b"h"), 2 - number % 2))
        time.sleep(1 / GRID_KEYS_PER_SECOND)
    browser.send(b"q")
    seen = browse.positions(browser, moments[0][0])
    found = [next((began - moment for began, place in seen if began >= moment and place == wanted), None) for moment, wanted in moments]
    return [each for each in found if each is not None]


def main():
    """Measures all of it."""
    parts = {"gif": measure_gif, **{kind: measure_photograph(kind) for kind in ("webp", "avif", "heic")},
             "worker": measure_worker, "play": measure_play, "grid": measure_grid}  # fmt: skip
    parser = argparse.ArgumentParser(description="Compares formats other than JPEG and PNG.")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of every measurement (default 5)")
    parser.add_argument("--only", choices=parts, help="the part to measure; it takes its place in the results")
    parser.add_argument("--spyglass", type=Path, default=PROJECT / ".build/release/spyglass", help="the binary")
    options = parser.parse_args()
    report, spyglass = Report("formats"), options.spyglass.resolve()
    print(f"## formats\n\n{json.dumps(harness.machine())}")
    harness.WORK.mkdir(exist_ok=True)
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    for name, measure in parts.items():
        if options.only in (None, name):
            with tempfile.TemporaryDirectory(prefix="spyglass-compare-", dir=memory) as scratch:
                try:
                    measure(report, spyglass, Path(scratch), options.rounds)
                except Skipped as reason:
                    print(f"\ncompare: {name} skipped: {reason}", file=sys.stderr)
    report.save(is_part=bool(options.only))


if __name__ == "__main__":
    main()
