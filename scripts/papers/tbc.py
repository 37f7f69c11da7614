# SPDX-License-Identifier: Apache-2.0
"""Tables of Thread Block Compaction, HPCA 2011, on its machine in both readings and on the chip that it stands for."""

from figures import cycles, factor, markdown, mean, mean_cell, mean_over, members, percent, printed, speedup
from points import Point

# configs/machines says where they differ; the first is the one that the other tables are of.
READINGS = ["tbc2011", "tbc2011-325mhz", "gt200"]
TBC = ["pdom", "tbc", "dwf", "dwf-wb"]
OTHERS = ["capri", "tstbc", "lwm", "harp", "token-stack"]


def divergent():
    return members("tbc", "divergent")


def coherent():
    return members("tbc", "coherent")


def verdict(results, machine, mechanism, program, **more):
    """Speed-up and SIMD efficiency; a failed program's message is the result of its point."""
    total = results.total(Point(machine, mechanism, program, **more))
    if total is None:
        return "WRONG"
    return f"{factor(speedup(results, machine, mechanism, program, **more))} ({percent(total['simd_efficiency'])})"


def all_mechanisms(results):
    mechanisms = TBC + OTHERS
    rows = []
    for program in divergent():
        bound = results.total(Point(READINGS[0], "oracle", program, timing="functional"))
        row = [verdict(results, READINGS[0], mechanism, program) for mechanism in mechanisms]
        rows.append([program, *row, f"({percent(bound['oracle_lane_activity'])})"])
    means = [mean_over(results, READINGS[0], mechanism, divergent()) for mechanism in mechanisms]
    return markdown(["", *mechanisms, "oracle"], [*rows, ["geometric mean", *means, ""]])


def tbc_readings(results):
    """TBC and DWF-WB over PDOM, program by program, on every reading of the machine."""
    pairs = [(machine, mechanism) for machine in READINGS for mechanism in ("tbc", "dwf-wb")]
    rows = [[p, *(factor(speedup(results, *pair, p)) for pair in pairs)] for p in divergent()]
    rows.append(["geometric mean", *(mean_over(results, *pair, divergent()) for pair in pairs)])
    issues = [[instructions(results, machine, p) for p in divergent()] for machine in READINGS]
    rows.append(["bound: warp instructions", *(cell for values in issues for cell in (mean_cell(values), ""))])
    return markdown(["", *(f"{mechanism}, {machine}" for machine, mechanism in pairs)], rows)


def instructions(results, machine, program):
    """What TBC would gain if time were warp instructions alone."""
    pdom, tbc = (results.total(Point(machine, m, program)) for m in ("pdom", "tbc"))
    return pdom["warp_instructions"] / tbc["warp_instructions"] if pdom and tbc else None


def tbc_coherent(results):
    pairs = [(machine, mechanism) for machine in READINGS[:2] for mechanism in ("tbc", "dwf-wb")]
    rows = [[p, *(verdict(results, *pair, p) for pair in pairs)] for p in coherent()]
    rows.append(["geometric mean", *(mean_over(results, *pair, coherent()) for pair in pairs)])
    return markdown(["", *(f"{mechanism}, {machine}" for machine, mechanism in pairs)], rows)


def ratio(results, machine, mechanism, program, statistic):
    over, under = (results.total(Point(machine, m, program)) for m in (mechanism, "pdom"))
    return over[statistic] / under[statistic] if over and under and under[statistic] else None


def span(values):
    known = [value for value in values if value]
    return f"{factor(min(known))} to {factor(max(known))}"


def tbc_figures(results):
    everything = divergent() + coherent()

    def row(what, key, cell, machines=READINGS):
        cells = [cell(machine) if machine in machines else "" for machine in READINGS]
        return [what, printed()[key], *cells]

    def over(mechanism, programs, base="pdom"):
        return lambda machine: mean_over(results, machine, mechanism, programs, base)

    def stalls(machine):
        return factor(mean([ratio(results, machine, "dwf", program, "stall") for program in divergent()]))

    def wrong(machine):
        record = results.record(Point(machine, "dwf", "nvrt"))
        return "correct" if record["state"] == "ok" else record["reason"].removeprefix("FAIL: ")

    rows = [
        row("TBC with LCP over PDOM, divergent; ours without LCP", "tbc/pdom divergent", over("tbc", divergent())),
        row("TBC over PDOM, divergent, without LCP", "tbc/pdom divergent without LCP", over("tbc", divergent())),
        row("DWF over PDOM, divergent", "dwf/pdom divergent", over("dwf", divergent())),
        row("TBC over DWF, divergent", "tbc/dwf divergent", over("tbc", divergent(), "dwf")),
        row("TBC over DWF-WB, divergent", "tbc/dwf-wb divergent", over("tbc", divergent(), "dwf-wb")),
        row("TBC over PDOM, all", "tbc/pdom all", over("tbc", everything), READINGS[:2]),
        row("TBC over PDOM, coherent", "tbc/pdom coherent", over("tbc", coherent()), READINGS[:2]),
        row("DWF-WB over PDOM, all", "dwf-wb/pdom all", over("dwf-wb", everything), READINGS[:2]),
        row("NVRT under DWF", "dwf nvrt", wrong),
        row("NVRT, DWF-WB over PDOM", "dwf-wb/pdom nvrt", over("dwf-wb", ["nvrt"])),
        row("MUMpp, DWF over PDOM", "dwf/pdom mummer-pp", over("dwf", ["mummer-pp"])),
        row("Pipeline stalls, DWF over PDOM, divergent", "stalls dwf/pdom", stalls),
        row(
            "Core-memory traffic, TBC over PDOM, divergent",
            "traffic tbc/pdom",
            lambda machine: span([ratio(results, machine, "tbc", p, "core_memory_bytes") for p in divergent()]),
        ),
    ]
    return markdown(["Figure", "Paper", *READINGS], rows)


