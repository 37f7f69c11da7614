// SPDX-License-Identifier: Apache-2.0
// One slice of the unified second-level cache, in front of one DRAM channel; atomics execute here.
#pragma once

#include <cstdint>
#include <optional>
#include <systemc>
#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/clock/port_socket.h"
#include "warpfold/common/results/stats.h"
#include "warpfold/memory/address_map.h"
#include "warpfold/memory/dram/memory_port.h"
#include "warpfold/memory/dram/payload_pool.h"
#include "warpfold/memory/l1/byte_mask.h"
#include "warpfold/memory/l1/cache_protocol.h"
#include "warpfold/memory/l2/l2_params.h"
#include "warpfold/memory/network/ring.h"
#include "warpfold/memory/tag_array.h"

namespace warpfold {

// Requests pass a pipeline of hit_latency_cycles, in order; at its end one per cycle looks its line up. Write-back;
// a write miss allocates: at once when it covers the line, else by fetching the line first, or, with lazy_fetch, at
// once too. A miss takes its way and sends victim and fetch to DRAM together, so an arriving line always finds its
// place and nothing deadlocks. Whatever comes for a line on its way waits in its MSHR and is served in order when the
// line is there, one per cycle; stores are acknowledged when performed. What cannot proceed stalls the pipeline's end.
//
// With sectors a line has a tag, and each of its sectors is there or not: a request fetches those that it needs and
// that are neither there nor on their way, and waits in the line's MSHR until they are, so that requests for a line
// keep their order. Only modified sectors are written back. Without, the whole line is the one sector.
//
// With dirty_ways only so many lines of a set are modified at a time: a write to one more writes the least recently
// used of them back, which stays. Volta's L2 does so: of what kernels store, half its size is not written when they end
// (docs/machines.md).
//
// Statistics (l2_…): accesses, hits, misses, sector_misses, merged, writebacks, atomics, stall_mshr_cycles,
// stall_dram_cycles, stall_response_cycles; of sectors read_sectors_hit, read_sectors_missed, write_sectors_hit,
// write_sectors_missed.
class L2Slice : public sc_core::sc_module, public MemoryClient {
 public:
  L2Slice(sc_core::sc_module_name name, const L2Params& params, const AddressMap& map, unsigned slice,
          ClockDomain& clock, unsigned index, StatGroup& stats, PayloadPool& pool);

  TargetPort<L2Slice> network_socket;  // from the interconnect
  MemoryPort dram_socket;              // to the channel, or any other memory

  // The sector at this address of the slice's is there from now on, at no cost in time; what it displaces is gone.
  void fill(Address at);

  // While nothing is on its way: no line is there from now on, at no cost in time.
  void empty();

  // An access to this address of the slice's, at no cost in time and uncounted, while nothing is on its way: what a run
  // without time leaves behind (l2_warming.cpp). `bytes`: of the line that begins at `at`, `mask`: which, with masks.
  struct Warmed {
    bool fetches = false;                   // the memory would have been read
    std::optional<Address> written_back{};  // before it was
    std::optional<Address> cleaned{};       // written, too, behind it
  };
  Warmed warm(Address at, std::uint32_t bytes, const ByteMask& mask, CacheAccess::Kind kind, const CacheUse& use);

  // Writes to memory carry the bytes that are there; zeros elsewhere. Without, and in reads, data is of no meaning.
  void carry_values_of(const DeviceMemory& memory) { values_ = &memory; }

  // Counts the requests to a memory that does not: dram_reads, dram_writes, dram_read_bytes, dram_write_bytes.
  void count_traffic(StatGroup& stats);

  Cycle tick(Cycle now) override;

 private:
  enum class Stall : std::uint8_t { kNone, kMshr, kDram, kResponse };
  struct Arriving {
    tlm::tlm_generic_payload* payload;
    Cycle at;
  };
  struct Mshr {
    TagArray::Slot slot = 0;
    std::vector<tlm::tlm_generic_payload*> waiting;  // keeps its capacity
    std::size_t served = 0;
    SectorMask coming = 0;
    std::uint32_t fetches = 0;  // on their way
    bool arrived = false;       // what the next one waiting needs is there
    Eviction eviction = Eviction::kNormal;
  };
  static constexpr std::uint16_t kNotOnItsWay = 0;

