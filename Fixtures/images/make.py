"""Makes every picture of this folder, what decoders should see in it, and manifest.json. See README.md.

python3 -m venv Fixtures/.venv && Fixtures/.venv/bin/pip install -r Fixtures/requirements.txt
Fixtures/.venv/bin/python Fixtures/images/make.py     (needs cjpeg and djpeg: libjpeg-turbo-progs)
"""

import json
import shutil
import struct
import zlib
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

import jpeg
import png
import reference
from scene import HEIGHT, SEED, WIDTH, levels, scene

FOLDER = Path(__file__).parent
SMALL = (10, 8)  # no whole ratio either way
PNG_TOLERANCE = 1  # rounding of the last step
JPEG_TOLERANCE = 2  # rounding in the inverse DCT and the colour conversion, which the standard leaves free
PICTURE = scene()
RGB = levels(PICTURE[..., :3], 8).astype(np.uint8)


class Manifest:
    """Collects the entries and writes the files; equal expectations share one file."""

    def __init__(self):
        self.entries = []
        self.written = {}

    def expectation(self, name, pixels, tolerance):
        """Stores expected pixels once and answers their entry."""
        size = (pixels.shape[1], pixels.shape[0])
        key = (size, pixels.tobytes())
        if key not in self.written:
            self.written[key] = f"expected/{name.replace('/', '-')}-{size[0]}x{size[1]}.rgba"
            write(self.written[key], pixels.tobytes())
        return {"size": list(size), "file": self.written[key], "tolerance": tolerance}

    def add(self, file, data, note, *, size=(WIDTH, HEIGHT), expect="whole", expected=(), **more):
        """One fixture; `expected` are (pixels, tolerance) pairs, the full size first."""
        write(file, data)
        kind = "png" if data[:4] == png.SIGNATURE[:4] else "jpeg" if data[:2] == jpeg.SOI else "other"
        entry = {"file": file, "format": kind, "width": size[0], "height": size[1], "orientation": 1}
        entry |= {"expect": expect} | more
        entry["expected"] = [self.expectation(file, pixels, tolerance) for pixels, tolerance in expected]
        self.entries.append(entry | {"note": note})

    def error(self, file, data, kind, note):
        """One fixture that has no picture to show."""
        self.add(file, data, note, size=(0, 0), expect="error", error_kind=kind)

    def any(self, file, data, note):
        """One fixture where every answer is right that is an answer."""
        self.add(file, data, note, size=(0, 0), expect="any")

    def save(self):
        """Writes manifest.json, one entry a line."""
        lines = ",\n".join(json.dumps(entry) for entry in sorted(self.entries, key=lambda entry: entry["file"]))
        write("manifest.json", f"[\n{lines}\n]\n".encode())


def write(name, data):
    """Writes a file of this folder."""
    path = FOLDER / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)


# PNG ------------------------------------------------------------------------------------------------------------


