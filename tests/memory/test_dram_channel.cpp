// SPDX-License-Identifier: Apache-2.0
// DRAM command sequences against hand-computed cycles. Edge n of the 800 MHz clock is at n * 1250 ps; a request sent at
// edge n gets its first command at edge n + 1.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "models/memory/dram_channel.h"
#include "tests/memory/scripted.h"
#include "tests/memory/simulation.h"

namespace warpfold {
namespace {

using test::ScriptedInitiator;
using Step = ScriptedInitiator::Step;
using Kind = DramCommand::Kind;

constexpr Address kBank1 = 2048;     // row 0 of bank 1
constexpr Address kRow1 = 8 * 2048;  // row 1 of bank 0
constexpr std::uint64_t kCyclePs = 1250;

struct Channel : DramCommandSink {
  explicit Channel(const DramParams& params)
      : clocks("clocks"),
        memory(clocks.domain(800)),
        outside(clocks.domain(800)),
        dram("dram", params, AddressMap(256, 1), memory, 0, stats),
        slice("slice", outside, 0, pool) {
    slice.socket.bind(dram.sockets[0]);
    dram.listen(this);
  }
  void command(const DramCommand& command) override { commands.push_back(command); }

  Channel& run(std::vector<Step> steps) {
    slice.steps = std::move(steps);
    slice.start();
    sc_core::sc_start();
    return *this;
  }
  // "A0@1" = activate of bank 0 at cycle 1; P precharge, R read, W write, F refresh.
  std::string log() const {
    std::string text;
    for (const DramCommand& at : commands) {
      text += fmt::format("{}{}{}@{}", text.empty() ? "" : " ", "APRWF"[static_cast<int>(at.kind)], at.bank, at.at);
    }
    return text;
  }
  Cycle answered(std::size_t step) const { return slice.outcomes[step].answered_ps / kCyclePs; }
  std::uint64_t stat(const std::string& name) {
    for (const StatGroup::Entry& entry : stats.entries()) {
      if (entry.info.name == name) return entry.counter.value();
    }
    ADD_FAILURE() << "no statistic " << name;
    return 0;
  }

