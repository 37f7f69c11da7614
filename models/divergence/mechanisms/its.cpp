// SPDX-License-Identifier: Apache-2.0
// Independent thread scheduling: every thread has a pc and a state, and convergence barriers remember who must meet
// (US 10,067,768 B2, claims 1 and 2: a barrier is cleared when each of its threads waits at it or has yielded). What
// NVIDIA ships since Volta; with `switch: stall`, Subwarp Interleaving (Damani et al., HPCA 2022).
#include "warpfold/divergence/parts/warp/warp_paths.h"

namespace warpfold {

namespace divergence {
enum class ItsSwitch : std::uint8_t { kBlock, kStall, kEvery };
}

template <>
struct Choices<divergence::ItsSwitch> {
  static constexpr std::array names{"block", "stall", "every"};
};

namespace divergence {
namespace {

struct ItsParams {
  unsigned barriers = 16, yield_after = 1024;
  ItsSwitch turn = ItsSwitch::kBlock;
  bool merge = true;
  BranchOrder branch_order = BranchOrder::kTakenFirst;
  static constexpr auto fields() {
    return std::tuple{
        field("barriers", "barriers", &ItsParams::barriers, 1, 64,
              "of a warp; a divergence that finds none goes without"),
        field("yield_after", "branches", &ItsParams::yield_after, 0, 1024,
              "backward branches after which threads yield; 0: never"),
        choice("switch", &ItsParams::turn,
               "what gives other threads of the warp the turn, besides waiting for others, yielding and exits: block: "
               "nothing; stall: a wait for memory; every: each issue"),
        flag("merge", &ItsParams::merge, "threads at one pc that wait for the same others next become one"),
        choice("branch_order", &ItsParams::branch_order, "which side of a divergent branch runs first")};
  }

  PathRules rules() const {
    PathRules rules;
    rules.at_once = turn == ItsSwitch::kBlock ? 1 : 0;
    rules.branch_order = branch_order;
    rules.turn = turn == ItsSwitch::kStall   ? PathSwitch::kStall
                 : turn == ItsSwitch::kEvery ? PathSwitch::kEvery
                                             : PathSwitch::kBlock;
    rules.strict_turns = turn != ItsSwitch::kEvery;
    rules.merge = merge ? PathMerge::kAnywhere : PathMerge::kNever;
    return rules;
  }
  Shape shape(const Geometry& geometry) const { return rules().shape(geometry); }

  // Per thread a pc, a state of four and the barrier that it waits at next, if any; per barrier a pc and its threads.
  // Counting backward branches is the program's business: a compiler puts the yields there. A core has one picker of
  // who runs next and one copy of a warp's barriers in registers, with which it works; those of the others lie in the
  // table.
  Hardware hardware(const HardwareGeometry& geometry) const {
    constexpr unsigned kStateBits = 2;
    const unsigned width = geometry.core.warp_size, thread = kPcBits + kStateBits + index_bits(barriers + 1);
    return {{{"thread states", table(geometry.rows(), width * thread), 1, {{"warp_instructions", 2}}},
             {"convergence barriers",
              table(geometry.rows() * barriers, kPcBits + width),
              1,
              {{"its_barriers", 2}, {"its_waits"}}}},
            {{"path_picker", {{"Lanes", width}, {"Barriers", barriers}, {"PcWidth", kPcBits}}},
             {"convergence_barriers", {{"Lanes", width}, {"Barriers", barriers}, {"PcWidth", kPcBits}}}},
            {}};
  }
};

class Its final : public WarpPaths {
 public:
  Its(const ItsParams& params, const Geometry& geometry, Core& core)
      : WarpPaths(params.rules(), geometry, core, "its"),
        params_(params),
        barriers_(core.stats().counter("its_barriers", "barriers", "taken, by warps whose threads parted")),
        without_(core.stats().counter("its_without_barrier", "divergences",
                                      "that found no barrier free: their threads do not wait for each other")),
        yields_(core.stats().counter("its_yields", "paths", "whose threads yielded at a backward branch")) {}

 private:
  unsigned point_for(Row& row, const Path& path, Pc pc) override {
    if (row.points.in_use() == params_.barriers) {
      ++without_;
      return path.point;
    }
    ++barriers_;
    return row.points.begin(pc, path.point, path.mask, row.clock);
  }
  // At every backward branch each early leaver of an ordinary loop would go on alone.
  bool yields(Path& path) override {
    if (params_.yield_after == 0 || ++path.back_edges < params_.yield_after) return false;
    path.back_edges = 0;
    ++yields_;
    return true;
  }

  ItsParams params_;
  Counter &barriers_, &without_, &yields_;
};

const Register<ItsParams, Its> its_registration(
    "its", "independent thread scheduling with convergence barriers, as NVIDIA since Volta",
    "US 10,067,768 B2, claims 1 and 2");

}  // namespace
}  // namespace divergence
}  // namespace warpfold
