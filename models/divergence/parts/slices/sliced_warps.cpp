// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/slices/sliced_warps.h"

#include <algorithm>

#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/parked.h"
#include "warpfold/divergence/parts/warp/likely_points.h"

namespace warpfold::divergence {

namespace {

constexpr unsigned kInstructionBits = 64;  // of a slice's buffer of one instruction

// Where a stack's top goes on, if it comes to `next`.
Pc behind_top(const WarpStack& stack, Pc next) {
  const std::vector<WarpStack::Entry>& entries = stack.entries();
  for (std::size_t top = entries.size() - 1; top > 0 && entries[top].rpc == next; --top) next = entries[top - 1].pc;
  return next;
}

}  // namespace

Shape SliceWidth::shape(const Geometry& core) const {
  const unsigned rows = core.max_threads / core.warp_size, slices = of_warp(core);
  if (slices == 1) return {core.warp_size, rows};
  const unsigned each = (rows + core.schedulers - 1) / core.schedulers;
  return {core.warp_size, each * core.schedulers * slices};
}

std::string SliceWidth::why_not(const Geometry& core) const {
  if (core.warp_size % lanes_ != 0) {
    return fmt::format("mechanism.slice = {}: does not divide a warp of {} lanes", lanes_, core.warp_size);
  }
  return lanes_ == core.warp_size ? "" : takes_parts(core);
}

Traits SliceWidth::traits(const Geometry& core) const {
  const bool one = of_warp(core) == 1;
  return {.keeps_warps = one, .mixes_paths = !one, .keeps_back = true, .any_order = true, .issues_parts = !one};
}

Hardware SliceWidth::hardware(const HardwareGeometry& geometry, unsigned more_bits) const {
  const unsigned all = geometry.rows() * of_warp(geometry.core);
  Hardware hardware;
  hardware.storage = {{"slice stacks",
                       table(all * geometry.stack_entries, 2 * kPcBits + lanes_),
                       1,
                       {{"warp_instructions"}, {"divergent_branches", 2}}},
                      {"slice states", table(all, kPcBits + lanes_ + more_bits), 1, {{"warp_instructions", 2}}},
                      {"slice instruction buffers", table(all, kInstructionBits), 1, {{"warp_instructions", 2}}}};
  hardware.unknown = {{"stack control of slices", "rtl/warp_stack is as wide as a warp"},
                      {"decoders, scoreboards and operand paths of slices", kNoRtl}};
  return hardware;
}

LaneMask SliceWidth::lanes_of_all(Slices slices) const {
  LaneMask lanes = 0;
  for_each_slice(slices, [&](unsigned s) { lanes |= lanes_of(s); });
  return lanes;
}

Slices SliceWidth::with(LaneMask lanes) const {
  Slices slices = 0;
  for (LaneMask rest = lanes; rest != 0;) {
    const unsigned slice = static_cast<unsigned>(std::countr_zero(rest)) / lanes_;
    slices |= Slices{1} << slice;
    rest &= ~lanes_of(slice);
  }
  return slices;
}

SlicedWarps::SlicedWarps(const Traits& of, SliceWidth width, const Geometry& geometry, Core& core)
    : Mechanism(of),
      width_(width),
      core_(core),
      slices_(width.of_warp(geometry)),
      gangs_(geometry.max_warps),
      all_lanes_(isa::low_lanes(geometry.warp_size)),
      rows_(geometry.max_threads / geometry.warp_size) {
  for (Row& row : rows_) row.slices.resize(slices_);
}

void SlicedWarps::kernel_ended() {
  const bool none = std::all_of(rows_.begin(), rows_.end(), [](const Row& row) { return row.gangs.empty(); });
  check(none && parked_.inactive == 0 && parked_.reconverging == 0, "no gang outlives its kernel");
}

void SlicedWarps::block_started(const Block& block) {
  core_.stack_depth(1);
  for (unsigned i = 0; i < block.rows(); ++i) {
    const unsigned index = block.first_row + i;
    Row& row = rows_[index];
    row.live = width_.with(block.threads[i]);
    for_each_slice(row.live, [&](unsigned s) {
      row.slices[s].stack.start(block.threads[i] & width_.lanes_of(s), kernel_->end());
    });
    started(index, row.live);
  }
}

// Divided slices part by themselves, in place. Do slices go to several places?
bool SlicedWarps::leaves_by(WarpId id, const Branch& branch, bool divides) const {
  const Gang& gang = gangs_[id];
  if (slices_ == 1 || !divides) return false;
  Pc first = isa::kNoPc;
  bool leaves = false;
  for_each_slice(gang.slices, [&](unsigned s) {
    WarpStack after = rows_[gang.row].slices[s].stack;
    follow(after, branch);
    leaves |= first != isa::kNoPc && after.top().pc != first;
    first = after.top().pc;
  });
  return leaves || meets(gang, first);
}

void SlicedWarps::branch_resolved(WarpId id, const Branch& branch) {
  const LaneMask active = core_.warp(id).mask, taken = branch.taken & active;
  if (taken == 0 || taken == active) {
    committed(id, taken != 0 ? branch.target : branch.pc + 1);
    return;
  }
  const Slices before = gangs_[id].slices;
  const unsigned index = gangs_[id].row;
  std::vector<Slice>& slices = rows_[index].slices;
  for_each_slice(before, [&](unsigned s) { core_.stack_depth(follow(slices[s].stack, branch)); });
  const Pc first = pc_of(index, before);
  bool splits = false;
  for_each_slice(before, [&](unsigned s) { splits |= slices[s].stack.top().pc != first; });
  if (splits) split_by(branch, index, before);
  regroup(id);
}

void SlicedWarps::exited(WarpId id, LaneMask lanes, Pc next) {
  Gang& gang = gangs_[id];
  Row& row = rows_[gang.row];
  Slices ended = 0;
  for_each_slice(gang.slices, [&](unsigned s) {
    WarpStack& stack = row.slices[s].stack;
    stack.exit(lanes & width_.lanes_of(s), next);
    if (!stack.empty()) return;
    ended |= Slices{1} << s;
    count(row.slices[s]);
  });
  gang.slices &= ~ended;
  row.live &= ~ended;
  gone(gang.row, ended);
  regroup(id);
}

unsigned SlicedWarps::entries_on_stack(WarpId id) const {
  unsigned most = 0;
  for_each_slice(gangs_[id].slices, [&](unsigned s) {
    most = std::max(most, static_cast<unsigned>(rows_[gangs_[id].row].slices[s].stack.entries().size()));
  });
  return most;
}

WarpId SlicedWarps::partner(const IssuedParts& parts, const WarpSet& ready, Cycle /*now*/) {
  const LaneMask taken = width_.lanes_of_all(width_.with(parts.lanes));
  if (taken == all_lanes_) return kNoWarp;
  const auto fits_from = [&](WarpId from, WarpId end) {
    WarpId id = ready.next(from);
    while (id < end && (core_.warp(id).mask & taken) != 0) id = ready.next(id + 1);
    return id < end ? id : kNoWarp;
  };
  const WarpId behind_first = fits_from(parts.first + 1, kNoWarp);
  return behind_first != kNoWarp ? behind_first : fits_from(0, parts.first);
}

SlicedWarps::Next SlicedWarps::behind(const Gang& gang, Pc next) const {
  Next found;
  for_each_slice(gang.slices, [&](unsigned s) {
    const Pc pc = behind_top(rows_[gang.row].slices[s].stack, next);
    found.splits |= found.pc != isa::kNoPc && pc != found.pc;
    found.pc = pc;
  });
  return found;
}

unsigned SlicedWarps::follow(WarpStack& stack, const Branch& branch) {
  const LaneMask active = stack.top().mask, taken = branch.taken & active;
  if (taken != 0 && taken != active) return stack.diverge(without_likely_point(branch), BranchOrder::kTakenFirst);
  stack.go_on(taken != 0 ? branch.target : branch.pc + 1);
  return 0;
}

// What the tops of slices make together; all of them are at one pc.
Warp SlicedWarps::warp_of(unsigned index, Slices slices) const {
  LaneMask mask = 0;
  for_each_slice(slices, [&](unsigned s) { mask |= rows_[index].slices[s].stack.top().mask; });
  return Warp::of_row(pc_of(index, slices), static_cast<std::uint16_t>(index), mask);
}

void SlicedWarps::describe(WarpId id, unsigned index, Slices slices) {
  const std::vector<Slice>& all = rows_[index].slices;
  Gang& gang = gangs_[id];
  gang = {index, slices, all[static_cast<unsigned>(std::countr_zero(slices))].stack.top().rpc, false};
  for_each_slice(slices, [&](unsigned s) {
    if (all[s].stack.top().rpc != gang.rpc) gang.rpc = isa::kNoPc;
  });
}

WarpId SlicedWarps::enter(unsigned index, Slices slices) {
  const WarpId id = core_.insert(warp_of(index, slices), core_.scheduler_of_row(index));
  describe(id, index, slices);
  rows_[index].gangs.push_back(id);
  most_->raise_to(rows_[index].gangs.size());
  return id;
}

void SlicedWarps::join(WarpId other, Slices slices) {
  const unsigned index = gangs_[other].row;
  core_.warp(other).mask |= warp_of(index, slices).mask;
  describe(other, index, slices | gangs_[other].slices);
  gangs_[other].stands = true;
}

void SlicedWarps::count(Slice& slice) { recount(parked_, slice.counted, parked_on(slice.stack)); }

}  // namespace warpfold::divergence