def tbc_stack(results):
    programs = [key.removeprefix("stack ") for key in printed() if key.startswith("stack ")]
    ours = [results.total(Point(READINGS[0], "tbc", program))["max_stack_entries"] for program in programs]
    theirs = [printed()[f"stack {program}"] for program in programs]
    return markdown(["", *programs], [["TBC Table 3", *theirs], ["here", *(f"{entries:.0f}" for entries in ours)]])


def tbc_filling(results):
    """Whether the figures are of a machine in steady state."""
    rows = []
    for program in divergent():
        record = results.record(Point(READINGS[0], "pdom", program))
        total = record["total"]
        blocks = [printed()[f"blocks {program}"], f"{total['blocks_per_core']:.0f}"]
        figures = [f"{total['registers_per_thread']:.0f}", f"{record['waves']:.1f}"]
        rows.append([program, *blocks, *figures, percent(total["core_utilisation"]), percent(total["few_cores_share"])])
    header = ["", "Blocks a core, paper", "here", "Registers a thread", "Waves", "Core utilisation", "Few cores"]
    return markdown(header, rows)


# What is changed on the first machine, against the cause that it is to show; "blocks" are TBC Table 1's per core.
EXPERIMENTS = {
    "as it is": (),
    "Table 1's blocks per core": ("core.registers=65536", "core.max_blocks={blocks}"),
    "arithmetic latency of the chip": ("core.alu_latency_cycles=21", "core.sfu_latency_cycles=25"),
    "and latency of its L1 and shared memory": (
        "core.alu_latency_cycles=21",
        "core.sfu_latency_cycles=25",
        "core.address_latency_cycles=12",
        "core.shared_latency_cycles=24",
        "l1d.hit_latency_cycles=24",
        "texture_cache.hit_latency_cycles=24",
    ),
    "round robin between blocks": ("mechanism.block_priority=RRB",),
    "L2 of 128 KB a channel": ("memory.l2.size_bytes=131072",),
    "L2 of 128 KB, round robin": ("memory.l2.size_bytes=131072", "mechanism.block_priority=RRB"),
}
PAPERS_MEAN = {
    "as it is": "tbc/pdom divergent without LCP",
    "L2 of 128 KB a channel": "tbc-age/pdom 128 KB",
    "L2 of 128 KB, round robin": "tbc-rrb/pdom 128 KB",
}


def tbc_experiments(results):
    rows = []
    for what, sets in EXPERIMENTS.items():
        row = [experiment(results, program, sets) for program in divergent()]
        theirs = printed()[PAPERS_MEAN[what]] if what in PAPERS_MEAN else ""
        rows.append([what, *map(factor, row), mean_cell(row), theirs])
    return markdown(["TBC over PDOM", *divergent(), "mean", "paper"], rows)


def experiment(results, program, sets):
    """PDOM has the same machine, not TBC's keys."""
    sets = tuple(assignment.format(blocks=printed()[f"blocks {program}"]) for assignment in sets)
    machine = tuple(assignment for assignment in sets if not assignment.startswith("mechanism."))
    before = cycles(results, Point(READINGS[0], "pdom", program, sets=machine))
    after = cycles(results, Point(READINGS[0], "tbc", program, sets=sets))
    return before / after if before and after else None


TABLES = {
    "tbc-figures": tbc_figures,
    "tbc-readings": tbc_readings,
    "tbc-coherent": tbc_coherent,
    "tbc-mechanisms": all_mechanisms,
    "tbc-filling": tbc_filling,
    "tbc-experiments": tbc_experiments,
    "tbc-stack": tbc_stack,
}
