# SPDX-License-Identifier: Apache-2.0
"""Runs the tutorial: the commands of its console blocks, in order, in a folder with what docs/tutorial holds.

A block looks as on a terminal: lines that begin with "$ " are commands, those that begin with "> " continue them, and
others are what the command prints on standard output. A block below a line `<!-- slow -->` is left out of tests.
The page's pictures, docs/pictures, are those that the commands leave in a folder of that name.
Keys of runs and times of the host are never compared: they differ from build to build and from host to host.
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "tutorial.md"
FILES = ROOT / "docs" / "tutorial"
PICTURE = re.compile(r"\]\((pictures/[^)]*)\)")
BLOCK = re.compile(r"(?P<slow><!-- slow -->\n)?```console\n(?P<text>.*?)^```$", re.M | re.S)
PASSING = [(re.compile(r"\b[0-9a-f]{12}\b"), "KEY"), (re.compile(r"\b\d+(\.\d+)? s\b"), "TIME")]


def lasting(text):
    """Without what is another on every host."""
    for pattern, word in PASSING:
        text = pattern.sub(word, text)
    return text


def steps(text):
    """(command as it stands in the page, as the shell gets it, what the page shows of its output)"""
    for part in re.split(r"^(?=\$ )", text, flags=re.M):
        lines = part.splitlines(keepends=True)
        if not lines:
            continue
        if not lines[0].startswith("$ "):
            raise ValueError(f"a console block begins with '$ ', not with: {lines[0]}")
        count = 1
        while count < len(lines) and lines[count].startswith("> "):
            count += 1
        yield "".join(lines[:count]), "".join(line[2:] for line in lines[:count]), "".join(lines[count:])


def output_of(command, folder, build):
    environment = {**os.environ, "PATH": f"{build / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": ROOT / "scripts" / "python",
                   "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    if ran.returncode != 0:
        print(ran.stdout + ran.stderr, end="")
        print(f"docs/tutorial.md: exit status {ran.returncode} of: {command}", end="")
    return ran.returncode == 0, ran.stdout


class Run:
    """The commands so far, and what of the page they do not bear out."""

    def __init__(self, folder, build, with_slow):
        self.folder, self.build, self.with_slow = folder, build, with_slow
        self.commands, self.wrong = 0, []

    def block(self, match):
        """The block as it should be."""
        if match["slow"] and not self.with_slow:
            return match[0]
        text = "".join(shown + self.printed(command, output) for shown, command, output in steps(match["text"]))
        return (match["slow"] or "") + "```console\n" + text + "```"

    def printed(self, command, shown):
        self.commands += 1
        good, output = output_of(command, self.folder, self.build)
        if good and lasting(output) == lasting(shown):
            return shown
        self.wrong.append((command, output))
        return output if good else shown


def pictures(text, folder, check):
    """Those of the page that are not as the commands have drawn them; without `check` they are then."""
    changed = []
    for name in sorted(set(PICTURE.findall(text))):
        drawn, kept = folder / name, PAGE.parent / name
        if drawn.exists() and kept.exists() and kept.read_bytes() == drawn.read_bytes():
            continue
        changed.append(name)
        if drawn.exists() and not check:
            kept.parent.mkdir(exist_ok=True)
            shutil.copy(drawn, kept)
    return changed


def run(build, check):
    text = PAGE.read_text()
    with tempfile.TemporaryDirectory() as folder:
        for file in FILES.iterdir():
            shutil.copy(file, folder)
        tutorial = Run(Path(folder), build, with_slow=not check)
        new = BLOCK.sub(tutorial.block, text)
        changed = pictures(text, Path(folder), check)
    print(f"{tutorial.commands} commands, {len(tutorial.wrong)} print something else than docs/tutorial.md shows")
    for name in changed:
        print(f"docs/{name} is another picture now, or none at all")
    if not check:
        PAGE.write_text(new)
        return 0
    for command, output in tutorial.wrong:
        print(f"$ {command}{output}", end="")
    if tutorial.wrong or changed:
        print("run scripts/docs --tutorial, and read the page again: its words speak of these figures")
    return 1 if tutorial.wrong or changed or tutorial.commands == 0 else 0
