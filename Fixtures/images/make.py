"""Makes every picture of this folder, what decoders should see in it, and manifest.json. See README.md.

python3 -m venv Fixtures/.venv && Fixtures/.venv/bin/pip install -r Fixtures/requirements.txt
Fixtures/.venv/bin/python Fixtures/images/make.py     (needs cjpeg and djpeg: libjpeg-turbo-progs)
"""

import shutil

import jpeg
import png
from damaged_jpeg import make_damaged_jpeg
from damaged_png import make_damaged_png
from jpeg_types import jpeg_expectations, make_exif, make_jpeg_types
from manifest import FOLDER, Manifest
from png_types import make_png_gamma, make_png_odd, make_png_types, png_expectations, png_samples, to_rgba8
from scene import RGB


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
    manifest.any("damaged/real.gif", gif, "a GIF of a transparent pixel")
    manifest.any("damaged/gif-named.jpg", gif, "a GIF of a transparent pixel")
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
