#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/workload-table: what its rows say, whom it contradicts, and that the README has every program."""

import importlib.machinery
import importlib.util
import re
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent.parent
loader = importlib.machinery.SourceFileLoader("workload_table", str(ROOT / "scripts" / "workload-table"))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("workload_table", loader))
loader.exec_module(script)


def measured(of_32, of_16, fails=()):
    """Of every program the same efficiencies, but of those that fail."""
    row = {"efficiency_32": of_32, "efficiency_16": of_16, "warp_instructions": 1234567, "cycles": 89000}
    return {program: row for program in script.manifests() if program not in fails}


class WorkloadTable(unittest.TestCase):
    def row(self, results, program):
        return next(line for line in script.table(results).splitlines() if line.startswith(f"| `{program}` |"))

    def test_each_machine_has_its_own_bound(self):
        self.assertEqual(self.row(measured(0.759, 0.951), "bvh"),
                         "| `bvh` | RT-PR (Intra-warp Table 1) | 76 % | divergent | 95 % | coherent | 1,234,567 | 89,000 |")
        self.assertIn("| 76 % | coherent | 95 % | divergent |", self.row(measured(0.76, 0.949), "bvh"))

    def test_a_program_that_fails_has_a_row_that_says_so(self):
        self.assertIn("| - | fails | - | fails | - | - |", self.row(measured(1.0, 1.0, fails=["nvrt"]), "nvrt"))

    def test_a_manifest_that_says_otherwise_is_told(self):
        told = script.contradictions(measured(0.5, 0.5))
        self.assertIn("aes is said to be coherent, with an efficiency of 50.0 %", told)
        self.assertFalse([line for line in told if line.startswith("bvh ")])

    def test_the_readme_has_every_program_once(self):
        _, _, measured_there = (ROOT / "tb" / "workloads" / "README.md").read_text().partition("\n| Program |")
        rows = re.findall(r"^\| `([\w-]+)` \|", measured_there, re.MULTILINE)
        self.assertEqual(rows, sorted(script.manifests()))


if __name__ == "__main__":
    unittest.main()
