// SPDX-License-Identifier: Apache-2.0
// The issue stage: the ports of a core's schedulers, with scoreboard and units behind them. Executes what a scheduler
// picks and sends it down the pipeline.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "warpfold/common/clock/port_socket.h"
#include "warpfold/common/results/stats.h"
#include "warpfold/core/core_params.h"
#include "warpfold/core/core_protocols.h"
#include "warpfold/core/issue/lane_statistics.h"
#include "warpfold/core/issue/pc_profile.h"
#include "warpfold/core/issue/scoreboard.h"
#include "warpfold/core/issue/slot_causes.h"
#include "warpfold/core/operands/execution_pipes.h"
#include "warpfold/core/operands/execution_units.h"
#include "warpfold/core/operands/simd_units.h"
#include "warpfold/core/warps/warps.h"

namespace warpfold {

// Fetch, decode and issue take one cycle together, and fetch always hits (TBC §2.2) unless there is an instruction
// cache. Warps belong to scheduler slot mod schedulers. Every cycle of every scheduler is charged to exactly one of: an
// issue, by its active lanes, for as many cycles as it holds the port; stall; w0_fetch; w0_mem; w0_idle (TBC §6.1). The
// last four are divided once more, by what the scheduler lacks (slot_causes.h).
//
// An instruction is held back while its unit is busy with earlier ones. Of schedulers that share units (UnitParams),
// the one that took a shared one last is served last.
//
// With FPU, EM and SEND pipes (`pipes: fpu_em`) a scheduler issues in passes, up to two instructions of distinct warps
// at a time, a pass every issue_interval_cycles (Intra-warp §2.2). A pipe takes an instruction at a pass if it is free
// before the next one, and begins with it when it is: passes limit instructions, not the lanes' way through a pipe.
// SEND takes one a pass. A full load/store unit holds up SEND only. A cycle in which a pipe works, or that belongs to a
// pass that issued, is charged to the instruction issued first of those that cover it; `dual_issues` and the cycles of
// the pipes say what else went on in it.
//
// Where the mechanism has a scheduler issue parts (Traits::issues_parts), warps whose active lanes are distinct issue
// in one cycle. The first is the scheduler's pick. Rules of the others: they are ready, and their unit is free or has
// taken nothing but parts of this cycle; one part accesses memory; each holds an operand collector of its own and reads
// the banks of its own lanes; none follows one that fills the load/store unit, where that holds all up, or that takes
// the last collector. A unit, and the port, is held until the last of its parts is through. The cycles are charged
// once, by the lanes of all parts. (decision: no source of the mechanisms says what parts may share besides lanes)
class IssueStage : public sc_core::sc_module, public Clocked {
  tlm::tlm_sync_enum update(unsigned port, WarpUpdate& update, tlm::tlm_phase& phase);
  tlm::tlm_sync_enum release(unsigned port, Instruction& instruction, tlm::tlm_phase& phase);

 public:
  DirectTargetPort<IssueStage, WarpProtocol, &IssueStage::update> warp_socket{"warp_socket", *this};
  DirectTargetPort<IssueStage, InstructionProtocol, &IssueStage::release> release_socket{"release_socket", *this};
  InitiatorPort<IssueStage, InstructionProtocol> dispatch_socket{"dispatch_socket", *this, &IssueStage::unblocked};
  std::deque<OneWayPort<SchedulerCall>> scheduler_sockets;                 // one per scheduler
  std::unique_ptr<InitiatorPort<IssueStage, FetchProtocol>> fetch_socket;  // null: fetch always hits

  IssueStage(sc_core::sc_module_name name, const CoreParams& params, Warps& warps,
             const divergence::LanePacking& packing, ClockDomain& core_clock, unsigned index, StatGroup& stats);

  // Before the first kernel: where what happens at each pc is counted, and who is told of it; null: nowhere, nobody.
  void watched_by(PcProfile* profile, CoreWatch* watch);

