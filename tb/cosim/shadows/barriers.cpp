// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/shadows/barriers.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "warpfold/divergence/mixed_warp.h"

namespace warpfold::cosim {

using divergence::Warp;
using isa::LaneMask;
using isa::Pc;

namespace {

constexpr const char* kBarrierOps[] = {"reserve", "reach", "leave", "search", "take"};

}  // namespace

RtlBarriers::RtlBarriers(Session& session, const ClockDomain& clock, unsigned core, unsigned scheduler, unsigned lanes,
                         unsigned rows, const divergence::BarrierTableShape& table)
    : Shadow(session, clock, "barriers", core,
             {{"Lanes", lanes},
              {"Entries", table.entries},
              {"Ways", table.ways},
              {"Schedulers", table.schedulers},
              {"Rows", rows},
              {"PcWidth", kPcBits},
              {"Stages", table.stages}},
             fmt::format("_scheduler{}", scheduler)),
      row_bits_(index_width(rows)),
      entries_(table.entries),
      rows_of_core_(rows),
      shape_(table),
      op_mask_(model_.pin("op_mask_i")),
      op_row_(model_.pin("op_row_i")),
      op_pc_(model_.pin("op_pc_i")),
      op_all_or_none_(model_.pin("op_all_or_none_i")),
      res_lanes_(model_.pin("res_lanes_o")),
      res_count_(model_.pin("res_count_o")),
      complete_(model_.pin("complete_o")),
      used_(model_.pin("used_o")),
      warp_mask_(model_.pin("warp_mask_o")),
      warp_row_(model_.pin("warp_row_o")),
      warp_pc_(model_.pin("warp_pc_o")) {
  operations(kBarrierOps);
  Coverage& coverage = model_.record.coverage;
  used_points_ = coverage.sizes("entries_in_use", 0, entries_);
  rows_ = coverage.sizes("rows_of_threads", 0, rows - 1);
  sets_ = coverage.sizes("sets_of_threads", 0, table.entries / table.ways - 1);
  rows_of_warp_ = coverage.sizes("rows_per_operation", 1, std::min(lanes, rows));
  taken_ = coverage.sizes("entries_per_reservation", 0, std::min(lanes, rows));
  given_up_ = coverage.sizes("barriers_given_up", 0, lanes);
  some_miss_ = coverage.event("reservations_of_which_some_miss");
  joins_ = coverage.event("reservations_that_join");
  leave_completes_ = coverage.event("leaves_that_complete_a_barrier");
  leave_frees_ = coverage.event("leaves_that_free_an_entry");
  reach_completes_ = coverage.event("reaches_that_complete_a_barrier");
  reach_waits_ = coverage.event("reaches_that_wait");
  queue_ = coverage.sizes("places_in_the_queue_of_complete", 0, table.entries - 1);
  holds_ = coverage.event("searches_that_find");
  holds_none_ = coverage.event("searches_that_find_none");
  another_complete_ = coverage.event("takes_that_leave_another_complete");
  full_ = coverage.event("tables_filled");
  misses_ = coverage.event("reservations_that_miss");
  complete_points_ = coverage.event("complete_after_an_operation");
  all_or_none_ = coverage.event("reservations_all_or_none");
}

void RtlBarriers::operate(Op op, const Table& after, const Warp& warp, LaneMask lanes, Pc pc, unsigned clocks) {
  const char* const name = kBarrierOps[static_cast<unsigned>(op)];
  op_mask_.set(lanes);
  set_rows(op_row_, row_bits_, warp, lanes);
  set_pc(op_pc_, pc);
  answer_.clocks = Shadow::operate(static_cast<unsigned>(op), name, 0, pc);
  Coverage& coverage = model_.record.coverage;
  std::vector<bool> of_warp(rows_of_core_);
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const unsigned row = warp.row[static_cast<unsigned>(std::countr_zero(rest))];
    of_warp[row] = true;
    coverage.size(rows_, row);
    coverage.size(sets_, row / shape_.schedulers % (shape_.entries / shape_.ways));
  }
  const auto distinct = static_cast<unsigned>(std::count(of_warp.begin(), of_warp.end(), true));
  if (distinct != 0) coverage.size(rows_of_warp_, distinct);
  coverage.size(used_points_, after.used());
  coverage.count_if(after.used() == entries_, full_);
  coverage.count_if(after.complete(), complete_points_);
  const bool completes = after.complete() && !complete_before_;
  coverage.count_if(op == Op::kLeave && completes, leave_completes_);
  coverage.count_if(op == Op::kLeave && after.used() < used_before_, leave_frees_);
  if (op == Op::kReach) coverage.count(completes ? reach_completes_ : reach_waits_);
  if (op == Op::kTake) coverage.size(queue_, takes_++ % entries_);
  used_before_ = after.used();
  complete_before_ = after.complete();
  answer_.lanes = res_lanes_.get();
  answer_.count = static_cast<unsigned>(res_count_.get());
  answer_.used = static_cast<unsigned>(used_.get());
  answer_.complete = static_cast<bool>(complete_);
  same(op, "entries in use", after.used(), answer_.used);
  same(op, "a barrier is complete", after.complete() ? 1 : 0, answer_.complete ? 1 : 0);
  took(name, clocks, answer_.clocks);
  model_.record.latency(answer_.clocks);
  if (after.used() == 0) model_.rtl().forget();
}

