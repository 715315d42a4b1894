"""Compares what `spyglass show --pixels` draws with chafa, timg and img2sixel: likeness to the photograph, CPU time, bytes.

Benchmarks/compare pixels [--rounds N] [--only symbols|kitty|iterm2|sixel|colors] [--spyglass PATH]
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

import fidelity
import harness
import inputs
import raster
from report import OURS, Report

FOLDER = Path(__file__).parent
PROJECT = FOLDER.parent
HALF = "our half-blocks"
#: The library of PyPI's chafa.py: it knows more symbols than Debian's chafa.
NEWER = "chafa.py"
COLUMNS, ROWS = 60, 30
BOX = f"{COLUMNS}x{ROWS}"
CELLS = f"{BOX} cells"
#: Pixels of a cell that timg assumes where no terminal tells.
TIMG_CELL = "9x18"
#: What sixel is measured with: a size of whole cells and of whole bands of six rows.
SIXEL_CELLS, SIXEL_CELL, SIXEL_SIZE = "40x15", "10x20", (400, 300)
SIXEL_FILES = 12
CHAFA = ["chafa", "-f", "symbols", "--size", BOX]
LINEAR = "linear light"
AVERAGES = {LINEAR: fidelity.linear_average, "stored values": fidelity.stored_average}
LIGHT = "light"


class Photograph:
    """A file, its pixels, and its averages at the sizes at which it was shown."""

    def __init__(self, path):
        """Decodes the whole file."""
        self.path, self.pixels, self.averages = str(path), fidelity.full(path), {}

    def average(self, light, shown):
        """An average at the size of what is shown."""
        key = light, shown.shape
        if key not in self.averages:
            average = fidelity.light_average if light == LIGHT else AVERAGES[light]
            self.averages[key] = average(self.pixels, shown)
        return self.averages[key]


class Comparison:
    """The report, the binaries, how often each is run, and the photographs of the sample archive, of which a tool would enlarge none."""

    def __init__(self, spyglass, rounds, scratch):
        """Nothing is run yet."""
        self.report, self.rounds, self.scratch, self.spyglass = Report("pixels"), rounds, scratch, spyglass
        self.preview = str(inputs.PREVIEW)
        self.pictures = [Photograph(path) for path in fidelity.photographs(fidelity.ARCHIVE)]
        print(f"## spyglass show --pixels against others\n\n{json.dumps(harness.machine())}\n\n{len(self.pictures)} photographs")

    def show(self, pixels, *words, color="truecolor"):
        """Our command without its files."""
        return [str(self.spyglass), "show", "--color", color, "--pixels", pixels, *(words or ("--cells", BOX))]

    def add_time(self, job, commands):
        """CPU time of commands that run in turn."""
        samples = harness.alternate(commands, self.rounds)
        self.report.add(f"{job}: CPU time", {tool: sample.cpu for tool, sample in samples.items()}, "ms")


def compare_symbols(comparison):
    """SSIM of symbols of every kind against the photographs, and CPU time."""
    shown_by = {
        OURS: comparison.show("octant"),
        "our sextants": comparison.show("sextant"),
        "our quadrants": comparison.show("quadrant"),
        HALF: comparison.show("half"),
        "chafa all": [*CHAFA, "-c", "full", "--symbols", "all"],
        "chafa sextant": [*CHAFA, "-c", "full", "--symbols", "sextant"],
        "chafa quad": [*CHAFA, "-c", "full", "--symbols", "quad"],
        "chafa half": [*CHAFA, "-c", "full", "--symbols", "half"],
        **{f"{NEWER} {kind}": [sys.executable, str(FOLDER / "chafa-symbols.py"), kind, BOX] for kind in ("all", "half")},
        "timg quarter": ["timg", "-pq", f"-g{BOX}"],
    }
    found = {average: {tool: [] for tool in shown_by} for average in AVERAGES}
    for picture in comparison.pictures:
        for tool, command in shown_by.items():
            shown = raster.raster(harness.output([*command, picture.path]))
            for light in AVERAGES:
                found[light][tool].append(fidelity.similarity(shown, picture.average(light, shown)))
    yardsticks = [tool for tool in shown_by if tool.startswith("our ")]
    for average, figures in found.items():
        for metric, choose in (("mean", np.mean), ("worst", np.min)):
            chosen = {tool: [float(choose(values))] for tool, values in figures.items()}
            comparison.report.add(f"octants, {CELLS}, SSIM with an average of {average}: {metric}", chosen, "SSIM",
                                  better="more", digits=4, yardsticks=yardsticks)  # fmt: skip
    halves = {OURS: found[LINEAR][HALF], **{tool: found[LINEAR][tool] for tool in ("chafa half", f"{NEWER} half")}}
    comparison.report.add(f"half-blocks, {CELLS}, SSIM with an average of {LINEAR}: mean",
                          {tool: [float(np.mean(values))] for tool, values in halves.items()}, "SSIM", better="more", digits=4)  # fmt: skip
    timed = {tool: [*command, comparison.preview] for tool, command in shown_by.items()
             if tool not in ("chafa quad", "chafa half") and not tool.startswith(NEWER)}  # fmt: skip
    comparison.add_time(f"octants, one 640 px JPEG, {CELLS}", timed)


def compare_protocol(comparison, name, theirs, read):
    """Bytes, fidelity and CPU time of a protocol that sends whole pictures, on a pipe, with the same pixels."""
    shown_by = {OURS: comparison.show(name, "--cells", BOX, "--cell-size", TIMG_CELL), "timg": ["timg", theirs, f"-g{BOX}"]}
    sizes, found, other_size = {tool: 0 for tool in shown_by}, {tool: [] for tool in shown_by}, 0
    for picture in comparison.pictures:
        shapes = set()
        for tool, command in shown_by.items():
            output = harness.output([*command, picture.path])
            shown = read(output)
            shapes.add(shown.shape)
            sizes[tool] += len(output) / len(comparison.pictures)
            found[tool].append(fidelity.decibels(shown, picture.average(LINEAR, shown)))
        other_size += len(shapes) > 1
    job = f"{name}, {CELLS} of {TIMG_CELL} pixels"
    print(f"\n{job}: {other_size} photographs are of another size than timg's")
    comparison.report.add(f"{job}: bytes, mean", {tool: [size] for tool, size in sizes.items()}, "bytes")
    for metric, choose in (("mean", np.mean), ("worst", np.min)):
        chosen = {tool: [float(choose(values))] for tool, values in found.items()}
        comparison.report.add(f"{job}, faithful to linear light: {metric}", chosen, "dB", better="more")
    comparison.add_time(f"{job}, one 640 px JPEG", {tool: [*command, comparison.preview] for tool, command in shown_by.items()})


def compare_kitty(comparison):
    """kitty's protocol."""
    compare_protocol(comparison, "kitty", "-pk", raster.kitty)


