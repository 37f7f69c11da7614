// SPDX-License-Identifier: Apache-2.0
// Clocks: the one SystemC process of a machine, which ticks the awake modules of every clock domain in a fixed order.
//
// A clocked process per module costs 15-75 ns per edge whether or not there is work; one event per edge that calls the
// awake modules directly costs 3-10 ns per module, and an idle module costs nothing. It also makes the order of modules
// within an edge ours (by index), not the kernel's, so results do not depend on the order of construction.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <systemc>
#include <vector>

#include "warpfold/common/agenda.h"
#include "warpfold/common/crew.h"
#include "warpfold/common/cycle.h"

namespace warpfold {

class ClockDomain;
class ClockGroup;

// A module that does its work at edges of a clock domain.
class Clocked {
 public:
  virtual ~Clocked() = default;
  // Does the work of edge `now`. Returns the next edge that it wants (> now), or kNever to sleep until wake().
  virtual Cycle tick(Cycle now) = 0;

 protected:
  // Asks for a tick at edge `at`, or at the first one still possible if that is later: the running edge for a module
  // whose turn in it is still to come. Earlier requests stay.
  void wake(Cycle at = 0);
  ClockDomain& clock() const { return *domain_; }

 private:
  friend class ClockDomain;
  friend class ClockGroup;
  ClockDomain* domain_ = nullptr;
  ClockGroup* group_ = nullptr;  // null: the domain itself
  unsigned slot_ = 0;            // there
};

class ClockTree;

// Modules that a domain ticks one by one.
class ClockSlots {
 protected:
  // By index, behind those that have the same.
  void insert(Clocked& module, unsigned index);
  // Of the edge that is run, in slots [from, end).
  void serve(Cycle now, std::size_t from, std::size_t end) {
    for (std::size_t slot = agenda_.take(from, end); slot != Agenda::kNone; slot = agenda_.take(slot + 1, end)) {
      ticking_ = slot;
      agenda_.goes_on(slot, slots_[slot].module->tick(now));
    }
  }

  struct Slot {
    Clocked* module;
    unsigned index;
  };
  std::vector<Slot> slots_;
  Agenda agenda_;
  std::size_t ticking_ = 0;  // slot whose tick is being called
};

// Modules of a domain that stand by themselves within an edge: what they do in it, other groups neither see nor change.
class ClockGroup : public Clocked, private ClockSlots {
 public:
  Cycle tick(Cycle now) override;

 private:
  friend class ClockDomain;
  friend class Clocked;
  void add(Clocked& module, unsigned index);
  void request(unsigned slot, Cycle at);
  void tick_apart(Cycle now);

  bool in_tick_ = false;
  Cycle next_ = kNever;  // what tick_apart() came to: an edge or an error
  std::exception_ptr error_;
};

// Looks at a simulation from outside its clock domains, after all of them have been served at an instant.
class ClockWatch {
 public:
  virtual ~ClockWatch() = default;
  virtual void clocks_rest() = 0;  // no module wants another edge, or one has failed
  virtual void look() = 0;         // the time of ClockTree::look_at() has come; what it throws stops the clocks
};

// Edge n of an f MHz clock is at floor(n * 10^6 / f) ps.
class ClockDomain : private ClockSlots {
 public:
  // Modules tick in the order of `index` (ties: order of adding), whatever the order in which they were added.
  void add(Clocked& module, unsigned index);

  // Before modules are added: those with the `each` indices from `first` on are a group, the next `each` another, and so
  // on; behind them come no others.
  void make_groups(unsigned first, unsigned each, unsigned groups);
  // From now on groups are ticked side by side by the crew; null: one after the other. Where they would reach beyond
  // their group, as to modules with lower indices, their modules see that they are apart(), and put it off until
  // settle(group), which is called for each group that was ticked, one after the other in their order, when all have
  // been: what they see of each other is then what it were if they had been ticked in that order.
  void side_by_side(Crew* crew, std::function<void(unsigned)> settle = {});
  bool runs_apart() const { return crew_ != nullptr; }
  bool apart() const { return apart_; }  // are groups being ticked side by side?

  // The first edge whose work is not done yet, seen from where the simulation stands: within a tick of this domain the
  // next one; for a domain that is served later at this instant, an edge at this very instant counts as not done.
  Cycle upcoming() const;
  // The edge at or before the present instant: what "now" is to code that runs outside a tick.
  Cycle current() const { return running_ != kNever ? running_ : before_now(); }
  Cycle edge_from(const sc_core::sc_time& at) const;  // the first one at or after it
  bool in_edge() const;                               // of this or another domain: is the caller called by one?
  std::uint64_t mhz() const { return mhz_; }
  std::uint64_t edge_ps(Cycle n) const { return n * 1'000'000 / mhz_; }

