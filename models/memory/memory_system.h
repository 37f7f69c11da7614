// SPDX-License-Identifier: Apache-2.0
// Everything beyond the cores' ports: interconnect, L2 slices and DRAM channels of a machine, as far as they are ours.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <systemc>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/results/stats.h"
#include "warpfold/memory/dram/dram_channel.h"
#include "warpfold/memory/l2/l2_slice.h"
#include "warpfold/memory/memory_params.h"
#include "warpfold/memory/network/core_gateway.h"
#include "warpfold/memory/network/interconnect.h"

namespace warpfold {

// Throws UserError when the parts do not fit one another or the caches in front (line_bytes: their largest line).
void check_geometry(const MemoryParams& params, std::uint32_t line_bytes);

// Clocks must have been made in the order memory, interconnect, cores. Objects of the statistics: "interconnect",
// "l2_0"…, "dram_0"…; where the memory is external there is one of these for each slice and counts what it sends there.
// Where the network is external there are none.
class MemorySystem : public sc_core::sc_module {
 public:
  MemorySystem(sc_core::sc_module_name name, const MemoryParams& params, unsigned cores, ClockDomain& memory_clock,
               ClockDomain& interconnect_clock, StatRegistry& stats, const std::vector<ClockDomain*>& link_clocks = {});
  ~MemorySystem() override;

  // `link_clocks`: as Interconnect has them. Bind CorePort::network_socket of core n to core_socket(n).
  tlm::tlm_target_socket<>& core_socket(unsigned core) {
    return interconnect_ ? interconnect_->core_socket(core) : gateways_.at(core).core_socket;
  }
  Interconnect& interconnect() { return *interconnect_; }
  DramChannel& channel(unsigned n) { return channels_[n]; }
  // Where the network is external: each core's socket, to be bound by the platform.
  unsigned network_sockets() const { return static_cast<unsigned>(gateways_.size()); }
  tlm::tlm_initiator_socket<>& network_socket(unsigned core) { return gateways_.at(core).network_socket; }
  // Where the memory is external: each slice's socket, to be bound by the platform, and which addresses it is for.
  unsigned dram_sockets() const { return static_cast<unsigned>(slices_.size()); }
  tlm::tlm_initiator_socket<>& dram_socket(unsigned slice) { return slices_.at(slice).dram_socket; }
  const AddressMap& map() const { return map_; }
  // Writes to an external memory or network carry the bytes that are here.
  void carry_values_of(const DeviceMemory& memory);

  // Requests that were sent to memory, or to an external network, and have not been answered. Those that wait behind
  // one are not counted.
  std::size_t requests_out() const;
  // How many requests to an external memory wait for their answers, and which is one of them; empty: none does.
  std::string unanswered() const;

  // The sectors that these bytes lie in are in the L2 from now on, the last the most recently used; while nothing is on
  // its way. Without an L2, nothing happens.
  void fill(Address to, std::uint64_t bytes);
  // Nothing is in the L2 from then on, while nothing is on its way, at no cost in time.
  void empty_l2();
  // The L2 and the open rows are as after this access of a first-level cache's line, or part of it; while nothing is on
  // its way. True: the L2 had to fetch.
  bool warm(Address at, std::uint32_t bytes, const ByteMask& mask, CacheAccess::Kind kind, const CacheUse& use = {});

 private:
  const std::uint32_t sector_bytes_;  // of the L2
  const bool external_;
  AddressMap map_;
  PayloadPool pool_;  // of the slices, or of the gateways
  std::optional<Interconnect> interconnect_;
  std::deque<CoreGateway> gateways_;  // one per core, where the network is external
  std::deque<L2Slice> slices_;
  std::deque<DramChannel> channels_;
};

}  // namespace warpfold
