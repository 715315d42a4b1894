"""What a picture should look like: sRGB bytes at full size, and area averages in linear light at smaller ones.

Everything here is float64 numpy, written from the definitions and without a line of the decoder under test.
"""

import numpy as np


def to_light(encoded):
    """sRGB in 0...1 to linear light (IEC 61966-2-1)."""
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def to_srgb(light):
    """Linear light in 0...1 to sRGB."""
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * np.maximum(light, 0) ** (1 / 2.4) - 0.055)


def to_bytes(values):
    """Values in 0...1 to the nearest byte."""
    return np.floor(np.clip(values, 0, 1) * 255 + 0.5).astype(np.uint8)


def overlaps(count, target):
    """A `target` x `count` matrix: the share that each source pixel has in each target pixel; rows sum to 1."""
    edges = np.arange(target + 1) * count / target
    cells = np.arange(count)
    shared = np.minimum(edges[1:, None], cells + 1) - np.maximum(edges[:-1, None], cells)
    return np.maximum(shared, 0) * target / count


def area_average(rgba, size, gamma=None):
    """The picture at `size` (width, height): an exact area average of premultiplied linear light.

    `rgba` holds bytes. With `gamma` (of a gAMA chunk) they stand for light = value ** (1 / gamma), else for sRGB.
    """
    values = rgba / 255
    light = to_light(values[..., :3]) if gamma is None else values[..., :3] ** (1 / gamma)
    premultiplied = np.concatenate([light * values[..., 3:], values[..., 3:]], axis=2)
    height, width = rgba.shape[:2]
    narrow = np.tensordot(overlaps(width, size[0]), premultiplied, axes=(1, 1))  # x, rows, channels
    mean = np.tensordot(overlaps(height, size[1]), narrow, axes=(1, 1))  # y, x, channels
    alpha = mean[..., 3:]
    straight = np.divide(mean[..., :3], alpha, out=np.zeros_like(mean[..., :3]), where=alpha > 0)
    result = to_bytes(np.concatenate([to_srgb(straight), alpha], axis=2))
    result[result[..., 3] == 0] = 0
    return result


def full_size(rgba, gamma=None):
    """The picture at its own size: sRGB bytes, transparent pixels all zero."""
    if gamma is not None:
        return area_average(rgba, (rgba.shape[1], rgba.shape[0]), gamma)
    result = rgba.copy()
    result[result[..., 3] == 0] = 0
    return result
