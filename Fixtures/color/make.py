#!/usr/bin/env python3
"""Makes the colour profiles, pictures with them, and what should be seen in those. See README.md.

    python3 -m venv Fixtures/.venv && Fixtures/.venv/bin/pip install -r Fixtures/requirements.txt
    Fixtures/.venv/bin/python Fixtures/color/make.py
"""
import io
import json
import pathlib
import struct

import numpy as np
from PIL import Image, ImageCms

HERE = pathlib.Path(__file__).resolve().parent
WIDTH, HEIGHT = 24, 18

# MARK: Profiles, written byte by byte (ICC.1:2001-04 and ICC.1:2022)

D50 = (0.9642, 1.0, 0.8249)
BRADFORD = np.array([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])


def fixed(*values):
    return b"".join(struct.pack(">i", round(v * 65536)) for v in values)


def xyz(*values):
    return b"XYZ \0\0\0\0" + fixed(*values)


def gamma(value):
    return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(value * 256)) + b"\0\0"


def table(values):
    words = np.round(np.asarray(values) * 65535).astype(">u2").tobytes()
    return b"curv\0\0\0\0" + struct.pack(">I", len(values)) + words


def function(kind, *parameters):
    return b"para\0\0\0\0" + struct.pack(">HH", kind, 0) + fixed(*parameters)


def old_text(text):
    ascii = text.encode("ascii") + b"\0"
    return b"desc\0\0\0\0" + struct.pack(">I", len(ascii)) + ascii + bytes(4 + 4 + 2 + 1 + 67)


def new_text(**texts):
    start = 16 + 12 * len(texts)
    records, strings = b"", b""
    for language, text in texts.items():
        units = text.encode("utf-16-be")
        records += language.encode("ascii") + b"US" + struct.pack(">II", len(units), start + len(strings))
        strings += units
    return b"mluc\0\0\0\0" + struct.pack(">II", len(texts), 12) + records + strings


def profile(version, kind, space, tags, pcs=b"XYZ "):
    tags = {b"cprt": b"text\0\0\0\0CC0\0" if version < 4 else new_text(en="CC0"), b"wtpt": xyz(*D50), **tags}
    start = 128 + 4 + 12 * len(tags)
    directory, contents, places = struct.pack(">I", len(tags)), b"", {}
    for name, content in tags.items():
        if content not in places:
            contents += bytes(-len(contents) % 4)
            places[content] = start + len(contents)
            contents += content
        directory += name + struct.pack(">II", places[content], len(content))
    contents += bytes(-len(contents) % 4)
    header = struct.pack(">I4sI4s4s4s", start + len(contents), b"\0\0\0\0", version << 24, kind, space, pcs)
    header += struct.pack(">6H", 2026, 1, 1, 0, 0, 0) + b"acsp" + bytes(4 * 7) + fixed(*D50)
    return header + bytes(128 - len(header)) + directory + contents


def primaries(red, green, blue, white=(0.3127, 0.3290)):
    """The matrix from linear RGB to XYZ, adapted to D50 (columns are the colorants)."""
    corners = np.array([[x / y, 1, (1 - x - y) / y] for x, y in (red, green, blue)]).T
    x, y = white
    light = np.array([x / y, 1, (1 - x - y) / y])
    matrix = corners * np.linalg.solve(corners, light)
    scale = np.diag((BRADFORD @ np.array(D50)) / (BRADFORD @ light))
    return np.linalg.inv(BRADFORD) @ scale @ BRADFORD @ matrix


SRGB = primaries((0.64, 0.33), (0.30, 0.60), (0.15, 0.06))
P3 = primaries((0.680, 0.320), (0.265, 0.690), (0.150, 0.060))
ADOBE = primaries((0.64, 0.33), (0.21, 0.71), (0.15, 0.06))
SRGB_CURVE = (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)


def linear(values):
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def encoded(light):
    light = np.clip(light, 0, 1)
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


def colorants(matrix, curve):
    return {
        **{name: xyz(*matrix[:, at]) for at, name in enumerate([b"rXYZ", b"gXYZ", b"bXYZ"])},
        **{name: curve for name in (b"rTRC", b"gTRC", b"bTRC")},
    }