 private:
  friend class ClockTree;
  friend class Clocked;
  friend class ClockGroup;
  ClockDomain(ClockTree& tree, unsigned order, std::uint64_t mhz) : tree_(&tree), order_(order), mhz_(mhz) {}
  // The first edge that a module can still be served in, which may be the running one if it comes later in it.
  Cycle first_for(std::size_t slot) const {
    return running_ == kNever ? upcoming() : slot > ticking_ ? running_ : running_ + 1;
  }
  void request(unsigned slot, Cycle at) {
    const Cycle possible = std::max(at, first_for(slot));
    if (possible < agenda_.wanted(slot)) bring_forward(slot, possible);
  }
  void bring_forward(unsigned slot, Cycle at);
  void run_edge(Cycle now);
  void serve_apart(Cycle now);
  void tell_earliest();
  Cycle first_at_or_after(std::uint64_t ps) const;
  Cycle before_now() const;

  ClockTree* tree_;
  unsigned order_;
  std::uint64_t mhz_;
  Cycle running_ = kNever;  // edge whose ticks are being called
  Cycle first_unserved_ = 0;

  std::deque<ClockGroup> groups_;
  unsigned first_of_groups_ = 0, each_ = 1;  // indices
  Crew* crew_ = nullptr;
  std::function<void(unsigned)> settle_;
  std::vector<std::size_t> due_;  // groups in the running edge
  bool apart_ = false;
};

// Owns the domains. A step of the kernel's time serves the edges of one instant, or runs ahead: where nothing else in
// the simulation waits for a time, and no module calls or is watched by code that reads the kernel's clock, edge after
// edge is served in one call, until somebody is to look or no edge is wanted. Then the kernel's time catches up.
//
// Simulations may have any time resolution that tells picoseconds apart; another is a UserError. At equal instants
// domains are served in the order in which they were made: memory, interconnect, cores.
class ClockTree : public sc_core::sc_module {
 public:
  explicit ClockTree(sc_core::sc_module_name name);
  ClockDomain& domain(std::uint64_t mhz);
  std::uint64_t now_ps() const { return now_ps_; }
  sc_core::sc_time time_of(std::uint64_t ps) const { return sc_core::sc_time::from_value(ps * ticks_per_ps_); }
  std::uint64_t present_ps() const { return in_serve_ ? now_ps_ : whole_ps(sc_core::sc_time_stamp()); }

  void tell(ClockWatch& watch) { watch_ = &watch; }
  // Asks for the watch's look() at the first edge from `ps` on, or at `ps` where no edge is wanted until then. The last
  // call counts.
  void look_at(std::uint64_t ps) { look_ps_ = ps; }
  // May edges run ahead of the kernel's time?
  void run_ahead(bool may) { may_run_ahead_ = may; }
  static constexpr std::uint64_t kNoTime = std::numeric_limits<std::uint64_t>::max();

  // What a module threw during a tick. SystemC would turn it into a report of its own; here there are no more edges and
  // whoever runs the simulation throws it again.
  void stop(std::exception_ptr error) { error_ = std::move(error); }
  bool stopped() const { return error_ != nullptr; }
  void rethrow() const;

 private:
  friend class ClockDomain;
  void serve();
  void serve_edges();
  std::uint64_t ahead_until() const;
  void serve_domains();
  std::uint64_t next_edge_ps() const;
  void schedule();
  std::uint64_t whole_ps(const sc_core::sc_time& at) const { return at.value() / ticks_per_ps_; }
  std::deque<ClockDomain> domains_;
  std::vector<std::uint64_t> due_ps_;  // of each domain's earliest edge that anybody wants
  sc_core::sc_event edge_;
  const std::uint64_t ticks_per_ps_;                         // of SystemC's time resolution
  std::uint64_t now_ps_ = 0;                                 // of the edge that is or was served last
  unsigned serving_ = std::numeric_limits<unsigned>::max();  // order of the domain being served, max: none
  bool in_serve_ = false;
  bool may_run_ahead_ = false;
  std::exception_ptr error_;
  ClockWatch* watch_ = nullptr;
  std::uint64_t look_ps_ = kNoTime;
};

inline void Clocked::wake(Cycle at) { group_ == nullptr ? domain_->request(slot_, at) : group_->request(slot_, at); }
inline bool ClockDomain::in_edge() const { return tree_->in_serve_; }

}  // namespace warpfold
