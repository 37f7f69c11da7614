// SPDX-License-Identifier: Apache-2.0
#include "models/divergence/compaction_scopes.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "models/common/error.h"
#include "models/divergence/mixed_warp.h"

namespace warpfold::divergence {
namespace {

unsigned count(LaneMask lanes) { return static_cast<unsigned>(std::popcount(lanes)); }

unsigned count(const std::vector<LaneMask>& threads) {
  unsigned total = 0;
  for (LaneMask row : threads) total += count(row);
  return total;
}

}  // namespace

CompactionScopes::CompactionScopes(BranchOrder order, const Geometry& geometry, Core& core,
                                   std::unique_ptr<MeetingPolicy> policy)
    : order_(order),
      core_(core),
      policy_(std::move(policy)),
      blocks_(geometry.max_blocks),
      by_slot_(geometry.max_warps, nullptr),
      closed_(core.stats().counter("branch_groups", "groups", "of warps that waited for one another at a branch")),
      closed_short_(core.stats().counter("branch_groups_short", "groups",
                                         "of those, the ones that went on without some warps of their scope")) {}

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
  resident.root = &open_scope(resident, end_, nullptr, 0);
  live_ += count(block.threads);
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
  if (branch.may_diverge) {
    Group& group = meeting_at(scope, branch);
    if (diverges) {
      diverge(member, group, taken);
    } else if (group.came[member.number] == Came::kNotYet) {
      group.came[member.number] = Came::kPassed;
    }
  }
  if (diverges && !branch.may_diverge) {
    // Threads of several rounds of a loop: what is uniform in each of them divides them, and nobody else.
    split(member, {branch.pc + 1, branch.target}, branch.reconvergence, taken);
    show(member);
    return;
  }
  if (!diverges) {
    const bool stays = go_on(member, taken != 0 ? branch.target : branch.pc + 1);
    if (stays && !branch.may_diverge) return;
  }
  settle(scope);
}

void CompactionScopes::exited(WarpId id, LaneMask lanes, Pc next) {
  Member& member = *by_slot_[id];
  Scope& scope = *member.scope;
  Resident& resident = *scope.resident;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    resident.alive[member.threads.row[lane] - resident.block.first_row] &= ~(LaneMask{1} << lane);
  }
  live_ -= count(lanes);
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

bool CompactionScopes::takes_at_barrier(WarpId id, Pc /*next*/) {
  Member& member = *by_slot_[id];
  member.state = Member::State::kAtBarrier;
  settle(*member.scope);
  return false;
}

// Warps

void CompactionScopes::enter(Scope& scope, const Warp& warp) {
  Member& member = members_.take();
  const auto free = std::find(scope.members.begin(), scope.members.end(), nullptr);
  member.number = static_cast<unsigned>(free - scope.members.begin());
  if (free == scope.members.end()) scope.members.push_back(nullptr);
  scope.members[member.number] = &member;
  ++scope.size;
  for (Group* group : scope.open) {
    group->came.resize(scope.members.size(), Came::kNotYet);
    group->came[member.number] = Came::kNotYet;
  }
  member.threads = warp;
  member.scope = &scope;
  member.stack.assign(1, {warp.pc, scope.rpc, warp.mask, true});
  core_.stack_depth(scope.depth + 1);
  place(member);
}

// Into the warp buffer, to run the top of its stack.
void CompactionScopes::place(Member& member) {
  Entry& top = member.stack.back();
  if (!top.has_run) inactive_ -= count(top.mask);
  top.has_run = true;
  Warp warp = member.threads;
  warp.pc = top.pc;
  warp.mask = top.mask;
  if (!warp.one_row) warp.one_row = from_one_row(warp);
  member.state = Member::State::kRuns;
  member.slot = core_.insert(warp);
  by_slot_[member.slot] = &member;
  active_ += count(top.mask);
}

// A warp that is in the buffer runs the top of its stack.
void CompactionScopes::show(Member& member) {
  Entry& top = member.stack.back();
  if (!top.has_run) inactive_ -= count(top.mask);
  top.has_run = true;
  Warp& warp = core_.warp(member.slot);
  active_ += count(top.mask);
  active_ -= count(warp.mask);
  warp.pc = top.pc;
  warp.mask = top.mask;
  warp.one_row = member.threads.one_row;
}

void CompactionScopes::take_out(Member& member) {
  active_ -= count(core_.warp(member.slot).mask);
  by_slot_[member.slot] = nullptr;
  core_.remove(member.slot);
  member.slot = kNoWarp;
}

// The warp is at the end of its scope, or has no threads left.
void CompactionScopes::leave(Member& member) {
  if (member.slot != kNoWarp) take_out(member);
  member.scope->members[member.number] = nullptr;
  --member.scope->size;
  members_.give(member);
}

// Pops what has reached its reconvergence point or has no threads left. False: nothing is left.
bool CompactionScopes::find_top(Member& member) {
  std::vector<Entry>& stack = member.stack;
  while (!stack.empty() && (stack.back().pc == stack.back().rpc || stack.back().mask == 0)) stack.pop_back();
  return !stack.empty();
}

