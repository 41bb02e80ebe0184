"""Runs a program and measures it: wall time, processor time of all its descendants, its own peak memory."""

import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Measured:
    """What came of a program. Processor time is that of everything it waited for."""

    code: int
    output: str
    wall: float
    processor: float
    peak_mib: float
    late: bool


def high_water(pid):
    """The peak memory of a process until now, in MiB; zero where the system does not tell."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    except (OSError, ValueError):
        pass
    return 0.0


def watch(pid, ended, peaks):
    """Asks a process for its peak until it ends; what it needed in its last moments is not seen."""
    while not ended.wait(0.05):
        peaks.append(max(high_water(pid), peaks[-1] if peaks else 0.0))
        del peaks[:-1]


def run(argv, cwd, env, log, seconds):
    """Runs it with its output in a file, in a process group of its own that ends with it."""
    began = time.monotonic()
    with open(log, "wb") as file:
        child = subprocess.Popen(
            argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    ended, peaks, late = threading.Event(), [0.0], threading.Event()
    watcher = threading.Thread(target=watch, args=(child.pid, ended, peaks))
    watcher.start()
    timer = threading.Timer(seconds, end, (child.pid, late))
    timer.start()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    timer.cancel()
    ended.set()
    watcher.join()
    processor = usage.ru_utime + usage.ru_stime
    output = Path(log).read_text(errors="replace")
    wall = time.monotonic() - began
    return Measured(child.returncode, output, wall, processor, peaks[-1], late.is_set())


def end(pid, late):
    """A time limit was reached: in order first, so that a `tdd` ends its own children, then by force."""
    late.set()
    for number, patience in ((signal.SIGTERM, 20), (signal.SIGKILL, 0)):
        try:
            os.killpg(pid, number)
        except ProcessLookupError:
            return
        time.sleep(patience)
