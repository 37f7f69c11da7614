// SPDX-License-Identifier: Apache-2.0
// The other reading of CAPRI and TSTBC (selective_compaction.h has the one): a warp that passes a branch by is its
// block's concern no longer, and goes on as far as it gets ("go on", TSTBC §3.2; "unnecessary synchronizations at the
// end of basic blocks", HARP §5).
//
// One block-wide stack cannot hold warps at different depths of it. So every warp has a reconvergence stack of its own,
// beside the block's entries for those who wait for each other. A *scope* is the set of warps that were started
// together: a block, or one side of a branch. The warps of a scope that come to a potentially divergent branch *meet*
// there: those that do not diverge pass, those that do may wait for the others or pass as well, splitting on their own
// stack. A meeting closes when no warp is left that it waits for. Those who wait then run the sides of the branch one
// after the other, each a scope of its own, in compacted warps or in their own, and go on from the reconvergence point
// in the warps in which they came. A warp that has waited in vain goes on as if it had passed.
//
// A meeting waits for the warps of its scope that have not come to its branch and run, or will run when the branch that
// they are inside has reconverged, at a pc before its reconvergence point. Whoever is past that point, at a barrier,
// waiting at another branch, or inside one where all are at a barrier, is not waited for: nobody waits for a warp that
// itself waits, hence no deadlock. Where the block has no entries left for another meeting, warps pass by, too.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "warpfold/divergence/parts/branch_meeting.h"
#include "warpfold/divergence/registry.h"

namespace warpfold::divergence {

// A mechanism but for its policy.
class CompactionScopes : public Mechanism {
 public:
  CompactionScopes(BranchOrder order, unsigned stack_entries, const Geometry& geometry, Core& core,
                   std::unique_ptr<MeetingPolicy> policy);

  void kernel_started(const isa::Kernel& kernel) override;
  void kernel_ended() override;
  void block_started(const Block& block) override;
  void block_finished(const Block& block) override;
  bool leaves_at(WarpId warp, Pc next) const override;
  bool leaves_by(WarpId warp, const Branch& branch, bool divides) const override;
  void committed(WarpId warp, Pc next) override;
  void branch_resolved(WarpId warp, const Branch& branch) override;
  void exited(WarpId warp, LaneMask lanes, Pc next) override;
  void compacted(unsigned block_slot, unsigned tag, const Warp& warp, bool last) override;
  bool gives_up(WarpId warp) override;
  LaneMask kept_back(WarpId carrier, const Warp& waiting, unsigned row) const override;
  unsigned entries_on_stack(WarpId warp) const override;
  Parked parked() const override { return {inactive_, live_ - active_ - inactive_}; }
  std::string waiting(unsigned block_slot) const override;

 private:
  struct Group;
  struct Scope;
  struct Resident;

  // How a warp has been at a meeting.
  enum class Came : std::uint8_t { kNotYet, kPassed, kDiverged };

  struct Entry {
    Pc pc, rpc;
    LaneMask mask;
    bool has_run;  // a side of a branch before its turn has not
  };

  // A warp of a scope.
  struct Member {
    enum class State : std::uint8_t { kRuns, kAtBarrier, kWaits, kInside };  // inside: its threads run a branch's sides
    unsigned index = 0;
    Warp threads;  // all that it came with; the entries say which are active
    std::vector<Entry> stack;
    Scope* scope = nullptr;
    unsigned number = 0;  // among the members of its scope
    State state = State::kRuns;
    WarpId slot = kNoWarp;          // of the warp buffer, while it runs or is at a barrier
    const Group* inside = nullptr;  // whose sides its threads run
  };

  // A meeting and what becomes of those who wait at it.
  struct Group {
    struct Waiting {
      Member* member;
      std::array<LaneMask, 2> lanes;  // as Gathering::threads
    };
    unsigned index = 0;
    Meeting meeting;
    std::vector<Waiting> members;
    std::vector<Came> came;  // by number of the scope's members
    Scope* scope = nullptr;  // where they meet
    Scope* side = nullptr;   // where their threads run
    unsigned first = 0;      // the side that they entered
    bool other_to_run = false, compact_other = false;
    bool has_entries = false;
  };

