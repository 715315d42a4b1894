"""The targets of Spyglass, a row each, and what was measured."""

from dataclasses import dataclass

PREVIEW, PHOTOGRAPH = "one 640 px JPEG, 80x24 cells", "one 4000x3000 JPEG, 80x24 cells"
FAITHFUL = "faithful to an average of linear light, 60x30 cells"
SMALL, LARGE = "1,000 photographs, 640 to 160 px", "40 photographs, 4000 to 320 px"
ADDRESSES = "1,000 addresses on loopback, 640 to 160 px"
WEBP, CROP = "1,000 photographs, 640 to 160 px, as WebP", "1,000 photographs, 640 to 160 px, cut by attention"
PACKS = "10,000 addresses on loopback, 640 to 256 px, in tar files"
TRANSFERS = "20,000 transfers of 40 KB, HTTP/1.1, 16 at once"
TLS_TRANSFERS = "20,000 transfers of 40 KB, HTTP/2 over TLS, 16 at once"
SYMBOLS = "octants, 60x30 cells, SSIM with an average of linear light"
HALF_BLOCKS = "half-blocks, 60x30 cells"
KITTY = "kitty, 60x30 cells of 9x18 pixels"
SIXEL = "sixel, photographs of 400x300"
DISTANT = "colours, 60x30 cells, seen from a distance: mean"
IN_PROCESS = "in process (--sandbox off)"
MEMORY = "10,800x5,400 baseline JPEG to 320 px"
MANY_WEBP, ONE_WEBP = "1,000 WebP, 640 to 160 px", "one WebP, 640 to 160 px"
GIF, ANIMATION = "GIF, 26 frames of 920x596, all decoded", "playing a GIF, 300 frames of 480x360, 80x24 cells"
GRID_LINK = "key to first byte of its frame, 12 pictures, 100 ms and 5 Mbit/s"

#: The tools of the README's table with the versions that were measured: those of Debian 12, and of PyPI.
VERSIONS = {"catimg": "catimg 2.7", "chafa": "chafa 1.12", "chafa sextant": "chafa 1.12, sextants", "timg": "timg 1.4",
            "img2sixel": "img2sixel 1.10", "vipsthumbnail": "vipsthumbnail 8.14", "pyvips": "libvips 8.18 (pyvips)", "chafa.py": "chafa 1.14 (chafa.py)", "img2dataset": "img2dataset 1.47"}  # fmt: skip


@dataclass(frozen=True)
class Target:
    """A figure of ours and one of a reference. Each subclass says how the two compare."""

    job: str
    what: str
    figure: str
    rival: str
    #: The limit, in the unit of the subclass.
    limit: float = 0
    #: Why it is missed, where it is.
    between: str = ""
    #: What the README calls it; empty if it does not show it.
    plain: str = ""
    #: A figure of ours that takes the place of the reference's.
    other: str = ""

    def beside(self, results):
        """The figure of the reference."""
        return results.get((self.what, self.other, None) if self.other else (self.what, self.figure, self.rival))

    def row(self, results):
        """(ours, theirs, target, measured, whether it is met), or nothing where it was not measured."""
        ours, theirs = results.get((self.what, self.figure, None)), self.beside(results)
        return (ours, theirs, *self.judge(ours, theirs)) if ours and theirs else None


class Ratio(Target):
    """Ahead of a reference by a factor, at least."""

    def judge(self, _, theirs):
        """(target, measured, whether it is met)."""
        asked = f"{self.limit:g} times" if self.limit > 1 else f"{1 / self.limit:g} times as much at most"
        asked = {1: "ahead", 0.95: "parity within 5 %"}.get(self.limit, asked)
        return asked, f"{theirs['ratio']:.2f} times", theirs["ratio"] >= self.limit


class Difference(Target):
    """Above a yardstick by an amount, at most."""

    def judge(self, ours, theirs):
        """As `Ratio.judge`."""
        more, unit = ours["value"] - theirs["value"], ours["unit"]
        return f"{self.limit:g} {unit} more at most", f"{more:.1f} {unit} more", more < self.limit


class Likeness(Target):
    """Above a reference by an amount, or not below it, in a unit without a natural zero: decibels, SSIM."""

    def judge(self, ours, theirs):
        """As `Ratio.judge`."""
        more = ours["value"] - theirs["value"]
        asked = f"{self.limit:+g}" if self.limit else "not worse"
        return asked, f"{more:+.3f}" if ours["unit"] == "SSIM" else f"{more:+.1f} {ours['unit']}", more >= self.limit


class AtMost(Target):
    """A figure with a limit of its own; the reference only stands beside it."""

    def judge(self, ours, _):
        """As `Ratio.judge`."""
        return f"{self.limit:g} {ours['unit']} at most", amount(ours), ours["value"] <= self.limit


class Share(Target):
    """A share of another figure of ours, at most."""

    def judge(self, ours, whole):
        """As `Ratio.judge`."""
        share = ours["value"] / whole["value"]
        return f"{100 * self.limit:g} % at most", f"{100 * share:.0f} %", share <= self.limit


