"""Puts the figures of the last comparisons into README.md (a summary) and docs/figures.md (every table).

Benchmarks/readme.py [--check]

Exits 1 where a target is missed or was not measured. `--check` changes nothing, and fails where a page has other figures than
results/*.json.
"""

import argparse
import json
import sys
from pathlib import Path

import targets
from targets import (ADDRESSES, CROP, DISTANT, FAITHFUL, KITTY, LARGE, MEMORY, PACKS, PHOTOGRAPH, PREVIEW, SIXEL,
                     SMALL, SYMBOLS, TRANSFERS, WEBP, amount)  # fmt: skip

FOLDER = Path(__file__).parent
README, FIGURES = FOLDER.parent / "README.md", FOLDER.parent / "docs" / "figures.md"
LIST, LINK, KEYS = "list of 200 previews", "200 previews over 100 ms and 5 Mbit/s", "key to first byte of the frame"


class Results:
    """The last results of every comparison."""

    def __init__(self):
        """Reads results/*.json."""
        self.by_name, self.machines = {}, {}
        for path in sorted((FOLDER / "results").glob("*.json")):
            contents = json.loads(path.read_text())
            machine = contents["machine"]
            place = f"{machine['cores']} cores of {machine['cpu']}, {machine['system']}"
            self.machines.setdefault(place, []).append(path.stem)
            for result in contents["results"]:
                beside = result.get("rival", result.get("yardstick"))
                self.by_name[path.stem, result["name"], beside] = result

    def shown(self, what, figure, tool=None):
        """One figure as people write it; nothing where it was not measured."""
        result = self.by_name.get((what, figure, tool))
        return amount(result) if result else ""

    def times(self, job, tool=None):
        """CPU time of a job of `resize`, and its wall time."""
        cpu, wall = (self.shown("resize", f"{job}: {metric}", tool) for metric in ("CPU time", "wall time"))
        return f"{cpu} ({wall})" if cpu else ""

    def pair(self, what, job, metrics, tool=None):
        """The first of two figures of a job, and the other in brackets."""
        one, other = (self.shown(what, f"{job}: {metric}", tool) for metric in metrics)
        return f"{one} ({other})" if one else ""

    @property
    def places(self):
        """Where they were taken."""
        each = self.machines.items()
        return "; ".join(place if len(each) == 1 else f"{place} ({', '.join(whats)})" for place, whats in each)


