"""Compares `spyglass resize` with vipsthumbnail, GraphicsMagick, Pillow and img2dataset: time, quality, memory.

Benchmarks/compare resize [--rounds N] [--only small|large|quality|webp|crop|addresses|packs|memory|manifest] [--spyglass PATH]
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

import fidelity
import gallery
import harness
import inputs
import photographs
from report import OURS, Report

FOLDER = Path(__file__).parent
PROJECT = FOLDER.parent
PYTHON = sys.executable
IMG2DATASET = FOLDER / ".venv-img2dataset/bin/img2dataset"
VIPS, VIPS_LINEAR, GM, PILLOW, PYVIPS = "vipsthumbnail", "vipsthumbnail --linear", "GraphicsMagick", "Pillow", "pyvips"
IN_PROCESS = "in process (--sandbox off)"
QUALITY = 82
#: Scales of libjpeg-turbo's inverse DCT; the bare decoder is measured at each.
#: The scales that vipsthumbnail and we decode at; at 1/8 three times the target are not left.
SCALES = ("1/8", "1/4")
#: Results in tar files, and how many one of them holds.
PACKED, PER_TAR = 10_000, 1_000
AS_FILES = "as files"
#: Of WebP: the quality that is timed, and those at which bytes are compared.
WEBP_QUALITY, WEBP_QUALITIES = 80, (50, 60, 70, 80, 90)
CENTRE = "at the centre"
LINES = {"a thousand": 1_000, "a million": 1_000_000}


class Job:
    """Files to resize, a place for the results in memory, and the commands of every tool."""

    def __init__(self, files, side, scratch, spyglass, batch=50):
        """Nothing is run yet; `batch` files go to one process of the tools that take files."""
        self.files, self.side, self.scratch, self.spyglass, self.batch = files, side, scratch, spyglass, batch
        self.list = scratch / f"list-{side}"
        self.list.write_text("".join(f"{path}\n" for path in files))

    def output(self, name):
        """Where one tool's results go."""
        return self.scratch / name.translate({ord(" "): "-", ord("/"): "-"})

    def empty(self, name):
        """An empty folder for them."""
        shutil.rmtree(self.output(name), ignore_errors=True)
        self.output(name).mkdir()

    def count(self, name):
        """Stops when outputs are missing: a fast failure does not count."""
        found = sum(path.suffix in (".jpg", ".png", ".webp") for path in self.output(name).rglob("*.*"))
        if found != len(self.files):
            raise SystemExit(f"compare: {name} made {found} of {len(self.files)} results")

    def ours(self, *options, name=OURS):
        """Ours, with its own choice of threads."""
        return [str(self.spyglass), "resize", *map(str, self.files), "--out", str(self.output(name)),
                "--size", str(self.side), "--quiet", *options]  # fmt: skip

    def xargs(self, *words, batch=None):
        """A command over the list, two processes at a time, each with one thread."""
        settings = ["VIPS_CONCURRENCY=1", "OMP_NUM_THREADS=1"]
        return ["env", *settings, "xargs", "-a", str(self.list), "-P2", f"-n{batch or self.batch}", *words]

    def vips(self, name, ending, *options):
        """vipsthumbnail, which fits a picture into a box and turns it upright."""
        box = f"{self.side}x{self.side}"
        return self.xargs("vipsthumbnail", "--size", box, *options, "-o", f"{self.output(name)}/%s{ending}")

    def python(self, script, name):
        """One of the scripts beside this one."""
        return [PYTHON, str(FOLDER / script), str(self.list), str(self.output(name)), str(self.side)]

    def graphics_magick(self):
        """GraphicsMagick, told the size beforehand so that its decoder reduces; it wants relative names."""
        box = f"{self.side}x{self.side}"
        command = self.xargs("gm", "mogrify", "-output-directory", str(self.output(GM)), "-size", box,
                             "-thumbnail", box, "+profile", "*", "-quality", str(QUALITY))  # fmt: skip
        self.list.with_suffix(".names").write_text("".join(f"{path.name}\n" for path in self.files))
        command[command.index(str(self.list))] = str(self.list.with_suffix(".names"))
        return ["env", "-C", str(self.files[0].parent), *command[1:]]

    def measured(self, commands, rounds):
        """{tool: Samples}, every run into an empty folder that must be full afterwards."""
        checked = {OURS, IN_PROCESS, CENTRE, VIPS, VIPS_LINEAR, GM, PILLOW, PYVIPS, "img2dataset"}

        def count(name):
            if name in checked:
                self.count(name)

        return harness.alternate(commands, rounds, before=self.empty, after=count, warm_ups=1)


