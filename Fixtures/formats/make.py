#!/usr/bin/env python3
"""Makes small WebP, TIFF, HEIC, AVIF and JPEG XL files, and what other programs decode from them.

Needs Pillow and numpy, and of Debian: libtiff-tools libheif-examples libavif-bin libjxl-tools
"""

import io
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy as np
from PIL import Image, ImageCms, ImageOps

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent / "images"))
import scene  # noqa: E402

files, expected = here / "files", here / "expected"
work = pathlib.Path(tempfile.mkdtemp())
RGB = Image.fromarray(scene.RGB)
RGBA = Image.fromarray(scene.levels(scene.PICTURE, 8).astype(np.uint8))
GREY = RGB.convert("L")
SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


def run(*command):
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def exif(orientation):
    block = Image.Exif()
    block[0x0112] = orientation
    block[0x0110] = "Model 7"
    return block.tobytes()


def expect(name, image):
    """Keeps the displayed pixels; a fully transparent one is all zero."""
    image = image if image.mode in ("L", "RGB", "RGBA") else image.convert("RGB")
    if image.mode == "RGBA":
        pixels = np.array(image)
        pixels[pixels[..., 3] == 0] = 0
        image = Image.fromarray(pixels)
    image.save(expected / f"{name}.png", optimize=True)


def pillow(name, image, **options):
    image.save(files / name, **options)
    with Image.open(files / name) as saved:
        expect(name, ImageOps.exif_transpose(saved))


