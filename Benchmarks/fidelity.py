"""What photographs should look like when they are shown, and how far a picture is from that."""

import io
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageCms, ImageOps
from skimage.metrics import structural_similarity

PROJECT = Path(__file__).parent.parent
sys.path.append(str(PROJECT / "Fixtures/images"))
from reference import area_average, overlaps, to_light  # noqa: E402

#: Recorded photographs beside the project, where they exist.
PHOTOGRAPHS = PROJECT.parent / "shared/images/nasa"
ARCHIVE = PROJECT / "Samples/archive/images"
#: Linear sRGB to the cone responses of Oklab, and their cube roots to Oklab (Björn Ottosson, 2020).
CONES = np.array([[0.4122214708, 0.5363325363, 0.0514459929],
                  [0.2119034982, 0.6806995451, 0.1073969566],
                  [0.0883024619, 0.2817188376, 0.6299787005]])  # fmt: skip
OKLAB = np.array([[0.2104542553, 0.7936177850, -0.0040720468],
                  [1.9779984951, -2.4285922050, 0.4505937099],
                  [0.0259040371, 0.7827717662, -0.8086757660]])  # fmt: skip
#: The columns and rows of pixels that the eye sees as one, from a distance: four cells of two half-blocks each.
DISTANT = (8, 4)


def photographs(folder=PHOTOGRAPHS if PHOTOGRAPHS.is_dir() else ARCHIVE):
    """The pictures that are compared."""
    pictures = (path for path in folder.rglob("*") if path.suffix in (".jpg", ".png"))
    return sorted(path for path in pictures if "~medium" not in path.name)


def as_srgb(picture):
    """A picture without the colour profile that it has: what it looks like in sRGB."""
    profile = picture.info.get("icc_profile")
    if not profile:
        return picture
    profile = ImageCms.ImageCmsProfile(io.BytesIO(profile))
    if "sRGB" in ImageCms.getProfileDescription(profile):
        return picture
    return ImageCms.profileToProfile(picture, profile, ImageCms.createProfile("sRGB"), outputMode="RGB")


def full(path):
    """Rows x columns x RGBA bytes of a whole file, upright, in sRGB."""
    return np.asarray(as_srgb(ImageOps.exif_transpose(Image.open(path))).convert("RGBA"))


def linear_average(rgba, shown):
    """The exact area average in linear light, at the size of what is shown."""
    return area_average(rgba, shown.shape[1::-1])[..., :3]


def averaged(values, shown):
    """The exact area average of values, at the size of what is shown."""
    narrow = np.tensordot(overlaps(values.shape[1], shown.shape[1]), values, axes=(1, 1))
    return np.tensordot(overlaps(values.shape[0], shown.shape[0]), narrow, axes=(1, 1))


def stored_average(rgba, shown):
    """The area average of sRGB values as they are stored, which darkens fine detail: what many tools compute."""
    return averaged(rgba[..., :3], shown)


def light_average(rgba, shown):
    """The area average of light on black, not rounded to bytes."""
    return averaged(to_light(rgba[..., :3] / 255) * (rgba[..., 3:] / 255), shown)


def decibels(one, other):
    """Peak signal-to-noise ratio of sRGB bytes; equal pictures count as 99 dB."""
    error = np.mean((one.astype(float) - other.astype(float)) ** 2)
    return 99.0 if error == 0 else 10 * np.log10(255**2 / error)


def similarity(one, other):
    """Mean SSIM of two pictures of sRGB bytes."""
    return structural_similarity(np.asarray(one, float), np.asarray(other, float), channel_axis=2, data_range=255)


def oklab(light):
    """Oklab of linear sRGB."""
    return np.cbrt(light @ CONES.T) @ OKLAB.T


def distance(shown, light):
    """Mean distance in Oklab of half-blocks, two by two pixels a cell, from light, seen from afar."""
    columns, rows = DISTANT
    height, width = shown.shape[0] // rows * rows, shown.shape[1] // columns * columns
    shape = (height // rows, rows, width // columns, columns, 3)
    seen = [oklab(each[:height, :width].reshape(shape).mean(axis=(1, 3))) for each in (to_light(shown / 255), light)]
    return float(np.linalg.norm(seen[0] - seen[1], axis=2).mean())