  // Cycles count from `start`; the breakdown of a launch covers [start, end). Its kernel must be known before the first
  // block starts.
  void launch_started(Cycle start);
  void kernel_started(const isa::Kernel& kernel, Cycle start);
  void kernel_ended(Cycle end);
  // What is counted by masks goes to the counters. A kernel that fails does not end.
  void settle() { lanes_.settle(); }
  Cycle tick(Cycle now) override;

  // For a watchdog's report: what a warp waits for; empty when there is no warp in the slot.
  std::string waits_for(divergence::WarpId id) const;
  // Could the warp have been issued for a long time, but others always were?
  bool starves(divergence::WarpId id) const;
  std::uint64_t issued() const { return issued_; }
  // What the cycles before `until` are charged to, none of which is to come.
  IssueSlots slots(Cycle until) const;

 private:
  static constexpr unsigned kBuckets = 8;  // of active lanes
  // Instructions that wait for the same thing besides their turn: ExecutionUnits::Group, or PipeUse.
  static constexpr unsigned kGroups = ExecutionUnits::kGroups;
  static_assert(kGroups >= kPipeUses);

  // A warp's readiness and what is on its way for it are kept here, and once more with its port and its group. The slot
  // says what to take back when the warp changes; the port's sets and sums answer the questions of every tick (is there
  // anything to issue, whose fault is it if not) without a look at each warp. make_ready(), withdraw() and the two
  // places that count instructions in flight are all that write them, and write both.
  struct Port;
  struct Slot {
    Port* port = nullptr;
    bool ready = false;             // in its port's set, and in that of its group
    bool fetching = false;          // its next pc is known, the instruction on its way
    bool drains = false;            // threads leave it once nothing of it is in flight
    Cycle held_until = 0;           // it issues nothing before
    Cycle issued_at = 0;            // or entered
    unsigned group = 0;             // of its next instruction, while it is ready
    isa::LaneMask taken = 0;        // of the branch that is not resolved before it has drained
    unsigned memory_in_flight = 0;  // memory instructions of the warps that have been in it
  };
  struct Port {
    Port(unsigned of, unsigned warps) : index(of), slots(warps), ready(warps) {}
    unsigned index;
    OneWayPort<SchedulerCall>* scheduler = nullptr;
    Cycle free_at = 0;
    Cycle charged_until = 0;
    Counter* idle = nullptr;                // what a cycle without an issue is charged to
    SlotCause cause = SlotCause::kNoBlock;  // the same, divided once more
    unsigned memory_in_flight = 0;          // memory instructions of its warps
    unsigned draining = 0;                  // its warps that drain
    unsigned fetching = 0;                  // warps that wait for an instruction
    std::uint64_t took_shared = 0;          // when it took a unit that it shares last, among all takes
    bool no_collector = false;              // is free for the operands of what it would issue
    ExecutionPipes pipes;
    divergence::WarpSet slots, ready;
    // For a profile: what its warps wait for, if it issues nothing, and since when.
    std::vector<std::pair<isa::Pc, Wait>> waiting;
    Cycle waiting_since = 0;
  };

  tlm::tlm_sync_enum fetched(unsigned port, FetchRequest& fetch, tlm::tlm_phase& phase);
  tlm::tlm_sync_enum unblocked(unsigned port, Instruction& instruction, tlm::tlm_phase& phase);

  // What the core asks of an instruction, found when it first issues.
  struct Decoded {
    bool known = false;
    std::uint8_t group = 0;
    bool memory = false, waits_on_memory = false;
    bool plain = false, branch = false;  // neither: a barrier or an exit
    bool one_passage = false;            // whatever its masks
    SimdUnits::Passage passage;
    LaneStatistics::Widths widths;
  };
  const Decoded& decoded(isa::Pc pc) {
    Decoded& decoded = decoded_[pc];
    if (!decoded.known) [[unlikely]]
      decode(pc, decoded);
    return decoded;
  }
  void decode(isa::Pc pc, Decoded& decoded) const;

