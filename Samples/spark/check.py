"""Runs thumbnails.py on small clusters on this machine, kills workers half way, and looks at every result: see `test`."""

import argparse
import collections
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pyspark
from PIL import Image, ImageChops

FOLDER = Path(__file__).parent
PROJECT = FOLDER.parent.parent
PICTURES = PROJECT / "Samples/archive/images"
SPARK = Path(pyspark.__file__).parent
EXECUTOR = "CoarseGrainedExecutorBackend"
SIDE = 160
PARTITIONS = 24
PATIENCE = 300
#: Items that must fail, each with a line of its own: a missing file, and a line that is not JSON.
BROKEN = ['{"id":"missing","src":"/nowhere.jpg"}', "{broken"]


def make_pictures(folder, count):
    """So many different JPEGs: the sample archive's previews, each moved round by another distance."""
    previews = [Image.open(path).convert("RGB") for path in sorted(PICTURES.rglob("*~thumb.jpg"))]
    for number in range(count):
        preview = previews[number % len(previews)]
        ImageChops.offset(preview, 7 * number, 3 * number).save(folder / f"{number:06}.jpg", quality=85)
    return sorted(folder.iterdir())


def write_manifest(path, pictures):
    """All pictures, with the broken lines and an empty one among them."""
    lines = [json.dumps({"id": picture.stem, "src": str(picture)}) for picture in pictures]
    middle = len(lines) // 2
    path.write_text("\n".join([*lines[:middle], *BROKEN, "", *lines[middle:]]) + "\n")


def descendants(process):
    """The ids of all processes below one, and itself."""
    children = collections.defaultdict(list)
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = status.read_text().rpartition(")")[2].split()[1]
            children[int(parent)].append(int(status.parent.name))
    found = [process]
    for one in found:
        found += children[one]
    return found


def executors(process):
    """The ids of Spark's executors below a process."""
    return [one for one in descendants(process) if EXECUTOR in command_line(one)]


def command_line(process):
    """What a process was started with; empty when it has ended."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace")
    return ""


def kill(processes):
    """Ends them without a chance to clean up."""
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def results(folder):
    """All files below a folder."""
    return [path for path in folder.rglob("*") if path.is_file()]


class Place:
    """Folders of one job, and how it is started."""

    def __init__(self, folder, manifest, spyglass):
        self.out, self.report, self.manifest, self.spyglass = folder / "out", folder / "report", manifest, spyglass
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        self.log = folder / "log"

    def start(self, master, naming=("--name", "{hash:2}/{id}.{ext}")):
        """The job, on a cluster; a partition is one task on one core."""
        settings = {"spark.ui.enabled": "false", "spark.cores.max": "2", "spark.executor.cores": "1",
                    "spark.executor.memory": "512m", "spark.excludeOnFailure.enabled": "false"}  # fmt: skip
        given = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
        command = [
            SPARK / "bin/spark-submit", "--master", master, *given, FOLDER / "thumbnails.py",
            "--manifest", self.manifest, "--out", self.out, "--report", self.report,
            "--partitions", str(PARTITIONS), "--spyglass", self.spyglass,
            "--", "--size", str(SIDE), *naming,
        ]  # fmt: skip
        return subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=self.log.open("w"), text=True)

    def finished(self, job):
        """The counts that it prints."""
        printed, _ = job.communicate(timeout=PATIENCE)
        if job.returncode != 1:
            raise SystemExit(f"test: the job ended with {job.returncode}, not 1 for its broken lines: {self.tail()}")
        return json.loads(printed.strip().splitlines()[-1])

    def tail(self):
        """The end of Spark's log."""
        return self.log.read_text()[-3_000:]

    def wait_for_results(self, count, job):
        """Returns when so many results are there; the job must still run."""
        while len(results(self.out)) < count:
            if job.poll() is not None:
                raise SystemExit(f"test: the job ended before it could be disturbed: {self.tail()}")
            time.sleep(0.01)

    def lines(self):
        """The report, as Spark has committed it."""
        parts = sorted(self.report.glob("part-*"))
        return [json.loads(line) for part in parts for line in part.read_text().splitlines()]

    def check(self, pictures, **statuses):
        """Every item once, every result whole, nothing else."""
        lines = self.lines()
        ids = collections.Counter(line["id"] for line in lines)
        expect(len(lines) == len(pictures) + len(BROKEN), f"{len(lines)} report lines")
        expect(max(ids.values()) == 1, f"items that were reported twice: {ids.most_common(3)}")
        failed = [line for line in lines if line["status"] == "failed"]
        expect(len(failed) == len(BROKEN), f"failed: {failed[:5]}")
        expect({picture.stem for picture in pictures} <= set(ids), "items that were not reported")
        made = {path for line in lines for path in (output["path"] for output in line["out"])}
        there = {str(path.relative_to(self.out)) for path in results(self.out) if not path.name.startswith(".")}
        expect(made == there, f"reported and not there, or the other way round: {sorted(made ^ there)[:5]}")
        expect(len(made) == len(pictures), f"{len(made)} results of {len(pictures)} pictures")
        for path in made:
            with Image.open(self.out / path) as picture:
                picture.load()
                expect(max(picture.size) == SIDE, f"{path} is {picture.size}")
        counts = collections.Counter(line["status"] for line in lines)
        for status, count in statuses.items():
            expect(counts[status] == count, f"{counts[status]} {status}, not {count}")
        return dict(counts)


