"""Draws the small pictures of the source archives: a sky, a ground, and things in front of them."""

import math
import random
from itertools import pairwise

import numpy as np
from PIL import Image, ImageDraw

#: Colours from the top to the horizon.
SKIES = {
    "dawn": [(92, 110, 168), (214, 150, 160), (255, 214, 160)],
    "day": [(64, 132, 210), (128, 184, 232), (206, 230, 244)],
    "dusk": [(38, 34, 84), (150, 66, 104), (250, 150, 84)],
    "night": [(8, 10, 30), (18, 26, 60), (44, 58, 100)],
    "fog": [(150, 162, 170), (182, 192, 198), (214, 220, 222)],
}
#: Colours from the horizon to the bottom.
GROUNDS = {
    "sea": [(58, 116, 152), (20, 58, 96)],
    "hills": [(112, 150, 92), (44, 84, 54)],
    "dunes": [(236, 204, 140), (186, 138, 78)],
    "snow": [(236, 242, 250), (178, 196, 222)],
    "field": [(206, 186, 84), (124, 132, 50)],
}
HORIZON = 0.62
SHADE = {"night": 0.35, "dusk": 0.65, "dawn": 0.85}


def gradient(colors, width, height):
    """Bands of colour that run into each other."""
    at = np.linspace(0, len(colors) - 1, height)
    rows = np.stack([np.interp(at, range(len(colors)), [color[part] for color in colors]) for part in range(3)], axis=1)
    return np.repeat(rows[:, None, :], width, axis=1)


