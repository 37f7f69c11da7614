// SPDX-License-Identifier: Apache-2.0
// Lines per warp, shared-memory passes and constant reads: the cases of the books by hand, random ones by brute force.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>

#include "warpfold/core/memory/coalescer.h"

namespace warpfold {
namespace coalescer_test {

using isa::LaneMask;

constexpr LaneMask kAll = 0xffff'ffff;

isa::Outcome access_of(unsigned bytes, LaneMask executed, const std::function<Address(unsigned)>& address) {
  isa::Outcome outcome;
  outcome.access_bytes = bytes;
  outcome.executed = executed;
  for (unsigned lane = 0; lane < isa::kMaxLanes; ++lane) outcome.address[lane] = address(lane);
  return outcome;
}
isa::Outcome strided(unsigned bytes, unsigned stride, LaneMask executed = kAll, Address base = 0) {
  return access_of(bytes, executed, [&](unsigned lane) { return base + Address{lane} * stride; });
}

std::vector<LineAccess> lines(const isa::Outcome& outcome, unsigned line_bytes) {
  std::vector<LineAccess> out{{99, 99}};  // what was there goes
  coalesce(outcome, line_bytes, out);
  return out;
}

TEST(Coalesce, NeighbouringWordsShareLines) {
  // 32 lanes × 4 bytes = 128 bytes = two lines of 64 or one of 128.
  EXPECT_EQ(lines(strided(4, 4), 64).size(), 2u);
  EXPECT_EQ(lines(strided(4, 4), 128).size(), 1u);
  EXPECT_EQ(lines(strided(4, 4), 64)[0].bytes, 64u);
  EXPECT_EQ(lines(strided(4, 4, kAll, 32), 64).size(), 3u) << "off by half a line";
  EXPECT_EQ(lines(strided(1, 1), 64).size(), 1u);
  EXPECT_EQ(lines(strided(1, 1), 64)[0].bytes, 32u);
}

TEST(Coalesce, SaysWhichLanesTouchALine) {
  std::vector<LaneMask> lanes{99};
  const isa::Outcome eights = strided(8, 8, kAll & ~LaneMask{2});
  lanes_by_line(eights, 64, 0, lines(eights, 64), lanes);
  EXPECT_EQ(lanes, (std::vector<LaneMask>{0xfd, 0xff00, 0xff0000, 0xff000000}));
  std::vector<LineAccess> local;
  const isa::Outcome pair = strided(8, 4, 0b11);  // two words, a row of 32 apart
  coalesce_local(pair, 64, 32, local);
  lanes_by_line(pair, 64, 32, local, lanes);
  EXPECT_EQ(lanes, (std::vector<LaneMask>{0b11, 0b11}));
}

TEST(Coalesce, StridesUpToALineEach) {
  EXPECT_EQ(lines(strided(4, 0), 64).size(), 1u);
  EXPECT_EQ(lines(strided(4, 8), 64).size(), 4u);
  EXPECT_EQ(lines(strided(4, 32), 64).size(), 16u);
  EXPECT_EQ(lines(strided(4, 64), 64).size(), 32u);
  EXPECT_EQ(lines(strided(4, 4096), 64).size(), 32u);
}

TEST(Coalesce, VectorsAndDoubles) {
  EXPECT_EQ(lines(strided(8, 8), 64).size(), 4u);
  const std::vector<LineAccess> quads = lines(strided(16, 16), 64);  // v4.f32: 512 bytes
  ASSERT_EQ(quads.size(), 8u);
  for (unsigned i = 0; i < 8; ++i) {
    EXPECT_EQ(quads[i].line, 64u * i);
    EXPECT_EQ(quads[i].bytes, 64u);
  }
}

TEST(Coalesce, OnlyLanesThatExecuteAndInTheirOrder) {
  const std::vector<LineAccess> some = lines(strided(4, 64, LaneMask{1} << 31 | 1 << 5), 64);
  ASSERT_EQ(some.size(), 2u);
  EXPECT_EQ(some[0].line, 5u * 64);
  EXPECT_EQ(some[0].bytes, 4u);
  EXPECT_EQ(some[1].line, 31u * 64);
  EXPECT_TRUE(lines(strided(4, 4, 0), 64).empty());
  const isa::Outcome backwards = access_of(4, kAll, [](unsigned lane) { return 4096 - 64 * lane; });
  EXPECT_EQ(lines(backwards, 64)[0].line, 4096u);
}

TEST(Coalesce, BytesOfALineNeverExceedIt) {
  EXPECT_EQ(lines(strided(4, 0), 64)[0].bytes, 64u) << "32 lanes × 4 bytes of one word";
  EXPECT_EQ(lines(strided(4, 0, 0x7), 64)[0].bytes, 12u);
}

TEST(Coalesce, RandomAddressesAgreeWithASet) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const unsigned bytes = 1u << random() % 5, range = 1u << (6 + random() % 8);
    const LaneMask executed = LaneMask{random()} << 32 | random();
    const isa::Outcome outcome = access_of(bytes, executed, [&](unsigned) { return random() % range * bytes; });
    std::map<Address, unsigned> expected;
    for (unsigned lane = 0; lane < 64; ++lane) {
      if (executed >> lane & 1) expected[outcome.address[lane] / 64 * 64] += bytes;
    }
    const std::vector<LineAccess> got = lines(outcome, 64);
    ASSERT_EQ(got.size(), expected.size());
    for (const LineAccess& line : got) ASSERT_EQ(line.bytes, std::min(expected[line.line], 64u));
  }
}

