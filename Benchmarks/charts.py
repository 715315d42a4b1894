"""Draws results/*.json as bars, one results/WHAT.svg a file and overview.svg of all: ours first, what it was measured beside under it.

Benchmarks/charts.py [FILE...]

A figure with nothing beside it has no bars, nor have single pictures, nor differences that fall below zero; all are in the JSON files. Bars are to scale within a figure only.
The same results give the same bytes, and the drawings have no ground, so that they can be read on light and on dark pages.
"""

import argparse
import json
import re
from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402

FOLDER = Path(__file__).parent / "results"
#: Greys and a blue that stand out from white and from black alike.
TEXT, OURS_COLOR, RIVAL_COLOR = "#767676", "#2f7fd6", "#8f8f8f"
#: Of what is a floor or a goal and no rival.
YARDSTICK_ALPHA = 0.45
MORE_IS_BETTER = ("dB", "SSIM", "entries")
ONE_PICTURE = re.compile(r"\.(jpe?g|png)$")
OUR_NAMES = {"cache": "MemoryCache"}
#: What overview.svg shows: (file, figure).
OVERVIEW = (
    ("show", "one 640 px JPEG, 80x24 cells: CPU time"),
    ("show", "one 4000x3000 JPEG, 80x24 cells: CPU time"),
    ("resize", "1,000 photographs, 640 to 160 px: CPU time"),
    ("resize", "40 photographs, 4000 to 320 px: CPU time"),
    ("resize", "1,000 addresses on loopback, 640 to 160 px: CPU time"),
    ("resize", "10,800x5,400 baseline JPEG to 320 px: peak memory (VmHWM)"),
    ("fetch", "20,000 transfers of 40 KB, HTTP/1.1, 16 at once: wall time"),
    ("fetch", "20,000 transfers of 40 KB, HTTP/1.1, 16 at once: CPU time"),
    ("cache", "hit, 1 thread, addresses"),
    ("cache", "hit, 2 threads, addresses"),
)
#: In inches: the drawing's width, and a row's height.
WIDTH, ROW = 9, 0.21
#: In widths of the longest bar: where titles begin and where the last figures end.
LEFT, RIGHT = -0.45, 1.3
SETTINGS = {"svg.hashsalt": "spyglass", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 8.5}


def other(entry):
    """What stands beside ours; nothing for ours."""
    return entry.get("rival", entry.get("yardstick"))


def figures(results):
    """{name: entries, ours first} of all figures that have something to stand beside."""
    by_name = {}
    for result in results:
        if not ONE_PICTURE.search(result["name"]):
            by_name.setdefault(result["name"], []).append(result)
    for name, entries in by_name.items():
        entries.sort(key=lambda entry: other(entry) is not None)
        if "target" in entries[0]:
            entries.append({"value": entries[0]["target"], "unit": entries[0]["unit"], "yardstick": "target"})
    return {name: entries for name, entries in by_name.items()
            if other(entries[0]) is None and len(entries) > 1 and all(entry["value"] >= 0 for entry in entries)}  # fmt: skip


def shown(value, unit):
    """A value with about three digits, and its unit."""
    if unit == "SSIM":
        return f"{value:.4f}"
    digits = 0 if value == int(value) or value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{digits}f} {unit}"


def draw_figure(axes, top, name, entries, ours):
    """A title and a bar an entry, from a row downwards; answers the row after the last."""
    unit = entries[0]["unit"]
    title = f"{name} (more is better)" if unit in MORE_IS_BETTER else name
    axes.text(LEFT, top, title, color=TEXT, weight="bold", va="center")
    longest = max(entry["value"] for entry in entries) or 1
    for number, entry in enumerate(entries, start=1):
        row = top + number
        tool = other(entry)
        length = entry["value"] / longest
        axes.barh(row, length, height=0.7, color=RIVAL_COLOR if tool else OURS_COLOR,
                  alpha=YARDSTICK_ALPHA if "yardstick" in entry else 1)  # fmt: skip
        axes.text(-0.015, row, tool or ours, color=TEXT, ha="right", va="center", weight="normal" if tool else "bold")
        ratio = f", {entry['ratio']:.2f}x" if "ratio" in entry else ""
        axes.text(length + 0.015, row, shown(entry["value"], unit) + ratio, color=TEXT, va="center")
    return top + len(entries) + 1.6


def draw_page(groups, footer, title, path):
    """A page of figures, each (title, entries, what ours is called)."""
    rows = sum(len(entries) + 1.6 for _, entries, _ in groups)
    with pyplot.rc_context(SETTINGS):
        figure = pyplot.figure(figsize=(WIDTH, (rows + 1.6) * ROW))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(LEFT - 0.01, RIGHT), ylim=(rows + 0.6, -1))
        axes.axis("off")
        top = 0
        for name, entries, ours in groups:
            top = draw_figure(axes, top, name, entries, ours)
        axes.text(LEFT, top, footer, color=TEXT, va="center")
        figure.savefig(path, transparent=True, metadata={"Date": None, "Creator": None, "Title": title})
        pyplot.close(figure)
    # Matplotlib ends some lines with a space.
    path.write_text("".join(f"{line.rstrip()}\n" for line in path.read_text().splitlines()))
    return path


def draw(path):
    """One file of results as results/WHAT.svg; answers its path, or nothing where there is nothing to compare."""
    what, contents = path.stem, json.loads(path.read_text())
    compared = figures(contents["results"])
    if not compared:
        return None
    machine = contents["machine"]
    place = f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}"
    if any("ratio" in entry for entries in compared.values() for entry in entries):
        place += "; a ratio above 1: Spyglass is ahead"
    groups = [(name, entries, OUR_NAMES.get(what, "spyglass")) for name, entries in compared.items()]
    return draw_page(groups, place, f"Spyglass: {what}", path.with_suffix(".svg"))


def draw_overview():
    """One figure of each job, for people who look at one chart; answers its path, or nothing where one has not been measured."""
    groups, processors = [], {}
    for what, name in OVERVIEW:
        path = FOLDER / f"{what}.json"
        contents = json.loads(path.read_text()) if path.exists() else {"results": []}
        entries = figures(contents["results"]).get(name)
        if not entries:
            return None
        processors.setdefault(contents["machine"]["cpu"], {})[what] = None
        groups.append((f"{what}: {name}", [entry for entry in entries if "yardstick" not in entry], OUR_NAMES.get(what, "spyglass")))
    places = "; ".join(f"{', '.join(parts)} on {cpu}" for cpu, parts in processors.items())
    return draw_page(groups, f"{places}; a ratio above 1: Spyglass is ahead", "Spyglass beside others", FOLDER / "overview.svg")


def main():
    """Draws the files that are named, or all."""
    parser = argparse.ArgumentParser(description="Draws results/*.json as SVG.")
    parser.add_argument("files", nargs="*", type=Path, help="files of results (default all)")
    for path in parser.parse_args().files or sorted(FOLDER.glob("*.json")):
        drawn = draw(path)
        print(drawn or f"{path}: nothing to compare")
    print(draw_overview() or "overview.svg: not everything has been measured")


if __name__ == "__main__":
    main()
