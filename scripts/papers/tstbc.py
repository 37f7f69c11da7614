# SPDX-License-Identifier: Apache-2.0
"""Tables of Two-Stage Synchronization Based Thread Block Compaction, 2016."""

from figures import cycles, factor, markdown, mean_cell, mean_over, members, percent, printed, speedup
from points import Point

MACHINE = "tstbc2016"


def tstbc_programs(results):
    rows = []
    for name in ("divergent", "coherent"):
        for program in members("tstbc", name):
            row = [factor(speedup(results, MACHINE, mechanism, program)) for mechanism in ("capri", "tstbc")]
            row.append(factor(scc(results, program)))
            rows.append([f"{program}, {name}", *row, *(validity(results, m, [program]) for m in ("capri", "tstbc"))])
    return markdown(["", "CAPRI", "TSTBC", "SCC", "Validity, CAPRI", "TSTBC"], rows)


def scc(results, program):
    """Swizzled cycle compression within warps, with the baseline's stacks."""
    plain, packed = (cycles(results, Point(MACHINE, "pdom", program, simd=simd)) for simd in ("", "scc"))
    return plain / packed


def accuracy(results, mechanism, programs, **more):
    """Arithmetic mean of the programs that have a branch to be right about."""
    totals = [results.total(Point(MACHINE, mechanism, program, **more)) for program in programs]
    known = [total["validity_accuracy"] for total in totals if total and "validity_accuracy" in total]
    return sum(known) / len(known) if known else None


def validity(results, mechanism, programs, **more):
    return percent(accuracy(results, mechanism, programs, **more), 1)


def tstbc_figures(results):
    diverge, stay = members("tstbc", "divergent"), members("tstbc", "coherent")
    points = 100 * ((accuracy(results, "tstbc", diverge) or 0) - (accuracy(results, "capri", diverge) or 0))
    gains = [(speedup(results, MACHINE, "tstbc", program), scc(results, program)) for program in diverge]
    over_scc = [gain and gain / other for gain, other in gains]
    rows = [
        ["TSTBC over PDOM", "tstbc/pdom divergent", mean_over(results, MACHINE, "tstbc", diverge)],
        ["TSTBC over CAPRI", "tstbc/capri divergent", mean_over(results, MACHINE, "tstbc", diverge, "capri")],
        ["TSTBC over SCC", "tstbc/scc divergent", mean_cell(over_scc)],
        ["CAPRI over PDOM", "capri/pdom divergent", mean_over(results, MACHINE, "capri", diverge)],
        ["Validity, TSTBC, divergent", "validity tstbc divergent", validity(results, "tstbc", diverge)],
        ["Validity, TSTBC less CAPRI", "validity tstbc-capri divergent", f"{points:.1f} points"],
        ["Validity, TSTBC, non-divergent", "validity tstbc coherent", validity(results, "tstbc", stay)],
        ["Validity, CAPRI, non-divergent", "validity capri coherent", validity(results, "capri", stay)],
    ]
    return markdown(["Figure", "Paper", "Here"], [[what, printed()[key], cell] for what, key, cell in rows])


# n, T_wct and the reading of Algorithm 1's test; the first is the default.
PARAMETERS = [
    (3, 2, "saved"),
    (3, 2, "literal"),
    (1, 2, "saved"),
    (8, 2, "saved"),
    (3, 1, "saved"),
    (3, 5, "saved"),
]


def tstbc_parameters(results):
    diverge = members("tstbc", "divergent")
    rows = []
    for n, t_wct, rule in PARAMETERS:
        given = {"n": (n, 3), "t_wct": (t_wct, 2), "wct_rule": (rule, "saved")}
        sets = tuple(f"mechanism.{key}={value}" for key, (value, usual) in given.items() if value != usual)
        gains = [tstbc_gain(results, program, sets) for program in diverge]
        label = f"{n}, {t_wct}, {rule}" + (" (default)" if not sets else "")
        rows.append([label, mean_cell(gains), validity(results, "tstbc", diverge, sets=sets)])
    return markdown(["n, T_wct, rule", "Over PDOM", "Validity"], rows)


def tstbc_gain(results, program, sets):
    before = cycles(results, Point(MACHINE, "pdom", program))
    after = cycles(results, Point(MACHINE, "tstbc", program, sets=sets))
    return before / after if before and after else None


TABLES = {
    "tstbc-figures": tstbc_figures,
    "tstbc-programs": tstbc_programs,
    "tstbc-parameters": tstbc_parameters,
}
