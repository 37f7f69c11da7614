# SPDX-License-Identifier: Apache-2.0
"""Runs, comparisons and studies. Options that stand in no signature go to warpfold as they are: size="small"."""

import dataclasses
import json
import shlex
from pathlib import Path

from .machines import as_option
from .program import call


def frame(rows):
    """A table: pandas' data frame, where there is pandas, else the list of dictionaries."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


def tables(command, *words, warpfold=None, machine=None, **options):
    """Any command's tables by name, or its only one: tables("explain", "pdom", "tbc", "--", "bfs")."""
    with as_option(machine) as given:
        answer = call(command, *words, warpfold=warpfold, machine=given, **options)
    if isinstance(answer, list):
        return frame(answer)
    return {name: rows if name == "notes" else frame(rows) for name, rows in answer.items()}


@dataclasses.dataclass
class Run:
    """What a run has left."""

    total: dict  # statistics of the whole run, and what it was
    kernels: object  # a table: a row for each kernel, over its launches, with its statistics
    resources: object  # a table: registers and occupancy of each kernel
    directory: Path  # where the files are that docs/running.md lists


def run(program, *arguments, machine=None, mechanism=None, set=None, out=None, warpfold=None, **options):
    """Runs a program once: run("./bfs graph.txt", machine="volta", set={"cores": 4}); words may stand apart, too."""
    if not arguments and not Path(program).exists():
        program, *arguments = shlex.split(program)
    with as_option(machine) as given:
        answer = call("run", "--", program, *arguments, warpfold=warpfold, machine=given, mechanism=mechanism, set=set,
                      out=out, quiet=True, **options)
    total = answer["total"][0]
    directory = Path(total["results"])
    counted = json.loads((directory / "stats.json").read_text())
    kernels = []
    for row in answer["kernels"]:  # a sampled run's are estimates, without a number
        name = f"kernel.{row.get('number')}.{row.get('symbol')}"
        kernels.append({**row, **counted["kernels"].get(name, {}), **row})
    return Run({**total, **counted["total"], **total}, frame(kernels), frame(answer["resources"]), directory)


def compare(*programs, machine=None, mechanisms=None, set=None, out=None, warpfold=None, **options):
    """A row for each program, machine and mechanism; a program with arguments is one word, or a list of words.

    With `seeds`, verdicts over that many inputs; tables("compare", …) has their other tables.
    """
    words = [shlex.join(map(str, one)) if isinstance(one, (list, tuple)) else one for one in programs]
    found = tables("compare", *words, warpfold=warpfold, machine=machine, mechanisms=mechanisms, set=set, out=out,
                   quiet=True, **options)
    return found["verdict" if options.get("seeds") else "comparison"]


def study(name, view=None, store=None, quick=False, warpfold=None):
    """The results of a study, a row for each point, or what one of its views or figures has."""
    return tables("study export", name, warpfold=warpfold, view=view, store=store, quick=quick)
