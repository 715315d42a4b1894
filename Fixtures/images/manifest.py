"""The list of all fixtures, and the files behind it."""

import json
from pathlib import Path

import jpeg
import png
from scene import HEIGHT, WIDTH

FOLDER = Path(__file__).parent


class Manifest:
    """Collects the entries and writes the files; equal expectations share one file."""

    def __init__(self):
        """Starts empty."""
        self.entries = []
        self.written = {}

    def expectation(self, name, pixels, tolerance):
        """Stores expected pixels once and answers their entry."""
        size = (pixels.shape[1], pixels.shape[0])
        key = (size, pixels.tobytes())
        if key not in self.written:
            self.written[key] = f"expected/{name.replace('/', '-')}-{size[0]}x{size[1]}.rgba"
            write(self.written[key], pixels.tobytes())
        return {"size": list(size), "file": self.written[key], "tolerance": tolerance}

    def add(self, file, data, note, *, size=(WIDTH, HEIGHT), expect="whole", expected=(), **more):
        """One fixture; `expected` are (pixels, tolerance) pairs, the full size first."""
        write(file, data)
        kind = "png" if data[:4] == png.SIGNATURE[:4] else "jpeg" if data[:2] == jpeg.SOI else "other"
        entry = {"file": file, "format": kind, "width": size[0], "height": size[1], "orientation": 1}
        entry |= {"expect": expect} | more
        entry["expected"] = [self.expectation(file, pixels, tolerance) for pixels, tolerance in expected]
        self.entries.append(entry | {"note": note})

    def error(self, file, data, kind, note):
        """One fixture that has no picture to show."""
        self.add(file, data, note, size=(0, 0), expect="error", error_kind=kind)

    def any(self, file, data, note):
        """One fixture where every answer is right that is an answer."""
        self.add(file, data, note, size=(0, 0), expect="any")

    def save(self):
        """Writes manifest.json, one entry a line."""
        lines = ",\n".join(json.dumps(entry) for entry in sorted(self.entries, key=lambda entry: entry["file"]))
        write("manifest.json", f"[\n{lines}\n]\n".encode())


def write(name, data):
    """Writes a file of this folder."""
    path = FOLDER / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
