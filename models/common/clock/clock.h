// SPDX-License-Identifier: Apache-2.0
// Clocks: the one SystemC process of a machine, which ticks the awake modules of every clock domain in a fixed order.
//
// A clocked process per module costs 15-75 ns per edge whether or not there is work; one event per edge that calls the
// awake modules directly costs 3-10 ns per module, and an idle module costs nothing. It also makes the order of modules
// within an edge ours (by index), not the kernel's, so results do not depend on the order of construction.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <systemc>
#include <vector>

#include "warpfold/common/clock/agenda.h"
#include "warpfold/common/clock/crew.h"
#include "warpfold/common/clock/cycle.h"
#include "warpfold/common/clock/pace.h"

namespace warpfold {

class ClockDomain;
class ClockIsland;

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
  ClockDomain* domain_ = nullptr;
  unsigned slot_ = 0;
};

// Looks at a simulation from outside its clock domains, after all of them have been served at an instant.
class ClockWatch {
 public:
  virtual ~ClockWatch() = default;
  virtual void clocks_rest() = 0;  // no module wants another edge, or one has failed
  virtual void look() = 0;         // the time of ClockTree::look_at() has come; what it throws stops the clocks
};

// Edge n of an f MHz clock is at floor(n * 10^6 / f) ps.
class ClockDomain {
 public:
  // Modules tick in the order of `index` (ties: order of adding), whatever the order in which they were added.
  void add(Clocked& module, unsigned index);

  // The first edge whose work is not done yet, seen from where the simulation stands: within a tick of this domain the
  // next one; for a domain that is served later at this instant, an edge at this very instant counts as not done.
  Cycle upcoming() const;
  // The edge at or before the present instant: what "now" is to code that runs outside a tick.
  Cycle current() const { return acting_->running_ != kNever ? acting_->running_ : acting_->before_now(); }
  Cycle edge_from(const sc_core::sc_time& at) const;  // the first one at or after it
  Cycle edge_from(std::uint64_t ps) const;
  bool in_edge() const;  // of this or another domain of its island: is the caller called by one?
  const ClockIsland& island() const { return *acting_->island_; }
  std::uint64_t mhz() const { return mhz_; }
  std::uint64_t edge_ps(Cycle n) const { return n * 1'000'000 / mhz_; }

 private:
  friend class ClockIsland;
  friend class ClockTree;
  friend class Clocked;
  ClockDomain(ClockIsland& island, unsigned order, std::uint64_t mhz, ClockDomain* twin)
      : island_(&island), order_(order), mhz_(mhz), twin_(twin), acting_(twin != nullptr ? twin : this) {}
  void request(unsigned slot, Cycle at) {
    // A module that comes later in this very edge can still be served in it.
    const Cycle first = running_ == kNever ? upcoming() : slot > ticking_ ? running_ : running_ + 1;
    const Cycle possible = std::max(at, first);
    if (possible < agenda_.wanted(slot)) bring_forward(slot, possible);
  }
  void bring_forward(unsigned slot, Cycle at);
  inline void run_edge(Cycle now);
  void tell_earliest();
  Cycle before_now() const;
  void part();
  void join();
  void hand_over(ClockDomain& from, ClockDomain& to);

  ClockIsland* island_;
  unsigned order_;
  std::uint64_t mhz_;
  ClockDomain* twin_;              // the tree's, of which an island's is a part; null: it is one
  ClockDomain* acting_;            // that ticks its modules: itself, or its twin
  std::vector<unsigned> in_twin_;  // per slot: the same module's there
  struct Slot {
    Clocked* module;
    unsigned index;
  };
  std::vector<Slot> slots_;
  Agenda agenda_;
  std::size_t ticking_ = 0;  // slot whose tick is being called
  Cycle running_ = kNever;   // edge whose ticks are being called
  Cycle first_unserved_ = 0;
};

class ClockTree;