def compare_iterm2(comparison):
    """iTerm2's protocol."""
    compare_protocol(comparison, "iterm2", "-pi", raster.iterm2)


def compare_sixel(comparison):
    """PSNR of pictures that fit, which nothing resamples, bytes, and the CPU time of a dozen of them."""
    shown_by = {
        OURS: comparison.show("sixel", "--cells", SIXEL_CELLS, "--cell-size", SIXEL_CELL),
        "img2sixel": ["img2sixel", "-q", "full", "-d", "fs"],
    }
    sizes, found, files = {tool: 0 for tool in shown_by}, {tool: [] for tool in shown_by}, []
    for photograph in comparison.pictures:
        file = comparison.scratch / f"{len(files)}.png"
        image = Image.fromarray(photograph.pixels[..., :3])
        side = min(image.width, image.height * SIXEL_SIZE[0] // SIXEL_SIZE[1])
        image.resize(SIXEL_SIZE, Image.Resampling.LANCZOS, (0, 0, side, side * SIXEL_SIZE[1] / SIXEL_SIZE[0])).save(file)
        files.append(str(file))
        picture = np.asarray(Image.open(file))
        for tool, command in shown_by.items():
            output = harness.output([*command, str(file)])
            shown = raster.sixel(output)
            if shown.shape != picture.shape:
                raise SystemExit(f"compare: {tool} drew {photograph.path} at {shown.shape[1]}x{shown.shape[0]} pixels")
            sizes[tool] += len(output) / len(comparison.pictures)
            found[tool].append(fidelity.decibels(shown, picture))
    job = "sixel, photographs of 400x300"
    for metric, choose in (("mean", np.mean), ("worst", np.min)):
        chosen = {tool: [float(choose(values))] for tool, values in found.items()}
        comparison.report.add(f"{job}, PSNR: {metric}", chosen, "dB", better="more")
    comparison.report.add(f"{job}: bytes, mean", {tool: [size] for tool, size in sizes.items()}, "bytes")
    some = files[:: max(1, len(files) // SIXEL_FILES)][:SIXEL_FILES]
    comparison.add_time(f"{job}, {len(some)} of them", {tool: [*command, *some] for tool, command in shown_by.items()})


def compare_colors(comparison):
    """How far 16 and 256 colours are from the photographs, from a distance; of the recorded ones, where they exist."""
    pictures = [Photograph(path) for path in fidelity.photographs()]
    for count in ("16", "256"):
        shown_by = {OURS: comparison.show("half", color=count), "chafa": [*CHAFA, "--symbols", "vhalf", "-c", count]}
        found = {tool: [] for tool in shown_by}
        for picture in pictures:
            for tool, command in shown_by.items():
                shown = raster.half_blocks(harness.output([*command, picture.path]))
                found[tool].append(fidelity.distance(shown, picture.average(LIGHT, shown)))
        comparison.report.add(f"{count} colours, {CELLS}, seen from a distance: mean",
                              {tool: [float(np.mean(values))] for tool, values in found.items()}, "Oklab", digits=4)  # fmt: skip


PARTS = {"symbols": compare_symbols, "kitty": compare_kitty, "iterm2": compare_iterm2,
         "sixel": compare_sixel, "colors": compare_colors}  # fmt: skip


def main():
    """Measures all of it, or a part."""
    parser = argparse.ArgumentParser(description="Compares spyglass show --pixels with chafa, timg and img2sixel.")
    parser.add_argument("--rounds", type=int, default=25, help="rounds of every time measurement (default 25)")
    parser.add_argument("--only", choices=PARTS, help="one part")
    parser.add_argument("--spyglass", type=Path, default=PROJECT / ".build/release/spyglass", help="the binary")
    options = parser.parse_args()
    raster.check()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as scratch:
        comparison = Comparison(options.spyglass, options.rounds, Path(scratch))
        for name, compare in PARTS.items():
            if options.only in (None, name):
                compare(comparison)
        comparison.report.save(is_part=bool(options.only))


if __name__ == "__main__":
    main()
