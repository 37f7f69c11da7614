#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/digests with a stand-in for the simulator, whose programs are shell scripts that do what a run would."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "digests"
# Called as: list WHAT, or run --size small --machine M --mechanism M [--simd P] --out DIRECTORY -- PROGRAM.
STAND_IN = """#!/bin/sh
workloads=$(dirname "$0")/workloads
case "$1 $2" in
  "list mechanisms") printf 'pdom  meaning\\ntbc  meaning\\n'; exit ;;
  "list machines") cat "$(dirname "$0")/machines"; exit ;;
  "list workloads") ls "$workloads"; exit ;;
  "prepare all") ls -d "$workloads"/*; exit ;;
esac
machine=$5 mechanism=$7
[ "$8" != --simd ] || { mechanism=$7+$9; shift 2; }
out=$9
shift 10
. "$workloads/$1"
"""


def statistics(cycles=100, hits=7, launches=(60, 40), **others):
    total = {"cycles": cycles, "warp_instructions": 30, "thread_instructions": 900, "hits": hits, **others}
    return total, launches


def does(result):
    """As a shell command: writes statistics, or complains as a program or as warpfold."""
    if "wrong" in result:
        return f"echo 'FAIL: {result['wrong']}'; echo warpfold: it failed >&2; exit 1"
    if "refused" in result:
        return f"echo 'warpfold: error: {result['refused']}' >&2; exit 2"
    total, launches = result
    rows = "".join(f"{i},{c}\\n" for i, c in enumerate(launches))
    return (f"echo '{json.dumps({'total': total})}' > \"$out/stats.json\"; "
            f"printf 'launch,cycles\\n{rows}' > \"$out/launches.csv\"")


