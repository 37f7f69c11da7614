// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>

#include "tb/bench/callgrind.h"
#include "warpfold/common/error.h"

namespace warpfold::bench {
namespace callgrind_test {

// As callgrind 3.19 writes it, with compressed names and positions.
std::string file(const std::string& records, unsigned total) {
  return "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\ncmd:  ./program --size=small\npositions: line\n"
         "events: Ir\nsummary: " +
         std::to_string(total) + "\n\n" + records + "\ntotals: " + std::to_string(total) + "\n";
}

PartCosts costs_of(const std::string& records, unsigned total) {
  std::istringstream in(file(records, total));
  return part_costs(in, "callgrind.out", {"Ir"});
}

std::string error_of(const std::string& text) {
  std::istringstream in(text);
  try {
    part_costs(in, "callgrind.out", {"Ir"});
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

PartCosts only(std::initializer_list<std::pair<Part, double>> expected) {
  PartCosts costs = {};
  for (const auto& [part, cost] : expected) costs[part] = cost;
  return costs;
}

TEST(Callgrind, LineBelongsToItsFile) {
  const PartCosts costs = costs_of(
      "ob=(1) /lib/libwarpfold_cudart.so\n"
      "fl=(1) /src/models/core/issue/issue_stage.cpp\n"
      "fn=(1) warpfold::IssueStage::tick(unsigned long)\n"
      "20 70\n"
      "+3 7\n"
      "fi=(2) /src/models/divergence/packing/scc.h\n"
      "40 200\n"
      "fe=(1)\n"
      "* 3000\n",
      3277);
  EXPECT_EQ(costs, only({{kIssue, 3077}, {kLaneStatistics, 200}}));
}

TEST(Callgrind, EveryPartHasItsFiles) {
  const std::pair<const char*, Part> files[] = {
      {"models/common/clock/clock.cpp", kClock},
      {"/usr/include/sysc/kernel/sc_event.h", kSystemC},
      {"models/core/issue/scoreboard.cpp", kIssue},
      {"models/core/issue/warp_scheduler.cpp", kIssue},
      {"models/core/memory/coalescer.cpp", kLoadStore},
      {"models/core/memory/load_store_unit.h", kLoadStore},
      {"models/core/operands/register_file.cpp", kRegisters},
      {"models/core/operands/simd_units.cpp", kRegisters},
      {"models/core/operands/write_back.cpp", kRegisters},
      {"models/core/issue/lane_statistics.cpp", kLaneStatistics},
      {"models/isa/execute/execute.h", kLanes},
      {"models/core/warps/warps.cpp", kBranch},
      {"models/divergence/mechanisms/harp.cpp", kBranch},
      {"models/compaction/thread_compactor.cpp", kBranch},
      {"/usr/include/tlm_core/tlm_2/tlm_generic_payload/tlm_gp.h", kTlm},
      {"models/memory/dram/payload_pool.h", kTlm},
      {"models/memory/l1/l1_cache.cpp", kMemory},
      {"models/common/results/results.cpp", kResults},
      {"models/gpu/machine/gpu.cpp", kOther},
  };
  for (const auto& [path, part] : files) {
    EXPECT_EQ(costs_of(std::string("fl=(1) ") + path + "\nfn=(1) f\n1 5\n", 5), only({{part, 5}})) << path;
  }
}

// libsystemc has no debug information: its files are "???".
TEST(Callgrind, SystemCIsKnownByItsLibrary) {
  const PartCosts costs = costs_of(
      "ob=(1) /usr/lib/x86_64-linux-gnu/libsystemc-2.3.4.so\n"
      "fl=(1) ???\n"
      "fn=(1) sc_core::sc_simcontext::crunch(bool)\n"
      "0 11\n"
      "fn=(2) tlm::tlm_generic_payload::get_extension(unsigned int) const\n"
      "0 5\n",
      16);
  EXPECT_EQ(costs, only({{kSystemC, 11}, {kTlm, 5}}));
}

// A build without debug information has results apart, too: what ResultWriter calls is its own.
TEST(Callgrind, ResultsAreKnownByTheirClass) {
  const PartCosts costs = costs_of(
      "ob=(1) /lib/libwarpfold_cudart.so\n"
      "fl=(1) ???\n"
      "fn=(1) warpfold::ResultWriter::kernel_end(warpfold::StatRegistry const&)\n"
      "0 7\n"
      "cfn=(2) nlohmann::dump()\n"
      "calls=1 0\n"
      "0 30\n"
      "fn=(2)\n"
      "0 30\n"
      "fn=(3) warpfold::Gpu::start()\n"
      "0 5\n",
      42);
  EXPECT_EQ(costs, only({{kResults, 37}, {kOther, 5}}));
}

// What is inlined from a library's header is the function's that it was inlined into.
TEST(Callgrind, InlinedLibraryCodeBelongsToItsFunction) {
  const PartCosts costs = costs_of(
      "fl=(1) /src/models/memory/dram/dram_channel.cpp\n"
      "fn=(1) warpfold::DramChannel::tick(unsigned long)\n"
      "1 10\n"
      "fi=(2) /usr/include/c++/12/bits/stl_deque.h\n"
      "2 90\n",
      100);
  EXPECT_EQ(costs, only({{kMemory, 100}}));
}

// sort is called by the coalescer for 300 instructions and by the mechanism for 100; 80 of those are its own and 320
// those of a comparison that only it calls. The costs after "calls=" are not counted twice.
TEST(Callgrind, LibraryFunctionIsSharedByItsCallers) {
  const PartCosts costs = costs_of(
      "ob=(1) /lib/libwarpfold_cudart.so\n"
      "fl=(1) /src/models/core/memory/coalescer.cpp\n"
      "fn=(1) warpfold::coalesce()\n"
      "1 1000\n"
      "cfi=(3) /usr/include/c++/12/bits/stl_algo.h\n"
      "cfn=(3) std::sort\n"
      "calls=3 50\n"
      "2 300\n"
      "fl=(2) /src/models/divergence/mechanisms/harp.cpp\n"
      "fn=(2) warpfold::Harp::branch()\n"
      "1 2000\n"
      "cfi=(3)\n"
      "cfn=(3)\n"
      "calls=1 50\n"
      "2 100\n"
      "fl=(3)\n"
      "fn=(3)\n"
      "50 80\n"
      "cfn=(3)\n"  // it calls itself, which is nobody's cost
      "calls=7 50\n"
      "51 170\n"
      "cfi=(4) ???\n"
      "cfn=(4) compare\n"
      "calls=9 0\n"
      "52 320\n"
      "fl=(4)\n"
      "fn=(4)\n"
      "0 320\n",
      3400);
  const PartCosts expected = only({{kLoadStore, 1000 + 300}, {kBranch, 2000 + 100}});
  for (unsigned part = 0; part < kParts; ++part) EXPECT_NEAR(costs[part], expected[part], 1e-6) << kPartNames[part];
}

TEST(Callgrind, WhatNobodyCalledIsOther) {
  EXPECT_EQ(costs_of("fl=(1) ???\nfn=(1) _dl_runtime_resolve\n0 42\n", 42), only({{kOther, 42}}));
}

TEST(Callgrind, EventsAreChosenByNameAndNoughtsAtTheEndAreLeftOut) {
  std::istringstream in(
      "# callgrind format\npositions: line\nevents: Ir Dr Dw I1mr D1mr D1mw\n"
      "fl=(1) /src/models/core/issue/issue_stage.cpp\nfn=(1) warpfold::IssueStage::tick(unsigned long)\n"
      "20 70 9 8 7 6 5\n+3 7 1 1 1 4\n+1 3\ntotals: 80 10 9 8 10 5\n");
  EXPECT_EQ(part_costs(in, "callgrind.out", {"D1mr", "D1mw"}), only({{kIssue, 15}}));
}

TEST(Callgrind, UnreadableFilesAreToldInOneLine) {
  EXPECT_EQ(error_of("vgcore\n"), "callgrind.out: this is no output of callgrind");
  EXPECT_EQ(error_of("# callgrind format\nevents: Ir\n"),
            "callgrind.out: it ends early: valgrind was stopped, or has written nothing");
  EXPECT_EQ(error_of("# callgrind format\nevents: Dr\n"), "callgrind.out: it has no event Ir");
  EXPECT_EQ(error_of(file("fl=(1) x.cpp\nfn=(1) f\n1 5\n", 6)), "callgrind.out: its lines cost 5, its total says 6");
}

}  // namespace callgrind_test
}  // namespace warpfold::bench
