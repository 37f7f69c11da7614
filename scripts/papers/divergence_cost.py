# SPDX-License-Identifier: Apache-2.0
"""Table of Benchmarking the Cost of Thread Divergence in CUDA, 2015: the token stack under the paper's two loops."""

from figures import markdown
from points import Point

MACHINES = {"kepler-token": (), "maxwell-token": ("mechanism.generation=maxwell",)}  # with the cycles of each
DIVERGENCES = [0, 14, 20, 31]
PUSHES = {"single-loop": lambda n: n + 1, "double-loop": lambda n: n * (65 - n) // 2 + 33}  # the paper's, §IV
DEPTH = {"single-loop": lambda n: n + 1, "double-loop": lambda n: n + 2}


def cost_loops(results):
    rows = []
    for program in PUSHES:
        for n in DIVERGENCES:
            totals = [
                results.total(Point(machine, "token-stack", program, sets=sets, arguments=("--n", str(n))))
                for machine, sets in MACHINES.items()
            ]
            pushes = totals[0]["token_sync_pushes"] + totals[0]["token_div_pushes"]
            theirs = f"{PUSHES[program](n)}, {DEPTH[program](n)}"
            here = f"{pushes:.0f}, {totals[0]['max_stack_entries']:.0f}"
            rows.append([program, str(n), theirs, here, *(f"{total['cycles']:.0f}" for total in totals)])
    return markdown(["", "n", "Pushes, depth: paper", "here", "Cycles, Kepler", "Maxwell"], rows)


TABLES = {"cost-loops": cost_loops}
