// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/clock.h"

#include <algorithm>

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

}  // namespace

void Clocked::wake(Cycle at) { domain_->request(slot_, at); }

void ClockDomain::add(Clocked& module, unsigned index) {
  check(earliest_ == kNever, "modules are added before anything asks for an edge");
  const auto place = std::upper_bound(slots_.begin(), slots_.end(), index,
                                      [](unsigned i, const Slot& slot) { return i < slot.index; });
  slots_.insert(place, {&module, index});
  least_.assign((slots_.size() + kGroup - 1) / kGroup, kNever);
  next_.assign(slots_.size(), kNever);
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

Cycle ClockDomain::current() const {
  if (running_ != kNever) return running_;
  const std::uint64_t now = tree_->present_ps();
  const Cycle n = first_at_or_after(now);
  return edge_ps(n) == now ? n : n - 1;
}

void ClockDomain::request(unsigned slot, Cycle at) {
  // A module that comes later in this very edge can still be served in it.
  const bool still_to_come = running_ != kNever && slot > ticking_;
  const Cycle n = std::max(at, still_to_come ? running_ : upcoming());
  if (n >= next_[slot]) return;
  next_[slot] = n;
  const unsigned group = slot / kGroup;
  if (n != running_ || group != ticking_ / kGroup) least_[group] = std::min(least_[group], n);
  if (n < earliest_ && n != running_) {
    earliest_ = n;
    if (!tree_->in_serve_) tree_->schedule();
  }
}

// Most slots sleep through most edges, so groups of them are passed over by their minimum. A request made during the
// edge either lowers minimum and earliest_ itself or is for a slot that this pass has yet to reach.
void ClockDomain::run_edge(Cycle now) {
  running_ = now;
  first_unserved_ = now + 1;
  earliest_ = kNever;
  for (unsigned group = 0; group < least_.size(); ++group) {
    if (least_[group] <= now) {
      least_[group] = kNever;
      least_[group] = std::min(run_group(group, now), least_[group]);
    }
    earliest_ = std::min(earliest_, least_[group]);
  }
  running_ = kNever;
}

// Returns the earliest edge that the group wants after `now`.
Cycle ClockDomain::run_group(unsigned group, Cycle now) {
  Cycle least = kNever;
  const auto last = std::min<unsigned>((group + 1) * kGroup, static_cast<unsigned>(slots_.size()));
  for (ticking_ = group * kGroup; ticking_ < last; ++ticking_) {
    Cycle& next = next_[ticking_];
    if (next <= now) {
      next = kNever;
      const Cycle wanted = slots_[ticking_].module->tick(now);
      next = std::min(next, wanted);  // a request made during the tick stays
    }
    least = std::min(least, next);
  }
  return least;
}

ClockTree::ClockTree(sc_core::sc_module_name name) : sc_module(name), ticks_per_ps_(ticks_of_a_picosecond()) {
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
  now_ps_ = whole_ps(sc_core::sc_time_stamp());
  try {
    serve_domains();
    if (now_ps_ >= look_ps_ && watch_ != nullptr) watch_->look();
  } catch (...) {
    error_ = std::current_exception();
  }
  in_serve_ = false;
  if (watch_ != nullptr && (error_ || next_edge_ps() == kNoTime)) watch_->clocks_rest();
  if (!error_) schedule();
}

void ClockTree::serve_domains() {
  for (ClockDomain& domain : domains_) {
    serving_ = domain.order_;
    if (domain.earliest_ != kNever && domain.edge_ps(domain.earliest_) <= now_ps_) domain.run_edge(domain.earliest_);
  }
}

void ClockTree::rethrow() const {
  if (error_) std::rethrow_exception(error_);
}

// Of those that anybody wants.
std::uint64_t ClockTree::next_edge_ps() const {
  std::uint64_t first = kNoTime;
  for (const ClockDomain& domain : domains_) {
    if (domain.earliest_ != kNever) first = std::min(first, domain.edge_ps(domain.earliest_));
  }
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
