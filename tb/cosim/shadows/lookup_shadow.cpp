// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/shadows/lookup_shadow.h"

#include <fmt/format.h>

#include <bit>

namespace warpfold::cosim {

using divergence::ReadyLookup;
using divergence::WaitingLookup;
using divergence::Warp;
using isa::LaneMask;

namespace {

constexpr unsigned kTakeOp = 0, kPopOp = 1, kIssueOp = 0, kCompleteOp = 1;  // op_kind_i of the one and of the other

RtlParameters sizes_of(unsigned lanes, unsigned rows, unsigned entries, unsigned pc_bits) {
  return {{"Lanes", lanes}, {"Entries", entries}, {"Rows", rows}, {"PcWidth", pc_bits}};
}

}  // namespace

ReadyShadow::ReadyShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned scheduler, unsigned lanes,
                         unsigned rows, unsigned entries)
    : Shadow(session, clock, "ready", core, sizes_of(lanes, rows, entries, kPcBits),
             fmt::format("_scheduler{}", scheduler)),
      lanes_(lanes),
      row_bits_(index_width(rows)),
      entries_(entries),
      op_mask_(model_.pin("op_mask_i")),
      op_pc_(model_.pin("op_pc_i")),
      op_row_(model_.pin("op_row_i")),
      res_left_(model_.pin("res_left_o")),
      used_(model_.pin("used_o")),
      warp_mask_(model_.pin("warp_mask_o")),
      warp_row_(model_.pin("warp_row_o")),
      warp_pc_(model_.pin("warp_pc_o")) {
  operations({"take", "pop"});
  Coverage& coverage = model_.record.coverage;
  points_ = {coverage.sizes("entries_in_use", 0, entries),
             coverage.event("tables_filled"),
             coverage.event("sides_that_find_it_full"),
             coverage.sizes("warps_of_a_sides_pc", 0, entries),
             coverage.event("sides_that_join"),
             coverage.event("sides_that_join_in_part"),
             coverage.event("lanes_taken_already"),
             coverage.sizes("rows_of_threads", 0, rows - 1)};
}

// What a side of a branch finds in the table.
void ReadyShadow::count(const Warp& side) {
  Coverage& coverage = model_.record.coverage;
  unsigned of_pc = 0;
  LaneMask fit = 0, taken = 0;
  for (const Warp& warp : before_) {
    if (warp.pc != side.pc) continue;
    ++of_pc;
    fit |= side.mask & ~warp.mask;
    taken |= side.mask & warp.mask;
  }
  coverage.size(points_.of_pc, of_pc);
  coverage.count_if(fit != 0, points_.joins);
  coverage.count_if(fit != 0 && fit != side.mask, points_.joins_in_part);
  coverage.count_if(taken != 0, points_.taken);
  for (LaneMask rest = side.mask; rest != 0; rest &= rest - 1) {
    coverage.size(points_.rows, side.row[static_cast<unsigned>(std::countr_zero(rest))]);
  }
}

void ReadyShadow::took(const ReadyLookup& after, const std::array<Warp, 2>& sides, const std::array<Warp, 2>& left) {
  for (unsigned side = 0; side < 2; ++side) {
    op_mask_.set_field(side * lanes_, lanes_, sides[side].mask);
    set_pc(op_pc_, sides[side].pc, side * kPcBits);
    set_rows(op_row_, row_bits_, sides[side], sides[side].mask);
  }
  for (const Warp& side : sides) {
    if (side.mask != 0) count(side);
  }
  Coverage& coverage = model_.record.coverage;
  coverage.count_if(left[0].mask != 0, points_.full);
  coverage.count_if(left[1].mask != 0, points_.full);
  operate(kTakeOp, "take");
  same("take", "lanes that find the table full", left[0].mask | left[1].mask, res_left_.get());
  same_queue("take", after);
}

void ReadyShadow::popped(const ReadyLookup& after, const Warp& /*warp*/) {
  operate(kPopOp, "pop");
  same_queue("pop", after);
}

// The RTL shows the first of its queue before it is popped.
void ReadyShadow::same_queue(const char* operation, const ReadyLookup& after) {
  model_.record.coverage.size(points_.used, after.used());
  model_.record.coverage.count_if(after.used() == entries_, points_.filled);
  before_ = after.warps();
  same(operation, "entries in use", after.used(), used_.get());
  if (after.empty()) {
    model_.rtl().forget();
    return;
  }
  const Warp& first = after.warps().front();
  same(operation, "lanes of the first warp", first.mask, warp_mask_.get());
  same(operation, "pc of the first warp", first.pc, warp_pc_.get());
  same_rows(operation, warp_row_, row_bits_, first);
}

