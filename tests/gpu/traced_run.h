// SPDX-License-Identifier: Apache-2.0
// A kernel's run with a time trace, and what its statistics say.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/gpu/kernel_machine.h"
#include "tests/gpu/trace_events.h"

namespace warpfold {

// Divergent, with a barrier and accesses that hit and miss.
inline const std::string kTracedBody = R"(
and.b32 %r10, %r5, 7;
setp.lt.u32 %p1, %r10, 3;
@%p1 bra SMALL;
LOOP:
add.u32 %r6, %r6, %r5;
and.b32 %r11, %r6, 1;
setp.ne.u32 %p2, %r11, 0;
@%p2 bra ODD;
xor.b32 %r6, %r6, 85;
ODD:
sub.u32 %r10, %r10, 1;
setp.ne.u32 %p3, %r10, 0;
@%p3 bra LOOP;
bra.uni MEET;
SMALL:
ld.global.u32 %r6, [%rd2];
atom.global.add.u32 %r12, [%rd1], 0;
MEET:
bar.sync 0;
add.u32 %r6, %r6, 1;
)";

using Words = TimeTraceOptions::Words;

// Nothing said but this.
inline Words with(std::string Words::*one, const std::string& value, std::string Words::*other = nullptr,
                  const std::string& its = "") {
  Words words;
  words.*one = value;
  if (other != nullptr) words.*other = its;
  return words;
}

class TracedRun : public testing::Test {
 protected:
  struct Ran {
    std::string trace, stats, left_out;
    nlohmann::json statistics;
    double total(const char* name) const { return statistics["total"].at(name); }
    double of_core(unsigned core, const char* name) const {
      return statistics["modules"].at(fmt::format("core{}", core)).at(name);
    }
  };

  TracedRun() : folder_(std::filesystem::path(testing::TempDir()) / fmt::format("warpfold_trace_{}", getpid())) {}
  ~TracedRun() override { std::filesystem::remove_all(folder_); }

  RunOptions options(const std::string& mechanism, std::vector<std::string> sets = {},
                     const std::string& machine = "tbc2011") const {
    sets.insert(sets.begin(), {"cores=2", "core.max_threads=256"});
    RunOptions options = RunOptions::resolve(machine, mechanism, sets);
    options.out = folder_;
    return options;
  }
  RunOptions traced(const std::string& mechanism, const Words& words = {}) const {
    RunOptions traced = options(mechanism);
    traced.trace = TimeTraceOptions::parse(words, "--");
    return traced;
  }

  Ran run(const RunOptions& options, unsigned launches = 2, unsigned blocks = 7, unsigned threads = 96,
          const std::string& body = kTracedBody) const {
    {
      KernelMachine<> machine(ptx_kernel(body), options);
      const Address in = machine.upload(noise(blocks * threads)),
                    out = machine.upload(std::vector<std::uint32_t>(blocks * threads));
      for (unsigned n = 0; n < launches; ++n) machine.run("k", {blocks}, {threads}, out, in);
      machine.device.finish();
    }
    Ran ran{text(kTimeTraceFile), text("stats.json"), "", {}};
    ran.statistics = nlohmann::json::parse(ran.stats);
    return ran;
  }
  std::string text(const char* name) const {
    std::ifstream file(folder_ / name);
    std::ostringstream all;
    all << file.rdbuf();
    return all.str();
  }

  const std::filesystem::path folder_;
};

}  // namespace warpfold
