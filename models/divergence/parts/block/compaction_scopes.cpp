// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/block/compaction_scopes.h"

#include <algorithm>
#include <utility>

#include "warpfold/common/error.h"
#include "warpfold/divergence/mixed_warp.h"
#include "warpfold/divergence/parts/block/block_stack.h"

namespace warpfold::divergence {

using isa::count_lanes;

// A warp may come to a branch where others wait since the round before: it mixes paths.
CompactionScopes::CompactionScopes(BranchOrder order, unsigned stack_entries, const Geometry& geometry, Core& core,
                                   std::unique_ptr<MeetingPolicy> policy)
    : Mechanism({.mixes_paths = true, .keeps_back = true}),
      order_(order),
      stack_entries_(stack_entries),
      core_(core),
      unit_(core.taps().adequacy_unit()),
      policy_(std::move(policy)),
      blocks_(geometry.max_blocks),
      by_slot_(geometry.max_warps, nullptr),
      closed_(core.stats().counter("branch_groups", "groups", "of warps that waited for one another at a branch")),
      closed_short_(core.stats().counter("branch_groups_short", "groups",
                                         "of those, the ones that went on without some warps of their scope")),
      no_entries_(core.stats().counter("branch_groups_full", "branches",
                                       "that warps passed by since their block had no entries left")) {}

void CompactionScopes::kernel_started(const isa::Kernel& kernel) {
  end_ = kernel.end();
  policy_->kernel_started(kernel);
}

void CompactionScopes::kernel_ended() {
  check(members_.empty() && groups_.empty() && scopes_.empty(), "no warp, group or scope outlives its kernel");
  check(live_ == 0 && active_ == 0 && inactive_ == 0, "threads are counted out as they were counted in");
}

void CompactionScopes::block_started(const Block& block) {
  Resident& resident = blocks_[block.slot];
  resident.block = block;
  resident.alive = block.threads;
  resident.entries = 1;
  resident.root = &open_scope(resident, end_, nullptr, 0);
  live_ += thread_count(block.threads);
  for (unsigned row = 0; row < block.rows(); ++row) {
    const auto from = static_cast<std::uint16_t>(block.first_row + row);
    if (block.threads[row] != 0) enter(*resident.root, Warp::of_row(0, from, block.threads[row]));
  }
}

void CompactionScopes::block_finished(const Block& block) {
  Scope& root = *blocks_[block.slot].root;
  check(root.size == 0 && root.open.empty() && root.closed.empty(), "a block ends with its last warp");
  scopes_.give(root);
}

// Only at the end of its scope: splitting and reconverging on its own stack, a warp keeps its threads.
bool CompactionScopes::leaves_at(WarpId id, Pc next) const {
  const std::vector<Entry>& stack = by_slot_[id]->stack;
  return next == stack.back().rpc && stack.size() == 1;
}

// Only where it may wait, to be compacted.
bool CompactionScopes::leaves_by(WarpId id, const Branch& branch, bool divides) const {
  if (!divides || !branch.may_diverge || branch.target == branch.pc + 1) return false;
  const Member& member = *by_slot_[id];
  const Group* const group = open_meeting(*member.scope, branch.pc);
  if (group == nullptr) return policy_->may_wait(branch.pc, nullptr);
  return group->came[member.number] != Came::kDiverged && policy_->may_wait(branch.pc, &group->meeting);
}

void CompactionScopes::committed(WarpId id, Pc next) {
  Member& member = *by_slot_[id];
  member.state = Member::State::kRuns;  // it may come from a barrier
  Scope& scope = *member.scope;
  if (!go_on(member, next)) settle(scope);
}

void CompactionScopes::branch_resolved(WarpId id, const Branch& branch) {
  Member& member = *by_slot_[id];
  Scope& scope = *member.scope;
  const LaneMask active = core_.warp(id).mask, taken = branch.taken & active;
  const bool diverges = taken != 0 && taken != active && branch.target != branch.pc + 1;
  if (diverges && !branch.may_diverge) {
    // Threads of several rounds of a loop: what is uniform in each of them divides them, and nobody else.
    split(member, {branch.pc + 1, branch.target}, branch.reconvergence, taken);
    show(member);
    return;
  }
  if (branch.may_diverge) {
    Group& group = meeting_at(scope, branch);
    if (diverges) {
      diverge(member, group, taken);
    } else if (group.came[member.number] == Came::kNotYet) {
      group.came[member.number] = Came::kPassed;
    }
  }
  if (!diverges && go_on(member, taken != 0 ? branch.target : branch.pc + 1) && !branch.may_diverge) return;
  settle(scope);
}

void CompactionScopes::exited(WarpId id, LaneMask lanes, Pc next) {
  Member& member = *by_slot_[id];
  Scope& scope = *member.scope;
  Resident& resident = *scope.resident;
  const unsigned first = resident.block.first_row;
  for_each_thread(member.threads, lanes, [&](unsigned row, LaneMask lane) { resident.alive[row - first] &= ~lane; });
  live_ -= count_lanes(lanes);
  for (Entry& entry : member.stack) entry.mask &= ~lanes;
  if (member.stack.back().mask != 0) {
    show(member);
    if (go_on(member, next)) return;
  } else if (find_top(member)) {
    show(member);
  } else {
    leave(member);
  }
  settle(scope);
}

void CompactionScopes::compacted(unsigned /*block_slot*/, unsigned tag, const Warp& warp, bool last) {
  Scope& scope = scopes_[tag];
  enter(scope, warp);
  // Whoever has waited for warps to come out of the compactor waits for this one now.
  if (last) --scope.arriving;
}

bool CompactionScopes::gives_up(WarpId id) {
  Member& member = *by_slot_[id];
  member.state = Member::State::kAtBarrier;
  settle(*member.scope);
  return false;
}

// Meetings

CompactionScopes::Group* CompactionScopes::open_meeting(const Scope& scope, Pc branch) const {
  const auto at = std::find_if(scope.open.begin(), scope.open.end(),
                               [branch](const Group* group) { return group->meeting.branch == branch; });
  return at != scope.open.end() ? *at : nullptr;
}

CompactionScopes::Group& CompactionScopes::meeting_at(Scope& scope, const Branch& branch) {
  if (Group* const group = open_meeting(scope, branch.pc)) return *group;
  Group& group = groups_.take();
  group.meeting.open(branch, order_);
  group.members.clear();
  group.came.assign(scope.members.size(), Came::kNotYet);
  group.scope = &scope;
  group.side = nullptr;
  group.other_to_run = false;
  scope.open.push_back(&group);
  return group;
}

// For those who wait there. False: the block has none left.
bool CompactionScopes::take_entries(Group& group) {
  unsigned& used = group.scope->resident->entries;
  if (group.has_entries) return true;
  if (used + kEntriesOfMeeting > stack_entries_) {
    ++no_entries_;
    return false;
  }
  used += kEntriesOfMeeting;
  return group.has_entries = true;
}

void CompactionScopes::give_entries(Group& group) {
  if (std::exchange(group.has_entries, false)) group.scope->resident->entries -= kEntriesOfMeeting;
}

void CompactionScopes::give(Group& group) {
  give_entries(group);
  groups_.give(group);
}

// The adequacy unit is the core's: it is asked for what it has just judged, after those that asked before.
unsigned CompactionScopes::verdict_wait() {
  const unsigned clocks = unit_.clocks.take();
  return clocks != 0 ? core_.occupy(Unit::kAdequacy, 0, clocks) : 0;
}

void CompactionScopes::diverge(Member& member, Group& group, LaneMask taken) {
  const LaneMask active = member.stack.back().mask;
  Came& came = group.came[member.number];
  const bool again = came == Came::kDiverged;
  came = Came::kDiverged;
  if (again) {
    // It went on from this meeting and has come round a loop, to what is another meeting for it.
    split(member, group.meeting.target, group.meeting.rpc, taken);
    show(member);
    return;
  }
  const Block& block = member.scope->resident->block;
  group.meeting.all.add(block, member.threads, active, taken);
  group.meeting.waiting.add(block, member.threads, active, taken);
  group.members.push_back({&member, {active & ~taken, taken}});
  const bool waits = policy_->waits(group.meeting) && take_entries(group);
  wait_ = verdict_wait();
  if (waits) {
    member.stack.back().pc = group.meeting.rpc;
    take_out(member);
    member.state = Member::State::kWaits;
  } else {
    let_go(group);
  }
  wait_ = 0;
}

// Those who wait, and the one that has just come, go on by themselves.
void CompactionScopes::let_go(Group& group) {
  for (const Group::Waiting& waiting : group.members) {
    split(*waiting.member, group.meeting.target, group.meeting.rpc, waiting.lanes[1]);
    if (waiting.member->slot == kNoWarp) {
      place(*waiting.member);
    } else {
      show(*waiting.member);
      core_.hold(waiting.member->slot, wait_);
    }
  }
  group.members.clear();
  group.meeting.waiting.warps = 0;
  give_entries(group);
}

bool CompactionScopes::waits_for(const Group& group, const Member& member) const {
  if (group.came[member.number] != Came::kNotYet) return false;
  switch (member.state) {
    case Member::State::kRuns:
      return core_.warp(member.slot).pc < group.meeting.rpc;
    case Member::State::kInside:
      return member.inside->meeting.rpc < group.meeting.rpc && !stuck(*member.inside->side);
    case Member::State::kAtBarrier:
    case Member::State::kWaits:
      break;
  }
  return false;
}

bool CompactionScopes::complete(const Group& group) const {
  if (group.scope->arriving != 0) return false;
  const std::vector<Member*>& members = group.scope->members;
  return std::none_of(members.begin(), members.end(),
                      [&](const Member* member) { return member != nullptr && waits_for(group, *member); });
}

// Once through this group's side, has a member nothing left to do in its scope? So it is round by round in a loop, and
// the sides' warps take the members' places: another scope per round would be of no use to anybody.
bool CompactionScopes::ends_scope(const Group& group) const {
  const Meeting& meeting = group.meeting;
  return meeting.rpc == group.scope->rpc && meeting.runs(0) != meeting.runs(1) &&
         std::all_of(group.members.begin(), group.members.end(),
                     [](const Group::Waiting& waiting) { return waiting.member->stack.size() == 1; });
}

void CompactionScopes::close(Group& group) {
  std::vector<Group*>& open = group.scope->open;
  const bool compact = policy_->compacts(group.meeting);
  wait_ = verdict_wait();
  open.erase(std::find(open.begin(), open.end(), &group));
  if (group.members.empty()) {
    give(group);
  } else {
    run_sides(group, compact);
  }
  wait_ = 0;
}

void CompactionScopes::run_sides(Group& group, bool compact) {
  Scope& scope = *group.scope;
  Meeting& meeting = group.meeting;
  ++closed_;
  const auto absent = [&](const Member* member) {
    return member != nullptr && group.came[member->number] == Came::kNotYet;
  };
  if (std::any_of(scope.members.begin(), scope.members.end(), absent)) ++closed_short_;
  if (group.members.size() == 1) {
    // Alone it has nobody to be compacted with; in its scope it may yet meet others inside the branch.
    let_go(group);
    give(group);
    return;
  }
  const unsigned first = group.first = meeting.entered(meeting.waiting);
  if (ends_scope(group)) {
    run_side(group, first, compact, scope);
    for (const Group::Waiting& waiting : group.members) leave(*waiting.member);
    give(group);
    return;
  }
  for (const Group::Waiting& waiting : group.members) {
    waiting.member->state = Member::State::kInside;
    waiting.member->inside = &group;
  }
  scope.closed.push_back(&group);
  group.other_to_run = meeting.runs(1 - first);
  group.side = &open_scope(*scope.resident, meeting.rpc, &group, scope.depth + (group.other_to_run ? 2 : 1));
  run_side(group, first, compact, *group.side);
  if (!group.other_to_run) return;
  // Of the others' threads on the other side nobody knows where they are. Until its turn the verdict is there.
  meeting.all = meeting.waiting;
  group.compact_other = policy_->compacts_other(meeting);
  verdict_wait();
  inactive_ += thread_count(meeting.waiting.threads[1 - first]);
}

void CompactionScopes::run_side(Group& group, unsigned side, bool compacted, Scope& scope) {
  const Meeting& meeting = group.meeting;
  if (compacted) {
    const Block& block = scope.resident->block;
    ++scope.arriving;
    core_.compact({block.slot, block.id, block.first_row, meeting.target[side], true, meeting.waiting.threads[side],
                   scope.index, wait_});
    return;
  }
  for (const Group::Waiting& waiting : group.members) {
    Warp warp = waiting.member->threads;
    warp.pc = meeting.target[side];
    warp.mask = waiting.lanes[side];
    if (!warp.one_row) warp.one_row = from_one_row(warp);
    enter(scope, warp);
  }
}

// Scopes

CompactionScopes::Scope& CompactionScopes::open_scope(Resident& resident, Pc rpc, Group* group, unsigned depth) {
  Scope& scope = scopes_.take();
  scope.resident = &resident;
  scope.rpc = rpc;
  scope.group = group;
  scope.members.clear();
  scope.size = scope.arriving = 0;
  scope.depth = depth;
  return scope;
}

// Do all its warps wait at a barrier, themselves or for others that do?
bool CompactionScopes::stuck(const Scope& scope) const {
  if (scope.arriving != 0) return false;
  const auto runs = [](const Member* member) { return member != nullptr && member->state == Member::State::kRuns; };
  return std::none_of(scope.members.begin(), scope.members.end(), runs) &&
         std::all_of(scope.closed.begin(), scope.closed.end(), [this](const Group* g) { return stuck(*g->side); });
}

// Something happened to a warp of the scope: closes the meetings that wait for nobody now, and the scope if all is
// done.
void CompactionScopes::settle(Scope& scope) {
  for (std::size_t i = 0; i < scope.open.size();) {
    if (complete(*scope.open[i])) {
      close(*scope.open[i]);
      i = 0;
    } else {
      ++i;
    }
  }
  if (scope.group == nullptr) return;
  if (scope.size == 0 && scope.arriving == 0) {
    end(scope);
  } else if (stuck(scope)) {
    settle(*scope.group->scope);
  }
}

// All warps of a side are through it.
void CompactionScopes::end(Scope& scope) {
  check(scope.open.empty() && scope.closed.empty(), "a scope ends with its last warp");
  Group& group = *scope.group;
  if (group.other_to_run) {
    const unsigned other = 1 - group.first;
    group.other_to_run = false;
    --scope.depth;
    inactive_ -= thread_count(group.meeting.waiting.threads[other]);
    scope.members.clear();
    run_side(group, other, group.compact_other, scope);
    return;
  }
  Scope& around = *group.scope;
  scopes_.give(scope);
  around.closed.erase(std::find(around.closed.begin(), around.closed.end(), &group));
  for (const Group::Waiting& waiting : group.members) resume(*waiting.member);
  give(group);
  settle(around);
}

void CompactionScopes::describe(const Scope& scope, std::string& text) const {
  for (const Group* group : scope.open) {
    if (group->members.empty()) continue;
    text += fmt::format("{}{} warps wait at the branch at pc {}", text.empty() ? "" : "; ", group->members.size(),
                        group->meeting.branch);
  }
  for (const Group* group : scope.closed) {
    text += fmt::format("{}{} warps are inside the branch at pc {} until pc {}", text.empty() ? "" : "; ",
                        group->members.size(), group->meeting.branch, group->meeting.rpc);
    describe(*group->side, text);
  }
}

std::string CompactionScopes::waiting(unsigned slot) const {
  std::string text;
  describe(*blocks_[slot].root, text);
  return text.empty() ? "none: every live thread is in its warp" : text;
}

}  // namespace warpfold::divergence