def pack(place, pictures):
    """Tar files from a Parquet manifest hold every picture once."""
    columns = {"id": [picture.stem for picture in pictures], "src": [str(picture) for picture in pictures]}
    pyarrow.parquet.write_table(pyarrow.table(columns), place.manifest, row_group_size=max(len(pictures) // 4, 1))
    job = place.start("local[2]", naming=("--pack", "tar:100"))
    printed, _ = job.communicate(timeout=PATIENCE)
    expect(job.returncode == 0, f"the job ended with {job.returncode}: {place.tail()}")
    expect(json.loads(printed.strip().splitlines()[-1]) == {"ok": len(pictures)}, f"counts: {printed}")
    members = collections.Counter()
    for path in results(place.out):
        with tarfile.open(path) as tar:
            members.update(tar.getnames())
    wanted = {f"{picture.stem}.{ending}" for picture in pictures for ending in ("jpg", "json")}
    expect(set(members) == wanted and max(members.values()) == 1, "the tar files do not hold every picture once")


def expect(condition, otherwise):
    """Ends the test with what is wrong."""
    if not condition:
        raise SystemExit(f"test: {otherwise}")


def environment():
    """What Spark's processes get: this Python, and no address but the loopback's."""
    python = {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    return os.environ | python | {"SPARK_HOME": str(SPARK), "SPARK_LOCAL_IP": "127.0.0.1"}


@contextlib.contextmanager
def cluster(folder, workers):
    """(address, processes of the workers) of a standalone master and its workers, one core each."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"spark://127.0.0.1:{port}"
    deploy = [SPARK / "bin/spark-class"]
    here = ["--host", "127.0.0.1", "--webui-port", "0"]
    log = (folder / "cluster.log").open("w")

    def start(role, *words):
        command = [*deploy, f"org.apache.spark.deploy.{role}", *here, *words]
        return subprocess.Popen(command, env=environment(), stdout=log, stderr=log)

    started = [start("master.Master", "--port", str(port))]
    try:
        for number in range(workers):
            work = folder / f"worker-{number}"
            started.append(start("worker.Worker", "--cores", "1", "--memory", "1g", "--work-dir", work, address))
        yield address, started[1:]
    finally:
        kill(one for process in started for one in descendants(process.pid))
        for process in started:
            process.wait()
        log.close()


def rate(place, workers, pictures):
    """Items a second with so many workers, and the seconds of the whole job, Spark's start included."""
    start = time.perf_counter()
    job = place.start(f"local-cluster[{workers},1,1024]")
    first = None
    while job.poll() is None:
        if first is None and results(place.out):
            first = time.perf_counter()
        time.sleep(0.01)
    last = max(path.stat().st_mtime for path in results(place.out)) - (time.time() - time.perf_counter())
    place.finished(job)
    place.check(pictures, ok=len(pictures))
    return len(pictures) / (last - first), time.perf_counter() - start


def say(text):
    """A line of progress."""
    print(text, flush=True)


def main():
    """Rates, a lost executor, a lost worker, and a second run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=4_000, help="pictures (default 4,000)")
    parser.add_argument("--spyglass", type=Path, default=PROJECT / ".build/release/spyglass", help="the program")
    options = parser.parse_args()
    expect(options.spyglass.exists(), f"{options.spyglass} is not there (make build)")
    with tempfile.TemporaryDirectory(prefix="spyglass-spark-") as temporary:
        folder = Path(temporary)
        (folder / "pictures").mkdir()
        pictures = make_pictures(folder / "pictures", options.items)
        manifest = folder / "manifest.jsonl"
        write_manifest(manifest, pictures)
        spyglass = options.spyglass.resolve()

        for workers in (1, 2):
            place = Place(folder / "rate", manifest, spyglass)
            items, seconds = rate(place, workers, pictures)
            say(f"{workers} worker(s): {items:.0f} items/s from the first result to the last; the whole job {seconds:.1f} s")

        pack(Place(folder / "packed", folder / "manifest.parquet", spyglass), pictures)
        say("tar files from a Parquet manifest: every picture once")

        # What an executor leaves running when it alone dies is the harder case: two of them write the same results.
        place = Place(folder / "executor", manifest, spyglass)
        job = place.start("local-cluster[2,1,1024]")
        place.wait_for_results(len(pictures) // 2, job)
        kill(executors(job.pid)[:1])
        place.finished(job)
        say(f"an executor killed half way: {place.check(pictures)}")

        place = Place(folder / "worker", manifest, spyglass)
        with cluster(folder, workers=2) as (address, workers):
            job = place.start(address)
            place.wait_for_results(len(pictures) // 2, job)
            lost = descendants(workers[0].pid)
            expect(any(EXECUTOR in command_line(one) for one in lost), "the worker has no executor")
            kill(lost)
            place.finished(job)
            say(f"a worker killed half way, with all that it ran: {place.check(pictures)}")
            before = {path: path.stat().st_mtime_ns for path in results(place.out)}
            again = place.start(address)
            start = time.perf_counter()
            place.finished(again)
            say(f"again on the worker that is left: {place.check(pictures, skipped=len(pictures))}, {time.perf_counter() - start:.1f} s")
        after = {path: path.stat().st_mtime_ns for path in results(place.out)}
        left = [path.name for path in after if path.name.startswith(".")]
        expect(not left, f"temporaries that were left: {left}")
        expect(all(before.get(path) == when for path, when in after.items()), "the second run has written")
    shutil.rmtree(SPARK / "work", ignore_errors=True)


if __name__ == "__main__":
    main()
