"""Makes thumbnails with Pillow on two processes, in the way its documentation shows: pillow-thumbnails.py LIST FOLDER SIDE"""

import sys
from multiprocessing import Pool
from pathlib import Path

from PIL import Image

PROCESSES = 2


def thumbnail(job):
    """Reads with JPEG's own reduction (`thumbnail` asks for it), reduces, and writes one file."""
    path, folder, side = job
    with Image.open(path) as picture:
        picture.thumbnail((side, side))
        picture.save(folder / path.name, quality=82)


if __name__ == "__main__":
    inputs, output, longest = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    jobs = [(Path(line), output, longest) for line in inputs.read_text().splitlines()]
    with Pool(PROCESSES) as pool:
        pool.map(thumbnail, jobs, chunksize=50)