def lut16(channels, grid, to_lab):
    """A2B0 as lut16Type, Lab PCS of version 2: `to_lab` of rows of values from 0 to 1."""
    axes = np.meshgrid(*[np.linspace(0, 1, grid)] * channels, indexing="ij")
    lab = to_lab(np.stack([axis.ravel() for axis in axes], axis=1))
    words = np.clip(np.round((lab + [0, 128, 128]) * [65280 / 100, 256, 256]), 0, 65535)
    straight = struct.pack(">HH", 0, 65535)
    return (
        b"mft2\0\0\0\0" + bytes([channels, 3, grid, 0]) + fixed(1, 0, 0, 0, 1, 0, 0, 0, 1) + struct.pack(">HH", 2, 2)
        + straight * channels + words.astype(">u2").tobytes() + straight * 3)


def lab_of_light(xyz_values):
    t = np.clip(xyz_values / D50, 0, None)
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)


def lab_of_inks(inks):
    """Dull inks on paper that is not quite white, and a black that is not quite black."""
    rgb = (1 - inks[:, :3] * [0.85, 0.9, 0.95]) * (1 - 0.93 * inks[:, 3:]) * [0.97, 0.96, 0.93]
    return lab_of_light(linear(rgb) @ SRGB.T)


def lab_of_turned(rgb):
    """The channels in another order, as a matrix could say it too, but with a table."""
    return lab_of_light(linear(rgb[:, [1, 2, 0]]) @ SRGB.T)


def name(version, text):
    return {b"desc": old_text(text) if version < 4 else new_text(de="Farbprofil", en=text)}


def make_profiles():
    swapped = SRGB[::-1, ::-1]
    return {
        "p3": profile(4, b"mntr", b"RGB ", name(4, "Display P3") | colorants(P3, function(3, *SRGB_CURVE))),
        "adobe": profile(2, b"mntr", b"RGB ", name(2, "Adobe RGB (1998)") | colorants(ADOBE, gamma(563 / 256))),
        "srgb-v2": profile(
            2, b"mntr", b"RGB ", name(2, "sRGB") | colorants(SRGB, table(linear(np.linspace(0, 1, 1024))))),
        "srgb-v4": profile(4, b"mntr", b"RGB ", name(4, "sRGB") | colorants(SRGB, function(3, *SRGB_CURVE))),
        "srgb-gamma": profile(2, b"mntr", b"RGB ", name(2, "Nearly sRGB") | colorants(SRGB, gamma(2.2))),
        "gray-gamma": profile(2, b"mntr", b"GRAY", name(2, "Gray Gamma 2.2") | {b"kTRC": gamma(2.2)}),
        "gray-light": profile(4, b"mntr", b"GRAY", name(4, "Linear Gray") | {b"kTRC": function(0, 1)}),
        "cmyk": profile(2, b"prtr", b"CMYK", name(2, "Tiny Inks") | {b"A2B0": lut16(4, 3, lab_of_inks)}, b"Lab "),
        "turned": profile(2, b"scnr", b"RGB ", name(2, "Turned") | {b"A2B0": lut16(3, 9, lab_of_turned)}, b"Lab "),
        "swapped": profile(2, b"mntr", b"RGB ", name(2, "Swapped") | colorants(swapped, gamma(1.8))),
    }


# MARK: Pictures

def scene():
    """Gradients, the corners of the cube, greys, and a soft alpha with a transparent corner."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    rgb = np.stack([x * 255 // (WIDTH - 1), y * 255 // (HEIGHT - 1), (x * 11 + y * 7) % 256], axis=2)
    for at in range(8):
        rgb[0:3, 3 * at:3 * at + 3] = [255 * (at & 1), 255 * (at >> 1 & 1), 255 * (at >> 2)]
    rgb[3:5] = (np.arange(WIDTH) * 255 // (WIDTH - 1))[:, None]
    alpha = np.clip(x * 13 + y * 5, 0, 255)
    alpha[-4:, :4] = 0
    return rgb.astype(np.uint8), alpha.astype(np.uint8)


def smooth():
    """What JPEG hardly changes."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH] / np.array([HEIGHT - 1, WIDTH - 1])[:, None, None]
    return np.round(np.stack([40 + 190 * x, 220 - 170 * y, 60 + 120 * x * y], axis=2)).astype(np.uint8)


