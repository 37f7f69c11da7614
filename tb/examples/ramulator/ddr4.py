# SPDX-License-Identifier: Apache-2.0
"""One channel of DDR4-2400, for Ramulator 2.1, whose Python package makes a file of it (ddr4.yaml is for 2.0)."""

from ramulator import Simulation, addr_mapper, channel_mapper, controller, dram, frontend, memory_system
from ramulator import refresh_manager, row_policy, scheduler

channel = controller.GenericDDR(
    dram=dram.DDR4(org_preset="DDR4_8Gb_x8", timing_preset="DDR4_2400R", rank=1),
    addr_mapper=addr_mapper.RoBaRaCoCh(),
    scheduler=scheduler.FRFCFS(),
    refresh_manager=refresh_manager.AllBank(),
    row_policy=row_policy.Open(),
)
# Ratios of clocks are for frontends that tick: here the memory's own clock is what counts.
memory = memory_system.GenericDRAM(
    clock_ratio=1, controllers=[channel], channel_mapper=channel_mapper.CacheLineInterleave()
)
Simulation(frontend.External(clock_ratio=1), memory)
