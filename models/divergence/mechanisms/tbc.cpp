// SPDX-License-Identifier: Apache-2.0
// TBC: thread block compaction, reconverging at immediate post-dominators (TBC §3).
#include "warpfold/divergence/parts/block/block_compaction.h"
#include "warpfold/divergence/parts/warp/likely_points.h"

namespace warpfold::divergence {
namespace {

class Tbc final : public BlockCompaction {
 public:
  using BlockCompaction::BlockCompaction;
  void branch_resolved(WarpId id, const Branch& branch) override {
    BlockCompaction::branch_resolved(id, without_likely_point(branch));
  }
};

const Register<BlockCompactionParams, Tbc> tbc_registration(
    "tbc", "thread block compaction: block-wide stack, threads compacted at branches", "TBC §3");

}  // namespace
}  // namespace warpfold::divergence
