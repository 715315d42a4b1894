"""JPEG files that are cut, flipped or contradict themselves."""

import struct

import numpy as np

import jpeg
from jpeg_types import JPEG_TOLERANCE
from scene import HEIGHT, RGB, SEED, WIDTH


def complete_rows(whole, cut):
    """How many rows from the top of a cut file are as in the whole one."""
    same = (jpeg.decode(whole) == jpeg.decode(cut, cut=True)).all(axis=(1, 2))
    return len(same) if same.all() else int(same.argmin())


def make_damaged_jpeg(manifest):
    """Cut, flipped and contradictory JPEG files."""
    whole = {
        "444": jpeg.cjpeg(RGB, "-sample", "1x1"), "420": jpeg.cjpeg(RGB),
        "progressive": jpeg.cjpeg(RGB, "-progressive"), "restart": jpeg.cjpeg(RGB, "-restart", "1B"),
        "arithmetic": jpeg.cjpeg(RGB, "-arithmetic"),
    }  # fmt: skip
    full = {name: [(jpeg.decode(data), JPEG_TOLERANCE)] for name, data in whole.items()}

    def partial(name, kind, data, note):
        rows = complete_rows(whole[kind], data)
        manifest.add(f"damaged/{name}", data, note, expect="partial", rows=rows, expected=full[kind])

    for kind in ("444", "420", "restart"):
        start, end = jpeg.first(whole[kind], jpeg.SOS)
        for percent in (60, 85):
            cut = start + 14 + (end - start - 14) * percent // 100
            partial(f"cut-{kind}-{percent}.jpg", kind, whole[kind][:cut], f"{percent} % of the scan is there")
    for kind in ("444", "420", "progressive"):
        partial(f"no-eoi-{kind}.jpg", kind, whole[kind][:-2], "no EOI; every row is there")
        partial(f"last-byte-{kind}.jpg", kind, whole[kind][:-1], "the last byte is missing; every row is there")
    spans = [span for span in jpeg.segments(whole["progressive"]) if span[0] == jpeg.SOS]
    for count in (1, len(spans) // 2, len(spans) - 1):
        data = whole["progressive"][: spans[count - 1][2]]
        pixels = jpeg.decode(data, cut=True)
        manifest.add(
            f"damaged/cut-progressive-{count}-scans.jpg",
            data,
            "cut between scans: all rows, less detail; the "
            "tolerance is for the smoothing between blocks that versions of libjpeg-turbo do differently",
            expect="partial",
            rows=HEIGHT,
            expected=[(pixels, 16 if count == 1 else 3)],
        )
    data = whole["progressive"]
    manifest.any("damaged/cut-progressive-inside.jpg", data[: len(data) * 2 // 3], "cut inside a scan")

    for length, note in ((2, "SOI alone"), (20, "cut after JFIF's header"), (100, "cut inside DQT")):
        manifest.error(f"damaged/cut-{length}.jpg", whole["444"][:length], "truncated", note)
    start, _ = jpeg.first(whole["444"], jpeg.SOS)
    manifest.error(
        "damaged/cut-before-scan.jpg", whole["444"][: start + 14], "truncated", "the scan's header, no data: no row"
    )

    for kind, data in whole.items():
        start, end = jpeg.first(data, jpeg.SOS)
        random = np.random.default_rng(SEED)
        for bits in (1, 16):
            flipped = bytearray(data)
            for at in random.integers(start + 14, end, bits):
                flipped[at] ^= 1 << int(random.integers(0, 8))
            manifest.any(f"damaged/flipped-{kind}-{bits}.jpg", bytes(flipped), f"{bits} bit(s) of the scan flipped")
    for name, extra in (("zeros", bytes(500)), ("text", b"garbage \xff\xff\x00" * 40), ("second", whole["444"])):
        manifest.add(f"damaged/trailing-{name}.jpg", whole["420"] + extra, "bytes after EOI", expected=full["420"])

    plain = whole["444"]
    frame, _ = jpeg.first(plain, *jpeg.SOF)

    def error(name, file, kind, note):
        manifest.error(f"damaged/{name}.jpg", file, kind, note)

    error("no-quantization", jpeg.without(plain, jpeg.DQT), "corrupt", "no DQT")
    error("zero-width", jpeg.with_size(plain, 0, HEIGHT), "corrupt", "width 0")
    error("zero-height", jpeg.with_size(plain, WIDTH, 0), "corrupt", "height 0 (DNL)")
    error("bits-12", jpeg.patched(plain, frame + 4, b"\x0c"), "unsupported", "12 bits a sample announced")
    error("lossless", jpeg.patched(plain, frame + 1, b"\xc3"), "unsupported", "lossless process announced")
    error(
        "frame-short", jpeg.patched(plain, frame + 2, b"\0\x08"), "corrupt", "frame header shorter than its components"
    )
    error("sampling-0", jpeg.patched(plain, frame + 11, b"\0"), "corrupt", "sampling factors 0x0")
    error("no-frame", plain[:frame] + plain[frame + 19 :], "corrupt", "no frame header")
    error("two-frames", plain[: frame + 19] + plain[frame:], "corrupt", "two frame headers")
    tiny = jpeg.SOI + jpeg.segment(
        0xC0, struct.pack(">BHHB", 8, 65_500, 65_500, 3) + bytes.fromhex("012200021101031101")
    )
    scan = jpeg.segment(jpeg.SOS, bytes.fromhex("03010002110311003f00"))
    error("gigantic", tiny + scan + jpeg.EOI, "limit", "65,500 x 65,500 in a few bytes")
    error("gigantic-side", jpeg.with_size(plain, 65_535, 65_535), "limit", "sides above libjpeg's own 65,500")
    wide = jpeg.with_size(jpeg.cjpeg(RGB, "-progressive"), 9_900, 9_900)
    error("progressive-memory", wide, "limit", "98 M pixels of progressive coefficients (588 MB) from a small file")
    make_scan_bombs(manifest)


def make_scan_bombs(manifest):
    """Progressive files of exactly as many scans as are allowed, one more, and many more."""

    def scans(first, last):
        return [f"{component}: {at}-{at}, 0, 0;" for component in range(3) for at in range(first, last + 1)]

    start = ["0,1,2: 0-0, 0, 0;"]
    rest = scans(1, 63)
    hundred = jpeg.cjpeg_scans(RGB, "\n".join(start + rest[:99]), "-sample", "1x1")
    manifest.add("damaged/scans-100.jpg", hundred, "as many scans as are allowed", expected=[(jpeg.decode(hundred), 3)])
    others = jpeg.cjpeg_scans(RGB, "\n".join(start + rest[99:]), "-sample", "1x1")
    tail = [others[at:end] for kind, at, end in jpeg.segments(others) if kind in (jpeg.DHT, jpeg.SOS)][2:]
    for name, parts in (("101", tail[:2]), ("190", tail)):
        data = hundred[:-2] + b"".join(parts) + jpeg.EOI
        manifest.error(f"damaged/scans-{name}.jpg", data, "limit", f"{name} scans, each of them in order")
    # A first scan of these coefficients each time, with one warning: refining twice would be nonsense, and end by warnings.
    progressive = jpeg.cjpeg_scans(RGB, "\n".join(start + [f"{component}: 1-63, 0, 0;" for component in range(3)]))
    _, at, end = list(jpeg.segments(progressive))[-1]
    data = progressive[:-2] + progressive[at:end] * 120 + jpeg.EOI
    manifest.error("damaged/scans-repeated.jpg", data, "limit", "the last scan 120 times over")