  test::Simulation simulation;
  StatGroup stats{"dram_0"};
  PayloadPool pool;
  ClockTree clocks;
  ClockDomain& memory;
  ClockDomain& outside;
  DramChannel dram;
  ScriptedInitiator slice;
  std::vector<DramCommand> commands;
};

std::string commands(const DramParams& params, std::vector<Step> steps) { return Channel(params).run(steps).log(); }

constexpr Step read(Address at, Cycle from = 0) { return {false, at, 64, from}; }
constexpr Step write(Address at, Cycle from = 0) { return {true, at, 64, from}; }

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

constexpr Address kBank4 = 4 * 2048;  // of bank 0's group where there are four, as bank 1 is not

TEST(DramBankGroups, ColumnCommandsOfAGroupKeepTheirDistance) {
  DramParams params;
  params.bank_groups = 4;
  params.t_ccd_l = 6;
  EXPECT_EQ(commands(params, {read(0)}), "A0@1 R0@13 R0@19");
  EXPECT_EQ(commands(params, {read(0), read(kBank4)}), "A0@1 A4@9 R0@13 R0@19 R4@25 R4@31");
  EXPECT_EQ(commands(params, {read(0), read(kBank1)}), "A0@1 A1@9 R0@13 R0@19 R1@23 R1@29");
  params.t_ccd_l = 3;  // the bus is slower
  EXPECT_EQ(commands(params, {read(0)}), "A0@1 R0@13 R0@17");
}

// 100 requests are 200 bursts. Of one bank, one each t_ccd_l; of two banks in two groups, the bus is busy all the time.
TEST(DramBankGroups, AStreamTakesTheGroupsPaceOrTheBuss) {
  DramParams params;
  params.bank_groups = 4;
  params.t_ccd_l = 8;
  std::vector<Step> one{read(0), read(kBank1)}, two = one;
  for (Address n = 0; n < 100; ++n) one.push_back(read(n % 32 * 64, 100));
  for (Address n = 0; n < 100; ++n) two.push_back(read(n % 2 * kBank1 + n % 32 * 64, 100));
  EXPECT_EQ(Channel(params).run(one).commands.back().at, 101u + 199 * 8);
  EXPECT_EQ(Channel(params).run(two).commands.back().at, 101u + 199 * 4);
}

TEST(DramBankGroups, ReadsHoldTheirGroupsPrecharges) {
  DramParams params;
  params.bank_groups = 4;
  EXPECT_EQ(commands(params, {read(0), read(kBank4, 60), read(kRow1, 74)}),
            "A0@1 R0@13 R0@17 A4@61 R4@73 P0@75 R4@77 A0@85 R0@97 R0@101");
  params.t_rtp_l = 20;
  EXPECT_EQ(commands(params, {read(0), read(kBank4, 60), read(kRow1, 74)}),
            "A0@1 R0@13 R0@17 A4@61 R4@73 R4@77 P0@97 A0@107 R0@119 R0@123");
  EXPECT_EQ(commands(params, {read(0), read(kBank1, 60), read(kRow1, 74)}),
            "A0@1 R0@13 R0@17 A1@61 R1@73 P0@75 R1@77 A0@85 R0@97 R0@101");
}

DramParams refreshed() {
  DramParams params;
  params.t_refi = 100;
  params.t_rfc = 30;
  return params;
}

TEST(DramRefresh, ARequestThatComesDuringItWaits) {
  Channel channel(refreshed());
  channel.run({read(0, 199)});  // the refresh of cycle 200 is just due, that of 100 long done
  EXPECT_EQ(channel.log(), "F0@100 F0@200 A0@230 R0@242 R0@246");
  EXPECT_EQ(channel.stat("dram_refreshes"), 2u);
  EXPECT_EQ(channel.answered(0), 246u + 10 + 4 + 20);
  EXPECT_EQ(commands(refreshed(), {read(0, 114)}), "F0@100 A0@130 R0@142 R0@146");
  EXPECT_EQ(commands(refreshed(), {read(0, 140)}), "F0@100 A0@141 R0@153 R0@157");
}

TEST(DramRefresh, OpenRowsAreClosedFirst) {
  Channel channel(refreshed());
  channel.run({read(0), read(64, 105)});
  EXPECT_EQ(channel.log(), "A0@1 R0@13 R0@17 F0@110 A0@140 R0@152 R0@156");  // from 100: tRP, then tRFC
  EXPECT_EQ(channel.stat("dram_precharges"), 1u);
  EXPECT_EQ(channel.stat("dram_row_misses"), 2u);
}

TEST(DramRefresh, ARequestHalfServedGoesOnAfterwards) {
  // Due at 100; the row of 86 may close at 86 + tRAS = 111 and opens again tRP + tRFC later.
  Channel channel(refreshed());
  channel.run({read(0, 85)});
  EXPECT_EQ(channel.log(), "A0@86 R0@98 F0@121 A0@151 R0@163");
  EXPECT_EQ(channel.answered(0), 163u + 10 + 4 + 20);
}

TEST(DramCommandBuses, RowCommandsGoBesideColumnCommandsOnABusOfTheirOwn) {
  DramParams params;
  params.t_rrd = 12;
  EXPECT_EQ(commands(params, {read(0), read(kBank1)}), "A0@1 R0@13 A1@14 R0@17 R1@26 R1@30");
  params.row_command_bus = true;
  EXPECT_EQ(commands(params, {read(0), read(kBank1)}), "A0@1 R0@13 A1@13 R0@17 R1@25 R1@29");
}

TEST(DramScheduling, FirstReadyServesTheOpenRowBeforeAnOlderRequest) {
  Channel channel{DramParams{}};
  channel.run({read(0), read(kRow1), read(64)});
  EXPECT_EQ(channel.slice.answers, (std::vector<std::uint32_t>{0, 2, 1}));
  EXPECT_EQ(channel.stat("dram_row_hits"), 1u);
  EXPECT_EQ(channel.stat("dram_row_misses"), 2u);
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

// Two slices in front of one channel, chunks of 256 bytes in turns.
struct SharedChannel {
  explicit SharedChannel(const DramParams& params)
      : clocks("clocks"),
        memory(clocks.domain(800)),
        outside(clocks.domain(800)),
        dram("dram", params, AddressMap(256, 1, 2), memory, 0, stats),
        even("even", outside, 0, pool),
        odd("odd", outside, 1, pool) {
    even.socket.bind(dram.sockets[0]);
    odd.socket.bind(dram.sockets[1]);
  }
  void run() {
    even.start();
    odd.start();
    sc_core::sc_start();
  }

  test::Simulation simulation;
  StatGroup stats{"dram_0"};
  PayloadPool pool;
  ClockTree clocks;
  ClockDomain& memory;
  ClockDomain& outside;
  DramChannel dram;
  ScriptedInitiator even, odd;
};

TEST(DramSlices, SlicesThatShareAChannelTakeTurns) {
  DramParams params;
  params.queue_entries = 1;
  SharedChannel channel(params);
  for (Address n = 0; n < 4; ++n) {
    channel.even.steps.push_back(read(n * 64));
    channel.odd.steps.push_back(read(256 + n * 64));
  }
  channel.run();
  // One request at a time, two bursts of four cycles each: even's first is served at 13 and 17, then odd's, and so on.
  for (std::uint64_t n = 0; n < 4; ++n) {
    EXPECT_EQ(channel.even.outcomes[n].answered_ps, (17 + 16 * n + 34) * kCyclePs);
    EXPECT_EQ(channel.odd.outcomes[n].answered_ps, (25 + 16 * n + 34) * kCyclePs);
  }
  EXPECT_EQ(channel.pool.in_use(), 0u);
}

}  // namespace
}  // namespace warpfold
