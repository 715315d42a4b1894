"""Right JPEG files of every type, EXIF orientations among them, and what should be seen in them."""

import numpy as np
from PIL import Image, ImageOps

import jpeg
import reference
from scene import RGB, SMALL, levels, scene

JPEG_TOLERANCE = 2  # rounding in the inverse DCT and the colour conversion, which the standard leaves free


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
        "optimized": ("-optimize",), "arithmetic": ("-arithmetic",),
        "progressive-420": ("-progressive",), "progressive-grey": ("-progressive", "-grayscale"),
        "progressive-410": ("-progressive", "-sample", "4x2"),
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
    make_reduced_edges(manifest)
    small = jpeg.cjpeg(RGB)
    filled = small.replace(b"\xff\xda", b"\xff\xff\xff\xff\xda", 1)
    manifest.add("jpeg/fill-bytes.jpg", filled, "fill bytes before a marker", expected=jpeg_expectations(small))


def make_reduced_edges(manifest):
    """Sides one pixel above a multiple of 8, so that the last pixel of a reduced row stands for one pixel and not for eight.

    Squares of one grey each fall on target pixels: whoever takes the reduced size for the picture's extent shifts them.
    The tolerance is measured on a decode at 1/8 whose pixels are spread over what they stand for.
    """
    for step, width, height, size in ((8, 1281, 961, (20, 15)), (4, 641, 481, (20, 15)), (2, 321, 241, (20, 15))):
        cells = np.random.default_rng(7).integers(0, 2, (size[1], size[0])) * 175 + 40
        rows = np.arange(height) * size[1] // height
        columns = np.arange(width) * size[0] // width
        grey = np.repeat(cells[rows][:, columns][..., None], 3, axis=2).astype(np.uint8)
        data = jpeg.cjpeg(grey, "-grayscale", quality=80)
        small = reference.area_average(jpeg.decode(data), size)
        reduced = jpeg.djpeg(data, "-scale", f"1/{step}")
        spread = reduced.repeat(step, axis=0).repeat(step, axis=1)[:height, :width]
        tolerance = largest_difference(small, reference.area_average(spread, size)) + 1
        manifest.add(
            f"jpeg/edge-of-1-{step}.jpg",
            data,
            f"decoded at DCT scale 1/{step}, the last column and row stand for one pixel",
            size=(width, height),
            expected=[(small, tolerance)],
        )


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
