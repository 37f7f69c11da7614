// SPDX-License-Identifier: Apache-2.0
#include "models/memory/memory_system.h"

#include <string>

#include "models/common/error.h"

namespace warpfold {

void check_geometry(const MemoryParams& params, std::uint32_t line_bytes) {
  if (params.l2.line_bytes < line_bytes) {
    user_error("l2.line_bytes {} is smaller than a first-level cache's line of {}; make it at least as large",
               params.l2.line_bytes, line_bytes);
  }
  if (params.interleave_bytes < params.l2.line_bytes) {
    user_error("interleave_bytes {} is smaller than l2.line_bytes {}; make it at least as large",
               params.interleave_bytes, params.l2.line_bytes);
  }
  const std::uint32_t chunk =
      params.dram.mapping == DramMapping::kRowBankColumn ? params.l2.line_bytes : params.interleave_bytes;
  if (params.dram.row_bytes < chunk) {
    user_error(
        "dram.row_bytes {} is smaller than the {} bytes that lie side by side in a row; make it at least as large",
        params.dram.row_bytes, chunk);
  }
}

MemorySystem::MemorySystem(sc_core::sc_module_name name, const MemoryParams& params, unsigned cores,
                           ClockDomain& memory_clock, ClockDomain& interconnect_clock, StatRegistry& stats,
                           PayloadPool& pool)
    : sc_module(name),
      map_(params.interleave_bytes, params.channels),
      interconnect_("interconnect", params.interconnect, map_, cores, params.channels, interconnect_clock, 0,
                    stats.group("interconnect")) {
  for (unsigned n = 0; n < params.channels; ++n) {
    const std::string number = std::to_string(n);
    L2Slice& slice = slices_.emplace_back(("l2_" + number).c_str(), params.l2, map_, n, interconnect_clock, n + 1,
                                          stats.group("l2_" + number), pool);
    DramChannel& channel = channels_.emplace_back(("dram_" + number).c_str(), params.dram, map_, memory_clock, n,
                                                  stats.group("dram_" + number));
    interconnect_.slice_sockets[n].bind(slice.network_socket);
    slice.dram_socket.bind(channel.socket);
  }
}

}  // namespace warpfold
