# SPDX-License-Identifier: Apache-2.0
"""The table of the bundled workloads: whose benchmarks they stand for, and how they behave."""

import re

from figures import markdown, percent
from points import ROOT, Point

CYCLES = "tbc2011"  # a warp of 32 and the L1 of the paper that has most of the programs
MASKS = "ivb2013"  # whose paper calls a program divergent by a rule
# SIMD efficiency below which a program is divergent: TBC's sets part there, the intra-warp paper says so (section 3).
DIVERGENT = {CYCLES: 0.76, MASKS: 0.95}


def manifests():
    """Of each program the entries of its manifest that a line can hold, as text."""
    found = {}
    for path in sorted(ROOT.glob("tb/workloads/*/workload.yaml")):
        found[path.parent.name] = dict(re.findall(r"^(\w+): ?(.*)$", path.read_text(), re.MULTILINE))
    return found


def points_of(program):
    """Where cycles are asked for, and where masks are enough."""
    return Point(CYCLES, "pdom", program), Point(MASKS, "pdom", program, timing="functional")


def set_by(machine, efficiency):
    return "divergent" if efficiency < DIVERGENT[machine] else "coherent"


def papers_of(manifest):
    return dict(re.findall(r"([\w-]+): ([\w-]+)", manifest["papers"]))


def table(results):
    rows = []
    for program, manifest in manifests().items():
        cells = [f"`{program}`", manifest.get("paper", "-")]
        totals = [results.total(point) for point in points_of(program)]
        for machine, total in zip((CYCLES, MASKS), totals):
            efficiency = total["simd_efficiency"] if total else None
            cells += [percent(efficiency), set_by(machine, efficiency) if total else "fails"]
        counted = totals[0] or {}
        rows.append([*cells, *(f"{counted[key]:,}" if key in counted else "-" for key in ("warp_instructions", "cycles"))])
    of_32, of_16 = f"SIMD efficiency, {CYCLES}", f"{MASKS}"
    return markdown(["Program", "Stands for", of_32, "so it is", of_16, "so it is", "warp instructions", "cycles"], rows)


def contradictions(results):
    """Manifests that count a program to another set of the intra-warp paper than its rule does."""
    lines = []
    for program, manifest in manifests().items():
        total = results.total(points_of(program)[1])
        said = papers_of(manifest).get("intra-warp")
        if total and said not in (None, set_by(MASKS, total["simd_efficiency"])):
            lines.append(f"{program} is said to be {said}, with an efficiency of {percent(total['simd_efficiency'], 1)}")
    return lines
