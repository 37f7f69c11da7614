#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/corpus on a tiny repository of two programs that the test makes, with the build that it is given."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv.pop(1) if len(sys.argv) > 1 else ROOT / "build" / "release").absolute()
ADD = """#include <cstdio>
#include <cstdlib>
#include "own.h"
__global__ void add(int* to, int n) { if (threadIdx.x < n) to[threadIdx.x] += OWN; }
int main(int argc, char** argv) {
  FILE* in = fopen("data/number", "r");
  int n = 0, sum = 0, host[32] = {};
  if (in == nullptr || fscanf(in, "%d", &n) != 1 || argc != 2) return 3;
  int* device;
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  add<<<1, 32>>>(device, n);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  for (int one : host) sum += one;
  printf("sum %d\\n", sum);
  fclose(fopen("written", "w"));
  return sum == n * OWN * atoi(argv[1]) ? 0 : 1;
}
"""
TWICE = """__global__ void twice(int* of) { *of *= 2; }
extern "C" int half(int of);
int main() {
  int value = 21, *device;
  cudaMalloc(&device, sizeof value);
  cudaMemcpy(device, &value, sizeof value, cudaMemcpyHostToDevice);
  twice<<<1, 1>>>(device);
  cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost);
  return half(value) != 21;
}
"""
LIST = """
[source.tiny]
url = "{url}"
commit = "{commit}"
paths = {paths}

[[program]]
name = "tiny-add"
sets = ["tiny", "other"]
stands_for = "ADD (Table 0)"
description = "Adds"
sources = ["{{tiny}}/add/add.cu"]
options = ["-I{{tiny}}/include"]
files = {{ data = "{{tiny}}/data" }}
arguments = ["1"]
small = ["1"]
input = "Table 0"
checks = "its sum"

[[program]]
name = "tiny-twice"
sets = ["tiny"]
stands_for = "TWICE (Table 0)"
description = "Doubles"
sources = ["{{tiny}}/twice.cu", "{{tiny}}/half.cpp"]
arguments = []
input = "none"
checks = "its result"

[[program]]
name = "tiny-never"
sets = ["tiny"]
stands_for = "NEVER (Table 0)"
description = "Wants more than there is"
why_not = "it is Fortran"

[no_set]
none = "its programs are OpenCL"
"""


