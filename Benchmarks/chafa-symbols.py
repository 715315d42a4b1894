"""Draws an image with the library of chafa.py, which is newer than Debian's chafa: chafa-symbols.py SYMBOLS COLUMNSxROWS FILE"""

import sys

import chafa
from PIL import Image


def main():
    """As chafa's own program does with `-c full --size`: the cell is twice as high as wide."""
    symbols, box, path = sys.argv[1:]
    columns, rows = (int(side) for side in box.split("x"))
    pixels = Image.open(path).convert("RGB")
    config = chafa.CanvasConfig()
    config.canvas_mode = chafa.CanvasMode.CHAFA_CANVAS_MODE_TRUECOLOR
    config.pixel_mode = chafa.PixelMode.CHAFA_PIXEL_MODE_SYMBOLS
    config.width, config.height = columns, rows
    config.cell_width, config.cell_height = 8, 16
    config.calc_canvas_geometry(pixels.width, pixels.height, 0.5)
    known = chafa.SymbolMap()
    known.add_by_tags(chafa.SymbolTags[f"CHAFA_SYMBOL_TAG_{symbols.upper()}"])
    config.set_symbol_map(known)
    canvas = chafa.Canvas(config)
    canvas.draw_all_pixels(chafa.PixelType.CHAFA_PIXEL_RGB8, pixels.tobytes(), pixels.width, pixels.height, pixels.width * 3)
    sys.stdout.buffer.write(canvas.print(fallback=True) + b"\n")


main()
