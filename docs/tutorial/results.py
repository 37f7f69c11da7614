# SPDX-License-Identifier: Apache-2.0
"""The tutorial's results in pandas: cycles of every run, and the speed-up with its interval from the store's own view."""

import sqlite3

import pandas

store = sqlite3.connect("file:results/store.sqlite?mode=ro", uri=True)
runs = pandas.read_sql_query(
    """SELECT settings ->> '$."core.warp_size"' AS warp_size, seed, variant, cycles
       FROM result WHERE study = 'probe' AND state = 'ok'""", store)
table = runs.pivot(index=["warp_size", "seed"], columns="variant", values="cycles").rename_axis(columns=None)
print(table.reset_index().to_string(index=False), end="\n\n")

verdicts = pandas.read_sql_query("SELECT * FROM probe_speedup", store)
print(verdicts.round(2).to_string(index=False))