TEST(CoalesceLocal, EachWordOfAnAccessLiesARowOfWordsFurther) {
  // 32 lanes: word w of lane l at 128 w + 4 l. A double takes words 0 and 1: 2 × 128 bytes = 4 lines of 64.
  std::vector<LineAccess> out;
  coalesce_local(strided(8, 4), 64, 32, out);
  ASSERT_EQ(out.size(), 4u);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(out[i].line, 64u * i);
    EXPECT_EQ(out[i].bytes, 64u);
  }
  coalesce_local(strided(16, 4), 64, 32, out);
  EXPECT_EQ(out.size(), 8u);
  coalesce_local(strided(16, 4, 1 << 3), 64, 32, out);
  ASSERT_EQ(out.size(), 4u);
  EXPECT_EQ(out[3].line, 3u * 128);
  EXPECT_EQ(out[3].bytes, 4u);
}

TEST(CoalesceLocal, WordsAndBytesAreOnePlace) {
  std::vector<LineAccess> out;
  coalesce_local(strided(4, 4), 64, 32, out);
  EXPECT_EQ(out.size(), 2u);
  coalesce_local(strided(1, 4), 64, 32, out);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].bytes, 16u);
  coalesce_local(strided(8, 4, 0), 64, 32, out);
  EXPECT_TRUE(out.empty());
}

TEST(CoalesceTexels, LinesOfWhateverIsReadOfTexturesAndTheirBytes) {
  isa::Outcome outcome;
  outcome.executed = 0b11;
  outcome.texels = {{0x100, 4}, {0x104, 4}, {0x200, 16}, {0x13c, 4}, {0x100, 4}};
  std::vector<LineAccess> out{{99, 99}};
  coalesce_texels(outcome, 64, true, out);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].line, 0x100u);
  EXPECT_EQ(out[0].bytes, 16u);
  EXPECT_EQ(out[0].mask, byte_range(0, 8) | byte_range(60, 4));
  EXPECT_EQ(out[1].line, 0x200u);
  EXPECT_EQ(out[1].mask, byte_range(0, 16));
  coalesce_texels(outcome, 64, false, out);
  EXPECT_TRUE(out[0].mask.none());
  outcome.texels.assign(64, {0x100, 4});
  coalesce_texels(outcome, 64, false, out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].bytes, 64u);
  outcome.texels.clear();
  coalesce_texels(outcome, 64, false, out);
  EXPECT_TRUE(out.empty());
}

