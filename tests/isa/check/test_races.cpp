// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>

#include "warpfold/isa/check/races.h"

namespace warpfold::isa {
namespace races_test {

// Accesses of 4 bytes, one instruction each; what is told of them: "wrote by 3 of 0", "read by 3 of 0, harmless".
class RacesTest : public ::testing::Test {
 protected:
  // How: r(ead), w(rite), s(ame value written), a(tomic), A(tomic that returns nothing).
  std::string touch(Space space, std::uint64_t block, unsigned thread, Address address, char how,
                    Strength strength = Strength::kPlain, unsigned bytes = 4, bool wide = true) {
    const bool atomic = how == 'a' || how == 'A';
    Touch touch;
    touch.space = space;
    touch.address = address;
    touch.bytes = touch.element_bytes = bytes;
    touch.reads = atomic || how == 'r';
    touch.writes = how != 'r';
    touch.changes = touch.writes && how != 's';
    touch.strength = atomic ? Strength::kAtomic : strength;
    touch.wide = wide;
    touch.acquires = how == 'a';
    touch.block = block;
    touch.thread = thread;
    return note(touch);
  }
  std::string note(const Touch& touch) {
    std::string told;
    races->next_instruction();
    races->note(touch, [&](const Races::Earlier& earlier) {
      told += std::string(earlier.wrote ? "wrote" : "read") + " by " + std::to_string(earlier.thread) + " of " +
              std::to_string(earlier.block) + (earlier.harmless ? ", harmless" : "");
    });
    return told;
  }
  std::string shared(unsigned thread, Address address, char how, Strength strength = Strength::kPlain) {
    return touch(Space::kShared, 0, thread, address, how, strength);
  }
  std::string global(std::uint64_t block, Address address, char how, Strength strength = Strength::kPlain) {
    return touch(Space::kGlobal, block, 0, address, how, strength);
  }
  // A release or acquire of its own, 4 bytes of global memory.
  std::string ordering(std::uint64_t block, Address address, char how, bool wide = true) {
    Touch touch;
    touch.address = address;
    touch.bytes = touch.element_bytes = 4;
    touch.strength = Strength::kAtomic;
    touch.reads = touch.acquires = how == 'r';
    touch.writes = touch.changes = touch.releases = how == 'w';
    touch.wide = wide;
    touch.block = block;
    return note(touch);
  }
  static std::string in_turn(std::initializer_list<std::string> told) {
    std::string all;
    for (const std::string& one : told) all += one;
    return all;
  }
  void fence(std::uint64_t block, unsigned thread = 0, bool wide = true) {
    races->next_instruction();
    races->fenced(block, thread, wide);
  }
  void start(bool independent = false, std::uint64_t most = 1 << 30) {
    races = std::make_unique<Races>(independent, most);
  }
  static constexpr Strength kVolatile = Strength::kVolatile, kStrong = Strength::kAtomic;
  std::unique_ptr<Races> races = std::make_unique<Races>(false, 1 << 30);
};

TEST_F(RacesTest, SharedMemoryBetweenBarriers) {
  EXPECT_EQ(shared(0, 0, 'w'), "");
  EXPECT_EQ(shared(0, 0, 'r'), "");
  EXPECT_EQ(shared(32, 4, 'r'), "") << "elsewhere";
  EXPECT_EQ(shared(32, 0, 'r'), "wrote by 0 of 0");
  EXPECT_EQ(touch(Space::kShared, 1, 32, 0, 'r'), "") << "another block's";
  races->barrier_opened(0);
  EXPECT_EQ(shared(32, 0, 'r'), "");
  EXPECT_EQ(shared(64, 0, 'w'), "read by 32 of 0");
  races->barrier_opened(1);
  EXPECT_EQ(shared(0, 0, 'r'), "wrote by 64 of 0") << "the other block's barrier orders nothing here";
  EXPECT_EQ(shared(0, 0, 'w'), "wrote by 64 of 0");
}

TEST_F(RacesTest, GlobalMemoryWithinABlockAndBetweenBlocks) {
  EXPECT_EQ(touch(Space::kGlobal, 0, 0, 0, 'w'), "");
  EXPECT_EQ(touch(Space::kGlobal, 0, 31, 0, 'r'), "") << "in step";
  EXPECT_EQ(touch(Space::kGlobal, 0, 32, 0, 'r'), "wrote by 0 of 0");
  races->barrier_opened(0);
  EXPECT_EQ(touch(Space::kGlobal, 0, 32, 0, 'r'), "");
  EXPECT_EQ(touch(Space::kGlobal, 1, 0, 0, 'r'), "wrote by 0 of 0") << "a barrier is of one block";
  races->block_finished(0);
  EXPECT_EQ(touch(Space::kGlobal, 2, 0, 0, 'w'), "wrote by 0 of 0") << "its end orders nothing";
  races->launch_started();
  EXPECT_EQ(touch(Space::kGlobal, 3, 0, 0, 'w'), "") << "a launch comes after all that was before";
  races->forget(0, 4);
  EXPECT_EQ(touch(Space::kGlobal, 4, 0, 0, 'w'), "") << "memory given anew";
}

// Of two readers one is the writer itself, or ordered: the other is known too.
TEST_F(RacesTest, TwoReadersAndTwoWritersAreKnown) {
  EXPECT_EQ(in_turn({global(1, 0, 'r'), global(0, 0, 'r'), touch(Space::kGlobal, 0, 32, 0, 'r')}), "");
  races->barrier_opened(0);
  EXPECT_EQ(global(0, 0, 'w'), "read by 0 of 1");
  EXPECT_EQ(in_turn({global(1, 4, 'w', kVolatile), global(0, 4, 'w', kVolatile)}), "");
  races->barrier_opened(0);
  EXPECT_EQ(global(0, 4, 'r'), "wrote by 0 of 1");
}

TEST_F(RacesTest, BytesAreOfWhoTouchedThem) {
  for (unsigned thread = 0; thread < 2; ++thread) {
    EXPECT_EQ(touch(Space::kShared, 0, 32 * thread, thread, 'w', Strength::kPlain, 1), "");
  }
  EXPECT_EQ(touch(Space::kShared, 0, 0, 0, 'r', Strength::kPlain, 1), "");
  EXPECT_EQ(touch(Space::kShared, 0, 32, 1, 'r', Strength::kPlain, 1), "");
  EXPECT_EQ(touch(Space::kShared, 0, 64, 0, 'r', Strength::kPlain, 8), "wrote by 0 of 0");
  EXPECT_EQ(touch(Space::kGlobal, 0, 0, 64, 'w'), "");
  EXPECT_EQ(touch(Space::kGlobal, 0, 32, 66, 'r', Strength::kPlain, 2), "wrote by 0 of 0") << "words become bytes";
  EXPECT_EQ(touch(Space::kGlobal, 1, 0, 64, 'r', Strength::kPlain, 16), "wrote by 0 of 0");
}

TEST_F(RacesTest, WhatChangesNothingDoesNoHarm) {
  EXPECT_EQ(global(0, 8, 'w'), "");
  EXPECT_EQ(global(1, 8, 's'), "wrote by 0 of 0, harmless") << "sets what is set";
  EXPECT_EQ(global(2, 8, 'r'), "wrote by 0 of 0") << "of the one who did set it";
  EXPECT_EQ(global(0, 16, 's'), "");
  EXPECT_EQ(global(1, 16, 'r'), "wrote by 0 of 0, harmless");
  EXPECT_EQ(global(2, 16, 'w'), "wrote by 0 of 0") << "had it come first, the value would be the other";
  EXPECT_EQ(in_turn({global(0, 24, 'r'), global(1, 24, 's')}), "read by 0 of 0, harmless");
  EXPECT_EQ(in_turn({global(0, 32, 'a'), global(1, 32, 's')}), "wrote by 0 of 0");
}

TEST_F(RacesTest, WarpsAreInStepUnlessThreadsAreIndependent) {
  EXPECT_EQ(in_turn({shared(0, 0, 'w'), shared(31, 0, 'r')}), "");
  start(true);
  EXPECT_EQ(shared(0, 0, 'w', kVolatile), "");
  EXPECT_EQ(shared(31, 0, 'r', kVolatile), "wrote by 0 of 0");
  races->warp_synced(0, 0, 0x7fffffff);
  EXPECT_EQ(shared(31, 0, 'r'), "wrote by 0 of 0") << "it has to come there too";
  EXPECT_EQ(shared(30, 0, 'r'), "");
  races->warp_synced(0, 0, 0xffffffff);
  EXPECT_EQ(shared(31, 0, 'w'), "");
}

TEST_F(RacesTest, LanesOfOneInstruction) {
  for (const bool independent : {false, true}) {
    start(independent);
    races->next_instruction();
    std::string told;
    for (const unsigned thread : {0U, 1U}) {
      Touch touch;
      touch.bytes = 4;
      touch.writes = touch.changes = true;
      touch.thread = thread;
      races->note(touch, [&](const Races::Earlier& earlier) { told += std::to_string(earlier.thread); });
    }
    EXPECT_EQ(told, independent ? "0" : "");
  }
}

TEST_F(RacesTest, StrongOnesAmongThemselvesAndBesideOthers) {
  EXPECT_EQ(in_turn({shared(0, 0, 'a'), shared(32, 0, 'a')}), "");
  EXPECT_EQ(shared(64, 0, 'r'), "wrote by 32 of 0");
  EXPECT_EQ(in_turn({global(0, 0, 'a'), global(1, 0, 'a')}), "");
  EXPECT_EQ(global(2, 0, 'r'), "wrote by 0 of 1");
  EXPECT_EQ(global(3, 0, 'w'), "wrote by 0 of 1");
  EXPECT_EQ(global(4, 0, 'a'), "wrote by 0 of 3");
  EXPECT_EQ(in_turn({global(0, 8, 'w', kVolatile), global(1, 8, 'r', kVolatile), global(2, 8, 'a')}), "");
  EXPECT_EQ(touch(Space::kGlobal, 0, 0, 12, 'a', kStrong, 4, false), "");
  EXPECT_EQ(touch(Space::kGlobal, 0, 32, 12, 'a', kStrong, 4, false), "");
  EXPECT_EQ(touch(Space::kGlobal, 1, 0, 12, 'a'), "wrote by 32 of 0") << "whose scope is its block";
}

// A loop around atomicCAS() begins with a plain read, which the atomic checks; so does one that saves an atomic.
TEST_F(RacesTest, GuessesThatAnAtomicChecks) {
  EXPECT_EQ(in_turn({global(0, 0, 'r'), global(1, 0, 'r'), global(0, 0, 'a')}), "read by 0 of 1, harmless");
  EXPECT_EQ(global(2, 0, 'r'), "wrote by 0 of 0, harmless");
  EXPECT_EQ(global(3, 0, 'w'), "wrote by 0 of 0");
  races->launch_started();
  EXPECT_EQ(in_turn({global(0, 0, 'a'), global(1, 0, 'r')}), "wrote by 0 of 0") << "nobody checks it";
}

TEST_F(RacesTest, FencesAndFlags) {
  EXPECT_EQ(global(0, 0, 'w'), "");
  EXPECT_EQ(in_turn({global(0, 64, 'w', kVolatile), global(1, 64, 'r', kVolatile)}), "");
  fence(1);
  EXPECT_EQ(global(1, 0, 'r'), "wrote by 0 of 0") << "there was no fence before the flag";
  fence(0);
  EXPECT_EQ(global(2, 64, 'r', kVolatile), "");
  fence(2);
  EXPECT_EQ(global(2, 0, 'r'), "wrote by 0 of 0") << "the flag is from before the fence";
  EXPECT_EQ(in_turn({global(0, 64, 'w', kVolatile), global(3, 64, 'r', kVolatile)}), "");
  EXPECT_EQ(global(3, 0, 'r'), "wrote by 0 of 0") << "there is no fence behind the flag yet";
  fence(3, 0, false);
  EXPECT_EQ(global(3, 0, 'r'), "wrote by 0 of 0") << "it is of the block only";
  fence(3);
  EXPECT_EQ(global(3, 0, 'r'), "");
  EXPECT_EQ(in_turn({global(4, 64, 'A'), global(5, 64, 'a'), global(5, 0, 'r')}), "") << "an atomic hands on and takes";
  races->block_finished(0);
  EXPECT_EQ(in_turn({global(6, 64, 'a'), global(6, 0, 'r')}), "") << "what has ended stays ordered";
}

TEST_F(RacesTest, FlagsWithinWiderWords) {
  EXPECT_EQ(global(0, 0, 'w'), "");
  fence(0);
  EXPECT_EQ(in_turn({touch(Space::kGlobal, 0, 0, 64, 'w', kVolatile, 8), global(1, 68, 'a'), global(1, 0, 'r')}), "");
}

TEST_F(RacesTest, ReleaseAndAcquire) {
  EXPECT_EQ(in_turn({global(0, 0, 'w'), ordering(0, 64, 'w')}), "");
  EXPECT_EQ(in_turn({ordering(1, 64, 'r'), global(1, 0, 'w'), ordering(1, 128, 'w')}), "");
  EXPECT_EQ(in_turn({ordering(2, 128, 'r'), global(2, 0, 'r')}), "") << "of whom it has not met, too";
  EXPECT_EQ(global(3, 0, 'r'), "wrote by 0 of 1");
  EXPECT_EQ(in_turn({global(0, 4, 'w'), ordering(0, 192, 'w', false)}), "");
  EXPECT_EQ(in_turn({ordering(1, 192, 'r'), global(1, 4, 'r')}), "wrote by 0 of 0wrote by 0 of 0")
      << "of a block, between blocks";
}

// All of a block write and fence, one of them goes on for the others; so in a warp.
TEST_F(RacesTest, FencesBeforeABarrier) {
  EXPECT_EQ(touch(Space::kGlobal, 0, 32, 0, 'w'), "");
  fence(0, 32);
  races->barrier_opened(0);
  EXPECT_EQ(in_turn({global(0, 64, 'a'), global(1, 64, 'a'), global(1, 0, 'r')}), "");
  start(true);
  EXPECT_EQ(touch(Space::kGlobal, 0, 1, 0, 'w'), "");
  fence(0, 1);
  races->warp_synced(0, 0, 3);
  EXPECT_EQ(in_turn({global(0, 64, 'a'), global(1, 64, 'a'), global(1, 0, 'r')}), "");
}

// A tile's status word is its own flag: there is no fence, and what was read before may be overwritten.
TEST_F(RacesTest, WhatHasBeenReadMayBeOverwrittenWithoutFences) {
  const auto status = [&](bool barrier) {
    races->launch_started();
    std::string told = in_turn({touch(Space::kGlobal, 0, 32, 0, 'r'), touch(Space::kGlobal, 0, 0, 4, 'w')});
    if (barrier) races->barrier_opened(0);
    told += in_turn({global(0, 64, 'w', kVolatile), global(1, 64, 'r', kVolatile)});
    races->barrier_opened(1);
    told += in_turn({global(1, 128, 'w', kVolatile), global(2, 128, 'r', kVolatile)});
    return in_turn({told, touch(Space::kGlobal, 2, 0, 0, 'w')});
  };
  EXPECT_EQ(status(true), "") << "over another block, too";
  EXPECT_EQ(global(2, 4, 'r'), "wrote by 0 of 0") << "what was written may not be read";
  EXPECT_EQ(status(false), "read by 32 of 0");
}

// The last block sets its counter back, having seen what the others left there.
TEST_F(RacesTest, WhoHasReadAStrongWriteComesAfterIt) {
  EXPECT_EQ(in_turn({global(0, 0, 'w'), global(0, 64, 'a'), global(1, 64, 'a')}), "");
  EXPECT_EQ(global(1, 0, 'r'), "wrote by 0 of 0") << "but not after what was before it";
  races->barrier_opened(1);
  EXPECT_EQ(touch(Space::kGlobal, 1, 32, 64, 'w'), "");
  EXPECT_EQ(in_turn({global(0, 68, 'A'), global(1, 68, 'a'), global(2, 68, 'A')}), "");
  EXPECT_EQ(global(1, 68, 'w'), "wrote by 0 of 2") << "which it has not seen";
}

TEST_F(RacesTest, BarriersOfSome) {
  EXPECT_EQ(in_turn({shared(0, 0, 'w'), shared(64, 4, 'w'), shared(32, 8, 'w')}), "");
  const std::array<std::uint32_t, 3> arrived{~0U, ~0U, 0}, waited{~0U, 0, 0};
  races->barrier_opened(0, arrived, waited);
  EXPECT_EQ(shared(0, 8, 'r'), "");
  EXPECT_EQ(shared(32, 0, 'r'), "wrote by 0 of 0") << "it went on before";
  EXPECT_EQ(shared(0, 4, 'r'), "wrote by 64 of 0") << "it did not come";
}

TEST_F(RacesTest, WithinTheirMemory) {
  start(false, 1 << 16);
  EXPECT_EQ(touch(Space::kGlobal, 0, 0, 0, 'w'), "");
  testing::internal::CaptureStderr();
  EXPECT_EQ(in_turn({touch(Space::kGlobal, 0, 0, 4096, 'w'), touch(Space::kGlobal, 1, 0, 4096, 'w')}), "");
  EXPECT_NE(testing::internal::GetCapturedStderr().find("(check.races_memory)\n"), std::string::npos);
  EXPECT_EQ(touch(Space::kGlobal, 1, 0, 0, 'w'), "wrote by 0 of 0");
}

}  // namespace races_test
}  // namespace warpfold::isa