def add_times(report, job, samples, yardsticks=()):
    """CPU and wall time."""
    report.add(f"{job}: CPU time", {tool: sample.cpu for tool, sample in samples.items()}, "ms", yardsticks=yardsticks)
    report.add(f"{job}: wall time", {tool: sample.wall for tool, sample in samples.items()}, "ms", yardsticks=yardsticks)


def compare_small(report, scratch, spyglass, rounds):
    """A thousand photographs, and the same again when nothing is left to do."""
    job = Job(photographs.small(), 160, scratch, spyglass)
    commands = {
        OURS: job.ours(),
        IN_PROCESS: job.ours("--sandbox", "off", name=IN_PROCESS),
        VIPS: job.vips(VIPS, f".jpg[Q={QUALITY},strip]"),
        GM: job.graphics_magick(),
        PILLOW: job.python("pillow-thumbnails.py", PILLOW),
        PYVIPS: job.python("vips-thumbnails.py", PYVIPS),
    }
    name = f"{len(job.files):,} photographs, 640 to 160 px"
    add_times(report, name, job.measured(commands, rounds))
    job.empty(OURS)
    harness.run_once(commands[OURS])
    again = [harness.run_once(commands[OURS]) for _ in range(rounds)]
    report.add(f"{name}, again: CPU time", {OURS: [cpu for cpu, _, _ in again]}, "ms")
    report.add(f"{name}, again: wall time", {OURS: [wall for _, wall, _ in again]}, "ms")
    report.add(f"{name}: peak memory (VmHWM)", {OURS: [peak(job, commands[OURS]) for _ in range(3)]}, "MiB")


def peak(job, command):
    """Peak memory of one of our runs from the beginning."""
    job.empty(OURS)
    return harness.peak_memory(command)


def compare_large(report, scratch, spyglass, rounds):
    """Large photographs, beside djpeg, which only decodes."""
    job = Job(photographs.large(), 320, scratch, spyglass, batch=20)
    nothing = f"{len(job.files)} processes that do nothing"
    commands = {
        OURS: job.ours(),
        IN_PROCESS: job.ours("--sandbox", "off", name=IN_PROCESS),
        VIPS: job.vips(VIPS, f".jpg[Q={QUALITY},strip]"),
        PYVIPS: job.python("vips-thumbnails.py", PYVIPS),
        nothing: job.xargs("true", batch=1),
    }
    for scale in SCALES:
        commands[f"djpeg -scale {scale}"] = job.xargs("djpeg", "-scale", scale, "-outfile", "/dev/null", batch=1)
    name = f"{len(job.files)} photographs, 4000 to 320 px"
    samples = job.measured(commands, rounds)
    add_times(report, name, samples, yardsticks=[tool for tool in commands if tool not in (OURS, VIPS, PYVIPS)])
    for scale in SCALES:
        # Of each round by itself, so that a busy moment meets both.
        bare = [djpeg - start for djpeg, start in zip(samples[f"djpeg -scale {scale}"].cpu, samples[nothing].cpu, strict=True)]
        share = {tool: [100 * (whole - part) / whole for whole, part in zip(samples[tool].cpu, bare, strict=True)]
                 for tool in (OURS, VIPS)}  # fmt: skip
        report.add(f"{name}: share of the CPU time above djpeg -scale {scale}", share, "%")


def similarity(one, other):
    """Mean SSIM of two pictures of one size; no number where the sizes differ."""
    first, second = (np.asarray(Image.open(path).convert("RGB")) for path in (one, other))
    if first.shape != second.shape:
        raise SystemExit(f"compare: {one} is {first.shape}, {other} is {second.shape}")
    return fidelity.similarity(first, second)


def reference(path, side, folder):
    """A linear-light Lanczos reduction by ImageMagick, made once."""
    made = folder / f"{path.stem}.png"
    if not made.exists():
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = made.with_suffix(".unfinished.png")
        subprocess.run(["convert", path, "-colorspace", "RGB", "-filter", "Lanczos", "-resize", f"{side}x{side}",
                        "-colorspace", "sRGB", "-depth", "8", "-strip", unfinished], check=True)  # fmt: skip
        unfinished.rename(made)
    return made