TEST(DistinctWords, OneAccessForEachAddress) {
  std::vector<LineAccess> out;
  distinct_words(strided(4, 0, kAll, 400), out);
  ASSERT_EQ(out.size(), 1u) << "broadcast";
  EXPECT_EQ(out[0].line, 400u);
  distinct_words(strided(4, 4), out);
  EXPECT_EQ(out.size(), 32u) << "no coalescing of constants (TBC §2.2.1)";
  distinct_words(access_of(4, kAll, [](unsigned lane) { return lane % 3 * 4; }), out);
  EXPECT_EQ(out.size(), 3u);
  distinct_words(strided(4, 4, 0), out);
  EXPECT_TRUE(out.empty());
}

TEST(MarkBytes, SaysWhichBytesOfALineTheLanesAskFor) {
  const isa::Outcome every_other = strided(4, 8, 0x1ff, 256);  // words 0, 2 … 16 of two lines of 64
  std::vector<LineAccess> out = lines(every_other, 64);
  mark_bytes(every_other, 64, 0, out);
  ASSERT_EQ(out.size(), 2u);
  ByteMask words;
  for (std::uint32_t at = 0; at < 64; at += 8) words |= byte_range(at, 4);
  EXPECT_EQ(out[0].mask, words);
  EXPECT_EQ(out[1].mask, byte_range(0, 4));
}

// Two words of lane 3: the second lies a row of 32 words further, so each is 4 bytes in the middle of a line.
TEST(MarkBytes, WordsOfLocalMemoryLieARowApart) {
  const isa::Outcome pair = strided(8, 4, 1 << 3);
  std::vector<LineAccess> out;
  coalesce_local(pair, 64, 32, out);
  mark_bytes(pair, 64, 32, out);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].mask, byte_range(12, 4));
  EXPECT_EQ(out[1].line, 128u);
  EXPECT_EQ(out[1].mask, byte_range(12, 4));
}

SharedPasses passes_of(const isa::Outcome& outcome) { return shared_passes(outcome, 32, 16); }

void expect_passes(const isa::Outcome& outcome, unsigned cycles, unsigned conflicts) {
  const SharedPasses passes = passes_of(outcome);
  EXPECT_EQ(passes.cycles, cycles);
  EXPECT_EQ(passes.conflicts, conflicts);
}

// 32 lanes on 16 banks are two groups: two cycles at best.
TEST(SharedPasses, ConflictFree) {
  expect_passes(strided(4, 4), 2, 0);
  expect_passes(strided(4, 4, kAll, 20), 2, 0);
  expect_passes(strided(4, 4 * 17), 2, 0);  // odd strides visit all banks
  expect_passes(strided(4, 4 * 3), 2, 0);
}

TEST(SharedPasses, AllLanesOfAGroupCanReadOneWord) {
  expect_passes(strided(4, 0), 2, 0);
  expect_passes(strided(1, 1), 2, 0);  // bytes: four lanes a word
  expect_passes(access_of(4, kAll, [](unsigned lane) { return lane / 8 * 4; }), 2, 0);
}

TEST(SharedPasses, EvenStridesConflict) {
  expect_passes(strided(4, 4 * 2), 4, 2);     // 16 lanes on 8 banks: two words a bank
  expect_passes(strided(4, 4 * 4), 8, 6);     // on 4 banks
  expect_passes(strided(4, 4 * 16), 32, 30);  // all on one bank
}

// A word after the other: doubles of stride 1 hit every other bank twice in each of two rounds (CUDA programming guide,
// compute capability 1.x: 2-way conflicts).
TEST(SharedPasses, WideAccesses) {
  expect_passes(strided(8, 8), 2 * 2 * 2, 2 * 2 * 1);
  expect_passes(strided(8, 0), 4, 0);
  expect_passes(strided(16, 16), 2 * 4 * 4, 2 * 4 * 3);
}