class Digests(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.build, self.store = Path(scratch.name) / "build", Path(scratch.name) / "store"
        self.manifests = Path(scratch.name) / "manifests"
        (self.build / "bin" / "workloads").mkdir(parents=True)
        self.store.mkdir()
        stand_in = self.build / "bin" / "warpfold"
        stand_in.write_text(STAND_IN)
        stand_in.chmod(0o755)
        self.machines("big", "small")
        self.program("fwt", anywhere=statistics())

    def machines(self, *names):
        (self.build / "bin" / "machines").write_text("".join(f"{name}  meaning\n" for name in names))

    def program(self, name, anywhere, **points):
        """What it reports anywhere, but at the points that have an entry of their own."""
        cases = [f"'{point}') {does(result)} ;;\n" for point, result in points.items()]
        text = 'case "$mechanism on $machine" in\n' + "".join(cases) + f"*) {does(anywhere)} ;;\nesac\n"
        (self.build / "bin" / "workloads" / name).write_text(text)

    def run_script(self, *words):
        done = subprocess.run([sys.executable, SCRIPT, *words, "--build", self.build, "--store", self.store,
                               "--workloads", self.manifests], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def recorded(self):
        return (self.store / "recorded.csv").read_text().splitlines()[1:]

    def assert_told(self, lines, moved):
        """check says these lines, for as many points as `moved`."""
        status, out = self.run_script("check")
        self.assertEqual(status, 1 if moved else 0, out)
        self.assertEqual(sorted(out.splitlines()[:-1]), sorted(lines))
        self.assertTrue(out.splitlines()[-1].endswith(f" points, {moved} moved"), out)

    def test_records_every_program_mechanism_and_machine_and_checks_the_same(self):
        self.program("bfs", anywhere=statistics(cycles=5))
        self.assertEqual(self.run_script("record")[0], 0)
        self.assertEqual(len(self.recorded()), 2 * 2 * (2 + 3))  # programs, machines, mechanisms, those with a packing
        self.assertTrue(self.recorded()[0].startswith("bfs,pdom,big,ok,5,30,900,,"), self.recorded()[0])
        self.assert_told([], moved=0)

    def test_a_build_that_changes_meanwhile_is_refused(self):
        self.run_script("record")
        before = self.recorded()
        script = self.build / "bin" / "workloads" / "fwt"
        script.write_text('touch "$0"\n' + script.read_text())
        status, out = self.run_script("record")
        self.assertEqual(status, 1)
        self.assertEqual(out, f"digests: {self.build.resolve()} was built anew while points ran; give the command again\n")
        self.assertEqual(self.recorded(), before)

    def test_a_program_that_takes_turns_is_recorded_in_few_places(self):
        self.machines("big", "tbc2011")
        self.program("srad", anywhere=statistics())
        (self.manifests / "srad").mkdir(parents=True)
        (self.manifests / "srad" / "workload.yaml").write_text("name: srad\ncontracts: in_turn\nnotes: >-\n")
        self.assertEqual(self.run_script("record")[0], 0)
        points = [row.split(",")[:3] for row in self.recorded() if row.startswith("srad")]
        self.assertEqual(points, [["srad", "pdom", "tbc2011"], ["srad", "tbc", "tbc2011"]])
        self.assertEqual(len(self.recorded()), 2 + 2 * (2 + 3))

    def test_a_moved_figure_is_told_with_both_values(self):
        self.run_script("record")
        self.program("fwt", **{"anywhere": statistics(), "tbc on big": statistics(cycles=101, hits=8)})
        self.assert_told(["fwt under tbc on big: cycles 100 -> 101; 1 other statistics: hits"], moved=1)

    def test_a_value_of_one_launch_is_part_of_the_digest(self):
        self.run_script("record", "--mechanisms", "pdom", "--machines", "big")
        self.program("fwt", anywhere=statistics(launches=(61, 39)))
        status, out = self.run_script("check")
        self.assertEqual(status, 1, out)

    def test_a_new_statistic_changes_nothing_and_a_vanished_one_is_told(self):
        self.run_script("record", "--mechanisms", "pdom", "--machines", "big")
        self.program("fwt", anywhere=statistics(spills=3))
        self.assert_told([], moved=0)
        gone = statistics()
        del gone[0]["hits"]
        self.program("fwt", anywhere=gone)
        self.assert_told(["fwt under pdom on big: no longer counted: hits"], moved=1)

    def test_rows_from_before_a_statistic_existed_stay_valid_beside_newer_ones(self):
        self.run_script("record", "--machines", "big")
        self.program("fwt", anywhere=statistics(branches=3))
        self.run_script("record", "--machines", "small")
        self.assert_told([], moved=0)
        self.program("fwt", anywhere=statistics(branches=4), **{"pdom on big": statistics()})
        told = [f"fwt under {mechanism} on small: 1 other statistics: branches"
                for mechanism in ("pdom", "tbc", "pdom+ivb", "pdom+scc", "tbc+bcc")]
        self.assert_told(told, moved=5)

    def test_wrong_and_inapplicable_points_are_recorded_as_such(self):
        self.program("fwt", **{"anywhere": statistics(), "pdom on big": {"wrong": "one pixel"},
                               "tbc on big": {"refused": "too narrow"}})
        self.run_script("record", "--machines", "big", "--mechanisms", "pdom,tbc")
        self.assertEqual(self.recorded(), ["fwt,pdom,big,WRONG: FAIL: one pixel,,,,,,",
                                           "fwt,tbc,big,n/a: warpfold: error: too narrow,,,,,,"])
        self.assert_told([], moved=0)
        self.program("fwt", **{"anywhere": statistics(), "tbc on big": {"wrong": "two pixels"}})
        self.assert_told(["fwt under pdom on big: WRONG: FAIL: one pixel -> ok",
                          "fwt under tbc on big: n/a: warpfold: error: too narrow -> WRONG: FAIL: two pixels"], moved=2)

    def test_one_machine_is_recorded_anew_and_the_others_stay(self):
        self.run_script("record")
        before = self.recorded()
        self.program("fwt", anywhere=statistics(cycles=200))
        self.run_script("record", "--machines", "small")
        after = self.recorded()
        for old, new in zip(before, after, strict=True):
            self.assertEqual(old == new, ",big," in old, new)

    def test_the_sixty_are_those_of_the_file(self):
        self.run_script("record")
        (self.store / "sixty.csv").write_text("program,mechanism,machine\nfwt,tbc,big\n")
        self.program("fwt", **{"anywhere": statistics(cycles=1), "tbc on big": statistics()})
        self.assertEqual(self.run_script("check", "--points", "sixty"), (0, "1 points, 0 moved\n"))
        (self.store / "sixty.csv").write_text("program,mechanism,machine\nfwt,tbc,huge\n")
        self.assertEqual(self.run_script("check", "--points", "sixty"),
                         (1, "digests: fwt under tbc on huge: named in sixty.csv, not recorded\n"))


if __name__ == "__main__":
    unittest.main()
