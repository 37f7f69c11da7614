// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/issue/issue_stage.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "warpfold/common/error.h"

namespace warpfold {

using divergence::kNoWarp;
using divergence::WarpId;
using isa::Kind;
using isa::LaneMask;
using isa::MicroOp;

namespace {

constexpr unsigned kPassInstructions = 2;  // of distinct warps (Intra-warp §2.2)

bool is_control(const MicroOp& op) {
  return op.kind == Kind::kBranch || op.kind == Kind::kBarrier || op.kind == Kind::kExit;
}

}  // namespace

IssueStage::IssueStage(sc_core::sc_module_name name, const CoreParams& params, Warps& warps,
                       const divergence::LanePacking& packing, ClockDomain& core_clock, unsigned index,
                       StatGroup& stats)
    : sc_module(name),
      params_(params),
      warps_(warps),
      scoreboard_(params.scoreboard, params.slots(), params.rows()),
      slots_(params.slots()),
      candidates_(params.slots()),
      pass_(params.slots()),
      units_(params),
      simd_(params, packing, stats),
      any_order_(warps.any_order()),
      passes_(params.pipes == PipeLayout::kFpuEm),
      parts_allowed_(warps.issues_parts() && !passes_ && packing.packing() == divergence::Packing::kNone),
      blocks_all_(!passes_ && params.units.memory == 0),
      lanes_(stats, params),
      drain_waits_(stats.counter("drain_waits", "events",
                                 "warps held until nothing of them was in flight, because threads were to leave them")),
      stall_(
          stats.counter("stall", "cycles",
                        "no issue: the load/store unit holds the pipeline up, or what is ready waits for a busy unit")),
      w0_fetch_(stats.counter("w0_fetch", "cycles",
                              "no issue: no warp ready, and some of this scheduler wait for an instruction")),
      w0_mem_(stats.counter(
          "w0_mem", "cycles",
          "no issue: no warp ready, and some of this scheduler wait for memory, or of the core for what their "
          "mechanism has there")),
      w0_idle_(
          stats.counter("w0_idle", "cycles", "no issue: no warp ready, and none of this scheduler waits for memory")),
      dual_issues_(stats.counter("dual_issues", "passes", "that issued two instructions")),
      fpu_cycles_(stats.counter("fpu_cycles", "cycles", "FPU pipes taken, where there are FPU and EM pipes")),
      em_cycles_(stats.counter("em_cycles", "cycles", "EM pipes taken")),
      idle_dependency_(stats.counter("idle_threads_dependency", "thread cycles",
                                     "threads in cycles without an issue that wait for an instruction (HARP Fig. 5)")),
      idle_barrier_(stats.counter(
          "idle_threads_barrier", "thread cycles",
          "threads in cycles without an issue that wait at a barrier of their block, or for a collective")),
      idle_inactive_(
          stats.counter("idle_threads_inactive", "thread cycles",
                        "threads in cycles without an issue whose path has not had its turn (HARP Fig. 14)")),
      idle_reconvergence_(
          stats.counter("idle_threads_reconvergence", "thread cycles",
                        "threads in cycles without an issue that wait at a reconvergence point (HARP Fig. 14)")) {
  for (divergence::WarpSet& set : ready_for_) set = divergence::WarpSet(params.slots());
  for (unsigned i = 0; i < kBuckets; ++i) {
    // Named after the 32-lane warp of the paper; other widths fall into eighths alike.
    buckets_[i] =
        &stats.counter(fmt::format("issue_w{}_{}", 4 * i + 1, 4 * i + 4), "cycles",
                       fmt::format("issue port held by warps with {} to {} of 32 lanes active", 4 * i + 1, 4 * i + 4));
  }
  declare_slot_causes(stats, causes_);
  if (parts_allowed_) declare_parts(stats);
  for (unsigned lanes = 1; lanes <= params.warp_size; ++lanes) {
    bucket_of_[lanes] = buckets_[(lanes * kBuckets - 1) / params.warp_size];
  }
  for (unsigned s = 0; s < params.schedulers; ++s) {
    Port& port = ports_.emplace_back(s, params.slots());
    scheduler_sockets.emplace_back(fmt::format("scheduler_socket{}", s).c_str());
    port.idle = &w0_idle_;
    port.scheduler = &scheduler_sockets.back();
    for (WarpId id = s; id < params.slots(); id += params.schedulers) port.slots.insert(id);
  }
  for (Port& port : ports_) turns_.push_back(&port);
  for (WarpId id = 0; id < params.slots(); ++id) slots_[id].port = &ports_[id % params.schedulers];
  if (params.fetch.cached) {
    fetch_socket =
        std::make_unique<InitiatorPort<IssueStage, FetchProtocol>>("fetch_socket", *this, &IssueStage::fetched);
  }
  core_clock.add(*this, index);
}

void IssueStage::kernel_started(const isa::Kernel& kernel, Cycle start) {
  launch_started(start);
  kernel_ = &kernel;
  scoreboard_.kernel_started(kernel.specials_begin());
  decoded_.assign(kernel.ops.size(), {});
}

void IssueStage::decode(isa::Pc pc, Decoded& decoded) const {
  const MicroOp& op = kernel_->ops[pc];
  decoded.known = true;
  decoded.group = static_cast<std::uint8_t>(group_of(op));
  decoded.memory = accesses_memory(op);
  decoded.waits_on_memory = waits_on_memory(op);
  decoded.plain = !is_control(op);
  decoded.branch = op.kind == Kind::kBranch;
  decoded.one_passage = simd_.same_for_all_masks();
  // Else each mask asks, once: RTL may answer.
  if (decoded.one_passage) decoded.passage = simd_.passage_of(op, ~LaneMask{0}, params_.warp_size);
  decoded.widths = lanes_.widths_of(op, params_.warp_size);
}

void IssueStage::launch_started(Cycle start) {
  start_ = start;
  for (Port& port : ports_) {
    port.free_at = port.charged_until = start;
    port.idle = &w0_idle_;
    port.cause = SlotCause::kNoBlock;
    port.pipes.start(start);
    port.waiting.clear();
  }
  units_.start(start);
}

tlm::tlm_sync_enum IssueStage::update(unsigned /*port*/, WarpUpdate& update, tlm::tlm_phase& /*phase*/) {
  switch (update.kind) {
    case WarpUpdate::Kind::kEntered:
      enter(update.id);
      break;
    case WarpUpdate::Kind::kLeft:
      leave(update.id);
      break;
    case WarpUpdate::Kind::kGoesOn:
      fetch(update.id, FetchRequest::Kind::kNext);
      refresh(update.id);
      break;
    case WarpUpdate::Kind::kHeld:
      if (update.cycles != divergence::kUntilReleased) {
        hold(update.id, clock().current() + update.cycles);
      } else {
        refresh(update.id);
      }
      break;
    case WarpUpdate::Kind::kSpilling:
      spilling_ = update.owners;
      break;
    case WarpUpdate::Kind::kBlockFinished:
      for (auto& scheduler : scheduler_sockets) {
        SchedulerCall finished{SchedulerCall::Kind::kBlockFinished, kNoWarp, update.block};
        request(scheduler, finished);
      }
      return tlm::TLM_COMPLETED;
    case WarpUpdate::Kind::kDivides:
      update.lanes = loaded(update.id);
      return tlm::TLM_COMPLETED;
  }
  wake();
  return tlm::TLM_COMPLETED;
}

void IssueStage::enter(WarpId id) {
  Slot& slot = slots_[id];
  fetch(id, FetchRequest::Kind::kFirst);
  set_draining(slot, false);
  slot.held_until = 0;
  slot.issued_at = clock().current();
  SchedulerCall youngest{SchedulerCall::Kind::kEntered, id, warps_.block_in_order(id)};
  youngest.age = warps_.age_of_block(youngest.block);
  request(scheduler_sockets[slot.port->index], youngest);
  refresh(id);
}

void IssueStage::leave(WarpId id) {
  check(scoreboard_.follows_threads() || !scoreboard_.busy(id, warps_.warp(id)),
        "threads leave a warp that has something in flight");
  fetch(id, FetchRequest::Kind::kDrop);
  refresh(id);
}

tlm::tlm_sync_enum IssueStage::release(unsigned /*port*/, Instruction& instruction, tlm::tlm_phase& /*phase*/) {
  if (instruction.partly) [[unlikely]] {
    keep_part(instruction);
    return tlm::TLM_COMPLETED;
  }
  // What follows may move threads: the cycles before are charged with them where they were.
  const Cycle now = clock().current();
  for (Port& port : ports_) charge_idle(port, now);
  const WarpId id = instruction.warp;
  scoreboard_.released(id, instruction.ticket, *instruction.op);
  if (!partial_loads_.empty()) [[unlikely]]
    drop_part(instruction);
  Slot& slot = slots_[id];
  const Decoded& how = decoded(instruction.pc);
  if (how.waits_on_memory) {
    --slot.port->memory_in_flight, --slot.memory_in_flight;
    if (watch_ != nullptr) [[unlikely]]
      watch_->completed(instruction, now);
  }
  if (scoreboard_.follows_threads()) {
    refresh_waiting();  // the threads may be anywhere by now
  } else if (slot.drains && !scoreboard_.busy(id, warps_.warp(id))) {
    drained(id);
  } else if (warps_.may_issue(id)) {
    refresh(id);
  }
  if ((how.plain || how.branch) && !instruction.meets && !instruction.gone_on) commit(instruction, how.branch);
  wake_to_issue();
  return tlm::TLM_COMPLETED;
}

// Until a port is free, a tick would find nothing to do.
[[gnu::always_inline]] inline void IssueStage::wake_to_issue() {
  if (!any_order_ || passes_ || watched_) return wake();
  Cycle free = kNever;
  for (const Port& port : ports_) free = std::min(free, port.free_at);
  wake(free);
}

// What mostly happens to a warp that commits needs no way through the warp unit and back: it goes on.
[[gnu::always_inline]] inline void IssueStage::commit(Instruction& instruction, bool branch) {
  const WarpId id = instruction.warp;
  instruction.gone_on = true;
  if (branch && busy(id) && warps_.leaves_by(instruction)) {
    slots_[id].taken = instruction.taken;
    drain(slots_[id]);
    return;
  }
  if (branch ? warps_.commit_branch(instruction) : warps_.commit_plain(id, instruction.pc + 1)) {
    Slot& slot = slots_[id];
    fetch(id, FetchRequest::Kind::kNext);
    if (params_.scoreboard == ScoreboardKind::kSimple && !slot.ready && !slot.fetching && slot.held_until == 0) {
      make_ready(slot, id, warps_.warp(id).pc);  // nothing of it is in flight
    } else {
      refresh(id);
    }
  }
  warps_.settle();
}

tlm::tlm_sync_enum IssueStage::unblocked(unsigned /*port*/, Instruction& instruction, tlm::tlm_phase& phase) {
  check(phase == tlm::END_REQ, "the pipeline says only that it takes instructions again");
  if (instruction.takes_last_collector) {
    ports_[instruction.warp % params_.schedulers].no_collector = false;
  } else {
    blocked_ = false;
  }
  wake();
  return tlm::TLM_COMPLETED;
}

bool IssueStage::could_issue(WarpId id) const {
  const Slot& slot = slots_[id];
  if (!warps_.may_issue(id) || slot.fetching || slot.held_until != 0) return false;
  const divergence::Warp& warp = warps_.warp(id);
  const MicroOp& op = kernel_->ops[warp.pc];
  if (!scoreboard_.allows(id, warp, op)) return false;
  // Known by thread, what is in flight has to be waited for only by those that exit: their registers are others' then.
  return !scoreboard_.follows_threads() || op.kind != Kind::kExit || !scoreboard_.busy(id, warp);
}

void IssueStage::refresh(WarpId id) {
  Slot& slot = slots_[id];
  if (slot.ready) withdraw(slot, id);
  if (could_issue(id) && !has_to_drain(id)) make_ready(slot, id, warps_.warp(id).pc);
}

// Warps that might wait for registers.
void IssueStage::refresh_waiting() {
  for (WarpId id = 0; id < slots_.size(); ++id) {
    if (warps_.may_issue(id) && !slots_[id].ready) refresh(id);
  }
}

Cycle IssueStage::tick(Cycle now) {
  const bool was_blocked = blocked_;
  if (!partial_loads_.empty()) [[unlikely]]
    tell_parts(now);
  Cycle next = any_order_ ? kNever : warps_.tick(now);
  if (!held_.empty()) next = std::min(next, release_held(now));
  next = std::min(next, serve_ports(now));
  // Ports that found nothing before another one filled the load/store unit are stalled from the next cycle on.
  if (blocked_ && !was_blocked && ports_.size() > 1) next = std::min(next, now + 1);
  return next;
}

// In turns, since each may find a shared unit, or the places of the load/store unit, taken by those before it.
[[gnu::always_inline]] inline Cycle IssueStage::serve_ports(Cycle now) {
  Cycle next = kNever;
  for (Port* const port : turns_) {
    charge_idle(*port, now);
    next = std::min(next, passes_ ? serve_pass(*port, now) : serve(*port, now));
    if (watched_) [[unlikely]]
      tell_waits(*port, now);
  }
  if (passes_) {
    std::rotate(turns_.begin(), turns_.begin() + 1, turns_.end());
  } else if (takes_ != 0) {
    std::sort(turns_.begin(), turns_.end(),
              [](const Port* a, const Port* b) { return std::pair(a->took_shared, a) < std::pair(b->took_shared, b); });
  }
  return next;
}

// Threads that have joined a ready warp may have registers under way that it is about to use.
void IssueStage::withdraw_joined(Port& port) {
  if (!scoreboard_.follows_threads()) return;
  for (WarpId id = port.ready.next(0); id != kNoWarp; id = port.ready.next(id + 1)) {
    if (!could_issue(id)) withdraw(slots_[id], id);
  }
}

// A mechanism that keeps some warps in reserve is asked for them before a cycle goes idle.
bool IssueStage::any_ready(Port& port, Cycle now) {
  withdraw_joined(port);
  if (!port.ready.empty()) return true;
  if (any_order_) return false;
  warps_.running_dry(port.index, now);
  return !port.ready.empty();
}

[[gnu::always_inline]] inline Cycle IssueStage::serve(Port& port, Cycle now) {
  if (port.free_at > now) return port.free_at;
  Cycle next = kNever;
  if (held_up(port) || !any_ready(port, now)) {
    port.idle = &idle_reason(port);
    port.cause = cause_of_idle(port);
    return next;
  }
  const divergence::WarpSet* choice = &port.ready;
  if (units_.all_free_at() > now || blocked_ || !any_order_) {
    choice = &candidates_;
    next = leave_out_waiting(port, now);
    port.idle = &stall_;  // there are ready warps, their unit is busy (TBC §6.1)
    if (candidates_.empty()) {
      port.cause = cause_of_stall(port);
      return next;
    }
    port.idle = &idle_reason(port);
    warps_.prefer(candidates_, now);
    port.cause = SlotCause::kMechanism;
    if (candidates_.empty()) return next;
  }
  const WarpId id = pick(port, *choice, now);
  parts_allowed_ ? issue_parts(port, id, now) : issue(port, id, now);
  port.idle = &idle_reason(port);
  return port.free_at;
}

// The candidates are the ready warps whose units are free; returns when another's is.
Cycle IssueStage::leave_out_waiting(const Port& port, Cycle now) {
  candidates_ = port.ready;
  Cycle next = kNever;
  if (units_.all_free_at() <= now && !blocked_) return next;
  for (const unsigned group : units_.held_groups()) {
    const bool full = group == ExecutionUnits::kMemory && blocked_;  // until END_REQ
    const Cycle free = units_.free_at(port.index, group);
    if ((free <= now && !full) || !candidates_.intersects(ready_for_[group])) continue;
    candidates_ -= ready_for_[group];
    if (!full) next = std::min(next, free);
  }
  return next;
}

Cycle IssueStage::serve_pass(Port& port, Cycle now) {
  if (port.free_at > now) return port.free_at;
  port.idle = &idle_reason(port);
  if (held_up(port) || !any_ready(port, now)) {
    port.cause = cause_of_idle(port);
    return kNever;
  }
  pass_ = port.ready;
  Cycle next = kNever;
  unsigned issued = 0;
  while (issued < kPassInstructions && !pass_.empty() && !held_up(port)) {
    if (issued != 0) withdraw_joined(port);
    candidates_.become_both(pass_, port.ready);  // what has just been issued may have taken threads along
    next = std::min(next, drop_waiting(port, now));
    if (candidates_.empty()) {
      if (issued == 0) port.idle = &stall_, port.cause = cause_of_stall(port);  // pipes of ready warps are busy
      break;
    }
    warps_.prefer(candidates_, now);
    port.cause = SlotCause::kMechanism;
    if (candidates_.empty()) break;
    const WarpId id = pick(port, candidates_, now);
    pass_.erase(id);
    issue(port, id, now);
    ++issued;
  }
  if (issued == 0) return next;
  if (issued > 1) ++dual_issues_;
  port.free_at = now + params_.issue_interval_cycles;
  return port.free_at;
}

[[gnu::always_inline]] inline WarpId IssueStage::pick(const Port& port, const divergence::WarpSet& ready, Cycle now) {
  SchedulerCall call{SchedulerCall::Kind::kPick, kNoWarp, 0, &ready, now};
  request(*port.scheduler, call);
  return call.warp;
}

void IssueStage::issue(Port& port, WarpId id, Cycle now) {
  Slot& slot = slots_[id];
  withdraw(slot, id);
  check(!scoreboard_.follows_threads() || could_issue(id),
        "a warp issues when all of its threads have their registers");
  Instruction instruction = warps_.issue(id, now, now - start_, outcome_);
  const Decoded& how = decoded(instruction.pc);
  instruction.gone_on = params_.scoreboard != ScoreboardKind::kSimple && how.plain && !instruction.meets;
  instruction.ticket = scoreboard_.issued(id, warps_.warp(id), *instruction.op);
  slot.issued_at = now;
  if (how.waits_on_memory) ++port.memory_in_flight, ++slot.memory_in_flight;
  ++issued_;
  dispatch(port, instruction, how);
  if (instruction.lines_by_lanes != nullptr) [[unlikely]]
    warps_.accessed(id, *instruction.lines_by_lanes);
  if (instruction.gone_on) go_on_early(id);
}

[[gnu::always_inline]] inline void IssueStage::dispatch(Port& port, Instruction& instruction, const Decoded& how) {
  if (instruction.op->spill) [[unlikely]]
    ++lanes_.spilled(*instruction.op);
  lanes_.count(how.widths, instruction.active, execution_mask(instruction));
  if (parts_allowed_) return dispatch_part(port, instruction, how);
  if (!passes_) {
    instruction.unit = units_.number(port.index, how.group);
    send(port, instruction, how);
    hold_port(port, instruction, how.group);
    return;
  }
  const Cycle now = instruction.issued_at;
  const Pipe pipe = port.pipes.pipe_for(static_cast<PipeUse>(how.group), now);
  static_assert(kPipes <= ExecutionUnits::kGroups);
  instruction.unit = port.index * kPipes + static_cast<unsigned>(pipe);
  instruction.issued_at = port.pipes.starts_at(pipe, now);
  send(port, instruction, how);
  hold_pipe(port, pipe, instruction, now);
}

[[gnu::always_inline]] inline void IssueStage::hold_port(Port& port, const Instruction& instruction, unsigned group) {
  const unsigned hold = std::max(instruction.port_cycles, params_.issue_interval_cycles);
  units_.hold(port.index, group, instruction.issued_at + instruction.hold_cycles);
  if (units_.shared(group)) port.took_shared = ++takes_;
  port.free_at = port.charged_until = instruction.issued_at + hold;
  charge_issue(instruction, hold);
}

void IssueStage::hold_pipe(Port& port, Pipe pipe, const Instruction& instruction, Cycle now) {
  const Cycle next_pass = now + params_.issue_interval_cycles;
  const Cycle until = pipe == Pipe::kSend ? next_pass : instruction.issued_at + instruction.hold_cycles;
  port.pipes.hold(pipe, until);
  if (pipe != Pipe::kSend) (pipe == Pipe::kFpu ? fpu_cycles_ : em_cycles_) += instruction.hold_cycles;
  const Cycle charged = std::max({port.charged_until, until, next_pass});
  charge_issue(instruction, charged - port.charged_until);
  port.charged_until = charged;
}

[[gnu::always_inline]] inline void IssueStage::charge_issue(const Instruction& instruction, Cycle cycles) {
  *bucket_of_[static_cast<unsigned>(std::popcount(instruction.active))] += cycles;
  if (watched_) [[unlikely]]
    tell_issued(instruction, cycles);
}

void IssueStage::go_on_early(WarpId id) {
  if (!scoreboard_.follows_threads() && warps_.leaves_behind(id)) {
    drain(slots_[id]);
  } else {
    warps_.go_on_early(id);
  }
}

// Threads may leave the warp now.
void IssueStage::drained(WarpId id) {
  Slot& slot = slots_[id];
  set_draining(slot, false);
  const isa::Pc pc = warps_.warp(id).pc;
  if (decoded(pc).branch) {
    warps_.went_to_branch(id, pc, slot.taken);
  } else {
    warps_.go_on_early(id);
  }
}

}  // namespace warpfold
