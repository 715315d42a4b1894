"""PNG files that are cut, flipped or contradict themselves."""

import zlib

import numpy as np

import png
from png_types import PNG_TOLERANCE, png_samples, to_rgba8
from scene import HEIGHT, SEED, WIDTH


def assemble(stream):
    """A PNG of the usual size around a zlib stream."""
    return png.SIGNATURE + png.chunk(b"IHDR", png.ihdr(WIDTH, HEIGHT)) + png.chunk(b"IDAT", stream) + png.chunk(b"IEND")


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
    start, end = spans[2]
    partial(
        "crc-idat",
        data[:end] + bytes(4) + data[end + 4 :],
        png.rows_in(b"".join(data[start:end] for start, end in spans[:2]), row_bytes),
        "wrong CRC of the third IDAT: at least what the ones before hold",
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
        "depth-0": png.ihdr(*good, depth=0), "depth-3": png.ihdr(*good, depth=3),
        "depth-4-rgb": png.ihdr(*good, depth=4),
        "colour-1": png.ihdr(*good, colour=1), "colour-7": png.ihdr(*good, colour=7),
        "compression-1": png.ihdr(*good, compression=1), "filtering-1": png.ihdr(*good, filtering=1),
        "interlace-2": png.ihdr(*good, interlace=2),
        "zero-width": png.ihdr(0, HEIGHT), "zero-height": png.ihdr(WIDTH, 0),
        "width-2-31": png.ihdr(2**31, HEIGHT), "width-max": png.ihdr(2**32 - 1, 2**32 - 1),
        "short": png.ihdr(*good)[:12],
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
