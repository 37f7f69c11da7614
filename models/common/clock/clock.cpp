// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/clock/clock.h"

#include <sysc/kernel/sc_spawn.h>  // which <systemc> leaves out

#include <algorithm>
#include <chrono>
#include <utility>

#include "warpfold/common/error.h"

namespace warpfold {
namespace {

// An island's part of a round is for another thread if it goes so far: such a part of the round's horizon.
constexpr std::uint64_t kWorthwhile = 8;
// One that is ahead waits with its next edge until that lies within such a part: it goes far then, with what it touches
// in the host's cache, where each round would bring it a few edges only.
constexpr std::uint64_t kNear = 8;

std::uint64_t host_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

std::uint64_t ticks_of_a_picosecond() {
  const std::uint64_t ticks = sc_core::sc_time(1, sc_core::SC_PS).value();
  if (ticks == 0) {
    user_error("SystemC's time resolution is {}, but clock edges lie on picoseconds; set 1 ps or finer",
               sc_core::sc_get_time_resolution().to_string());
  }
  return ticks;
}

}  // namespace

void ClockDomain::add(Clocked& module, unsigned index) {
  check(agenda_.earliest() == kNever, "modules are added before anything asks for an edge");
  const auto place = std::upper_bound(slots_.begin(), slots_.end(), index,
                                      [](unsigned i, const Slot& slot) { return i < slot.index; });
  const auto first = static_cast<unsigned>(place - slots_.begin());
  slots_.insert(place, {&module, index});
  agenda_.resize(slots_.size());
  if (twin_ != nullptr) return twin_->add(module, index);
  module.domain_ = this;
  for (unsigned i = first; i < slots_.size(); ++i) slots_[i].module->slot_ = i;
}

void ClockDomain::hand_over(ClockDomain& from, ClockDomain& to) {
  for (unsigned i = 0; i < slots_.size(); ++i) {
    Clocked& module = *slots_[i].module;
    const Cycle wanted = from.agenda_.forget(module.slot_);
    module.domain_ = &to;
    module.slot_ = &to == this ? i : in_twin_[i];
    if (wanted != kNever) to.agenda_.bring_forward(module.slot_, wanted);
  }
  to.first_unserved_ = std::max(to.first_unserved_, from.first_unserved_);
  acting_ = &to;
  from.tell_earliest();
  to.tell_earliest();
}

void ClockDomain::part() {
  if (in_twin_.empty()) {  // the first time: all are in their twin's slots
    for (const Slot& slot : slots_) in_twin_.push_back(slot.module->slot_);
  }
  hand_over(*twin_, *this);
}

void ClockDomain::join() { hand_over(*this, *twin_); }

Cycle ClockDomain::edge_from(std::uint64_t ps) const {
  // floor(ps * f / 10^6) in two parts, which do not overflow.
  Cycle n = ps / 1'000'000 * mhz_ + ps % 1'000'000 * mhz_ / 1'000'000;
  while (edge_ps(n) < ps) ++n;
  return n;
}

Cycle ClockDomain::edge_from(const sc_core::sc_time& at) const {
  const ClockTree& tree = *island_->tree_;
  const std::uint64_t ps = tree.whole_ps(at);
  return edge_from(ps * tree.ticks_per_ps_ < at.value() ? ps + 1 : ps);
}

Cycle ClockDomain::upcoming() const {
  if (running_ != kNever) return running_ + 1;
  if (island_->in_serve_) {
    const Cycle n = edge_from(island_->now_ps_);
    const bool done = edge_ps(n) == island_->now_ps_ && order_ <= island_->serving_;
    return std::max(done ? n + 1 : n, first_unserved_);
  }
  const ClockTree& tree = *island_->tree_;
  return std::max(tree.in_serve_ ? edge_from(tree.now_ps_) : edge_from(sc_core::sc_time_stamp()), first_unserved_);
}

Cycle ClockDomain::before_now() const {
  const std::uint64_t now = island_->in_serve_ ? island_->now_ps_ : island_->tree_->present_ps();
  const Cycle n = edge_from(now);
  return edge_ps(n) == now ? n : n - 1;
}

void ClockDomain::bring_forward(unsigned slot, Cycle at) {
  const Cycle before = agenda_.earliest();
  agenda_.bring_forward(slot, at);
  if (running_ != kNever || at >= before) return;
  tell_earliest();
  ClockTree& tree = *island_->tree_;
  if (!island_->in_serve_ && !tree.in_serve_) tree.schedule();
}

void ClockDomain::tell_earliest() {
  const Cycle at = agenda_.earliest();
  island_->due_ps_[order_] = at != kNever ? edge_ps(at) : ClockIsland::kNoTime;
  if (!island_->in_serve_ && island_->number_ != ClockIsland::kNoIsland) island_->tree_->note_next(island_->number_);
}

// Most slots sleep through most edges. A request made during the edge is for a slot that is still to come, or for a
// later edge. Called in one place, at every edge: in line there, as is serve() in its few.
[[gnu::always_inline]] inline void ClockDomain::run_edge(Cycle now) {
  running_ = now;
  first_unserved_ = now + 1;
  agenda_.run(now, [this, now](std::size_t slot) {
    ticking_ = slot;
    return slots_[slot].module->tick(now);
  });
  running_ = kNever;
  tell_earliest();
}

ClockDomain& ClockIsland::domain(std::uint64_t mhz, ClockDomain* twin) {
  check(mhz > 0 && mhz <= 1'000'000, "a clock between 1 MHz and 1 THz");
  check(domains_.size() < kMostDomains, "as few clocks as machines have");
  domains_.emplace_back(new ClockDomain(*this, static_cast<unsigned>(domains_.size()), mhz, twin));
  return *domains_.back();
}

[[gnu::always_inline]] inline void ClockIsland::serve(std::uint64_t ps) {
  const bool was = std::exchange(in_serve_, true);
  now_ps_ = ps;
  for (unsigned n = 0; n < kMostDomains; ++n) {
    if (due_ps_[n] > ps) continue;
    serving_ = n;
    domains_[n]->run_edge(domains_[n]->agenda_.earliest());
  }
  serving_ = kMostDomains;
  in_serve_ = was;
}

ClockTree::ClockTree(sc_core::sc_module_name name)
    : sc_module(name), ClockIsland(*this, kNoIsland), ticks_per_ps_(ticks_of_a_picosecond()) {
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.set_sensitivity(&edge_);
  options.dont_initialize();
  const auto serve_there = [there = there_] {
    if (*there != nullptr) (*there)->serve();
  };
  sc_core::sc_spawn(serve_there, "serve", &options);
}

ClockTree::~ClockTree() { *there_ = nullptr; }

ClockIsland& ClockTree::make_island() {
  next_of_.push_back(kNoTime);
  return islands_.emplace_back(*this, static_cast<unsigned>(islands_.size()));
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
  try {
    ClockIsland::serve(whole_ps(sc_core::sc_time_stamp()));
    if (may_run_ahead_) serve_at_its_pace(ahead_until());
    if (now_ps_ >= look_ps_ && watch_ != nullptr) watch_->look();
  } catch (...) {
    error_ = std::current_exception();
  }
  in_serve_ = false;
}

void ClockTree::serve_at_its_pace(std::uint64_t until) {
  if (pace_ == nullptr) return serve_together(until);
  for (std::uint64_t next = next_edge_ps(); next < until; next = next_edge_ps()) {
    const std::uint64_t from = now_ps_, began = host_ns();
    const std::uint64_t end = until - next < pace_->rest_ps() ? until : next + pace_->rest_ps();
    pace_->apart() ? serve_apart(end) : serve_together(end);
    pace_->took(now_ps_ - from, host_ns() - began);
  }
}

void ClockTree::serve_together(std::uint64_t until) {
  for (std::uint64_t next = next_edge_ps(); next < until; next = next_edge_ps()) ClockIsland::serve(next);
}

// The first instant that is for others.
std::uint64_t ClockTree::ahead_until() const {
  const sc_core::sc_simcontext* const kernel = sc_core::sc_get_curr_simcontext();
  const sc_core::sc_time idle = sc_core::sc_time_to_pending_activity(kernel);
  return std::min(whole_ps(sc_core::sc_time_stamp() + idle), look_ps_);
}

// In rounds: islands first, as far as the rules have it, then the tree, as far as the islands have come. Ends with all
// at `until`, or where nobody wants an edge.
void ClockTree::serve_apart(std::uint64_t until) {
  part();
  for (std::uint64_t served = now_ps_; run_islands(served, until);) served = serve_round(served, until);
  rules_->settle(until);
  join();
}

void ClockTree::part() {
  for (Island& island : islands_) {
    island.now_ps_ = now_ps_;
    for (const auto& domain : island.domains_) domain->part();
    note_next(island.number_);
  }
  rules_->part(now_ps_);
}

void ClockTree::join() {
  rules_->join();
  for (Island& island : islands_) {
    now_ps_ = std::max(now_ps_, island.now_ps_);
    for (const auto& domain : island.domains_) domain->join();
  }
}

// After the islands; returns up to which instant, itself included, the tree has been served.
std::uint64_t ClockTree::serve_round(std::uint64_t served, std::uint64_t until) {
  now_ps_ = served;
  rules_->collect(running_);
  const std::uint64_t come = std::min(all_reached(), until);
  rules_->settle(come);
  serve_tree(come, until);
  rethrow_first(std::min(come, until - 1));
  return std::min(come, until - 1);
}

// False: nobody has anything to do before `until`.
bool ClockTree::run_islands(std::uint64_t served, std::uint64_t until) {
  served_ps_ = served;
  const std::uint64_t horizon = std::min(until, rules_->horizon(served));
  std::uint64_t first = std::min(next_edge_ps(), rules_->next_news());
  unsigned worthwhile = 0;  // to be handed to another thread
  running_.clear();
  for (unsigned number = 0; number < islands_.size(); ++number) {
    Island& island = islands_[number];
    const std::uint64_t next = next_of_[number];
    first = std::min(first, next);
    if (island.error_ != nullptr) continue;
    island.in_step_ = rules_->in_step(number);
    island.limit_ps_ = island.in_step_ ? served + 1 : rules_->horizon_of(number, served, until);
    island.reached_ps_ = island.limit_ps_;
    if (next >= island.limit_ps_) continue;
    if (kNear * (next - served) > horizon - served) {
      island.reached_ps_ = next;
      continue;
    }
    running_.push_back(number);
    if (kWorthwhile * (island.limit_ps_ - served) >= horizon - served) ++worthwhile;
  }
  rules_->prepare(running_);
  const auto run = [this](std::uint32_t n) { run_island(running_[n]); };
  if (crew_ != nullptr && worthwhile > 1) {
    crew_->run(static_cast<std::uint32_t>(running_.size()), run);
  } else {
    for (std::uint32_t n = 0; n < running_.size(); ++n) run(n);
  }
  return first < until;
}

// On any thread.
void ClockTree::run_island(unsigned number) {
  Island& island = islands_[number];
  std::uint64_t next = island.next_edge_ps();
  try {
    for (; next < island.limit_ps_; next = island.next_edge_ps()) {
      if (next > served_ps_ && rules_->stops(number, next)) break;
      island.serve(next);
    }
  } catch (...) {
    island.in_serve_ = false;
    island.error_ = std::current_exception();
  }
  note_next(number);
  island.reached_ps_ = std::min(next, island.limit_ps_);
}

// The instant up to which, itself excluded, all islands have been served and none will be asked for more: one that is
// in step may be woken by the tree.
std::uint64_t ClockTree::all_reached() {
  for (const unsigned number : running_) {
    Island& island = islands_[number];
    if (island.error_ != nullptr) {
      island.in_step_ = false;
      continue;
    }
    island.in_step_ = rules_->in_step(number);
    island.reached_ps_ = rules_->horizon_of(number, served_ps_, island.reached_ps_);
  }
  std::uint64_t all = kNoTime;
  bool some_in_step = false;
  for (const Island& island : islands_) {
    some_in_step |= island.in_step_;
    all = std::min(all, island.in_step_ ? next_of_[island.number_] : island.reached_ps_);
  }
  return some_in_step ? std::min({all, next_edge_ps(), rules_->next_news()}) : all;
}

// Up to the instant to which islands have come, which is theirs after the tree's.
void ClockTree::serve_tree(std::uint64_t come, std::uint64_t until) {
  for (;;) {
    const std::uint64_t next = std::min(next_edge_ps(), rules_->next_news());
    if (next > come || next >= until) return;
    ClockIsland::serve(next);
    if (rules_->next_news() <= next) rules_->tell_news(next);
  }
}

// The order of instants and of islands at one instant says whose error it is.
void ClockTree::rethrow_first(std::uint64_t served) {
  const auto fails = [served](const Island& island) {
    return island.error_ != nullptr && island.reached_ps_ <= served;
  };
  if (std::none_of(islands_.begin(), islands_.end(), fails)) return;
  for (Island& island : islands_) {
    if (fails(island)) std::rethrow_exception(island.error_);
    if (next_of_[island.number_] <= served) island.serve(served);
  }
}

void ClockTree::rethrow() const {
  if (error_) std::rethrow_exception(error_);
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
