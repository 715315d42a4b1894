"""Measures `spyglass list` over 200 previews: first run and second, a slow link, and memory with 2,000.

Benchmarks/compare list [--rounds N] [--spyglass PATH]
"""

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import gallery
import harness
import inputs
import link
from report import NOTHING_IN_SWIFT, OURS, Report, do_nothing

FOLDER = Path(__file__).parent
PROJECT = FOLDER.parent
PREVIEWS = 200
LINK = "the bytes at the link's bandwidth"
PATIENCE = 120


def command(spyglass, port, cache, limit=PREVIEWS):
    """A search whose pictures are drawn, with its counts on standard error."""
    return [str(spyglass), "list", "--endpoint", f"http://{gallery.HOST}:{port}/", "earth", "--limit", str(limit),
            "--color", "truecolor", "--cells", "120x40", "--cache-dir", str(cache), "--stats=json"]  # fmt: skip


def run(words):
    """(CPU ms, wall ms, ms until the first half-block, counts) of one run."""
    start = time.perf_counter()
    process = subprocess.Popen(words, env=harness.ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    first, seen = None, b""
    while data := process.stdout.read1(1 << 16):
        if first is None:
            seen += data
            if any(half.encode() in seen for half in "▀▄▌▐"):
                first = (time.perf_counter() - start) * 1000
    errors = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    wall = (time.perf_counter() - start) * 1000
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"compare: exit status {process.returncode}: {errors}")
    counts = json.loads(errors.strip().splitlines()[-1])
    return (usage.ru_utime + usage.ru_stime) * 1000, wall, first, counts


def compare_runs(report, spyglass, rounds):
    """The first run, which fetches all, against the second, which must not use the network."""
    first, second = {"cpu": [], "wall": []}, {"cpu": [], "wall": [], "picture": []}
    nothing = do_nothing()[NOTHING_IN_SWIFT]
    idle, requests = [], []
    with gallery.served() as port:
        for _ in range(rounds):
            with tempfile.TemporaryDirectory(dir=inputs.WORK) as cache:
                cpu, wall, _, counts = run(command(spyglass, port, cache))
                first["cpu"].append(cpu)
                first["wall"].append(wall)
                assert counts["failed"] == 0, counts
                cpu, wall, picture, counts = run(command(spyglass, port, cache))
                second["cpu"].append(cpu)
                second["wall"].append(wall)
                second["picture"].append(picture)
                requests.append(counts["requests"])
                idle.append(harness.run_once(nothing)[1])
    job = f"list of {PREVIEWS} previews"
    for metric, name in (("CPU time", "cpu"), ("wall time", "wall")):
        report.add(f"{job}: {metric}", {OURS: second[name], "first run": first[name]}, "ms", yardsticks=["first run"])
    report.add(f"{job}: until the first picture, second run", {OURS: second["picture"], NOTHING_IN_SWIFT: idle}, "ms", yardsticks=[NOTHING_IN_SWIFT])
    report.add(f"{job}: requests of the second run", {OURS: requests}, "requests")


def compare_link(report, spyglass, rounds):
    """A link of 100 ms and 5 Mbit/s: how far from what it can carry."""
    walls, limits = [], []
    for _ in range(rounds):
        with link.simulated(lambda public: gallery.served(PREVIEWS, public)) as slow:
            with tempfile.TemporaryDirectory(dir=inputs.WORK) as cache:
                _, wall, _, counts = run(command(spyglass, slow.port, cache))
                assert counts["failed"] == 0, counts
            walls.append(wall)
            limits.append(slow.bytes_down * slow.seconds_per_byte * 1000)
    job = f"{PREVIEWS} previews over 100 ms and 5 Mbit/s"
    report.add(f"{job}: wall time", {OURS: walls, LINK: limits}, "ms", yardsticks=[LINK])


def measure_memory(report, spyglass):
    """Peak memory with every preview of a long list."""
    cold, warm = [], []
    with gallery.served() as port:
        for _ in range(5):
            with tempfile.TemporaryDirectory(dir=inputs.WORK) as cache:
                words = command(spyglass, port, cache, limit=gallery.ITEMS)
                cold.append(harness.peak_memory(words))
                warm.append(harness.peak_memory(words))
    job = f"list of {gallery.ITEMS:,} previews"
    report.add(f"{job}: peak memory (VmHWM), first run, worst of 5", {OURS: [max(cold)]}, "MiB")
    report.add(f"{job}: peak memory (VmHWM), later run", {OURS: warm}, "MiB")


def main():
    """Measures all of it."""
    parser = argparse.ArgumentParser(description="Measures spyglass list: caches, a slow link, memory.")
    parser.add_argument("--rounds", type=int, default=9, help="rounds of first and second run (default 9)")
    parser.add_argument("--spyglass", type=Path, default=PROJECT / ".build/release/spyglass", help="the binary")
    options = parser.parse_args()
    if not shutil.which("nginx"):
        raise SystemExit("compare: nginx is needed")
    inputs.WORK.mkdir(exist_ok=True)
    report = Report("list")
    print(f"## spyglass list\n\n{json.dumps(harness.machine())}")
    compare_runs(report, options.spyglass, options.rounds)
    compare_link(report, options.spyglass, min(options.rounds, 3))
    measure_memory(report, options.spyglass)
    report.save()


if __name__ == "__main__":
    main()
