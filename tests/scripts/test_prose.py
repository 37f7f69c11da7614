#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/docs --prose on pages of the test's own. Usage: test_prose.py BUILD_DIRECTORY"""

import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv.pop()).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts" / "pages"))

import prose

LONG = "This sentence goes on and on, " + "word by word, " * 9
CLEAN = f"""# Clean

Warps of threads diverge. Static random-access memory (SRAM) is small.
So is a QAM (quadrature amplitude modulation); each SRAM costs 1.5 times a QAM, see §VI and `XYZ`.

```
{"code " * 40} ZZZ
```

| {"cell " * 40} | ZZZ |
|---|---|

<!-- some: written by a program -->
{"generated " * 40} ZZZ
<!-- end of some -->
<!-- {"comment " * 40}
ZZZ -->

- An item with a [link](https://example.org/{"path/" * 30}ZZZ),
  which is wrapped.
"""


class Prose(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.page = self.folder / "page.md"

    def run_script(self, build, **environment):
        return subprocess.run([sys.executable, ROOT / "scripts" / "docs", "--build", build, "--prose", self.page],
                              capture_output=True, text=True, env=environment or None)

    def check(self, text):
        """What the script says of a page of this text, a line each, without the page's name."""
        self.page.write_text(text)
        done = self.run_script(BUILD)
        if done.stderr.startswith(("docs: npm ", "docs: node ")):
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.stderr, "")
        lines = [line.removeprefix(f"{self.page}:") for line in done.stdout.splitlines()]
        self.assertEqual(done.returncode, 1 if lines else 0)
        return lines

    def test_a_clean_page(self):
        self.assertEqual(self.check(CLEAN), [])

    def test_a_long_sentence_over_several_lines(self):
        page = f"{CLEAN}\nOne that is short. {LONG}\n{LONG}\nuntil 1.5 lines (see Fig. 4) are full.\n"
        line = CLEAN.count("\n") + 2
        said = self.check(page.replace("short. This", "short.\nThis"))
        self.assertEqual([one for one in said if "columns" not in one],
                         [f"{line + 1}: a sentence of more than 30 words: {LONG[:60]} …"])

    def test_a_long_sentence_after_all_that_is_no_prose(self):
        said = self.check(f"{CLEAN}\n- " + LONG.replace(", ", ",\n  ") + "word word.\n")
        self.assertEqual([one.partition(":")[0] for one in said], [str(CLEAN.count("\n") + 2)])

    def test_signs_and_blanks_in_code_make_no_words(self):
        for words, findings in ((22, 0), (25, 1)):  # with 6 of the beginning and 2 of the end
            said = self.check("It is 1 % + 2 % of `a b c d e f` " + "word " * 10 + "\n" + "word " * (words - 10) + "the end.\n")
            self.assertEqual(len(said), findings, said)

    def test_a_wide_line_and_an_acronym(self):
        said = self.check("Short lines. " * 9 + "\n\nThe QQX is small, and QQXs are cheap.\n")
        self.assertEqual(said, ["1: 117 columns, 110 are allowed: Short lines. Short lines. Short lines. Short lines. Short li …",
                                "3: QQX is spelt out neither here nor in docs/glossary.md"])

    def test_spelt_out(self):
        for text in ("a queue of quick xylophones (QQX)", "QQX (quick-queue xylophone)", "two QQXs (quick queues, x)"):
            self.assertTrue(prose.spelt_out("QQX", text), text)
        for text in ("a QQX", "quick queue. Xylophones (QQX)", "(QQX)", "a violin (QQX)"):
            self.assertFalse(prose.spelt_out("QQX", text), text)

    def test_exceptions(self):
        page = ROOT / "docs" / "page.md"
        found = [(page, 3, "QQX", "QQX is new"), (page, 5, "A long one", "long")]
        for excused, lines in (([], ["docs/page.md:3: QQX is new", "docs/page.md:5: long"]),
                               ([("docs/page.md", "A long", "why")], ["docs/page.md:3: QQX is new"]),
                               ([("docs/page.md", "A long", ""), ("docs/page.md", "QQX", "why")], [": no reason"]),
                               ([("docs/page.md", "A", "why"), ("docs/page.md", "QQX", "why"), ("docs/page.md", "Z", "why")],
                                [" | Z: excuses nothing any more: take it off the list"]),
                               ([("docs/page.md", "", "why")] * 21, ["docs/page.md:3: QQX is new", "docs/page.md:5: long",
                                                                     "21 exceptions, 20 are allowed"])):
            with unittest.mock.patch.multiple(prose, exceptions=lambda: excused, findings=lambda *_: found):
                said = list(prose.lines_of([page], BUILD))[:3]
            self.assertEqual(len(said), len(lines), said)
            for line, end in zip(said, lines):
                self.assertTrue(line.endswith(end), line)

    def test_without_npm(self):
        self.page.write_text(CLEAN)
        done = self.run_script(self.folder / "build", PATH="/nowhere")
        self.assertEqual((done.returncode, done.stderr), (1, "docs: npm is missing: scripts/setup report installs it\n"))

    def test_where_npm_fails(self):
        self.page.write_text(CLEAN)
        npm = self.folder / "npm"
        npm.write_text("#!/bin/sh\necho 'npm error code E1\nnpm error no network' >&2\nexit 1\n")
        npm.chmod(0o755)
        done = self.run_script(self.folder / "build", PATH=f"{self.folder}:/bin")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "docs: npm cannot bring textlint, which takes a network once: no network\n"))
        self.assertEqual(list((self.folder / "build").iterdir()), [])


if __name__ == "__main__":
    unittest.main()