// False: the warp has left its scope.
bool CompactionScopes::go_on(Member& member, Pc next) {
  Entry& top = member.stack.back();
  if (next != top.rpc) {
    core_.warp(member.slot).pc = next;
    return true;
  }
  top.pc = next;
  if (find_top(member)) {
    show(member);
    return true;
  }
  leave(member);
  return false;
}

// The warp's own stack takes the sides of a branch.
void CompactionScopes::split(Member& member, const std::array<Pc, 2>& target, Pc rpc, LaneMask taken) {
  std::vector<Entry>& stack = member.stack;
  const std::array<LaneMask, 2> lanes{stack.back().mask & ~taken, taken};
  stack.back().pc = rpc;
  if (stack.back().pc == stack.back().rpc) stack.pop_back();
  const unsigned first = runs_taken_first(order_, count(lanes[1]), count(lanes[0])) ? 1 : 0;
  for (const unsigned side : {1 - first, first}) {
    if (target[side] == rpc) continue;
    stack.push_back({target[side], rpc, lanes[side], false});
    inactive_ += count(lanes[side]);
  }
  core_.stack_depth(member.scope->depth + static_cast<unsigned>(stack.size()));
}

// The sides of the branch at which the warp waited are through.
void CompactionScopes::resume(Member& member) {
  const Resident& resident = *member.scope->resident;
  LaneMask alive = 0;
  for (LaneMask rest = member.threads.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    alive |= resident.alive[member.threads.row[lane] - resident.block.first_row] & LaneMask{1} << lane;
  }
  for (Entry& entry : member.stack) entry.mask &= alive;
  if (find_top(member)) {
    place(member);
  } else {
    leave(member);
  }
}

// Meetings

CompactionScopes::Group& CompactionScopes::meeting_at(Scope& scope, const Branch& branch) {
  for (Group* group : scope.open) {
    if (group->meeting.branch == branch.pc) return *group;
  }
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
  if (policy_->waits(group.meeting)) {
    member.stack.back().pc = group.meeting.rpc;
    take_out(member);
    member.state = Member::State::kWaits;
  } else {
    let_go(group);
  }
}

// Those who wait, and the one that has just come, go on by themselves.
void CompactionScopes::let_go(Group& group) {
  for (const Group::Waiting& waiting : group.members) {
    split(*waiting.member, group.meeting.target, group.meeting.rpc, waiting.lanes[1]);
    if (waiting.member->slot == kNoWarp) {
      place(*waiting.member);
    } else {
      show(*waiting.member);
    }
  }
  group.members.clear();
  group.meeting.waiting.warps = 0;
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
  Scope& scope = *group.scope;
  const Meeting& meeting = group.meeting;
  const bool compact = policy_->compacts(meeting);
  scope.open.erase(std::find(scope.open.begin(), scope.open.end(), &group));
  if (group.members.empty()) {
    groups_.give(group);
    return;
  }
  ++closed_;
  const auto absent = [&](const Member* member) {
    return member != nullptr && group.came[member->number] == Came::kNotYet;
  };
  if (std::any_of(scope.members.begin(), scope.members.end(), absent)) ++closed_short_;
  if (group.members.size() == 1) {
    // Alone it has nobody to be compacted with; in its scope it may yet meet others inside the branch.
    let_go(group);
    groups_.give(group);
    return;
  }
  const unsigned first = group.first = meeting.entered(meeting.waiting);
  if (ends_scope(group)) {
    run_side(group, first, compact, scope);
    for (const Group::Waiting& waiting : group.members) leave(*waiting.member);
    groups_.give(group);
    return;
  }
  for (const Group::Waiting& waiting : group.members) {
    waiting.member->state = Member::State::kInside;
    waiting.member->inside = &group;
  }
  scope.closed.push_back(&group);
  group.other_to_run = meeting.runs(1 - first);
  if (group.other_to_run) inactive_ += count(meeting.waiting.threads[1 - first]);
  group.side = &open_scope(*scope.resident, meeting.rpc, &group, scope.depth + (group.other_to_run ? 2 : 1));
  run_side(group, first, compact, *group.side);
}

void CompactionScopes::run_side(Group& group, unsigned side, bool compacted, Scope& scope) {
  const Meeting& meeting = group.meeting;
  if (compacted) {
    const Block& block = scope.resident->block;
    ++scope.arriving;
    core_.compact({block.slot, block.id, block.first_row, meeting.target[side], true, meeting.waiting.threads[side],
                   scope.index});
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
    inactive_ -= count(group.meeting.waiting.threads[other]);
    scope.members.clear();
    run_side(group, other, policy_->compacts_other(group.meeting), scope);
    return;
  }
  Scope& around = *group.scope;
  scopes_.give(scope);
  around.closed.erase(std::find(around.closed.begin(), around.closed.end(), &group));
  for (const Group::Waiting& waiting : group.members) resume(*waiting.member);
  groups_.give(group);
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
