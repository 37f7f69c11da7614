// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/shadows/compactor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "tb/cosim/contract.h"
#include "warpfold/divergence/parts/block/block_stack.h"

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
      model_(session, "compactor", core, {{"Lanes", lanes}, {"Rows", rows}, {"Stages", params.stages}}),
      pins_(model_, lanes, rows),
      stages_(params.stages),
      sockets_(session.signals(core, "thread_compactor_sockets",
                               {{"cycle", 64},
                                {"requests_waiting", 32},
                                {"warp_offered", 1},
                                {"warp_taken", 1},
                                {"warp_block", 32},
                                {"warp_pc", 32},
                                {"warp_mask", 64}})) {
  model_.record.model_latency = stages_;
  Coverage& coverage = model_.record.coverage;
  points_ = {coverage.sizes("rows_per_request", 1, rows),    coverage.sizes("warps_per_request", 1, rows),
             coverage.sizes("rows_of_threads", 0, rows - 1), coverage.sizes("lanes_of_threads", 0, lanes - 1),
             coverage.event("requests_that_regroup"),        coverage.event("requests_that_do_not"),
             coverage.event("requests_of_all_rows"),         coverage.event("requests_back_to_back"),
             coverage.event("clocks_a_request_waits"),       coverage.event("clocks_a_warp_waits"),
             coverage.event("clocks_a_last_warp_waits")};
}

Cycle RtlCompactor::tick(Cycle now) {
  if (queue_.empty() && running_.empty()) return kNever;
  if (running_.empty() && now < queue_.front().ready_at) return queue_.front().ready_at;
  take_request(now);
  take_warp(now);
  if (!running_.empty()) return now + 1;
  return queue_.empty() ? kNever : std::max(now + 1, queue_.front().ready_at);
}

// The edge between the last cycle and this one: a request that was there then is on the pins.
void RtlCompactor::take_request(Cycle now) {
  const bool there = !queue_.empty() && queue_.front().ready_at <= now;
  if (there && !pins_.req_valid) {
    const divergence::CompactionRequest& request = queue_.front().request;
    pins_.put_request(request.threads, request.regroup);
  }
  pins_.req_valid.set(there ? 1 : 0);
  RtlModel& rtl = model_.rtl();
  if (running_.empty()) rtl.forget();
  rtl.eval();
  const bool taken = there && pins_.req_ready;
  model_.record.coverage.count_if(there && !taken, points_.waits);
  if (there) model_.asks("compact", queue_.front().request.block_id, queue_.front().request.pc);
  model_.clock(clock().edge_ps(now));
  if (taken) {
    begin(std::move(queue_.front().request), queue_.front().ready_at);
    queue_.pop_front();
    progress_at_ = now;
  }
  pins_.req_valid.set(0);
  pins_.warp_ready.set(0);
  rtl.eval();
}

void RtlCompactor::begin(divergence::CompactionRequest request, Cycle ready_at) {
  BlockRecord& record = model_.record;
  const unsigned rows = rows_with_threads(request);
  record.coverage.size(points_.rows, rows);
  record.coverage.count_if(rows == pins_.req_threads.bits() / pins_.lanes, points_.all_rows);
  for (unsigned row = 0; row < request.threads.size(); ++row) {
    if (request.threads[row] != 0) record.coverage.size(points_.places, row);
    record.coverage.each(points_.lanes, request.threads[row]);
  }
  record.coverage.count(request.regroup ? points_.regrouped : points_.as_they_are);
  record.coverage.count_if(record.operations != 0 && (!running_.empty() || ready_at <= taken_at_ + 1),
                           points_.back_to_back);
  ++record.operations;
  Running& running = running_.emplace_back(Running{std::move(request), std::nullopt, ready_at});
  if (!model_.session.contract()) return;
  // A stack of the RTL's counts as many warps as the threads need.
  const bool fewest = running.request.regroup && model_.session.asked_for("stack");
  running.most_warps = fewest ? divergence::compacted_warps(running.request.threads) : rows;
  divergence::CompactionRequest model = running.request;
  for (bool last = false; !last; ++record.model_policy.warps, ++record.model_policy.cycles) {
    const CompactedWarp warp = next_warp(model);
    record.model_policy.rows += rows_of(warp);
    last = warp.last;
  }
}

// All warps of the first request are taken.
void RtlCompactor::end(Cycle now) {
  model_.record.coverage.size(points_.warps, running_.front().warps);
  model_.record.rtl_policy.cycles += now + 1 - running_.front().since;
  running_.pop_front();
}

