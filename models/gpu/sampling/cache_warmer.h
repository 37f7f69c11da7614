// SPDX-License-Identifier: Apache-2.0
// What launches that run without time leave in the second-level cache and in the rows of the DRAM.
#pragma once

#include <cstdint>
#include <vector>

#include "warpfold/core/memory/coalescer.h"
#include "warpfold/gpu/machine/machine_config.h"
#include "warpfold/isa/execute/access/access_listener.h"
#include "warpfold/memory/memory_system.h"

namespace warpfold {

// Accesses of warps are coalesced as the load/store unit does it, and go to the L2 of a machine that stands still. A
// table of the lines that the launch has touched last, as many as the first-level caches of all cores hold, stands for
// those: a line comes to the L2 again when it has been displaced from the table.
//
// Left out are local memory whose stores stay in the first-level cache, which is the launch's own, and code.
class CacheWarmer final : public isa::AccessListener {
 public:
  CacheWarmer(const MachineConfig& config, MemorySystem& memory);

  void launch_started();
  void accessed(const isa::MicroOp& op, const isa::Outcome& outcome) override;

  // Of the launch so far.
  struct Counts {
    std::uint64_t lines = 0;    // that warps asked for after coalescing
    std::uint64_t touched = 0;  // of those, that came to the L2
    std::uint64_t fetched = 0;  // of those, for which it read the memory
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Recent {
    Address line = ~Address{0};
    SectorMask loaded = 0, stored = 0;
  };
  void coalesce_for(const isa::MicroOp& op, const isa::Outcome& outcome);
  const L1Params& cache_of(isa::Space space) const;
  void touch(const LineAccess& access, CacheAccess::Kind kind, const CacheUse& use);

  const MachineConfig& config_;
  MemorySystem& memory_;
  const bool masks_;
  const bool local_stays_;
  const std::uint32_t sector_bytes_;  // of the L2, where it has any
  unsigned line_shift_;               // of the data cache
  std::vector<Recent> recent_;
  std::vector<LineAccess> accesses_;  // of the instruction
  Counts counts_;
};

}  // namespace warpfold