void RtlBarriers::same(Op op, const char* what, std::uint64_t expected, std::uint64_t got) {
  Shadow::same(kBarrierOps[static_cast<unsigned>(op)], what, expected, got);
}

const RtlBarriers::Answer& RtlBarriers::reserve(const Table& after, const Warp& warp, Pc rpc, bool all_or_none,
                                                const Table::Reserved& result, unsigned clocks) {
  op_all_or_none_.set(all_or_none ? 1 : 0);
  model_.record.coverage.count_if(all_or_none, all_or_none_);
  model_.record.coverage.count_if(result.misses != 0, misses_);
  model_.record.coverage.count_if(result.misses != 0 && result.misses != warp.mask, some_miss_);
  model_.record.coverage.count_if(result.misses == 0 && result.entries == 0, joins_);
  model_.record.coverage.size(taken_, result.entries);
  operate(Op::kReserve, after, warp, warp.mask, rpc, clocks);
  same(Op::kReserve, "lanes that miss", result.misses, answer_.lanes);
  same(Op::kReserve, "entries taken", result.entries, answer_.count);
  return answer_;
}

const RtlBarriers::Answer& RtlBarriers::search(const Table& table, const Warp& warp, Pc pc, LaneMask held,
                                               unsigned clocks) {
  model_.record.coverage.count(held != 0 ? holds_ : holds_none_);
  operate(Op::kHeld, table, warp, warp.mask, pc, clocks);
  same(Op::kHeld, "lanes that hold a barrier", held, answer_.lanes);
  return answer_;
}

const RtlBarriers::Answer& RtlBarriers::reach(const Table& after, const Warp& warp, LaneMask lanes, Pc pc,
                                              unsigned clocks) {
  operate(Op::kReach, after, warp, lanes, pc, clocks);
  return answer_;
}

const RtlBarriers::Answer& RtlBarriers::leave(const Table& after, const Warp& warp, LaneMask lanes, unsigned given_up,
                                              unsigned clocks) {
  model_.record.coverage.size(given_up_, given_up);
  operate(Op::kLeave, after, warp, lanes, 0, clocks);
  same(Op::kLeave, "barriers given up", given_up, answer_.count);
  return answer_;
}

const RtlBarriers::Answer& RtlBarriers::take(const Table& after, const Warp& warp, unsigned clocks) {
  model_.record.coverage.count_if(after.complete(), another_complete_);
  operate(Op::kTake, after, warp, 0, 0, clocks);
  same(Op::kTake, "lanes of the warp", warp.mask, warp_mask_.get());
  same(Op::kTake, "pc of the warp", warp.pc, warp_pc_.get());
  Warp& taken = answer_.warp;
  taken.mask = warp_mask_.get();
  taken.pc = static_cast<Pc>(warp_pc_.get());
  get_rows(warp_row_, row_bits_, taken);
  same_rows(kBarrierOps[static_cast<unsigned>(Op::kTake)], warp_row_, row_bits_, warp);
  taken.one_row = divergence::from_one_row(taken);
  return answer_;
}

}  // namespace warpfold::cosim