TARGETS = (
    Ratio("`show` one 640 px JPEG in 80x24 cells, CPU", "show", f"{PREVIEW}: CPU time", "catimg", 1.6,
          "a start is half of it: 130 of 420 page faults are those of relocated addresses, loading the codecs is a tenth, and the lock takes 0.3 ms", plain="show a small JPEG (640 pixels wide): processor time"),
    AtMost("the same, page faults", "show", f"{PREVIEW}: page faults", "catimg", 250,
           "130 are pages of relocated addresses, most of them of Swift's types; the runtime's memory takes 91, libraries and the loader 76"),
    *(Ratio("`show` one 4000 px JPEG, CPU", "show", f"{PHOTOGRAPH}: CPU time", rival, 3, plain="show a 12-megapixel JPEG: processor time")
      for rival in ("chafa", "timg")),
    Likeness("colour accuracy (PSNR in linear light, 60 columns), mean", "show", f"{FAITHFUL}: mean", "chafa",
             plain="colours of half-blocks: accuracy"),
    Likeness("the same, worst", "show", f"{FAITHFUL}: worst", "chafa"),
    Likeness("octants, 60 columns, SSIM with NASA photographs, mean", "pixels", f"{SYMBOLS}: mean", "chafa sextant",
             plain="shapes of the finest symbols: accuracy, 1 is the photograph"),
    *(Likeness("the same", "pixels", f"{SYMBOLS}: mean", rival) for rival in ("chafa half", "chafa quad", "chafa.py all")),
    Likeness("the same", "pixels", f"{SYMBOLS}: mean", "our half-blocks", 0.05),
    Ratio("octants, CPU", "pixels", "octants, one 640 px JPEG, 60x30 cells: CPU time", "chafa all", 3),
    Likeness("half-blocks, SSIM with NASA photographs, mean", "pixels", f"{HALF_BLOCKS}, SSIM with an average of linear light: mean", "chafa half"),
    Ratio("kitty to a pipe, same pixels, bytes", "pixels", f"{KITTY}: bytes, mean", "timg", 1 / 1.05),
    Ratio("kitty to a pipe, same pixels, CPU", "pixels", f"{KITTY}, one 640 px JPEG: CPU time", "timg", 1, plain="show a small JPEG in kitty's pixels: processor time"),
    Likeness("sixel, PSNR, mean", "pixels", f"{SIXEL}, PSNR: mean", "img2sixel"),
    Ratio("sixel, CPU", "pixels", f"{SIXEL}, 12 of them: CPU time", "img2sixel", 2, plain="show twelve images in sixel: processor time"),
    AtMost("16 colours, distance in Oklab", "pixels", f"16 {DISTANT}", "chafa", 0.035),
    AtMost("256 colours, distance in Oklab", "pixels", f"256 {DISTANT}", "chafa", 0.006),
    Ratio("1,000 thumbnails, 640 to 160 px, CPU", "resize", f"{SMALL}: CPU time", "vipsthumbnail", 4.5,
          "libjpeg takes 53 %, the kernel 12 % (files, waking threads), Lanczos in linear light 19 %", plain="make 1,000 thumbnails: processor time"),
    Ratio("the same, decoded in workers, CPU", "resize", f"{SMALL}: CPU time", IN_PROCESS, 0.95,
          "two messages and two switches of processes an image"),
    Ratio("40 photographs, 4000 to 320 px, CPU", "resize", f"{LARGE}: CPU time", "vipsthumbnail", 1.35,
          "the floor is the decoder: djpeg alone takes as long at the same scale"),
    Ratio("the same, decoded in workers, CPU", "resize", f"{LARGE}: CPU time", IN_PROCESS, 0.95),
    Ratio("the same, beside its decoder alone", "resize", f"{LARGE}: CPU time", "djpeg -scale 1/4", 1 / 1.1),
    Likeness("the same, likeness to Lanczos in linear light", "resize", f"{LARGE}, as PNG: mean SSIM", "vipsthumbnail"),
    Likeness("the same, worst", "resize", f"{LARGE}, as PNG: worst SSIM", "vipsthumbnail"),
    Ratio("1,000 thumbnails as WebP, quality 80, CPU", "resize", f"{WEBP}: CPU time", "vipsthumbnail", 1),
    Ratio("the same, bytes at equal SSIM", "resize", "100 photographs, 640 to 160 px, as WebP: bytes at equal SSIM", "vipsthumbnail", 1),
    Ratio("1,000 thumbnails cut by attention, CPU", "resize", f"{CROP}: CPU time", "at the centre", 1 / 1.15),
    Ratio("1,000 addresses downloaded and resized, CPU", "resize", f"{ADDRESSES}: CPU time", "img2dataset", 5,
          plain="download 1,000 images and make them smaller: processor time"),
    Ratio("10,000 addresses downloaded and resized into tar files, CPU", "resize", f"{PACKS}: CPU time", "img2dataset", 5,
          "from 640 to 256 px no reduced scale is fine enough: libjpeg takes 45 %, Lanczos in linear light 40 % of what is not the transfer"),
    Ratio("the same, wall", "resize", f"{PACKS}: wall time", "as files", 1),
    Ratio("20,000 transfers of 40 KB, 16 at once, wall", "fetch", f"{TRANSFERS}: wall time", "curl --parallel", 1),
    Ratio("the same, CPU", "fetch", f"{TRANSFERS}: CPU time", "bare libcurl", 1 / 1.25,
          "the bare client is the floor, of libcurl, libc and the kernel; of the 46,000 instructions above its 106,000, 9,000 are libcurl's for "
          "what Spyglass sends and checks, 17,000 address and header, 10,000 the loop, 7,000 tasks that another thread resumes"),
    Ratio("the same over HTTP/2 and TLS, CPU", "fetch", f"{TLS_TRANSFERS}: CPU time", "curl --parallel", 1),
    Ratio("memory-cache hit, one thread", "cache", "hit, 1 thread, addresses", "NSCache", 5),
    Ratio("memory-cache hit, two threads, all together", "cache", "hit, 2 threads, addresses", "NSCache", 3),
    Share("the same beside one thread", "cache", "hit, 2 threads, addresses", "one thread", 0.8, other="hit, 1 thread, addresses"),
    Difference("first picture from the disk cache, start included", "list",
               "list of 200 previews: until the first picture, second run", "do-nothing Swift", 30),
    Ratio("peak memory, 10,800x5,400 JPEG to 320 px", "resize", f"{MEMORY}: peak memory (VmHWM)", "vipsthumbnail", 1,
          plain="make a thumbnail of a 58-megapixel JPEG: memory"),
    Share("bytes sent when moving down one photo (120x40)", "browse", "one item down, exact, with scroll region", "full repaint",
          0.25, other="full repaint, exact, with scroll region"),
    Ratio(GIF, "formats", GIF, "giflib", 3),
    *(Ratio(f"{name}, 12 megapixels to 320 px, CPU", "formats", f"{name.upper()}, 12 megapixels to 320 px: CPU time", "vipsthumbnail", limit)
      for name, limit in (("WebP", 1), ("AVIF", 1), ("HEIC", 0.95))),
    Ratio("WebP, 12 megapixels to 320 px, peak memory (Pss, of all processes)", "formats",
          "WEBP, 12 megapixels to 320 px: peak memory (Pss, of all processes)", "vipsthumbnail", 3,
          "two processes share the program, whose pages are most of it"),
    Ratio(f"{MANY_WEBP}, in workers, CPU", "formats", f"{MANY_WEBP}: CPU time", IN_PROCESS, 0.95),
    Difference("the first of them, wall", "formats", f"{ONE_WEBP}: wall time", IN_PROCESS, 5),
    Ratio(f"{ANIMATION}, CPU", "formats", f"{ANIMATION}: CPU time", "timg", 1),
    AtMost("the same, peak memory", "formats", f"{ANIMATION}: peak memory (VmHWM)", "timg", 26),
    Difference("12 animations in a grid, 100 ms and 5 Mbit/s: key to first byte of its frame, 99 of 100", "formats",
               f"{GRID_LINK}, moving: p99", "still pictures", 20, other=f"{GRID_LINK}, still: p99"),
)  # fmt: skip


