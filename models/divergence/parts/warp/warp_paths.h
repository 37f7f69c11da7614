// SPDX-License-Identifier: Apache-2.0
// Static warps whose threads may be on several paths at once: what independent thread scheduling, multi-path execution
// and dynamic warp subdivision share. Threads of a row part at a branch, each side is a path, and meet again at the
// branch's reconvergence point. A row's paths stand in an order; some or all of them are warps of the warp buffer.
#pragma once

#include <string>
#include <vector>

#include "warpfold/divergence/mixed_warp.h"
#include "warpfold/divergence/parts/branch_order.h"
#include "warpfold/divergence/parts/meeting_points.h"

namespace warpfold::divergence {

// What gives another ready path of the row the turn, besides that the path waits for others or ends: a wait for memory,
// a jump, any issue.
enum class PathSwitch : std::uint8_t { kBlock, kStall, kBranch, kEvery };
// Where paths of a row that come to one pc and meet next at one point become one: nowhere, behind branches, anywhere.
enum class PathMerge : std::uint8_t { kNever, kBehindBranches, kAnywhere };

struct PathRules {
  unsigned at_once = 0;  // paths of a row in the warp buffer; 0: all
  bool newest_first = true;
  BranchOrder branch_order = BranchOrder::kTakenFirst;
  PathSwitch turn = PathSwitch::kBlock;
  bool strict_turns = true;  // false: a path that is not ready leaves its turns to others
  PathMerge merge = PathMerge::kNever;
  // Dual path: sides that both have something to execute meet at a point of their own, and only paths of the youngest
  // point issue.
  bool youngest_only = false;
  // Paths take no turns: any that is ready may issue.
  bool freely = false;
  bool runs_dry = false;  // the mechanism wants to hear of schedulers without an issue

  unsigned at_once_of(unsigned width) const { return at_once == 0 || at_once > width ? width : at_once; }
  Shape shape(const Geometry& geometry) const;
};

class WarpPaths : public Mechanism {
 public:
  // `name`: its statistics begin so.
  WarpPaths(const PathRules& rules, const Geometry& geometry, Core& core, const std::string& name);

  void kernel_started(const isa::Kernel& kernel) override;
  void kernel_ended() override;
  void block_started(const Block& block) override;
  void block_finished(const Block& /*block*/) override {}

  bool leaves_at(WarpId id, Pc next) const override;
  void committed(WarpId id, Pc next) override;
  void branch_resolved(WarpId id, const Branch& branch) override;
  void exited(WarpId id, LaneMask lanes, Pc next) override;

  // Each path waits by itself, so that others of its row can come to where it waits.
  bool gives_up(WarpId id) override;
  void together(const Warp& warp) override;
  LaneMask kept_back(WarpId carrier, const Warp& waiting, unsigned row) const override;

  void prefer(WarpSet& ready, Cycle now) override;
  void issued(WarpId id, Cycle now) override;
  Parked parked() const override { return parked_; }
  std::string waiting(unsigned block_slot) const override;

 protected:
  static constexpr unsigned kNone = MeetingPoints::kNone;
  struct Path {
    Pc pc = 0;
    LaneMask mask = 0;
    unsigned point = kNone;   // where its threads meet next
    WarpId slot = kNoWarp;    // of the warp buffer
    bool in_flight = false;   // its instruction has been issued, and what follows is not known
    bool yielded = false;     // nobody waits for it until it issues
    bool loads = false;       // has gone to memory since it got its turn
    bool held = false;        // has its turn when all others that it meets next have come there, or wait elsewhere
    unsigned back_edges = 0;  // taken since it waited or yielded
  };
  struct Row {
    LaneMask live = 0;
    std::vector<Path> paths;  // in the order of turns
    unsigned shown = 0;       // of them are in the warp buffer
    unsigned held = 0;        // of them have to wait for their turn
    MeetingPoints points;
    Cycle clock = 0;             // goes on with its instructions too: time may stand still between them
    std::vector<Path> given_up;  // that wait for their block or for a collective
    Parked counted;              // of its threads, in parked_
    unsigned entries = 0;        // of a table that its mechanism has for paths of all rows
  };

