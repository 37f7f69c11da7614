// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/compactor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "tb/cosim/contract.h"
#include "warpfold/divergence/parts/block_stack.h"

namespace warpfold::cosim {
namespace {

constexpr Cycle kPatience = 100'000;

std::string text(const CompactedWarp& warp) {
  std::string rows;
  for (auto rest = warp.warp.mask; rest != 0; rest &= rest - 1) {
    rows += fmt::format("{}{}", rows.empty() ? "" : ",", warp.warp.row[static_cast<unsigned>(std::countr_zero(rest))]);
  }
  return fmt::format("mask 0x{:x}, rows {}, last {}", warp.warp.mask, rows, warp.last ? 1 : 0);
}

bool same(const CompactedWarp& a, const CompactedWarp& b) {
  if (a.warp.mask != b.warp.mask || a.last != b.last) return false;
  for (auto rest = a.warp.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (a.warp.row[lane] != b.warp.row[lane]) return false;
  }
  return true;
}

std::string text(const divergence::CompactionRequest& request) {
  std::string rows;
  for (const auto row : request.threads) rows += fmt::format("{}0x{:x}", rows.empty() ? "" : " ", row);
  return fmt::format("block {}, pc {}, regroup {}, rows [{}]", request.block_id, request.pc, request.regroup ? 1 : 0,
                     rows);
}

unsigned rows_with_threads(const divergence::CompactionRequest& request) {
  return static_cast<unsigned>(
      std::count_if(request.threads.begin(), request.threads.end(), [](isa::LaneMask row) { return row != 0; }));
}

// Rows that a warp's threads come from.
unsigned rows_of(const CompactedWarp& warp) {
  std::vector<std::uint16_t> rows;
  for (auto rest = warp.warp.mask; rest != 0; rest &= rest - 1) {
    rows.push_back(warp.warp.row[static_cast<unsigned>(std::countr_zero(rest))]);
  }
  std::sort(rows.begin(), rows.end());
  return static_cast<unsigned>(std::unique(rows.begin(), rows.end()) - rows.begin());
}

}  // namespace

RtlCompactor::RtlCompactor(const char* name, const CompactorParams& params, ClockDomain& clock, unsigned index,
                           StatGroup& stats, Session& session, unsigned core, unsigned lanes, unsigned rows)
    : ThreadCompactor(name, params, clock, index, stats),
      model_(session, "compactor", core, {{"Lanes", lanes}, {"Rows", rows}}),
      lanes_(lanes),
      row_bits_(index_width(rows)),
      req_valid_(model_.pin("req_valid_i")),
      req_ready_(model_.pin("req_ready_o")),
      req_regroup_(model_.pin("req_regroup_i")),
      req_threads_(model_.pin("req_threads_i")),
      warp_valid_(model_.pin("warp_valid_o")),
      warp_ready_(model_.pin("warp_ready_i")),
      warp_mask_(model_.pin("warp_mask_o")),
      warp_row_(model_.pin("warp_row_o")),
      warp_last_(model_.pin("warp_last_o")),
      sockets_(session.signals(core, "thread_compactor_sockets",
                               {{"cycle", 64},
                                {"requests_waiting", 32},
                                {"warp_offered", 1},
                                {"warp_taken", 1},
                                {"warp_block", 32},
                                {"warp_pc", 32},
                                {"warp_mask", 64}})) {
  model_.record.model_latency = 1;
  Coverage& coverage = model_.record.coverage;
  points_ = {coverage.sizes("rows_per_request"),       coverage.sizes("warps_per_request"),
             coverage.event("requests_that_regroup"),  coverage.event("requests_that_do_not"),
             coverage.event("requests_of_all_rows"),   coverage.event("requests_back_to_back"),
             coverage.event("clocks_a_request_waits"), coverage.event("clocks_a_warp_waits")};
}

Cycle RtlCompactor::tick(Cycle now) {
  if (queue_.empty() && !running_) return kNever;
  if (!running_ && now < queue_.front().ready_at) return queue_.front().ready_at;
  take_request(now);
  take_warp(now);
  if (running_) return now + 1;
  return queue_.empty() ? kNever : std::max(now + 1, queue_.front().ready_at);
}

void RtlCompactor::put_request(const divergence::CompactionRequest& request) {
  req_threads_.clear();
  for (unsigned row = 0; row < request.threads.size(); ++row) {
    if (request.threads[row] != 0) req_threads_.set_field(row * lanes_, lanes_, request.threads[row]);
  }
  req_regroup_.set(request.regroup ? 1 : 0);
}

// The edge between the last cycle and this one: a request that was there then is on the pins.
void RtlCompactor::take_request(Cycle now) {
  const bool there = !queue_.empty() && queue_.front().ready_at <= now;
  if (there && !req_valid_) put_request(queue_.front().request);
  req_valid_.set(there ? 1 : 0);
  RtlModel& rtl = model_.rtl();
  if (!running_) rtl.forget();
  rtl.eval();
  const bool taken = there && req_ready_;
  model_.record.coverage.count_if(there && !taken, points_.waits);
  if (there) model_.asks("compact", queue_.front().request.block_id, queue_.front().request.pc);
  model_.clock(clock().edge_ps(now));
  if (taken) {
    if (running_) {
      model_.session.breaks(rtl, text(running_->request), "a request is taken once the warps of the last one are",
                            "one before");
    }
    begin(std::move(queue_.front().request), std::max(queue_.front().ready_at, taken_at_ + 1));
    queue_.pop_front();
    progress_at_ = now;
  }
  req_valid_.set(0);
  warp_ready_.set(0);
  rtl.eval();
}

void RtlCompactor::begin(divergence::CompactionRequest request, Cycle due) {
  BlockRecord& record = model_.record;
  const unsigned rows = rows_with_threads(request);
  record.coverage.size(points_.rows, rows);
  record.coverage.count_if(rows == req_threads_.bits() / lanes_, points_.all_rows);
  record.coverage.count(request.regroup ? points_.regrouped : points_.as_they_are);
  record.coverage.count_if(record.operations != 0 && due == taken_at_ + 1, points_.back_to_back);
  ++record.operations;
  running_ = Running{std::move(request), std::nullopt, due, due};
  if (!model_.session.contract()) return;
  // A stack of the RTL's counts as many warps as the threads need.
  const bool fewest = running_->request.regroup && model_.session.asked_for("stack");
  running_->most_warps = fewest ? divergence::compacted_warps(running_->request.threads) : rows;
  divergence::CompactionRequest model = running_->request;
  for (bool last = false; !last; ++record.model_policy.warps, ++record.model_policy.cycles) {
    const CompactedWarp warp = next_warp(model);
    record.model_policy.rows += rows_of(warp);
    last = warp.last;
  }
}

// All its warps are taken.
void RtlCompactor::end(Cycle now) {
  model_.record.coverage.size(points_.warps, running_->warps);
  model_.record.rtl_policy.cycles += now + 1 - running_->begun;
  running_.reset();
}

void RtlCompactor::take_warp(Cycle now) {
  bool taken = false;
  CompactedWarp warp;
  if (warp_valid_) {
    compare(now);
    warp = *running_->expected;  // the same, with its pc
    warp.block_slot = running_->request.block_slot;
    warp.tag = running_->request.tag;
    taken = offer(warp);
    warp_ready_.set(taken ? 1 : 0);
    model_.record.coverage.count_if(!taken, points_.stalls);
  }
  if (taken) {
    taken_at_ = progress_at_ = now;
    running_->expected.reset();
    running_->due = now + 1;
    ++running_->warps;
    if (warp.last) end(now);
  } else if (now - progress_at_ > kPatience) {
    model_.session.differs(model_.rtl(), running_ ? text(running_->request) : "a request", "a warp",
                           fmt::format("none for {} clocks", kPatience));
  }
  if (sockets_ != nullptr) show_sockets(now);
}

CompactedWarp RtlCompactor::warp_on_pins() const {
  CompactedWarp warp;
  warp.warp.mask = warp_mask_.get();
  const unsigned first = running_ ? running_->request.first_row : 0;
  for (auto rest = warp.warp.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    warp.warp.row[lane] = static_cast<std::uint16_t>(first + warp_row_.field(lane * row_bits_, row_bits_));
  }
  warp.last = static_cast<bool>(warp_last_);
  return warp;
}

// The RTL's warp against the twin's: what is in it, and when it comes.
void RtlCompactor::compare(Cycle now) {
  const CompactedWarp got = warp_on_pins();
  Session& session = model_.session;
  if (!running_) session.differs(model_.rtl(), "no request", "no warp", text(got));  // whatever its policy
  if (!running_->expected) {
    const divergence::CompactionRequest before = running_->request;
    if (session.contract()) {
      check_contract(got);
    } else {
      running_->expected = next_warp(running_->request);
    }
    const Cycle late = now - std::min(now, running_->due);
    model_.record.latency(model_.record.model_latency + late);
    model_.record.late_cycles += late;
    if (!same(got, *running_->expected)) {
      session.differs(model_.rtl(), fmt::format("cycle {}, {}", now, text(before)), text(*running_->expected),
                      text(got));
    }
    if (session.cycle_exact() && now != running_->due) {
      session.differs(model_.rtl(), text(before), fmt::format("its next warp in cycle {}", running_->due),
                      fmt::format("it in cycle {}", now));
    }
  } else if (!same(got, *running_->expected)) {
    session.differs(model_.rtl(), fmt::format("cycle {}, a warp that was not taken", now), text(*running_->expected),
                    text(got));
  }
}

void RtlCompactor::check_contract(const CompactedWarp& got) {
  const divergence::CompactionRequest before = running_->request;
  std::string rule = broken_by(running_->request, got);
  if (rule.empty() && running_->warps + (got.last ? 1 : 2) > running_->most_warps) {
    rule = fmt::format("this request makes {} warps at most", running_->most_warps);
  }
  if (!rule.empty()) model_.session.breaks(model_.rtl(), text(before), rule, text(got));
  running_->expected = got;
  complete(*running_->expected, running_->request.pc);
  ++model_.record.rtl_policy.warps;
  model_.record.rtl_policy.rows += rows_of(got);
}

void RtlCompactor::show_sockets(Cycle now) {
  sockets_->pin("cycle").set(now);
  sockets_->pin("requests_waiting").set(queue_.size());
  sockets_->pin("warp_offered").set(warp_valid_ ? 1 : 0);
  sockets_->pin("warp_taken").set(warp_ready_ ? 1 : 0);
  sockets_->pin("warp_block").set(running_ ? running_->request.block_slot : 0);
  sockets_->pin("warp_pc").set(running_ ? running_->request.pc : 0);
  sockets_->pin("warp_mask").set(warp_valid_ ? warp_mask_.get() : 0);
}

}  // namespace warpfold::cosim
