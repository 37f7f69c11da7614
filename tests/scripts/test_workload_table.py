#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/workload-table: what its rows say, whom it contradicts, and that the README has every program."""

import re
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "papers"))

import workloads


class Results:
    """Of every program the same efficiency on each machine, but of those that fail."""

    def __init__(self, efficiency, fails=()):
        self.efficiency, self.fails = efficiency, fails

    def total(self, point):
        if point.program in self.fails:
            return None
        total = {"simd_efficiency": self.efficiency[point.machine], "warp_instructions": 1234567}
        return total if point.timing == "functional" else total | {"cycles": 89000}


class WorkloadTable(unittest.TestCase):
    def row(self, results, program):
        return next(line for line in workloads.table(results).splitlines() if line.startswith(f"| `{program}` |"))

    def test_each_machine_has_its_own_bound(self):
        results = Results({"tbc2011": 0.759, "ivb2013": 0.951})
        self.assertEqual(self.row(results, "bvh"), "| `bvh` | RT-PR (Intra-warp Table 1) | 76 % | divergent | 95 % | coherent | "
                                                   "1,234,567 | 89,000 |")
        results = Results({"tbc2011": 0.76, "ivb2013": 0.949})
        self.assertIn("| 76 % | coherent | 95 % | divergent |", self.row(results, "bvh"))

    def test_a_program_that_fails_has_a_row_that_says_so(self):
        row = self.row(Results({"tbc2011": 1.0, "ivb2013": 1.0}, fails=["nvrt"]), "nvrt")
        self.assertIn("| - | fails | - | fails | - | - |", row)

    def test_a_manifest_that_says_otherwise_is_told(self):
        told = workloads.contradictions(Results({"tbc2011": 0.5, "ivb2013": 0.5}))
        self.assertIn("aes is said to be coherent, with an efficiency of 50.0 %", told)
        self.assertFalse([line for line in told if line.startswith("bvh ")])

    def test_the_readme_has_every_program_once(self):
        rows = re.findall(r"^\| `([\w-]+)` \|", (ROOT / "tb" / "workloads" / "README.md").read_text(), re.MULTILINE)
        self.assertEqual(rows, sorted(workloads.manifests()))


if __name__ == "__main__":
    unittest.main()
