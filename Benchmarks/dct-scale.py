#!/usr/bin/env python3
"""How faithful Lanczos is after a JPEG's inverse DCT has done a part of the shrinking.

    .venv/bin/pip install -r requirements-dct-scale.txt
    .venv/bin/python dct-scale.py ../Samples/archive/images/*/*~medium.jpg

Every photograph is decoded at 1/8, 1/4 and 1/2 (libjpeg's own scaling, through Pillow's draft mode) and resampled in linear light by
the definition of Lanczos-3, to sizes that leave the resampler 1 to 16 times the target. Each is compared with the same
from a full decoding: SSIM (scikit-image, on luma-weighted grey) and the peak signal-to-noise ratio over sRGB values.
Prints a Markdown table: mean and worst of all photographs.
"""

import sys

import numpy as np
from PIL import Image
from skimage.metrics import structural_similarity

LEFT = (1, 1.5, 2, 3, 4, 8, 16)
SMALLEST = 40


def decoded(path, eighths):
    """Linear light of the rows that libjpeg decodes at a scale, and the stored size."""
    image = Image.open(path)
    stored = image.size
    if eighths < 8:
        scale = 8 // eighths
        image.draft("RGB", (stored[0] // scale, stored[1] // scale))
        expected = tuple(-(-side // scale) for side in stored)
        assert image.size == expected, (path, image.size, expected)
    values = np.asarray(image.convert("RGB"), dtype=np.float64) / 255
    light = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return np.ascontiguousarray(light, dtype=np.float32), stored


def weights(source, step, target):
    samples = -(-source // step)
    start = np.arange(samples) * step
    end = np.minimum(start + step, source)
    ratio = source / target
    centers = (np.arange(target) + 0.5) * ratio
    x = ((start + end)[None, :] / 2 - centers[:, None]) / max(ratio, step)
    kernel = np.where(np.abs(x) < 3, np.sinc(x) * np.sinc(x / 3), 0) * (end - start)[None, :]
    return (kernel / kernel.sum(axis=1, keepdims=True)).astype(np.float32)


def resampled(light, stored, step, target):
    rows = light.reshape(light.shape[0], -1)
    down = (weights(stored[1], step, target[1]) @ rows).reshape(target[1], light.shape[1], 3)
    out = (weights(stored[0], step, target[0]) @ down).astype(np.float64)
    out = np.clip(out, 0, 1)
    encoded = np.where(out <= 0.0031308, out * 12.92, 1.055 * out ** (1 / 2.4) - 0.055)
    return np.round(encoded * 255)


def compared(one, other):
    error = np.mean((one - other) ** 2)
    decibels = 99.0 if error == 0 else 10 * np.log10(255**2 / error)
    grey = [image @ np.array([0.299, 0.587, 0.114]) for image in (one, other)]
    return decibels, structural_similarity(*grey, data_range=255)


def main():
    found = {}
    for path in sys.argv[1:]:
        rows = {eighths: decoded(path, eighths) for eighths in (1, 2, 4, 8)}
        stored = rows[8][1]
        for eighths in (1, 2, 4):
            for left in LEFT:
                ratio = left * 8 / eighths
                target = tuple(round(side / ratio) for side in stored)
                if min(target) < SMALLEST:
                    continue
                full = resampled(*rows[8], 1, target)
                scaled = resampled(*rows[eighths], 8 // eighths, target)
                found.setdefault((eighths, left), []).append(compared(scaled, full))
        print(path, file=sys.stderr)
    print("| scale | left | pictures | SSIM, mean | worst | dB, mean | worst |")
    print("|---|---|---|---|---|---|---|")
    for (eighths, left), values in sorted(found.items()):
        decibels, similarity = np.array(values).T
        print(
            f"| {eighths}/8 | {left:g} | {len(values)} | {similarity.mean():.4f} | {similarity.min():.4f} "
            f"| {decibels.mean():.1f} | {decibels.min():.1f} |"
        )


main()
