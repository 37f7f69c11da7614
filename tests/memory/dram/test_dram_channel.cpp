// SPDX-License-Identifier: Apache-2.0
// DRAM command sequences against hand-computed cycles. Edge n of the 800 MHz clock is at n * 1250 ps; a request sent at
// edge n gets its first command at edge n + 1.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "tests/memory/dram_bench.h"

namespace warpfold {
namespace dram_channel_test {

using namespace test;
using Kind = DramCommand::Kind;

TEST(DramChannel, ClosedRowReadTakesActivateAndTwoBursts) {
  Channel channel{DramParams{}};
  channel.run({read(0)});
  EXPECT_EQ(channel.log(), "A0@1 R0@13 R0@17");
  EXPECT_EQ(channel.answered(0), 17u + 10 + 4 + 20);  // last read, tCL, burst, response latency
  EXPECT_EQ(channel.stat("dram_row_misses"), 1u);
  EXPECT_EQ(channel.stat("dram_row_conflicts"), 0u);
  EXPECT_EQ(channel.stat("dram_bus_busy_cycles"), 8u);
}

TEST(DramChannel, OpenRowNeedsNoActivate) {
  Channel channel{DramParams{}};
  channel.run({read(0), read(64, 100)});
  EXPECT_EQ(channel.log(), "A0@1 R0@13 R0@17 R0@101 R0@105");
  EXPECT_EQ(channel.answered(1), 105u + 10 + 4 + 20);
  EXPECT_EQ(channel.stat("dram_row_hits"), 1u);
}

TEST(DramChannel, AnotherRowOfTheBankIsAConflict) {
  Channel channel{DramParams{}};
  channel.run({read(0), read(kRow1, 100)});
  EXPECT_EQ(channel.log(), "A0@1 R0@13 R0@17 P0@101 A0@111 R0@123 R0@127");
  EXPECT_EQ(channel.answered(1), 127u + 10 + 4 + 20);
  EXPECT_EQ(channel.stat("dram_row_conflicts"), 1u);
  EXPECT_EQ(channel.stat("dram_precharges"), 1u);
}

// Each parameter at n - 1 and at n: the command it holds back moves by exactly one cycle.
TEST(DramTiming, ActivateToColumn) {
  DramParams params;
  EXPECT_EQ(commands(params, {read(0)}), "A0@1 R0@13 R0@17");
  params.t_rcd = 11;
  EXPECT_EQ(commands(params, {read(0)}), "A0@1 R0@12 R0@16");
}

TEST(DramTiming, ReadLatency) {
  DramParams params;
  EXPECT_EQ(Channel(params).run({read(0)}).answered(0), 51u);
  params.t_cl = 9;
  EXPECT_EQ(Channel(params).run({read(0)}).answered(0), 50u);
}

TEST(DramTiming, PrechargeToActivate) {
  DramParams params;
  EXPECT_EQ(commands(params, {read(0), read(kRow1, 100)}), "A0@1 R0@13 R0@17 P0@101 A0@111 R0@123 R0@127");
  params.t_rp = 9;
  EXPECT_EQ(commands(params, {read(0), read(kRow1, 100)}), "A0@1 R0@13 R0@17 P0@101 A0@110 R0@122 R0@126");
}

TEST(DramTiming, ActivateToPrecharge) {
  DramParams params;
  EXPECT_EQ(commands(params, {read(0), read(kRow1)}), "A0@1 R0@13 R0@17 P0@26 A0@36 R0@48 R0@52");
  params.t_ras = 24;  // the activate is still held by tRC = 35
  EXPECT_EQ(commands(params, {read(0), read(kRow1)}), "A0@1 R0@13 R0@17 P0@25 A0@36 R0@48 R0@52");
}

TEST(DramTiming, ActivateToActivateOfOneBank) {
  DramParams params;
  params.t_rp = 5;  // so that precharge at 26 would allow 31
  EXPECT_EQ(commands(params, {read(0), read(kRow1)}), "A0@1 R0@13 R0@17 P0@26 A0@36 R0@48 R0@52");
  params.t_rc = 34;
  EXPECT_EQ(commands(params, {read(0), read(kRow1)}), "A0@1 R0@13 R0@17 P0@26 A0@35 R0@47 R0@51");
}

TEST(DramTiming, ActivateToActivateOfTwoBanks) {
  DramParams params;
  EXPECT_EQ(commands(params, {read(0), read(kBank1)}), "A0@1 A1@9 R0@13 R0@17 R1@21 R1@25");
  params.t_rrd = 7;
  EXPECT_EQ(commands(params, {read(0), read(kBank1)}), "A0@1 A1@8 R0@13 R0@17 R1@21 R1@25");
}

TEST(DramTiming, DataBusWidth) {
  DramParams params;  // 8 bytes a cycle: 64 bytes are two bursts of four cycles
  params.bytes_per_cycle = 16;
  EXPECT_EQ(commands(params, {read(0), read(64)}), "A0@1 R0@13 R0@17");
  params.bytes_per_cycle = 4;
  EXPECT_EQ(commands(params, {read(0)}), "A0@1 R0@13 R0@17 R0@21 R0@25");
}

TEST(DramTiming, BurstLength) {
  DramParams params;
  params.burst_cycles = 3;  // 24 bytes a burst: three for 64 bytes
  EXPECT_EQ(commands(params, {read(0)}), "A0@1 R0@13 R0@16 R0@19");
}

TEST(DramTiming, WriteLatency) {
  DramParams params;
  EXPECT_EQ(Channel(params).run({write(0)}).answered(0), 17u + 7 + 4 + 20);
  params.t_wl = 6;
  EXPECT_EQ(Channel(params).run({write(0)}).answered(0), 17u + 6 + 4 + 20);
}

TEST(DramTiming, WriteToRead) {
  DramParams params;  // write data ends at 17 + 7 + 4 = 28
  EXPECT_EQ(commands(params, {write(0), read(64)}), "A0@1 W0@13 W0@17 R0@34 R0@38");
  params.t_wtr = 5;
  EXPECT_EQ(commands(params, {write(0), read(64)}), "A0@1 W0@13 W0@17 R0@33 R0@37");
}

TEST(DramTiming, WriteToPrecharge) {
  DramParams params;
  EXPECT_EQ(commands(params, {write(0), read(kRow1)}), "A0@1 W0@13 W0@17 P0@39 A0@49 R0@61 R0@65");
  params.t_wr = 10;
  EXPECT_EQ(commands(params, {write(0), read(kRow1)}), "A0@1 W0@13 W0@17 P0@38 A0@48 R0@60 R0@64");
}

TEST(DramTiming, ReadToWriteTurnsTheBusRound) {
  DramParams params;  // read data ends at 17 + 10 + 4 = 31; write data two cycles later needs its command at 33 - 7
  EXPECT_EQ(commands(params, {read(0), write(64)}), "A0@1 R0@13 R0@17 W0@26 W0@30");
  params.turnaround_cycles = 1;
  EXPECT_EQ(commands(params, {read(0), write(64)}), "A0@1 R0@13 R0@17 W0@25 W0@29");
}

TEST(DramTiming, ReadToPrecharge) {
  DramParams params;
  params.t_ras = 13;
  params.t_rtp = 6;
  EXPECT_EQ(commands(params, {read(0), read(kRow1)}), "A0@1 R0@13 R0@17 P0@23 A0@36 R0@48 R0@52");
  params.t_rtp = 7;
  EXPECT_EQ(commands(params, {read(0), read(kRow1)}), "A0@1 R0@13 R0@17 P0@24 A0@36 R0@48 R0@52");
}

TEST(DramScheduling, FirstReadyServesTheOpenRowBeforeAnOlderRequest) {
  Channel channel{DramParams{}};
  channel.run({read(0), read(kRow1), read(64)});
  EXPECT_EQ(channel.slice.answers, (std::vector<std::uint32_t>{0, 2, 1}));
  EXPECT_EQ(channel.stat("dram_row_hits"), 1u);
  EXPECT_EQ(channel.stat("dram_row_misses"), 2u);
}

// At 21 both the activate of bank 1 and the read of the younger request for the open row are ready.
TEST(DramScheduling, AColumnCommandGoesBeforeAnOlderRequestsRowCommand) {
  DramParams params;
  params.t_rrd = 20;
  EXPECT_EQ(commands(params, {read(0), read(kBank1), read(64)}), "A0@1 R0@13 R0@17 R0@21 A1@22 R0@25 R1@34 R1@38");
}

TEST(DramScheduling, FirstComeFirstServedKeepsTheOrder) {
  DramParams params;
  params.scheduler = DramScheduler::kFcfs;
  Channel channel(params);
  channel.run({read(0), read(kRow1), read(64), read(kBank1)});
  EXPECT_EQ(channel.slice.answers, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(channel.log(), "A0@1 R0@13 R0@17 P0@26 A0@36 R0@48 R0@52 P0@61 A0@71 R0@83 R0@87 A1@88 R1@100 R1@104");
}

TEST(DramScheduling, BanksOverlapUnderFirstReady) {
  EXPECT_EQ(commands(DramParams{}, {read(0), read(kRow1), read(kBank1)}),
            "A0@1 A1@9 R0@13 R0@17 R1@21 R1@25 P0@26 A0@36 R0@48 R0@52");
}

TEST(DramMappings, BanksAlternateAtTheInterleave) {
  DramParams params;
  params.mapping = DramMapping::kRowColumnBank;  // 256 bytes a bank, then the next
  EXPECT_EQ(commands(params, {read(0), read(256)}), "A0@1 A1@9 R0@13 R0@17 R1@21 R1@25");
}

// The lowest bit of the bank changes every 256 bytes, the others after both banks' rows of 2048.
TEST(DramMappings, PairsOfBanksAlternateAtTheInterleave) {
  DramParams params;
  params.mapping = DramMapping::kRowBankColumnBank;
  const auto place = [&](Address at) {
    const DramCommand activate = Channel(params).run({read(at)}).commands.front();
    return std::pair{activate.bank, activate.row};
  };
  using Place = std::pair<std::uint32_t, std::uint64_t>;
  EXPECT_EQ(place(0), Place(0, 0));
  EXPECT_EQ(place(256), Place(1, 0));
  EXPECT_EQ(place(512), Place(0, 0));
  EXPECT_EQ(place(4096 - 64), Place(1, 0));
  EXPECT_EQ(place(4096), Place(2, 0));
  EXPECT_EQ(place(3 * 4096 + 256), Place(7, 0));
  EXPECT_EQ(place(4 * 4096), Place(0, 1));
}

TEST(DramQueue, WithholdsEndReqWhileFull) {
  DramParams params;
  params.queue_entries = 2;
  Channel channel(params);
  channel.run({read(0), read(64), read(128), read(192)});
  const auto& outcomes = channel.slice.outcomes;
  EXPECT_EQ(outcomes[1].accepted_ps, 1 * kCyclePs);
  EXPECT_EQ(outcomes[2].accepted_ps, 17 * kCyclePs);  // the first request's last command frees its place
  EXPECT_EQ(outcomes[3].sent, 17u);                   // not before
  EXPECT_EQ(outcomes[3].accepted_ps, 25 * kCyclePs);
  EXPECT_EQ(channel.stat("dram_queue_peak"), 2u);
  EXPECT_EQ(channel.stat("dram_queue_full_cycles"), (17u - 2) + (25 - 17));
}

TEST(DramQueue, HoldsResponsesUntilTheyAreTaken) {
  Channel channel{DramParams{}};
  channel.slice.response_hold = 500;
  channel.run({read(0), read(64), read(128)});
  EXPECT_EQ(channel.answered(0), 51u);
  EXPECT_EQ(channel.answered(1), 51u + 500 + 1);  // END_RESP is given after the edge's memory work
  EXPECT_EQ(channel.answered(2), 51u + 2 * 501);
  EXPECT_EQ(channel.pool.in_use(), 0u);
}

TEST(DramBandwidth, AStreamReachesThePeakAndNeverExceedsIt) {
  Channel channel{DramParams{}};
  std::vector<Step> steps;
  for (Address line = 0; line < 4000; ++line) steps.push_back(read(line * 64));
  channel.run(steps);
  const double cycles = static_cast<double>(channel.answered(3999) - channel.answered(0));
  const double rate = 3999 * 64 / cycles;
  EXPECT_GE(rate, 0.8 * 8);
  EXPECT_LE(rate, 8.0);
  EXPECT_EQ(channel.stat("dram_row_misses"), 4000u * 64 / 2048);
}

// Every constraint of the header comment, said once more over pairs of commands.
class Legality {
 public:
  std::uint64_t refreshes = 0;

  explicit Legality(const DramParams& params)
      : p_(params),
        banks_(params.banks),
        group_column_(params.bank_groups, kNever),
        group_read_(params.bank_groups, kNever) {}

  void check(const DramCommand& now) {
    State& bank = banks_[now.bank];
    if (now.kind == Kind::kRefresh) return refresh(now);
    const bool is_column = now.kind == Kind::kRead || now.kind == Kind::kWrite;
    Cycle& last = is_column || !p_.row_command_bus ? last_ : last_row_;
    EXPECT_GT(now.at, last) << "one command per cycle and bus";
    last = now.at;
    const std::uint32_t group = now.bank % p_.bank_groups;
    if (is_column) {
      after(group_column_[group], p_.t_ccd_l, now, "tCCDL");
      group_column_[group] = now.at;
    }
    switch (now.kind) {
      case Kind::kActivate:
        EXPECT_FALSE(bank.open);
        EXPECT_GE(now.at, closed_until_) << "tRFC";
        after(bank.activate, p_.t_rc, now, "tRC");
        after(bank.precharge, p_.t_rp, now, "tRP");
        after(any_activate_, p_.t_rrd, now, "tRRD");
        bank = {true, now.row, now.at, kNever, kNever, kNever};
        any_activate_ = now.at;
        break;
      case Kind::kPrecharge:
        EXPECT_TRUE(bank.open);
        after(bank.activate, p_.t_ras, now, "tRAS");
        after(bank.read, p_.t_rtp, now, "tRTP");
        after(group_read_[group], p_.t_rtp_l, now, "tRTPL");
        after(bank.write, p_.t_wl + p_.burst_cycles + p_.t_wr, now, "tWR");
        bank.open = false;
        bank.precharge = now.at;
        break;
      case Kind::kRead:
        column(bank, now, p_.t_cl);
        after(any_write_, p_.t_wl + p_.burst_cycles + p_.t_wtr, now, "tWTR");
        bank.read = any_read_ = group_read_[group] = now.at;
        break;
      case Kind::kWrite:
        column(bank, now, p_.t_wl);
        if (any_read_ != kNever) {
          EXPECT_GE(now.at + p_.t_wl, any_read_ + p_.t_cl + p_.burst_cycles + p_.turnaround_cycles);
        }
        bank.write = any_write_ = now.at;
        break;
      case Kind::kRefresh:
        break;
    }
  }

 private:
  struct State {
    bool open = false;
    std::uint64_t row = 0;
    Cycle activate = kNever, precharge = kNever, read = kNever, write = kNever;
  };
  // All rows closed at one time, tRP before it.
  void refresh(const DramCommand& now) {
    EXPECT_GE(now.at, closed_until_);
    for (State& bank : banks_) {
      after(bank.precharge, p_.t_rp, now, "tRP");
      after(bank.activate, p_.t_rc, now, "tRC");
      if (!bank.open) continue;
      bank.open = false;
      bank.precharge = now.at - p_.t_rp;
      EXPECT_GE(bank.precharge, bank.activate + p_.t_ras);
      if (bank.read != kNever) {
        EXPECT_GE(bank.precharge, bank.read + p_.t_rtp);
      }
      if (bank.write != kNever) {
        EXPECT_GE(bank.precharge, bank.write + p_.t_wl + p_.burst_cycles + p_.t_wr);
      }
    }
    closed_until_ = now.at + p_.t_rfc;
    ++refreshes;
  }
  static void after(Cycle before, Cycle gap, const DramCommand& now, const char* what) {
    if (before != kNever) {
      EXPECT_GE(now.at, before + gap) << what;
    }
  }
  void column(const State& bank, const DramCommand& now, Cycle to_data) {
    EXPECT_TRUE(bank.open);
    EXPECT_EQ(bank.row, now.row);
    after(bank.activate, p_.t_rcd, now, "tRCD");
    EXPECT_GE(now.at + to_data, bus_free_) << "data bus";
    bus_free_ = now.at + to_data + p_.burst_cycles;
  }
  DramParams p_;
  std::vector<State> banks_;
  std::vector<Cycle> group_column_, group_read_;
  Cycle closed_until_ = 0, last_row_ = 0;
  Cycle last_ = 0, any_activate_ = kNever, any_read_ = kNever, any_write_ = kNever, bus_free_ = 0;
};

DramParams of_scheduler(DramScheduler scheduler) {
  DramParams params;
  params.scheduler = scheduler;
  return params;
}

// Bank groups, two command buses and refresh, all at once.
DramParams everything() {
  DramParams params;
  params.bank_groups = 2;
  params.t_ccd_l = 7;
  params.t_rtp = 6;
  params.t_rtp_l = 9;
  params.t_refi = 700;
  params.t_rfc = 90;
  params.row_command_bus = true;
  return params;
}

class DramRandom : public testing::TestWithParam<DramParams> {};

TEST_P(DramRandom, KeepsEveryConstraintAndTheOrderOfEachLine) {
  const DramParams params = GetParam();
  Channel channel(params);
  std::mt19937 random(7);
  std::vector<Step> steps;
  for (int n = 0; n < 5000; ++n) {
    const Address line = random() % 16 * 64 + random() % 4 * 2048 + random() % 3 * kRow1;
    steps.push_back({random() % 3 == 0, line, 64, random() % 40000});
  }
  std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.not_before < b.not_before; });
  channel.run(steps);

  Legality legality(params);
  for (const DramCommand& command : channel.commands) legality.check(command);
  EXPECT_EQ(channel.stat("dram_refreshes"), legality.refreshes);
  ASSERT_EQ(channel.slice.answers.size(), steps.size());
  std::map<Address, std::uint32_t> last;
  for (const std::uint32_t step : channel.slice.answers) {
    EXPECT_EQ(channel.slice.outcomes[step].responses, 1u);
    const auto [place, first] = last.try_emplace(steps[step].address, step);
    if (!first) {
      EXPECT_GT(step, place->second) << "two requests for one line changed places";
    }
    place->second = step;
  }
  EXPECT_EQ(channel.pool.in_use(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Machines, DramRandom,
                         testing::Values(DramParams{}, of_scheduler(DramScheduler::kFcfs), everything()));

}  // namespace dram_channel_test
}  // namespace warpfold
