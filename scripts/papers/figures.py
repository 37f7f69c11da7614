# SPDX-License-Identifier: Apache-2.0
"""What the tables have in common: the papers' figures, the papers' sets, means and cells."""

import csv
import math
import re
from functools import lru_cache
from pathlib import Path

from points import ROOT, Point


@lru_cache(maxsize=None)
def printed():
    with open(Path(__file__).with_name("figures.csv"), newline="") as file:
        return {row["key"]: row["value"] for row in csv.DictReader(file)}


@lru_cache(maxsize=None)
def members(paper, name):
    """The programs that a paper counts to a set, as their manifests say."""
    found = []
    for manifest in sorted(ROOT.glob("tb/workloads/*/workload.yaml")):
        papers = re.search(r"^papers: \{(.*)\}$", manifest.read_text(), re.MULTILINE).group(1)
        if dict(re.findall(r"([\w-]+): ([\w-]+)", papers)).get(paper) == name:
            found.append(manifest.parent.name)
    return found


def cycles(results, point):
    total = results.total(point)
    return None if total is None else total["cycles"]


def speedup(results, machine, mechanism, program, base="pdom", **more):
    """How many times faster than `base` on the same point; None where one of the two fails."""
    before, after = (cycles(results, Point(machine, m, program, **more)) for m in (base, mechanism))
    return before / after if before and after else None


def mean(values):
    """Geometric, of those that there are."""
    known = [value for value in values if value]
    return math.exp(sum(map(math.log, known)) / len(known)) if known else None


def factor(value):
    return "-" if value is None else f"{value:.2f}"


def percent(value, digits=0):
    # + 0.0: what rounds to nothing has no sign.
    return "-" if value is None else f"{round(100 * value, digits) + 0.0:.{digits}f} %"


def mean_cell(values):
    """A mean that says what it lacks."""
    missing = sum(1 for value in values if not value)
    return factor(mean(values)) + (f" (without {missing})" if missing else "")


def mean_over(results, machine, mechanism, programs, base="pdom", **more):
    return mean_cell([speedup(results, machine, mechanism, program, base, **more) for program in programs])


def markdown(header, rows):
    lines = ["| " + " | ".join(row) + " |" for row in [header, *rows]]
    return "\n".join([lines[0], "|" + "---|" * len(header), *lines[1:]])
