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

// As many groups take longer than handing some of them to another thread.
constexpr std::size_t kWorthSharing = 4;

}  // namespace

void ClockSlots::insert(Clocked& module, unsigned index) {
  const auto place = std::upper_bound(slots_.begin(), slots_.end(), index,
                                      [](unsigned i, const Slot& slot) { return i < slot.index; });
  slots_.insert(place, {&module, index});
  agenda_.resize(slots_.size());
}

void ClockGroup::add(Clocked& module, unsigned index) {
  insert(module, index);
  module.group_ = this;
  for (unsigned i = 0; i < slots_.size(); ++i) slots_[i].module->slot_ = i;
}

// From outside of its tick the domain has to know, too.
void ClockGroup::request(unsigned slot, Cycle at) {
  const Cycle running = domain_->running_;
  const Cycle first = !in_tick_ ? domain_->first_for(slot_) : slot > ticking_ ? running : running + 1;
  const Cycle possible = std::max(at, first);
  if (possible >= agenda_.wanted(slot)) return;
  agenda_.bring_forward(slot, possible);
  if (!in_tick_) domain_->request(slot_, possible);
}

Cycle ClockGroup::tick(Cycle now) {
  in_tick_ = true;
  agenda_.begin(now);
  serve(now, 0, slots_.size());
  agenda_.end();
  in_tick_ = false;
  return agenda_.earliest();
}

void ClockGroup::tick_apart(Cycle now) {
  try {
    next_ = tick(now);
  } catch (...) {
    error_ = std::current_exception();
  }
}

void ClockDomain::add(Clocked& module, unsigned index) {
  check(agenda_.earliest() == kNever, "modules are added before anything asks for an edge");
  module.domain_ = this;
  if (!groups_.empty() && index >= first_of_groups_) {
    const unsigned group = (index - first_of_groups_) / each_;
    check(group < groups_.size(), "no module comes behind the groups");
    return groups_[group].add(module, index);
  }
  insert(module, index);
  for (unsigned i = 0; i < slots_.size(); ++i) slots_[i].module->slot_ = i;
}

void ClockDomain::make_groups(unsigned first, unsigned each, unsigned groups) {
  check(slots_.empty(), "groups are made before modules are added");
  for (unsigned group = 0; group < groups; ++group) {
    ClockGroup& made = groups_.emplace_back();
    made.domain_ = this;
    made.slot_ = group;
    insert(made, first + group * each);
  }
  first_of_groups_ = first;
  each_ = each;
}

void ClockDomain::side_by_side(Crew* crew, std::function<void(unsigned)> settle) {
  check(running_ == kNever, "who runs an edge stays");
  crew_ = crew;
  settle_ = std::move(settle);
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
  const Cycle before = agenda_.earliest();
  agenda_.bring_forward(slot, at);
  if (running_ != kNever || at >= before) return;
  tell_earliest();
  if (!tree_->in_serve_) tree_->schedule();
}

void ClockDomain::tell_earliest() {
  const Cycle at = agenda_.earliest();
  tree_->due_ps_[order_] = at != kNever ? edge_ps(at) : ClockTree::kNoTime;
}

// Most slots sleep through most edges. A request made during the edge is for a slot that is still to come, or for a
// later edge.
void ClockDomain::run_edge(Cycle now) {
  running_ = now;
  first_unserved_ = now + 1;
  agenda_.begin(now);
  serve(now, 0, slots_.size() - (crew_ != nullptr ? groups_.size() : 0));
  if (crew_ != nullptr) serve_apart(now);
  running_ = kNever;
  agenda_.end();
  tell_earliest();
}

void ClockDomain::serve_apart(Cycle now) {
  const std::size_t first = slots_.size() - groups_.size();
  due_.clear();
  for (std::size_t slot = agenda_.take(first, slots_.size()); slot != Agenda::kNone;
       slot = agenda_.take(slot + 1, slots_.size())) {
    due_.push_back(slot - first);
  }
  ticking_ = slots_.size();
  apart_ = true;
  const auto tick = [this, now](std::uint32_t n) { groups_[due_[n]].tick_apart(now); };
  if (due_.size() >= kWorthSharing) {
    crew_->run(static_cast<std::uint32_t>(due_.size()), tick);
  } else {
    for (std::uint32_t n = 0; n < due_.size(); ++n) tick(n);
  }
  apart_ = false;
  for (const std::size_t n : due_) {
    settle_(static_cast<unsigned>(n));
    if (groups_[n].error_ != nullptr) std::rethrow_exception(groups_[n].error_);
    agenda_.goes_on(first + n, groups_[n].next_);
  }
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
    if (due_ps_[serving_] <= now_ps_) domains_[serving_].run_edge(domains_[serving_].agenda_.earliest());
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