WaitingShadow::WaitingShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned scheduler,
                             unsigned lanes, unsigned rows, unsigned entries)
    : Shadow(session, clock, "waiting", core, sizes_of(lanes, rows, entries, kPcBits),
             fmt::format("_scheduler{}", scheduler)),
      row_bits_(index_width(rows)),
      entries_(entries),
      op_mask_(model_.pin("op_mask_i")),
      op_pc_(model_.pin("op_pc_i")),
      op_row_(model_.pin("op_row_i")),
      op_entry_(model_.pin("op_entry_i")),
      res_merged_(model_.pin("res_merged_o")),
      res_full_(model_.pin("res_full_o")),
      res_entry_(model_.pin("res_entry_o")),
      res_last_(model_.pin("res_last_o")),
      used_(model_.pin("used_o")),
      warp_mask_(model_.pin("warp_mask_o")),
      warp_row_(model_.pin("warp_row_o")),
      warp_pc_(model_.pin("warp_pc_o")) {
  operations({"issue", "complete"});
  Coverage& coverage = model_.record.coverage;
  points_ = {coverage.sizes("entries_in_use", 0, entries),
             coverage.event("tables_filled"),
             coverage.event("warps_that_merge"),
             coverage.event("warps_that_find_it_full"),
             coverage.sizes("entries_entered", 0, entries - 1),
             coverage.sizes("operations_of_an_entry", 1, lanes),
             coverage.event("lanes_taken_already"),
             coverage.event("completions_of_the_last"),
             coverage.event("completions_before_the_last"),
             coverage.sizes("rows_of_threads", 0, rows - 1)};
}

void WaitingShadow::issued(const WaitingLookup& after, divergence::WarpId id, const Warp& warp,
                           WaitingLookup::Outcome outcome) {
  op_mask_.set(warp.mask);
  set_pc(op_pc_, warp.pc);
  set_rows(op_row_, row_bits_, warp, warp.mask);
  Coverage& coverage = model_.record.coverage;
  for (const Entry& entry : entries_) {
    coverage.count_if(entry.in_flight != 0 && entry.pc == warp.pc && (entry.lanes & warp.mask) != 0, points_.taken);
  }
  coverage.count_if(outcome == WaitingLookup::Outcome::kMerged, points_.merges);
  coverage.count_if(outcome == WaitingLookup::Outcome::kFull, points_.full);
  if (outcome != WaitingLookup::Outcome::kFull) {
    Entry& entry = entries_[after.entry_of(id)];
    if (outcome == WaitingLookup::Outcome::kEntered) entry = {warp.pc, 0, 0};
    entry.lanes |= warp.mask;
    coverage.size(points_.in_flight, ++entry.in_flight);
    coverage.size(points_.entries, after.entry_of(id));
  }
  coverage.size(points_.used, after.used());
  coverage.count_if(after.used() == entries_.size(), points_.filled);
  for (LaneMask rest = warp.mask; rest != 0; rest &= rest - 1) {
    coverage.size(points_.rows, warp.row[static_cast<unsigned>(std::countr_zero(rest))]);
  }
  operate(kIssueOp, "issue");
  same("issue", "merges", outcome == WaitingLookup::Outcome::kMerged ? 1 : 0, res_merged_.get());
  same("issue", "finds the table full", outcome == WaitingLookup::Outcome::kFull ? 1 : 0, res_full_.get());
  if (outcome != WaitingLookup::Outcome::kFull) same("issue", "entry", after.entry_of(id), res_entry_.get());
  same("issue", "entries in use", after.used(), used_.get());
}

void WaitingShadow::completed(const WaitingLookup& after, unsigned entry, const Warp& warp, bool last) {
  --entries_[entry].in_flight;
  model_.record.coverage.count(last ? points_.last : points_.not_last);
  model_.record.coverage.size(points_.used, after.used());
  op_entry_.set(entry);
  operate(kCompleteOp, "complete");
  same("complete", "is the last", last ? 1 : 0, res_last_.get());
  same("complete", "entries in use", after.used(), used_.get());
  if (last) {
    same("complete", "lanes of the warp", warp.mask, warp_mask_.get());
    same("complete", "pc of the warp", warp.pc, warp_pc_.get());
    same_rows("complete", warp_row_, row_bits_, warp);
  }
  if (after.used() == 0) model_.rtl().forget();
}

LookupShadow::LookupShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned scheduler,
                           unsigned lanes, unsigned rows, unsigned ready_entries, unsigned waiting_entries) {
  if (ready_entries != 0 && session.asked_for("ready")) {
    ready_.emplace(session, clock, core, scheduler, lanes, rows, ready_entries);
  }
  if (waiting_entries != 0 && session.asked_for("waiting")) {
    waiting_.emplace(session, clock, core, scheduler, lanes, rows, waiting_entries);
  }
}

void LookupShadow::took(const ReadyLookup& after, const std::array<Warp, 2>& sides, const std::array<Warp, 2>& left) {
  if (ready_) ready_->took(after, sides, left);
}
void LookupShadow::popped(const ReadyLookup& after, const Warp& warp) {
  if (ready_) ready_->popped(after, warp);
}
void LookupShadow::issued(const WaitingLookup& after, divergence::WarpId id, const Warp& warp,
                          WaitingLookup::Outcome outcome) {
  if (waiting_) waiting_->issued(after, id, warp, outcome);
}
void LookupShadow::completed(const WaitingLookup& after, unsigned entry, const Warp& warp, bool last) {
  if (waiting_) waiting_->completed(after, entry, warp, last);
}

}  // namespace warpfold::cosim
