#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/mutate on a small project of its own, whose test programs and RTL gates are stand-ins."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "mutate"
TREE = {
    ".gitignore": "/build/\n",
    "CMakePresets.json": """{"version": 6, "configurePresets": [
      {"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build/release"}]}""",
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
include_directories(.)
enable_testing()
add_subdirectory(tests/a)
add_subdirectory(tests/b)
add_test(NAME rtl.sim.block COMMAND sh -c "grep -q first rtl/block.sv || exit 1")
add_test(NAME rtl.formal.block COMMAND sh -c "grep -q second rtl/block.sv || exit 1")
""",
    "models/a/sum.h": "inline int sum(int a, int b) { return a + b; }\ninline int spare(int a) { return a + 7; }\n",
    "tests/a/CMakeLists.txt": "add_executable(test_a test_sum.cpp)\nadd_test(NAME a/sum COMMAND test_a --file=a/test_sum.cpp)\n",
    "tests/a/test_sum.cpp": """#include <cstdio>
#include "models/a/sum.h"
int main() {
  std::puts("[ RUN      ] Sum.Adds");
  if (sum(2, 1) == 3) return 0;
  std::puts("[  FAILED  ] Sum.Adds");
  return 1;
}
""",
    "tests/b/CMakeLists.txt": "add_executable(test_b test_spare.cpp)\nadd_test(NAME b/spare COMMAND test_b --file=b/test_spare.cpp)\n",
    "tests/b/test_spare.cpp": """#include "models/a/sum.h"
int main() { return spare(1) > 7 ? 0 : 1; }
""",
    "rtl/block.sv": "first second third\n",
}
MUTANTS = [("models/a/sum.h", "takes away", "a + b", "a - b"), ("models/a/sum.h", "is too small", "a + 7", "a + 6"),
           ("models/a/sum.h", "is too large", "a + 7", "a + 8"), ("models/a/sum.h", "does not compile", "a + 7", "c"),
           ("rtl/block.sv", "loses the first", "first", "none"), ("rtl/block.sv", "loses the third", "third", "none")]


class Mutate(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        for name, text in TREE.items():
            self.write(name, text)
        (self.root / "scripts").mkdir()
        shutil.copy(SCRIPT, self.root / "scripts" / "mutate")
        subprocess.run(["git", "init", "-q", self.root], check=True)
        self.mutants(MUTANTS)

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def mutants(self, rows, more=""):
        keys = ("file", "slip", "old", "new")
        tables = ["[[mutant]]\n" + "".join(f"{key} = '{value}'\n" for key, value in zip(keys, row)) for row in rows]
        self.write("tests/mutants/all.toml", "".join(tables) + more)

    def run_script(self, *words):
        done = subprocess.run([sys.executable, self.root / "scripts" / "mutate", *words], capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines(), done.stderr.splitlines()

    def test_tells_who_catches_each_and_leaves_the_tree_alone(self):
        self.mutants(MUTANTS, "equivalent = 'nobody reads it'\n")
        status, out, err = self.run_script("-j", "1")
        self.assertEqual((status, err), (1, []), out)
        report = out[-10:]
        self.assertEqual(report, [
            "caught     models/a/sum.h: takes away (own tests: Sum.Adds)",
            "caught     models/a/sum.h: is too small (other tests: b/spare (status 1))",
            "survived   models/a/sum.h: is too large (own tests, other tests)",
            report[3],
            "caught     rtl/block.sv: loses the first (simulation: rtl.sim.block; not by proof)",
            "equivalent rtl/block.sv: loses the third (nobody reads it)",
            "models: 4 mutants: 2 caught, 1 survived, 1 not built",
            "RTL: 2 mutants: 1 caught, 1 equivalent",
            "simulation: 1 of 1 caught",
            "proof: 0 of 1 caught",
        ])
        self.assertTrue(report[3].startswith("not built  models/a/sum.h: does not compile ("), report[3])
        self.assertEqual((self.root / "models/a/sum.h").read_text(), TREE["models/a/sum.h"])
        self.assertEqual(self.run_script()[1], report)  # nothing is run twice

    def commit(self):
        words = ["git", "-C", self.root, "-c", "user.name=a", "-c", "user.email=a", "commit", "-q", "-m", "a"]
        subprocess.run(["git", "-C", self.root, "add", "-A"], check=True)
        subprocess.run(words, check=True)

    def test_runs_again_what_a_verdict_stood_on(self):
        self.mutants([MUTANTS[0], MUTANTS[4]])
        self.commit()
        self.run_script()
        self.commit()
        again = "--again", "changed"
        self.assertEqual(len(self.run_script(*again)[1]), 6)  # a report, and nothing new
        self.write("tests/b/test_spare.cpp", "int main() { return 0; }\n")
        self.assertEqual(len(self.run_script(*again)[1]), 6)  # nobody's own
        self.write("tests/a/test_sum_more.cpp", "")
        _, out, _ = self.run_script(*again)
        self.assertEqual(out[0], "caught     models/a/sum.h: takes away (own tests: Sum.Adds)")
        self.assertEqual(len(out), 7)
        self.write("rtl/block.sv", "first second third fourth\n")
        _, out, _ = self.run_script(*again, "--only", "block")
        self.assertEqual(out[0], "caught     rtl/block.sv: loses the first (simulation: rtl.sim.block)")

    def test_a_stale_mutant_is_an_error_of_one_line(self):
        self.mutants([("models/a/sum.h", "is gone", "a * b", "a"), ("models/a/sum.h", "is ambiguous", "inline", "")])
        self.assertEqual(self.run_script("--check"), (2, [], [
            "scripts/mutate: error: tests/mutants/all.toml: mutant 1: models/a/sum.h: the old text is there 0 times, wanted "
            "once: a * b",
            "scripts/mutate: error: tests/mutants/all.toml: mutant 2: models/a/sum.h: the old text is there 2 times, wanted "
            "once: inline"]))

    def test_a_list_that_says_something_else_is_an_error(self):
        self.mutants([MUTANTS[0], MUTANTS[0]], "olds = 'typo'\n")
        _, _, err = self.run_script("--check")
        self.assertEqual(err, ["scripts/mutate: error: tests/mutants/all.toml: mutant 2: olds means nothing here"])
        self.assertEqual(self.run_script("--only", "nonesuch")[0], 2)

    def test_without_a_mutant_the_tests_must_pass(self):
        self.write("models/a/sum.h", TREE["models/a/sum.h"].replace("a + b", "a + b + 1"))
        self.mutants([("models/a/sum.h", "takes away", "a + b", "a - b")])
        status, out, err = self.run_script("--own-only")
        self.assertEqual((status, err), (1, ["scripts/mutate: models/a/sum.h: takes away: without a mutant: Sum.Adds"]))


if __name__ == "__main__":
    unittest.main()
