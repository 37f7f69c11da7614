#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""configs/studies/printed.csv: every value and figure of the papers has a view that shows it, or a reason why none does."""

import csv
import re
import unittest
from pathlib import Path

STUDIES = Path(__file__).resolve().parents[2] / "configs" / "studies"


class Printed(unittest.TestCase):
    def setUp(self):
        with (STUDIES / "printed.csv").open(newline="") as file:
            self.rows = list(csv.DictReader(file))
        self.figures = set()
        for study in STUDIES.glob("*.yaml"):
            self.figures.update(re.findall(r"^ +- \{?name: (\w+)", study.read_text(), re.MULTILINE))

    def test_every_row_has_figures_or_a_reason(self):
        for row in self.rows:
            self.assertNotEqual(bool(row["figure"]), bool(row["reason"]), row)
            self.assertTrue(row["paper"] and row["where"] and row["metric"], row)

    def test_every_figure_is_one_of_a_study(self):
        named = {figure for row in self.rows for figure in row["figure"].split(";") if figure}
        self.assertFalse(named - self.figures)

    def test_all_papers_are_there(self):
        self.assertEqual({row["paper"] for row in self.rows}, {"TBC", "TSTBC", "DivCost", "HARP", "IntraWarp"})


if __name__ == "__main__":
    unittest.main()
