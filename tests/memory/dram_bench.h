// SPDX-License-Identifier: Apache-2.0
// A DRAM channel alone behind a scripted slice, and its command log as text.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/memory/scripted.h"
#include "tests/memory/simulation.h"
#include "warpfold/memory/dram/dram_channel.h"

namespace warpfold::test {

using Step = ScriptedInitiator::Step;

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

  Simulation simulation;
  StatGroup stats{"dram_0"};
  PayloadPool pool;
  ClockTree clocks;
  ClockDomain& memory;
  ClockDomain& outside;
  DramChannel dram;
  ScriptedInitiator slice;
  std::vector<DramCommand> commands;
};

inline std::string commands(const DramParams& params, std::vector<Step> steps) {
  return Channel(params).run(steps).log();
}

constexpr Step read(Address at, Cycle from = 0) { return {false, at, 64, from}; }
constexpr Step write(Address at, Cycle from = 0) { return {true, at, 64, from}; }

}  // namespace warpfold::test
