#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/headlines with a stand-in for the simulator: what a claim comes to, and that the papers' list stays what it was."""

import csv
import hashlib
import importlib.machinery
import importlib.util
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "headlines"
LIST = ROOT / "configs" / "studies" / "headlines.csv"
loader = importlib.machinery.SourceFileLoader("headlines", str(SCRIPT))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("headlines", loader))
loader.exec_module(script)
# The list as it was before the studies were run for it, but for cause and experiment.
FROZEN = "7fdc7f5cc1b2721a20df6321a1ad90ba96ab7adfdc2e6cb6bc93accd3612d14c"
LATER = ("cause", "experiment")
# study export STUDY --view VIEW … [--quick] --json, or area --papers --json: what lies in a file of that name.
SIMULATOR = """#!/bin/sh
cd "$(dirname "$0")" || exit
name=area quick=
while [ $# -gt 0 ]; do
  case "$1" in --view) name=$2;; --quick) quick=_quick;; esac
  shift
done
[ -f "$name$quick.json" ] && cat "$name$quick.json" && exit
echo "warpfold: error: results: study one has no view '$name'; known are result" >&2
exit 2
"""
COLUMNS = ("claim,paper,where,kind,scope,what,metric,system,baseline,programs,sign,against,size,unit,tolerance,input,shows,view,"
           "cause,experiment").split(",")
USUAL = {"paper": "P", "where": "§1", "kind": "speed-up", "scope": "set", "what": "a is faster", "metric": "speed", "system": "a",
         "baseline": "b", "programs": "all", "sign": "more", "against": "1", "unit": "x", "shows": "v", "view": "one_headlines"}
PAGE = "Prose.\n" + "".join(f"<!-- {name}: written by scripts/headlines -->\nold\n<!-- end of {name} -->\n" for name in ("counts", "claims"))


def result(claim, ours, low=None, high=None, **more):
    return {"claim": claim, "of": "8 programs", "ours": ours, "low": low, "high": high, "bound": None, **more}