  void enter(divergence::WarpId id);
  void leave(divergence::WarpId id);
  inline void commit(Instruction& instruction, bool branch);
  void fetch(divergence::WarpId id, FetchRequest::Kind kind) {
    if (fetch_socket != nullptr) ask_for_next(id, kind);
  }
  inline void wake_to_issue();
  void ask_for_next(divergence::WarpId id, FetchRequest::Kind kind);
  void refresh(divergence::WarpId id);
  void refresh_waiting();
  bool could_issue(divergence::WarpId id) const;
  // With something in flight, of which nobody knows which thread's it is.
  bool busy(divergence::WarpId id) const {
    return !scoreboard_.follows_threads() && scoreboard_.busy(id, warps_.warp(id));
  }
  bool has_to_drain(divergence::WarpId id) { return busy(id) && warps_.must_drain(id); }
  void make_ready(Slot& slot, divergence::WarpId id, isa::Pc pc) {
    slot.ready = true;
    slot.group = decoded(pc).group;
    slot.port->ready.insert(id);
    ready_for_[slot.group].insert(id);
  }
  void withdraw(Slot& slot, divergence::WarpId id) {
    slot.ready = false;
    slot.port->ready.erase(id);
    ready_for_[slot.group].erase(id);
  }
  unsigned group_of(const isa::MicroOp& op) const {
    return passes_ ? static_cast<unsigned>(pipe_use(op)) : units_.group_of(op);
  }
  // issue_stage_waits.cpp
  void hold(divergence::WarpId id, Cycle until);
  Cycle release_held(Cycle now);
  void keep_part(const Instruction& part);
  void drop_part(const Instruction& done);
  void tell_parts(Cycle now);
  isa::LaneMask loaded(divergence::WarpId id) const;
  inline Cycle serve_ports(Cycle now);
  void withdraw_joined(Port& port);
  bool any_ready(Port& port, Cycle now);
  Cycle leave_out_waiting(const Port& port, Cycle now);
  inline Cycle serve(Port& port, Cycle now);
  Cycle serve_pass(Port& port, Cycle now);
  Cycle drop_waiting(Port& port, Cycle now);
  // issue_stage_parts.cpp
  void declare_parts(StatGroup& stats);
  void issue_parts(Port& port, divergence::WarpId first, Cycle now);
  divergence::WarpId next_part(Port& port, Cycle now);
  bool fits_beside(const Port& port, divergence::WarpId id, Cycle now);
  void dispatch_part(Port& port, Instruction& instruction, const Decoded& decoded);
  // Each instruction passes the next ones, which are called in one place or two: each is one thought, and the compiler
  // is told (always_inline) to make one function of them, since their arguments, which are in registers there, would go
  // through memory.
  inline divergence::WarpId pick(const Port& port, const divergence::WarpSet& candidates, Cycle now);
  void issue(Port& port, divergence::WarpId id, Cycle now);
  inline void dispatch(Port& port, Instruction& instruction, const Decoded& decoded);
  [[gnu::always_inline]] void send(Port& port, Instruction& instruction, const Decoded& decoded) {
    if (decoded.one_passage && !decoded.memory) {
      SimdUnits::enter(instruction, decoded.passage);
    } else if (!decoded.memory) {
      simd_.enter(instruction);
    }
    const tlm::tlm_sync_enum answer = request(dispatch_socket, instruction);
    if (answer == tlm::TLM_ACCEPTED) blocked_ = true;  // taken, but END_REQ comes later: nothing may follow
    port.no_collector = instruction.takes_last_collector;
  }
  inline void hold_port(Port& port, const Instruction& instruction, unsigned group);
  void hold_pipe(Port& port, Pipe pipe, const Instruction& instruction, Cycle now);
  inline void charge_issue(const Instruction& instruction, Cycle cycles);
  void go_on_early(divergence::WarpId id);
  void charge_idle(Port& port, Cycle until) {
    if (until > port.charged_until) charge_cycles(port, until);
  }
  void charge_cycles(Port& port, Cycle until);
  void tell_issued(const Instruction& instruction, Cycle cycles);
  void tell_part(const Instruction& instruction, Cycle holds, Cycle more);
  void tell_waits(Port& port, Cycle now);
  void profile_waits(Port& port, Cycle now);
  Wait wait_of(const Port& port, divergence::WarpId id) const;
  void set_draining(Slot& slot, bool whether) {
    if (slot.drains == whether) return;
    slot.drains = whether;
    whether ? ++slot.port->draining : --slot.port->draining;
  }
  void drain(Slot& slot) {
    set_draining(slot, true);
    ++drain_waits_;
  }
  void drained(divergence::WarpId id);
  // issue_slots.cpp
  SlotCause cause_of_idle(const Port& port);
  SlotCause cause_of_stall(const Port& port) const;
  SlotCause cause_among_warps(const Port& port);
  bool held_up(const Port& port) const { return port.no_collector || (blocked_ && blocks_all_); }
  Counter& idle_reason(const Port& port) {
    if (held_up(port)) return stall_;
    if (port.fetching > 0) return w0_fetch_;
    return port.memory_in_flight > 0 || spilling_ > 0 ? w0_mem_ : w0_idle_;
  }

