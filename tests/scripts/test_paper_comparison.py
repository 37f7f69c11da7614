#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/paper-comparison: which points it keeps and which it runs again, how it ends, and where its tables go."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "papers"))

import divergence_cost
import harp
import intra_warp
import tbc
import tstbc
from figures import mean_cell, members
from points import Point, Study, Wanted, digest

# Leaves statistics like the simulator's; the program's name says how it ends, and a file counts the runs.
SIMULATOR = """#!/bin/sh
echo run >> "$(dirname "$0")/runs"
while [ "$1" != -- ]; do [ "$1" = --out ] && out="$2"; [ "$1" = --mechanism ] && mechanism="$2"; shift; done
case "$2" in
  fails) echo "some output"; echo "FAIL: node 3 is wrong"; exit 1;;
  unknown) echo "warpfold: error: no such program"; exit 2;;
  hangs) echo $$ > "$out/pid"; exec sleep 60;;
esac
cycles=3000; [ "$mechanism" = tbc ] && cycles=2000
echo '{"total": {"cycles": '$cycles'}}' > "$out/stats.json"
printf 'launch,kernel,cycles,waves\\n0,0,1,1\\n1,1,9,4\\n' > "$out/launches.csv"
"""


class PaperComparison(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.build = self.folder / "build"
        (self.build / "bin" / "workloads").mkdir(parents=True)
        self.simulator = self.build / "bin" / "warpfold"
        self.simulator.write_text(SIMULATOR)
        self.simulator.chmod(0o755)
        digest.cache_clear()

    def study(self, size="default"):
        return Study(self.build / "bin", self.folder / "out", size)

    def run_points(self, *points, size="default"):
        with contextlib.redirect_stderr(io.StringIO()):
            study = self.study(size)
            study.run([study.resized(point) for point in points], 2)
        return study

    def runs(self):
        return (self.build / "bin" / "runs").read_text().count("run")

    def test_finished_points_are_kept(self):
        points = [Point("tbc2011", mechanism, "works") for mechanism in ("pdom", "tbc")]
        study = self.run_points(*points)
        self.assertEqual([study.total(point)["cycles"] for point in points], [3000, 2000])
        self.assertEqual(study.record(points[0])["waves"], 4, "of the longest launch")
        self.run_points(*points)
        self.assertEqual(self.runs(), 2)

    def test_a_changed_program_is_run_again(self):
        point = Point("tbc2011", "pdom", "works")
        self.run_points(point)
        (self.build / "bin" / "workloads" / "works").write_text("another build")
        digest.cache_clear()
        self.assertIsNone(self.study().record(point))
        self.run_points(point)
        self.assertEqual(self.runs(), 2)

    def test_every_option_makes_a_point_of_its_own(self):
        points = [
            Point("tbc2011", "pdom", "works"),
            Point("harp2013", "pdom", "works"),
            Point("tbc2011", "pdom", "works", size="one-block"),
            Point("tbc2011", "pdom", "works", simd="scc"),
            Point("tbc2011", "pdom", "works", sets=("core.warp_size=16",)),
            Point("tbc2011", "pdom", "works", arguments=("--n", "3")),
            Point("tbc2011", "pdom", "works", timing="functional"),
        ]
        study = self.run_points(*points)
        self.assertEqual(len({study.directory(point) for point in points}), len(points))
        self.assertEqual(len({study.key(point) for point in points}), len(points))

    def test_a_wrong_program_is_a_result(self):
        study = self.run_points(Point("tbc2011", "dwf", "fails"))
        self.assertIsNone(study.total(Point("tbc2011", "dwf", "fails")))
        self.assertEqual(study.record(Point("tbc2011", "dwf", "fails"))["reason"], "FAIL: node 3 is wrong")

    def test_a_mistake_ends_the_study(self):
        with self.assertRaisesRegex(SystemExit, "unknown on tbc2011.*no such program"):
            self.run_points(Point("tbc2011", "pdom", "unknown"))

    def test_small_inputs_stand_in_for_default_ones_only(self):
        study = self.study("small")
        self.assertEqual(study.resized(Point("m", "pdom", "p")).size, "small")
        self.assertEqual(study.resized(Point("m", "pdom", "p", size="one-block")).size, "one-block")

    def test_interrupted_it_leaves_no_process(self):
        point = Point("tbc2011", "pdom", "hangs")
        script = (
            f"import sys; sys.dont_write_bytecode = True; sys.path.insert(0, {str(ROOT / 'scripts' / 'papers')!r})\n"
            "from pathlib import Path\nfrom points import Point, Study\n"
            f"Study(Path({str(self.build / 'bin')!r}), Path({str(self.folder / 'out')!r}), 'default')"
            ".run([Point('tbc2011', 'pdom', 'hangs')], 1)"
        )
        process = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL)
        pid_file = self.study().directory(point) / "pid"
        for _ in range(1000):
            if pid_file.exists() and pid_file.read_text():
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.wait(20)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(pid_file.read_text()), 0)
        self.assertIsNone(self.study().record(point))

    def test_means_say_what_they_lack(self):
        self.assertEqual(mean_cell([2.0, 8.0]), "4.00")
        self.assertEqual(mean_cell([2.0, None, 8.0]), "4.00 (without 1)")

    def test_sets_are_the_papers(self):
        self.assertEqual(members("harp", "A"), ["mummer", "mummer-pp", "needle", "nqueens", "particlefilter"])
        self.assertIn("fwt", members("tstbc", "divergent"))
        self.assertIn("raytrace", members("tstbc", "coherent"))

    def test_tables_find_their_points(self):
        wanted = Wanted()
        harp.harp_types(wanted)
        self.assertIn(Point("harp2013", "harp", "nqueens", size="one-block"), wanted.points)
        tbc.tbc_experiments(wanted)
        blocks = ("core.registers=65536", "core.max_blocks=7")
        self.assertIn(Point("tbc2011", "tbc", "namd", sets=blocks), wanted.points, "Table 1 has 7 blocks of NAMD")

    def test_the_document_has_a_place_for_every_table(self):
        text = (ROOT / "docs" / "paper-comparison.md").read_text()
        script = (ROOT / "scripts" / "paper-comparison").read_text()
        self.assertIn("{name}: written by scripts/paper-comparison", script)
        for paper in (tbc, tstbc, harp, divergence_cost, intra_warp):
            for name in paper.TABLES:
                self.assertEqual(text.count(f"<!-- {name}: written by scripts/paper-comparison -->\n"), 1, name)
                self.assertEqual(text.count(f"<!-- end of {name} -->\n"), 1, name)


if __name__ == "__main__":
    unittest.main()