// Clock domains that have their time in common: at equal instants they are served in the order in which they were made.
class ClockIsland {
 public:
  ClockIsland(const ClockIsland&) = delete;
  ClockIsland& operator=(const ClockIsland&) = delete;
  ClockDomain& domain(std::uint64_t mhz, ClockDomain* twin = nullptr);
  ClockDomain& domain(ClockDomain& twin) { return domain(twin.mhz(), &twin); }  // of an island: part of a clock's
  std::uint64_t now_ps() const { return now_ps_; }  // of the instant that is or was served last
  bool in_serve() const { return in_serve_; }
  static constexpr std::uint64_t kNoTime = std::numeric_limits<std::uint64_t>::max();
  // Of the first edge that anybody wants.
  std::uint64_t next_edge_ps() const {
    static_assert(kMostDomains == 4);
    return std::min(std::min(due_ps_[0], due_ps_[1]), std::min(due_ps_[2], due_ps_[3]));
  }

 protected:
  friend class ClockDomain;
  friend class ClockTree;
  static constexpr unsigned kNoIsland = ~0u;
  ClockIsland(ClockTree& tree, unsigned number) : tree_(&tree), number_(number) { due_ps_.fill(kNoTime); }
  ~ClockIsland() = default;
  // Those that are due at `ps`, before which none is.
  void serve(std::uint64_t ps);

  ClockTree* tree_;
  const unsigned number_;  // of the tree's islands; kNoIsland: the tree itself
  std::vector<std::unique_ptr<ClockDomain>> domains_;
  static constexpr std::size_t kMostDomains = 4;
  std::array<std::uint64_t, kMostDomains> due_ps_;  // of each domain's earliest edge that anybody wants
  std::uint64_t now_ps_ = 0;
  unsigned serving_ = std::numeric_limits<unsigned>::max();  // order of the domain being served, max: none
  bool in_serve_ = false;
};

// What a tree's islands may do without the rest and without each other: one and all have to answer for it that no
// module then sees anything that it would not see if all were served instant by instant, as one.
class IslandRules {
 public:
  virtual ~IslandRules() = default;
  // From the instant after `served` on, islands may be ahead; or they no longer are.
  virtual void part(std::uint64_t served) = 0;
  virtual void join() = 0;
  // Before these islands are served: the tree has been, as far as they may be or further.
  virtual void prepare(std::span<const unsigned> islands) = 0;
  // Before this instant the tree has nothing to say to any island that they do not know, having been served up to
  // `served`, that instant included. > served.
  virtual std::uint64_t horizon(std::uint64_t served) = 0;
  // Nor to this island before this one, `until` at most: earlier than the horizon of all where the tree owes it
  // something, later where it owes it nothing soon. After horizon(served). > served.
  virtual std::uint64_t horizon_of(unsigned island, std::uint64_t served, std::uint64_t until) = 0;
  // May the island serve those instants only that the tree has been served, which may have something to say to it
  // at any time? Asked between rounds.
  virtual bool in_step(unsigned island) = 0;
  // Asked on the island's thread before each instant that it serves ahead of the tree, with the instant: does it wait
  // there until that has been served?
  virtual bool stops(unsigned island, std::uint64_t next) = 0;
  // After that: what these islands have for the tree's modules is there for them now.
  virtual void collect(std::span<const unsigned> islands) = 0;
  // After that: all islands have been served up to `reached`, that instant excluded, some further.
  virtual void settle(std::uint64_t reached) = 0;
  // The first instant at which an island has something for the tree that it does not know yet, kNoTime: none. The tree
  // has been served there: it is told.
  virtual std::uint64_t next_news() const = 0;
  virtual void tell_news(std::uint64_t now) = 0;
};

