// SPDX-License-Identifier: Apache-2.0
// Everything beyond the cores' ports: interconnect, L2 slices and DRAM channels of a machine.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <systemc>
#include <tuple>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/config/params.h"
#include "warpfold/common/results/stats.h"
#include "warpfold/memory/dram/dram_channel.h"
#include "warpfold/memory/l2/index_hash.h"
#include "warpfold/memory/l2/l2_slice.h"
#include "warpfold/memory/network/interconnect.h"

namespace warpfold {

// What answers the L2's misses and takes its write-backs. dram: the channels here; external: whatever a platform binds.
enum class MemoryBehind : std::uint8_t { kDram, kExternal };
template <>
struct Choices<MemoryBehind> {
  static constexpr std::array names{"dram", "external"};
};

struct BoundaryParams {
  MemoryBehind memory = MemoryBehind::kDram;

  static constexpr auto fields() {
    return std::tuple{choice("memory", &BoundaryParams::memory,
                             "behind the L2: dram: the channels of this file; external: what a platform binds to the "
                             "GPU's sockets (docs/embedding.md)")};
  }
};

// TBC Table 2 where the paper gives values. The latencies it leaves open are set so that an unloaded load from DRAM
// takes about the 436 to 443 core cycles at 1.35 GHz (325 ns) that Wong et al. (ISPASS 2010) measured on GT200;
// tests/memory adds them up.
struct MemoryParams {
  std::uint32_t channels = 8;
  std::uint32_t slices_per_channel = 1;
  IndexHash slice_hash = IndexHash::kLinear;
  std::uint32_t interleave_bytes = 256;  // decision: as GPGPU-Sim's Quadro FX 5800 maps channels, above bit 8
  InterconnectParams interconnect;
  L2Params l2;
  DramParams dram;
  BoundaryParams boundary;

  bool external() const { return boundary.memory == MemoryBehind::kExternal; }

  static constexpr auto fields() {
    using P = MemoryParams;
    return std::tuple{
        field("channels", "channels", &P::channels, 1, 256, "memory channels"),
        field("slices_per_channel", "slices", &P::slices_per_channel, 1, 16, "L2 slices that share a channel"),
        choice("slice_hash", &P::slice_hash, "a chunk's slice: linear: modulo slices; others mix higher bits in"),
        power_of_two("interleave_bytes", "bytes", &P::interleave_bytes, 16, 1u << 20,
                     "of memory in a slice before the next"),
        section("interconnect", &P::interconnect, "network between cores and slices"),
        section("l2", &P::l2, "each slice of the second-level cache"),
        section("dram", &P::dram, "each memory channel"),
        optional_section("boundary", &P::boundary, "where the model ends"),
    };
  }
};

// Throws UserError when the parts do not fit one another or the caches in front (line_bytes: their largest line).
void check_geometry(const MemoryParams& params, std::uint32_t line_bytes);

// Clocks must have been made in the order memory, interconnect, cores. Objects of the statistics: "interconnect",
// "l2_0"…, "dram_0"…; where the memory is external there is one of these for each slice and counts what it sends there.
class MemorySystem : public sc_core::sc_module {
 public:
  MemorySystem(sc_core::sc_module_name name, const MemoryParams& params, unsigned cores, ClockDomain& memory_clock,
               ClockDomain& interconnect_clock, StatRegistry& stats, const std::vector<ClockDomain*>& link_clocks = {});

  // `link_clocks`: as Interconnect has them. Bind CorePort::network_socket of core n to core_socket(n).
  tlm::tlm_target_socket<>& core_socket(unsigned core) { return interconnect_.core_socket(core); }
  Interconnect& interconnect() { return interconnect_; }
  DramChannel& channel(unsigned n) { return channels_[n]; }
  // Where the memory is external: each slice's socket, to be bound by the platform, and which addresses it is for.
  tlm::tlm_initiator_socket<>& dram_socket(unsigned slice) { return slices_.at(slice).dram_socket; }
  const AddressMap& map() const { return map_; }
  // Writes to an external memory carry the bytes that are here.
  void carry_values_of(const DeviceMemory& memory);

  // Requests that the L2 has sent on and that have not come back.
  std::size_t requests_out() const { return pool_.in_use(); }

  // The sectors that these bytes lie in are in the L2 from now on, the last the most recently used; while nothing is on
  // its way.
  void fill(Address to, std::uint64_t bytes);
  // The L2 and the open rows are as after this access of a first-level cache's line, or part of it; while nothing is on
  // its way. True: the L2 had to fetch.
  bool warm(Address at, std::uint32_t bytes, const ByteMask& mask, CacheAccess::Kind kind);

 private:
  const std::uint32_t sector_bytes_;  // of the L2
  const bool external_;
  AddressMap map_;
  PayloadPool pool_;  // of the slices
  Interconnect interconnect_;
  std::deque<L2Slice> slices_;
  std::deque<DramChannel> channels_;
};

}  // namespace warpfold
