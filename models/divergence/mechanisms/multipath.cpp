// SPDX-License-Identifier: Apache-2.0
// Multi-path execution: both sides of a branch are splits of their warp that may run at the same time, and a
// reconvergence table remembers where they meet (ElTantawy et al., HPCA 2014); with `shape: tos`, dual path (Rhu and
// Erez, HPCA 2013).
#include <algorithm>

#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/warp/warp_paths.h"

namespace warpfold {

namespace divergence {
enum class SplitOrder : std::uint8_t { kFifo, kLifo };
enum class SplitShape : std::uint8_t { kAll, kTos };
}  // namespace divergence

template <>
struct Choices<divergence::SplitOrder> {
  static constexpr std::array names{"fifo", "lifo"};
};
template <>
struct Choices<divergence::SplitShape> {
  static constexpr std::array names{"all", "tos"};
};
template <>
struct Choices<divergence::PathSwitch> {
  static constexpr std::array names{"block", "stall", "branch", "every"};
};

namespace divergence {
namespace {

struct MultipathParams {
  unsigned st = 0, rt = 0, paths = 0;
  SplitOrder order = SplitOrder::kFifo;
  PathSwitch turn = PathSwitch::kBranch;
  bool early = true;
  unsigned timeout = 0;
  SplitShape shape_of_paths = SplitShape::kAll;
  static constexpr auto fields() {
    using P = MultipathParams;
    return std::tuple{
        field("st", "entries", &P::st, 0, 64, "of a warp's split table; 0: one for every lane"),
        field("rt", "entries", &P::rt, 0, 64,
              "of a warp's reconvergence table, beyond which they lie in memory; 0: one for every lane"),
        field("paths", "splits", &P::paths, 0, 64, "of a warp that may run at the same time; 0: all"),
        choice("order", &P::order, "new splits come last or first among those of their warp"),
        choice("switch", &P::turn,
               "what sends a split behind the others, besides waiting for others and exits: block: nothing; stall: "
               "that another issues while it cannot; branch: a jump; every: each issue"),
        flag("early", &P::early, "splits meet before their reconvergence point if one jumps to where the other is"),
        field("timeout", "cycles", &P::timeout, 0, 10'000,
              "in which nobody comes to a reconvergence point, after which those who wait there go on; 0: never"),
        choice("shape", &P::shape_of_paths,
               "all: any splits of a warp run; tos: those of the youngest branch only, which is dual path")};
  }

  unsigned splits(unsigned width) const { return st == 0 ? width : st; }
  PathRules rules(unsigned width) const {
    PathRules rules;
    rules.at_once = shape_of_paths == SplitShape::kTos || paths == 0 ? splits(width) : std::min(paths, splits(width));
    rules.newest_first = order == SplitOrder::kLifo;
    // The not-taken side is inserted first.
    rules.branch_order = rules.newest_first ? BranchOrder::kTakenFirst : BranchOrder::kNotTakenFirst;
    rules.turn = turn;
    rules.strict_turns = false;
    rules.merge = early ? PathMerge::kBehindBranches : PathMerge::kNever;
    rules.youngest_only = shape_of_paths == SplitShape::kTos;
    return rules;
  }
  Shape shape(const Geometry& geometry) const { return rules(geometry.warp_size).shape(geometry); }
  std::string why_not(const Geometry& /*geometry*/) const {
    if (shape_of_paths == SplitShape::kAll || paths == 2 || paths == 0) return "";
    return fmt::format("shape = tos, paths = {}: the youngest branch has two sides", paths);
  }

  // Both tables have two pcs, a mask and the index of a reconvergence entry, the other's second mask says who is to
  // come. A row has the order of all its split entries, how many are used, and which reconvergence entries are.
  Hardware hardware(const HardwareGeometry& geometry) const {
    const unsigned width = geometry.core.warp_size, points = rt == 0 ? width : rt, entries = splits(width);
    const unsigned entry = 2 * kPcBits + index_bits(points + 1) + width;
    Hardware hardware{{{"split tables",
                        table(geometry.rows() * entries, entry),
                        1,
                        {{"warp_instructions", 2}, {"divergent_branches", 2}}},
                       {"reconvergence tables",
                        table(geometry.rows() * points, entry + width),
                        1,
                        {{"multipath_entries", 2}, {"multipath_waits"}}},
                       {"orders of splits",
                        table(geometry.rows(), entries * index_bits(entries) + index_bits(entries + 1) + points),
                        1,
                        {{"warp_instructions", 2}}}},
                      {{"path_table",
                        {{"Lanes", width},
                         {"Splits", entries},
                         {"Points", points},
                         {"Rows", geometry.rows()},
                         {"PcWidth", kPcBits},
                         {"Early", early ? 1 : 0},
                         {"Turns", turn == PathSwitch::kBranch ? 1 : 0},
                         {"Lifo", order == SplitOrder::kLifo ? 1 : 0}}}},
                      {}};
    if (timeout != 0) hardware.unknown.push_back({"clocks of reconvergence entries", kNoRtl});
    if (shape_of_paths == SplitShape::kTos) hardware.unknown.push_back({"choice of the youngest branch", kNoRtl});
    return hardware;
  }
};

class Multipath final : public WarpPaths {
 public:
  Multipath(const MultipathParams& params, const Geometry& geometry, Core& core)
      : WarpPaths(params.rules(geometry.warp_size), geometry, core, "multipath"),
        splits_(params.splits(geometry.warp_size)),
        points_(params.rt == 0 ? geometry.warp_size : params.rt),
        timeout_(params.timeout),
        entries_(core.stats().counter("multipath_entries", "entries", "taken in reconvergence tables")),
        full_(core.stats().counter("multipath_full", "entries",
                                   "that found their table full: splits that had to wait for another one's end, and "
                                   "reconvergence entries that went to memory")),
        timeouts_(core.stats().counter("multipath_timeouts", "events",
                                       "threads at a reconvergence point that went on without the others")) {}

  Cycle tick(Cycle now) override {
    if (timeout_ != 0) let_silent_go(timeout_, now, timeouts_);
    return kNever;
  }

 private:
  unsigned point_for(Row& row, const Path& path, Pc pc) override {
    ++entries_;
    if (row.points.in_use() >= points_) ++full_;
    return row.points.begin(pc, path.point, path.mask, row.clock);
  }
  void begun(const Row& row) override {
    if (row.paths.size() > splits_) ++full_;
  }

  unsigned splits_, points_;
  Cycle timeout_;
  Counter &entries_, &full_, &timeouts_;
};

const Register<MultipathParams, Multipath> multipath_registration(
    "multipath", "both sides of a branch run at the same time, from tables of splits and of reconvergence points",
    "ElTantawy et al., HPCA 2014; dual path: Rhu and Erez, HPCA 2013");

}  // namespace
}  // namespace divergence
}  // namespace warpfold
