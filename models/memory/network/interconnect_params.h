// SPDX-License-Identifier: Apache-2.0
// What a machine file says of the network between cores and L2 slices.
#pragma once

#include <cstdint>
#include <tuple>

#include "warpfold/common/config/params.h"
#include "warpfold/memory/network/packet_params.h"

namespace warpfold {

struct InterconnectParams {
  // TBC Table 2: 650 MHz. The rest are decisions: 32-byte ports, a crossbar rather than a mesh (Bakhoda et al., ISPASS
  // 2009, found the topology to matter little next to bisection bandwidth), and a latency with which an unloaded load
  // from DRAM takes about what Wong et al. (ISPASS 2010) measured on GT200 (see MemoryParams).
  std::uint32_t clock_mhz = 650;
  std::uint32_t request_bytes_per_cycle = 32;
  std::uint32_t response_bytes_per_cycle = 32;
  std::uint32_t latency_cycles = 40;
  std::uint32_t queue_entries = 8;
  std::uint32_t cores_per_port = 1;
  PacketParams packet;

  static constexpr auto fields() {
    using P = InterconnectParams;
    return std::tuple{
        field("clock_mhz", "MHz", &P::clock_mhz, 1, 100'000, "clock of interconnect and L2 slices"),
        field("request_bytes_per_cycle", "bytes", &P::request_bytes_per_cycle, 1, 4096,
              "of a port, towards the slices"),
        field("response_bytes_per_cycle", "bytes", &P::response_bytes_per_cycle, 1, 4096,
              "of a port, towards the cores"),
        field("latency_cycles", "cycles", &P::latency_cycles, 1, 10'000, "of a one-flit packet, each direction"),
        field("queue_entries", "packets", &P::queue_entries, 1, 4096, "of each port's queue, on either side"),
        field("cores_per_port", "cores", &P::cores_per_port, 1, 1024,
              "neighbouring cores that share a port (HARP Table 3)"),
        section("packet", &P::packet, "sizes of packets"),
    };
  }
};

}  // namespace warpfold