class Corpus(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.cache = self.folder / "cache"
        self.upstream = self.folder / "upstream"
        self.git("init", "--quiet", self.upstream, at=None)
        self.put("add/add.cu", ADD)
        self.put("include/own.h", "#define OWN 3\n")
        self.put("data/number", "10\n")
        self.put("twice.cu", TWICE)
        self.put("half.cpp", 'extern "C" int half(int of) { return of / 2; }\n')
        self.put("unwanted", "")
        self.commit = self.committed()
        self.listed()

    def git(self, *words, at="upstream"):
        where = ["-C", self.folder / at] if at else []
        return subprocess.run(["git", "-c", "user.name=T", "-c", "user.email=t@t", "-c", "commit.gpgsign=false", *where, *words],
                              check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def put(self, name, text):
        path = self.upstream / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def committed(self):
        self.git("add", "-A")
        self.git("commit", "--quiet", "-m", "x")
        return self.git("rev-parse", "HEAD")

    def listed(self, commit=None, url=None, paths='["add", "include", "data", "twice.cu", "half.cpp"]'):
        text = LIST.format(url=url or f"file://{self.upstream}", commit=commit or self.commit, paths=paths)
        (self.folder / "list.toml").write_text(text)
        return text

    def run_at(self, *words):
        done = subprocess.run([*map(str, words)], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, "WARPFOLD_CACHE": str(self.cache)})
        return done.returncode, done.stdout, done.stderr

    def corpus(self, *words):
        return self.run_at(ROOT / "scripts" / "corpus", "--list", self.folder / "list.toml", "--build", BUILD, *words)

    def warpfold(self, *words):
        return self.run_at(BUILD / "bin" / "warpfold", *words)

    def kept(self):
        """All that the cache has of originals, but for what is compiled of them."""
        return {str(path.relative_to(self.cache)): path.lstat().st_mtime_ns for part in ("originals", "originals-sources")
                for path in (self.cache / part).rglob("*") if not path.is_dir()}

    def refused(self, words, *said):
        before = self.kept()
        status, _, err = self.corpus(*words)
        lines = [line for line in err.splitlines() if not line.startswith("corpus: fetching ")]
        self.assertEqual((status, len(lines)), (1, 1), err)
        self.assertTrue(lines[0].startswith("corpus: error: "), err)
        for word in said:
            self.assertIn(word, lines[0])
        self.assertEqual({name for name in self.kept() if "sources" not in name},
                         {name for name in before if "sources" not in name})
        self.assertEqual(list(self.cache.glob("originals-sources/new-*")), [])

    def test_a_set_is_fetched_once_and_runs(self):
        status, _, err = self.warpfold("compare", "--mechanisms", "pdom", "originals:tiny")
        self.assertEqual((status, err), (2, "warpfold: error: originals:tiny: not here; scripts/corpus tiny fetches and builds "
                                            "these programs\n"))
        self.assertFalse(self.cache.exists())
        status, out, err = self.corpus("tiny")
        self.assertEqual(status, 0, err)
        self.assertEqual(out, "corpus: tiny-never (NEVER (Table 0)) is not built: it is Fortran\n"
                              "corpus: originals:tiny: 2 programs, made: warpfold compare --mechanisms pdom,tbc originals:tiny\n")
        self.assertFalse(list(self.cache.rglob("unwanted")), "no more than is asked for")

        status, out, err = self.warpfold("compare", "--csv", "--mechanisms", "pdom,tbc", "originals:tiny")
        self.assertEqual(status, 0, err)
        self.assertEqual([out.count("\ntiny-add,"), out.count("\ntiny-twice,")], [2, 2], out)
        self.assertFalse((self.folder / "written").exists(), "a program writes into a folder of its own")
        status, out, err = self.warpfold("run", "--size", "small", "--", "tiny-add")
        self.assertEqual((status, "sum 30\n" in out), (0, True), err)
        self.assertEqual(self.warpfold("run", "--", "tiny-add", "1")[0], 1, "with arguments of the user's it runs here")
        self.assertIn("tiny-add", self.warpfold("list", "workloads")[1])
        (self.folder / "own.yaml").write_text("title: T\nquestion: Q?\npoints:\n  - part: p\n    machine: tbc2011\n"
                                              "    mechanism: pdom\n    workload: originals:tiny\n")
        status, out, err = self.warpfold("study", "plan", "own.yaml")
        self.assertEqual(status, 0, err)
        status, _, err = self.warpfold("compare", "--mechanisms", "pdom", "--seeds", "2", "originals:tiny")
        self.assertEqual((status, "put {seed} where its seed belongs" in err), (2, True), err)
        status, _, err = self.warpfold("compare", "--mechanisms", "pdom", "originals:other")
        self.assertEqual(status, 2, "half of it is there for another set's sake")

        before = self.kept()
        self.upstream.rename(self.folder / "gone")
        status, out, err = self.corpus("tiny")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("there already", out)
        self.assertEqual(self.kept(), before)
        self.assertEqual(self.corpus("other")[0], 0, "the sources are there")
        self.assertEqual(self.warpfold("compare", "--mechanisms", "pdom", "originals:other", "originals:tiny")[0], 0)

    def test_another_commit_and_a_shorter_list(self):
        self.assertEqual(self.corpus("tiny")[0], 0)
        self.put("include/own.h", "#define OWN 4\n")
        text = self.listed(self.committed())
        (self.folder / "list.toml").write_text(text.replace('name = "tiny-twice"\nsets = ["tiny"]', 'name = "tiny-twice"\nsets = ["x"]'))
        self.assertEqual(self.corpus("tiny")[0], 0)
        self.assertIn("sum 40\n", self.warpfold("run", "--", "tiny-add")[1])
        self.assertNotIn("tiny-twice", self.warpfold("list", "workloads")[1])

    def test_sources_that_cannot_be_fetched(self):
        self.listed(url=f"file://{self.folder}/nowhere")
        self.refused(["tiny"], "tiny: cannot fetch file://", "nowhere", "--from DIR, as DIR/tiny")
        self.listed(commit="0123456789" * 4)
        self.refused(["tiny"], f"tiny: file://{self.upstream} has no commit 0123456789", "its history has changed")
        self.listed(paths='["add", "lost"]')
        self.refused(["tiny"], "does not have all of commit", "lost")
        self.assertEqual(self.kept(), {})

    def test_clones_at_hand(self):
        clones = self.folder / "clones"
        self.refused(["tiny", "--from", clones], f"there is no tiny in it; git clone file://{self.upstream} {clones}/tiny")
        (clones / "tiny").mkdir(parents=True)
        self.refused(["tiny", "--from", clones], "is no git repository")
        self.git("clone", "--quiet", self.upstream, clones / "tiny", at=None)
        self.listed(commit="f" * 40)
        self.refused(["tiny", "--from", clones], f"clones/tiny has no commit {'f' * 40}; git -C ")
        self.listed()
        (clones / "tiny" / "include" / "own.h").write_text("#error edited\n")
        (clones / "tiny" / "twice.cu").unlink()
        looks = self.git("status", "--short", at="clones/tiny")
        status, _, err = self.corpus("tiny", "--from", clones)
        self.assertEqual((status, err), (0, ""), "the commit is taken, not what somebody edits")
        self.assertIn("sum 30\n", self.warpfold("run", "--", "tiny-add")[1])
        self.assertEqual(self.git("status", "--short", at="clones/tiny"), looks)

    def test_a_source_that_does_not_compile(self):
        self.assertEqual(self.corpus("tiny")[0], 0)
        good = self.kept()
        self.put("half.cpp", "int half(\n")
        self.listed(self.committed())
        self.refused(["tiny"], "workload tiny-twice does not compile: ", "half.cpp", "log: ")
        self.assertEqual({name: time for name, time in self.kept().items() if name in good}.keys(), good.keys())
        self.assertEqual(self.warpfold("compare", "--mechanisms", "pdom", "originals:tiny")[0], 0, "the set as it was")
        self.listed(self.commit, paths='["add", "include", "data", "half.cpp"]')
        self.refused(["tiny"], "tiny-twice: ", "twice.cu is not there")

    def test_mistakes(self):
        self.refused(["tinny"], "tinny: no such set in ", "there are other, tiny")
        self.refused(["none"], "none: there are no originals: its programs are OpenCL")
        self.refused(["tiny", "--build", self.folder], "bin/warpfold: no such program; build it")
        good = self.listed()
        for old, new, said in (('"1"]\ninput', '"1"]\ninputs', "program tiny-add: unknown key inputs"),
                               ('checks = "its sum"\n', "", "program tiny-add: checks is missing"),
                               ("{tiny}/half", "{tinny}/half", "program tiny-twice: {tinny} is no source of this list"),
                               (self.commit, "main", "source.tiny: commit has 40 hexadecimal digits, not 'main'"),
                               ('"tiny-add"', '"tiny/add"', "program tiny/add: a name has letters"),
                               ('"tiny-add"', '"tiny-twice"', "two programs are called tiny-twice"),
                               ("[[program]]", "[[program", "list.toml: cannot read this list: ")):
            (self.folder / "list.toml").write_text(good.replace(old, new, 1))
            self.refused(["tiny"], said)
        self.assertFalse(self.cache.exists())

    def test_the_list_itself(self):
        status, out, err = self.run_at(ROOT / "scripts" / "corpus")
        self.assertEqual((status, err), (0, ""))
        for name in ("tbc", "tstbc", "harp", "ispass2009", "rodinia"):
            self.assertIn(f"\n{name}\n", "\n" + out)


if __name__ == "__main__":
    unittest.main()