  struct Scope {
    unsigned index = 0;
    Resident* resident = nullptr;
    Pc rpc = 0;
    Group* group = nullptr;        // whose side it is; null: the block's
    std::vector<Member*> members;  // by number; null: free
    unsigned size = 0;
    unsigned arriving = 0;       // requests at the compactor
    std::vector<Group*> open;    // meetings, the oldest first
    std::vector<Group*> closed;  // those whose sides run
    unsigned depth = 0;          // entries that a block-wide stack would have below those of its warps
  };

  struct Resident {
    Block block;
    std::vector<LaneMask> alive;  // per row
    Scope* root = nullptr;
    unsigned entries = 0;  // of the block's stack, its own and those of meetings
  };

  // Objects that keep their address and their vectors' storage for the next user.
  template <class T>
  class Pool {
   public:
    T& take() {
      if (free_.empty()) {
        T& item = items_.emplace_back();
        item.index = static_cast<unsigned>(items_.size() - 1);
        return item;
      }
      T& item = *free_.back();
      free_.pop_back();
      return item;
    }
    void give(T& item) { free_.push_back(&item); }
    T& operator[](unsigned index) { return items_[index]; }
    bool empty() const { return free_.size() == items_.size(); }

   private:
    std::deque<T> items_;
    std::vector<T*> free_;
  };

  // Warps
  void enter(Scope& scope, const Warp& warp);
  void place(Member& member);
  void show(Member& member);
  void take_out(Member& member);
  void leave(Member& member);
  bool find_top(Member& member);
  bool go_on(Member& member, Pc next);
  void split(Member& member, const std::array<Pc, 2>& target, Pc rpc, LaneMask taken);
  void resume(Member& member);

  // Meetings
  Group* open_meeting(const Scope& scope, Pc branch) const;
  Group& meeting_at(Scope& scope, const Branch& branch);
  void diverge(Member& member, Group& group, LaneMask taken);
  void let_go(Group& group);
  bool take_entries(Group& group);
  void give_entries(Group& group);
  void give(Group& group);
  unsigned verdict_wait();
  bool waits_for(const Group& group, const Member& member) const;
  bool complete(const Group& group) const;
  void close(Group& group);
  void run_sides(Group& group, bool compact);
  void run_side(Group& group, unsigned side, bool compacted, Scope& scope);
  bool ends_scope(const Group& group) const;

  // Scopes
  Scope& open_scope(Resident& resident, Pc rpc, Group* group, unsigned depth);
  bool stuck(const Scope& scope) const;
  void settle(Scope& scope);
  void end(Scope& scope);
  void describe(const Scope& scope, std::string& text) const;
  static LaneMask lanes_of(const Member& member, unsigned row);

  // The branching entry and its sides.
  static constexpr unsigned kEntriesOfMeeting = 3;

  BranchOrder order_;
  unsigned stack_entries_;
  Core& core_;
  AdequacyUnit& unit_;  // that the policy asks
  unsigned wait_ = 0;   // cycles until it answers: whoever goes on by its verdict is held for so long
  std::unique_ptr<MeetingPolicy> policy_;
  Pc end_ = 0;
  std::vector<Resident> blocks_;  // by block slot
  std::vector<Member*> by_slot_;  // of the warp buffer
  Pool<Member> members_;
  Pool<Group> groups_;
  Pool<Scope> scopes_;
  // Threads on this core: alive, in the masks of warps in the buffer, and on sides whose turn has not come.
  std::uint64_t live_ = 0, active_ = 0, inactive_ = 0;
  Counter &closed_, &closed_short_, &no_entries_;
};

}  // namespace warpfold::divergence
