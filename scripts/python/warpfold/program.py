# SPDX-License-Identifier: Apache-2.0
"""The `warpfold` program: where it is, its command line made of Python's values, its answer."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

BUILT = Path(__file__).resolve().parents[3] / "build" / "release" / "bin" / "warpfold"
OURS = "warpfold: "
MARKS = (OURS + "error: ", OURS)


class Error(Exception):
    """What warpfold says of a command that has failed, in one line; `answer`: what it printed nevertheless, or None."""

    __module__ = "warpfold"  # as users know it

    def __init__(self, message, answer=None):
        super().__init__(message)
        self.answer = answer


def find(named=None):
    """The program's path."""
    for place, name in (("warpfold=", named), ("WARPFOLD=", os.environ.get("WARPFOLD"))):
        if not name:
            continue
        found = shutil.which(name)
        if found is None:
            raise Error(f"{place}{name}: no such program: give the path of a warpfold that is built")
        return found
    found = shutil.which("warpfold") or shutil.which(BUILT)
    if found is None:
        raise Error(f"no warpfold in PATH, nor {BUILT}: build it (scripts/quickstart), or set WARPFOLD=/path/to/warpfold")
    return found


def word(value):
    """As the command line has it: lists with commas, flags as true and false."""
    if isinstance(value, (list, tuple)):
        return ",".join(word(one) for one in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def options(given):
    """size="small", sweep={"cores": [2, 4]}, slots_only=True → --size small --sweep cores=2,4 --slots-only"""
    words = []
    for name, value in given.items():
        option = "--" + name.replace("_", "-")
        if isinstance(value, Mapping):
            for key, one in value.items():
                words += [option, f"{key}={word(one)}"]
        elif value is True:
            words.append(option)
        elif value is not None and value is not False:
            words += [option, word(value)]
    return words


def said(stderr):
    """The last line that is warpfold's own: programs may have written others; empty: there is none."""
    lines = [line for line in stderr.splitlines() if line.startswith(OURS)]
    if not lines:
        return ""
    mark = next(mark for mark in MARKS if lines[-1].startswith(mark))
    return lines[-1].removeprefix(mark)


def call(command, *words, warpfold=None, **given):
    """The JSON that `warpfold COMMAND --option value… --json words…` prints."""
    line = [find(warpfold), *command.split(), *options(given), "--json", *(str(one) for one in words)]
    try:
        ran = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    except OSError as error:
        raise Error(f"{line[0]}: {error.strerror}: give the path of a warpfold that is built") from None
    try:
        answer = json.loads(ran.stdout)
    except ValueError:
        answer = None
    if ran.returncode != 0 or answer is None:
        raise Error(said(ran.stderr) or f"warpfold {command}: exit status {ran.returncode}, and no word why", answer)
    return answer
