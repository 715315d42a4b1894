"""Right PNG files of every type, and what should be seen in them."""

import struct
import zlib

import numpy as np

import jpeg
import png
import reference
from scene import HEIGHT, PICTURE, SEED, SMALL, WIDTH, levels, scene

PNG_TOLERANCE = 1  # rounding of the last step


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