def amount(result):
    """A value with its unit, rounded for reading."""
    value, unit = result["value"], result["unit"]
    if unit == "SSIM":
        return f"{value:.3f}"
    if unit == "Oklab":
        return f"{value:.4f}"
    if unit == "ms" and value >= 1000:
        value, unit = value / 1000, "s"
    if unit == "bytes" and value >= 1000:
        value, unit = value / 1000, "KB"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{digits}f} {unit}"


def table(results):
    """The table as Markdown, and whether every target is met. `results`: {(what, figure, reference or nothing): result}."""
    lines, met_all = ["| job | Spyglass | reference | target | measured | |", "|---|---:|---|---:|---:|---|"], True
    for target in TARGETS:
        row = target.row(results)
        if row is None:
            lines.append(f"| {target.job} | | {target.rival} | | not measured | |")
            met_all = False
            continue
        ours, theirs, asked, found, met = row
        met_all &= met
        verdict = "met" if met else f"**missed**{target.between and f': {target.between}'}"
        lines.append(f"| {target.job} | {amount(ours)} | {target.rival}: {amount(theirs)} | {asked} | {found} | {verdict} |")
    return "\n".join([*lines, ""]), met_all


def summary(results):
    """The rows that people choose by, as Markdown, in plain words and with versions."""
    rows = ((target, target.row(results)) for target in TARGETS if target.plain)
    lines = [f"| {target.plain} | {amount(row[0])} | {VERSIONS[target.rival]}: {amount(row[1])} | {row[3]} |" for target, row in rows if row]
    return "\n".join(["| job | Spyglass | other tool | Spyglass is better by |", "|---|---:|---|---:|", *lines, ""])
