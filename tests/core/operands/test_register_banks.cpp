// SPDX-License-Identifier: Apache-2.0
// The banks of a register file alone: worked examples of one row and of mixed rows, and a slow model of every access.
#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "warpfold/core/operands/register_banks.h"

namespace warpfold {
namespace register_banks_test {

using divergence::Warp;
using isa::LaneMask;
using Words = std::vector<isa::Word>;

constexpr LaneMask kAll = 0xffff'ffff, kLow = 0xffff, kHigh = kAll & ~kLow;

Warp of_row(unsigned row) { return Warp::of_row(0, static_cast<std::uint16_t>(row), kAll); }

// Lanes 0 to 15 of one row, 16 to 31 of another.
Warp halves(unsigned low, unsigned high) {
  Warp warp = of_row(low);
  for (unsigned lane = 16; lane < 32; ++lane) warp.row[lane] = static_cast<std::uint16_t>(high);
  warp.one_row = low == high;
  return warp;
}

class RegisterBanksTest : public testing::Test {
 protected:
  // How long the words take from cycle `now` on, beyond a cycle.
  unsigned waits(const Words& words, const Warp& warp, Cycle now, LaneMask lanes = kAll) {
    if (!banks) banks.emplace(params);
    lists.push_back(words);
    asked.push_back(banks->words_of(lists.back(), 1000));
    return static_cast<unsigned>(banks->reserve(asked.back(), warp, lanes, now, now) - now);
  }
  unsigned alone(const Words& words, const Warp& warp) {
    banks.reset();
    return waits(words, warp, 0);
  }

