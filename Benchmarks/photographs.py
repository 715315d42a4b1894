"""Cuts photographs to measure with out of real ones, the same every time: many of 640 px, some of 4000x3000."""

import math
import random
import shutil
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

import inputs

PROJECT = Path(__file__).parent.parent
#: Recorded photographs beside the project, where they exist, and those of the sample archive.
FOLDERS = PROJECT.parent / "shared/images/nasa", PROJECT / "Samples/archive/images"
SMALL_SIDE = 640
LARGE_SIZE = 4000, 3000
SHAPES = (4 / 3, 3 / 2, 16 / 9, 1, 3 / 4, 2 / 3)
#: A cut whose grey values spread less is sky or night: it would cost no decoder anything.
LEAST_SPREAD = 12
JPEG = {"quality": 85, "subsampling": "4:2:0"}


def sources():
    """Every photograph of which a cut of 640 px need not be enlarged, the map first."""
    found = [inputs.blue_marble()]
    for folder in FOLDERS:
        for path in sorted(folder.rglob("*.jpg")) if folder.is_dir() else []:
            picture = Image.open(path)
            if min(picture.size) > SMALL_SIDE:
                found.append(picture.convert("RGB"))
    return found


def cut(picture, chance):
    """A part of a picture, at least 640 px long in its longer side, in one of the usual shapes."""
    shape = chance.choice(SHAPES)
    widest = min(picture.width, picture.height * shape)
    narrowest = math.ceil(SMALL_SIDE * min(1, shape))
    width = int(narrowest + (widest - narrowest) * chance.random() ** 2)
    height = round(width / shape)
    x, y = chance.randint(0, picture.width - width), chance.randint(0, max(0, picture.height - height))
    return picture.crop((x, y, x + width, y + height))


def is_lively(picture):
    """Whether there is something to see."""
    return np.asarray(picture.convert("L").reduce(4)).std() >= LEAST_SPREAD


def cuts(count, seed):
    """So many lively cuts, the sources in turn with the map every other time."""
    pictures, chance, number = sources(), random.Random(seed), 0
    while count > 0:
        picture = pictures[0] if number % 2 == 0 else pictures[number // 2 % len(pictures)]
        number += 1
        part = cut(picture, chance)
        if is_lively(part):
            count -= 1
            yield part


def mirrored(picture, size):
    """A picture of any size out of one and its mirror images, without seams; nothing is enlarged."""
    canvas = Image.new("RGB", size)
    for row, y in enumerate(range(0, size[1], picture.height)):
        for column, x in enumerate(range(0, size[0], picture.width)):
            tile = ImageOps.mirror(picture) if column % 2 else picture
            canvas.paste(ImageOps.flip(tile) if row % 2 else tile, (x, y))
    return canvas


def made(name, pictures):
    """The paths of pictures that are made unless the folder is there."""
    folder = inputs.WORK / name
    if not folder.exists():
        print(f"making {name}", file=sys.stderr)
        unfinished = folder.with_name(name + "-unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        for number, picture in enumerate(pictures()):
            picture.save(unfinished / f"{number:04}.jpg", **JPEG)
        unfinished.rename(folder)
    return sorted(folder.glob("*.jpg"))


def small(count=1_000):
    """Different photographs whose longer side has 640 px."""

    def pictures():
        for part in cuts(count, seed=640):
            part.thumbnail((SMALL_SIDE, SMALL_SIDE), Image.Resampling.LANCZOS)
            yield part

    return made(f"photographs-{SMALL_SIDE}-{count}", pictures)


def large(count=40):
    """Photographs of 4000x3000, each out of one cut and its mirror images."""
    return made(f"photographs-4000-{count}", lambda: (mirrored(part, LARGE_SIZE) for part in cuts(count, seed=4000)))


if __name__ == "__main__":
    inputs.WORK.mkdir(exist_ok=True)
    print(len(small()), len(large()))
