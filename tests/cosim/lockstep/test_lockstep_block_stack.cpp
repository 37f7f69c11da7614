// SPDX-License-Identifier: Apache-2.0
// rtl/block_stack.sv against the model's stack, operation by operation.
#include "tb/cosim/stacks/stack.h"
#include "tests/cosim/shadow_bench.h"
#include "warpfold/divergence/parts/block/block_stack.h"
#include "warpfold/divergence/parts/block/compact_step.h"
#include "warpfold/divergence/parts/warp/stack_spills.h"

namespace warpfold::cosim {
namespace lockstep_block_stack_test {

using divergence::BlockStack;
using divergence::Branch;
using divergence::BranchOrder;
using divergence::Warp;
using isa::LaneMask;
using isa::Pc;

constexpr unsigned kDepth = divergence::BlockStackSpills::kEntries;

// A block whose threads do whatever a block-wide stack allows: the warps of an entry meet at a branch, at the
// reconvergence point or at the likely-convergence point, in any order, and some of their threads exit on the way.
class RandomBlocks {
 public:
  RandomBlocks(BlockStack& stack, unsigned lanes, unsigned rows, unsigned seed)
      : stack_(stack), lanes_(lanes), rows_(rows), random_(seed) {}

  void run_one() {
    first_pc_ = draw(2) == 0 ? 0 : draw(0xffff - kPcs);
    exits_ = draw(2) == 0;
    deep_ = draw(16) == 0;  // ever new branches, until the RTL has no room
    divergence::Block block{0, 0, 0, draw(4), std::vector<LaneMask>(1 + draw(rows_))};
    first_row_ = block.first_row;
    const unsigned kind = draw(6);
    for (LaneMask& row : block.threads) row = sparse_or_dense(random_, kind) & low_bits(lanes_);
    block.threads[0] |= 1;
    stack_.start(block, first_pc_ + kPcs);
    bool regroup = false;  // the first warps are rows
    for (unsigned left = 10 + draw(60);; left -= left > 0 ? 1 : 0) {
      arrive(left > 0, regroup);
      regroup = draw(4) != 0;
      const auto order = static_cast<BranchOrder>(draw(divergence_orders()));
      if (stack_.advance(order, regroup) == nullptr) break;
    }
  }

 private:
  static constexpr Pc kPcs = 15;

  static unsigned divergence_orders() { return static_cast<unsigned>(std::size(Choices<BranchOrder>::names)); }
  unsigned draw(std::size_t below) { return static_cast<unsigned>(random_() % below); }
  Pc draw_pc() { return first_pc_ + draw(kPcs); }

  std::vector<Warp> warps_of_the_top(bool regroup) {
    std::vector<LaneMask> threads = stack_.top().threads;
    std::vector<Warp> warps;
    for (unsigned count = stack_.top().warps; count > 0; --count) {
      warps.push_back(divergence::compact_step(threads, first_row_, 0, regroup));
    }
    std::shuffle(warps.begin(), warps.end(), random_);
    return warps;
  }

  void arrive(bool may_branch, bool regroup) {
    const bool room = stack_.size() + 3 <= kDepth || deep_;
    const bool branches = may_branch && room && draw(8) < (deep_ ? 8 : 5);
    const Branch branch = random_branch();
    const Pc point = stack_.top().lpc != isa::kNoPc && draw(2) == 0 ? stack_.top().lpc : stack_.top().rpc;
    for (Warp& warp : warps_of_the_top(regroup)) {
      if (exits_ && draw(8) == 0) {
        const LaneMask gone = warp.mask & (random_() | random_());
        warp.mask &= ~gone;
        stack_.exit(warp, gone, warp.mask == 0);
        if (warp.mask == 0) continue;
      }
      if (branches) {
        Branch outcome = branch;
        outcome.taken = warp.mask & sparse_or_dense(random_, draw(7));
        stack_.arrive_at_branch(warp, outcome);
      } else {
        stack_.arrive(point);
      }
    }
  }
  // Nothing follows the end of the kernel.
  Branch random_branch() {
    const Pc end = first_pc_ + kPcs;
    Branch branch{draw_pc(), 0, draw_pc(), draw(4) == 0 ? end : draw_pc(), isa::kNoPc, true};
    if (draw(3) == 0) branch.reconvergence = stack_.top().rpc;
    if (draw(3) == 0) branch.likely = draw_pc();
    if (branch.likely == branch.reconvergence) branch.likely = isa::kNoPc;
    return branch;
  }

  BlockStack& stack_;
  unsigned lanes_, rows_, first_row_ = 0;
  std::mt19937_64 random_;
  Pc first_pc_ = 0;
  bool exits_ = false, deep_ = false;
};

struct Size {
  unsigned lanes, rows, operations, stages = 1;
};

class BlockStackLockStep : public ShadowTest {
 protected:
  BlockStackLockStep() : ShadowTest("stack") {}

  void run(Session& session, const Size& size) {
    RtlStack player(session, clock, 0, 0, {size.lanes, size.rows}, {kDepth, size.stages});
    BlockStack stack(size.stages);
    stack.played_by(&player);
    RandomBlocks blocks(stack, size.lanes, size.rows, size.lanes);
    while (operations(session) < size.operations) blocks.run_one();
  }
};

class BlockStackSizes : public BlockStackLockStep, public ::testing::WithParamInterface<Size> {};

TEST_P(BlockStackSizes, RandomOperations) {
  Session session = this->session("", true);
  EXPECT_EQ(complaint([&] { run(session, GetParam()); }), "");
  report(operations(session), "stack");
}

INSTANTIATE_TEST_SUITE_P(Sizes, BlockStackSizes,
                         ::testing::Values(Size{4, 4, 500'000}, Size{32, 8, 500'000}, Size{8, 32, 50'000},
                                           Size{4, 4, 100'000, 2}, Size{8, 32, 20'000, 2}),
                         [](const auto& size) {
                           return fmt::format("{}x{}_{}", size.param.lanes, size.param.rows, size.param.stages);
                         });

TEST_F(BlockStackLockStep, AWrongOneIsCaught) {
  Session session = this->session(without_guard("block_stack"));
  expect_waveform(complaint([&] {
                    run(session, {4, 4, 10'000});
                  }),
                  "core0.stack_block0: clock \\d+: block_stack.sv:\\d+: Assertion failed in .*NoOverflow.*");
}

TEST_F(BlockStackLockStep, Coverage) {
  Session session = this->session();
  session.collect_coverage(directory);
  EXPECT_EQ(complaint([&] { run(session, {4, 4, 20'000}); }), "");
  // Of 44 lines one: operations that do not exist. Of 852 bits six: the upper ones of how many entries a branch makes
  // (2 or 3), and the reset, which comes once.
  expect_coverage(directory / "stack.reset.dat", directory / "stack.dat", 97, 99);
}

}  // namespace lockstep_block_stack_test
}  // namespace warpfold::cosim
