# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# The tutorial's results as data frames, and what another machine would change. The package is scripts/python.

# %%
import json

import warpfold

# %% Cycles of every run
runs = warpfold.study("probe.yaml")
runs["warp_size"] = [json.loads(settings)["core.warp_size"] for settings in runs.settings]
table = runs.pivot(index=["warp_size", "seed"], columns="variant", values="cycles").rename_axis(columns=None)
print(table.reset_index().to_string(index=False), end="\n\n")

# %% The speed-ups with their intervals: a view of the study
verdicts = warpfold.study("probe.yaml", "probe_speedup")
print(verdicts.round(2).to_string(index=False), end="\n\n")

# %% The machine with warps of 16 as it is, and with an L1 four times as large
machine = warpfold.machine("tbc2011")
machine["cores"] = 4
machine["core"].update(simd_width=16, warp_size=16)
warpfold.save(machine, "as-it-is.yaml")
machine["l1d"]["size_bytes"] *= 4
warpfold.save(machine, "large-l1.yaml")
rows = warpfold.compare("./probe 1", machine=["as-it-is.yaml", "large-l1.yaml"], mechanisms=["pdom", "tbc"])
print(rows[["machine", "mechanism", "cycles", "stall_share", "l1d_hit_rate", "speed_up"]].round(2).to_string(index=False))
