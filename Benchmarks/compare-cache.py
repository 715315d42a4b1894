"""Compares MemoryCache with Foundation's NSCache: hits with one and two threads, eviction, and what is left when it is full.

Benchmarks/compare cache [--rounds N]
"""

import argparse
import json
import subprocess
from pathlib import Path

import harness
from report import Report

FOLDER = Path(__file__).parent
PROGRAM = FOLDER / "cache/.build/release/compare-cache"
OURS, RIVAL = "MemoryCache", "NSCache"
SURVIVORS = "survivors"
#: How many entries there is room for where survivors are counted.
ROOM = 4


def measure(rounds):
    """{job: {tool: samples}} of the program, which measures both in alternating rounds, and {tool: what is left}."""
    build = ["swift", "build", "--package-path", FOLDER / "cache", "-c", "release"]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    printed = subprocess.run([PROGRAM, str(rounds)], check=True, stdout=subprocess.PIPE, text=True).stdout
    samples, survivors = {}, {}
    for line in map(json.loads, printed.splitlines()):
        tool, kind = line["tool"].split(", ")
        if line["job"] == SURVIVORS:
            survivors.setdefault(tool, line["value"])
        else:
            samples.setdefault(f"{line['job']}, {kind}", {}).setdefault(tool, []).append(line["value"])
    return samples, survivors


def add_all(report, samples, survivors):
    """Times, and what is left of eight entries where there is room for four."""
    for job, figures in sorted(samples.items()):
        report.add(job, {tool: figures[tool] for tool in (OURS, RIVAL)}, "ns", digits=1)
    newest = set(range(2 * ROOM)[ROOM:])
    left = {tool: [len(set(survivors[tool]) & newest)] for tool in (OURS, RIVAL)}
    report.add(f"newest {ROOM} entries that are left of {2 * ROOM}, with room for {ROOM}", left, "entries", better="more", digits=0)


def main():
    """Measures all of it."""
    parser = argparse.ArgumentParser(description="Compares MemoryCache with Foundation's NSCache.")
    parser.add_argument("--rounds", type=int, default=21, help="rounds of every measurement")
    parser.add_argument("--spyglass", help="not used: this compares libraries")
    options = parser.parse_args()
    print(f"## MemoryCache against NSCache: nanoseconds an operation, all threads together\n\n{json.dumps(harness.machine())}")
    report = Report("cache", ours=OURS)
    add_all(report, *measure(options.rounds))
    report.save()


if __name__ == "__main__":
    main()
