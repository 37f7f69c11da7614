// SPDX-License-Identifier: Apache-2.0
// TBC-LCP: thread block compaction whose threads also reconverge at likely-convergence points (TBC §4).
#include "warpfold/divergence/parts/block/block_compaction.h"
#include "warpfold/divergence/parts/warp/likely_points.h"

namespace warpfold::divergence {
namespace {

struct TbcLcpParams : BlockCompactionParams, LikelyPointsParams {
  static constexpr auto fields() {
    return std::tuple_cat(BlockCompactionParams::fields(), LikelyPointsParams::fields());
  }
  // A pc and a stack position more per entry (TBC §4).
  Hardware hardware(const HardwareGeometry& geometry) const {
    const unsigned entries = entries_in(geometry);
    return block_compaction(geometry, entries, 3 * kPcBits + count_bits(geometry) + index_bits(entries), stack_stages);
  }
};

class TbcLcp final : public BlockCompaction {
 public:
  TbcLcp(const TbcLcpParams& params, const Geometry& geometry, Core& core)
      : BlockCompaction(params, geometry, core, BlockStackSpills::kFieldBytes + 4 + 2), points_(params.points) {}
  void kernel_started(const isa::Kernel& kernel) override {
    BlockCompaction::kernel_started(kernel);
    points_.kernel_started(kernel);
  }
  void branch_resolved(WarpId id, const Branch& branch) override {
    BlockCompaction::branch_resolved(id, points_.applied_to(branch));
  }

 private:
  LikelyPoints points_;
};

const Register<TbcLcpParams, TbcLcp> tbc_lcp_registration(
    "tbc-lcp", "thread block compaction that also reconverges at likely-convergence points", "TBC §4");

}  // namespace
}  // namespace warpfold::divergence