def webp():
    pillow("lossy.webp", RGB, quality=80)
    pillow("lossy-alpha.webp", RGBA, quality=80)
    pillow("lossless.webp", RGB, lossless=True)
    pillow("lossless-alpha.webp", RGBA, lossless=True)
    pillow("exif.webp", RGB, quality=80, exif=exif(6))
    pillow("profile.webp", RGB, quality=80, icc_profile=SRGB)
    y, x = np.mgrid[:3000, :512]
    tall = np.stack([x // 2, y & 255, (x ^ y) & 255], axis=-1).astype(np.uint8)
    Image.fromarray(tall).save(here / "tall.webp", lossless=True)
    frames = [RGB, ImageOps.mirror(RGB), ImageOps.flip(RGB)]
    RGB.save(
        files / "animated.webp", save_all=True, append_images=frames[1:], duration=[40, 0, 200], loop=3, lossless=True)
    for number, frame in enumerate(frames):
        expect(f"animated.webp.{number}", frame)


def tiff():
    pillow("rgb.tif", RGB)
    pillow("deflate.tif", RGB, compression="tiff_adobe_deflate")
    pillow("lzw.tif", RGB, compression="tiff_lzw")
    pillow("packbits-grey.tif", GREY, compression="packbits")
    pillow("alpha.tif", RGBA, compression="tiff_lzw")
    pillow("palette.tif", RGB.quantize(16), compression="tiff_lzw")
    pillow("bilevel.tif", RGB.convert("1"), compression="group4")
    pillow("cmyk.tif", RGB.convert("CMYK"), compression="tiff_lzw")
    pillow("profile.tif", RGB, compression="tiff_lzw", icc_profile=SRGB)
    run("tiffcp", "-c", "jpeg:90", files / "rgb.tif", files / "jpeg.tif")
    expect("jpeg.tif", Image.open(files / "jpeg.tif"))
    grey16 = Image.fromarray((np.array(GREY).astype(np.uint16) * 257))
    grey16.save(files / "grey16.tif", compression="tiff_lzw")
    expect("grey16.tif", GREY)

    def copied(name, *options, source="rgb.tif", image=RGB):
        run("tiffcp", *options, files / source, files / name)
        expect(name, image)

    copied("big-endian.tif", "-B", "-c", "lzw:2")
    copied("strips.tif", "-r", "4", "-c", "zip")
    copied("tiles.tif", "-t", "-w", "16", "-l", "16", "-c", "lzw")
    copied("tiles-alpha.tif", "-t", "-w", "16", "-l", "16", "-c", "lzw", source="alpha.tif", image=RGBA)
    copied("planes.tif", "-p", "separate", "-r", "5", "-c", "lzw")
    copied("bigtiff.tif", "-8", "-c", "lzw")
    transposed = {
        2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180, 4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_270, 7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_90,
    }
    for orientation, method in transposed.items():
        name = f"orientation-{orientation}.tif"
        run("tiffcp", "-r", "4", "-c", "lzw", files / "rgb.tif", files / name)
        run("tiffset", "-s", "274", orientation, files / name)
        expect(name, RGB.transpose(method))


def png(image, name="source.png"):
    image.save(work / name)
    return work / name


# MARK: Boxes of ISO 14496-12

def boxes(data, start, end):
    while start + 8 <= end:
        size, kind = struct.unpack(">I4s", data[start:start + 8])
        yield kind, start, size
        start += size


def add_property(data, content):
    """Adds a property to the first item that has any, behind its others; `meta` comes before `mdat` here."""
    data = bytearray(data)

    def find(path):
        start, end, places = 0, len(data), []
        for kind in path:
            at, size = next((at, size) for name, at, size in boxes(data, start, end) if name == kind)
            places.append(at)
            start, end = at + (12 if kind == b"meta" else 8), at + size
        return places

    def grow(places, count):
        for at in places:
            data[at:at + 4] = struct.pack(">I", struct.unpack(">I", data[at:at + 4])[0] + count)

    places = find([b"meta", b"iprp", b"ipco"])
    size = struct.unpack(">I", data[places[-1]:places[-1] + 4])[0]
    index = sum(1 for _ in boxes(data, places[-1] + 8, places[-1] + size)) + 1
    data[places[-1] + size:places[-1] + size] = content
    grow(places, len(content))
    added = len(content)
    places = find([b"meta", b"iprp", b"ipma"])
    # Version 0 with small indices: an item, a count, and a byte for each property.
    at = places[-1] + 16
    primary = find([b"meta", b"pitm"])[-1] + 12
    while data[at:at + 2] != data[primary:primary + 2]:
        at += 3 + data[at + 2]
    count = data[at + 2]
    data[at + 2] = count + 1
    data[at + 3 + count:at + 3 + count] = bytes([0x80 | index])
    grow(places, 1)
    added += 1
    # Version 0 or 1 of iloc, with numbers of four bytes; a base offset may be there, and is 0.
    at = find([b"meta", b"iloc"])[-1]
    version, sizes = data[at + 8], data[at + 12]
    assert version <= 1 and sizes == 0x44 and data[at + 13] in (0, 0x40), "another kind of iloc"
    base = data[at + 13] >> 4
    items = struct.unpack(">H", data[at + 14:at + 16])[0]
    at += 16
    for _ in range(items):
        method = struct.unpack(">H", data[at + 2:at + 4])[0] if version == 1 else 0
        at += (6 if version == 1 else 4) + base
        extents = struct.unpack(">H", data[at:at + 2])[0]
        at += 2
        for _ in range(extents):
            if method == 0:
                data[at:at + 4] = struct.pack(">I", struct.unpack(">I", data[at:at + 4])[0] + added)
            at += 8
    return bytes(data)


def heif():
    even = RGB.resize((64, 48), Image.Resampling.BICUBIC)
    even_alpha = RGBA.resize((64, 48), Image.Resampling.BICUBIC)

    def encoded(name, image, *options):
        run("heif-enc", *options, png(image), "-o", files / name)
        decoded(name)

    def decoded(name):
        run("heif-convert", files / name, work / "out.png")
        expect(name, Image.open(work / "out.png"))

    encoded("plain.heic", even, "-q", "70")
    encoded("odd.heic", RGB, "-q", "70")
    encoded("alpha.heic", even_alpha, "-q", "70")
    # heif-enc keeps the EXIF of a JPEG.
    even.save(work / "exif.jpg", exif=exif(1), quality=95)
    run("heif-enc", "-q", "70", work / "exif.jpg", "-o", files / "exif.heic")
    decoded("exif.heic")
    for angle in (1, 2, 3):
        name = f"rotation-{angle}.heic"
        turn = struct.pack(">I4sB", 9, b"irot", angle)
        (files / name).write_bytes(add_property((files / "plain.heic").read_bytes(), turn))
        decoded(name)
    mirror = struct.pack(">I4sB", 9, b"imir", 1)
    (files / "mirrored.heic").write_bytes(add_property((files / "plain.heic").read_bytes(), mirror))
    decoded("mirrored.heic")


def avif():
    even = RGB.resize((64, 48), Image.Resampling.BICUBIC)
    even_alpha = RGBA.resize((64, 48), Image.Resampling.BICUBIC)

    def encoded(name, image, *options, turned=lambda image: image):
        run("avifenc", "-s", "6", "--min", "10", "--max", "20", *options, png(image), files / name)
        run("avifdec", "-u", "bilinear", files / name, work / "out.png")
        expect(name, turned(Image.open(work / "out.png")))

    encoded("plain.avif", even)
    encoded("odd.avif", RGB, "-y", "420")
    encoded("alpha.avif", even_alpha)
    encoded("grey.avif", even.convert("L"), "-y", "400")
    encoded("ten-bits.avif", even, "-d", "10", "-y", "444")
    encoded("twelve-bits.avif", even, "-d", "12", "-y", "444")
    encoded("alpha-premultiplied.avif", even_alpha, "--premultiply")
    # A grid has tiles of 64 pixels a side at least; frames have alpha, opaque or not.
    large = RGB.resize((128, 64), Image.Resampling.BICUBIC)
    tiles = [png(large.crop((x, 0, x + 64, 64)), f"tile-{x}.png") for x in (0, 64)]
    frames = [png(even, "first.png"), png(ImageOps.flip(even), "second.png")]
    for name, options, images in (("grid.avif", ("--grid", "2x1"), tiles), ("alpha-animated.avif", (), frames)):
        run("avifenc", "-s", "6", "--min", "10", "--max", "20", "-y", "444", *options, *images, files / name)
        run("avifdec", files / name, work / "out.png")
        expect(name, Image.open(work / "out.png"))
    # Anti-clockwise; libavif leaves both to its caller.
    encoded("rotation-1.avif", even, "--irot", "1", turned=lambda image: image.transpose(Image.Transpose.ROTATE_90))
    encoded(
        "rotation-3-mirrored.avif", even, "--irot", "3", "--imir", "1",
        turned=lambda image: ImageOps.mirror(image.transpose(Image.Transpose.ROTATE_270)))
    encoded("mirrored.avif", even, "--imir", "0", turned=ImageOps.flip)
    encoded("cropped.avif", even, "--crop", "6,10,32,24", turned=lambda image: image.crop((6, 10, 38, 34)))
    # 12 bits and 4:4:4, of which the header states 8 bits and 4:2:0 (av1C, pixi).
    large = Image.new("RGB", (10_000, 10_000), (90, 120, 30))
    run("avifenc", "-s", "10", "-d", "12", "-y", "444", png(large), here / "understated.avif")
    data = bytearray((here / "understated.avif").read_bytes())
    flags, depths = data.index(b"av1C") + 6, data.index(b"pixi") + 9
    data[flags] = data[flags] & ~0x7C | 0x0C
    data[depths:depths + 3] = bytes([8, 8, 8])
    (here / "understated.avif").write_bytes(data)


def deep():
    """A ramp of 16 bits in the primaries of BT.2020 with the curve PQ: (v, 0.9 v, 0.8 v)."""
    width, height = 64, 64
    ramp = np.arange(width)[:, None] / (width - 1) * [1, 0.9, 0.8]
    row = np.rint(ramp * 65535).astype(">u2").tobytes()

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    source = work / "ramp.png"
    source.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 16, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress((b"\0" + row) * height)) + chunk(b"IEND", b""))
    run("avifenc", "-d", "12", "-y", "444", "--cicp", "9/16/0", "-r", "full", "--min", "0", "--max", "0", source,
        here / "deep.avif")
    # heif-enc of Debian 12 writes no nclx box.
    import pillow_heif
    pillow_heif.options.SAVE_HDR_TO_12_BIT = pillow_heif.options.SAVE_NCLX_PROFILE = True
    samples = np.broadcast_to(np.rint(ramp * 65535).astype("<u2"), (height, width, 3)).tobytes()
    pillow_heif.from_bytes(mode="RGB;16", size=(width, height), data=samples).save(
        here / "deep.heic", quality=-1, chroma=444, matrix_coefficients=0, color_primaries=9, transfer_characteristics=16,
        full_range_flag=1)
    run("cjxl", "-d", "0", "-x", "color_space=RGB_D65_202_Rel_PeQ", source, here / "deep.jxl")


for part in (webp, tiff, heif, avif, deep):
    part()