  tlm::tlm_sync_enum from_network(unsigned port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase);
  void request_taken() override;
  void answered(tlm::tlm_generic_payload& payload) override;
  void enqueue(tlm::tlm_generic_payload& payload);
  bool serve_arrived(Cycle now);
  bool ready(const Mshr& mshr) const;
  void release(std::uint16_t mshr);
  void look_up(Cycle now);
  Stall access(tlm::tlm_generic_payload& payload, TagArray::Slot slot, Cycle now);  // slot: of its line
  Stall join(tlm::tlm_generic_payload& payload, std::uint16_t mshr);
  Stall sector_miss(tlm::tlm_generic_payload& payload, TagArray::Slot slot, SectorMask missing);
  Stall miss(tlm::tlm_generic_payload& payload, std::uint64_t line, Cycle now);
  void wait_for(tlm::tlm_generic_payload& payload, TagArray::Slot slot, SectorMask missing);
  void fetch(std::uint16_t mshr, SectorMask sectors);
  void take(TagArray::Slot slot, std::uint64_t line, Eviction eviction = Eviction::kNormal);
  void perform(tlm::tlm_generic_payload& payload, TagArray::Slot slot, Cycle now);
  TagArray::Slot cleaned_by_write(TagArray::Slot slot) const;
  bool no_room_to_clean(const tlm::tlm_generic_payload& payload, TagArray::Slot slot) const;
  void write_back(TagArray::Slot slot);
  void note_written(const tlm::tlm_generic_payload& payload, TagArray::Slot slot) {
    note_written(bytes_of_line(payload), slot);
  }
  void note_written(const ByteMask& bytes, TagArray::Slot slot);
  SectorMask missing_sectors(const ByteMask& bytes, bool store, SectorMask there) const;
  SectorMask missing_sectors(const tlm::tlm_generic_payload& payload, SectorMask there) const;
  SectorMask around(SectorMask missing, std::uint32_t bytes) const;
  ByteMask bytes_of_line(const tlm::tlm_generic_payload& payload) const;
  tlm::tlm_generic_payload& to_dram(tlm::tlm_command command, std::uint64_t line, SectorMask sectors);
  void send_to_dram();
  void send_responses();
  void stalled(Stall why, Cycle now);
  Counter& stall_counter(Stall why);
  void count_sectors(const tlm::tlm_generic_payload& payload, SectorMask there);

  const L2Params params_;
  const AddressMap map_;
  const unsigned slice_;
  PayloadPool& pool_;
  unsigned line_shift_;
  const std::uint32_t sector_bytes_;
  const bool masks_;  // requests say which bytes they are for; else a line is there as a whole, or on its way

  TagArray tags_;
  ZeroTable<SectorMask> dirty_;          // per slot
  std::vector<SectorMask> there_;        // per slot, with masks
  std::vector<ByteMask> written_;        // per slot, with lazy_fetch
  ZeroTable<std::uint16_t> on_its_way_;  // per slot: its MSHR's number and one, or kNotOnItsWay
  std::vector<Mshr> mshrs_;
  std::vector<std::uint16_t> free_mshrs_;
  Ring<std::uint16_t> arrived_;  // MSHRs whose line is there, being served
  Ring<Arriving> pipeline_;
  Ring<tlm::tlm_generic_payload*> responses_;
  Ring<tlm::tlm_generic_payload*> dram_queue_;  // the first one stays until its END_REQ
  const DeviceMemory* values_ = nullptr;
  struct Traffic {
    Counter &reads, &writes, &read_bytes, &write_bytes;
  };
  std::optional<Traffic> traffic_;
  tlm::tlm_generic_payload* withheld_ = nullptr;  // a request whose END_REQ we owe
  bool response_offered_ = false;                 // BEGIN_RESP sent, END_RESP not seen
  Cycle port_free_at_ = 0;
  Stall stall_ = Stall::kNone;
  Cycle stalled_since_ = 0;

  Counter& accesses_;
  Counter& hits_;
  Counter& misses_;
  Counter& sector_misses_;
  Counter& merged_;
  Counter& writebacks_;
  Counter& atomics_;
  Counter& stall_mshr_;
  Counter& stall_dram_;
  Counter& stall_response_;
  Counter &read_sectors_hit_, &read_sectors_missed_, &write_sectors_hit_, &write_sectors_missed_;
};

}  // namespace warpfold
