"""Compares `spyglass show` with chafa, timg and catimg: time, memory, and how faithful the half-blocks are.

Benchmarks/compare show [--rounds N] [--spyglass PATH]
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

import fidelity
import harness
import inputs
import raster
from report import NOTHING, NOTHING_IN_SWIFT, OURS, Report, do_nothing

FOLDER = Path(__file__).parent
PROJECT = FOLDER.parent
#: {input: (what it is called, rounds)}.
TIME_JOBS = {
    "preview": ("one 640 px JPEG, 80x24 cells", 40),
    "12-megapixel": ("one 4000x3000 JPEG, 80x24 cells", 15),
}
MEMORY_JOBS = {"huge-jpeg": "10,800x5,400 baseline JPEG", "huge-png": "11,000x9,000 PNG"}


def tools(spyglass):
    """{name: function of (file, columns, rows) to a command}; Spyglass only where it has been built."""
    chafa = ["chafa", "-f", "symbols", "--symbols", "vhalf", "-c", "full"]
    found = {
        "chafa": lambda file, columns, rows: [*chafa, "--size", f"{columns}x{rows}", file],
        "timg": lambda file, columns, rows: ["timg", "-ph", f"-g{columns}x{rows}", file],
        # catimg counts its width in half columns.
        "catimg": lambda file, columns, rows: ["catimg", "-w", str(columns * 2), file],
    }
    if spyglass.exists():
        ours = [str(spyglass), "show", "--color", "truecolor"]
        found = {OURS: lambda file, columns, rows: [*ours, "--cells", f"{columns}x{rows}", file]} | found
    else:
        print(f"compare: {spyglass} is not there (make build): the others alone", file=sys.stderr)
    return found


def compare_time(report, shown_by, files, rounds):
    """CPU and wall time of showing one file, beside processes that do nothing."""
    idle = (NOTHING, NOTHING_IN_SWIFT)
    for name, (job, default_rounds) in TIME_JOBS.items():
        commands = {tool: command(str(files[name]), 80, 24) for tool, command in shown_by.items()}
        samples = harness.alternate(commands | do_nothing(), rounds or default_rounds)
        report.add(f"{job}: CPU time", {tool: sample.cpu for tool, sample in samples.items()}, "ms", yardsticks=idle)
        report.add(f"{job}: wall time", {tool: sample.wall for tool, sample in samples.items()}, "ms", yardsticks=idle)
        report.add(f"{job}: page faults", {tool: sample.faults for tool, sample in samples.items()}, "faults", digits=0, yardsticks=idle)


def compare_memory(report, shown_by, files):
    """Peak memory with the huge files; the rivals once each, ours three times."""
    for name, job in MEMORY_JOBS.items():
        figures = {}
        for tool, command in shown_by.items():
            runs = 3 if tool == OURS else 1
            figures[tool] = [harness.peak_memory(command(str(files[name]), 80, 24)) for _ in range(runs)]
        report.add(f"{job}: peak memory (VmHWM)", figures, "MiB")


def faithfulness(command, path):
    """(dB against linear light, dB against stored values) of a tool's half-blocks.

    Both references are exact area averages of the whole picture at the size that the tool drew, converted to sRGB where it has another
    profile.
    """
    shown, picture = raster.half_blocks(harness.output(command(str(path), 60, 30))), fidelity.full(path)
    return [fidelity.decibels(shown, average(picture, shown)) for average in (fidelity.linear_average, fidelity.stored_average)]


def compare_faithfulness(report, shown_by):
    """Mean and worst over photographs, and every file."""
    pictures = fidelity.photographs()
    compared = [tool for tool in (OURS, "chafa") if tool in shown_by]
    both = {tool: np.array([faithfulness(shown_by[tool], path) for path in pictures]) for tool in compared}
    for column, reference in enumerate(("linear light", "stored values")):
        job = f"faithful to an average of {reference}, 60x30 cells"
        figures = {tool: values[:, column] for tool, values in both.items()}
        for metric, choose in (("mean", np.mean), ("worst", np.min)):
            chosen = {tool: [float(choose(values))] for tool, values in figures.items()}
            report.add(f"{job}: {metric}", chosen, "dB", better="more")
    report.add_pictures("faithful to an average of linear light, 60x30 cells", pictures,
                        {tool: values[:, 0] for tool, values in both.items()})  # fmt: skip


def main():
    """Measures all of it."""
    parser = argparse.ArgumentParser(description="Compares spyglass show with chafa, timg and catimg.")
    parser.add_argument("--rounds", type=int, help="rounds of every time measurement (default 40 and 15)")
    parser.add_argument("--spyglass", type=Path, default=PROJECT / ".build/release/spyglass", help="the binary")
    options = parser.parse_args()
    files = inputs.all_inputs()
    shown_by = tools(options.spyglass)
    report = Report("show")
    print(f"## spyglass show against others\n\n{json.dumps(harness.machine())}")
    compare_time(report, shown_by, files, options.rounds)
    compare_memory(report, shown_by, files)
    compare_faithfulness(report, shown_by)
    report.save()


if __name__ == "__main__":
    main()
