"""The table and the file that every comparison ends in."""

import json
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import harness

FOLDER = Path(__file__).parent
PROJECT = FOLDER.parent
OURS = "spyglass"
NOTHING, NOTHING_IN_SWIFT = "true", "do-nothing Swift"


def do_nothing():
    """Commands that only start and end: what starting a process costs."""
    commands = {NOTHING: ["true"]}
    harness.WORK.mkdir(exist_ok=True)
    program = harness.WORK / "nothing"
    if not program.exists() and shutil.which("swiftc"):
        source = program.with_suffix(".swift")
        source.write_text("")
        subprocess.run(["swiftc", "-O", "-static-stdlib", source, "-o", program], check=True)
    if program.exists():
        commands[NOTHING_IN_SWIFT] = [str(program)]
    return commands


def relative_spread(samples):
    """The distance between the quartiles as a share of the median; 0 where the median is."""
    value = harness.median(samples)
    return harness.spread(samples) / abs(value) if value else 0


def ratio_to(ours, theirs, better):
    """How far ahead we are: theirs through ours, or ours through theirs where more is better.

    Samples of the same rounds are compared in pairs, so that a busy moment of the machine meets both; the median of those ratios.
    """
    if len(ours) != len(theirs):
        ours, theirs = [harness.median(ours)], [harness.median(theirs)]
    above, below = (theirs, ours) if better == "less" else (ours, theirs)
    if not all(below):
        return None
    return statistics.median(one / other for one, other in zip(above, below, strict=True))


class Report:
    """Collects figures for the table and for results/WHAT.json."""

    def __init__(self, what, ours=OURS):
        """Starts empty; `ours` is what our side is called."""
        self.what = what
        self.ours = ours
        self.results = []

    def add(self, name, figures, unit, better="less", digits=2, yardsticks=()):
        """One figure of every tool: {tool: list of samples}. Yardsticks are lower bounds and goals."""
        print(f"\n### {name}\n\n| tool | {unit} | spread | ratio |\n|---|---:|---:|---:|")
        for tool, samples in figures.items():
            result = self.result(name, samples, unit, digits)
            ratio = None
            if tool != self.ours:
                result["yardstick" if tool in yardsticks else "rival"] = tool
                ratio = self.ratio(figures, samples, unit, better)
            if ratio is not None:
                result["ratio"] = round(ratio, 3)
            self.results.append(result)
            shown = "" if ratio is None else f"{ratio:.2f}x"
            print(f"| {tool} | {result['value']:.{digits}f} | {100 * result['spread']:.1f} % | {shown} |", flush=True)

    def ratio(self, figures, samples, unit, better):
        """How far ahead of a rival we are; nothing where ours is missing, or of what has no zero to count from."""
        return ratio_to(figures[self.ours], samples, better) if self.ours in figures and unit not in ("dB", "%") else None

    def add_target(self, name, samples, unit, target=None, value=None):
        """A figure of ours alone, which is to be at most the target, or has none; `value` takes the place of the median."""
        result = self.result(name, samples, unit, 2, value)
        verdict, goal = "", ""
        if target is not None:
            result |= {"target": target, "met": result["value"] <= target}
            verdict, goal = "met" if result["met"] else "**not met**", f"{target:g} {unit}"
        if not self.results:
            print("| what | figure | spread | target | |\n|---|---:|---:|---:|---|")
        self.results.append(result)
        print(f"| {name} | {result['value']:.2f} {unit} | {100 * result['spread']:.1f} % | {goal} | {verdict} |", flush=True)

    def add_pictures(self, job, pictures, figures):
        """One figure in dB of every tool for every picture."""
        print(f"\n| picture | {' | '.join(f'{tool}, dB' for tool in figures)} |\n|---{'|---:' * len(figures)}|")
        for number, path in enumerate(pictures):
            print(f"| {path.name} | {' | '.join(f'{values[number]:.1f}' for values in figures.values())} |")
            for tool, values in figures.items():
                result = self.result(f"{job}: {path.name}", [float(values[number])], "dB", 2)
                if tool != self.ours:
                    result["rival"] = tool
                self.results.append(result)

    @staticmethod
    def result(name, samples, unit, digits, value=None):
        """An entry of the file. The spread of what is not the median belongs to no value and is left at 0."""
        spread = relative_spread(samples) if value is None else 0
        value = harness.median(samples) if value is None else value
        return {"name": name, "value": round(float(value), digits + 1), "unit": unit, "spread": round(spread, 4),
                "samples": len(samples)}  # fmt: skip

    @property
    def path(self):
        """Where the results are saved."""
        return FOLDER / f"results/{self.what}.json"

    @property
    def before(self):
        """What was saved before on this machine, or nothing."""
        before = json.loads(self.path.read_text()) if self.path.exists() else {}
        return before if before.get("machine") == harness.machine() else {}

    def save(self, is_part=False):
        """Writes results/WHAT.json; a part takes the place of what was found for it before, on the same machine."""
        path, machine, results = self.path, harness.machine(), self.results
        path.parent.mkdir(exist_ok=True)
        if is_part:
            before = self.before
            if not before:
                print("compare: a part alone is not saved: the other figures are of another machine", file=sys.stderr)
                return
            names = {result["name"] for result in results}
            kept = [result for result in before["results"] if result["name"] not in names]
            results = kept + results
        path.write_text(json.dumps({"machine": machine, "results": results}, indent=1) + "\n")
        print(f"\n{path.relative_to(PROJECT)}", file=sys.stderr)