  // A load in flight of which `done` lanes have their data.
  struct PartialLoad {
    divergence::WarpId warp;
    isa::Pc pc;
    Cycle issued_at;
    isa::LaneMask done;
    bool told;  // the mechanism has been, since data came last
  };

  const CoreParams& params_;
  Warps& warps_;
  Scoreboard scoreboard_;
  std::vector<Port> ports_;
  std::vector<Slot> slots_;
  divergence::WarpSet candidates_, pass_;
  std::vector<divergence::WarpId> held_;
  std::vector<PartialLoad> partial_loads_;              // in the order in which their first data came
  std::array<divergence::WarpSet, kGroups> ready_for_;  // ready warps by the group of their next instruction

  const isa::Kernel* kernel_ = nullptr;
  isa::Outcome outcome_;
  std::vector<Decoded> decoded_;  // by pc
  ExecutionUnits units_;
  SimdUnits simd_;
  const bool any_order_;      // divergence::Traits::any_order
  const bool passes_;         // issues in passes, to FPU, EM and SEND
  const bool parts_allowed_;  // divergence::Traits::issues_parts, where nothing forbids it
  const bool blocks_all_;     // a full load/store unit holds the whole pipeline up (TBC §2.2)
  std::vector<Port*> turns_;  // in the order in which they are served next
  std::uint64_t takes_ = 0;   // of shared units
  Cycle start_ = 0;
  bool blocked_ = false;   // the load/store unit takes nothing
  unsigned spilling_ = 0;  // warps or blocks that wait for parts of their mechanism's structures
  std::uint64_t issued_ = 0;
  // Of the port that issues parts: those of this cycle.
  struct Parts {
    divergence::IssuedParts issued;
    Cycle held = 0;       // cycles of the port
    unsigned groups = 0;  // by bit: whose units have taken one
    bool memory = false;  // one accesses memory
  };
  Parts parts_;
  Counter *issues_ = nullptr, *joint_issues_ = nullptr, *joint_parts_ = nullptr;
  PcProfile* profile_ = nullptr;  // null: nobody asked for one
  CoreWatch* watch_ = nullptr;    // null: nobody
  bool watched_ = false;          // by either

  LaneStatistics lanes_;
  Counter& drain_waits_;
  std::array<Counter*, kBuckets> buckets_;
  std::array<Counter*, isa::kMaxLanes + 1> bucket_of_{};  // by active lanes
  Counter &stall_, &w0_fetch_, &w0_mem_, &w0_idle_;
  std::array<Counter*, kSlotCauses> causes_{};
  Counter &dual_issues_, &fpu_cycles_, &em_cycles_;
  Counter &idle_dependency_, &idle_barrier_, &idle_inactive_, &idle_reconvergence_;
};

}  // namespace warpfold
