// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>

#include "warpfold/isa/check/races.h"

namespace warpfold::isa {
namespace races_test {

// Accesses of 4 bytes, one instruction each; what is told of them: "wrote by 3 of 0".
class RacesTest : public ::testing::Test {
 protected:
  std::string touch(Space space, std::uint64_t block, unsigned thread, Address address, char how,
                    Strength strength = Strength::kPlain, unsigned bytes = 4, bool changes = true) {
    Touch touch;
    touch.space = space;
    touch.address = address;
    touch.bytes = touch.element_bytes = bytes;
    touch.reads = how != 'w';
    touch.writes = how != 'r';
    touch.changes = changes;
    touch.strength = how == 'a' ? Strength::kAtomic : strength;
    touch.block = block;
    touch.thread = thread;
    std::string told;
    races->next_instruction();
    races->note(touch, [&](const Races::Earlier& earlier) {
      told += std::string(earlier.wrote ? "wrote" : "read") + " by " + std::to_string(earlier.thread) + " of " +
              std::to_string(earlier.block);
    });
    return told;
  }
  std::string shared(unsigned thread, Address address, char how, Strength strength = Strength::kPlain) {
    return touch(Space::kShared, 0, thread, address, how, strength);
  }
  std::string global(std::uint64_t block, Address address, char how, Strength strength = Strength::kPlain) {
    return touch(Space::kGlobal, block, 0, address, how, strength);
  }
  static std::string in_turn(std::initializer_list<std::string> told) {
    std::string all;
    for (const std::string& one : told) all += one;
    return all;
  }
  void start(bool independent = false) { races = std::make_unique<Races>(independent); }
  std::unique_ptr<Races> races = std::make_unique<Races>(false);
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

TEST_F(RacesTest, BytesAndWhatChangesNothing) {
  EXPECT_EQ(touch(Space::kShared, 0, 0, 0, 'w', Strength::kPlain, 1), "");
  EXPECT_EQ(touch(Space::kShared, 0, 32, 1, 'r', Strength::kPlain, 1), "");
  EXPECT_EQ(touch(Space::kShared, 0, 32, 0, 'r', Strength::kPlain, 8), "wrote by 0 of 0");
  races->launch_started();
  EXPECT_EQ(touch(Space::kShared, 0, 0, 8, 'w', Strength::kPlain, 4, false), "") << "the first write of all";
  EXPECT_EQ(touch(Space::kShared, 0, 32, 8, 'w', Strength::kPlain, 4, false), "") << "sets what is set";
  EXPECT_EQ(touch(Space::kShared, 0, 64, 8, 'r'), "wrote by 0 of 0");
  EXPECT_EQ(touch(Space::kGlobal, 0, 0, 8, 'w', Strength::kPlain, 4, false), "");
  EXPECT_EQ(touch(Space::kGlobal, 1, 0, 8, 'r'), "") << "nobody has changed it";
}

TEST_F(RacesTest, WarpsAreInStepUnlessThreadsAreIndependent) {
  EXPECT_EQ(shared(0, 0, 'w'), "");
  EXPECT_EQ(shared(31, 0, 'r'), "");
  start(true);
  EXPECT_EQ(shared(0, 0, 'w', Strength::kVolatile), "");
  EXPECT_EQ(shared(31, 0, 'r', Strength::kVolatile), "wrote by 0 of 0");
  races->warp_synced(0, 0);
  EXPECT_EQ(shared(31, 0, 'r'), "wrote by 0 of 0") << "it has to come there too";
  races->warp_synced(0, 31);
  EXPECT_EQ(shared(31, 0, 'r'), "");
  EXPECT_EQ(in_turn({shared(0, 0, 'a'), shared(1, 0, 'a')}), "read by 31 of 0read by 31 of 0");
}

TEST_F(RacesTest, AtomicsAmongThemselvesAndBesideOthers) {
  EXPECT_EQ(in_turn({shared(0, 0, 'a'), shared(32, 0, 'a')}), "");
  EXPECT_EQ(shared(64, 0, 'r'), "wrote by 32 of 0") << "of shared memory";
  EXPECT_EQ(in_turn({global(0, 0, 'a'), global(1, 0, 'a'), global(2, 0, 'r')}), "")
      << "in global memory reading is no race";
  EXPECT_EQ(global(3, 0, 'w'), "read by 0 of 2");
  EXPECT_EQ(global(4, 0, 'a'), "wrote by 0 of 3");
  EXPECT_EQ(global(0, 4, 'a'), "");
  EXPECT_EQ(global(1, 4, 'w'), "read by 0 of 0") << "an atomic was there";
  EXPECT_EQ(in_turn({global(0, 8, 'w', Strength::kVolatile), global(1, 8, 'r', Strength::kVolatile)}), "") << "flags";
}

TEST_F(RacesTest, BlocksOrderedByFences) {
  EXPECT_EQ(global(0, 0, 'w'), "");
  EXPECT_EQ(global(0, 0, 'r'), "");
  races->fenced(0, 0);
  EXPECT_EQ(global(1, 0, 'r'), "wrote by 0 of 0") << "the other side has to look";
  EXPECT_EQ(in_turn({global(1, 64, 'a'), global(1, 0, 'r')}), "");
  EXPECT_EQ(in_turn({global(2, 64, 'r', Strength::kVolatile), global(2, 0, 'r')}), "");
  EXPECT_EQ(global(0, 0, 'w'), "read by 0 of 2") << "a write behind the fence";
  EXPECT_EQ(global(0, 128, 'w'), "");
  EXPECT_EQ(global(0, 64, 'w', Strength::kReleasing), "");
  EXPECT_EQ(in_turn({global(1, 64, 'r', Strength::kAtomic), global(1, 128, 'r')}), "");
  races->block_finished(0);
  EXPECT_EQ(global(1, 128, 'r'), "") << "what has ended stays ordered";
  races->launch_started();
  EXPECT_EQ(global(3, 0, 'w'), "") << "a launch comes after all that was before";
}

TEST_F(RacesTest, FencesOrderThreadsOfABlockToo) {
  EXPECT_EQ(shared(0, 0, 'w'), "");
  races->fenced(0, 0);
  EXPECT_EQ(shared(32, 0, 'r'), "wrote by 0 of 0");
  races->fenced(0, 32);
  EXPECT_EQ(shared(32, 0, 'r'), "");
}

}  // namespace races_test
}  // namespace warpfold::isa
