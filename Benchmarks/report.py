"""The table and the file that every comparison ends in."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import harness
import inputs

FOLDER = Path(__file__).parent
PROJECT = FOLDER.parent
OURS = "spyglass"


def do_nothing():
    """Commands that only start and end: what starting a process costs."""
    commands = {"true": ["true"]}
    program = inputs.WORK / "nothing"
    if not program.exists() and shutil.which("swiftc"):
        source = program.with_suffix(".swift")
        source.write_text("")
        subprocess.run(["swiftc", "-O", "-static-stdlib", source, "-o", program], check=True)
    if program.exists():
        commands["do-nothing Swift"] = [str(program)]
    return commands


class Report:
    """Collects figures for the table and for results/WHAT.json."""

    def __init__(self, what):
        """Starts empty."""
        self.what = what
        self.results = []

    def add(self, job, metric, figures, unit, better="less", digits=2):
        """Figures of one job: {tool: list of samples}, the first of them ours where it is there."""
        ours = harness.median(figures[OURS]) if OURS in figures else None
        print(f"\n### {job}: {metric}\n\n| tool | {unit} | spread | against spyglass |\n|---|---:|---:|---:|")
        for tool, samples in figures.items():
            value = harness.median(samples)
            result = {"name": f"{job}: {metric}", "value": round(value, digits + 1), "unit": unit}
            result |= {"spread": round(harness.spread(samples), digits + 1), "samples": len(samples)}
            ratio = ""
            if tool != OURS:
                result["rival"] = tool
                if ours:
                    result["ratio"] = round(value / ours if better == "less" else ours / value, 3)
                    ratio = f"{result['ratio']:.2f}x"
            self.results.append(result)
            print(f"| {tool} | {value:.{digits}f} | {result['spread']:.{digits}f} | {ratio} |", flush=True)

    def add_pictures(self, job, pictures, figures):
        """One figure in dB of every tool for every picture."""
        print(f"\n| picture | {' | '.join(f'{tool}, dB' for tool in figures)} |\n|---{'|---:' * len(figures)}|")
        for number, path in enumerate(pictures):
            print(f"| {path.name} | {' | '.join(f'{values[number]:.1f}' for values in figures.values())} |")
            for tool, values in figures.items():
                result = {"name": f"{job}: {path.name}", "value": round(float(values[number]), 3), "unit": "dB"}
                result |= {"spread": 0, "samples": 1}
                if tool != OURS:
                    result["rival"] = tool
                    if OURS in figures:
                        result["ratio"] = round(float(figures[OURS][number] / values[number]), 3)
                self.results.append(result)

    def save(self):
        """Writes results/WHAT.json."""
        path = FOLDER / f"results/{self.what}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"machine": harness.machine(), "results": self.results}, indent=1) + "\n")
        print(f"\n{path.relative_to(PROJECT)}", file=sys.stderr)