def quarters():
    """A hundred photographs whose sides four divides: every program makes the same size of them."""
    return [path for path in photographs.small() if all(side % 4 == 0 for side in Image.open(path).size)][:100]


def compare_quality(report, scratch, spyglass, _):
    """SSIM of PNG results, which no encoder has touched, against another program's reference."""
    for files, side, name in ((photographs.large(), 320, "4000 to 320 px"), (quarters(), 160, "640 to 160 px")):
        job = Job(files, side, scratch, spyglass, batch=20)
        commands = {
            OURS: job.ours("--format", "png"),
            f"{OURS} --resample area": job.ours("--format", "png", "--resample", "area"),
            VIPS: job.vips(VIPS, ".png"),
            VIPS_LINEAR: job.vips(VIPS_LINEAR, ".png", "--linear"),
        }
        figures = {}
        for tool, command in commands.items():
            place = OURS if tool.startswith(OURS) else tool
            job.empty(place)
            harness.run_once(command)
            job.count(place)
            figures[tool] = [similarity(reference(path, side, inputs.WORK / f"reference-{side}"),
                                        job.output(place) / f"{path.stem}.png") for path in files]  # fmt: skip
        for metric, choose in (("mean", np.mean), ("worst", np.min)):
            chosen = {tool: [float(choose(values))] for tool, values in figures.items()}
            report.add(f"{len(files)} photographs, {name}, as PNG: {metric} SSIM", chosen, "SSIM", better="more", digits=4)


def compare_webp(report, scratch, spyglass, rounds):
    """A thousand photographs as WebP: time at one quality, and bytes where both are as like a reference as vipsthumbnail's."""
    job = Job(photographs.small(), 160, scratch, spyglass)

    def commands(job, quality):
        options = ["--format", "webp", "--quality", str(quality)]
        return {
            OURS: job.ours(*options),
            IN_PROCESS: job.ours(*options, "--sandbox", "off", name=IN_PROCESS),
            VIPS: job.vips(VIPS, f".webp[Q={quality},strip]"),
        }

    name = f"{len(job.files):,} photographs, 640 to 160 px, as WebP"
    add_times(report, name, job.measured(commands(job, WEBP_QUALITY), rounds))
    job = Job(quarters(), 160, scratch, spyglass, batch=20)
    curves = {OURS: [], VIPS: []}
    for quality in WEBP_QUALITIES:
        for tool, curve in curves.items():
            job.empty(tool)
            harness.run_once(commands(job, quality)[tool])
            job.count(tool)
            made = [job.output(tool) / f"{path.stem}.webp" for path in job.files]
            alike = [similarity(reference(path, 160, inputs.WORK / "reference-160"), result)
                     for path, result in zip(job.files, made, strict=True)]  # fmt: skip
            curve.append((float(np.mean(alike)), float(np.mean([path.stat().st_size for path in made]))))
    wanted = curves[VIPS][WEBP_QUALITIES.index(WEBP_QUALITY)][0]
    # Beyond the lowest quality this overstates the bytes.
    sizes = {tool: [float(np.exp(np.interp(wanted, [like for like, _ in curve], [np.log(size) for _, size in curve])))]
             for tool, curve in curves.items()}  # fmt: skip
    report.add(f"{len(job.files)} photographs, 640 to 160 px, as WebP: bytes at equal SSIM", sizes, "bytes", digits=0)


def compare_crop(report, scratch, spyglass, rounds):
    """A thousand photographs cut to squares, by attention and at the centre."""
    job = Job(photographs.small(), 160, scratch, spyglass)
    commands = {
        OURS: job.ours("--fit", "cover", "--focus", "attention"),
        CENTRE: job.ours("--fit", "cover", name=CENTRE),
    }
    samples = job.measured(commands, rounds)
    add_times(report, f"{len(job.files):,} photographs, 640 to 160 px, cut by attention", samples, yardsticks=[CENTRE])


