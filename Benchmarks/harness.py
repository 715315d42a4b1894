"""Runs commands in alternating rounds and measures what each costs: CPU time, wall time, peak memory."""

import ctypes
import os
import platform
import statistics
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

#: Where inputs and programs are made.
WORK = Path(__file__).parent / "work"
WARM_UPS = 2
MEMORY_POLL_SECONDS = 0.001
#: What a process leaves running becomes a child of this one (prctl(2)), so that its CPU time counts.
PR_SET_CHILD_SUBREAPER = 36
#: The same for every tool: truecolor, UTF-8, and nothing that would switch colours off.
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": os.environ.get("HOME", "/"),
    "LANG": "C.UTF-8",
    "TERM": "xterm-256color",
    "COLORTERM": "truecolor",
}


@dataclass
class Samples:
    """What the runs of one command cost: milliseconds, and page faults of the process itself (`ru_minflt`)."""

    cpu: list = field(default_factory=list)
    wall: list = field(default_factory=list)
    faults: list = field(default_factory=list)


def median(values):
    """The middle value."""
    return statistics.median(values)


def spread(values):
    """The distance between the quartiles."""
    if len(values) < 2:
        return 0
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return high - low


def spawn(command):
    """Starts a command with its output thrown away; answers its process id."""
    actions = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in (0, 1, 2)]
    return os.posix_spawnp(command[0], command, ENVIRONMENT, file_actions=actions)


def check(command, status):
    """Stops when a command failed: a fast failure does not count."""
    if status != 0:
        raise SystemExit(f"compare: {' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")


def children():
    """The processes that this one waits for."""
    return {int(child) for child in Path("/proc/thread-self/children").read_text().split()}


def run_once(command):
    """(CPU, wall, page faults) of one run; CPU is user plus system time of the process and all that it starts."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    others = children()
    start = time.perf_counter()
    _, status, usage = os.wait4(spawn(command), 0)
    wall = time.perf_counter() - start
    check(command, status)
    cpu, faults = usage.ru_utime + usage.ru_stime, usage.ru_minflt
    while left := children() - others:
        _, _, usage = os.wait4(left.pop(), 0)
        cpu += usage.ru_utime + usage.ru_stime
    return cpu * 1000, wall * 1000, faults


def alternate(commands, rounds, before=None, after=None, warm_ups=WARM_UPS):
    """Runs every command once a round, so that a busy moment of the machine touches all; answers {name: Samples}.

    `before` and `after` are called with the name around each run, outside of what is measured.
    """
    samples = {name: Samples() for name in commands}
    for number in range(rounds + warm_ups):
        for name, command in commands.items():
            if before:
                before(name)
            cpu, wall, faults = run_once(command)
            if after:
                after(name)
            if number >= warm_ups:
                samples[name].cpu.append(cpu)
                samples[name].wall.append(wall)
                samples[name].faults.append(faults)
    return samples


def peak_memory(command):
    """VmHWM in MiB, read while the command runs.

    wait4's ru_maxrss would hold the peak of this process, from which the command was started, where that is larger.
    """
    process, peak = spawn(command), 0
    status_file = Path(f"/proc/{process}/status")
    while True:
        lines = status_file.read_text().splitlines()
        kibibytes = [int(line.split()[1]) for line in lines if line.startswith("VmHWM:")]
        peak = max([peak, *kibibytes])
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            check(command, status)
            return peak / 1024
        time.sleep(MEMORY_POLL_SECONDS)


def output(command):
    """What a command prints."""
    return subprocess.run(command, env=ENVIRONMENT, stdout=subprocess.PIPE, check=True).stdout


def machine():
    """What it was measured on."""
    cpu = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith("model name")), platform.machine())  # fmt: skip
    return {"cpu": cpu, "cores": len(os.sched_getaffinity(0)), "kernel": platform.release(),
            "system": platform.freedesktop_os_release().get("PRETTY_NAME", "")}  # fmt: skip
