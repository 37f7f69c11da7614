// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/tables/split_table_shadow.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "warpfold/common/error.h"

namespace warpfold::cosim {

using divergence::kNoWarp;
using divergence::Split;
using divergence::WarpId;

namespace {

enum SplitOp : unsigned { kRoom, kEnterSplit, kMove, kLeave, kMeet };

bool alike(const Split& a, const Split& b) {
  return a.pc == b.pc && a.mask == b.mask && a.point == b.point && a.stands == b.stands;
}

}  // namespace

RtlParameters SplitTableShadow::parameters(const Size& size) {
  return {{"Lanes", size.lanes},
          {"Entries", size.entries},
          {"Rows", size.rows},
          {"PcWidth", kPcBits},
          {"PointWidth", kPointBits}};
}

SplitTableShadow::SplitTableShadow(Session& session, const ClockDomain& clock, unsigned core, const Size& size)
    : Shadow(session, clock, "split-table", core, parameters(size), ""),
      entries_(size.entries),
      op_row_(model_.pin("op_row_i")),
      op_entry_(model_.pin("op_entry_i")),
      op_own_(model_.pin("op_own_i")),
      op_pc_(model_.pin("op_pc_i")),
      op_point_(model_.pin("op_point_i")),
      op_mask_(model_.pin("op_mask_i")),
      op_stands_(model_.pin("op_stands_i")),
      res_ok_(model_.pin("res_ok_o")),
      res_entry_(model_.pin("res_entry_o")),
      res_mask_(model_.pin("res_mask_o")),
      res_left_(model_.pin("res_left_o")),
      used_(model_.pin("used_o")) {
  operations({"room", "enter", "move", "leave", "meet"});
  Coverage& coverage = model_.record.coverage;
  points_ = {coverage.sizes("entries_in_use", 0, size.entries),
             coverage.event("tables_filled"),
             coverage.event("splits_that_find_it_full"),
             coverage.sizes("splits_of_a_row", 2, std::min(size.entries, size.lanes)),
             coverage.sizes("rows_of_splits", 0, size.rows - 1),
             coverage.sizes("entries_entered", 0, size.entries - 1),
             coverage.event("rows_with_room"),
             coverage.event("rows_without_room"),
             coverage.event("whole_rows_with_one_entry_left"),
             coverage.event("splits_that_join"),
             coverage.event("splits_without_an_entry_that_join"),
             coverage.event("splits_that_find_nobody"),
             coverage.event("splits_at_a_pc_of_others_that_meet_elsewhere"),
             coverage.event("several_that_stand_there"),
             coverage.sizes("bits_of_pcs", 0, kPcBits)};
}

unsigned SplitTableShadow::splits_of(unsigned row) const {
  return static_cast<unsigned>(
      std::count_if(table_.begin(), table_.end(), [&](const auto& entry) { return entry.second.row == row; }));
}

void SplitTableShadow::set_split(unsigned row, const Split& split) {
  if (split.point != ~0U && (split.point + 1) >> kPointBits != 0) {
    user_error("{}: a row's {} meeting points are more than the RTL's {} bits tell apart: run without --rtl {}",
               model_.rtl().instance(), split.point + 1, kPointBits, model_.record.name);
  }
  op_row_.set(row);
  set_pc(op_pc_, split.pc);
  op_point_.set(split.point == ~0U ? 0 : split.point + 1);
  op_mask_.set(split.mask);
  op_stands_.set(split.stands ? 1 : 0);
}

void SplitTableShadow::same_counts(const char* operation, unsigned row) {
  same(operation, "splits of the row", splits_of(row), res_left_.get());
  same(operation, "entries in use", table_.size(), used_.get());
  Coverage& coverage = model_.record.coverage;
  coverage.size(points_.used, static_cast<unsigned>(table_.size()));
}

void SplitTableShadow::asked(unsigned row, bool has_room) {
  Coverage& coverage = model_.record.coverage;
  coverage.count(has_room ? points_.room : points_.no_room);
  coverage.count_if(splits_of(row) == 0 && table_.size() + 1 == entries_, points_.one_left);
  op_row_.set(row);
  operate(kRoom, "room", 0, row);
  same("room", "there is room", has_room ? 1 : 0, res_ok_.get());
}

void SplitTableShadow::changed(unsigned row, std::span<const Split> splits) {
  const auto is_there = [&](WarpId slot) {
    return std::any_of(splits.begin(), splits.end(), [&](const Split& split) { return split.slot == slot; });
  };
  std::vector<WarpId> gone;
  for (const auto& [slot, entry] : table_) {
    if (entry.row == row && !is_there(slot)) gone.push_back(slot);
  }
  for (const WarpId slot : gone) leave(slot);
  std::erase_if(beyond_, [&](const auto& other) { return other.second.first == row && !is_there(other.first); });
  for (const Split& split : splits) {
    const auto known = table_.find(split.slot);
    if (known == table_.end()) {
      beyond_.erase(split.slot);
      enter(row, split);
    } else if (!alike(known->second.split, split)) {
      move(known->second, split);
    }
  }
  while (!beyond_.empty() && table_.size() < entries_) {
    const auto [of_row, split] = beyond_.extract(beyond_.begin()).mapped();
    enter(of_row, split);
  }
  if (!splits.empty()) model_.record.coverage.size(points_.splits, splits_of(row));
}

void SplitTableShadow::enter(unsigned row, const Split& split) {
  Coverage& coverage = model_.record.coverage;
  set_split(row, split);
  const bool full = table_.size() == entries_;
  operate(kEnterSplit, "enter", 0, split.pc);
  same("enter", "there is an entry", full ? 0 : 1, res_ok_.get());
  if (full) {
    coverage.count(points_.full);
    beyond_[split.slot] = {row, split};
  } else {
    std::vector<bool> taken(entries_);
    for (const auto& [slot, entry] : table_) taken[entry.index] = true;
    const auto first = static_cast<unsigned>(std::find(taken.begin(), taken.end(), false) - taken.begin());
    same("enter", "the lowest free entry", first, res_entry_.get());
    table_[split.slot] = {row, split, first};
    coverage.size(points_.entered, first);
    coverage.size(points_.rows, row);
    coverage.size(points_.bits, static_cast<unsigned>(std::bit_width(split.pc)));
    coverage.count_if(table_.size() == entries_, points_.filled);
  }
  same_counts("enter", row);
}

void SplitTableShadow::move(Entry& entry, const Split& split) {
  set_split(entry.row, split);
  op_entry_.set(entry.index);
  operate(kMove, "move", 0, split.pc);
  entry.split = split;
  same_counts("move", entry.row);
}

void SplitTableShadow::leave(WarpId slot) {
  const Entry entry = table_.extract(slot).mapped();
  op_row_.set(entry.row);
  op_entry_.set(entry.index);
  operate(kLeave, "leave", 0, entry.split.pc);
  same_counts("leave", entry.row);
}

// What the split comes from is the row's one entry that is not another's.
void SplitTableShadow::came(unsigned row, const Split& split, std::span<const Split> others, WarpId found) {
  Coverage& coverage = model_.record.coverage;
  const auto meets_there = [&](const Split& other) {
    return other.stands && other.pc == split.pc && other.point == split.point && table_.contains(other.slot);
  };
  // Of several the model may take another than the lowest entry's.
  if (std::count_if(others.begin(), others.end(), meets_there) > 1) {
    coverage.count(points_.several);
    return;
  }
  WarpId own = kNoWarp;
  for (auto& [slot, entry] : table_) {
    if (entry.row != row) continue;
    const auto stands_here = [here = slot](const Split& one) { return one.slot == here; };
    const auto other = std::find_if(others.begin(), others.end(), stands_here);
    if (other == others.end()) {
      own = slot;
    } else if (!alike(entry.split, *other)) {
      move(entry, *other);
    }
  }
  const auto at = table_.find(found);
  const bool joins = found != kNoWarp && at != table_.end();
  set_split(row, split);
  op_own_.set(own != kNoWarp ? 1 : 0);
  op_entry_.set(own != kNoWarp ? table_[own].index : 0);
  operate(kMeet, "meet", 0, split.pc);
  same("meet", "another stands there", joins ? 1 : 0, res_ok_.get());
  coverage.count_if(!joins, points_.alone);
  coverage.count_if(!joins && std::any_of(others.begin(), others.end(),
                                          [&](const Split& other) {
                                            return table_.contains(other.slot) && other.pc == split.pc &&
                                                   other.point != split.point;
                                          }),
                    points_.near);
  if (joins) {
    Entry& entry = at->second;
    entry.split.mask |= split.mask;
    same("meet", "its entry", entry.index, res_entry_.get());
    same("meet", "threads of both", entry.split.mask, res_mask_.get());
    coverage.count(own != kNoWarp ? points_.joins : points_.joins_without);
    if (own != kNoWarp) table_.erase(own);
  }
  same_counts("meet", row);
}

}  // namespace warpfold::cosim