def compare_memory(report, scratch, spyglass, _):
    """Peak memory with one huge picture; nothing is written to a disk."""
    huge = inputs.all_inputs()["huge-jpeg"]
    job = Job([huge], 320, scratch, spyglass)
    output = f"{scratch}/huge.jpg[Q={QUALITY},strip]"
    rival = ["env", "VIPS_CONCURRENCY=1", "vipsthumbnail", "--size", "320x320", "-o", output, str(huge)]
    figures = {OURS: [peak(job, job.ours()) for _ in range(3)], VIPS: [harness.peak_memory(rival) for _ in range(3)]}
    report.add("10,800x5,400 baseline JPEG to 320 px: peak memory (VmHWM)", figures, "MiB")


def write_manifest(path, count, source):
    """A manifest of so many items, all with names of their own."""
    with path.open("w") as manifest:
        for number in range(count):
            manifest.write(f'{{"id":"{number % 1000:03}-{number:07}","src":{json.dumps(source(number))}}}\n')


def compare_manifest(report, scratch, spyglass, _):
    """Peak memory of a long manifest against a short one: planned, all failing, and made."""
    files = photographs.small()
    manifest, output, lines = scratch / "manifest", scratch / "made", scratch / "report"

    def measured(count, source, *options):
        shutil.rmtree(output, ignore_errors=True)
        write_manifest(manifest, count, source)
        command = [str(spyglass), "resize", "--manifest", str(manifest), "--out", str(output), "--size", "160",
                   "--quiet", "--report", str(lines), "--max-failures", "100%", *options]  # fmt: skip
        memory = harness.peak_memory(command)
        reported = sum(1 for _ in lines.open())
        if reported != count + 1:
            raise SystemExit(f"compare: {reported} report lines of {count} items")
        return [memory]

    jobs = {
        "planned (--dry-run)": (LINES, lambda number: str(files[number % len(files)]), ["--dry-run"]),
        "files that are not there": (LINES, lambda number: f"/nowhere/{number}.jpg", []),
        # A million results would take a quarter of an hour and all of the memory that they are kept in.
        "made": ({"a thousand": 1_000, "twenty thousand": 20_000}, lambda number: str(files[number % len(files)]), []),
    }
    for name, (counts, source, options) in jobs.items():
        short, long = (measured(count, source, *options) for count in counts.values())
        longer, shorter = reversed(counts)
        figures = {OURS: long, f"{shorter} lines": short}
        report.add(f"a manifest of {longer} lines, {name}: peak memory (VmHWM)", figures, "MiB", yardsticks=[f"{shorter} lines"])


@contextlib.contextmanager
def served(folder):
    """The port of an nginx in one process that serves a folder."""
    place = inputs.WORK / "resize-nginx"
    place.mkdir(parents=True, exist_ok=True)
    port = gallery.free_port()
    (place / "nginx.conf").write_text(f"""
        daemon off; master_process off; worker_processes 1; pid {place}/nginx.pid; error_log {place}/error.log;
        events {{ worker_connections 1024; }}
        http {{
          access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; types {{ image/jpeg jpg; }}
          client_body_temp_path {place}/t1; proxy_temp_path {place}/t2; fastcgi_temp_path {place}/t3;
          uwsgi_temp_path {place}/t4; scgi_temp_path {place}/t5;
          server {{ listen {gallery.HOST}:{port}; root {folder}; }}
        }}
        """)
    nginx = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
    server = subprocess.Popen([nginx, "-c", str(place / "nginx.conf"), "-p", str(place)])
    try:
        gallery.wait_for(port)
        yield port
    finally:
        server.terminate()
        server.wait()


def img2dataset(addresses, output, side, shard, *options):
    """img2dataset's command, with two processes; what it computes beside the pictures is switched off."""
    return [
        "env", "NO_ALBUMENTATIONS_UPDATE=1", str(IMG2DATASET), "--url_list", str(addresses), "--output_folder", str(output),
        "--image_size", str(side), "--resize_mode", "keep_ratio_largest", "--resize_only_if_bigger", "True",
        "--processes_count", "2", "--thread_count", "16", "--number_sample_per_shard", str(shard),
        "--encode_quality", str(QUALITY), "--compute_hash", "None", "--extract_exif", "False", *options,
    ]  # fmt: skip


