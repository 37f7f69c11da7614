// SPDX-License-Identifier: Apache-2.0
// The block dispatcher alone, with cores that only hold a block for some cycles: who gets which block, and when.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "tests/common/fresh_systemc.h"
#include "warpfold/gpu/machine/block_dispatcher.h"

namespace warpfold {
namespace block_dispatcher_test {

struct Start {
  Cycle at;
  unsigned core;
  std::uint64_t block;
  isa::Dim3 ctaid;
};

class HoldingCore : public sc_core::sc_module, public Clocked {
 public:
  TargetPort<HoldingCore, BlockProtocol> block_socket{"block_socket", *this, &HoldingCore::take};

  HoldingCore(sc_core::sc_module_name name, unsigned core, Cycle hold, ClockDomain& domain, std::vector<Start>& starts)
      : sc_module(name), core_(core), hold_(hold), starts_(starts) {
    domain.add(*this, core + 1);
  }

  Cycle tick(Cycle now) override {
    while (!ends_.empty() && ends_.front().first <= now) {
      BlockMessage message{ends_.front().second, {0, 0, 0}};
      ends_.erase(ends_.begin());
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      send_backward(block_socket, message, phase);
    }
    return ends_.empty() ? kNever : ends_.front().first;
  }
  std::size_t held() const { return ends_.size(); }
  std::size_t most = 0;

 private:
  tlm::tlm_sync_enum take(unsigned /*port*/, BlockMessage& message, tlm::tlm_phase& /*phase*/) {
    const Cycle now = clock().current();
    starts_.push_back({now, core_, message.id, message.ctaid});
    ends_.emplace_back(now + hold_, message.id);
    most = std::max(most, ends_.size());
    wake(now + hold_);
    return tlm::TLM_COMPLETED;
  }

  unsigned core_;
  Cycle hold_;
  std::vector<Start>& starts_;
  std::vector<std::pair<Cycle, std::uint64_t>> ends_;
};

class BlockDispatcherTest : public FreshSystemC {
 protected:
  void make(const std::vector<Cycle>& holds) {
    std::vector<StatGroup*> groups;
    for (unsigned core = 0; core < holds.size(); ++core) groups.push_back(&stats_.group(fmt::format("core{}", core)));
    usage_ = std::make_unique<CoreUsage>(stats_.group("gpu"), groups);
    dispatcher_ =
        std::make_unique<BlockDispatcher>("dispatcher", static_cast<unsigned>(holds.size()), domain_, 0, *usage_);
    for (unsigned core = 0; core < holds.size(); ++core) {
      cores_.push_back(
          std::make_unique<HoldingCore>(fmt::format("core{}", core).c_str(), core, holds[core], domain_, starts_));
      dispatcher_->core_sockets[core].bind(cores_[core]->block_socket);
    }
  }
  void run(isa::Dim3 grid, unsigned blocks_per_core) {
    starts_.clear();
    dispatcher_->start(grid, blocks_per_core);
    sc_core::sc_start();
    EXPECT_TRUE(dispatcher_->finished());
    EXPECT_EQ(dispatcher_->blocks_finished(), grid.count());
    ASSERT_EQ(starts_.size(), grid.count());
    for (std::size_t i = 0; i < starts_.size(); ++i) EXPECT_EQ(starts_[i].block, i) << "in order";
  }

  ClockTree clocks_{"clocks"};
  ClockDomain& domain_ = clocks_.domain(1000);
  std::vector<Start> starts_;
  StatRegistry stats_;
  std::unique_ptr<CoreUsage> usage_;
  std::unique_ptr<BlockDispatcher> dispatcher_;
  std::vector<std::unique_ptr<HoldingCore>> cores_;
};

TEST_F(BlockDispatcherTest, OnePerCoreAndCycle) {
  make({100, 100, 100});
  run({8, 1, 1}, 2);
  for (unsigned i = 0; i < 6; ++i) {
    EXPECT_EQ(starts_[i].core, i % 3);
    EXPECT_EQ(starts_[i].at, starts_[0].at + i / 3);
  }
  EXPECT_EQ(starts_[6].at, starts_[0].at + 101) << "the cycle after room is made";
  for (const auto& core : cores_) EXPECT_EQ(core->most, 2U);
}

TEST_F(BlockDispatcherTest, CoresThatFinishEarlierGetMore) {
  make({10, 35});
  run({9, 1, 1}, 1);
  const auto on_first =
      std::count_if(starts_.begin(), starts_.end(), [](const Start& start) { return start.core == 0; });
  EXPECT_EQ(on_first, 7);
}

TEST_F(BlockDispatcherTest, NumbersBlocksXFirst) {
  make({5});
  run({3, 2, 2}, 8);
  EXPECT_EQ(starts_[7].ctaid.x, 1U);
  EXPECT_EQ(starts_[7].ctaid.y, 0U);
  EXPECT_EQ(starts_[7].ctaid.z, 1U);
  EXPECT_EQ(starts_[11].ctaid.x, 2U);
  EXPECT_EQ(starts_[11].ctaid.y, 1U);
  EXPECT_EQ(starts_[11].ctaid.z, 1U);
}

// Blocks of 10 and of 35 cycles: the next one comes in the cycle after, so no core is ever seen empty between two. A
// block that comes in cycle t and goes in t + 10 is held for 11 cycles. Seven of nine fall to the first core.
TEST_F(BlockDispatcherTest, CountsTheCyclesOfCoresWithABlock) {
  make({10, 35});
  run({9, 1, 1}, 1);
  const auto busy = [this](unsigned core) { return stats_.groups()[core].entries()[0].counter.value(); };
  EXPECT_EQ(busy(0), 7 * 11U);
  EXPECT_EQ(busy(1), 2 * 36U);
}

TEST_F(BlockDispatcherTest, OneLaunchAfterAnother) {
  make({5, 5});
  run({5, 1, 1}, 2);
  run({2, 1, 1}, 1);
  EXPECT_EQ(starts_[0].core, 0U);
  EXPECT_EQ(starts_[1].core, 1U);
}

}  // namespace block_dispatcher_test
}  // namespace warpfold