def rows_of(header, rows):
    """Lines of a table: the first column of words, the others of figures."""
    lines = [header, f"|---{'|---:' * (header.count('|') - 2)}|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows), ""])


def taken(results, table):
    """A table, and where its figures were measured."""
    return f"{table}\nMachines: {results.places}.\n"


def all_targets(results):
    """Every target and what was measured."""
    return taken(results, targets.table(results.by_name)[0])


def summary(results):
    """The targets that people choose by."""
    return taken(results, targets.summary(results.by_name))


def show(results):
    """`show` beside chafa, timg and catimg."""
    tools = (None, "chafa", "timg", "catimg")
    figures = {
        "`show` one 640 px JPEG in 80x24 cells, CPU": f"{PREVIEW}: CPU time",
        "`show` one 12-megapixel JPEG, CPU": f"{PHOTOGRAPH}: CPU time",
        "peak memory, 10,800 x 5,400 JPEG": "10,800x5,400 baseline JPEG: peak memory (VmHWM)",
        "peak memory, 11,000 x 9,000 PNG": "11,000x9,000 PNG: peak memory (VmHWM)",
    }
    rows = [(job, *(results.shown("show", figure, tool) for tool in tools)) for job, figure in figures.items()]
    rows.insert(1, ("an empty Swift program", results.shown("show", f"{PREVIEW}: CPU time", "do-nothing Swift"), "", "", ""))
    for light in ("linear light", "stored values"):
        name = FAITHFUL.replace("linear light", light)
        rows.append((f"faithful to an average of {light}, 60 columns, mean (worst)",
                     *(results.pair("show", name, ("mean", "worst"), tool) for tool in tools)))  # fmt: skip
    return rows_of("| job | Spyglass | chafa 1.12 | timg 1.4 | catimg 2.7 |", rows)


def pixels(results):
    """`show --pixels` beside chafa, timg and img2sixel."""
    shown = lambda figure, tool=None: results.shown("pixels", figure, tool)  # noqa: E731
    time = "octants, one 640 px JPEG, 60x30 cells: CPU time"
    tools = {"octants": None, "sextants": "our sextants", "quadrants": "our quadrants", "half-blocks": "our half-blocks",
             "chafa `--symbols all`": "chafa all", "chafa `sextant`": "chafa sextant", "chafa `quad`": "chafa quad",
             "chafa `half`": "chafa half", "chafa 1.14 `all`": "chafa.py all", "chafa 1.14 `half`": "chafa.py half",
             "timg `-pq`": "timg quarter"}  # fmt: skip
    stored = SYMBOLS.replace("linear light", "stored values")
    rows = [(name, *(results.pair("pixels", job, ("mean", "worst"), tool) for job in (SYMBOLS, stored)), shown(time, tool))
            for name, tool in tools.items()]  # fmt: skip
    symbols = rows_of("| symbols, 60x30 cells | SSIM with linear light, mean (worst) | SSIM with stored values | CPU |", rows)
    iterm2 = KITTY.replace("kitty", "iterm2")
    rows = []
    for name, job, rival, theirs in (("kitty", KITTY, "timg", "timg `-pk`"), ("iTerm2", iterm2, "timg", "timg `-pi`")):
        rows += [
            (f"{name}, {theirs}: mean bytes", shown(f"{job}: bytes, mean"), shown(f"{job}: bytes, mean", rival)),
            (f"{name}: CPU", shown(f"{job}, one 640 px JPEG: CPU time"), shown(f"{job}, one 640 px JPEG: CPU time", rival)),
            (f"{name}: faithful to linear light, mean (worst)",
             *(results.pair("pixels", f"{job}, faithful to linear light", ("mean", "worst"), tool) for tool in (None, rival))),
        ]  # fmt: skip
    rows += [
        ("sixel, `img2sixel -q full -d fs`: PSNR, mean (worst)",
         *(results.pair("pixels", f"{SIXEL}, PSNR", ("mean", "worst"), tool) for tool in (None, "img2sixel"))),
        ("sixel: CPU for 12", *(shown(f"{SIXEL}, 12 of them: CPU time", tool) for tool in (None, "img2sixel"))),
        ("sixel: mean bytes", *(shown(f"{SIXEL}: bytes, mean", tool) for tool in (None, "img2sixel"))),
        *((f"{count} colours, chafa: distance in Oklab", *(shown(f"{count} {DISTANT}", tool) for tool in (None, "chafa")))
          for count in (16, 256)),
    ]  # fmt: skip
    return f"{symbols}\n{rows_of('| job, reference | Spyglass | reference |', rows)}"


def resize(results):
    """`resize` beside the tools that make thumbnails."""
    tools = (None, "vipsthumbnail", "pyvips", "GraphicsMagick", "Pillow", "img2dataset")
    jobs = {
        "1,000 photographs, 640 to 160 px, CPU (wall)": SMALL,
        "the same again, all up to date": f"{SMALL}, again",
        "40 photographs, 4000x3000 to 320 px, CPU (wall)": LARGE,
        "1,000 photographs, 640 to 160 px, as WebP of quality 80, CPU (wall)": WEBP,
        "1,000 photographs, 640 to 160 px, cut by attention, CPU (wall)": CROP,
        "1,000 addresses, downloaded and resized, CPU (wall)": ADDRESSES,
        "10,000 addresses, downloaded and resized into tar files, CPU (wall)": PACKS,
    }
    rows = [(name, *(results.times(job, tool) for tool in tools)) for name, job in jobs.items()]
    likeness = "likeness to ImageMagick's Lanczos in linear light, mean SSIM (worst), of the 40"
    rows.append((likeness, *(results.pair("resize", f"{LARGE}, as PNG", ("mean SSIM", "worst SSIM"), tool) for tool in tools)))
    rows.append(("peak memory, 10,800 x 5,400 JPEG to 320 px",
                 *(results.shown("resize", f"{MEMORY}: peak memory (VmHWM)", tool) for tool in tools)))  # fmt: skip
    long, short = "a manifest of a million lines", "a manifest of twenty thousand lines"
    for name, job in (("all failing", f"{long}, files that are not there"), ("planned", f"{long}, planned (--dry-run)"),
                      ("made", f"{short}, made")):  # fmt: skip
        count = "twenty thousand" if job.startswith(short) else "a million"
        memory = results.shown("resize", f"{job}: peak memory (VmHWM)")
        rows.append((f"peak memory, {count} lines of a manifest, {name}", memory, *[""] * (len(tools) - 1)))
    return rows_of("| `resize` | Spyglass | vipsthumbnail 8.14 | libvips 8.18 (pyvips) | GraphicsMagick 1.3 | Pillow 13 | img2dataset 1.47 |", rows)


def others(results):
    """Transfers, caches, lists and the browser."""
    curl, session = "curl --parallel", "URLSession"
    few = TRANSFERS.replace("20,000", "5,000")
    keys = f"{KEYS}, pictures loading from demo, one item down, 30 a second"

    def transfers(job, tool=None):
        wall, cpu, memory = (results.shown("fetch", f"{job}: {metric}", tool) for metric in
                             ("wall time", "CPU time", "peak memory (VmHWM)"))  # fmt: skip
        return f"{wall} ({cpu}, {memory})"

    def hits(tool=None):
        return "; ".join(results.shown("cache", f"hit, {threads}, addresses", tool) for threads in ("1 thread", "2 threads"))

    browse = "full repaint, exact, with scroll region"
    rows = [
        ("20,000 transfers of 40 KB on loopback, HTTP/1.1, 16 at once, wall (CPU, peak)", transfers(TRANSFERS),
         f"`curl --parallel` to /dev/null: {transfers(TRANSFERS, curl)}"),
        ("5,000 of them", transfers(few), f"Foundation's URLSession: {transfers(few, session)}"),
        ("memory-cache hit, one thread; two threads, all together", hits(), f"Foundation's NSCache: {hits('NSCache')}. At its limit it evicts the newcomer"),
        ("`list` of 200 previews again while fresh: CPU, requests",
         f"{results.shown('list', f'{LIST}: CPU time')}, {results.shown('list', f'{LIST}: requests of the second run').partition('.')[0]}",
         f"the first run: {results.shown('list', f'{LIST}: CPU time', 'first run')}"),
        ("until its first picture", results.shown("list", f"{LIST}: until the first picture, second run"),
         f"an empty Swift program, start to end: {results.shown('list', f'{LIST}: until the first picture, second run', 'do-nothing Swift')}"),
        ("200 previews over 100 ms and 5 Mbit/s", results.shown("list", f"{LINK}: wall time"),
         f"their bytes at that bandwidth: {results.shown('list', f'{LINK}: wall time', 'the bytes at the link' + chr(39) + 's bandwidth')}"),
        ("peak memory, `list` of 2,000 previews, first run",
         results.shown("list", "list of 2,000 previews: peak memory (VmHWM), first run, worst of 5"), ""),
        ("browser, 10,000 photos, 120x40, pictures loading: key to first byte of the frame, median (99 of 100)",
         results.pair("browse", keys, ("p50", "p99")), "a screen at 60 Hz: 17 ms"),
        ("one photo down, bytes",
         results.shown("browse", "one item down, exact, with scroll region"),
         f"a full repaint: {results.shown('browse', browse)}"),
        ("peak memory, all 10,000 scrolled through",
         results.shown("browse", "peak memory (VmHWM), 10,000 items scrolled through"), ""),
    ]  # fmt: skip
    rows += [row for row in local(results) if row[1]]
    return rows_of("| job | Spyglass | compared with |", rows).replace("|---:|---:|", "|---:|---|")


def local(results):
    """The browser with files on disk, and idle."""
    zoom, folder = "zoom of a local 12-megapixel JPEG, until", "of a folder of 10,000 files, worst"
    return [
        ("zoom of a local 12-megapixel JPEG: until something new (sharp)",
         results.shown("browse", f"{zoom} something new") and
         f"{results.shown('browse', f'{zoom} something new')} ({results.shown('browse', f'{zoom} the final image')})", ""),
        ("a key of the filter (`&`) of 10,000 photos, mean", results.shown("browse", "a key of the filter, 10,000 photos, drawn"), "a screen at 60 Hz: 17 ms"),
        ("first start to the home screen with all of its pictures, worst",
         results.shown("browse", "from the first start to home with all of its pictures, worst"), ""),
        ("start to names and boxes of a folder of 10,000 files (to cached pictures)",
         results.shown("browse", f"from the start to the names and boxes {folder}") and
         f"{results.shown('browse', f'from the start to the names and boxes {folder}')} ({results.shown('browse', f'from the start to the cached pictures {folder}')})", ""),
        ("peak memory, all 10,000 files scrolled through",
         results.shown("browse", "peak memory (VmHWM), 10,000 files scrolled through"), ""),
        ("browser, idle: share of a processor", results.shown("browse", "CPU over 10 s of idling"), ""),
    ]  # fmt: skip


PAGES = {README: {"summary": summary}, FIGURES: {"targets": all_targets, "show": show, "pixels": pixels, "resize": resize, "others": others}}


def filled(page, sections, results):
    """The text of a page with every section between its marks, and the names of the sections that differ."""
    text, differing = page.read_text(), []
    for name, section in sections.items():
        begin, end = f"<!-- figures: {name} -->\n", f"<!-- end of {name} -->\n"
        before, rest = text.split(begin)
        shown, after = rest.split(end)
        if shown != section(results):
            differing.append(name)
        text = f"{before}{begin}{section(results)}{end}{after}"
    return text, differing


def main():
    """Fills or checks every page."""
    parser = argparse.ArgumentParser(description="Puts the figures of the last comparisons into README.md and docs/figures.md.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail where a page has other figures")
    options = parser.parse_args()
    results = Results()
    for page, sections in PAGES.items():
        text, differing = filled(page, sections, results)
        if options.check and differing:
            sys.exit(f"{page.name}: the figures of {', '.join(differing)} differ from Benchmarks/results; run Benchmarks/readme.py")
        if not options.check:
            page.write_text(text)
    if options.check:
        return
    print(all_targets(results))
    if not targets.table(results.by_name)[1]:
        sys.exit(1)


if __name__ == "__main__":
    main()
