#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/paper-comparison with a stand-in for the simulator: where its tables go, and when it writes none."""

import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "paper-comparison"
# study run|status|export STUDY …; a table names its view and whether it is quick.
SIMULATOR = """#!/bin/sh
echo "$2 $3" >> "$(dirname "$0")/calls"
case "$2" in
  run) [ "$3" = harp ] && exit 2; exit 1;;
  status) [ "$3" = tstbc ] && echo "4 points, 4 runs: 2 done, 0 failed, 2 missing" && exit 1
          echo "4 points, 4 runs: 3 done, 1 failed, 0 missing";;
  export) while [ "$1" != --view ]; do [ "$1" = --quick ] && quick=" quick"; shift; done; echo "| $2$quick |";;
esac
"""
TEXT = """Prose.
<!-- one: written by scripts/paper-comparison -->
| old |
<!-- end of one -->
More.
<!-- two: written by scripts/paper-comparison -->
| kept |
<!-- end of two -->
"""


class PaperComparison(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        for folder in ("scripts", "docs", "build/release/bin", "results"):
            (self.root / folder).mkdir(parents=True)
        shutil.copy(SCRIPT, self.root / "scripts" / "paper-comparison")
        simulator = self.root / "build" / "release" / "bin" / "warpfold"
        simulator.write_text(SIMULATOR)
        simulator.chmod(0o755)
        self.document = self.root / "docs" / "paper-tbc.md"
        self.document.write_text(TEXT)
        with sqlite3.connect(self.root / "results" / "store.sqlite") as store:
            store.execute("CREATE TABLE figure(view, study)")
            rows = [("one", "tbc"), ("two", "harp"), ("one_quick", "tbc-quick"), ("elsewhere", "tbc")]
            store.executemany("INSERT INTO figure VALUES(?, ?)", rows)

    def run_script(self, *options):
        command = [sys.executable, self.root / "scripts" / "paper-comparison", *options]
        return subprocess.run(command, capture_output=True, text=True)

    def test_tables_of_the_studies_asked_for_are_replaced(self):
        done = self.run_script("--only", "tbc")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.document.read_text(), TEXT.replace("| old |", "| one |"))

    def test_quick_ones_are_printed(self):
        done = self.run_script("--only", "tbc", "--quick")
        self.assertEqual(done.stdout, "one\n\n| one quick |\n\n")
        self.assertEqual(self.document.read_text(), TEXT)

    def test_nothing_is_written_of_a_study_that_is_not_complete(self):
        done = self.run_script("--only", "tbc,tstbc")
        self.assertIn("study tstbc is not complete; what has finished is kept", done.stderr)
        self.assertEqual(self.document.read_text(), TEXT)

    def test_a_study_that_cannot_be_run_ends_it(self):
        self.assertIn("study harp is not complete", self.run_script("--only", "harp,tbc").stderr)

    def test_mistakes(self):
        self.assertIn("--only: no study 'tbcc' of a paper; known are tbc, tstbc,", self.run_script("--only", "tbcc").stderr)


if __name__ == "__main__":
    unittest.main()
