// SPDX-License-Identifier: Apache-2.0
// How many blocks fit a core: each limit on its own, one below and one above, and what does not fit at all.
#include <gtest/gtest.h>

#include "warpfold/common/error.h"
#include "warpfold/gpu/machine/occupancy.h"

namespace warpfold {
namespace occupancy_test {

class OccupancyTest : public testing::Test {
 protected:
  OccupancyTest() {
    kernel_.name.assign(1, 'k');
    launch_.kernel = &kernel_;
    core_.max_threads = 256;
    core_.max_blocks = 6;
    core_.registers = 4096;
    core_.shared_bytes = 1000;
  }
  Occupancy of(unsigned threads, std::uint16_t registers = 0, std::uint32_t shared = 0) {
    set(threads, registers, shared);
    return occupancy(core_, launch_);
  }
  void set(unsigned threads, std::uint16_t registers, std::uint32_t shared) {
    launch_.block = {threads, 1, 1};
    kernel_.registers = registers;
    launch_.shared_bytes = shared;
  }
  std::string refusal(unsigned threads, std::uint16_t registers = 0, std::uint32_t shared = 0) {
    try {
      set(threads, registers, shared);
      occupancy_of_fitting(core_, launch_);
    } catch (const UserError& error) {
      return error.what();
    }
    return "it fits";
  }

  CoreParams core_;
  isa::Kernel kernel_;
  isa::Launch launch_;
};

TEST_F(OccupancyTest, Threads) {
  EXPECT_EQ(of(64).blocks, 4U);
  EXPECT_STREQ(of(64).limit, "threads");
  EXPECT_EQ(of(65).blocks, 2U) << "three warps, of eight";
  EXPECT_EQ(of(65).rows, 3U);
  EXPECT_EQ(of(256).blocks, 1U);
}

// Two schedulers of four warps each.
TEST_F(OccupancyTest, WholeBlocksFitASchedulersThreads) {
  core_.schedulers = 2;
  EXPECT_EQ(of(96).blocks, 2U) << "of three warps, in eight";
  core_.placement.deal = Deal::kBlocks;
  EXPECT_EQ(of(96).blocks, 2U) << "one each";
  EXPECT_EQ(of(64).blocks, 4U);
  EXPECT_EQ(of(65).blocks, 2U);
  EXPECT_EQ(of(129).blocks, 1U) << "of five warps, which no scheduler has room for: in rows";
  EXPECT_EQ(of(256).blocks, 1U);
}

TEST_F(OccupancyTest, Blocks) {
  EXPECT_EQ(of(32).blocks, 6U);
  EXPECT_STREQ(of(32).limit, "blocks");
  EXPECT_EQ(of(1).blocks, 6U);
}

// Whole warps: a block of 33 threads takes the registers of 64.
TEST_F(OccupancyTest, Registers) {
  EXPECT_EQ(of(33, 16).blocks, 4U);
  EXPECT_EQ(of(33, 17).blocks, 3U);
  EXPECT_STREQ(of(33, 17).limit, "registers");
}

TEST_F(OccupancyTest, SharedMemory) {
  EXPECT_EQ(of(32, 0, 200).blocks, 5U);
  EXPECT_EQ(of(32, 0, 201).blocks, 4U);
  EXPECT_STREQ(of(32, 0, 201).limit, "shared memory");
}

TEST_F(OccupancyTest, WhatDoesNotFitAtAll) {
  EXPECT_EQ(refusal(257), "kernel 'k': block of 257 threads: a core holds 256 (core.max_threads)");
  EXPECT_EQ(refusal(256, 16), "it fits");
  EXPECT_EQ(refusal(256, 17),
            "kernel 'k': a block of 256 threads needs 4352 registers (17 per thread): a core has 4096");
  EXPECT_EQ(refusal(32, 0, 1000), "it fits");
  EXPECT_EQ(refusal(32, 0, 1001),
            "kernel 'k': a block needs 1001 bytes of shared memory: a core has 1000 (--machine gtx480 has 49152)");
  kernel_.max_threads = 64;
  EXPECT_EQ(refusal(64), "it fits");
  EXPECT_EQ(refusal(65), "kernel 'k': block of 65 threads: the kernel was compiled for at most 64 (.maxntid)");
}

TEST_F(OccupancyTest, NoBlocksAndWhy) {
  EXPECT_EQ(of(257).blocks, 0U);
  EXPECT_STREQ(of(257).limit, "threads");
  EXPECT_EQ(of(256, 17).blocks, 0U);
  EXPECT_STREQ(of(256, 17).limit, "registers");
  EXPECT_EQ(of(32, 0, 1001).blocks, 0U);
  EXPECT_STREQ(of(32, 0, 1001).limit, "shared memory");
}

TEST_F(OccupancyTest, EmptyLaunches) {
  EXPECT_EQ(refusal(0), "kernel 'k': launch of 1 blocks of 0 threads: both must be at least 1");
  launch_.grid = {4, 0, 1};
  EXPECT_EQ(refusal(32), "kernel 'k': launch of 0 blocks of 32 threads: both must be at least 1");
}

}  // namespace occupancy_test
}  // namespace warpfold