def to_rgba8(samples, depth, colour, transparent=None, palette=None):
    """The pixels that PNG samples mean, as RGBA bytes; `transparent` is the tRNS colour."""
    if colour == png.PALETTE:
        return palette[samples[..., 0]].astype(np.uint8)
    top = 2**depth - 1
    scaled = ((samples * 255 * 2 + top) // (2 * top)).astype(np.uint8)
    rgb = scaled[..., [0, 0, 0]] if colour in (png.GREY, png.GREY_ALPHA) else scaled[..., :3]
    alpha = np.full(rgb.shape[:2], 255, np.uint8)
    if colour in (png.GREY_ALPHA, png.RGBA):
        alpha = scaled[..., -1]
    if transparent is not None:
        alpha = np.where((samples == transparent).all(axis=2), 0, 255).astype(np.uint8)
    return np.dstack([rgb, alpha])


def png_expectations(rgba, gamma=None):
    """Full size and small."""
    small = reference.area_average(rgba, SMALL, gamma)
    return [(reference.full_size(rgba, gamma), PNG_TOLERANCE), (small, PNG_TOLERANCE)]


def png_samples(depth, colour, picture=PICTURE):
    """The scene in the channels of a colour type."""
    grey = picture[..., :3].mean(axis=2, keepdims=True)
    channels = {
        png.GREY: [grey],
        png.RGB: [picture[..., :3]],
        png.PALETTE: [grey],
        png.GREY_ALPHA: [grey, picture[..., 3:]],
        png.RGBA: [picture],
    }
    return levels(np.concatenate(channels[colour], axis=2), depth)


def random_palette(depth, transparent):
    """2^depth random colours as RGBA; the first `transparent` of them have an alpha of their own, 0 first."""
    random = np.random.default_rng(SEED + depth)
    palette = random.integers(0, 256, (2**depth, 4))
    palette[transparent:, 3] = 255
    palette[:1, 3] = 0 if transparent else 255
    return palette


def palette_chunks(palette, transparent):
    """PLTE, and a tRNS that is shorter than the palette."""
    chunks = [png.chunk(b"PLTE", palette[:, :3].astype(np.uint8).tobytes())]
    if transparent:
        chunks.append(png.chunk(b"tRNS", palette[:transparent, 3].astype(np.uint8).tobytes()))
    return chunks


def make_png_types(manifest):
    """Every colour type and depth, plain and interlaced, with and without tRNS."""
    names = {png.GREY: "grey", png.RGB: "rgb", png.PALETTE: "palette", png.GREY_ALPHA: "grey-alpha", png.RGBA: "rgba"}
    depths = {png.GREY: (1, 2, 4, 8, 16), png.PALETTE: (1, 2, 4, 8)}
    for colour, name in names.items():
        for depth in depths.get(colour, (8, 16)):
            samples = png_samples(depth, colour)
            for with_trns in (False, True) if colour in (png.GREY, png.RGB, png.PALETTE) else (False,):
                chunks, palette, transparent = [], None, None
                if colour == png.PALETTE:
                    count = max(1, 2**depth // 2) if with_trns else 0
                    palette = random_palette(depth, count)
                    chunks = palette_chunks(palette, count)
                elif with_trns:
                    transparent = samples[HEIGHT // 2, WIDTH // 2]
                    chunks = [png.chunk(b"tRNS", transparent.astype(">u2").tobytes())]
                expected = png_expectations(to_rgba8(samples, depth, colour, transparent, palette))
                for interlaced in (False, True) if depth == 8 or not with_trns else (False,):
                    file = f"png/{name}-{depth}{'-trns' * with_trns}{'-adam7' * interlaced}.png"
                    data = png.encode(samples, depth, colour, interlaced=interlaced, before=chunks, idat_size=700)
                    note = f"colour type {colour}, depth {depth}" + ", tRNS" * with_trns + ", Adam7" * interlaced
                    manifest.add(file, data, note, expected=expected)


def make_png_gamma(manifest):
    """gAMA where it matters and where it does not."""
    rgb, rgba = png_samples(8, png.RGB), png_samples(8, png.RGBA)

    def add(name, samples, depth, colour, gamma, before, note, palette=None):
        pixels = to_rgba8(samples, depth, colour, palette=palette)
        data = png.encode(samples, depth, colour, before=before)
        manifest.add(f"png/gamma-{name}.png", data, note, expected=png_expectations(pixels, gamma))

    add("1.0", rgb, 8, png.RGB, 1.0, [png.gama(1.0)], "gAMA 1.0: samples are linear light")
    add("0.6", rgb, 8, png.RGB, 0.6, [png.gama(0.6)], "gAMA 0.6: light = value ^ (1 / 0.6)")
    add("0.45455", rgb, 8, png.RGB, None, [png.gama(0.45455)], "gAMA 0.45455 is how sRGB is declared: counts as sRGB")
    add("rgba-1.0", rgba, 8, png.RGBA, 1.0, [png.gama(1.0)], "gAMA 1.0; alpha is never gamma-encoded")
    grey16 = png_samples(16, png.GREY)
    add("grey-16-1.0", grey16, 16, png.GREY, 1.0, [png.gama(1.0)], "gAMA 1.0, 16 bits: to 8 bits first, then to light")
    palette = random_palette(4, 0)
    chunks = [png.gama(1.0), *palette_chunks(palette, 0)]
    add("palette-1.0", png_samples(4, png.PALETTE), 4, png.PALETTE, 1.0, chunks, "gAMA 1.0, palette", palette)
    srgb = [png.chunk(b"sRGB", b"\0"), png.gama(1.0)]
    add("srgb-wins", rgb, 8, png.RGB, None, srgb, "sRGB overrides a contradicting gAMA")
    broken = [png.chunk(b"gAMA", struct.pack(">I", 100_000), wrong_crc=True)]
    add("crc", rgb, 8, png.RGB, None, broken, "gAMA with a wrong CRC is left out")
    add("zero", rgb, 8, png.RGB, None, [png.chunk(b"gAMA", bytes(4))], "gAMA 0 means nothing")


def make_png_odd(manifest):
    """Right files that are easy to get wrong."""
    for width, height in ((1, 1), (1, 27), (33, 1), (3, 3), (5, 2)):
        samples = png_samples(8, png.RGBA, scene(width, height))
        for interlaced in (False, True):
            data = png.encode(samples, 8, png.RGBA, interlaced=interlaced)
            expected = [(reference.full_size(samples.astype(np.uint8)), PNG_TOLERANCE)]
            file = f"png/size-{width}x{height}{'-adam7' * interlaced}.png"
            note = "small" + ", Adam7 with empty passes" * interlaced
            manifest.add(file, data, note, size=(width, height), expected=expected)

    near = np.array([[[0x1234], [0x1235], [0x1334], [0x1234]]])
    expected = [(reference.full_size(to_rgba8(near, 16, png.GREY, np.array([0x1234]))), PNG_TOLERANCE)]
    data = png.encode(near, 16, png.GREY, before=[png.chunk(b"tRNS", b"\x12\x34")])
    note = "tRNS compares all 16 bits: 0x1235 is opaque"
    manifest.add("png/trns-16-near.png", data, note, size=(4, 1), expected=expected)

    ramp = np.arange(0, 65_536, 257 // 2)[:510].reshape(15, 34, 1)
    expected = [(reference.full_size(to_rgba8(ramp, 16, png.GREY)), 0)]
    manifest.add(
        "png/grey-16-ramp.png",
        png.encode(ramp, 16, png.GREY),
        "16 bits are rounded: (v * 255 + 32767) / 65535",
        size=(34, 15),
        expected=expected,
    )

    rgb = png_samples(8, png.RGB)
    pixels = to_rgba8(rgb, 8, png.RGB)
    expected = png_expectations(pixels)
    manifest.add(
        "png/idat-9.png", png.encode(rgb, 8, png.RGB, idat_size=9), "IDAT chunks of nine bytes", expected=expected
    )
    animation = [
        png.chunk(b"acTL", struct.pack(">II", 2, 0)),
        png.chunk(b"fcTL", struct.pack(">IIIIIHHBB", 0, WIDTH, HEIGHT, 0, 0, 1, 10, 0, 0)),
    ]
    data = png.encode(rgb, 8, png.RGB, before=animation)
    second = png.chunk(b"fdAT", struct.pack(">I", 1) + zlib.compress(b"\0"))
    manifest.add("png/apng.png", data[:-12] + second + data[-12:], "APNG: the default picture", expected=expected)
    data = png.encode(rgb, 8, png.RGB, before=[png.chunk(b"eXIf", jpeg.tiff(6, ">"))])
    turned = np.rot90(pixels, -1)
    expected = [(turned, PNG_TOLERANCE), (reference.area_average(turned, SMALL[::-1]), PNG_TOLERANCE)]
    manifest.add("png/exif-6.png", data, "eXIf chunk with orientation 6", expected=expected, orientation=6)

    line = np.tile(np.array([0, 1, 1, 0, 0]), 13_107)[None, :, None]
    expected = [(reference.area_average(to_rgba8(line, 1, png.GREY), (64, 1)), PNG_TOLERANCE)]
    manifest.add(
        "png/side-65535.png",
        png.encode(line, 1, png.GREY),
        "the widest side that is allowed",
        size=(65_535, 1),
        expected=expected,
    )


# JPEG -----------------------------------------------------------------------------------------------------------


def largest_difference(one, other):
    """The largest difference of any byte."""
    return int(np.abs(one.astype(int) - other.astype(int)).max())


def jpeg_expectations(file, size=SMALL, *, full=True, scales=("1/1",), decoder_can_vary=True):
    """Full size, and small with a tolerance measured on what a decoder may leave out when it reduces.

    A reducing decoder may upsample chroma without interpolation (djpeg -nosmooth) and decode at a reduced DCT scale.
    """
    pixels = jpeg.decode(file)
    small = reference.area_average(pixels, size)
    tolerance = JPEG_TOLERANCE
    if decoder_can_vary:
        variants = [jpeg.djpeg(file, "-nosmooth", "-scale", scale) for scale in scales]
        measured = max(largest_difference(small, reference.area_average(variant, size)) for variant in variants)
        tolerance = max(tolerance, measured + 1)
    return [(pixels, JPEG_TOLERANCE)] * full + [(small, tolerance)]


def make_jpeg_types(manifest):
    """Every sampling, coding process and colour space."""
    kinds = {
        "444": ("-sample", "1x1"), "422": ("-sample", "2x1"), "440": ("-sample", "1x2"), "420": ("-sample", "2x2"),
        "411": ("-sample", "4x1"), "410": ("-sample", "4x2"), "odd-3x1": ("-sample", "3x1"),
        "grey": ("-grayscale",), "grey-2x2": ("-grayscale", "-sample", "2x2"), "rgb": ("-rgb", "-sample", "1x1"),
        "optimized": ("-optimize",), "progressive-420": ("-progressive",), "progressive-grey": ("-progressive", "-grayscale"),
        "progressive-410": ("-progressive", "-sample", "4x2"), "arithmetic": ("-arithmetic",),
        "arithmetic-progressive": ("-arithmetic", "-progressive"),
        "restart-blocks": ("-restart", "2B"), "restart-rows": ("-restart", "1"),
        "restart-progressive": ("-restart", "1B", "-progressive"),
    }  # fmt: skip
    for name, options in kinds.items():
        data = jpeg.cjpeg(RGB, *options)
        manifest.add(f"jpeg/{name}.jpg", data, "cjpeg " + " ".join(options), expected=jpeg_expectations(data))

    data = jpeg.cjpeg_scans(RGB, "0;1;2;")
    manifest.add(
        "jpeg/sequential-scans.jpg", data, "sequential, a scan for each component", expected=jpeg_expectations(data)
    )
    data = jpeg.without(jpeg.cjpeg(RGB), jpeg.DHT)
    manifest.add(
        "jpeg/no-huffman-tables.jpg",
        data,
        "no DHT: the standard's tables, as Motion JPEG",
        expected=jpeg_expectations(data),
    )
    stored = np.dstack([RGB, 255 - RGB[..., 1] // 3])
    for name, ycck in (("cmyk", False), ("ycck", True)):
        data = jpeg.cmyk(stored, ycck=ycck)
        manifest.add(
            f"jpeg/{name}.jpg",
            data,
            f"{name.upper()}, Adobe's inverted samples",
            expected=jpeg_expectations(data, decoder_can_vary=False),
        )
    for width, height in ((1, 1), (8, 8), (17, 1), (1, 17)):
        data = jpeg.cjpeg(levels(scene(width, height)[..., :3], 8).astype(np.uint8))
        manifest.add(
            f"jpeg/size-{width}x{height}.jpg",
            data,
            "small, 4:2:0",
            size=(width, height),
            expected=[(jpeg.decode(data), JPEG_TOLERANCE)],
        )
    large = levels(scene(240, 180)[..., :3], 8).astype(np.uint8)
    for name, options in (("large-420", ()), ("large-progressive", ("-progressive",))):
        data = jpeg.cjpeg(large, *options, quality=80)
        manifest.add(
            f"jpeg/{name}.jpg",
            data,
            "large enough for DCT scale 1/2",
            size=(240, 180),
            expected=jpeg_expectations(data, (20, 15), full=False, scales=("1/1", "1/2")),
        )
    small = jpeg.cjpeg(RGB)
    filled = small.replace(b"\xff\xda", b"\xff\xff\xff\xff\xda", 1)
    manifest.add("jpeg/fill-bytes.jpg", filled, "fill bytes before a marker", expected=jpeg_expectations(small))


def make_exif(manifest):
    """EXIF orientation in both byte orders, where it is usual and where it is not, and damaged EXIF."""
    plain = jpeg.cjpeg(RGB, "-sample", "1x1")

    def add(name, segments, orientation, note):
        data = jpeg.inserted(plain, *segments)
        upright = Image.fromarray(jpeg.decode(plain)[..., :3])
        upright.getexif()[0x0112] = orientation
        pixels = np.asarray(ImageOps.exif_transpose(upright).convert("RGBA"))
        size = SMALL if orientation < 5 else SMALL[::-1]
        expected = [(pixels, JPEG_TOLERANCE), (reference.area_average(pixels, size), JPEG_TOLERANCE)]
        manifest.add(f"exif/{name}.jpg", data, note, orientation=orientation, expected=expected)

    for orientation in range(1, 9):
        for order, name in (("<", "little"), (">", "big")):
            add(f"{orientation}-{name}", [jpeg.exif(jpeg.tiff(orientation, order))], orientation, f"{name}-endian")
    xmp = jpeg.segment(jpeg.APP1, b"http://ns.adobe.com/xap/1.0/\0<x/>")
    add("after-xmp", [xmp, jpeg.exif(jpeg.tiff(6))], 6, "EXIF in the second APP1, after XMP")
    add(
        "ifd-at-20", [jpeg.exif(jpeg.tiff(6, ifd=20)[:8] + bytes(12) + jpeg.tiff(6)[8:])], 6, "IFD away from the header"
    )
    for value in (0, 9, 65_535):
        add(f"value-{value}", [jpeg.exif(jpeg.tiff(value))], 1, "orientation out of range counts as 1")
    add("ifd-beyond", [jpeg.exif(jpeg.tiff(6, ifd=0xFFFFFFF0))], 1, "IFD offset far outside")
    add("ifd-in-header", [jpeg.exif(jpeg.tiff(6, ifd=0))], 1, "IFD offset points at the header")
    add("cut", [jpeg.exif(jpeg.tiff(6)[:20])], 1, "EXIF ends inside its first entry")
    add("no-tiff", [jpeg.exif(b"")], 1, "EXIF without a TIFF header")
    add("kind", [jpeg.exif(jpeg.tiff(6, kind=2))], 1, "Orientation as text counts as none")
    add("entries", [jpeg.exif(jpeg.tiff(6)[:8] + b"\xff\xff")], 1, "65,535 entries announced, none there")


# Damage ---------------------------------------------------------------------------------------------------------


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
    progressive = jpeg.cjpeg(RGB, "-progressive")
    _, at, end = list(jpeg.segments(progressive))[-1]
    data = progressive[:-2] + progressive[at:end] * 120 + jpeg.EOI
    manifest.error("damaged/scans-repeated.jpg", data, "limit", "the last scan 120 times over")


def make_damaged_png(manifest):
    """Cut, flipped and contradictory PNG files."""
    rgb = png_samples(8, png.RGB)
    pixels = to_rgba8(rgb, 8, png.RGB)
    full = [(pixels, PNG_TOLERANCE)]
    data = png.encode(rgb, 8, png.RGB, idat_size=200)
    spans = png.idat_spans(data)
    row_bytes = WIDTH * 3

    def partial(name, file, rows, note):
        manifest.add(f"damaged/{name}.png", file, note, expect="partial", rows=rows, expected=full)

    for share in (3, 6):
        kept = spans[: len(spans) * share // 8]
        rows = png.rows_in(b"".join(data[start:end] for start, end in kept), row_bytes)
        partial(f"cut-{share}-8-between", data[: kept[-1][1] + 4], rows, "cut between IDAT chunks")
        partial(
            f"cut-{share}-8-inside",
            data[: kept[-1][1] + 112],
            rows,
            "cut inside an IDAT: at least what the ones before hold",
        )
    partial("no-iend", data[:-12], HEIGHT, "no IEND; every row is there")
    partial("last-byte", data[:-1], HEIGHT, "the last byte is missing; every row is there")
    woven = png.encode(rgb, 8, png.RGB, interlaced=True, idat_size=200)
    manifest.any("damaged/cut-adam7-early.png", woven[: len(woven) // 3], "cut in an early pass: no row is complete")
    kept = png.idat_spans(woven)[:-3]
    raw = zlib.decompressobj().decompress(b"".join(woven[start:end] for start, end in kept))
    odd_rows = len(raw) - sum(len(png.filtered(rgb[y::down, x::right], 8)) for x, y, right, down in png.PASSES[:6])
    partial("cut-adam7-late", woven[: kept[-1][1] + 4], 1 + 2 * (odd_rows // (row_bytes + 1)), "cut in the last pass")

    tall = png_samples(8, png.RGB, np.random.default_rng(SEED).random((80, 48, 4)))
    data_tall = png.encode(tall, 8, png.RGB)
    start, end = png.idat_spans(data_tall)[0]
    cut = start + (end - start) * 9 // 10
    rows = png.rows_in(data_tall[start : start + 8192], 48 * 3)  # 8192: what libpng reads of an IDAT at a time
    manifest.add(
        "damaged/cut-one-idat.png",
        data_tall[:cut],
        "cut inside its only IDAT: at least the rows of its first 8 KiB",
        size=(48, 80),
        expect="partial",
        rows=rows,
        expected=[(to_rgba8(tall, 8, png.RGB), PNG_TOLERANCE)],
    )

    def error(name, file, kind, note):
        manifest.error(f"damaged/{name}.png", file, kind, note)

    for length, note in (
        (12, "signature and a length"),
        (20, "cut inside IHDR"),
        (33, "cut after IHDR"),
        (50, "cut in the first IDAT"),
    ):
        error(f"cut-{length}", data[:length], "truncated", note)

    def whole(header=None, *before, samples=rgb, wrong=None):
        file = png.encode(samples, 8, png.RGB, before=before, header=header)
        return file if wrong is None else file[:wrong] + bytes([file[wrong] ^ 1]) + file[wrong + 1 :]

    error("crc-ihdr", whole(wrong=29), "corrupt", "wrong CRC of IHDR")
    error(
        "crc-idat", data[: spans[2][1]] + bytes(4) + data[spans[2][1] + 4 :], "corrupt", "wrong CRC of the third IDAT"
    )
    manifest.add(
        "damaged/crc-ancillary.png",
        whole(None, png.chunk(b"tEXt", b"Title\0x", wrong_crc=True)),
        "wrong CRC of tEXt: left out",
        expected=full,
    )
    manifest.any(
        "damaged/adler.png",
        assemble(zlib.compress(png.scanlines(rgb, 8, False))[:-4] + bytes(4)),
        "wrong checksum at the end of zlib's stream",
    )
    random = np.random.default_rng(SEED)
    for bits in (1, 16):
        flipped = bytearray(data)
        for at in random.integers(spans[0][0] + 20, spans[-1][1], bits):
            flipped[at] ^= 1 << int(random.integers(0, 8))
        manifest.any(f"damaged/flipped-{bits}.png", bytes(flipped), f"{bits} bit(s) flipped, CRC as before")
    bad_filter = zlib.compress(bytes([9]) + png.scanlines(rgb, 8, False)[1:])
    error("filter-9", assemble(bad_filter), "corrupt", "filter type 9")
    error("not-zlib", assemble(b"not a zlib stream"), "corrupt", "IDAT that is not zlib")
    manifest.any(
        "damaged/short-data.png", whole(png.ihdr(WIDTH, HEIGHT + 13)), "IHDR announces 13 rows that are not there"
    )

    good = (WIDTH, HEIGHT)
    headers = {
        "depth-3": png.ihdr(*good, depth=3), "depth-4-rgb": png.ihdr(*good, depth=4), "depth-0": png.ihdr(*good, depth=0),
        "colour-1": png.ihdr(*good, colour=1), "colour-7": png.ihdr(*good, colour=7),
        "compression-1": png.ihdr(*good, compression=1), "filtering-1": png.ihdr(*good, filtering=1),
        "interlace-2": png.ihdr(*good, interlace=2), "zero-width": png.ihdr(0, HEIGHT), "zero-height": png.ihdr(WIDTH, 0),
        "width-2-31": png.ihdr(2**31, HEIGHT), "width-max": png.ihdr(2**32 - 1, 2**32 - 1), "short": png.ihdr(*good)[:12],
        "long": png.ihdr(*good) + b"\0", "palette-missing": png.ihdr(*good, colour=png.PALETTE),
    }  # fmt: skip
    for name, header in headers.items():
        error(f"ihdr-{name}", whole(header), "corrupt", "IHDR: " + name.replace("-", " "))
    for name, size in (("900m", (30_000, 30_000)), ("side", (65_536, 1)), ("2-31", (2**31 - 1, 2**31 - 1))):
        file = (
            png.SIGNATURE
            + png.chunk(b"IHDR", png.ihdr(*size))
            + png.chunk(b"IDAT", zlib.compress(b""))
            + png.chunk(b"IEND")
        )
        error(f"gigantic-{name}", file, "limit", f"{size[0]} x {size[1]} in {len(file)} bytes")
    text = png.chunk(b"tEXt", b"Title\0x")
    error("ihdr-second", png.SIGNATURE + text + whole()[8:], "corrupt", "IHDR is not the first chunk")
    error("no-idat", whole()[:33] + png.chunk(b"IEND"), "corrupt", "no IDAT")
    error(
        "plte-length",
        png.encode(rgb[..., :1] % 2, 8, png.PALETTE, before=[png.chunk(b"PLTE", bytes(5))]),
        "corrupt",
        "PLTE of five bytes",
    )
    index = png.encode(rgb[..., :1] % 8, 8, png.PALETTE, before=[png.chunk(b"PLTE", bytes(range(12)))])
    manifest.any("damaged/palette-index.png", index, "indexes beyond the palette")
    long_trns = [png.chunk(b"PLTE", bytes(range(12))), png.chunk(b"tRNS", bytes(9))]
    manifest.any(
        "damaged/trns-long.png", png.encode(rgb[..., :1] % 4, 8, png.PALETTE, before=long_trns), "tRNS longer than PLTE"
    )

    bomb = zlib.compress(png.scanlines(rgb, 8, False) + bytes(9_000_000), 9)
    manifest.add("damaged/bomb-idat.png", assemble(bomb), "IDAT holds 9 MB more than the picture", expected=full)
    bomb = b"Comment\0\0" + zlib.compress(bytes(9_000_000), 9)
    manifest.add(
        "damaged/bomb-ztxt.png", whole(None, png.chunk(b"zTXt", bomb)), "zTXt that inflates to 9 MB", expected=full
    )
    bomb = b"icc\0\0" + zlib.compress(bytes(1_000_000), 9)
    manifest.add(
        "damaged/bomb-iccp.png",
        whole(None, png.chunk(b"iCCP", bomb)),
        "iCCP that inflates to 1 MB of nothing",
        expected=full,
    )
    manifest.any("damaged/chunks-1100.png", whole(None, *[png.chunk(b"tEXt", b"a\0")] * 1100), "1,100 text chunks")


def assemble(stream):
    """A PNG of the usual size around a zlib stream."""
    return png.SIGNATURE + png.chunk(b"IHDR", png.ihdr(WIDTH, HEIGHT)) + png.chunk(b"IDAT", stream) + png.chunk(b"IEND")


def make_mislabelled(manifest):
    """Files that are not what their names say."""
    jpeg_file, png_file = jpeg.cjpeg(RGB), png.encode(png_samples(8, png.RGB), 8, png.RGB)
    manifest.add(
        "damaged/png-named.jpg",
        png_file,
        "a PNG",
        expected=png_expectations(to_rgba8(png_samples(8, png.RGB), 8, png.RGB)),
    )
    manifest.add("damaged/jpeg-named.png", jpeg_file, "a JPEG", expected=jpeg_expectations(jpeg_file))
    gif = bytes.fromhex("47494638396101000100800000ff000000000021f90401000000002c00000000010001000002024401003b")
    manifest.error("damaged/real.gif", gif, "unsupported", "GIF is named in the message")
    manifest.error("damaged/gif-named.jpg", gif, "unsupported", "a GIF")
    manifest.error("damaged/empty.jpg", b"", "empty", "no bytes at all")
    manifest.error("damaged/one-byte.jpg", b"\xff", "unrecognized", "one byte")
    manifest.error("damaged/text.jpg", b"This is not a picture.\n", "unrecognized", "text")
    html = b"<!DOCTYPE html>\n<html><head><title>403 Forbidden</title></head><body>No.</body></html>\n"
    manifest.error("damaged/html.jpg", html, "unrecognized", "a proxy's page in place of a picture")
    manifest.error("damaged/zeros.png", bytes(300), "unrecognized", "zeros")


def main():
    """Empties the made folders and makes all of it again."""
    for made in ("png", "jpeg", "exif", "damaged", "expected"):
        shutil.rmtree(FOLDER / made, ignore_errors=True)
    manifest = Manifest()
    for make in (make_png_types, make_png_gamma, make_png_odd, make_jpeg_types, make_exif, make_damaged_jpeg,
                 make_damaged_png, make_mislabelled):  # fmt: skip
        make(manifest)
    manifest.save()
    print(f"{len(manifest.entries)} pictures, {len(manifest.written)} expectations")


if __name__ == "__main__":
    main()
