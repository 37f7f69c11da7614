// SPDX-License-Identifier: Apache-2.0
// The warps of scopes, each with a stack of its own.
#include <algorithm>

#include "warpfold/divergence/mixed_warp.h"
#include "warpfold/divergence/parts/block/compaction_scopes.h"

namespace warpfold::divergence {

using isa::count_lanes;

// A warp holds up the others on its own stack and, with the sides of a branch that it runs, all that those who wait for
// them have, less whoever is in a warp of these sides.
LaneMask CompactionScopes::kept_back(WarpId carrier, const Warp& /*waiting*/, unsigned row) const {
  const Member& member = *by_slot_[carrier];
  LaneMask kept = lanes_of(member, row) & ~member.stack.back().mask;
  for (const Group* group = member.scope->group; group != nullptr; group = group->scope->group) {
    const Scope& side = *group->side;
    if (side.arriving != 0) break;
    LaneMask held = 0, in_warps = 0;
    for (const Group::Waiting& waits : group->members) held |= lanes_of(*waits.member, row);
    for (const Member* of_side : side.members) in_warps |= of_side != nullptr ? lanes_of(*of_side, row) : 0;
    kept |= held & ~in_warps;
  }
  return kept;
}

LaneMask CompactionScopes::lanes_of(const Member& member, unsigned row) {
  LaneMask lanes = 0;
  for (const Entry& entry : member.stack) lanes |= entry.mask;
  return lanes_of_row(member.threads, row, lanes);
}

unsigned CompactionScopes::entries_on_stack(WarpId id) const {
  const Member& member = *by_slot_[id];
  return member.scope->depth + static_cast<unsigned>(member.stack.size());
}

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
  if (!top.has_run) inactive_ -= count_lanes(top.mask);
  top.has_run = true;
  Warp warp = member.threads;
  warp.pc = top.pc;
  warp.mask = top.mask;
  if (!warp.one_row) warp.one_row = from_one_row(warp);
  member.state = Member::State::kRuns;
  member.slot = core_.insert(warp);
  core_.hold(member.slot, wait_);
  by_slot_[member.slot] = &member;
  active_ += count_lanes(top.mask);
}

// A warp that is in the buffer runs the top of its stack.
void CompactionScopes::show(Member& member) {
  Entry& top = member.stack.back();
  if (!top.has_run) inactive_ -= count_lanes(top.mask);
  top.has_run = true;
  Warp& warp = core_.warp(member.slot);
  active_ += count_lanes(top.mask);
  active_ -= count_lanes(warp.mask);
  warp.pc = top.pc;
  warp.mask = top.mask;
  warp.one_row = member.threads.one_row;
}

void CompactionScopes::take_out(Member& member) {
  active_ -= count_lanes(core_.warp(member.slot).mask);
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
  const unsigned first = runs_taken_first(order_, count_lanes(lanes[1]), count_lanes(lanes[0])) ? 1 : 0;
  for (const unsigned side : {1 - first, first}) {
    if (target[side] == rpc) continue;
    stack.push_back({target[side], rpc, lanes[side], false});
    inactive_ += count_lanes(lanes[side]);
  }
  core_.stack_depth(member.scope->depth + static_cast<unsigned>(stack.size()));
}

// The sides of the branch at which the warp waited are through.
void CompactionScopes::resume(Member& member) {
  const Resident& resident = *member.scope->resident;
  LaneMask alive = 0;
  for_each_thread(member.threads, member.threads.mask,
                  [&](unsigned row, LaneMask lane) { alive |= resident.alive[row - resident.block.first_row] & lane; });
  for (Entry& entry : member.stack) entry.mask &= alive;
  if (find_top(member)) {
    place(member);
  } else {
    leave(member);
  }
}

}  // namespace warpfold::divergence