void RtlCompactor::take_warp(Cycle now) {
  bool taken = false;
  CompactedWarp warp;
  if (pins_.warp_valid) {
    compare(now);
    const Running& running = running_.front();
    warp = *running.expected;  // the same, with its pc
    warp.block_slot = running.request.block_slot;
    warp.tag = running.request.tag;
    taken = offer(warp);
    pins_.warp_ready.set(taken ? 1 : 0);
    model_.record.coverage.count_if(!taken, points_.stalls);
    model_.record.coverage.count_if(!taken && warp.last, points_.stalls_of_last);
  }
  if (taken) {
    taken_before_at_ = taken_at_;
    taken_at_ = progress_at_ = now;
    running_.front().expected.reset();
    ++running_.front().warps;
    if (warp.last) end(now);
  } else if (now - progress_at_ > kPatience) {
    model_.session.differs(model_.rtl(), running_.empty() ? "a request" : text(running_.front().request), "a warp",
                           fmt::format("none for {} clocks", kPatience));
  }
  if (sockets_ != nullptr) show_sockets(now);
}

CompactedWarp RtlCompactor::warp_on_pins() const {
  CompactedWarp warp;
  warp.warp.mask = pins_.warp_mask.get();
  const unsigned first = running_.empty() ? 0 : running_.front().request.first_row;
  for (auto rest = warp.warp.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    warp.warp.row[lane] = static_cast<std::uint16_t>(first + pins_.row_in(lane));
  }
  warp.last = static_cast<bool>(pins_.warp_last);
  return warp;
}

// When the model would offer the next warp of the request at work. Of two stages the first begins a request in the
// cycle after the last warp of the one before, and makes a warp as long as one of two places behind it was free.
Cycle RtlCompactor::due(Running& running) {
  if (stages_ == 1) return std::max(running.ready_at, taken_at_ + 1);
  const Cycle begins = running.begun ? made_at_ : std::max(running.ready_at, made_at_ + 1);
  running.begun = true;
  made_at_ = std::max(begins + 1, taken_before_at_ + 2);
  return std::max(made_at_, taken_at_ + 1);
}

// The RTL's warp against the twin's: what is in it, and when it comes.
void RtlCompactor::compare(Cycle now) {
  const CompactedWarp got = warp_on_pins();
  Session& session = model_.session;
  if (running_.empty()) session.differs(model_.rtl(), "no request", "no warp", text(got));
  Running& running = running_.front();
  if (!running.expected) {
    const divergence::CompactionRequest before = running.request;
    const bool first = !running.begun && running.warps == 0;
    if (session.contract()) {
      check_contract(running, got);
    } else {
      running.expected = next_warp(running.request);
    }
    const Cycle due_at = due(running), late = now - std::min(now, due_at);
    if (first) running.since = due_at;
    model_.record.latency(model_.record.model_latency + late);
    model_.record.late_cycles += late;
    if (!same(got, *running.expected)) {
      session.differs(model_.rtl(), fmt::format("cycle {}, {}", now, text(before)), text(*running.expected), text(got));
    }
    if (session.cycle_exact() && now != due_at) {
      session.differs(model_.rtl(), text(before), fmt::format("its next warp in cycle {}", due_at),
                      fmt::format("it in cycle {}", now));
    }
  } else if (!same(got, *running.expected)) {
    session.differs(model_.rtl(), fmt::format("cycle {}, a warp that was not taken", now), text(*running.expected),
                    text(got));
  }
}

void RtlCompactor::check_contract(Running& running, const CompactedWarp& got) {
  const divergence::CompactionRequest before = running.request;
  std::string rule = broken_by(running.request, got);
  if (rule.empty() && running.warps + (got.last ? 1 : 2) > running.most_warps) {
    rule = fmt::format("this request makes {} warps at most", running.most_warps);
  }
  if (!rule.empty()) model_.session.breaks(model_.rtl(), text(before), rule, text(got));
  running.expected = got;
  complete(*running.expected, running.request.pc);
  ++model_.record.rtl_policy.warps;
  model_.record.rtl_policy.rows += rows_of(got);
}

void RtlCompactor::show_sockets(Cycle now) {
  sockets_->pin("cycle").set(now);
  sockets_->pin("requests_waiting").set(queue_.size());
  sockets_->pin("warp_offered").set(pins_.warp_valid ? 1 : 0);
  sockets_->pin("warp_taken").set(pins_.warp_ready ? 1 : 0);
  sockets_->pin("warp_block").set(running_.empty() ? 0 : running_.front().request.block_slot);
  sockets_->pin("warp_pc").set(running_.empty() ? 0 : running_.front().request.pc);
  sockets_->pin("warp_mask").set(pins_.warp_valid ? pins_.warp_mask.get() : 0);
  sockets_->eval();  // or the writer of waveforms does not look at it
}

}  // namespace warpfold::cosim
