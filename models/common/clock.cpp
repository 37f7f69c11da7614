// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/clock.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "warpfold/common/error.h"

namespace warpfold {
namespace {

std::uint64_t ticks_of_a_picosecond() {
  const std::uint64_t ticks = sc_core::sc_time(1, sc_core::SC_PS).value();
  if (ticks == 0) {
    user_error("SystemC's time resolution is {}, but clock edges lie on picoseconds; set 1 ps or finer",
               sc_core::sc_get_time_resolution().to_string());
  }
  return ticks;
}

std::uint64_t bit(std::uint64_t number) { return std::uint64_t{1} << (number % 64); }

}  // namespace

void ClockDomain::add(Clocked& module, unsigned index) {
  check(earliest_ == kNever, "modules are added before anything asks for an edge");
  const auto place = std::upper_bound(slots_.begin(), slots_.end(), index,
                                      [](unsigned i, const Slot& slot) { return i < slot.index; });
  slots_.insert(place, {&module, index});
  next_.assign(slots_.size(), kNever);
  words_ = (slots_.size() + 63) / 64;
  rows_.assign((kNear + 1) * words_, 0);
  module.domain_ = this;
  for (unsigned i = 0; i < slots_.size(); ++i) slots_[i].module->slot_ = i;
}

Cycle ClockDomain::first_at_or_after(std::uint64_t ps) const {
  // floor(ps * f / 10^6) in two parts, which do not overflow.
  Cycle n = ps / 1'000'000 * mhz_ + ps % 1'000'000 * mhz_ / 1'000'000;
  while (edge_ps(n) < ps) ++n;
  return n;
}

Cycle ClockDomain::edge_from(const sc_core::sc_time& at) const {
  const std::uint64_t ps = tree_->whole_ps(at);
  return first_at_or_after(ps * tree_->ticks_per_ps_ < at.value() ? ps + 1 : ps);
}

Cycle ClockDomain::upcoming() const {
  if (running_ != kNever) return running_ + 1;
  if (!tree_->in_serve_) return std::max(edge_from(sc_core::sc_time_stamp()), first_unserved_);
  const Cycle n = first_at_or_after(tree_->now_ps_);
  const bool done = edge_ps(n) == tree_->now_ps_ && order_ <= tree_->serving_;
  return std::max(done ? n + 1 : n, first_unserved_);
}

Cycle ClockDomain::before_now() const {
  const std::uint64_t now = tree_->present_ps();
  const Cycle n = first_at_or_after(now);
  return edge_ps(n) == now ? n : n - 1;
}

void ClockDomain::bring_forward(unsigned slot, Cycle at) {
  if (next_[slot] != kNever) withdraw(slot);
  plan(slot, at);
  if (running_ != kNever || at >= earliest_) return;
  set_earliest(at);
  if (!tree_->in_serve_) tree_->schedule();
}

void ClockDomain::plan(unsigned slot, Cycle at) {
  next_[slot] = at;
  row_of(at)[slot / 64] |= bit(slot);
  if (near(at)) {
    wanted_ |= bit(at);
  } else {
    far_earliest_ = std::min(far_earliest_, at);
  }
}

void ClockDomain::withdraw(unsigned slot) {
  const Cycle at = next_[slot];
  std::uint64_t* const row = row_of(at);
  row[slot / 64] &= ~bit(slot);
  if (near(at) && std::all_of(row, row + words_, [](std::uint64_t word) { return word == 0; })) wanted_ &= ~bit(at);
}

// Plans them anew: some may be near by now.
void ClockDomain::take_in_far() {
  far_earliest_ = kNever;
  for (std::size_t word = 0; word < words_; ++word) {
    for (std::uint64_t rest = std::exchange(rows_[kNear * words_ + word], 0); rest != 0; rest &= rest - 1) {
      const auto slot = static_cast<unsigned>(word * 64) + static_cast<unsigned>(std::countr_zero(rest));
      plan(slot, next_[slot]);
    }
  }
}

void ClockDomain::set_earliest(Cycle at) {
  earliest_ = at;
  tree_->due_ps_[order_] = at != kNever ? edge_ps(at) : ClockTree::kNoTime;
}

// Most slots sleep through most edges. A request made during the edge is for a slot that the row has yet to come to, or
// for a later edge.
void ClockDomain::run_edge(Cycle now) {
  running_ = base_ = now;
  first_unserved_ = now + 1;
  if (near(far_earliest_)) take_in_far();
  std::uint64_t* const row = row_of(now);
  for (std::size_t word = 0, words = words_; word < words; ++word) {
    while (row[word] != 0) {
      ticking_ = static_cast<unsigned>(word * 64) + static_cast<unsigned>(std::countr_zero(row[word]));
      row[word] &= row[word] - 1;
      next_[ticking_] = kNever;
      const Cycle wanted = slots_[ticking_].module->tick(now);
      if (wanted >= next_[ticking_]) continue;  // a request made during the tick stays
      if (next_[ticking_] != kNever) withdraw(ticking_);
      plan(ticking_, wanted);
    }
  }
  running_ = kNever;
  wanted_ &= ~bit(now);
  if (wanted_ == 0) take_in_far();  // for the earliest of them
  set_earliest(wanted_ != 0 ? now + static_cast<unsigned>(std::countr_zero(std::rotr(wanted_, now % kNear)))
                            : far_earliest_);
}

ClockTree::ClockTree(sc_core::sc_module_name name) : sc_module(name), ticks_per_ps_(ticks_of_a_picosecond()) {
  SC_HAS_PROCESS(ClockTree);
  SC_METHOD(serve);
  sensitive << edge_;
  dont_initialize();
}

ClockDomain& ClockTree::domain(std::uint64_t mhz) {
  check(mhz > 0 && mhz <= 1'000'000, "a clock between 1 MHz and 1 THz");
  due_ps_.push_back(kNoTime);
  domains_.push_back(ClockDomain(*this, static_cast<unsigned>(domains_.size()), mhz));
  return domains_.back();
}

void ClockTree::serve() {
  const std::uint64_t in_step = whole_ps(sc_core::sc_time_stamp());
  if (!error_) serve_edges();
  if (error_ || next_edge_ps() == kNoTime) {
    if (now_ps_ > in_step) return edge_.notify(time_of(now_ps_) - sc_core::sc_time_stamp());  // to come here again
    if (watch_ != nullptr) watch_->clocks_rest();
  }
  if (!error_) schedule();
}

void ClockTree::serve_edges() {
  in_serve_ = true;
  now_ps_ = whole_ps(sc_core::sc_time_stamp());
  try {
    serve_domains();
    if (may_run_ahead_) {
      const std::uint64_t until = ahead_until();
      for (std::uint64_t next = next_edge_ps(); next < until; next = next_edge_ps()) {
        now_ps_ = next;
        serve_domains();
      }
    }
    if (now_ps_ >= look_ps_ && watch_ != nullptr) watch_->look();
  } catch (...) {
    error_ = std::current_exception();
  }
  in_serve_ = false;
}

// The first instant that is for others.
std::uint64_t ClockTree::ahead_until() const {
  const sc_core::sc_simcontext* const kernel = sc_core::sc_get_curr_simcontext();
  const sc_core::sc_time idle = sc_core::sc_time_to_pending_activity(kernel);
  return std::min(whole_ps(sc_core::sc_time_stamp() + idle), look_ps_);
}

void ClockTree::serve_domains() {
  for (serving_ = 0; serving_ < due_ps_.size(); ++serving_) {
    if (due_ps_[serving_] <= now_ps_) domains_[serving_].run_edge(domains_[serving_].earliest_);
  }
}

void ClockTree::rethrow() const {
  if (error_) std::rethrow_exception(error_);
}

// Of those that anybody wants.
std::uint64_t ClockTree::next_edge_ps() const {
  std::uint64_t first = kNoTime;
  for (const std::uint64_t due : due_ps_) first = std::min(first, due);
  return first;
}

void ClockTree::schedule() {
  std::uint64_t next = next_edge_ps();
  if (next == kNoTime) next = look_ps_;
  if (next == kNoTime) return;
  const std::uint64_t now = sc_core::sc_time_stamp().value();
  // A request from outside a served edge may name this very instant.
  if (next * ticks_per_ps_ <= now) {
    edge_.notify(sc_core::SC_ZERO_TIME);
  } else {
    edge_.notify(sc_core::sc_time::from_value(next * ticks_per_ps_ - now));
  }
}

}  // namespace warpfold
