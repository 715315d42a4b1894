"""JPEG files through libjpeg-turbo's own tools (cjpeg, djpeg) and Pillow, and surgery on their markers."""

import io
import os
import struct
import subprocess
import tempfile

import numpy as np
from PIL import Image, ImageFile

SOI, EOI = b"\xff\xd8", b"\xff\xd9"
SOF, DQT, DHT, SOS, APP1 = range(0xC0, 0xC3), 0xDB, 0xC4, 0xDA, 0xE1


def run(*command, data):
    """The standard output of a program that was given `data`."""
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout


def cjpeg(rgb, *options, quality=90):
    """Encodes rows x columns x 3 bytes with cjpeg."""
    height, width, _ = rgb.shape
    return run("cjpeg", "-quality", str(quality), *options, data=b"P6 %d %d 255\n" % (width, height) + rgb.tobytes())


def cjpeg_scans(rgb, script, *options):
    """Encodes with a scan script, as cjpeg's -scans reads it."""
    with tempfile.NamedTemporaryFile("w", suffix=".scans", delete=False) as file:
        file.write(script)
    try:
        return cjpeg(rgb, *options, "-scans", file.name)
    finally:
        os.unlink(file.name)


def cmyk(samples, *, ycck=False):
    """Four channels as Adobe stores them (inverted); for YCCK the first three go through YCbCr first."""
    if ycck:
        ycc = np.asarray(Image.fromarray(samples[..., :3]).convert("YCbCr"))
        samples = np.concatenate([ycc, samples[..., 3:]], axis=2)
    out = io.BytesIO()
    Image.fromarray(255 - samples, "CMYK").save(out, "JPEG", quality=90, subsampling=0)
    file = bytearray(out.getvalue())
    if ycck:
        file[file.index(b"Adobe") + 11] = 2  # the transform byte of Adobe's APP14: 2 is YCCK
    return bytes(file)


def decode(file, *, cut=False):
    """Pillow's pixels as RGBA; CMYK as the product of the stored samples. With `cut`, what a cut file still shows."""
    ImageFile.LOAD_TRUNCATED_IMAGES = cut
    image = Image.open(io.BytesIO(file))
    if image.mode == "CMYK":
        stored = 255 - np.asarray(image).astype(np.int64)
        rgb = ((stored[..., :3] * stored[..., 3:] + 127) // 255).astype(np.uint8)
        image = Image.fromarray(rgb)
    return np.asarray(image.convert("RGBA"))


def djpeg(file, *options):
    """djpeg's pixels as RGBA, to measure what its options change."""
    return np.asarray(Image.open(io.BytesIO(run("djpeg", *options, data=file))).convert("RGBA"))


def segments(file):
    """(marker, start, end) of every marker segment; a scan's entropy-coded data belongs to its SOS."""
    at = 2
    while at < len(file):
        marker = file[at + 1]
        if marker == EOI[1]:
            return
        end = at + 2 + struct.unpack_from(">H", file, at + 2)[0]
        if marker == SOS:
            while file[end] != 0xFF or file[end + 1] == 0 or 0xD0 <= file[end + 1] <= 0xD7:
                end += 1
        yield marker, at, end
        at = end


def without(file, marker):
    """The file without its segments of one kind."""
    kept = [file[start:end] for kind, start, end in segments(file) if kind != marker]
    return SOI + b"".join(kept) + EOI


def first(file, *markers):
    """Start and end of the first segment with one of these markers."""
    return next((start, end) for kind, start, end in segments(file) if kind in markers)


def patched(file, at, data):
    """The file with some bytes replaced."""
    return file[:at] + data + file[at + len(data) :]


def with_size(file, width, height):
    """The file with another size in its frame header."""
    start, _ = first(file, *SOF)
    return patched(file, start + 5, struct.pack(">HH", height, width))


def inserted(file, *parts):
    """The file with segments right after SOI."""
    return file[:2] + b"".join(parts) + file[2:]


def segment(marker, data):
    """One marker segment."""
    return struct.pack(">BBH", 0xFF, marker, len(data) + 2) + data


def tiff(orientation, order="<", kind=3, ifd=8):
    """A TIFF structure that holds Orientation (274) between two other tags; `kind` 3 is SHORT."""
    value = struct.pack(order + "HH", orientation, 0)
    software = struct.pack(order + "HHI", 305, 2, 4) + b"fix\0"
    entries = [
        struct.pack(order + "HHII", 256, 4, 1, 33),
        struct.pack(order + "HHI", 274, kind, 1) + value,
        software,
    ]
    magic = b"II" if order == "<" else b"MM"
    head = magic + struct.pack(order + "HI", 42, ifd)
    return head + struct.pack(order + "H", len(entries)) + b"".join(entries) + struct.pack(order + "I", 0)


def exif(data):
    """An APP1 segment with EXIF data."""
    return segment(APP1, b"Exif\0\0" + data)
