// SPDX-License-Identifier: Apache-2.0
// A first-level cache of a core: L1 data cache, texture cache or constant cache, by its parameters.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <systemc>
#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/clock/port_socket.h"
#include "warpfold/common/results/stats.h"
#include "warpfold/memory/dram/payload_pool.h"
#include "warpfold/memory/l1/byte_mask.h"
#include "warpfold/memory/l1/cache_protocol.h"
#include "warpfold/memory/l1/l1_params.h"
#include "warpfold/memory/network/ring.h"
#include "warpfold/memory/tag_array.h"

namespace warpfold {

// Banks matter only to a load/store unit that makes several accesses in a cycle, and it is there that they are told
// apart (CoreParams::lsu_lines_per_cycle).
// Loads allocate when their line arrives, or at once; merged loads wait in the line's MSHR; hits pass under misses.
// Stores write through, one request each, answered when the L2 slice has performed them; a hit is a use of the line, a
// miss does not allocate (TBC's Fermi-like L1). A store to a line on its way writes into its MSHR. By write_policy and
// write_miss stores evict what they hit (Fermi's global stores), or stay in their line (its local stores): such a line
// is written when another takes its way, and lost when the kernel ends, as local memory is.
// With sectors a line has a tag, and each of its sectors is there or not: a load asks for those that are missing and
// not on their way, in an MSHR of their own, and waits in the youngest MSHR that has one of its sectors. Atomics
// execute at the L2 slice and invalidate the line; one on its way is not kept and takes no further loads, since it is
// older than the atomic. With that, accesses of a core to one line take effect in order: requests leave through one
// FIFO, and every queue behind it is FIFO per line. One response is taken in per cycle and answers all loads of its
// MSHR, with data usable a cycle later (`done_at`).
//
// A load that goes past the cache (.cg, or one that must see other cores' stores) asks the L2 for 32-byte segments,
// whatever is here, and leaves nothing; nobody joins it. A store that does gives the line up.
//
// Statistics (with the prefix): accesses, hits, misses, sector_misses, merged, passed, stores, store_hits, writebacks,
// atomics, blocked_mshr, blocked_queue; of sectors read_sectors_hit, read_sectors_missed, write_sectors_hit,
// write_sectors_missed.
class L1Cache : public sc_core::sc_module, public Clocked {
  tlm::tlm_sync_enum access(unsigned port, CacheAccess& access, tlm::tlm_phase& phase);

 public:
  // `index` orders the module within its clock domain; `core` and `client` say where responses go (see CorePort).
  L1Cache(sc_core::sc_module_name name, const L1Params& params, ClockDomain& core_clock, unsigned index,
          StatGroup& stats, std::string_view prefix, PortClient client);

  DirectTargetPort<L1Cache, CacheProtocol, &L1Cache::access> cpu_socket;  // from the load/store unit
  InitiatorPort<L1Cache> memory_socket;                                   // to a client socket of the core's port

  // Between kernels (docs/architecture.md, time). Lines on their way answer their loads and are not kept. From then on
  // it has so many ways.
  void invalidate(std::uint32_t ways);
  void invalidate() { invalidate(params_.ways); }
  // Nothing on its way, stores included.
  bool idle() const { return outstanding_ == 0; }

  Cycle tick(Cycle now) override;

 private:
  static constexpr std::size_t kBuckets = 64;
  struct Waiting {
    std::uint32_t token;
    std::uint32_t bytes;
  };
  struct Mshr {
    std::uint64_t line = 0;
    bool keep = true;  // on arrival
    std::uint32_t loads = 0;
    SectorMask sectors = 0;
    TagArray::Slot slot = TagArray::kNone;  // taken on the miss
    Eviction eviction = Eviction::kNormal;
    std::uint64_t order = 0;  // of requests
  };
  // Of a line's sectors, which are on their way, and in which MSHR the last of them.
  struct Coming {
    std::uint32_t mshr;
    SectorMask sectors;
  };

