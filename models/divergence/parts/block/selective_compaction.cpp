// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/block/selective_compaction.h"

#include <algorithm>
#include <utility>

#include "warpfold/common/error.h"
#include "warpfold/divergence/mixed_warp.h"
#include "warpfold/divergence/parts/block/block_stack.h"

namespace warpfold::divergence {
namespace {

Warp part_of(const Warp& warp, LaneMask lanes, Pc pc) {
  Warp part = warp;
  narrow(part, lanes);
  part.pc = pc;
  return part;
}

}  // namespace

SelectiveCompaction::SelectiveCompaction(BranchOrder order, unsigned stack_entries, const Geometry& geometry,
                                         Core& core, std::unique_ptr<MeetingPolicy> policy)
    : Mechanism({.keeps_back = true}),
      order_(order),
      core_(core),
      unit_(core.taps().adequacy_unit()),
      policy_(std::move(policy)),
      spills_(stack_entries, BlockStackSpills::kFieldBytes, geometry, core),
      blocks_(geometry.max_blocks),
      entry_of_(geometry.max_warps, nullptr),
      ahead_(core.stats().counter(
          "ahead_waits", "warps",
          "that passed a branch and waited for their block at their next one or before an atomic")) {}

void SelectiveCompaction::kernel_started(const isa::Kernel& kernel) {
  end_ = kernel.end();
  steers_.assign(end_ + 1, false);
  for (Pc pc = 0; pc < end_; ++pc) {
    const isa::MicroOp& op = kernel.ops[pc];
    steers_[pc] = op.kind == isa::Kind::kAtomic && op.d[0] != isa::kNoWord;
  }
  policy_->kernel_started(kernel);
}

void SelectiveCompaction::kernel_ended() {
  check(free_.size() == entries_.size(), "no entry outlives its kernel");
  check(live_ == 0 && active_ == 0 && inactive_ == 0, "threads are counted out as they were counted in");
}

void SelectiveCompaction::block_started(const Block& block) {
  Resident& resident = blocks_[block.slot];
  resident.block = block;
  resident.alive = block.threads;
  spills_.start(block);
  live_ += thread_count(block.threads);
  Entry& base = make_entry(0, end_);
  resident.stack.assign(1, &base);
  core_.stack_depth(1);
  for (unsigned row = 0; row < block.rows(); ++row) {
    const auto from = static_cast<std::uint16_t>(block.first_row + row);
    if (block.threads[row] != 0) enter(base, Warp::of_row(0, from, block.threads[row]));
  }
}

void SelectiveCompaction::block_finished(const Block& block) {
  check(blocks_[block.slot].stack.empty(), "a block ends with its last warp");
}

bool SelectiveCompaction::leaves_at(WarpId id, Pc next) const {
  const Entry& entry = *entry_of_[id];
  return next == entry.rpc || waits_at(next, blocks_[core_.block_of(id)], entry);
}

void SelectiveCompaction::committed(WarpId id, Pc next) { go_on(id, next); }

// Not where a warp of the top goes on as it is.
bool SelectiveCompaction::leaves_by(WarpId id, const Branch& branch, bool divides) const {
  if (!branch.may_diverge || branch.target == branch.pc + 1) return false;
  const Resident& resident = blocks_[core_.block_of(id)];
  const Pc next = branch.taken != 0 ? branch.target : branch.pc + 1;
  return divides || entry_of_[id] != resident.stack.back() || resident.due || next == branch.reconvergence ||
         steers_[next];
}

void SelectiveCompaction::branch_resolved(WarpId id, const Branch& branch) {
  const Warp& warp = core_.warp(id);
  if (!branch.may_diverge || branch.target == branch.pc + 1) {
    go_on(id, (warp.mask & branch.taken) != 0 ? branch.target : branch.pc + 1);
    return;
  }
  Resident& resident = resident_of(id);
  Entry& entry = *entry_of_[id];
  const AtBranch at{warp, branch};
  if (&entry == resident.stack.back() && !resident.due) {
    arrive(resident, id, at);
    settle(resident);
  } else {
    entry.ahead.push_back(at);
    ++ahead_;
    take_out(id);
  }
}

void SelectiveCompaction::exited(WarpId id, LaneMask lanes, Pc next) {
  Resident& resident = resident_of(id);
  Warp& warp = core_.warp(id);
  const unsigned first = resident.block.first_row;
  for_each_thread(warp, lanes, [&](unsigned row, LaneMask lane) { resident.alive[row - first] &= ~lane; });
  live_ -= isa::count_lanes(lanes);
  active_ -= isa::count_lanes(lanes);
  narrow(warp, ~lanes);
  if (warp.mask != 0) {
    go_on(id, next);
    return;
  }
  --entry_of_[id]->warps;
  take_out(id);
  settle(resident);
}

void SelectiveCompaction::compacted(unsigned block_slot, unsigned /*tag*/, const Warp& warp, bool last) {
  Resident& resident = blocks_[block_slot];
  Entry& top = *resident.stack.back();
  // Counted when it was asked for, unless a compactor of another policy makes more warps than the threads need.
  if (--resident.coming == 0 && !last) {
    ++resident.coming;
  } else {
    --top.warps;
  }
  enter(top, warp);
}

// A block's entries in the order in which they become the top, from the top that is: the sides of its branch come
// before what lies below it.
std::vector<const SelectiveCompaction::Entry*> SelectiveCompaction::by_turn(const Resident& resident) const {
  std::vector<const Entry*> entries{resident.stack.back()};
  if (resident.branching) {
    const Meeting& meeting = resident.meeting;
    const unsigned first = meeting.entered(meeting.all);
    for (const unsigned side : {first, 1 - first}) {
      if (resident.sides[side] != nullptr) entries.push_back(resident.sides[side]);
    }
  }
  entries.insert(entries.end(), resident.stack.rbegin() + 1, resident.stack.rend());
  return entries;
}

// Lanes whose threads run, or come from the compactor once it has delivered all.
const std::vector<LaneMask>& SelectiveCompaction::running(const Resident& resident) const {
  return resident.running.of(resident.block, [&](const auto& runs) {
    const Entry* const top = resident.stack.back();
    unsigned of_top = 0;
    for (WarpId id = 0; id < entry_of_.size(); ++id) {
      if (entry_of_[id] == nullptr || core_.block_of(id) != resident.block.slot) continue;
      of_top += entry_of_[id] == top ? 1 : 0;
      runs(core_.warp(id));
    }
    return of_top == top->warps;
  });
}

// A warp holds up those that wait at its entry's branch, if that is the top's, and those in entries whose turn comes
// later. Threads on a side are due at its reconvergence point, too, whose turn comes later than wherever they are.
LaneMask SelectiveCompaction::kept_back(WarpId carrier, const Warp& /*waiting*/, unsigned row) const {
  const unsigned slot = core_.block_of(carrier);
  const Resident& resident = blocks_[slot];
  if (core_.block_of_row(row) != slot) return 0;
  const unsigned own = row - resident.block.first_row;
  LaneMask seen = running(resident)[own], kept = 0;
  if ((resident.alive[own] & ~seen) == 0) return 0;
  const auto see = [&](const Warp& warp, bool later) {
    const LaneMask lanes = lanes_of_row(warp, row) & ~seen;
    seen |= lanes;
    if (later) kept |= lanes;
  };
  const Entry* const entry = entry_of_[carrier];
  for (const AtBranch& at : resident.waiting) see(at.warp, entry == resident.stack.back());
  bool later = false;
  for (const Entry* const turn : by_turn(resident)) {
    for (const AtBranch& at : turn->ahead) see(at.warp, later);
    for (const Warp& held : turn->held) see(held, later);
    for (const Warp& due : turn->due) see(due, later);
    later |= turn == entry;
  }
  return kept;
}

// Warps

// Not before the entry is the top.
bool SelectiveCompaction::waits_at(Pc pc, const Resident& resident, const Entry& entry) const {
  return steers_[pc] && (&entry != resident.stack.back() || resident.due);
}

void SelectiveCompaction::enter(Entry& entry, const Warp& warp) {
  const WarpId id = core_.insert(warp);
  core_.hold(id, wait_);
  entry_of_[id] = &entry;
  resident_of(id).running.changed();
  ++entry.warps;
  active_ += isa::count_lanes(warp.mask);
}

// Whose entry waits for it no longer, or will meet it again elsewhere.
void SelectiveCompaction::take_out(WarpId id) {
  active_ -= isa::count_lanes(core_.warp(id).mask);
  entry_of_[id] = nullptr;
  resident_of(id).running.changed();
  core_.remove(id);
}

void SelectiveCompaction::go_on(WarpId id, Pc next) {
  Entry& entry = *entry_of_[id];
  Resident& resident = resident_of(id);
  if (next != entry.rpc) {
    Warp& warp = core_.warp(id);
    warp.pc = next;
    if (!waits_at(next, resident, entry)) return;
    hold_back(entry, warp);
    take_out(id);
    return;
  }
  --entry.warps;
  take_out(id);
  settle(resident);
}

// Until the entry, which goes on to count it, is the top.
void SelectiveCompaction::hold_back(Entry& entry, const Warp& warp) {
  entry.held.push_back(warp);
  ++ahead_;
}

// A warp that has arrived at a branch, in slot `id` if it runs there, goes on as `warp` on a side; null: is at the
// reconvergence point.
void SelectiveCompaction::move(Resident& resident, WarpId id, const Warp& warp, Entry* to) {
  if (to == nullptr || waits_at(warp.pc, resident, *to)) {
    if (to != nullptr) {
      hold_back(*to, warp);
      ++to->warps;
    }
    if (id != kNoWarp) take_out(id);
  } else if (id == kNoWarp) {
    enter(*to, warp);
  } else {
    Warp& goes_on = core_.warp(id);
    active_ -= isa::count_lanes(goes_on.mask & ~warp.mask);
    goes_on = warp;
    resident.running.changed();
    core_.hold(id, wait_);
    entry_of_[id] = to;
    ++to->warps;
  }
}

// Branches

// The first warp of the top arrives.
void SelectiveCompaction::open(Resident& resident, const Branch& branch) {
  resident.branching = true;
  resident.meeting.open(branch, order_);
  resident.stack.back()->pc = branch.reconvergence;
  for (const unsigned side : {0U, 1U}) {
    const Pc target = resident.meeting.target[side];
    resident.sides[side] = resident.meeting.runs(side) ? &make_entry(target, branch.reconvergence) : nullptr;
  }
}

// A warp of the top, in slot `id` unless it has waited for its entry to become the top.
void SelectiveCompaction::arrive(Resident& resident, WarpId id, const AtBranch& at) {
  if (!resident.branching) open(resident, at.branch);
  Meeting& meeting = resident.meeting;
  Entry& top = *resident.stack.back();
  check(meeting.branch == at.branch.pc, "the warps of an entry meet at one branch");
  --top.warps;
  if (top.rpc != meeting.rpc) top.due.push_back(at.warp);
  const LaneMask active = at.warp.mask, taken = at.branch.taken & active;
  if (taken == 0 || taken == active) {
    const unsigned side = taken != 0 ? 1 : 0;
    move(resident, id, part_of(at.warp, active, meeting.target[side]), resident.sides[side]);
    return;
  }
  meeting.all.add(resident.block, at.warp, active, taken);
  meeting.waiting.add(resident.block, at.warp, active, taken);
  resident.waiting.push_back(at);
  const bool waits = policy_->waits(meeting);
  wait_ = verdict_wait();
  if (!waits) {
    let_go(resident, id);
  } else if (id != kNoWarp) {
    take_out(id);
  }
  wait_ = 0;
}

// The adequacy unit is the core's: it is asked for what it has just judged, after those that asked before.
unsigned SelectiveCompaction::verdict_wait() {
  const unsigned clocks = unit_.clocks.take();
  return clocks != 0 ? core_.occupy(Unit::kAdequacy, 0, clocks) : 0;
}

// Those who wait, and the one that has just come, in slot `id` if it runs there, go on as they are.
void SelectiveCompaction::let_go(Resident& resident, WarpId id) {
  if (resident.waiting.empty()) return;
  Meeting& meeting = resident.meeting;
  const unsigned first = meeting.entered(meeting.waiting);
  meeting.running = first;
  for (const AtBranch& at : resident.waiting) {
    const bool last = &at == &resident.waiting.back();
    move(resident, last ? id : kNoWarp, part_of(at.warp, at.lanes_of(first), meeting.target[first]),
         resident.sides[first]);
  }
  leave_second_sides(resident, first);
}

// The threads of those who waited that do not go on with the first side are due on the other one.
void SelectiveCompaction::leave_second_sides(Resident& resident, unsigned first) {
  if (Entry* const other = resident.sides[1 - first]) {
    for (const AtBranch& at : resident.waiting) {
      const Warp& due = other->due.emplace_back(part_of(at.warp, at.lanes_of(1 - first), other->pc));
      other->inactive += isa::count_lanes(due.mask);
      inactive_ += isa::count_lanes(due.mask);
    }
  }
  resident.waiting.clear();
  resident.meeting.waiting.warps = 0;
}

// All warps of the top have arrived.
void SelectiveCompaction::close(Resident& resident) {
  Meeting& meeting = resident.meeting;
  const bool compacts = policy_->compacts(meeting);
  wait_ = verdict_wait();
  const unsigned first = meeting.entered(meeting.all);
  Entry *const entered = resident.sides[first], *const other = resident.sides[1 - first];
  if (compacts && !resident.waiting.empty()) {
    compact(resident, *entered, meeting.waiting.threads[first]);
    leave_second_sides(resident, first);
  } else {
    let_go(resident, kNoWarp);
  }
  wait_ = 0;
  // Nothing changes about those due there until their turn: by then the verdict is there.
  if (other != nullptr && !other->due.empty()) other->compact = policy_->compacts_other(meeting);
  verdict_wait();
  resident.branching = false;
  // A top that would wake up only to be at its own reconvergence point makes room (a loop with differing trip counts
  // does not grow the stack).
  if (resident.stack.back()->rpc == meeting.rpc) pop(resident);
  if (other != nullptr) resident.stack.push_back(other);
  resident.stack.push_back(entered);
  const auto depth = static_cast<unsigned>(resident.stack.size());
  core_.stack_depth(depth);
  spills_.grow(resident.block.slot, depth);
  next_turn(resident);
}

// The stack

SelectiveCompaction::Entry& SelectiveCompaction::make_entry(Pc pc, Pc rpc) {
  if (free_.empty()) free_.push_back(&entries_.emplace_back());
  Entry& entry = *free_.back();
  free_.pop_back();
  entry.pc = pc;
  entry.rpc = rpc;
  entry.compact = false;
  return entry;
}

void SelectiveCompaction::pop(Resident& resident) {
  free_.push_back(resident.stack.back());
  resident.stack.pop_back();
}

void SelectiveCompaction::compact(Resident& resident, Entry& entry, const std::vector<LaneMask>& threads) {
  const Block& block = resident.block;
  resident.coming = compacted_warps(threads);
  entry.warps += resident.coming;
  core_.compact({block.slot, block.id, block.first_row, entry.pc, true, threads, 0, wait_});
}

// There is another top. It waits for entries that are under way, its own among them, as long as it has threads.
void SelectiveCompaction::next_turn(Resident& resident) {
  resident.running.changed();
  const unsigned slot = resident.block.slot;
  const auto depth = static_cast<unsigned>(resident.stack.size());
  if (!spills_.at_hand(slot, depth) && lives(resident)) {
    spills_.use(slot, depth);
    resident.due = spills_.waits(slot);
  }
  if (!resident.due) take_turn(resident);
}

bool SelectiveCompaction::lives(const Resident& resident) {
  return std::any_of(resident.alive.begin(), resident.alive.end(), [](LaneMask row) { return row != 0; });
}

void SelectiveCompaction::spilled(unsigned slot) {
  spills_.spilled(slot);
  Resident& resident = blocks_[slot];
  if (!std::exchange(resident.due, false)) return;
  take_turn(resident);
  settle(resident);
}

// Whoever is due on the top enters, and whoever has come to its branch already arrives.
void SelectiveCompaction::take_turn(Resident& resident) {
  resident.running.changed();
  Entry& top = *resident.stack.back();
  inactive_ -= std::exchange(top.inactive, 0);
  std::vector<LaneMask> threads(resident.block.rows(), 0);
  for (Warp& warp : top.due) {
    LaneMask alive = 0;
    for_each_thread(warp, warp.mask, [&](unsigned row, LaneMask lane) {
      const unsigned own = row - resident.block.first_row;
      alive |= resident.alive[own] & lane;
      threads[own] |= lane;
    });
    narrow(warp, alive);
    warp.pc = top.pc;
    if (warp.mask != 0 && !top.compact) enter(top, warp);
  }
  if (top.compact) compact(resident, top, threads);
  top.due.clear();
  top.compact = false;
  for (const Warp& held : std::exchange(top.held, {})) {
    --top.warps;
    enter(top, held);
  }
  for (const AtBranch& at : std::exchange(top.ahead, {})) arrive(resident, kNoWarp, at);
}

// Moves on from a top that waits for no warp any more: to the sides of its branch, or else back down.
void SelectiveCompaction::settle(Resident& resident) {
  // Those who ran ahead may have been the block's last.
  if (resident.due && !lives(resident)) {
    resident.due = false;
    take_turn(resident);
  }
  while (!resident.due && !resident.stack.empty() && resident.stack.back()->warps == 0) {
    if (resident.branching) {
      close(resident);
      continue;
    }
    pop(resident);
    if (!resident.stack.empty()) next_turn(resident);
  }
}

std::string SelectiveCompaction::waiting(unsigned slot) const {
  const Resident& resident = blocks_[slot];
  const Entry& top = *resident.stack.back();
  std::string text = fmt::format("block-wide stack of {} entries, the top (pc {}, rpc {}) waits for {} warps",
                                 resident.stack.size(), top.pc, top.rpc, top.warps);
  if (resident.due) text += " and for entries from memory";
  if (resident.branching) text += fmt::format(" at the branch at pc {}", resident.meeting.branch);
  return text;
}

}  // namespace warpfold::divergence
