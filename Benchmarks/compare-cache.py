"""Compares MemoryCache with Foundation's NSCache: hits with one and two threads, eviction, and what is left when it is full.

Benchmarks/compare cache [--rounds N]
"""

import argparse
import json
import subprocess
from pathlib import Path

import harness

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


def report(samples, survivors):
    """Prints the table and answers the results."""
    results = []
    print(f"| job | {OURS}, ns | spread | {RIVAL}, ns | spread | ratio |\n|---|---:|---:|---:|---:|---:|")
    for job, figures in sorted(samples.items()):
        values = {tool: (harness.median(figures[tool]), harness.spread(figures[tool])) for tool in (OURS, RIVAL)}
        ratio = values[RIVAL][0] / values[OURS][0]
        row = " | ".join(f"{value:.1f} | {spread:.1f}" for value, spread in values.values())
        print(f"| {job} | {row} | {ratio:.1f}x |")
        for tool, (value, spread) in values.items():
            result = {"name": job, "value": round(value, 1), "unit": "ns", "spread": round(spread, 1)}
            result |= {"samples": len(figures[tool])}
            results.append(result | ({} if tool == OURS else {"rival": tool, "ratio": round(ratio, 2)}))
    print("\nOf entries 0 to 7, inserted in turn where there is room for four, these are left:\n")
    for tool, left in survivors.items():
        print(f"- {tool}: {', '.join(map(str, left))}")
        newest = range(2 * ROOM)[ROOM:]
        result = {"name": "newest four entries that are left of eight, with room for four", "value": len(set(left) & set(newest))}
        result |= {"unit": "entries", "spread": 0, "samples": 1, "left": left}
        results.append(result | ({} if tool == OURS else {"rival": tool}))
    return results


def main():
    """Measures all of it."""
    parser = argparse.ArgumentParser(description="Compares MemoryCache with Foundation's NSCache.")
    parser.add_argument("--rounds", type=int, default=21, help="rounds of every measurement")
    parser.add_argument("--spyglass", help="not used: this compares libraries")
    options = parser.parse_args()
    machine = harness.machine()
    print(f"## MemoryCache against NSCache: nanoseconds an operation, all threads together\n\n{json.dumps(machine)}\n")
    results = report(*measure(options.rounds))
    path = FOLDER / "results/cache.json"
    path.write_text(json.dumps({"machine": machine, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
