"""A PNG writer for what libraries do not write: every depth and type, Adam7, odd chunks and wrong ones."""

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY, RGB, PALETTE, GREY_ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGBA: 4}
#: Adam7: first column, first row, column step, row step.
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(kind, data=b"", wrong_crc=False):
    """One chunk: length, type, data, CRC."""
    crc = zlib.crc32(kind + data) ^ (0x5A5A5A5A if wrong_crc else 0)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)


def ihdr(width, height, depth=8, colour=RGB, interlace=0, compression=0, filtering=0):
    """The data of an IHDR chunk, right or wrong."""
    return struct.pack(">IIBBBBB", width, height, depth, colour, compression, filtering, interlace)


def pack_row(row, depth):
    """Samples of one row (pixels x channels) to bytes."""
    samples = row.reshape(-1)
    if depth == 16:
        return samples.astype(">u2").tobytes()
    if depth == 8:
        return samples.astype("u1").tobytes()
    bits = "".join(f"{int(sample):0{depth}b}" for sample in samples)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits), 8))


def paeth(left, up, corner):
    """The Paeth predictor of the PNG specification."""
    estimate = left + up - corner
    return min((left, up, corner), key=lambda candidate: abs(estimate - candidate))


def filter_row(kind, row, above, step):
    """One row with its filter byte; `step` is the number of bytes from a pixel to its left neighbour."""
    out = bytearray([kind])
    for at, value in enumerate(row):
        left = row[at - step] if at >= step else 0
        corner = above[at - step] if at >= step else 0
        prediction = [0, left, above[at], (left + above[at]) // 2, paeth(left, above[at], corner)][kind]
        out.append((value - prediction) & 255)
    return bytes(out)


def filtered(samples, depth):
    """Packed rows, with the five filters in turn."""
    step = max(1, samples.shape[2] * depth // 8)
    out, above = bytearray(), None
    for number, row in enumerate(samples):
        packed = pack_row(row, depth)
        out += filter_row(number % 5, packed, above or bytes(len(packed)), step)
        above = packed
    return bytes(out)


def scanlines(samples, depth, interlaced):
    """The bytes that go into zlib."""
    if not interlaced:
        return filtered(samples, depth)
    passes = (samples[y::down, x::right] for x, y, right, down in PASSES)
    return b"".join(filtered(part, depth) for part in passes if part.size)


def encode(samples, depth, colour, *, interlaced=False, before=(), idat_size=1 << 20, header=None):
    """A whole file. `samples` is rows x columns x channels of integers; `before` are chunks ahead of the first IDAT."""
    height, width, _ = samples.shape
    header = header or ihdr(width, height, depth, colour, int(interlaced))
    data = zlib.compress(scanlines(samples, depth, interlaced), 9)
    idats = [chunk(b"IDAT", data[at : at + idat_size]) for at in range(0, len(data), idat_size)]
    return b"".join([SIGNATURE, chunk(b"IHDR", header), *before, *idats, chunk(b"IEND")])


def gama(gamma):
    """A gAMA chunk."""
    return chunk(b"gAMA", struct.pack(">I", round(gamma * 100_000)))


def idat_spans(file):
    """(start, end) in the file of every IDAT's data."""
    at, spans = len(SIGNATURE), []
    while at < len(file):
        (length,) = struct.unpack_from(">I", file, at)
        if file[at + 4 : at + 8] == b"IDAT":
            spans.append((at + 8, at + 8 + length))
        at += 12 + length
    return spans


def rows_in(data, row_bytes):
    """How many whole rows a cut zlib stream still holds."""
    return len(zlib.decompressobj().decompress(data)) // (row_bytes + 1)
