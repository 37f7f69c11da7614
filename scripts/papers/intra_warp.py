# SPDX-License-Identifier: Apache-2.0
"""Tables of SIMD Divergence Optimization through Intra-Warp Compaction, ISCA 2013: savings beyond Ivy Bridge's own."""

from figures import cycles, markdown, members, percent, printed
from points import Point

MACHINE = "ivb2013"
LINES = {"DC1": (), "DC2": ("core.lsu_lines_per_cycle=2",)}
# Of the kinds that the paper timed: its ray tracers and its Rodinia programs (Fig. 11 and 12).
TIMED = ["bfs", "backprop", "needle", "particlefilter", "lavamd", "raytrace", "nvrt-sync", "bvh", "ambient", "facedetect"]


def eu(results, program):
    """Cycles of the EUs need no time: one functional run counts them under every packing."""
    total = results.total(Point(MACHINE, "pdom", program, timing="functional"))
    return [total["bcc_saving"], total["scc_saving"]], total["simd_efficiency"]


def time(results, program, lines):
    points = [Point(MACHINE, "pdom", program, simd=simd, sets=LINES[lines]) for simd in ("ivb", "bcc", "scc")]
    plain, *packed = (cycles(results, point) for point in points)
    return [1 - after / plain for after in packed]


def pair(values):
    return ", ".join(percent(value) for value in values)


def intra_programs(results):
    rows = []
    for program in members("intra-warp", "divergent"):
        saved, efficiency = eu(results, program)
        timed = [pair(time(results, program, lines)) if program in TIMED else "" for lines in LINES]
        rows.append([program, percent(efficiency), pair(saved), *timed])
    return markdown(["", "SIMD efficiency", "EU cycles: BCC, SCC", "time, DC1: BCC, SCC", "time, DC2: BCC, SCC"], rows)


def intra_figures(results):
    def row(what, key, savings):
        cells = []
        for saved in zip(*savings):
            cells += [f"{100 * max(saved):.0f}", f"{100 * sum(saved) / len(saved):.0f}"]
        return [what, printed()[key], "; ".join(cells)]

    rows = [
        row("EU cycles, all", "intra eu", [eu(results, p)[0] for p in members("intra-warp", "divergent")]),
        row("EU cycles, those timed", "intra eu", [eu(results, p)[0] for p in TIMED]),
        row("Execution time, DC1", "intra dc1", [time(results, p, "DC1") for p in TIMED]),
        row("Execution time, DC2", "intra dc2", [time(results, p, "DC2") for p in TIMED]),
    ]
    return markdown(["% saved: BCC max; mean; SCC max; mean", "Paper", "Here"], rows)


TABLES = {"intra-figures": intra_figures, "intra-programs": intra_programs}
