#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/python/warpfold with this build's warpfold: tables with pandas and without, machines, and each error's line.

Usage: test_python_package.py WARPFOLD
"""

import contextlib
import os
import stat
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "python"))
import warpfold
import warpfold.program

BUILT = sys.argv.pop(1)
SMALL = {"size": "small", "set": {"cores": 2}}
STUDY = """title: Small
points:
  - {part: main, machine: tbc2011, mechanism: [pdom, tbc], workload: matmul, size: small, set: {cores: 2}, both_orders: true}
figures: [{name: gain, title: Gain, sql: "SELECT variant, speedup FROM v ORDER BY variant"}]
"""


class Frame(list):
    """A stand-in for pandas' data frame."""


class Package(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(contextlib.chdir(self.folder))
        self.enterContext(mock.patch.dict(os.environ, {"WARPFOLD": BUILT}))
        self.enterContext(mock.patch.dict(sys.modules, {"pandas": None}))

    def with_pandas(self):
        pandas = types.ModuleType("pandas")
        pandas.DataFrame = Frame
        return mock.patch.dict(sys.modules, {"pandas": pandas})

    def stand_in(self, text, mode=stat.S_IRWXU):
        path = self.folder / "stand-in"
        path.write_text(text)
        path.chmod(mode)
        return str(path)

    def fails(self, message, call, *words, **options):
        with self.assertRaises(warpfold.Error) as caught:
            call(*words, **options)
        self.assertRegex(str(caught.exception), message)
        self.assertNotIn("\n", str(caught.exception))
        return caught.exception


class Tables(Package):
    def test_a_run_has_its_statistics_in_total_and_of_each_kernel(self):
        ran = warpfold.run("bfs", machine="tbc2011", mechanism="tbc", out="here", **SMALL)
        self.assertEqual((ran.total["program"], ran.total["mechanism"], ran.total["status"]), ("bfs", "tbc", "ok"))
        self.assertEqual(ran.directory, Path("here"))
        self.assertEqual([row["kernel"] for row in ran.kernels], ["expand", "settle"])
        self.assertIn("stall_share", ran.total, "of the table")
        for counted in ("cycles", "blocks", "warp_instructions"):  # of stats.json, too
            self.assertEqual(sum(row[counted] for row in ran.kernels), ran.total[counted], counted)
        self.assertEqual(ran.resources[0]["block"], "256x1x1")

    def test_a_sampled_run_has_estimates(self):
        ran = warpfold.run("bfs", sample="3%", **SMALL)
        self.assertLess(ran.total["cycles_low"], ran.total["cycles"])
        self.assertEqual([row["kernel"] for row in ran.kernels], ["expand", "settle"])

    def test_a_comparison_has_a_row_for_each_mechanism_and_machine(self):
        machine = warpfold.machine("tbc2011")
        machine["cores"] = 1
        rows = warpfold.compare(["matmul", "--size", "small"], machine=["tbc2011", machine], mechanisms=["pdom", "tbc"])
        self.assertEqual([row["mechanism"] for row in rows], ["pdom", "tbc"] * 2)
        self.assertEqual(rows[0]["machine"], "tbc2011")
        self.assertRegex(rows[2]["machine"], "^values-[0-9a-f]{8}$")
        self.assertGreater(rows[2]["cycles"], rows[0]["cycles"])

    def test_seeds_make_verdicts(self):
        rows = warpfold.compare("matmul", mechanisms=["pdom", "tbc"], seeds=2, **SMALL)
        self.assertEqual([(row["variant"], row["seeds"]) for row in rows], [("pdom", 2), ("tbc", 2)])

    def test_a_study_has_results_and_views(self):
        Path("s.yaml").write_text(STUDY)
        warpfold.tables("study run", "./s.yaml")
        self.assertEqual([row["variant"] for row in warpfold.study("./s.yaml") if row["part"] == "main"], ["pdom", "tbc"])
        self.assertEqual(set(warpfold.study("./s.yaml", "gain")[1]), {"variant", "speedup"})
        self.assertEqual([row["base_policy"] for row in warpfold.study("./s.yaml", "orders")], ["LRR"])
        causes = [row["cause"] for row in warpfold.study("./s.yaml", "slots") if row["variant"] == "tbc"]
        self.assertIn("issue", causes)
        self.fails("no view 'gian'; did you mean 'gain'", warpfold.study, "./s.yaml", "gian")

    def test_with_pandas_they_are_data_frames(self):
        with self.with_pandas():
            self.assertIsInstance(warpfold.tables("list", "simd"), Frame)
            ran = warpfold.run("matmul", **SMALL)
            rows = warpfold.compare("matmul", mechanisms="pdom", **SMALL)
        self.assertEqual([type(table) for table in (ran.kernels, ran.resources, rows)], [Frame] * 3)
        self.assertIs(type(ran.total), dict)
        self.assertIs(type(warpfold.tables("list", "simd")), list)

    def test_other_commands_have_their_tables_by_name(self):
        found = warpfold.tables("explain", "pdom", "tbc", "--", "matmul", slots_only=True, **SMALL)
        self.assertIn("slots", found)
        self.assertTrue(all(isinstance(note, str) for note in found.get("notes", [])))

    def test_python_values_become_words(self):
        given = {"size": "small", "sweep": {"cores": [2, 4], "l1d.read_only": False}, "slots_only": True, "quick": False,
                 "out": None, "mechanisms": ("pdom", "tbc"), "threads": 1}
        self.assertEqual(warpfold.program.options(given),
                         "--size small --sweep cores=2,4 --sweep l1d.read_only=false --slots-only --mechanisms pdom,tbc "
                         "--threads 1".split())


class Machines(Package):
    def test_what_the_parser_has_read_is_a_machine_file(self):
        for row in warpfold.tables("list", "machines"):
            values = warpfold.machine(row["name"])
            self.assertEqual(warpfold.check(values), values, row["name"])

    def test_a_part_is_a_machine_with_a_base(self):
        values = warpfold.check({"base": "volta", "cores": 2, "core": {"fetch": {"cached": False}}})
        self.assertEqual(values, {**warpfold.machine("volta"), "cores": 2})

    def test_a_machine_that_is_saved_is_named_by_its_file(self):
        warpfold.save({"base": "tbc2011", "cores": 2}, "two.yaml")
        ran = warpfold.run("matmul", machine="two.yaml", size="small")
        self.assertEqual(ran.total["machine"], "two")
        self.fails("^machine: cores = 0: ", warpfold.save, {"base": "tbc2011", "cores": 0}, "none.yaml")
        self.assertFalse(Path("none.yaml").exists())

    def test_the_parsers_line_is_raised(self):
        values = warpfold.machine("volta")
        values["core"]["warp_size"] = 33
        self.fails("^machine: core.warp_size = 33: must be a power of two", warpfold.check, values)
        self.fails("^machine: core.warp_size = 33: ", warpfold.run, "matmul", machine=values)
        self.fails("^machine: .*unknown key", warpfold.check, {"base": "volta", "croes": 2})


class Errors(Package):
    def test_no_program(self):
        self.fails("^warpfold=gone: no such program: give the path", warpfold.machine, "volta", warpfold="gone")
        os.environ["WARPFOLD"] = "gone"
        self.fails("^WARPFOLD=gone: no such program: give the path", warpfold.machine, "volta")
        del os.environ["WARPFOLD"]
        with mock.patch.dict(os.environ, PATH=""), mock.patch("warpfold.program.BUILT", self.folder / "gone"):
            self.fails("^no warpfold in PATH, nor .*/gone: build it .*, or set WARPFOLD=", warpfold.machine, "volta")
        with mock.patch.dict(os.environ, PATH=""), mock.patch("warpfold.program.BUILT", BUILT):
            self.assertEqual(warpfold.program.find(), BUILT)
        with mock.patch.dict(os.environ, PATH=str(Path(BUILT).parent)):
            self.assertEqual(warpfold.program.find(), BUILT)

    def test_a_program_that_is_none_or_says_nothing(self):
        other = self.stand_in("no program of any kind")
        self.fails("stand-in: Exec format error: give the path", warpfold.machine, "volta", warpfold=other)
        silent = self.stand_in("#!/bin/sh\necho warpfold is dead >&2; exit 3\n")
        self.fails("^warpfold machines show: exit status 3, and no word why$", warpfold.machine, "volta", warpfold=silent)

    def test_what_warpfold_refuses(self):
        self.fails("^vlta: no such configuration in .*; did you mean 'volta'", warpfold.machine, "vlta")
        self.fails("^vlta: no such configuration in ", warpfold.run, "matmul", machine="vlta")
        self.fails("^no mechanism 'tbx'", warpfold.compare, "matmul", mechanisms=["tbx"])
        self.fails("^gone: neither a bundled workload nor an executable file", warpfold.run, "gone")
        self.fails("^--sise: no such option", warpfold.run, "matmul", sise="small")
        self.fails("^empty/store.sqlite: there is no such store: warpfold study run makes it", warpfold.study, "tbc", store="empty")
        Path("store.sqlite").write_text("none")
        self.fails("^./store.sqlite: this is no store of results", warpfold.study, "tbc", store=".")

    def test_programs_that_fail(self):
        self.fails("^/bin/false failed: exit status 1; it left no results", warpfold.run, "/bin/false")
        self.fails("^/bin/true launched no kernel", warpfold.run, "/bin/true")
        error = self.fails("^true pdom: it launched no kernel", warpfold.compare, "matmul", "/bin/true", mechanisms="pdom", **SMALL)
        self.assertEqual([row["status"] for row in error.answer["comparison"]], ["ok", "wrong"])


if __name__ == "__main__":
    unittest.main()
