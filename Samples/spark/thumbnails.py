"""Makes thumbnails of a manifest of any size: a Spark job that pipes each partition through `spyglass resize`.

    spark-submit thumbnails.py --manifest hdfs:///photos/*.jsonl --out /mnt/thumbnails --report hdfs:///thumbnails/report \\
        --partitions 1000 -- --size 320 --name '{hash:2}/{id}.{ext}'

A manifest line is {"id": ..., "src": ...}, or a Parquet file has these columns; what follows `--` goes to `spyglass resize`. With
`--pack tar` each partition has a folder of its own below `--out`, for its tar files: `00012/00000.tar`. `--out` is a folder that every worker has
mounted. The report holds one JSON line an item, whichever attempt of a task it came from. Exit status 1 says that
items failed, 3 that the job did.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from itertools import chain

from pyspark.sql import SparkSession

ALL_WELL, ITEMS_FAILED, JOB_FAILED = 0, 1, 3
#: Of what a failed program wrote on standard error, so much goes into the task's error.
SHOWN_ERROR = 2_000


def is_item(line):
    """Whether a line of a manifest is one: blank lines are passed over, as `spyglass` does."""
    return bool(line.strip())


class Feeder(threading.Thread):
    """Writes lines to a program while its answers are read, so that neither waits for the other's full pipe."""

    def __init__(self, lines, pipe):
        super().__init__(daemon=True)
        self.lines, self.pipe, self.count, self.error = lines, pipe, 0, None

    def run(self):
        """Until the lines or the program end; an error of Spark's own input is kept for the task."""
        try:
            with self.pipe:
                for line in self.lines:
                    self.pipe.write(line.encode() + b"\n")
                    self.count += 1
        except BrokenPipeError:
            pass  # The program's exit status says why.
        except Exception as error:
            self.error = error


def resized(command):
    """A function for `mapPartitionsWithIndex`: lines of a manifest in, lines of a report out.

    `command` makes the command of a partition from its number.

    The task fails, and Spark tries it again, unless the program ended well and has answered for every line. A second attempt costs
    little: what the first one made is whole, and is skipped.
    """

    def partition(number, lines):
        lines = filter(is_item, lines)
        first = next(lines, None)
        if first is None:
            return
        with tempfile.TemporaryFile() as errors:
            program = subprocess.Popen(command(number), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
            try:
                feeder = Feeder(chain([first], lines), program.stdin)
                feeder.start()
                answered, summary = 0, None
                for answer in map(bytes.decode, program.stdout):
                    if answer.startswith('{"summary"'):
                        summary = answer
                    else:
                        answered += 1
                        yield answer.rstrip("\n")
                status = program.wait()
                feeder.join()
                if feeder.error:
                    raise feeder.error
                if status not in (ALL_WELL, ITEMS_FAILED) or summary is None or answered != feeder.count:
                    errors.seek(0)
                    said = errors.read()[-SHOWN_ERROR:].decode(errors="replace").strip()
                    raise RuntimeError(
                        f"spyglass ended with status {status} after {answered} of {feeder.count} items: {said}"
                    )
            finally:
                # The task was killed, or failed: a second attempt may already run elsewhere.
                program.kill()
                program.wait()

    return partition


def main():
    """Runs the job and prints how many items ended in each way."""
    words, options = sys.argv[1:], []
    if "--" in words:
        words, options = words[: words.index("--")], words[words.index("--") + 1 :]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manifest", required=True, help="JSON lines or .parquet, a path or pattern that Spark can read")
    parser.add_argument("--out", required=True, help="the folder for results, the same on every worker")
    parser.add_argument("--report", required=True, help="where Spark writes the report, replacing an older one")
    parser.add_argument("--partitions", type=int, default=1, help="at least so many tasks")
    parser.add_argument("--spyglass", default="spyglass", help="the program on the workers")
    settings = parser.parse_args(words)

    try:
        counts = run(settings, options)
    except Exception as error:
        print(f"thumbnails.py: {error}", file=sys.stderr)
        sys.exit(JOB_FAILED)
    print(json.dumps(counts), flush=True)
    sys.exit(ITEMS_FAILED if counts.get("failed") else ALL_WELL)


def run(settings, options):
    """The number of items that ended in each way."""
    spark = SparkSession.builder.appName("thumbnails").getOrCreate()
    # A task gets as many cores as Spark counts for it: more at once is Spark's decision.
    cores = spark.conf.get("spark.task.cpus", "1")
    spyglass, out = settings.spyglass, settings.out
    # The tar files of two partitions would have the same names.
    is_packed = any(word == "--pack" or word.startswith("--pack=") for word in options)

    def command(number):
        folder = f"{out}/{number:05}" if is_packed else out
        return [spyglass, "resize", "--manifest", "-", "--report", "-", "--out", folder,
                "--jobs", cores, "--quiet", "--public-only", *options]  # fmt: skip

    if settings.manifest.endswith(".parquet"):
        lines = spark.read.parquet(settings.manifest).toJSON()
    else:
        lines = spark.sparkContext.textFile(settings.manifest, settings.partitions)
    answers = lines.mapPartitionsWithIndex(resized(command)).map(lambda answer: (answer,))
    # Spark commits a task's output once, also where the task ran twice: one line an item.
    spark.createDataFrame(answers, "value string").write.mode("overwrite").text(settings.report)

    ended = spark.read.schema("status string").json(settings.report).groupBy("status").count().collect()
    spark.stop()
    return {row["status"]: row["count"] for row in ended}


if __name__ == "__main__":
    main()
