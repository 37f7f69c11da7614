// SPDX-License-Identifier: Apache-2.0
// The load/store unit: takes memory instructions in order, one cache access or shared-memory pass per cycle (TBC
// §2.2.1), or several accesses to distinct banks of a cache (Intra-warp §5.4).
#pragma once

#include <array>
#include <systemc>
#include <vector>

#include "warpfold/common/clock/port_socket.h"
#include "warpfold/common/clock/slots.h"
#include "warpfold/common/results/stats.h"
#include "warpfold/core/core_params.h"
#include "warpfold/core/core_protocols.h"
#include "warpfold/core/memory/coalescer.h"
#include "warpfold/core/operands/lane_groups.h"
#include "warpfold/divergence/packing/lane_packing.h"
#include "warpfold/memory/l1/cache_protocol.h"
#include "warpfold/memory/network/ring.h"

namespace warpfold {

// A load completes when its last line is there; a store, or a prefetch, when the memory system has taken its last line
// (it is acknowledged later, and a kernel ends only then); an atomic when its last answer is there.
//
// A cycle's accesses are of one instruction or of several that follow each other; the first that finds its bank taken,
// and a shared-memory pass, waits for the next cycle.
//
// Lanes, active or not, come lsu_width a cycle: an instruction's last access waits for its last lanes, so that the unit
// is taken for the same time by one instruction of 32 lanes as by two of 16.
//
// Parameters are read through the shared-memory port: GT200 keeps them there (CUDA 3.1 programming guide, App. B), one
// broadcast, no conflicts.
class LoadStoreUnit : public sc_core::sc_module, public Clocked {
  tlm::tlm_sync_enum accept(unsigned port, Instruction& instruction, tlm::tlm_phase& phase);

 public:
  enum Cache : unsigned { kData, kTexture, kConstant, kCaches };

  DirectTargetPort<LoadStoreUnit, InstructionProtocol, &LoadStoreUnit::accept> issue_socket{"issue_socket", *this};
  OneWayPort<Instruction> done_socket{"done_socket"};
  InitiatorPort<LoadStoreUnit, CacheProtocol> data_socket{"data_socket", *this, &LoadStoreUnit::cache_answered, kData};
  InitiatorPort<LoadStoreUnit, CacheProtocol> texture_socket{"texture_socket", *this, &LoadStoreUnit::cache_answered,
                                                             kTexture};
  InitiatorPort<LoadStoreUnit, CacheProtocol> constant_socket{"constant_socket", *this, &LoadStoreUnit::cache_answered,
                                                              kConstant};

  // Of the data, texture and constant cache.
  struct Caches {
    std::array<unsigned, kCaches> line_bytes{}, banks{};
    bool byte_masks = false;  // some cache of the machine asks which bytes of a line an access is for
  };
  LoadStoreUnit(sc_core::sc_module_name name, const CoreParams& params, const Caches& caches,
                const divergence::LanePacking& packing, ClockDomain& core_clock, unsigned index, StatGroup& stats);
  Cycle tick(Cycle now) override;
  // Before the first instruction: write-back is also told which lanes of a load have their data while others wait. One
  // message (Instruction::partly) when its last line has been asked for, if some have, and one whenever more come.
  void tell_of_parts() { tells_of_parts_ = true; }
  // Before the first instruction: whoever issues one is also told which lanes ask for each of its lines
  // (Instruction::lines_by_lanes).
  void tell_of_lines() { tells_of_lines_ = true; }

  // Nothing queued and every store acknowledged.
  bool idle() const { return operations_.in_use() == 0; }
  Cycle last_retired() const { return last_retired_; }
  // The latest cycle of issue among the instructions that got something from the network. What they loaded may be used
  // from now on, sooner after their issue than if it had been in a cache: they may have joined others that waited.
  Cycle last_answered() const { return last_answered_; }

 private:
  // A memory instruction in flight owns itself: responses name the operation, never a warp's slot.
  struct Operation {
    Instruction instruction;
    isa::Space space = isa::Space::kGlobal;
    CacheAccess::Kind kind = CacheAccess::Kind::kLoad;
    Cycle arrives_at = 0;
    Cycle addressed_at = 0;  // when the addresses of its last lanes come; kNever: its turn is to come
    std::vector<LineAccess> accesses;
    unsigned sent = 0;         // of accesses
    unsigned outstanding = 0;  // responses to come
    unsigned passes = 0;       // shared memory
    unsigned conflicts = 0;    // passes that bank conflicts added
    Cycle data_at = 0;         // when the last datum so far is there
    bool finished = false;     // the instruction is on its way to write-back
    // Where parts are told of: lanes that wait for each of the accesses, when the last datum of the others came, and
    // which those were that write-back knows of.
    std::vector<isa::LaneMask> waiting;
    Cycle part_at = 0;
    isa::LaneMask told = 0;
  };

  tlm::tlm_sync_enum cache_answered(unsigned cache, CacheAccess& access, tlm::tlm_phase& phase);

  LaneGroups groups_of(const Instruction& instruction) const;
  void describe(Operation& operation, const Instruction& instruction);
  unsigned row_of_words(isa::Space space) const;
  void tell_lines(Operation& operation, Instruction& instruction);
  Cycle serve(Cycle now);
  Cycle serve_shared(std::uint32_t token, Cycle now);
  Cycle serve_cache(std::uint32_t token, Cycle now);
  bool take_lanes(Operation& operation, Cycle now);
  bool take_bank(const Operation& operation);
  bool take_bytes(const Operation& operation);
  bool send(std::uint32_t token, Cycle now);
  void leave_queue();
  void finish(Operation& operation, Cycle at);
  void retire(std::uint32_t token);
  void came(Operation& operation, std::size_t access, Cycle at);
  void tell_part(Operation& operation);
  Cache cache_of(isa::Space space) const;
  void note_blocked(CacheAccess::Answer answer, Cycle now);
  void note_unblocked(Cycle now);

  const CoreParams& params_;
  const Caches caches_;
  const divergence::LanePacking& packing_;
  bool tells_of_parts_ = false, tells_of_lines_ = false;
  std::vector<isa::LaneMask> lines_by_lanes_;  // of the instruction that came last
  const bool all_alike_;                       // whatever their masks and types
  LaneGroups groups_;                          // then
  Slots<Operation> operations_;                // by token
  Ring<std::uint32_t> queue_;                  // tokens in order; the first is being served
  Cycle last_retired_ = 0, last_answered_ = 0;
  Cycle shared_free_at_ = 0;
  std::uint64_t next_lane_ = 0;                           // that address generation takes, lsu_width a cycle from 0 on
  unsigned lines_now_ = 0;                                // accesses made in the running cycle
  std::array<std::uint64_t, kCaches> banks_taken_now_{};  // a bit per bank
  std::uint32_t bytes_now_ = 0;                           // that those move
  bool refused_ = false;                                  // the issue stage waits for END_REQ
  Counter* blocked_on_ = nullptr;
  Cycle blocked_since_ = 0;

  Counter &loads_, &stores_, &atomics_, &shared_, &line_accesses_, &shared_conflicts_, &constant_serial_, &stall_mshr_,
      &stall_queue_, &stall_port_, &stall_bank_;
};

}  // namespace warpfold
