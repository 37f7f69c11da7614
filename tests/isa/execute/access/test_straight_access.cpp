// SPDX-License-Identifier: Apache-2.0
// Loads and stores of runs: where all lanes share one place, and where they do not, what execute() does.
#include <gtest/gtest.h>

#include "tests/isa/memory_fixture.h"
#include "warpfold/isa/address_space.h"

namespace warpfold::isa {
namespace straight_access_test {

// One warp of 32 lanes and its memory, twice.
struct Pair {
  static constexpr unsigned kBytes = 8192;
  WarpFixture by_one{Dim3{64, 1, 1}}, in_run{Dim3{64, 1, 1}};
  std::array<Address, 2> box;

  template <class F>
  void each(F f) {
    f(by_one, 0U);
    f(in_run, 1U);
  }
  template <class Write>
  void start(Write write) {
    each([&](WarpFixture& warp, unsigned k) {
      warp.launch.shared_bytes = kBytes;
      warp.kernel.local_bytes = 64;
      warp.bank.assign(kBytes, std::byte{0x83});
      box[k] = warp.memory.allocate(kBytes, "box");
      write(warp);
      warp.start();
      std::vector<std::uint16_t> noise(kBytes / 2);
      for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<std::uint16_t>(i * 40503U >> 3);
      ASSERT_TRUE(warp.memory.write(box[k], noise.data(), kBytes));
      std::copy_n(reinterpret_cast<const std::byte*>(noise.data()), kBytes, warp.blocks[0]->shared.data());
      for (unsigned lane = 0; lane < 32; ++lane) {
        for (Word word = 0; word < 4; ++word) warp.at(0, word, lane) = 1000 * word + lane;
      }
    });
    in_run.executor->prepare_runs();
  }
  // All of the kernel in the lanes `mask`, the wide base of lane l at base + at(l).
  template <class At>
  void run(LaneMask mask, Space space, At at) {
    each([&](WarpFixture& warp, unsigned k) {
      for (unsigned lane = 0; lane < 32; ++lane)
        warp.set_address(0, 8, lane, (space == Space::kGlobal ? box[k] : 0) + at(lane));
    });
    std::array<std::uint16_t, kMaxLanes> rows{};
    Executor::Run run;
    in_run.executor->run(0, in_run.kernel.end(), {rows.data(), mask, 32, true}, run);
    for (Pc pc = 0; pc < by_one.kernel.end(); ++pc) by_one.run(pc, 0, mask);
    for (unsigned n = 0; n < by_one.kernel.words(); ++n) {
      const auto word = static_cast<Word>(n);
      if (word == 8 || word == 9) continue;
      for (unsigned lane = 0; lane < 32; ++lane)
        EXPECT_EQ(by_one.at(0, word, lane), in_run.at(0, word, lane)) << word << ' ' << lane;
    }
    std::array<std::vector<std::byte>, 2> bytes{std::vector<std::byte>(kBytes), std::vector<std::byte>(kBytes)};
    each([&](WarpFixture& warp, unsigned k) { ASSERT_TRUE(warp.memory.read(box[k], bytes[k].data(), kBytes)); });
    EXPECT_EQ(bytes[0], bytes[1]);
    EXPECT_EQ(by_one.blocks[0]->shared, in_run.blocks[0]->shared);
  }
};

void loads_and_stores(WarpFixture& warp, Space space, unsigned bytes, bool sign_extend, bool wide_base) {
  const std::vector<Word> results = bytes == 8 ? std::vector<Word>{4} : std::vector<Word>{4, 5};
  const auto at = [&](MicroOp& op, int offset) -> MicroOp& {  // good until the next is made
    op.offset = offset;
    op.base_wide = wide_base;
    return op;
  };
  at(warp.load("ld", space, bytes, results, 8), 32).sign_extend = sign_extend;
  at(warp.load("ld", space, bytes == 8 ? 4 : bytes, {10}, 8), 16);
  at(warp.store("st", space, bytes, bytes == 8 ? std::vector<Word>{0} : std::vector<Word>{0, 1}, 8), -32);
  at(warp.store("st", space, bytes == 8 ? 4 : bytes, {2}, 8), 1024);
}

TEST(StraightAccess, EverySizeSpaceAndPattern) {
  struct Base {
    Space space;
    bool wide;
  };
  for (const Base base : {Base{Space::kGlobal, true}, {Space::kShared, true}, {Space::kShared, false}}) {
    for (const unsigned bytes : {1U, 2U, 4U, 8U}) {
      for (const bool sign_extend : {false, true}) {
        for (const LaneMask mask : {kAll, LaneMask{0x00f0a001}, LaneMask{0xf0ff5afe}}) {
          for (unsigned pattern = 0; pattern < 4; ++pattern) {
            SCOPED_TRACE(testing::Message() << static_cast<int>(base.space) << ' ' << base.wide << ' ' << bytes << ' '
                                            << sign_extend << ' ' << mask << ' ' << pattern);
            Pair pair;
            pair.start([&](WarpFixture& warp) { loads_and_stores(warp, base.space, bytes, sign_extend, base.wide); });
            pair.run(mask, base.space, [=](unsigned lane) {
              const std::array<Address, 4> at{16 * lane, 4 * lane + (lane < 16 ? 0 : 256), 64, 16 * (lane * 7 % 32)};
              return 64 + (at[pattern] & ~Address{15});
            });
          }
        }
      }
    }
  }
}

TEST(StraightAccess, NeighbouringWords) {
  for (const LaneMask mask : {kAll, LaneMask{0x7ffffff0}, LaneMask{0x00f0a001}}) {
    for (const unsigned bytes : {1U, 2U, 4U, 8U}) {
      Pair pair;
      pair.start([=](WarpFixture& warp) {
        warp.load("ld", Space::kGlobal, bytes, {4}, 8);
        warp.store("st", Space::kGlobal, bytes, {0}, 8).offset = 4096;
      });
      pair.run(mask, Space::kGlobal, [=](unsigned lane) { return Address{bytes} * lane; });
    }
  }
}

TEST(StraightAccess, WithoutABase) {
  for (const LaneMask mask : {kAll, LaneMask{0x7ffffff0}, LaneMask{0x00f0a001}}) {
    Pair pair;
    pair.start([](WarpFixture& warp) {
      warp.launch.parameters.resize(64);
      for (unsigned i = 0; i < 64; ++i) warp.launch.parameters[i] = static_cast<std::byte>(200 + i);
      warp.load("ld", Space::kParam, 4, {4, 5}, kNoWord).offset = 56;
      warp.load("ld", Space::kConst, 8, {6}, kNoWord).offset = 8;
      warp.store("st", Space::kShared, 2, {1}, kNoWord).offset = 6;
      warp.load("ld", Space::kShared, 2, {10}, kNoWord).offset = 6;
    });
    pair.run(mask, Space::kGlobal, [](unsigned) { return Address{0}; });
  }
}

// Other lanes' words would lie before the allocation, or behind it.
TEST(StraightAccess, NeighboursThatAreNotThere) {
  for (const bool behind : {false, true}) {
    Pair pair;
    pair.start([](WarpFixture& warp) {
      warp.load("ld", Space::kGlobal, 4, {4}, 8);
      warp.store("st", Space::kGlobal, 4, {2}, 8);
    });
    const LaneMask mask = behind ? 0x000fffff : 0xfffff000;
    const Address first = behind ? Pair::kBytes - 80 : 0 - Address{48};
    pair.run(mask, Space::kGlobal, [=](unsigned lane) { return first + Address{4} * lane; });
  }
}

// Lanes in other spaces, in local memory, in two allocations: as before.
TEST(StraightAccess, WhatHasNoPlaceInCommon) {
  Pair pair;
  pair.start([](WarpFixture& warp) {
    warp.memory.allocate(64, "another");
    warp.store("st", Space::kGeneric, 4, {2}, 8);
    warp.load("ld", Space::kGeneric, 4, {4}, 8);
    MicroOp& local = warp.store("st", Space::kLocal, 4, {2}, WarpFixture::kTid);
    local.base_wide = false;
    local.guard = WarpFixture::kPredicate;  // in no lane
    warp.load("ld", Space::kConst, 4, {5}, kNoWord).offset = 12;
  });
  const std::array<Address, 3> bases{pair.box[0], kSharedWindow, kLocalWindow};
  pair.run(kAll, Space::kGeneric, [&](unsigned lane) { return bases[lane % 3] + (lane % 3 == 2 ? 4 : 4 * lane); });
}

// Before the place, behind it by a byte, 4 GiB away, not aligned: the fault is execute()'s.
TEST(StraightAccess, FaultsAreThoseOfExecute) {
  for (const Address wrong : {~Address{3}, Address{Pair::kBytes - 2}, Address{1} << 32, Address{2}}) {
    Pair pair;
    pair.start([](WarpFixture& warp) { warp.load("ld", Space::kGlobal, 4, {4}, 8); });
    std::array<std::string, 2> texts;
    std::array<std::uint16_t, kMaxLanes> rows{};
    pair.each([&](WarpFixture& warp, unsigned k) {
      for (unsigned lane = 0; lane < 32; ++lane) warp.set_address(0, 8, lane, pair.box[k] + (lane == 7 ? wrong : 0));
      Executor::Run run;
      try {
        k == 0 ? warp.run(0, 0, kAll) : warp.executor->run(0, 1, {rows.data(), kAll, 32, true}, run);
      } catch (const UserError& error) {
        texts[k] = error.what();
      }
    });
    EXPECT_NE(texts[0], "");
    EXPECT_EQ(texts[0], texts[1]);
  }
}

}  // namespace straight_access_test
}  // namespace warpfold::isa
