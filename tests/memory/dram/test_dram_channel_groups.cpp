// SPDX-License-Identifier: Apache-2.0
// Bank groups, refresh, two command buses and slices that share a channel, as command sequences by hand. Edge n of the
// 800 MHz clock is at n * 1250 ps; a request sent at edge n gets its first command at edge n + 1.
#include <gtest/gtest.h>

#include <vector>

#include "tests/memory/dram_bench.h"

namespace warpfold {
namespace dram_channel_groups_test {

using namespace test;

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

  Simulation simulation;
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

}  // namespace dram_channel_groups_test
}  // namespace warpfold
