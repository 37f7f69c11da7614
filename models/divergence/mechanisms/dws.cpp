// SPDX-License-Identifier: Apache-2.0
// Dynamic warp subdivision: the sides of a branch, and the lanes of a load that have their data before others, are
// splits of their warp that issue by themselves (Meng, Tarjan and Skadron, ISCA 2010). Reconvergence stacks stay; a
// table for each core has the splits, and where it is full warps do as under PDOM.
#include <algorithm>
#include <vector>

#include "warpfold/divergence/parts/split_table.h"
#include "warpfold/divergence/parts/warp/stack_hardware.h"
#include "warpfold/divergence/parts/warp/warp_paths.h"

namespace warpfold {

namespace divergence {
enum class LoadSplit : std::uint8_t { kNone, kAggress, kLazy, kRevive };
enum class BeyondBranch : std::uint8_t { kLimited, kBypass };
}  // namespace divergence

template <>
struct Choices<divergence::LoadSplit> {
  static constexpr std::array names{"none", "aggress", "lazy", "revive"};
};
template <>
struct Choices<divergence::BeyondBranch> {
  static constexpr std::array names{"limited", "bypass"};
};

namespace divergence {
namespace {

struct DwsParams {
  unsigned splits = 16, block = 50;
  LoadSplit memory = LoadSplit::kRevive;
  BeyondBranch beyond = BeyondBranch::kBypass;
  BranchOrder branch_order = BranchOrder::kTakenFirst;
  static constexpr auto fields() {
    using P = DwsParams;
    return std::tuple{
        field("splits", "entries", &P::splits, 0, 64,
              "of a core's table: all splits of a warp that has several; a warp that finds no room does not divide"),
        field("block", "instructions", &P::block, 0, 1000,
              "that the block behind a branch's sides may have at most for the sides to be splits; else a stack runs "
              "one after the other, as it always does with 0"),
        choice("memory", &P::memory,
               "which loads divide when some lanes have their data. none; aggress: all; lazy: those at which the "
               "scheduler has nothing else to issue; revive: also later, when it has nothing"),
        choice("beyond", &P::beyond,
               "limited: splits of a load wait for each other at their next branch; bypass: they go on to the "
               "reconvergence point, and splits that come to one pc become one"),
        choice("branch_order", &P::branch_order, "which side of a divergent branch runs first, where a stack decides")};
  }

  bool divides() const { return memory != LoadSplit::kNone && splits != 0; }
  bool subdivides() const { return splits != 0 && (memory != LoadSplit::kNone || block != 0); }
  PathRules rules() const {
    PathRules rules;
    rules.at_once = subdivides() ? splits : 1;
    rules.branch_order = branch_order;
    rules.strict_turns = false;
    rules.merge = beyond == BeyondBranch::kBypass && subdivides() ? PathMerge::kAnywhere : PathMerge::kNever;
    rules.freely = true;
    rules.runs_dry = memory == LoadSplit::kRevive;
    return rules;
  }
  Shape shape(const Geometry& geometry) const { return rules().shape(geometry); }
  std::string why_not(const Geometry& /*geometry*/) const {
    if (splits != 1) return "";
    return "splits = 1: a warp that divides has two splits at least, and 0 says that none does";
  }

  // An entry has the row, a pc, a mask, where the split meets others and whether it stands where they may join it. All
  // but the masks are compared, or given out, by the table's logic.
  Hardware hardware(const HardwareGeometry& geometry) const {
    const unsigned width = geometry.core.warp_size;
    Hardware all = warp_stack_hardware(geometry, false);
    if (!subdivides()) return all;
    all.storage.push_back({"split masks", table(splits, width), 1, {{"dws_branches", 2}, {"dws_loads", 2}}});
    all.logic.push_back({"split_table",
                         {{"Lanes", width},
                          {"Entries", splits},
                          {"Rows", geometry.rows()},
                          {"PcWidth", kPcBits},
                          {"PointWidth", index_bits(geometry.stack_entries + 1)}}});
    if (divides()) all.unknown.push_back({"division of loads", kNoRtl});
    if (memory == LoadSplit::kRevive) all.unknown.push_back({"choice of who is revived", kNoRtl});
    return all;
  }
};

class Dws final : public WarpPaths {
 public:
  Dws(const DwsParams& params, const Geometry& geometry, Core& core)
      : WarpPaths(params.rules(), geometry, core, "dws"),
        params_(params),
        observer_(params.subdivides() ? core.taps().split_table_observer(params.splits) : nullptr),
        waiting_(geometry.schedulers),
        branches_(core.stats().counter("dws_branches", "branches", "whose sides became splits")),
        loads_(core.stats().counter("dws_loads", "loads", "that divided")),
        full_(core.stats().counter("dws_full", "events", "warps that would have divided, had the table had room")),
        most_(core.stats().counter("dws_max_splits", "entries", "of a core's table taken at the same time",
                                   Combine::kMax)) {}

  void kernel_started(const isa::Kernel& kernel) override {
    WarpPaths::kernel_started(kernel);
    leaders_.clear();
    for (std::vector<WarpId>& waiting : waiting_) waiting.clear();
  }