TEST(SharedPasses, InactiveLanesDoNotCount) {
  expect_passes(strided(4, 4, 0xffff), 1, 0);
  expect_passes(strided(4, 4, 0xffff'0000), 1, 0);
  expect_passes(strided(4, 64, 0x0000'0007), 3, 2);
  expect_passes(strided(4, 64, 0x0001'0001), 2, 0);  // one lane a group
  expect_passes(strided(4, 4, 0), 0, 0);
}

TEST(SharedPasses, NothingIsBroadcastToAtomics) {
  const SharedPasses same = shared_passes(strided(4, 0), 32, 16, false);
  EXPECT_EQ(same.cycles, 32u);
  EXPECT_EQ(same.conflicts, 30u);
  EXPECT_EQ(shared_passes(strided(4, 4), 32, 16, false).cycles, 2u);
}

// Brute force: turn by turn, each bank serves the first word that somebody still waits for.
unsigned play(const isa::Outcome& outcome, unsigned width, unsigned banks, bool broadcasts) {
  unsigned cycles = 0;
  const unsigned words = std::max(outcome.access_bytes / 4, 1u);
  for (unsigned first = 0; first < width; first += banks) {
    for (unsigned word = 0; word < words; ++word) {
      std::vector<Address> waiting;
      for (unsigned lane = first; lane < std::min(first + banks, width); ++lane) {
        if (outcome.executed >> lane & 1) waiting.push_back(outcome.address[lane] / 4 + word);
      }
      for (; !waiting.empty(); ++cycles) {
        std::map<Address, Address> served;  // by bank
        for (auto at = waiting.begin(); at != waiting.end();) {
          const auto [turn, first_in_bank] = served.try_emplace(*at % banks, *at);
          at = first_in_bank || (broadcasts && turn->second == *at) ? waiting.erase(at) : at + 1;
        }
      }
    }
  }
  return cycles;
}

TEST(SharedPasses, RandomAccessesAgreeWithTurnByTurnService) {
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    const unsigned bytes = 1u << random() % 5, range = 1u << (1 + random() % 9);
    const unsigned width = 1u << (4 + random() % 3), banks = 1u << (3 + random() % 4);
    const LaneMask lanes = width == 64 ? ~LaneMask{0} : (LaneMask{1} << width) - 1;
    const LaneMask executed = (LaneMask{random()} << 32 | random()) & lanes;
    const isa::Outcome outcome = access_of(bytes, executed, [&](unsigned) { return random() % range * bytes; });
    const bool broadcasts = round % 2 == 0;
    ASSERT_EQ(shared_passes(outcome, width, banks, broadcasts).cycles, play(outcome, width, banks, broadcasts))
        << "round " << round << ": " << width << " lanes, " << banks << " banks, " << bytes << " bytes";
  }
}

// CUDA C++ Programming Guide, compute capability 2.x and later: 64 bits by half warps, 128 by quarters.
TEST(SharedPasses, WideAccessesTakeLanesInTurn) {
  const auto in_turn = [](const isa::Outcome& outcome) { return shared_passes(outcome, 32, 32, true, true); };
  EXPECT_EQ(in_turn(strided(8, 8)).cycles, 2u);
  EXPECT_EQ(in_turn(strided(16, 16)).cycles, 4u);
  EXPECT_EQ(in_turn(strided(16, 16)).conflicts, 0u);
  EXPECT_EQ(in_turn(strided(8, 16)).cycles, 4u) << "each pair of words lies 4 words on: two lanes a bank";
  EXPECT_EQ(in_turn(strided(8, 16)).conflicts, 2u);
  EXPECT_EQ(in_turn(strided(16, 0)).cycles, 4u) << "all lanes one place, a turn for each quarter";
  EXPECT_EQ(in_turn(strided(8, 8, 0xffff)).cycles, 1u);
  EXPECT_EQ(shared_passes(strided(8, 8), 32, 32).cycles, 4u) << "words in turn: two lanes a bank";
  EXPECT_EQ(shared_passes(strided(4, 4), 32, 32, true, true).cycles, 1u);
  EXPECT_EQ(shared_passes(strided(16, 16), 32, 2, true, true).cycles, 64u) << "two rounds for each lane";
  EXPECT_EQ(shared_passes(strided(16, 16), 32, 2, true, true).conflicts, 32u);
}

}  // namespace coalescer_test
}  // namespace warpfold
