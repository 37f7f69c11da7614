// SPDX-License-Identifier: Apache-2.0
// rtl/split_table.sv against splits of rows that divide, move and meet as a core's do.
#include <map>

#include "tb/cosim/tables/split_table_shadow.h"
#include "tests/cosim/shadow_bench.h"

namespace warpfold::cosim {
namespace lockstep_split_table_test {

using divergence::kNoWarp;
using divergence::Split;
using divergence::WarpId;
using isa::LaneMask;

struct Size {
  unsigned lanes, rows, entries, operations;
};

// Rows of a core, each a list of splits with disjoint threads. Rows with one have no entry.
class RandomSplits {
 public:
  RandomSplits(SplitTableShadow& shadow, const Size& size) : shadow_(shadow), size_(size), random_(size.entries) {
    for (unsigned row = 0; row < size.rows; ++row) {
      rows_[row] = {{next_slot_++, 0, low_bits(size.lanes), ~0U, true}};
    }
  }
  unsigned joined = 0, refused = 0;

  void step() {
    const unsigned row = draw(4) == 0 ? draw(size_.rows) : draw(std::min(size_.rows, 3U));
    std::vector<Split>& splits = rows_[row];
    const unsigned at = draw(splits.size());
    if (draw(3) == 0) {
      divide(row, splits, at);
    } else {
      come(row, splits, at);
    }
  }

 private:
  unsigned draw(std::size_t below) { return static_cast<unsigned>(random_() % below); }
  static unsigned entries_of(const std::vector<Split>& splits) {
    return splits.size() > 1 ? static_cast<unsigned>(splits.size()) : 0;
  }
  void tell(unsigned row, const std::vector<Split>& splits) {
    shadow_.changed(row, splits.size() > 1 ? std::span<const Split>(splits) : std::span<const Split>());
  }

  void divide(unsigned row, std::vector<Split>& splits, unsigned at) {
    unsigned used = 0;
    for (const auto& [other, of_row] : rows_) used += entries_of(of_row);
    const bool room = used - entries_of(splits) + splits.size() + 1 <= size_.entries;
    shadow_.asked(row, room);
    const LaneMask part = splits[at].mask & sparse_or_dense(random_, draw(6));
    // Now and then threads that had waited elsewhere come back, whether there is room or not.
    if ((!room && draw(8) != 0) || part == 0 || part == splits[at].mask) return;
    refused += room ? 0 : 1;
    Split other = splits[at];
    other.slot = next_slot_++;
    other.mask = part;
    if (draw(4) == 0) other.point = draw(3);
    splits[at].mask &= ~part;
    splits.push_back(other);
    tell(row, splits);
  }

  // A split goes on, to where another may stand; one whose threads wait elsewhere goes.
  void come(unsigned row, std::vector<Split>& splits, unsigned at) {
    Split split = splits[at];
    splits.erase(splits.begin() + at);
    for (Split& other : splits) other.stands = draw(4) != 0;
    split.pc = draw(8) == 0 ? draw(0x10000) : draw(4);
    if (draw(4) == 0) split.point = draw(3);
    if (!splits.empty() && draw(2) == 0) split.pc = splits[0].pc;
    const auto found = std::find_if(splits.begin(), splits.end(), [&](const Split& other) {
      return other.stands && other.pc == split.pc && other.point == split.point;
    });
    const bool joins = found != splits.end();
    shadow_.came(row, split, splits, joins ? found->slot : kNoWarp);
    if (joins) {
      found->mask |= split.mask;
      ++joined;
    } else if (splits.empty() || draw(8) != 0) {
      split.stands = draw(2) == 0;
      splits.push_back(split);
    } else {
      splits[0].mask |= split.mask;
    }
    tell(row, splits);
  }

  SplitTableShadow& shadow_;
  const Size size_;
  std::mt19937_64 random_;
  std::map<unsigned, std::vector<Split>> rows_;
  WarpId next_slot_ = 0;
};

class SplitTableLockStep : public ShadowTest {
 protected:
  SplitTableLockStep() : ShadowTest("split-table") {}

  void run(Session& session, const Size& size) {
    SplitTableShadow shadow(session, clock, 0, {size.lanes, size.rows, size.entries});
    RandomSplits splits(shadow, size);
    while (operations(session) < size.operations) splits.step();
    EXPECT_GT(splits.joined, size.operations / 100);
    EXPECT_GT(splits.refused, 0U) << "came back to a full table";
  }
};

class SplitTableSizes : public SplitTableLockStep, public ::testing::WithParamInterface<Size> {};

TEST_P(SplitTableSizes, RandomSplits) {
  Session session = this->session();
  EXPECT_EQ(complaint([&] { run(session, GetParam()); }), "");
  report(operations(session), "split-table");
}

INSTANTIATE_TEST_SUITE_P(Sizes, SplitTableSizes,
                         ::testing::Values(Size{4, 2, 3, 50'000}, Size{16, 48, 8, 50'000}, Size{32, 32, 16, 50'000}),
                         [](const auto& size) {
                           return fmt::format("{}x{}in{}", size.param.lanes, size.param.rows, size.param.entries);
                         });

TEST_F(SplitTableLockStep, AWrongOneIsCaught) {
  Session session = this->session(without_guard("split_table"));
  expect_caught(complaint([&] { run(session, {8, 4, 6, 20'000}); }), "core0.split-table", "meet: ");
}

TEST_F(SplitTableLockStep, Coverage) {
  Session session = this->session();
  session.collect_coverage(directory);
  EXPECT_EQ(complaint([&] { run(session, {8, 4, 6, 50'000}); }), "");
  expect_coverage(directory / "split-table.reset.dat", directory / "split-table.dat", 100, 90);
}

}  // namespace lockstep_split_table_test
}  // namespace warpfold::cosim
