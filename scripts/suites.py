# SPDX-License-Identifier: Apache-2.0
"""Public suites of CUDA programs and PTX files, built and run as they are: what became of each, and what changed since
the last time. Used by scripts/corpus, whose list says where they are ([suite.NAME] of scripts/corpus.toml).

A program's outcome is one of
  right      it ended with status 0 and said that its results are right
  ended      it ended with status 0 and judged nothing
  wrong      it said that its results are wrong
  failed     it ended with another status, or had no input
  too long   it did not end in time
  not built  its makefile ended with an error
and a PTX file's `loads` or `refused`, by its kernels. The table of outcomes of a suite lies in the cache, by compiler:
one is compared with the other, too.
"""

import concurrent.futures
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

SUITE_KEYS = {"source", "programs", "without", "build", "run", "binary", "count", "seed", "says"}
ORDER = ["right", "ended", "loads", "wrong", "failed", "refused", "too long", "not built"]
MACHINE = "volta"  # today's programs want as much shared memory
RIGHT = re.compile(r"\b(pass(ed)?|success(ful(ly)?)?|correct(ly)?|ok|verified|valid)\b", re.I)
NO_INPUT = re.compile(r"no such file|(open|read|find|load)\w* .*(file|\.\w{3,4}\b)", re.I)  # says nothing of results
WRONG = re.compile(r"\b(fail(ed|ure)?|mismatch(es|ed)?|incorrect|wrong|invalid result)\b", re.I)
# Of a program's output, what says how fast it was.
TIMES = re.compile(r"time|second|\bm?s\b|\bus\b|[kmgt]?b/s|flop|throughput|bandwidth|fps|speedup|elapsed|rate", re.I)


RUNNING = set()


def stop_all():
    for process in list(RUNNING):
        os.killpg(process.pid, signal.SIGKILL)


def run(words, folder, seconds, environment=None):
    """Status (None: killed for its time) and all that was printed; nothing of it goes on behind."""
    process = subprocess.Popen(words, cwd=folder, env=environment, text=True, errors="replace", start_new_session=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    RUNNING.add(process)
    try:
        text, _ = process.communicate(timeout=seconds)
        return process.returncode, text
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        text, _ = process.communicate()
        return None, text
    finally:
        RUNNING.discard(process)


def complaint(text):
    """The first line that says what is wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"\berror\b|undefined reference|No such file", line, re.I)]
    return (errors or lines or ["nothing was printed"])[0][:200]


def judged(status, text):
    if status is None:
        return "too long", ""
    if status != 0:
        said = [line for line in text.splitlines() if WRONG.search(line) and not RIGHT.search(line)
                and not NO_INPUT.search(line) and not line.startswith("warpfold:")]
        return ("wrong", said[0].strip()[:200]) if said and "warpfold: error" not in text else ("failed", complaint(text))
    said = [line.strip() for line in text.splitlines()]
    wrong = [line for line in said if WRONG.search(line) and not re.search(r"\b(0|no|without)\b", line)]
    if wrong:
        return "failed" if NO_INPUT.search(wrong[0]) else "wrong", wrong[0][:200]
    return ("right", "") if any(RIGHT.search(line) for line in said) else ("ended", "")


def values(text):
    """What of an output does not change with the clock."""
    return [line.rstrip() for line in text.splitlines() if not TIMES.search(line) and "warpfold:" not in line]


class Suite:
    def __init__(self, name, table, tree, build, folder, options):
        self.name, self.table, self.tree, self.options = name, table, tree, options
        self.warpfold, self.compiler = build / "bin" / "warpfold", build / "bin" / "warpfold-cc"
        self.words = {"nvcc": self.compiler, "cuda": build / "cuda"}
        self.folder = folder / "suites" / name
        self.results = self.folder / f"outcomes{'-' + options.clang if options.clang else ''}.json"

    def members(self):
        without = [re.compile(pattern) for pattern in self.table.get("without", [])]
        found = sorted(str(path.relative_to(self.tree)) for path in self.tree.glob(self.table["programs"])
                       if path.is_dir() == ("build" in self.table))
        found = [path for path in found if not any(pattern.search(path) for pattern in without)]
        if self.options.only:
            return [path for path in found if any(name in path.split("/") for name in self.options.only)]
        count = self.options.count or self.table.get("count", len(found))
        seed = self.options.seed if self.options.seed is not None else self.table.get("seed", 0)
        return sorted(random.Random(seed).sample(found, min(count, len(found))))

    def copy(self):
        """To build in: sources stay as they were fetched."""
        place = self.folder / "tree"
        if not place.exists():
            new = self.folder / "new"
            shutil.rmtree(new, ignore_errors=True)
            shutil.copytree(self.tree, new, symlinks=True)
            new.rename(place)
        return place

    def filled(self, command, **more):
        return re.sub(r"\{(\w+)\}", lambda found: str((self.words | more)[found[1]]), command)

    def outcome(self, path):
        if "build" not in self.table:
            status, text = run([self.warpfold, "list", "kernels", self.tree / path], None, self.options.limit)
            return {"outcome": "too long" if status is None else "refused" if status else "loads",
                    "says": complaint(text) if status else ""}
        folder = self.copy() / path
        environment = os.environ | {"PATH": f"{self.words['cuda']}/bin:{self.compiler.parent}:{os.environ['PATH']}"}
        if self.options.clang:
            environment["WARPFOLD_CLANG"] = self.options.clang
        # By env: some makefiles set variables before the program.
        more = {"name": Path(path).name,
                "run": f"{self.warpfold} run --quiet --timing functional --machine {MACHINE} -- /usr/bin/env"}
        status, text = run(["sh", "-c", self.filled(self.table["build"], **more)], folder, 600, environment)
        if status != 0:
            return {"outcome": "not built", "says": complaint(text)}
        status, text = run(["sh", "-c", self.filled(self.table["run"], **more)], folder, self.options.limit, environment)
        outcome, says = judged(status, text)
        return {"outcome": outcome, "says": says, "values": values(text)[:200]}

    def measure(self):
        members = self.members()
        known = json.loads(self.results.read_text()) if self.results.exists() else {}
        before = dict(known)
        self.folder.mkdir(parents=True, exist_ok=True)
        if "build" in self.table:
            self.copy()
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            try:
                for path, found in zip(members, pool.map(self.outcome, members)):
                    known[path] = found
                    print(f"{found['outcome']:<10} {path}{': ' if found['says'] else ''}{found['says']}", flush=True)
                    # Kept as it goes: what was done is not done again for a run that was stopped.
                    new = self.results.with_suffix(".new")
                    new.write_text(json.dumps(known, indent=1))
                    new.rename(self.results)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                stop_all()
                raise
        self.sum_up(members, known, before)

    def sum_up(self, members, known, before):
        counts = {outcome: sum(known[path]["outcome"] == outcome for path in members) for outcome in ORDER}
        print(f"corpus: {self.name}: {len(members)}: " +
              ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count))
        for path in members:
            if path in before and before[path]["outcome"] != known[path]["outcome"]:
                print(f"corpus: {path}: {before[path]['outcome']} before, {known[path]['outcome']} now")
        for other in self.folder.glob("outcomes*.json"):
            if other == self.results:
                continue
            theirs = json.loads(other.read_text())
            for path in members:
                mine, their = known[path], theirs.get(path, {})
                both = {mine["outcome"], their.get("outcome")} <= {"right", "ended"}
                if both and mine["values"] != their["values"]:
                    print(f"corpus: {path}: other values than in {other.name}")
