"""Makes thumbnails with pyvips, whose libvips is newer than Debian's, on two processes: vips-thumbnails.py LIST FOLDER SIDE"""

import os
import sys
from multiprocessing import Pool
from pathlib import Path

os.environ["VIPS_CONCURRENCY"] = "1"
import pyvips  # noqa: E402

PROCESSES = 2


def thumbnail(job):
    """As vipsthumbnail: reads with JPEG's own reduction, reduces, and writes one file."""
    path, folder, side = job
    picture = pyvips.Image.thumbnail(str(path), side, height=side)
    picture.write_to_file(str(folder / path.name), Q=82, strip=True)


if __name__ == "__main__":
    inputs, output, longest = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    jobs = [(Path(line), output, longest) for line in inputs.read_text().splitlines()]
    with Pool(PROCESSES) as pool:
        pool.map(thumbnail, jobs, chunksize=max(len(jobs) // 20, 1))