// Owns the domains of a simulation, and of islands those that tick their modules while these are apart. A step of the
// kernel's time serves the edges of one instant, or runs ahead: where nothing else in the simulation waits
// for a time, and no module calls or is watched by code that reads the kernel's clock, edge after edge is served in one
// call, until somebody is to look or no edge is wanted. Then the kernel's time catches up.
//
// Simulations may have any time resolution that tells picoseconds apart; another is a UserError. At equal instants
// domains are served in the order in which they were made: memory, interconnect, cores.
class ClockTree : public sc_core::sc_module, public ClockIsland {
 public:
  explicit ClockTree(sc_core::sc_module_name name);
  ~ClockTree() override;
  ClockIsland& make_island();
  void tell(IslandRules& rules) { rules_ = &rules; }  // before there is more than one
  sc_core::sc_time time_of(std::uint64_t ps) const { return sc_core::sc_time::from_value(ps * ticks_per_ps_); }
  std::uint64_t present_ps() const { return in_serve_ ? now_ps_ : whole_ps(sc_core::sc_time_stamp()); }

  void tell(ClockWatch& watch) { watch_ = &watch; }
  // Asks for the watch's look() at the first edge from `ps` on, or at `ps` where no edge is wanted until then. The last
  // call counts.
  void look_at(std::uint64_t ps) { look_ps_ = ps; }
  // May edges run ahead of the kernel's time?
  void run_ahead(bool may) { may_run_ahead_ = may; }
  // Where they do: may islands run ahead of the tree, by the rules, when their pace says so? Null: no. No crew: this
  // thread alone.
  void run_apart(Pace* pace, Crew* crew) { pace_ = pace, crew_ = crew; }

  // What a module threw during a tick. SystemC would turn it into a report of its own; here there are no more edges and
  // whoever runs the simulation throws it again.
  void stop(std::exception_ptr error) { error_ = std::move(error); }
  bool stopped() const { return error_ != nullptr; }
  void rethrow() const;

 private:
  friend class ClockDomain;
  void serve();
  void serve_edges();
  void serve_at_its_pace(std::uint64_t until);
  void serve_together(std::uint64_t until);
  void serve_apart(std::uint64_t until);
  void part();
  void join();
  std::uint64_t serve_round(std::uint64_t served, std::uint64_t until);
  bool run_islands(std::uint64_t served, std::uint64_t until);
  void run_island(unsigned number);
  std::uint64_t all_reached();
  void serve_tree(std::uint64_t come, std::uint64_t until);
  void rethrow_first(std::uint64_t served);
  std::uint64_t ahead_until() const;
  void note_next(unsigned island) { next_of_[island] = islands_[island].next_edge_ps(); }
  void schedule();
  std::uint64_t whole_ps(const sc_core::sc_time& at) const { return at.value() / ticks_per_ps_; }
  struct Island : ClockIsland {
    Island(ClockTree& tree, unsigned number) : ClockIsland(tree, number) {}
    using ClockIsland::in_serve_, ClockIsland::domains_, ClockIsland::now_ps_, ClockIsland::number_;
    using ClockIsland::serve;
    // Of a round.
    bool in_step_ = false;
    std::uint64_t limit_ps_ = 0;    // instants from there on are not to be served
    std::uint64_t reached_ps_ = 0;  // all before have been
    std::exception_ptr error_;      // of the instant reached_ps_
  };
  std::deque<Island> islands_;
  std::vector<std::uint64_t> next_of_;  // per island: next_edge_ps(), but of those that are being served
  std::vector<unsigned> running_;       // in a round
  std::uint64_t served_ps_ = 0;         // by the tree before it, that instant included
  IslandRules* rules_ = nullptr;
  Pace* pace_ = nullptr;
  Crew* crew_ = nullptr;
  sc_core::sc_event edge_;
  // Null once it has been taken away, at an instant at which its process may be about to run.
  std::shared_ptr<ClockTree*> there_ = std::make_shared<ClockTree*>(this);
  const std::uint64_t ticks_per_ps_;  // of SystemC's time resolution
  bool may_run_ahead_ = false;
  std::exception_ptr error_;
  ClockWatch* watch_ = nullptr;
  std::uint64_t look_ps_ = kNoTime;
};

inline void Clocked::wake(Cycle at) { domain_->request(slot_, at); }
inline bool ClockDomain::in_edge() const { return island_->in_serve_; }

}  // namespace warpfold
