#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Suites of scripts/corpus on a repository of the test's own, with stand-ins for the compiler and the simulator."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from suites import judged, values  # noqa: E402

LIST = """
[source.tiny]
url = "none"
commit = "{commit}"
paths = ["."]

[suite.programs]
source = "tiny"
programs = "src/*"
without = ["hidden"]
build = "sh build.sh {{nvcc}}"
run = "{{run}} ./{{name}}"

[suite.files]
source = "tiny"
programs = "*.ptx"
"""


class Suites(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.here = Path(scratch.name)
        tree = self.here / "tiny"
        says = {"good": "echo all PASS", "silent": "echo 5; echo took $(date +%N) seconds", "bad": "echo 3 FAILED; exit 1",
                "wrong": "echo mismatch at 3", "crashed": "echo oops; exit 7", "slow": "sleep 100", "hidden": "exit 1"}
        for name, line in says.items():
            (tree / "src" / name).mkdir(parents=True)
            (tree / "src" / name / name).write_text(f"#!/bin/sh\n{line}\n")
            (tree / "src" / name / name).chmod(0o755)
            (tree / "src" / name / "build.sh").write_text("exec $1 --version\n")
        (tree / "src" / "unbuilt").mkdir()
        (tree / "src" / "unbuilt" / "build.sh").write_text("echo note; echo 'a.cu:3: error: no such thing'; exit 2\n")
        (tree / "right.ptx").write_text("")
        (tree / "refused.ptx").write_text("")
        git = ["git", "-C", str(tree), "-c", "user.name=a", "-c", "user.email=a"]
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
            subprocess.run([*git, *words], check=True)
        commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
        (self.here / "list.toml").write_text(LIST.format(commit=commit))
        build = self.here / "build" / "bin"
        build.mkdir(parents=True)
        # What follows the last "--" is run; PTX files are refused by name.
        (build / "warpfold").write_text("#!/bin/sh\ncase $1 in list) case $3 in *refused*) echo 'error: no'; exit 2;; esac; "
                                        "exit 0;; esac\nwhile [ $1 != -- ]; do shift; done; shift; exec $@\n")
        (build / "warpfold-cc").write_text("#!/bin/sh\nexit 0\n")
        for program in build.iterdir():
            program.chmod(0o755)

    def corpus(self, *words):
        done = subprocess.run([ROOT / "scripts" / "corpus", *words, "--list", self.here / "list.toml", "--from", self.here,
                               "--build", self.here / "build", "--limit", "2"], text=True, capture_output=True,
                              env={"PATH": "/usr/bin:/bin", "WARPFOLD_CACHE": str(self.here / "cache")})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_outcomes_and_what_changed(self):
        said = self.corpus("programs")
        for line in ("right      src/good", "ended      src/silent", "wrong      src/bad: 3 FAILED",
                     "wrong      src/wrong: mismatch at 3", "failed     src/crashed: oops", "too long   src/slow",
                     "not built  src/unbuilt: a.cu:3: error: no such thing", "corpus: programs: 7: 1 right, 1 ended, 2 wrong"):
            self.assertIn(line, said)
        self.assertNotIn("hidden", said)
        self.assertNotIn("before", said)
        (self.here / "cache" / "suites" / "programs" / "tree" / "src" / "good" / "good").write_text("#!/bin/sh\necho 4\n")
        said = self.corpus("programs", "--only", "good", "silent")
        self.assertIn("corpus: src/good: right before, ended now", said)
        self.assertNotIn("src/silent: ", said)

    def test_compilers_are_compared(self):
        self.corpus("programs", "--only", "silent", "good")
        file = self.here / "cache" / "suites" / "programs" / "tree" / "src" / "silent" / "silent"
        file.write_text("#!/bin/sh\necho 6\n")
        said = self.corpus("programs", "--only", "silent", "good", "--clang", "clang-16")
        self.assertIn("corpus: src/silent: other values than in outcomes.json", said)
        self.assertNotIn("src/good: other", said)

    def test_files_load_or_are_refused(self):
        said = self.corpus("files")
        self.assertIn("loads      right.ptx", said)
        self.assertIn("refused    refused.ptx: error: no", said)

    def test_a_draw_is_its_seeds(self):
        first, second = (self.corpus("programs", "--count", "2", "--seed", "3", "--jobs", "1") for _ in range(2))
        self.assertEqual(first.splitlines()[:2], second.splitlines()[:2])
        self.assertIn("corpus: programs: 2: ", first)

    def test_words(self):
        self.assertEqual(judged(0, "0 errors, no mismatch: PASSED")[0], "right")
        self.assertEqual(judged(0, "Test failed")[0], "wrong")
        self.assertEqual(judged(0, "Failed to open file ./data/a.dat")[0], "failed")
        self.assertEqual(judged(1, "warpfold: error: failed to map"), ("failed", "warpfold: error: failed to map"))
        self.assertEqual(values("sum 3\nkernel time 4 ms\nwarpfold: note"), ["sum 3"])


if __name__ == "__main__":
    unittest.main()