def compare_addresses(report, scratch, spyglass, rounds):
    """A thousand pictures fetched from loopback and resized."""
    files = photographs.small()
    job = Job(files, 160, scratch, spyglass)
    with served(files[0].parent) as port:
        addresses = [f"http://{gallery.HOST}:{port}/{path.name}" for path in files]
        (scratch / "addresses").write_text("".join(f"{address}\n" for address in addresses))
        manifest = scratch / "addresses.jsonl"
        manifest.write_text("".join(json.dumps({"id": path.stem, "src": address}) + "\n"
                                    for path, address in zip(files, addresses, strict=True)))  # fmt: skip
        rival = img2dataset(scratch / "addresses", job.output("img2dataset"), 160, 500)
        ours = [str(spyglass), "resize", "--manifest", str(manifest), "--out", str(job.output(OURS)), "--size", "160",
                "--quiet", "--cache-dir", str(scratch / "cache")]  # fmt: skip
        samples = job.measured({OURS: ours, "img2dataset": rival}, rounds)
    add_times(report, f"{len(files):,} addresses on loopback, 640 to 160 px", samples)


def compare_packs(report, scratch, spyglass, rounds):
    """Ten thousand pictures fetched from loopback and resized into tar files, and into files."""
    files, side = photographs.small(), 256
    job = Job(files, side, scratch, spyglass)

    def count(tool):
        folder = job.output(tool)
        names = [name for path in folder.rglob("*.tar") for name in tarfile.open(path).getnames()]
        found = sum(name.endswith(".jpg") for name in [*names, *map(str, folder.rglob("*.jpg"))])
        if found != PACKED:
            raise SystemExit(f"compare: {tool} made {found} of {PACKED} results")

    with served(files[0].parent) as port:
        # Each picture has ten addresses, which the server does not tell apart.
        addresses = [f"http://{gallery.HOST}:{port}/{files[number % len(files)].name}?{number}" for number in range(PACKED)]
        rows = (f"{address},{number:05}\n" for number, address in enumerate(addresses))
        (scratch / "list.csv").write_text("url,id\n" + "".join(rows))

        def ours(name, *options):
            return [str(spyglass), "resize", "--manifest", str(scratch / "list.csv"), "--out", str(job.output(name)),
                    "--size", str(side), "--quiet", "--cache-dir", str(scratch / "cache"), *options]  # fmt: skip

        commands = {
            OURS: ours(OURS, "--pack", f"tar:{PER_TAR}"),
            AS_FILES: ours(AS_FILES),
            "img2dataset": img2dataset(scratch / "list.csv", job.output("img2dataset"), side, PER_TAR,
                                       "--input_format", "csv", "--output_format", "webdataset"),
        }  # fmt: skip
        samples = harness.alternate(commands, min(rounds, 5), before=job.empty, after=count, warm_ups=1)
    add_times(report, f"{PACKED:,} addresses on loopback, 640 to {side} px, in tar files", samples, yardsticks=[AS_FILES])


PARTS = {
    "small": compare_small,
    "large": compare_large,
    "quality": compare_quality,
    "webp": compare_webp,
    "crop": compare_crop,
    "addresses": compare_addresses,
    "packs": compare_packs,
    "memory": compare_memory,
    "manifest": compare_manifest,
}


def main():
    """Measures all of it, or one part."""
    parser = argparse.ArgumentParser(description="Compares spyglass resize with the tools that people use instead.")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of every time measurement (default 7)")
    parser.add_argument("--only", action="append", choices=PARTS, help="a part of it, which takes its place in results/resize.json")
    parser.add_argument("--spyglass", type=Path, default=PROJECT / ".build/release/spyglass", help="the binary")
    options = parser.parse_args()
    if not options.spyglass.exists():
        raise SystemExit(f"compare: {options.spyglass} is not there (make build)")
    inputs.WORK.mkdir(exist_ok=True)
    report = Report("resize")
    print(f"## spyglass resize against others\n\n{json.dumps(harness.machine())}", flush=True)
    # Results are written into memory: what creating files costs on a disk says nothing of a tool.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    for part in options.only or PARTS:
        with tempfile.TemporaryDirectory(prefix="spyglass-compare-", dir=memory) as scratch:
            PARTS[part](report, Path(scratch), options.spyglass.resolve(), options.rounds)
    report.save(is_part=bool(options.only))


if __name__ == "__main__":
    main()
