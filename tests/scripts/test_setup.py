#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/setup with stand-ins for dpkg and apt, and what its lists are held to."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LISTS = {"build": "packages.txt", "rtl": "packages-rtl.txt", "report": "packages-report.txt", "test": "packages-test.txt"}
# Installed is what the file `installed` says; what apt-get is asked for goes to `asked`.
STAND_INS = {
    "dpkg-query": 'sed "s/^/installed /; s/$/, /" "$FOLDER/installed"',
    "id": "echo ${USER_ID:-0}",
    "apt-get": """case "$*" in
  *--print-uris*no-such*) echo "E: Unable to locate package no-such"; exit 100 ;;
  *--print-uris*priority*) echo "'http://d/libc6_1_amd64.deb' libc6_1_amd64.deb 4000000 SHA256:1" ;;
  *--print-uris*) echo "'http://d/libc6_1_amd64.deb' libc6_1_amd64.deb 4000000 SHA256:1"
    echo "'http://d/g++_4%3a12_amd64.deb' g++_4%3a12_amd64.deb 30000000 SHA256:2" ;;
  *) echo "$@" >> "$FOLDER/asked" ;;
esac""",
    "apt-cache": '[ "$*" = "show g++=4:12" ] && echo "Installed-Size: 100000"',
}


def packages(name):
    lines = (ROOT / "scripts" / LISTS[name]).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


class Setup(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "bin").mkdir()
        for name, script in STAND_INS.items():
            (self.folder / "bin" / name).write_text(f"#!/bin/bash\n{script}\n")
            (self.folder / "bin" / name).chmod(0o755)
        for tool in ("bash", "sed", "grep", "sort", "tr", "cat", "dirname", "mktemp", "mkdir", "rm", "comm", "awk", "xargs",
                     "head", "tail", "env"):
            (self.folder / "bin" / tool).symlink_to(subprocess.check_output(["which", tool], text=True).strip())
        self.installed(packages("build"))

    def installed(self, names):
        (self.folder / "installed").write_text("".join(f"{name}\n" for name in names))

    def run_setup(self, *words, **environment):
        done = subprocess.run([ROOT / "scripts" / "setup", *words], capture_output=True, text=True,
                              env={"PATH": str(self.folder / "bin"), "FOLDER": str(self.folder), **environment})
        asked = self.folder / "asked"
        return done.returncode, done.stdout, done.stderr, asked.read_text().splitlines() if asked.exists() else []

    def test_without_a_word_it_is_what_building_takes(self):
        self.assertEqual(self.run_setup(), (0, "\n== All packages of scripts/packages.txt are installed\n", "", []))
        self.installed(set(packages("build")) - {"cmake"})
        asked = self.run_setup()[3]
        self.assertEqual(asked, ["update", "install -y --no-install-recommends cmake"])

    def test_lists_by_name(self):
        asked = self.run_setup("rtl", "report")[3]
        self.assertEqual(asked[1].split()[3:], packages("rtl") + packages("report"))

    def test_mistakes_are_one_line(self):
        for words, said in ((["rtll"], "rtll: no such list of packages; there are build, rtl, report and test"),
                            (["--sizes"], "usage: scripts/setup [build|rtl|report|test]... [--size]")):
            self.assertEqual(self.run_setup(*words), (1, "", f"warpfold: error: {said}\n", []))
        status, _, err, asked = self.run_setup("report", USER_ID="1000")
        self.assertEqual((status, err.count("\n"), asked), (1, 1, []))
        self.assertIn("these packages are missing and there is neither root nor sudo: nodejs", err)

    def test_size_leaves_out_what_every_debian_has(self):
        status, out, err, asked = self.run_setup("--size")
        self.assertEqual((status, out, err, asked), (0, "build: 1 packages, 30 MB to download, 102 MB on disk\n", "", []))

    def test_lists_have_nothing_in_common(self):
        every = [name for lists in LISTS for name in packages(lists)]
        self.assertEqual(sorted(every), sorted(set(every)))

    def test_nothing_that_is_built_includes_a_file_of_verilators(self):
        """What is compiled at run time lies in tb/cosim/verilated."""
        for folder in ("models", "tb"):
            for path in (ROOT / folder).rglob("*"):
                if path.suffix in (".cpp", ".h") and "verilated" not in path.parts:
                    found = re.search(r'#include [<"](gtkwave/|verilated)', path.read_text())
                    self.assertIsNone(found, path)


if __name__ == "__main__":
    unittest.main()
