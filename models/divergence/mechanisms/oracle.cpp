// SPDX-License-Identifier: Apache-2.0
// The oracle: how few warp instructions any regrouping of threads that keep their lanes could do with (HARP §3.2).
//
// What threads execute does not depend on how they are grouped, so one run, under PDOM, tells how often the threads of
// each lane execute each instruction. Threads of one lane need a warp each, those of different lanes can share one: an
// instruction needs as many warps as the lane that executes it most. The bound knows no time: its run has no cycles.
#include <algorithm>
#include <bit>

#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/warp/likely_points.h"
#include "warpfold/divergence/parts/warp/warp_reconvergence.h"

namespace warpfold {

namespace divergence {
namespace {

// Whose threads may share a warp.
enum class Scope : std::uint8_t { kBlock, kCore };

}  // namespace
}  // namespace divergence

template <>
struct Choices<divergence::Scope> {
  static constexpr std::array names{"block", "core"};
};

namespace divergence {
namespace {

struct OracleParams {
  Scope scope = Scope::kBlock;
  unsigned width = 0;
  static constexpr auto fields() {
    return std::tuple{
        choice("scope", &OracleParams::scope,
               "threads of a block may share a warp (HARP 3.2), or of a core: the bound of DWF, DWF-WB and HARP"),
        field("width", "lanes", &OracleParams::width, 0, 64, "of a warp; 0: the machine's warp size")};
  }
  std::string why_not(const Geometry& geometry) const {
    if (width == 0 || (std::has_single_bit(width) && width >= geometry.simd_width)) return "";
    return fmt::format("width = {} lanes: must be a power of two of at least the SIMD width, {}", width,
                       geometry.simd_width);
  }
  // A bound is no hardware.
  Hardware hardware(const HardwareGeometry& /*geometry*/) const {
    return {{}, {}, {{"all of it", "nobody can build it"}}};
  }
  Shape shape(const Geometry& geometry) const {
    const unsigned lanes = width != 0 ? width : geometry.warp_size;
    return {lanes, geometry.max_threads / lanes};
  }
};

class Oracle final : public WarpReconvergence {
 public:
  Oracle(const OracleParams& params, const Geometry& geometry, Core& core)
      : WarpReconvergence({}, geometry, core),
        params_(params),
        lanes_(geometry.warp_size),
        core_(core),
        executions_(params.scope == Scope::kCore ? 1 : geometry.max_blocks),
        issues_(core.stats().counter("oracle_warp_instructions", "warp instructions",
                                     "that the best regrouping of threads would issue (HARP §3.2)")) {
    core.stats().ratio("oracle_lane_activity", "active lanes per warp instruction of the best regrouping (HARP §3.2)",
                       "thread_instructions", "oracle_warp_instructions", geometry.warp_size);
    core.stats().ratio("oracle_bound", "warp instructions of PDOM over those of the best regrouping",
                       "warp_instructions", "oracle_warp_instructions");
  }

  void kernel_started(const isa::Kernel& kernel) override {
    WarpReconvergence::kernel_started(kernel);
    for (std::vector<std::uint32_t>& counts : executions_) counts.assign(std::size_t{kernel.end()} * lanes_, 0);
  }
  void kernel_ended() override {
    WarpReconvergence::kernel_ended();
    for (std::vector<std::uint32_t>& counts : executions_) close(counts);
  }
  void block_finished(const Block& block) override {
    if (params_.scope == Scope::kBlock) close(executions_[block.slot]);
  }

  void branch_resolved(WarpId id, const Branch& branch) override {
    WarpReconvergence::branch_resolved(id, without_likely_point(branch));
  }

  Pc goes_straight_to(WarpId /*warp*/, Pc /*end*/) const override { return 0; }  // each instruction counts
  void issued(WarpId id, Cycle /*now*/) override {
    const Warp& warp = core_.warp(id);
    std::vector<std::uint32_t>& counts = executions_[params_.scope == Scope::kCore ? 0 : core_.block_of(id)];
    std::uint32_t* of_pc = counts.data() + std::size_t{warp.pc} * lanes_;
    for (unsigned lane = 0; lane < lanes_; ++lane) of_pc[lane] += static_cast<std::uint32_t>(warp.mask >> lane & 1);
  }

 private:
  void close(std::vector<std::uint32_t>& counts) {
    for (auto of_pc = counts.begin(); of_pc != counts.end(); of_pc += lanes_) {
      issues_ += *std::max_element(of_pc, of_pc + lanes_);
    }
    std::fill(counts.begin(), counts.end(), 0);
  }

  OracleParams params_;
  unsigned lanes_;
  Core& core_;
  // How often the threads of each lane executed each instruction, [pc × lanes + lane]: per block slot, or of the core.
  std::vector<std::vector<std::uint32_t>> executions_;
  Counter& issues_;
};

const Register<OracleParams, Oracle> oracle_registration(
    "oracle", "bound on lane activity: the fewest warp instructions; has no cycles", "HARP §3.2");

}  // namespace
}  // namespace divergence
}  // namespace warpfold