  // The threads of a path part and meet at `pc`, unless they meet there already: where is that kept? `path.point`:
  // nowhere.
  virtual unsigned point_for(Row& row, const Path& path, Pc pc) = 0;
  // The path, which is not in its row's list, parts, and both sides have something to execute: do they run at the same
  // time? Otherwise one has its turn after the other, as on a stack.
  virtual bool side_by_side(const Row& /*row*/, const Path& /*path*/, const Branch& /*branch*/) { return true; }
  // Some of the row's paths came, went or became one.
  virtual void changed(Row& /*row*/) {}
  // The path takes a backward branch: does it yield?
  virtual bool yields(Path& /*path*/) { return false; }
  // A path that is not in its row's list comes to its pc, and joins `found`, which stands there; null: nobody does.
  virtual void came(const Row& /*row*/, const Path& /*path*/, const Path* /*found*/) {}
  // A path came into being.
  virtual void begun(const Row& /*row*/) {}

  // Where the path goes on, were its warp to divide (Core::divide).
  static Pc next_of(const Path& path) { return path.in_flight ? path.pc + 1 : path.pc; }
  // The path that has the slot; null: none.
  Path* path_at(WarpId id);
  // Lanes whose loads are done become a path of their own, which meets the others before `stop`, the next point of the
  // path or one before it. False: there are no such lanes.
  bool divide(WarpId id, Pc stop);
  Pc meets_at(const Row& row, const Path& path) const {
    return path.point != kNone ? row.points[path.point].pc : kernel_->end();
  }
  const isa::Kernel& kernel() const { return *kernel_; }
  Row& row_of(WarpId id) { return rows_[row_at_[id]]; }
  unsigned index_of(const Row& row) const { return static_cast<unsigned>(&row - rows_.data()); }
  const Row& row_of(WarpId id) const { return rows_[row_at_[id]]; }

  // Threads that have waited for `cycles`, for others of whom none came, go on without these.
  void let_silent_go(Cycle cycles, Cycle now, Counter& times);

 private:
  static LaneMask yielded_of(const Row& row);
  static std::size_t place_of(const Row& row, WarpId id);
  std::size_t entrance(const Row& row) const { return rules_.newest_first ? 0 : row.paths.size(); }

  Path take_out(Row& row, std::size_t place);
  void part(Row& row, Path path, const Branch& branch);
  unsigned point_of_sides(Row& row, const Path& path, const Branch& branch);
  enum class Way : std::uint8_t { kFallsThrough, kJumps, kJumpsBack };
  void come(Row& row, Path path, std::size_t place, Way way);
  bool meet(Row& row, Path& path);
  bool join(Row& row, const Path& path, std::size_t place);
  std::size_t standing(const Row& row, Pc pc, unsigned point, WarpId but) const;
  void release(Row& row, unsigned at, Path& path);
  void settle(Row& row);
  void vacate(Row& row, Path& path);
  void let_held_go(Row& row);
  void let_kept_go(Row& row);
  void go_without(Row& row, unsigned at);
  void fill(Row& row);
  void show(Row& row, Path& path);
  void count(Row& row);
  WarpId turn_of(const Row& row, const WarpSet& ready) const;
  bool waits_for_memory(const Path& path) const;

  PathRules rules_;
  Core& core_;
  const unsigned at_once_;
  const bool in_place_;
  const isa::Kernel* kernel_ = nullptr;
  std::vector<Row> rows_;
  std::vector<unsigned> row_at_;  // by slot
  WarpId vacated_ = kNoWarp;      // the slot of the warp that the mechanism is being told about, if its path left it
  Parked parked_;
  Counter &waits_, &merged_, &most_paths_, &most_points_;
};

}  // namespace warpfold::divergence
