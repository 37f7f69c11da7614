# SPDX-License-Identifier: Apache-2.0
"""Points of a study, a process each: run once, kept with a digest of what they depend on, and not run again."""

import concurrent.futures
import csv
import dataclasses
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclasses.dataclass(frozen=True)
class Point:
    machine: str
    mechanism: str
    program: str
    size: str = "default"
    simd: str = ""
    sets: tuple = ()  # of KEY=VALUE
    arguments: tuple = ()  # in the place of those of the size
    timing: str = "cycle"

    def name(self):
        words = [self.mechanism + ("+" + self.simd if self.simd else ""), *self.sets, *self.arguments]
        if self.timing != "cycle":
            words.append(self.timing)
        return re.sub(r"[^\w.=+-]", "_", "_".join(words))

    def label(self):
        return f"{self.program} on {self.machine}, {self.size}: {self.name()}"

    def options(self):
        words = ["--machine", self.machine, "--mechanism", self.mechanism, "--size", self.size, "--timing", self.timing]
        words += ["--simd", self.simd] if self.simd else []
        for assignment in self.sets:
            words += ["--set", assignment]
        return words


class Stopped(Exception):
    """The user has interrupted the run."""


@lru_cache(maxsize=None)
def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


class Study:
    """Points and their results under `folder`. `size` stands in for every default size."""

    def __init__(self, binaries, folder, size):
        self.binaries, self.folder, self.size = binaries, folder, size
        self.children, self.lock, self.stopped = set(), threading.Lock(), False

    def resized(self, point):
        return dataclasses.replace(point, size=self.size) if point.size == "default" else point

    def directory(self, point):
        return self.folder / point.machine / point.size / point.program / point.name()

    def key(self, point):
        """What the result depends on: if this changes, the point is run again."""
        files = [
            self.binaries / "warpfold",
            self.binaries / "workloads" / point.program,
            self.binaries / "workloads" / f"{point.program}.yaml",
            self.binaries.parent / "lib" / "libwarpfold_cudart.so",
            ROOT / "configs" / "machines" / f"{point.machine}.yaml",
            ROOT / "configs" / "mechanisms" / f"{point.mechanism}.yaml",
        ]
        words = [digest(file) for file in files] + point.options() + list(point.arguments)
        return hashlib.sha256("\n".join(words).encode()).hexdigest()

    def record(self, point):
        """What is kept of a finished point, or None: its state ("ok", "wrong"), the reason, seconds, the total."""
        point = self.resized(point)
        try:
            kept = json.loads((self.directory(point) / "point.json").read_text())
        except (OSError, ValueError):
            return None
        return kept if kept["key"] == self.key(point) else None

    def total(self, point):
        """The point's statistics, or None if its program failed."""
        record = self.record(point)
        return record["total"] if record["state"] == "ok" else None

    def run_point(self, point):
        folder = self.directory(point)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "point.json").unlink(missing_ok=True)
        command = [str(self.binaries / "warpfold"), "run", *point.options(), "--out", str(folder)]
        command += ["--", point.program, *point.arguments]
        start = time.monotonic()
        with open(folder / "output.txt", "w") as output:
            with self.lock:
                if self.stopped:
                    raise Stopped
                # A process group of its own: the terminal's Ctrl-C is for this script, which ends the others.
                child = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
                self.children.add(child)
            status = child.wait()
            with self.lock:
                self.children.discard(child)
        if self.stopped:
            raise Stopped
        self.keep(point, status, time.monotonic() - start)

    def keep(self, point, status, seconds):
        folder = self.directory(point)
        lines = [line for line in (folder / "output.txt").read_text(errors="replace").splitlines() if line]
        if status == 2:
            sys.exit(f"paper-comparison: {point.label()}: {lines[-1] if lines else 'no output'}")
        failures = [line for line in lines if line.startswith(("FAIL", "warpfold: "))]
        record = {"key": self.key(point), "state": "ok" if status == 0 else "wrong", "seconds": round(seconds, 1)}
        record["reason"] = failures[0] if status != 0 and failures else ""
        record["total"] = json.loads((folder / "stats.json").read_text())["total"] if status == 0 else None
        record["waves"] = waves_of(folder / "launches.csv") if status == 0 else None
        written = folder / "point.json.tmp"
        written.write_text(json.dumps(record, indent=1))
        os.replace(written, folder / "point.json")

    def run(self, points, jobs):
        """Runs what is not there yet; long programs first would need to be known, so in order."""
        to_run = [point for point in points if self.record(point) is None]
        print(f"{len(points)} points, {len(points) - len(to_run)} of them kept in {self.folder}", file=sys.stderr)
        done = 0
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            futures = {pool.submit(self.run_point, point): point for point in to_run}
            try:
                for future in concurrent.futures.as_completed(futures):
                    future.result()
                    done += 1
                    record, label = self.record(futures[future]), futures[future].label()
                    print(f"[{done}/{len(to_run)}] {label}: {record['state']}, {record['seconds']} s", file=sys.stderr)
            except BaseException:
                self.stop(pool)
                raise

    def stop(self, pool):
        with self.lock:
            self.stopped = True
            for child in self.children:
                os.killpg(child.pid, signal.SIGTERM)
        pool.shutdown(cancel_futures=True)


def waves_of(launches):
    """Of the launch that takes the most cycles, or None without cycles."""
    with launches.open(newline="") as file:
        longest = max(csv.DictReader(file), key=lambda launch: int(launch.get("cycles") or 0))
    return float(longest["waves"]) if longest.get("waves") else None


class Wanted:
    """Stands in for a study, to find out which points some tables need: every figure is 1, every point is noted."""

    class Ones(dict):
        def __missing__(self, key):
            return 1.0

        def __contains__(self, key):
            return True

        def __bool__(self):
            return True

    def __init__(self):
        self.points = {}

    def resized(self, point):
        return point

    def total(self, point):
        self.points[point] = None
        return self.Ones()

    def record(self, point):
        self.points[point] = None
        return {"total": self.Ones(), "waves": 1.0, "reason": "", "state": "ok"}
