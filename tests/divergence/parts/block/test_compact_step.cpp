// SPDX-License-Identifier: Apache-2.0
// A compaction step against a model of priority encoders (TBC §3.2, Fig. 8).
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

#include "warpfold/divergence/parts/block/compact_step.h"

namespace warpfold::divergence {
namespace compact_step_test {

using Rows = std::vector<LaneMask>;

// As the hardware is drawn: a buffer of bits per home lane, and an encoder that takes the first bit set in it.
class Encoders {
 public:
  Encoders(const Rows& rows, unsigned lanes) : buffers_(lanes, std::vector<bool>(rows.size())) {
    for (unsigned row = 0; row < rows.size(); ++row) {
      for (unsigned lane = 0; lane < lanes; ++lane) buffers_[lane][row] = (rows[row] >> lane & 1) != 0;
    }
  }
  // The row that each lane's encoder selects.
  std::vector<std::optional<unsigned>> step() {
    std::vector<std::optional<unsigned>> selected(buffers_.size());
    for (unsigned lane = 0; lane < buffers_.size(); ++lane) {
      for (unsigned row = 0; row < buffers_[lane].size() && !selected[lane]; ++row) {
        if (buffers_[lane][row]) selected[lane] = row;
      }
      if (selected[lane]) buffers_[lane][*selected[lane]] = false;
    }
    return selected;
  }

 private:
  std::vector<std::vector<bool>> buffers_;
};

constexpr unsigned kFirstRow = 40;

bool empty(const Rows& rows) {
  return std::all_of(rows.begin(), rows.end(), [](LaneMask row) { return row == 0; });
}

bool equal(const Warp& warp, const std::vector<std::optional<unsigned>>& selected) {
  bool one_row = true;
  std::optional<unsigned> first;
  for (unsigned lane = 0; lane < selected.size(); ++lane) {
    if (((warp.mask >> lane & 1) != 0) != selected[lane].has_value()) return false;
    if (!selected[lane]) continue;
    if (warp.row[lane] != kFirstRow + *selected[lane]) return false;
    one_row = one_row && *selected[lane] == first.value_or(*selected[lane]);
    first = selected[lane];
  }
  return warp.one_row == one_row && warp.mask >> (selected.size() - 1) >> 1 == 0;
}

// Steps until all threads are out; true when every warp is what the encoders select.
bool as_encoders(Rows rows, unsigned lanes) {
  Encoders encoders(rows, lanes);
  while (!empty(rows)) {
    const Warp warp = compact_step(rows, kFirstRow, 17, true);
    if (warp.pc != 17 || warp.mask == 0 || !equal(warp, encoders.step())) return false;
  }
  return true;
}

TEST(CompactStep, EveryMaskOfSmallBlocks) {
  for (const auto& [rows, lanes] : {std::pair{1U, 4U}, {2U, 4U}, {3U, 4U}, {4U, 3U}, {6U, 2U}, {12U, 1U}}) {
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << (rows * lanes); ++bits) {
      Rows threads;
      for (unsigned row = 0; row < rows; ++row) threads.push_back(bits >> (row * lanes) & ((1U << lanes) - 1));
      ASSERT_TRUE(as_encoders(threads, lanes)) << rows << " rows of " << lanes << ", bits " << std::hex << bits;
    }
  }
}

TEST(CompactStep, RandomMasksOf32RowsOf32And64Lanes) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    const unsigned lanes = round % 2 == 0 ? 32 : 64;
    Rows threads(32);
    for (LaneMask& row : threads) {
      row = random();
      for (int i = round / 2 % 4; i > 0; --i) row &= random();  // from half full to sparse
      if (lanes == 32) row &= 0xffff'ffff;
    }
    ASSERT_TRUE(as_encoders(threads, lanes)) << "round " << round;
  }
}

TEST(CompactStep, AFullBlockGivesTheStaticWarps) {
  Rows threads(32, 0xffff'ffff);
  for (unsigned row = 0; row < 32; ++row) {
    const Warp warp = compact_step(threads, 8, 3, true);
    EXPECT_EQ(warp.mask, 0xffff'ffffU);
    EXPECT_TRUE(warp.one_row);
    for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(warp.row[lane], 8 + row);
  }
  EXPECT_TRUE(empty(threads));
}

TEST(CompactStep, WithoutRegroupingEachRowLeavesAsItIs) {
  std::mt19937_64 random(12);
  for (int round = 0; round < 100; ++round) {
    Rows threads(8);
    for (LaneMask& row : threads) row = random() % 3 == 0 ? 0 : random() & 0xff;
    Rows left = threads;
    for (unsigned row = 0; row < 8; ++row) {
      if (threads[row] == 0) continue;
      const Warp warp = compact_step(left, kFirstRow, 5, false);
      EXPECT_EQ(warp.mask, threads[row]);
      EXPECT_TRUE(warp.one_row);
      for (unsigned lane = 0; lane < 8; ++lane) EXPECT_EQ(warp.row[lane], kFirstRow + row);
    }
    EXPECT_TRUE(empty(left));
  }
}

}  // namespace compact_step_test
}  // namespace warpfold::divergence
