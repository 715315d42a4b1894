"""What Spyglass promises, a row a promise, and what was found."""

from dataclasses import dataclass

PREVIEW, PHOTOGRAPH = "one 640 px JPEG, 80x24 cells", "one 4000x3000 JPEG, 80x24 cells"
FAITHFUL = "faithful to an average of linear light, 60x30 cells"
SMALL, LARGE = "1,000 photographs, 640 to 160 px", "40 photographs, 4000 to 320 px"
ADDRESSES = "1,000 addresses on loopback, 640 to 160 px"
TRANSFERS = "20,000 transfers of 40 KB, HTTP/1.1, 16 at once"
MEMORY = "10,800x5,400 baseline JPEG to 320 px"


@dataclass(frozen=True)
class Promise:
    """A figure of ours beside one of a rival, or of a yardstick; what is asked of the two says each kind."""

    job: str
    what: str
    figure: str
    rival: str
    #: How much; of what, each kind says.
    limit: float = 0
    #: What stands between, where it is not met.
    between: str = ""

    def beside(self, results):
        """What the figure stands beside."""
        return results.get((self.what, self.figure, self.rival))

    def row(self, results):
        """(ours, theirs, asked, found, whether it is met), or nothing where it was not measured."""
        ours, theirs = results.get((self.what, self.figure, None)), self.beside(results)
        return (ours, theirs, *self.judge(ours, theirs)) if ours and theirs else None


class Ratio(Promise):
    """So many times ahead of a rival, at least."""

    def judge(self, _, theirs):
        """(asked, found, whether it is met)."""
        asked = {1: "ahead", 0.95: "parity within 5 %"}.get(self.limit, f"{self.limit:g} times")
        return asked, f"{theirs['ratio']:.2f} times", theirs["ratio"] >= self.limit


class Difference(Promise):
    """So much more than a yardstick, at most."""

    def judge(self, ours, theirs):
        """As `Ratio.judge`."""
        more, unit = ours["value"] - theirs["value"], ours["unit"]
        return f"{self.limit:g} {unit} more at most", f"{more:.1f} {unit} more", more < self.limit


class Likeness(Promise):
    """At least as much of something that has no zero to count from: decibels, SSIM."""

    def judge(self, ours, theirs):
        """As `Ratio.judge`."""
        more = ours["value"] - theirs["value"]
        return "not worse", f"{more:+.3f}" if ours["unit"] == "SSIM" else f"{more:+.1f} {ours['unit']}", more >= 0


@dataclass(frozen=True)
class Share(Promise):
    """A share of another figure of ours, at most."""

    other: str = ""

    def beside(self, results):
        """That figure."""
        return results.get((self.what, self.other, None))

    def judge(self, ours, whole):
        """As `Ratio.judge`."""
        share = ours["value"] / whole["value"]
        return f"{100 * self.limit:g} % at most", f"{100 * share:.0f} %", share <= self.limit


PROMISES = (
    Ratio("`show` one 640 px JPEG in 80x24 cells, CPU", "show", f"{PREVIEW}: CPU time", "catimg", 1),
    *(Ratio("`show` one 4000 px JPEG, CPU", "show", f"{PHOTOGRAPH}: CPU time", rival, 3) for rival in ("chafa", "timg")),
    Likeness("faithful to the light of NASA photographs, 60 columns, mean", "show", f"{FAITHFUL}: mean", "chafa"),
    Likeness("the same, worst", "show", f"{FAITHFUL}: worst", "chafa"),
    Ratio("1,000 thumbnails, 640 to 160 px, CPU", "resize", f"{SMALL}: CPU time", "vipsthumbnail", 4),
    Ratio("40 photographs, 4000 to 320 px, CPU", "resize", f"{LARGE}: CPU time", "vipsthumbnail", 1.35,
          "the floor is the decoder: djpeg alone takes nearly as long at the scale that is used, and what is left, 2 to 9 %, "
          "is the resampling; runs on this machine found 1.31 to 1.38"),
    Likeness("the same, likeness to Lanczos in linear light", "resize", f"{LARGE}, as PNG: mean SSIM", "vipsthumbnail"),
    Likeness("the same, worst", "resize", f"{LARGE}, as PNG: worst SSIM", "vipsthumbnail"),
    Ratio("1,000 addresses downloaded and resized, CPU", "resize", f"{ADDRESSES}: CPU time", "img2dataset", 5),
    Ratio("20,000 transfers of 40 KB, 16 at once, wall", "fetch", f"{TRANSFERS}: wall time", "curl --parallel", 0.95,
          "client and server share the cores, so that the next row's cost stands between"),
    Ratio("the same, CPU", "fetch", f"{TRANSFERS}: CPU time", "curl --parallel", 0.95,
          "the floor is libcurl's, libc's and the kernel's part, which is all that curl takes; ours copies each body once more, reads the "
          "head of each answer, and wakes a task for it"),
    Ratio("memory-cache hit, one thread", "cache", "hit, 1 thread, addresses", "NSCache", 5),
    Ratio("memory-cache hit, two threads, all together", "cache", "hit, 2 threads, addresses", "NSCache", 3),
    Difference("first picture from the disk cache, start included", "list",
               "list of 200 previews: until the first picture, second run", "do-nothing Swift", 30),
    Ratio("peak memory, 10,800x5,400 JPEG to 320 px", "resize", f"{MEMORY}: peak memory (VmHWM)", "vipsthumbnail", 1),
    Share("one photo down in a list, 120x40, bytes", "browse", "one item down, exact, with scroll region", "full repaint",
          0.25, other="full repaint, exact, with scroll region"),
)  # fmt: skip


def amount(result):
    """A value as people write it."""
    value, unit = result["value"], result["unit"]
    if unit == "SSIM":
        return f"{value:.3f}"
    if unit == "ms" and value >= 1000:
        value, unit = value / 1000, "s"
    if unit == "bytes" and value >= 1000:
        value, unit = value / 1000, "KB"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{digits}f} {unit}"


def table(results):
    """Of {(what, figure, what stands beside or nothing): result}: the table as Markdown, and whether every promise is kept."""
    lines, kept = ["| job | Spyglass | beside it | asked | found | |", "|---|---:|---|---:|---:|---|"], True
    for promise in PROMISES:
        row = promise.row(results)
        if row is None:
            lines.append(f"| {promise.job} | | {promise.rival} | | not measured | |")
            kept = False
            continue
        ours, theirs, asked, found, met = row
        kept &= met
        verdict = "met" if met else f"**not met**{promise.between and f': {promise.between}'}"
        lines.append(f"| {promise.job} | {amount(ours)} | {promise.rival}: {amount(theirs)} | {asked} | {found} | {verdict} |")
    return "\n".join([*lines, ""]), kept
