# SPDX-License-Identifier: Apache-2.0
"""Tables of HARP, 2013. Its type A, programs of few threads, has a block a core; types B and C fill the machine."""

from figures import cycles, factor, markdown, mean, members, printed, speedup
from points import Point

MACHINE = "harp2013"
SIZES = {"A": "one-block", "B": "default", "C": "default"}
RIVALS = {"pdom": "harp/pdom", "dwf": "harp/dwf", "lwm": "harp/lwm"}


def programs(kinds="ABC"):
    """With the size of each."""
    return [(program, SIZES[kind]) for kind in kinds for program in members("harp", kind)]


def gains(results, mechanism, kinds, base="pdom"):
    found = [speedup(results, MACHINE, mechanism, program, base, size=size) for program, size in programs(kinds)]
    return [gain for gain in found if gain]


def by_program(results, sized):
    return ", ".join(f"{p} {factor(speedup(results, MACHINE, 'harp', p, size=size))}" for p, size in sized)


def harp_types(results):
    rows = []
    for kind in SIZES:
        means = [factor(mean(gains(results, mechanism, kind))) for mechanism in ("dwf", "lwm", "harp")]
        rows.append([f"{kind}, {SIZES[kind]}", *means, by_program(results, programs(kind))])
    full = [speedup(results, MACHINE, "harp", program) for program, _ in programs("A")]
    each = by_program(results, [(program, "default") for program, _ in programs("A")])
    rows.append(["A, default: grids that fill the machine", "", "", factor(mean(full)), each])
    return markdown(["Type, size", "DWF / SBR", "LWM / SBR", "HARP / SBR", "HARP, by program"], rows)


def harp_figures(results):
    rows = []
    for rival, key in RIVALS.items():
        found = gains(results, "harp", "ABC", rival)
        name = {"pdom": "SBR"}.get(rival, rival.upper())
        rows.append([f"HARP / {name}", printed()[key], f"{factor(mean(found))}; max {factor(max(found))}"])
    return markdown(["Figure", "Paper", "Here"], rows)


def harp_lanes(results):
    rows = []
    for program, size in programs("AB"):
        points = [Point(MACHINE, mechanism, program, size=size) for mechanism in ("pdom", "dwf", "lwm", "harp")]
        totals = [results.total(point) for point in points]
        cells = []
        for name in ("lane_activity", "pipeline_depth_utilisation"):
            cells.append(" / ".join(f"{100 * total[name]:.0f}" if total else "-" for total in totals))
        rows.append([program, *cells])
    return markdown(["SBR / DWF / LWM / HARP", "Lane activity", "Pipeline depth utilisation"], rows)


CHANGES = ["ready_lookup_entries=4", "waiting_lookup_entries=4", "barrier_latency_cycles=2", "barrier_latency_cycles=4"]


def harp_tables(results):
    """Smaller and slower tables, against HARP as it is."""
    rows = []
    for change in CHANGES:
        found = {}
        for program, size in programs("AB"):
            changed = Point(MACHINE, "harp", program, size=size, sets=(f"mechanism.{change}",))
            before, after = cycles(results, Point(MACHINE, "harp", program, size=size)), cycles(results, changed)
            if before and after:
                found[program] = before / after
        cells = [f"{100 * (mean(found.values()) - 1):+.0f} %"]
        worst = min(found, key=found.get)
        cells.append(f"{worst} {100 * (found[worst] - 1):+.0f} %")
        rows.append([f"`{change}`", printed()[f"harp {change}"], *cells])
    return markdown(["Change", "Paper", "Here", "Most"], rows)


def harp_narrow(results):
    """What narrow warps cost by themselves: SBR with warps as wide as HARP's."""
    rows = []
    for sets in ((), ("core.warp_size=16",)):
        found = [speedup(results, MACHINE, "harp", program, sets=sets) for program in members("harp", "C")]
        rows.append([" ".join(sets) or "as it is", *map(factor, found)])
    return markdown(["HARP / SBR", *members("harp", "C")], rows)


TABLES = {
    "harp-figures": harp_figures,
    "harp-types": harp_types,
    "harp-lanes": harp_lanes,
    "harp-tables": harp_tables,
    "harp-narrow": harp_narrow,
}
