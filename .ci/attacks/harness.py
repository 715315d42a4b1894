"""What the attacks share: running cases against a binary, and saying how they ended.

    def late(binary): ...raise Failed("what was seen")
    main({"a late reply is no key": late})
"""
import pathlib
import sys
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True


class Failed(Exception):
    """A case saw something else than it should."""


def main(cases):
    """Runs `cases`, functions of the binary by what they show; exits with 1 where one failed.

    Command line: the binary, by default the release build, and the beginnings of the cases to run, by default all.
    """
    arguments = sys.argv[1:]
    binary = str(pathlib.Path(arguments.pop(0) if arguments else ROOT / ".build/release/spyglass").resolve())
    failures = 0
    for what, case in cases.items():
        if arguments and not what.startswith(tuple(arguments)):
            continue
        try:
            case(binary)
            print(f"ok      {what}", flush=True)
        except Exception as problem:
            failures += 1
            seen = str(problem) if isinstance(problem, Failed) else traceback.format_exc().strip()
            print(f"FAILED  {what}: " + seen.replace("\n", "\n        | "), flush=True)
    sys.exit(1 if failures else 0)