def converted(picture, data, mode="RGB"):
    """What littlecms makes of it: by its table if there is one, or else colorimetric; with black point compensation."""
    source = ImageCms.ImageCmsProfile(io.BytesIO(data))
    intent = ImageCms.Intent.PERCEPTUAL if b"A2B0" in data[:300] else ImageCms.Intent.RELATIVE_COLORIMETRIC
    return np.asarray(ImageCms.profileToProfile(
        picture, source, ImageCms.createProfile("sRGB"), renderingIntent=intent, outputMode=mode,
        flags=ImageCms.Flags.BLACKPOINTCOMPENSATION | ImageCms.Flags.NOCACHE))


def by_hand(rgb, matrix, decode):
    """The same from the definitions, in double precision."""
    light = decode(rgb / 255) @ matrix.T @ np.linalg.inv(SRGB).T
    return np.round(encoded(light) * 255).astype(np.uint8)


def save(path, data):
    (HERE / path).parent.mkdir(exist_ok=True)
    (HERE / path).write_bytes(data)


def rgba(rgb, alpha=None):
    alpha = np.full(rgb.shape[:2], 255, np.uint8) if alpha is None else alpha
    out = np.dstack([rgb, alpha])
    out[alpha == 0] = 0
    return out.tobytes()


def main():
    profiles = make_profiles()
    manifest = []
    for key, data in profiles.items():
        ImageCms.ImageCmsProfile(io.BytesIO(data))  # littlecms takes it
        save(f"profiles/{key}.icc", data)
    rgb, alpha = scene()
    gray = rgb[:, :, 0]

    def expect(file, pixels, tolerance, by="littlecms"):
        expected = f"expected/{file}{'-by-hand' if by == 'numpy' else ''}.rgba"
        save(expected, pixels)
        manifest.append({"file": f"pictures/{file}", "expected": expected, "by": by, "tolerance": tolerance})

    def add(file, picture, pixels, key, tolerance, by="littlecms"):
        picture.save(HERE / "pictures" / file, icc_profile=profiles[key])
        expect(file, pixels, tolerance, by)

    (HERE / "pictures").mkdir(exist_ok=True)
    for key in ("p3", "adobe", "srgb-gamma", "turned", "swapped"):
        image = Image.fromarray(rgb)
        add(f"{key}.png", image, rgba(converted(image, profiles[key])), key, 1)
    for key in ("srgb-v2", "srgb-v4"):
        add(f"{key}.png", Image.fromarray(rgb), rgba(rgb), key, 0, "nobody")
    for key, matrix, decode in (("p3", P3, linear), ("adobe", ADOBE, lambda v: v ** (563 / 256))):
        expect(f"{key}.png", rgba(by_hand(rgb, matrix, decode)), 1, "numpy")
    image = Image.fromarray(np.dstack([rgb, alpha]))
    add("p3-alpha.png", image, rgba(converted(Image.fromarray(rgb), profiles["p3"]), alpha), "p3", 1)
    for key in ("gray-gamma", "gray-light"):
        image = Image.fromarray(gray)
        pixels = converted(image, profiles[key])
        add(f"{key}.png", image, rgba(pixels), key, 1)
        both = Image.fromarray(np.dstack([gray, alpha]), "LA")
        add(f"{key}-alpha.png", both, rgba(pixels, alpha), key, 1)

    def add_jpeg(file, image, key, **options):
        buffer = io.BytesIO()
        image.save(buffer, "JPEG", quality=95, subsampling=0, icc_profile=profiles[key], **options)
        decoded = Image.open(io.BytesIO(buffer.getvalue()))
        # Another library of another version decodes: two steps, and what the conversion makes of them.
        save(f"pictures/{file}", buffer.getvalue())
        expect(file, rgba(converted(decoded, profiles[key])), 6)

    for key in ("p3", "adobe"):
        add_jpeg(f"{key}.jpg", Image.fromarray(smooth()), key)
    add_jpeg("p3-progressive.jpg", Image.fromarray(smooth()), "p3", progressive=True)
    add_jpeg("gray-gamma.jpg", Image.fromarray(smooth()[:, :, 1]), "gray-gamma")
    inks = np.dstack([255 - smooth(), smooth()[:, :, 2] // 3])
    add_jpeg("cmyk.jpg", Image.fromarray(inks, "CMYK"), "cmyk")
    lines = ",\n".join(json.dumps(entry) for entry in manifest)
    save("manifest.json", f"[\n{lines}\n]\n".encode())


main()