  tlm::tlm_sync_enum response(unsigned port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase);
  CacheAccess::Answer load(CacheAccess& access);
  CacheAccess::Answer merge(std::uint32_t mshr, const CacheAccess& access);
  CacheAccess::Answer miss(const CacheAccess& access, TagArray::Slot slot, SectorMask missing);
  CacheAccess::Answer pass(const CacheAccess& access);
  void count_read(SectorMask wanted, SectorMask asked);
  std::uint32_t take_mshr(const CacheAccess& access, const Mshr& mshr);
  CacheAccess::Answer store(CacheAccess& access);
  CacheAccess::Answer atomic(const CacheAccess& access);
  CacheAccess::Answer take_way(std::uint64_t line, TagArray::Slot& slot, std::size_t requests);
  void note_written(TagArray::Slot slot, const CacheAccess& access);
  void evict(TagArray::Slot slot, SectorMask sectors);
  void write_back(TagArray::Slot slot);
  CacheAccess::Answer blocked(CacheAccess::Answer why);
  void request(tlm::tlm_command command, Address line, std::uint32_t bytes, const ByteMask& mask, std::uint32_t token,
               const CacheUse& use, bool atomic = false);
  void send_requests();
  void take_in(tlm::tlm_generic_payload& payload, Cycle now);
  void answer_loads(std::uint32_t mshr, Cycle now);
  void keep(const Mshr& mshr);
  void answer(CacheAccess& done, Cycle now);
  void unblock();
  static std::size_t bucket_of(std::uint64_t line) { return line % kBuckets; }
  // Mostly false where no MSHR has the line, which spares the search.
  bool may_be_coming(std::uint64_t line) const { return coming_[bucket_of(line)] != 0; }
  std::uint32_t find_mshr(std::uint64_t line) const;
  Coming coming(std::uint64_t line, SectorMask sectors) const;
  SectorMask sectors_of(const CacheAccess& access) const;
  ByteMask bytes_of(SectorMask sectors) const;

  const L1Params params_;
  const PortClient client_;
  unsigned line_shift_;
  const bool sectored_;  // else the whole line is the one sector
  const std::uint32_t sector_bytes_;
  const ByteMask whole_line_;

  TagArray tags_;
  ZeroTable<SectorMask> there_;            // per slot
  ZeroTable<SectorMask> dirty_;            // per slot
  ZeroTable<std::uint32_t> on_their_way_;  // MSHRs per slot that took it
  std::vector<ByteMask> written_;          // per slot, with lazy_fetch
  std::vector<std::uint64_t> mshr_lines_;  // line of each MSHR, kNoLine: free; apart from the rest to be searched fast
  std::array<std::uint32_t, kBuckets> coming_{};  // how many MSHRs have a line, by some bits of it
  std::vector<Mshr> mshrs_;
  std::unique_ptr<Waiting[]> waiting_;  // mshr_merges per MSHR; pages that no load needs are never touched
  std::vector<std::uint32_t> free_mshrs_;
  Ring<tlm::tlm_generic_payload*> miss_queue_;
  Ring<tlm::tlm_generic_payload*> fill_queue_;
  tlm::tlm_generic_payload* awaiting_end_req_ = nullptr;
  tlm::tlm_generic_payload* owed_end_resp_ = nullptr;
  std::uint64_t outstanding_ = 0;
  std::uint64_t requests_ = 0;
  bool blocked_ = false;

  Counter& accesses_;
  Counter& hits_;
  Counter& misses_;
  Counter& sector_misses_;
  Counter& merged_;
  Counter& passed_;
  Counter& stores_;
  Counter& store_hits_;
  Counter& writebacks_;
  Counter& atomics_;
  Counter& blocked_mshr_;
  Counter& blocked_queue_;
  Counter &read_sectors_hit_, &read_sectors_missed_, &write_sectors_hit_, &write_sectors_missed_;
};

}  // namespace warpfold