class Painter:
    """One picture; lengths are parts of its shorter side, `t` from 0 to 1 is the time of an animation."""

    def __init__(self, scene, size, t=0.0):
        """Draws the scene at twice the size, which makes edges smooth."""
        self.width, self.height = (2 * length for length in size)
        self.unit = min(self.width, self.height)
        self.t = t
        self.random = random.Random(scene["id"])
        self.shade = SHADE.get(scene["sky"], 1)
        horizon = round(self.height * HORIZON)
        ground = [self.lit(color) for color in GROUNDS[scene["ground"]]]
        pixels = np.concatenate(
            [gradient(SKIES[scene["sky"]], self.width, horizon), gradient(ground, self.width, self.height - horizon)])  # fmt: skip
        self.image = Image.fromarray(pixels.astype(np.uint8))
        self.draw = ImageDraw.Draw(self.image, "RGBA")
        self.horizon = horizon
        if scene["ground"] == "sea":
            self.waves()
        else:
            self.ridges(ground)
        for thing in scene["things"]:
            getattr(self, thing)()
        self.picture = self.image.resize(size, Image.Resampling.LANCZOS)

    def lit(self, color):
        """A colour in the light of the scene."""
        return tuple(round(part * self.shade) for part in color)

    def disc(self, x, y, radius, color):
        """A filled circle."""
        self.draw.ellipse([x - radius, y - radius, x + radius, y + radius], color)

    def waves(self):
        """Short lines that drift."""
        for _ in range(60):
            y = self.random.uniform(self.horizon, self.height)
            near = (y - self.horizon) / (self.height - self.horizon)
            x = self.random.uniform(0, self.width) + math.sin(2 * math.pi * (self.t + near)) * self.unit * 0.02
            length = self.unit * (0.02 + 0.1 * near)
            self.draw.line([x, y, x + length, y], (255, 255, 255, 70), width=max(1, round(self.unit * 0.006)))

    def ridges(self, ground):
        """Three rows of hills."""
        for row in range(3):
            phase, count = self.random.uniform(0, 6), self.random.uniform(1.5, 3.5)
            base = self.horizon + (self.height - self.horizon) * row * 0.3
            tall = self.unit * (0.10 - 0.02 * row)
            near = (row + 1) / 3
            color = tuple(round(a + (b - a) * near) for a, b in pairwise(ground) for a, b in zip(a, b, strict=True))
            edge = [(x, base - tall * (1 + math.sin(phase + count * 2 * math.pi * x / self.width)) / 2)
                    for x in range(0, self.width + 8, 8)]  # fmt: skip
            self.draw.polygon([*edge, (self.width, self.height), (0, self.height)], color)

    def sun(self):
        """Low, with a glow."""
        x, y = self.width * 0.72, self.height * 0.24
        for step in range(6, 0, -1):
            self.disc(x, y, self.unit * (0.08 + 0.02 * step), (255, 236, 180, 26))
        self.disc(x, y, self.unit * 0.08, (255, 244, 208))

    def moon(self):
        """A crescent."""
        x, y, radius = self.width * 0.22, self.height * 0.2, self.unit * 0.07
        below = self.image.getpixel((round(x), round(y)))
        self.disc(x, y, radius, (244, 240, 220))
        self.disc(x + radius * 0.5, y - radius * 0.2, radius * 0.9, below)

    def stars(self):
        """Some of them bright."""
        for _ in range(70):
            x, y = self.random.uniform(0, self.width), self.random.uniform(0, self.horizon * 0.9)
            self.disc(x, y, self.unit * self.random.choice([0.003, 0.003, 0.006]), (255, 255, 240))

    def clouds(self):
        """Three heaps that drift."""
        for _ in range(3):
            x, y = self.random.uniform(0, self.width), self.random.uniform(0.08, 0.35) * self.height
            x = (x + self.t * self.unit * 0.2) % self.width
            for _ in range(6):
                dx, dy = self.random.uniform(-0.14, 0.14), self.random.uniform(-0.03, 0.03)
                self.disc(x + dx * self.unit, y + dy * self.unit, self.unit * 0.06, (255, 255, 255, 120))

    def lighthouse(self):
        """On a rock, its beam turns."""
        x, foot, u = self.width * 0.34, self.horizon + self.unit * 0.06, self.unit
        top = foot - u * 0.5
        turn = math.cos(2 * math.pi * self.t)
        far = u * 1.6 * turn
        self.draw.polygon([(x, top), (x + far, top - u * 0.1), (x + far, top + u * 0.1)], (255, 244, 190, 110))
        self.draw.polygon([(x - u * 0.2, foot + u * 0.05), (x - u * 0.08, foot - u * 0.03), (x + u * 0.1, foot - u * 0.02),
                           (x + u * 0.24, foot + u * 0.05)], self.lit((86, 78, 74)))  # fmt: skip
        for step in range(5):
            low, high = foot - u * 0.1 * step, foot - u * 0.1 * (step + 1)
            narrow, wide = 0.075 - 0.008 * (step + 1), 0.075 - 0.008 * step
            color = self.lit((210, 60, 52) if step % 2 else (240, 236, 228))
            self.draw.polygon([(x - u * wide, low), (x + u * wide, low), (x + u * narrow, high), (x - u * narrow, high)], color)
        self.draw.rectangle([x - u * 0.05, top - u * 0.06, x + u * 0.05, top], (255, 240, 170))
        self.draw.polygon([(x - u * 0.06, top - u * 0.06), (x + u * 0.06, top - u * 0.06), (x, top - u * 0.12)], self.lit((60, 60, 70)))

    def boat(self):
        """It rises and falls."""
        u = self.unit
        x, y = self.width * 0.66, self.horizon + u * (0.16 + 0.015 * math.sin(2 * math.pi * self.t))
        tilt = u * 0.015 * math.cos(2 * math.pi * self.t)
        self.draw.polygon([(x - u * 0.16, y - tilt), (x + u * 0.16, y + tilt), (x + u * 0.1, y + u * 0.07), (x - u * 0.1, y + u * 0.07)],
                          self.lit((150, 62, 46)))  # fmt: skip
        self.draw.polygon([(x, y - u * 0.34), (x, y - u * 0.02), (x + u * 0.15, y - u * 0.03)], self.lit((244, 240, 226)))
        self.draw.polygon([(x - u * 0.015, y - u * 0.28), (x - u * 0.015, y - u * 0.02), (x - u * 0.11, y - u * 0.03)], self.lit((226, 210, 180)))

    def balloon(self):
        """It climbs."""
        u = self.unit
        x, y, r = self.width * 0.3, self.height * (0.36 - 0.12 * math.sin(math.pi * self.t)), u * 0.13
        for part, color in enumerate([(206, 64, 60), (242, 196, 80), (64, 120, 176)]):
            wide = r * (1 - 0.36 * part)
            self.draw.ellipse([x - wide, y - r, x + wide, y + r], self.lit(color))
        self.draw.line([x - r * 0.6, y + r * 0.8, x - r * 0.2, y + r * 1.6], self.lit((80, 60, 40)), width=2)
        self.draw.line([x + r * 0.6, y + r * 0.8, x + r * 0.2, y + r * 1.6], self.lit((80, 60, 40)), width=2)
        self.draw.rectangle([x - r * 0.24, y + r * 1.55, x + r * 0.24, y + r * 1.9], self.lit((128, 92, 52)))

    def mill(self):
        """Its sails turn."""
        u = self.unit
        x, y = self.width * 0.5, self.horizon - u * 0.18
        foot = self.horizon + u * 0.12
        self.draw.polygon([(x - u * 0.09, foot), (x + u * 0.09, foot), (x + u * 0.05, y), (x - u * 0.05, y)], self.lit((222, 214, 200)))
        self.draw.polygon([(x - u * 0.065, y), (x + u * 0.065, y), (x, y - u * 0.08)], self.lit((110, 70, 54)))
        for sail in range(4):
            angle = math.pi / 2 * (sail + self.t)
            dx, dy = math.cos(angle) * u, math.sin(angle) * u
            self.draw.polygon([(x, y), (x + dx * 0.24 - dy * 0.04, y + dy * 0.24 + dx * 0.04), (x + dx * 0.26, y + dy * 0.26)],
                              self.lit((250, 246, 236)))  # fmt: skip

    def trees(self):
        """Conifers."""
        for _ in range(9):
            x, size = self.random.uniform(0, self.width), self.random.uniform(0.1, 0.22) * self.unit
            y = self.horizon + self.random.uniform(0.03, 0.25) * self.unit
            for step in range(3):
                top = y - size * (0.4 + 0.3 * step)
                wide = size * (0.34 - 0.08 * step)
                self.draw.polygon([(x - wide, top + size * 0.4), (x + wide, top + size * 0.4), (x, top)], self.lit((36, 78 + 12 * step, 56)))

    def houses(self):
        """A row with lit windows."""
        u = self.unit
        for number in range(7):
            x, wide = self.width * (0.04 + number / 7), u * 0.14
            tall, y = u * self.random.uniform(0.12, 0.24), self.horizon + u * 0.05
            wall = self.lit(self.random.choice([(214, 120, 90), (232, 206, 150), (150, 170, 180), (200, 96, 84)]))
            self.draw.rectangle([x, y - tall, x + wide, y], wall)
            self.draw.polygon([(x - u * 0.01, y - tall), (x + wide + u * 0.01, y - tall), (x + wide / 2, y - tall - u * 0.08)], self.lit((120, 62, 52)))
            for column in (0.2, 0.6):
                self.draw.rectangle([x + wide * column, y - tall * 0.8, x + wide * (column + 0.2), y - tall * 0.5], (255, 232, 150))

    def birds(self):
        """A flock."""
        for number in range(7):
            x = self.width * (0.1 + 0.1 * number) + self.t * self.unit * 0.1
            y = self.height * self.random.uniform(0.1, 0.4)
            span = self.unit * 0.03
            lift = span * math.sin(2 * math.pi * self.t + number)
            self.draw.line([x - span, y - lift, x, y, x + span, y - lift], (40, 40, 50), width=max(2, round(self.unit * 0.006)))

    def flowers(self):
        """In front of everything."""
        for _ in range(60):
            y = self.random.uniform(self.horizon + self.unit * 0.1, self.height)
            color = self.random.choice([(220, 60, 70), (240, 210, 90), (190, 120, 200), (250, 250, 250)])
            self.disc(self.random.uniform(0, self.width), y, self.unit * 0.012, self.lit(color))

    def rainbow(self):
        """Over all of it."""
        for band, color in enumerate([(220, 60, 60), (240, 150, 60), (240, 220, 90), (90, 170, 90), (70, 110, 200)]):
            radius = self.unit * (0.62 - 0.02 * band)
            box = [self.width / 2 - radius, self.horizon - radius, self.width / 2 + radius, self.horizon + radius]
            self.draw.arc(box, 180, 360, (*color, 130), width=max(2, round(self.unit * 0.02)))


def painted(scene, longest):
    """The picture of a scene, with its longest side."""
    across, down = scene.get("shape", [4, 3])
    scale = longest / max(across, down)
    return Painter(scene, (round(across * scale), round(down * scale))).picture


def moving(scene, longest, frames):
    """The frames of a scene as GIF images, which share a palette."""
    across, down = scene.get("shape", [4, 3])
    scale = longest / max(across, down)
    size = round(across * scale), round(down * scale)
    pictures = [Painter(scene, size, number / frames).picture for number in range(frames)]
    palette = pictures[0].quantize(32, dither=Image.Dither.NONE)
    return [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