  CoreParams params;  // 4 banks
  std::optional<RegisterBanks> banks;
  std::deque<Words> lists;
  std::deque<RegisterBanks::Words> asked;
};

TEST_F(RegisterBanksTest, TheWordsOfAThreadMeetInABankWhateverItsRow) {
  for (const Warp& warp : {of_row(0), of_row(3), halves(0, 1), halves(2, 6)}) {
    EXPECT_EQ(alone({}, warp), 0u);
    EXPECT_EQ(alone({0, 1, 2, 3}, warp), 0u);
    EXPECT_EQ(alone({0, 4, 8}, warp), 2u);
    EXPECT_EQ(alone({3, 6, 7}, warp), 1u);
    EXPECT_EQ(alone({0, 1, 4, 5}, warp), 1u) << "two banks with two reads each, side by side";
  }
}

TEST_F(RegisterBanksTest, WarpsOfOneRowMeetInAllLanesOrNone) {
  EXPECT_EQ(waits({0}, of_row(0), 0), 0u);
  EXPECT_EQ(waits({0}, of_row(1), 0), 0u) << "bank 1";
  EXPECT_EQ(waits({0}, of_row(4), 0), 1u) << "bank 0";
  EXPECT_EQ(waits({3}, of_row(1), 0), 2u) << "bank 0 again, behind both";
  EXPECT_EQ(waits({3}, of_row(1), 3), 0u) << "all of them are past";
}

TEST_F(RegisterBanksTest, WarpsOfMixedRowsMeetInSomeLanes) {
  EXPECT_EQ(waits({0}, of_row(0), 0), 0u);
  EXPECT_EQ(waits({0}, halves(4, 1), 0), 1u) << "lanes 0 to 15 wait for bank 0, 16 to 31 read bank 1";
  EXPECT_EQ(waits({0}, of_row(1), 0), 1u) << "the upper lanes of bank 1 are taken";
  EXPECT_EQ(waits({0}, of_row(4), 0, kHigh), 1u) << "nobody else waits for the upper lanes of bank 0";
  EXPECT_EQ(waits({0}, of_row(4), 0, kLow), 2u);
}

TEST_F(RegisterBanksTest, MixedWarpsCanPassWhereThoseOfOneRowMeet) {
  EXPECT_EQ(waits({0}, halves(0, 1), 0), 0u);
  EXPECT_EQ(waits({0}, halves(1, 0), 0), 0u) << "the same two banks, in each lane the other one";
  EXPECT_EQ(waits({0}, halves(0, 1), 0), 1u);
}

TEST_F(RegisterBanksTest, WithoutRowsInTheMappingAllMeet) {
  params.register_file.mapping = BankMapping::kWord;
  EXPECT_EQ(waits({0}, of_row(0), 0), 0u);
  EXPECT_EQ(waits({0}, of_row(1), 0), 1u);
  EXPECT_EQ(waits({4}, halves(2, 3), 0), 2u);
}

TEST_F(RegisterBanksTest, ASinglePortReadsOneWordAfterTheOther) {
  params.register_banks = 1;
  EXPECT_EQ(alone({0, 1, 2}, of_row(0)), 2u);
  EXPECT_EQ(waits({7}, of_row(5), 0), 3u);
  EXPECT_EQ(waits({7}, of_row(5), 2), 2u) << "of cycles 2, 3, 4";
}

TEST_F(RegisterBanksTest, APumpedBankIsReadSeveralTimesACycle) {
  params.register_banks = 1;
  params.register_file.accesses_per_cycle = 2;
  EXPECT_EQ(alone({0, 1}, of_row(0)), 0u);
  EXPECT_EQ(alone({0, 1, 2}, of_row(0)), 1u);
  EXPECT_EQ(waits({7}, of_row(5), 0), 1u) << "the second access of cycle 1";
  EXPECT_EQ(waits({7}, of_row(5), 0), 2u);
}

// TBC §7: what decoders for each lane are for.
TEST_F(RegisterBanksTest, ABankOfOneDecoderIsAccessedForEachRow) {
  params.register_file.decoder = BankDecoder::kBank;
  EXPECT_EQ(alone({0, 4}, of_row(0)), 1u);
  EXPECT_EQ(alone({0}, halves(0, 1)), 0u) << "a bank for each";
  EXPECT_EQ(alone({0}, halves(0, 4)), 1u) << "both rows in bank 0";
  EXPECT_EQ(alone({0, 1}, halves(0, 1)), 1u) << "word 1 of row 0, word 0 of row 1";
  EXPECT_EQ(waits({3}, of_row(2), 0, kHigh), 2u) << "that bank has no other address for idle lanes";
  params.register_file.mapping = BankMapping::kWord;
  EXPECT_EQ(alone({0, 1}, halves(0, 1)), 1u) << "two rows in each of two banks";
}

TEST_F(RegisterBanksTest, AnInstructionThatBeginsLaterLeavesTheCyclesBeforeIt) {
  const Words list{0};
  asked.push_back(RegisterBanks(params).words_of(list, 1000));
  banks.emplace(params);
  EXPECT_EQ(banks->reserve(asked[0], of_row(0), kAll, 10, 12), 12u);
  EXPECT_EQ(banks->reserve(asked[0], of_row(0), kAll, 10, 10), 10u);
  EXPECT_EQ(banks->reserve(asked[0], of_row(0), kAll, 10, 10), 11u);
  EXPECT_EQ(banks->reserve(asked[0], of_row(0), kAll, 11, 11), 13u) << "11 and 12 are taken";
}

// One word each, beside an instruction of row 0 that reads word 0 of all lanes: a warp of one row waits if its bank is
// that one; a warp of mixed rows does if one of its lanes' banks is, and its other lanes do not, which a third one
// sees.
TEST_F(RegisterBanksTest, MixedRowsDifferFromOneRowAsDerived) {
  std::mt19937 random(12);
  for (unsigned round = 0; round < 500; ++round) {
    params.register_banks = 1u << random() % 5;
    const unsigned banks_of_lane = params.register_banks;
    const auto word = static_cast<isa::Word>(random() % 8);
    Warp mixed = of_row(0);
    mixed.one_row = false;
    bool meets = false;
    for (unsigned lane = 0; lane < 32; ++lane) {
      mixed.row[lane] = static_cast<std::uint16_t>(random() % 64);
      meets |= (word + mixed.row[lane]) % banks_of_lane == 0;
    }
    const unsigned row = random() % 64;
    banks.reset();
    waits({0}, of_row(0), 0);
    EXPECT_EQ(waits({word}, of_row(row), 0), (word + row) % banks_of_lane == 0 ? 1u : 0u);
    banks.reset();
    waits({0}, of_row(0), 0);
    EXPECT_EQ(waits({word}, mixed, 0), meets ? 1u : 0u);
    const unsigned lane = random() % 32;
    const bool late = (word + mixed.row[lane]) % banks_of_lane == 0;
    EXPECT_EQ(waits({word}, of_row(mixed.row[lane]), 0, LaneMask{1} << lane), late ? 2u : 1u);
  }
}

// --- Against a model that goes through all cycles ---

struct Ask {
  Words words;
  Warp warp;
  LaneMask lanes;
  Cycle now, from;
};

// What the bank does access by access: the oldest that has begun and finds its lanes free in the running slot.
std::vector<Cycle> last_cycles(const CoreParams& params, const std::vector<Ask>& asks) {
  const RegisterFileParams& file = params.register_file;
  const bool by_row = file.mapping == BankMapping::kWordAndRow, by_lane = file.decoder == BankDecoder::kLane;
  struct Access {
    std::size_t of;
    unsigned bank;
    LaneMask lanes;
  };
  std::deque<Access> pending;
  std::vector<Cycle> last;
  for (std::size_t i = 0; i < asks.size(); ++i) {
    const Ask& ask = asks[i];
    last.push_back(ask.from);
    for (const isa::Word word : ask.words) {
      std::set<unsigned> rows;
      for (unsigned lane = 0; lane < 32; ++lane) {
        if ((ask.lanes >> lane & 1) == 0) continue;
        const unsigned bank = (word + (by_row ? ask.warp.row[lane] : 0)) % params.register_banks;
        if (by_lane) {
          pending.push_back({i, bank, LaneMask{1} << lane});
        } else if (rows.insert(ask.warp.row[lane]).second) {
          pending.push_back({i, bank, kAll});
        }
      }
    }
  }
  for (Cycle slot = 0; !pending.empty(); ++slot) {
    std::vector<LaneMask> busy(params.register_banks, 0);
    const Cycle cycle = slot / file.accesses_per_cycle;
    std::erase_if(pending, [&](const Access& access) {
      if (asks[access.of].from > cycle || (busy[access.bank] & access.lanes) != 0) return false;
      busy[access.bank] |= access.lanes;
      last[access.of] = std::max(last[access.of], cycle);
      return true;
    });
  }
  return last;
}

TEST(RegisterBanks, GrantsWhatAModelOfEveryAccessGrants) {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 600; ++round) {
    CoreParams params;
    params.register_banks = 1u << random() % 5;
    params.register_file.accesses_per_cycle = 1 + random() % 3;
    params.register_file.mapping = random() % 4 == 0 ? BankMapping::kWord : BankMapping::kWordAndRow;
    params.register_file.decoder = random() % 3 == 0 ? BankDecoder::kBank : BankDecoder::kLane;
    const unsigned pace = 1 + random() % 4, rows = 1 + random() % 12;
    std::vector<Ask> asks;
    Cycle now = 0;
    for (unsigned i = 0; i < 40; ++i) {
      now += random() % pace;
      Ask ask{{}, of_row(random() % rows), random() & kAll, now, now + (random() % 4 == 0 ? random() % 3 : 0)};
      for (unsigned words = random() % 5; words > 0; --words) ask.words.push_back(random() % 20);
      if (ask.lanes == 0) ask.lanes = 1;
      ask.warp.one_row = random() % 2 == 0;
      for (unsigned lane = 0; lane < 32 && !ask.warp.one_row; ++lane) {
        ask.warp.row[lane] = static_cast<std::uint16_t>(random() % rows);
      }
      asks.push_back(ask);
    }
    const std::vector<Cycle> expected = last_cycles(params, asks);
    RegisterBanks banks(params);
    std::deque<RegisterBanks::Words> words;
    for (std::size_t i = 0; i < asks.size(); ++i) {
      words.push_back(banks.words_of(asks[i].words, 1000));
      ASSERT_EQ(banks.reserve(words.back(), asks[i].warp, asks[i].lanes, asks[i].now, asks[i].from), expected[i])
          << "round " << round << ", instruction " << i;
    }
  }
}

}  // namespace register_banks_test
}  // namespace warpfold
