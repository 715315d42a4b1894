"""The picture on the fixtures: gradients, hard edges, saturated colour, stars on black, and a soft alpha."""

import numpy as np

WIDTH, HEIGHT = 33, 27  # odd, and no multiple of a JPEG block or an Adam7 step
SEED = 20_110_721
SMALL = (10, 8)  # a size to reduce it to: no whole ratio either way


def scene(width=WIDTH, height=HEIGHT):
    """Rows x columns x RGBA in 0...1, always the same for a size."""
    random = np.random.default_rng(SEED)
    y, x = np.mgrid[0:height, 0:width]
    u, v = x / max(width - 1, 1), y / max(height - 1, 1)
    rgb = np.stack([u, v, 1 - (u + v) / 2], axis=2)
    rgb[(u > 0.55) & (v < 0.4)] = [0.9, 0.05, 0.1]
    rgb[(u < 0.4) & (v > 0.6)] *= 0.02
    cell = max(1, width // WIDTH)
    stars = np.kron(random.random((height // cell + 1, width // cell + 1)) < 0.04, np.ones((cell, cell), bool))
    rgb[stars[:height, :width] & (u < 0.4) & (v > 0.6)] = 1
    checks = (u > 0.6) & (v > 0.7)
    rgb[checks] = ((x // cell + y // cell) % 2)[checks, None]
    rgb = np.clip(rgb + random.normal(0, 0.01, rgb.shape), 0, 1)
    alpha = np.clip(1.5 - 1.8 * np.hypot(u - 0.5, v - 0.5), 0, 1)
    alpha[: height // 5, : width // 4] = 0
    return np.concatenate([rgb, alpha[..., None]], axis=2)


def levels(values, depth):
    """Values in 0...1 as integers of a bit depth."""
    return np.floor(values * (2**depth - 1) + 0.5).astype(np.int64)


PICTURE = scene()
RGB = levels(PICTURE[..., :3], 8).astype(np.uint8)
