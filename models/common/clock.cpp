// SPDX-License-Identifier: Apache-2.0
#include "models/common/clock.h"

#include <algorithm>

#include "models/common/error.h"

namespace warpfold {

void Clocked::wake(Cycle at) { domain_->request(slot_, at); }

void ClockDomain::add(Clocked& module, unsigned index) {
  const auto place = std::upper_bound(slots_.begin(), slots_.end(), index,
                                      [](unsigned i, const Slot& slot) { return i < slot.index; });
  slots_.insert(place, {&module, index});
  next_.push_back(kNever);
  module.domain_ = this;
  for (unsigned i = 0; i < slots_.size(); ++i) slots_[i].module->slot_ = i;
}

Cycle ClockDomain::first_at_or_after(std::uint64_t ps) const {
  // floor(ps * f / 10^6) in two parts, which do not overflow.
  Cycle n = ps / 1'000'000 * mhz_ + ps % 1'000'000 * mhz_ / 1'000'000;
  while (edge_ps(n) < ps) ++n;
  return n;
}

Cycle ClockDomain::upcoming() const {
  if (running_ != kNever) return running_ + 1;
  const Cycle n = first_at_or_after(tree_->now_ps_);
  const bool done = edge_ps(n) == tree_->now_ps_ && tree_->in_serve_ && order_ <= tree_->serving_;
  return std::max(done ? n + 1 : n, first_unserved_);
}

Cycle ClockDomain::current() const {
  if (running_ != kNever) return running_;
  const Cycle n = first_at_or_after(tree_->now_ps_);
  return edge_ps(n) == tree_->now_ps_ ? n : n - 1;
}

void ClockDomain::request(unsigned slot, Cycle at) {
  // A module that comes later in this very edge can still be served in it.
  const bool still_to_come = running_ != kNever && slot > ticking_;
  const Cycle n = std::max(at, still_to_come ? running_ : upcoming());
  if (n >= next_[slot]) return;
  next_[slot] = n;
  if (n < earliest_) {
    earliest_ = n;
    if (!tree_->in_serve_) tree_->schedule();
  }
}

void ClockDomain::run_edge(Cycle now) {
  running_ = now;
  first_unserved_ = now + 1;
  earliest_ = kNever;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (next_[i] > now) continue;
    next_[i] = kNever;
    ticking_ = static_cast<unsigned>(i);
    const Cycle wanted = slots_[i].module->tick(now);
    next_[i] = std::min(next_[i], wanted);  // a request made during the tick stays
  }
  earliest_ = *std::min_element(next_.begin(), next_.end());
  running_ = kNever;
}

ClockTree::ClockTree(sc_core::sc_module_name name) : sc_module(name) {
  SC_HAS_PROCESS(ClockTree);
  SC_METHOD(serve);
  sensitive << edge_;
  dont_initialize();
}

ClockDomain& ClockTree::domain(std::uint64_t mhz) {
  check(mhz > 0 && mhz <= 1'000'000, "a clock between 1 MHz and 1 THz");
  domains_.push_back(ClockDomain(*this, static_cast<unsigned>(domains_.size()), mhz));
  return domains_.back();
}

void ClockTree::serve() {
  if (error_) return;
  in_serve_ = true;
  now_ps_ = sc_core::sc_time_stamp().value();
  try {
    serve_domains();
  } catch (...) {
    error_ = std::current_exception();
    return;
  }
  in_serve_ = false;
  schedule();
}

void ClockTree::serve_domains() {
  for (ClockDomain& domain : domains_) {
    serving_ = domain.order_;
    if (domain.earliest_ != kNever && domain.edge_ps(domain.earliest_) <= now_ps_) domain.run_edge(domain.earliest_);
  }
}

void ClockTree::rethrow() {
  if (error_) std::rethrow_exception(error_);
}

void ClockTree::schedule() {
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  for (const ClockDomain& domain : domains_) {
    if (domain.earliest_ != kNever) first = std::min(first, domain.edge_ps(domain.earliest_));
  }
  if (first == std::numeric_limits<std::uint64_t>::max()) return;
  const std::uint64_t now = sc_core::sc_time_stamp().value();
  // A request from outside a served edge may name this very instant.
  if (first <= now) {
    edge_.notify(sc_core::SC_ZERO_TIME);
  } else {
    edge_.notify(sc_core::sc_time::from_value(first - now));
  }
}

}  // namespace warpfold
