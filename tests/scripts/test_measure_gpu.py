#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/measure-gpu with stand-ins for nvcc and ncu: what it asks them, what it writes, and what it says of trouble."""

import csv
import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
loader = importlib.machinery.SourceFileLoader("measure_gpu", str(ROOT / "scripts" / "measure-gpu"))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("measure_gpu", loader))
loader.exec_module(script)
# A compiler that notes how it was called and makes a program that ends as its name says.
NVCC = """#!/bin/sh
echo "$@" >> {log}
case "$*" in *wp.cu*) echo "wp.cu(3): error: no such thing" >&2; exit 2;; esac
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\necho PASS\\n' > "$2"; chmod +x "$2"
"""
# A profiler that says of every program that it launched one kernel twice and another once.
NCU = """#!/usr/bin/env python3
import csv, subprocess, sys
words = sys.argv[1:]
value = lambda name: words[words.index(name) + 1]
open({log!r}, "a").write(" ".join(words) + "\\n")
program = words[words.index("--log-file") + 2 :]
if program[0].endswith("/digits"):
    print("==ERROR== ERR_NVGPUCTRPERM: the user has no right to read counters")
    sys.exit(1)
subprocess.run(program, check=True)
metrics = value("--metrics").split(",")
unit = lambda metric: "cycle" if "cycles" in metric else "inst" if "inst" in metric else {sector!r}
with open(value("--log-file"), "w") as log:
    print("==PROF== Connected to process 7", file=log)
    rows = csv.writer(log, quoting=csv.QUOTE_ALL)
    rows.writerow(["ID", "Process ID", "Kernel Name", *metrics])
    rows.writerow(["", "", "", *map(unit, metrics)])
    for number, kernel in enumerate(["expand(int, int *)", "settle(int)", "expand(int, int *)"]):
        rows.writerow([number, 7, kernel, *(f"{{1000 * (number + 1) + place:,}}" for place, _ in enumerate(metrics[:-1])), "n/a"])
"""


class MeasureGpu(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.tools, self.log, self.out = self.folder / "tools", self.folder / "log", self.folder / "measured.csv"
        self.tools.mkdir()
        for needed in ("sh", "python3", "chmod", "env"):
            (self.tools / needed).symlink_to(shutil.which(needed))
        self.tool("nvcc", NVCC.format(log=self.log))
        self.tool("ncu", NCU.format(log=str(self.log), sector="sector"))

    def tool(self, name, text):
        (self.tools / name).write_text(text)
        (self.tools / name).chmod(0o755)

    def measure(self, *words):
        command = [sys.executable, str(ROOT / "scripts" / "measure-gpu"), "--out", str(self.out), *words]
        return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": str(self.tools)})

    def rows(self):
        with self.out.open() as file:
            return list(csv.DictReader(file))

    def test_a_row_for_each_launch(self):
        ran = self.measure("--size", "small", "bfs", "matmul")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        rows = self.rows()
        self.assertEqual([(row["program"], row["kernel"], row["launch"]) for row in rows],
                         [(program, kernel, launch) for program in ("bfs", "matmul")
                          for kernel, launch in (("expand(int, int *)", "1"), ("settle(int)", "1"), ("expand(int, int *)", "2"))])
        self.assertEqual([row["cycles"] for row in rows[:3]], ["1000", "2000", "3000"])
        self.assertEqual(rows[2]["instructions"], "3002")
        self.assertEqual(rows[2]["l1_write_misses"], "", "what was not collected is not 0")
        said = self.log.read_text()
        self.assertIn("-O3 -std=c++17 -arch=native", said)
        self.assertIn("tb/workloads/bfs/bfs.cu", said)
        self.assertIn("/bfs --size small", said)
        self.assertIn("--print-units base", said)

    def test_programs_that_fail_have_no_rows(self):
        ran = self.measure("wp", "digits", "matmul")
        self.assertEqual(ran.returncode, 1)
        self.assertEqual({row["program"] for row in self.rows()}, {"matmul"})
        self.assertIn("measure-gpu: wp: nvcc: exit status 2: wp.cu(3): error: no such thing\n", ran.stderr)
        self.assertIn("measure-gpu: digits: ncu: exit status 1: ==ERROR== ERR_NVGPUCTRPERM", ran.stderr)

    def test_nothing_is_written_of_nothing(self):
        ran = self.measure("wp")
        self.assertEqual(ran.returncode, 1)
        self.assertTrue(ran.stderr.endswith(f"measure-gpu: nothing was measured: {self.out} is not written\n"))
        self.assertFalse(self.out.exists())

    def test_units_that_are_others_are_refused(self):
        self.tool("ncu", NCU.format(log=str(self.log), sector="byte"))
        ran = self.measure("bfs")
        self.assertIn("bfs: dram__sectors_read.sum is in 'byte', not in sector", ran.stderr)
        self.assertFalse(self.out.exists())

    def test_what_is_missing_is_told_in_one_line(self):
        for tool in ("ncu", "nvcc"):
            (self.tools / tool).unlink()
            ran = self.measure("bfs")
            self.assertEqual((ran.returncode, ran.stderr),
                             (1, f"measure-gpu: no {tool} on PATH: it comes with NVIDIA's CUDA toolkit\n"))
        self.assertIn("no bundled program 'bsf'", self.measure("bsf").stderr)

    def test_every_manifest_is_understood(self):
        known = script.manifests()
        self.assertGreater(len(known), 50)
        for program, entry in known.items():
            self.assertTrue(entry["sources"] and all(source.is_file() for source in entry["sources"]), program)
            self.assertIn("small", entry["arguments"], program)
        self.assertEqual(known["nvrt-exits"]["options"], [])


if __name__ == "__main__":
    unittest.main()