  void partly_loaded(WarpId id, bool alone) override {
    if ((params_.memory == LoadSplit::kAggress || alone) && try_to_divide(id)) return;
    if (params_.memory != LoadSplit::kRevive) return;
    std::vector<WarpId>& waiting = waiting_[id % waiting_.size()];
    if (std::find(waiting.begin(), waiting.end(), id) == waiting.end()) waiting.push_back(id);
  }
  // One warp a cycle is revived, of those whose splits have room the one that has waited longest. Who cannot divide any
  // more has all its data by now, or will be told of again.
  void running_dry(unsigned scheduler, Cycle /*now*/) override {
    std::vector<WarpId>& waiting = waiting_[scheduler];
    bool revived = false;
    std::erase_if(waiting, [&](WarpId id) {
      if (revived || !has_room(row_of(id), row_of(id).shown)) return false;
      revived = try_to_divide(id);
      return true;
    });
  }

  // A path that is alone in its row need not be told of before it meets others.
  Pc goes_straight_to(WarpId id, Pc end) const override {
    const Row& row = row_of(id);
    const Path& path = row.paths.front();
    if (row.paths.size() != 1) return 0;
    const Pc meets = meets_at(row, path);
    return meets > path.pc && meets < end ? meets : end;
  }

 private:
  unsigned point_for(Row& row, const Path& path, Pc pc) override {
    return row.points.begin(pc, path.point, path.mask, row.clock);
  }
  // The path has left the warp buffer already.
  bool side_by_side(const Row& row, const Path& /*path*/, const Branch& branch) override {
    if (params_.splits == 0 || params_.block == 0 || block_at(branch.reconvergence) > params_.block) return false;
    if (!has_room(row, row.shown + 1)) {
      ++full_;
      return false;
    }
    ++branches_;
    return true;
  }
  void changed(Row& row) override {
    const unsigned now = entries_of(row.shown);
    entries_ += now - row.entries;
    row.entries = now;
    most_.raise_to(entries_);
    if (observer_ == nullptr) return;
    const std::vector<Split> splits = now != 0 ? splits_of(row) : std::vector<Split>{};
    observer_->changed(index_of(row), splits);
  }
  void came(const Row& row, const Path& path, const Path* found) override {
    if (observer_ == nullptr) return;
    observer_->came(index_of(row), as_split(path), splits_of(row), found != nullptr ? found->slot : kNoWarp);
  }
  // Those that have a warp. At a collective nobody joins one.
  std::vector<Split> splits_of(const Row& row) const {
    std::vector<Split> splits;
    for (const Path& path : row.paths) {
      if (path.slot != kNoWarp) splits.push_back(as_split(path));
    }
    return splits;
  }
  Split as_split(const Path& path) const {
    const bool stands = !path.in_flight && !kernel().ops[path.pc].collective;
    return {path.slot, path.pc, path.mask, path.point, stands};
  }

  bool try_to_divide(WarpId id) {
    Row& row = row_of(id);
    const Path* const path = path_at(id);
    if (path == nullptr) return false;
    const Pc next = next_of(*path), stop = stop_behind(next, meets_at(row, *path));
    if (stop == next) return false;  // where those who come first would wait at once
    if (!has_room(row, row.shown)) {
      ++full_;
      return false;
    }
    if (!divide(id, stop)) return false;
    ++loads_;
    return true;
  }
  // Where splits of a load wait for each other.
  Pc stop_behind(Pc next, Pc meets) const {
    if (params_.beyond == BeyondBranch::kBypass) return meets;
    while (next != meets && next < kernel().end() && kernel().ops[next].kind != isa::Kind::kBranch) ++next;
    return next;
  }

  // Has the table room for one split more of a row that has so many?
  bool has_room(const Row& row, unsigned splits) const {
    const bool room = entries_ - row.entries + entries_of(splits + 1) <= params_.splits;
    if (observer_ != nullptr && splits != 0) observer_->asked(index_of(row), room);
    return room;
  }
  // A warp that is whole needs none.
  static unsigned entries_of(unsigned splits) { return splits > 1 ? splits : 0; }

  // Instructions of the basic block that begins at a pc.
  unsigned block_at(Pc begin) {
    if (leaders_.empty()) find_leaders();
    Pc pc = begin;
    while (pc < kernel().end()) {
      const isa::Kind kind = kernel().ops[pc++].kind;
      if (kind == isa::Kind::kBranch || kind == isa::Kind::kExit || leaders_[pc]) break;
    }
    return pc - begin;
  }
  void find_leaders() {
    leaders_.assign(kernel().end() + 1, false);
    for (const isa::MicroOp& op : kernel().ops) {
      if (op.kind == isa::Kind::kBranch && op.target < kernel().end()) leaders_[op.target] = true;
    }
  }

  DwsParams params_;
  SplitTableObserver* const observer_;
  std::vector<bool> leaders_;                 // of the kernel, by pc: a branch leads there; empty: nobody has asked
  std::vector<std::vector<WarpId>> waiting_;  // by scheduler: warps to be revived, and some that cannot be any more
  unsigned entries_ = 0;                      // of the table that are taken
  Counter &branches_, &loads_, &full_, &most_;
};

const Register<DwsParams, Dws> dws_registration(
    "dws", "dynamic warp subdivision: sides of branches, and lanes whose loads are done, go on by themselves",
    "Meng, Tarjan and Skadron, ISCA 2010");

}  // namespace
}  // namespace divergence
}  // namespace warpfold