class Headlines(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        for folder in ("scripts", "docs", "configs/studies", "build/release/bin", "results"):
            (self.root / folder).mkdir(parents=True)
        shutil.copy(SCRIPT, self.root / "scripts" / "headlines")
        self.bin = self.root / "build" / "release" / "bin"
        (self.bin / "warpfold").write_text(SIMULATOR)
        (self.bin / "warpfold").chmod(0o755)
        self.page = self.root / "docs" / "headlines.md"
        self.page.write_text(PAGE)
        for study in ("one", "two"):
            (self.root / f"configs/studies/{study}.yaml").write_text(f"figures:\n  - name: {study}_headlines\n    title: x\n")
        self.stored(("one", "default"))

    def stored(self, *studies, state="ok"):
        path = self.root / "results" / "store.sqlite"
        path.unlink(missing_ok=True)
        with sqlite3.connect(path) as store:
            store.execute("CREATE TABLE result(study, size, state)")
            store.executemany("INSERT INTO result VALUES(?, ?, ?)", [(*study, state) for study in studies])

    def results(self, *rows, view="one_headlines"):
        (self.bin / f"{view}.json").write_text(json.dumps(rows))

    def listed(self, *rows):
        with (self.root / "configs/studies/headlines.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows({**USUAL, **row} for row in rows)

    def run_script(self, *options):
        command = [sys.executable, self.root / "scripts" / "headlines", *options]
        return subprocess.run(command, capture_output=True, text=True)

    def counted(self, *options):
        """What the first row of the table counts: all, right, wrong, undecided."""
        done = self.run_script(*options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = re.search(r"^\| all \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", done.stdout, re.MULTILINE)
        return [int(word) for word in found.groups()], done.stdout

    def verdict(self, row, *results, options=()):
        """Of the one claim x."""
        self.listed({"claim": "x", **row})
        self.results(*results)
        (_, *numbers), said = self.counted(*options)
        self.assertEqual(sum(numbers), 1)
        return ("right", "wrong", "undecided")[numbers.index(1)], said

    def error(self, *options):
        done = self.run_script(*options)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
        return done.stderr.strip()

    def test_signs(self):
        for sign, ours, low, high, wanted in (
                ("more", 1.1, None, None, "right"), ("more", 0.9, None, None, "wrong"), ("more", 1, None, None, "wrong"),
                ("less", 0.9, None, None, "right"), ("less", 1.1, None, None, "wrong"), ("less", 1, None, None, "wrong"),
                ("more", 1.1, 1.01, 1.2, "right"), ("more", 1.1, 0.99, 1.2, "undecided"), ("more", 0.9, 0.8, 0.99, "wrong"),
                ("less", 0.9, 0.8, 0.99, "right"), ("less", 0.9, 0.8, 1.01, "undecided"), ("less", 1.1, 1.01, 1.2, "wrong")):
            with self.subTest(sign=sign, low=low, ours=ours):
                self.assertEqual(script.judged({"sign": sign, "against": 1}, result("x", ours, low, high))[0], wanted)

    def test_a_sign_is_against_a_value_of_its_own(self):
        self.assertEqual(self.verdict({"sign": "less", "against": "16"}, result("x", 5))[0], "right")
        self.assertEqual(self.verdict({"sign": "more", "against": "0"}, result("x", -2))[0], "wrong")

    def test_the_same_is_within_its_tolerance(self):
        for ours, low, high, wanted in ((1.03, None, None, "right"), (0.97, None, None, "right"), (1.031, None, None, "wrong"),
                                        (1.01, 0.99, 1.02, "right"), (1.01, 0.95, 1.07, "undecided"), (1.08, 1.04, 1.12, "wrong")):
            with self.subTest(ours=ours, low=low):
                claim = {"sign": "same", "against": 1, "tolerance": 3}
                self.assertEqual(script.judged(claim, result("x", ours, low, high))[0], wanted)
        self.assertEqual(self.verdict({"sign": "same", "tolerance": "3", "against": "92.24"}, result("x", 90))[0], "right")

    def test_an_interval_with_both_sides_is_told(self):
        self.assertIn("undecided  x: 1.1 (0.99 to 1.2), 8 programs; the paper: more than 1; the interval has both sides",
                      self.verdict({}, result("x", 1.1, 0.99, 1.2))[1])

    def test_without_a_result_nothing_is_decided(self):
        self.assertIn("undecided  1 of P: no recipe yet", self.verdict({"view": ""})[1])
        self.assertIn("undecided  1 of P: not run", self.verdict({"view": "two_headlines"})[1])
        self.assertIn("x: -; the paper: more than 1; no result", self.verdict({})[1])
        self.assertIn("no result", self.verdict({}, result("x", None))[1])
        self.stored(("one", "default"), state="missing")
        self.assertIn("undecided  1 of P: not run", self.verdict({}, result("x", 2))[1])
        (self.root / "results" / "store.sqlite").unlink()
        self.assertIn("undecided  1 of P: not run", self.verdict({}, result("x", 2))[1])

    def test_each_program_that_a_claim_names_must_have_a_result(self):
        named = {"scope": "programs", "programs": "bfs lps"}
        self.assertIn("not all programs have a result", self.verdict(named, result("x", 1.1, programs=1))[1])
        self.assertEqual(self.verdict(named, result("x", 1.1, programs=2))[0], "right")
        self.assertEqual(self.verdict(named, result("x", 1.1))[0], "right")

    def test_small_inputs_that_say_otherwise_undo_a_verdict(self):
        self.stored(("one", "default"), ("one-quick", "small"))
        self.results(result("x", 0.9), view="one_headlines_quick")
        self.assertIn("small inputs say otherwise", self.verdict({}, result("x", 1.1))[1])
        self.assertEqual(self.verdict({}, result("x", 0.8))[0], "wrong")
        self.stored(("one", "default"), ("one-quick", "default"))
        self.assertEqual(self.verdict({}, result("x", 1.1))[0], "right")

    def test_originals_count_where_they_exist(self):
        word, said = self.verdict({}, result("x", 1.1), result("x", 0.9, originals=1))
        self.assertEqual(word, "wrong")
        self.assertIn("wrong      x: 0.9, 8 programs", said)

    def test_what_is_given_is_not_counted(self):
        self.listed({"claim": "x", "input": "a parameter"}, {"claim": "y"})
        self.results(result("x", 1), result("y", 2))
        numbers, said = self.counted()
        self.assertEqual(numbers, [1, 1, 0, 0])
        self.assertIn("1 claims are given", said)

    def test_sizes_are_counted_beside_signs(self):
        self.listed({"claim": "x", "size": "1.22"}, {"claim": "y", "size": "1.10"}, {"claim": "z"})
        self.results(result("x", 1.2), result("y", 1.05), result("z", 0.9))
        _, said = self.counted()
        self.assertIn("| with a printed size | 2 | 2 | 0 | 0 |\n| sign only | 1 | 0 | 1 | 0 |", said)
        self.assertIn("Of 2 printed sizes that there is a result beside, 1 are met within 3 %.", said)

    def test_wrong_ones_have_a_cause_or_say_that_none_is_known(self):
        self.assertIn("no experiment yet", self.verdict({}, result("x", 0.9))[1])
        known = {"cause": "latency", "experiment": "view v"}
        self.assertIn("latency (view v)", self.verdict(known, result("x", 0.9))[1])

    def test_areas(self):
        (self.bin / "area.json").write_text(json.dumps({"T 1": [{"figure": "all", "ours": 0.5}]}))
        self.assertEqual(self.verdict({"view": "area: T 1: all", "sign": "less"})[0], "right")
        self.listed({"claim": "x", "view": "area: T 1: some"})
        self.assertEqual(self.error(), "headlines: configs/studies/headlines.csv:2: warpfold area --papers has no 'T 1: some'")

    def test_the_page(self):
        self.verdict({}, result("x", 1.1, 1.05, 1.15), options=["--write"])
        text = self.page.read_text()
        self.assertIn("| `x` | §1 | a is faster | more than 1 | 1.1 (1.05 to 1.15), 8 programs | - | - | right |  | v |", text)
        self.assertTrue(text.startswith("Prose.\n<!-- counts: ") and "old" not in text)
        self.assertEqual(self.run_script("--check").returncode, 0)
        self.results(result("x", 0.9))
        self.assertIn("docs/headlines.md says something else than the results", self.error("--check"))
        self.page.write_text("Prose.\n")
        self.assertIn("wants one pair of markers", self.error("--write"))

    def test_quick_forms_are_printed(self):
        self.stored(("one-quick", "small"))
        self.results(result("x", 0.9), view="one_headlines_quick")
        self.assertEqual(self.verdict({}, result("x", 1.1), options=["--quick"])[0], "wrong")
        self.assertEqual(self.page.read_text(), PAGE)

    def test_a_list_that_is_wrong_names_its_line(self):
        for row, said in (({"sign": ""}, "no 'sign'"), ({"sign": "above"}, "sign 'above' is none of more, less, same"),
                          ({"against": ""}, "no 'against'"), ({"size": "22 %"}, "size '22 %' is no number"),
                          ({"sign": "same"}, "a tolerance goes with sign 'same'"), ({"claim": "a"}, "there is a claim 'a' already"),
                          ({"cause": "latency"}, "a cause wants an experiment, and an experiment a cause"),
                          ({"view": "none_headlines"}, "no study of configs/studies has a figure 'none_headlines'")):
            with self.subTest(said=said):
                self.listed({"claim": "a"}, {"claim": "b", **row})
                self.results(result("a", 2))
                self.assertEqual(self.error(), f"headlines: configs/studies/headlines.csv:3: {said}")
        with (self.root / "configs/studies/headlines.csv").open("a") as file:
            file.write("c,P,§1\n")
        self.assertEqual(self.error(), "headlines: configs/studies/headlines.csv:4: 20 columns are wanted")

    def test_views_and_list_name_the_same_claims(self):
        self.listed({"claim": "x"})
        self.results(result("x", 2), result("y", 2))
        self.assertEqual(self.error(), "headlines: one_headlines has a row of 'y', which is no claim of the list with that view")
        (self.bin / "one_headlines.json").unlink()
        self.assertRegex(self.error(), "has no view 'one_headlines'.*; warpfold study run one makes views that are missing$")


class PapersList(unittest.TestCase):
    def setUp(self):
        with LIST.open(newline="") as file:
            self.rows = list(csv.DictReader(file))

    def test_it_is_the_one_that_was_frozen(self):
        kept = "\n".join(json.dumps([row[key] for key in row if key not in LATER], ensure_ascii=False) for row in self.rows)
        self.assertEqual(hashlib.sha256(kept.encode()).hexdigest(), FROZEN)

    def test_its_figures_are_there(self):
        figures = {name for study in LIST.parent.glob("*.yaml") for name in re.findall(r"^ +- \{?name: (\w+)", study.read_text(), re.M)}
        for row in self.rows:
            if not row["shows"].startswith(("warpfold ", "tests/")):
                self.assertFalse(set(row["shows"].split(";")) - figures, row["claim"])
            self.assertTrue(not row["view"] or row["view"].startswith("area: ") or row["view"] in figures, row["claim"])

    def test_the_page_has_each_claim_once(self):
        page = (ROOT / "docs" / "headlines.md").read_text()
        self.assertEqual(re.findall(r"^\| `([\w-]+)` \|", page, re.M), [row["claim"] for row in self.rows])


if __name__ == "__main__":
    unittest.main()
