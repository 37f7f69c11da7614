// SPDX-License-Identifier: Apache-2.0
// The measurements of the divergence-cost paper on its machines: one warp, Table I's limits, and the cycles between two
// reads of the clock around the loops.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/gpu/kernel_machine.h"
#include "tests/papers/token_emulator.h"

namespace warpfold {

struct Architecture {
  std::string name, machine;
  std::vector<std::string> sets;
  Cycle per_branch, per_spill;  // §IV: of a diverging branch; of a spill with its reload
};

inline const std::vector<Architecture>& architectures() {
  static const std::vector<Architecture> both{{"Kepler", "kepler-token", {}, 32, 84},
                                              {"Maxwell", "maxwell-token", {"mechanism.generation=maxwell"}, 26, 176}};
  return both;
}

// One launch with Table I's limits of n diverging threads.
struct Measurement {
  Cycle cycles = 0;
  token_emulator::Counts counts;
  std::vector<float> sums;
};

class DivergenceCost : public testing::TestWithParam<Architecture> {
 protected:
  static constexpr unsigned kLast = 31;  // n of the last line of Table I

  // `loops` runs over the limits in %r2, leaves its sum in %f1, and may use %r4, %r5, %p1 and labels. `preheat` comes
  // before the clock is read first, as the listings' N_PREHEAT loops do.
  static std::string kernel(const std::string& loops, const std::string& preheat = "") {
    return ptx_module(R"(.visible .entry k(.param .u64 limits, .param .u64 out, .param .u64 timer)
{
.reg .pred %p<4>;
.reg .b32 %r<16>;
.reg .f32 %f<4>;
.reg .b64 %rd<8>;
ld.param.u64 %rd1, [limits];
ld.param.u64 %rd2, [out];
ld.param.u64 %rd3, [timer];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd4, %r1, 4;
add.s64 %rd1, %rd1, %rd4;
add.s64 %rd2, %rd2, %rd4;
add.s64 %rd3, %rd3, %rd4;
ld.global.u32 %r2, [%rd1];
mov.f32 %f1, 0f00000000;
)" + preheat + R"(
bar.sync 0;
mov.u32 %r8, %clock;
)" + loops + R"(
mov.u32 %r9, %clock;
sub.u32 %r9, %r9, %r8;
st.global.f32 [%rd2], %f1;
st.global.u32 [%rd3], %r9;
ret;
}
)");
  }

  static std::vector<Measurement> measure(const std::string& loops, const std::vector<std::string>& sets = {}) {
    std::vector<std::string> all = GetParam().sets;
    all.insert(all.end(), sets.begin(), sets.end());
    KernelMachine<> machine(kernel(loops), RunOptions::resolve(GetParam().machine, "token-stack", all));
    const Address out = machine.upload(std::vector<float>(32)), timer = machine.upload(std::vector<std::uint32_t>(32));
    std::vector<Measurement> measurements;
    for (unsigned n = 0; n <= kLast; ++n) {
      const Address limits = machine.upload(token_emulator::limits(n));
      machine.run("k", {1}, {32}, limits, out, timer);
      Measurement& measurement = measurements.emplace_back();
      measurement.cycles = machine.download<std::uint32_t>(timer, 1)[0];
      measurement.sums = machine.download<float>(out, 32);
      measurement.counts = counts_of(machine.device.results().last_launch());
    }
    return measurements;
  }

  // The cycles of several launches of the same n, one after the other on a machine that has run nothing else.
  static std::vector<Cycle> launches(const std::string& loops, unsigned n, const std::string& preheat = "") {
    std::vector<std::string> sets = GetParam().sets;
    sets.push_back("mechanism.spill=traffic");
    KernelMachine<> machine(kernel(loops, preheat), RunOptions::resolve(GetParam().machine, "token-stack", sets));
    const Address out = machine.upload(std::vector<float>(32)), timer = machine.upload(std::vector<std::uint32_t>(32));
    const Address limits = machine.upload(token_emulator::limits(n));
    std::vector<Cycle> cycles;
    for (unsigned launch = 0; launch < 3; ++launch) {
      machine.run("k", {1}, {32}, limits, out, timer);
      cycles.push_back(machine.download<std::uint32_t>(timer, 1)[0]);
    }
    return cycles;
  }

 private:
  static token_emulator::Counts counts_of(const StatValues& values) {
    const auto value = [&](const char* name) { return static_cast<unsigned>(values.at(name)); };
    EXPECT_EQ(value("token_spilled_bytes"), 32 * value("token_spills")) << "four tokens of 64 bits";
    return {value("token_sync_pushes") + value("token_div_pushes"), value("token_pops"), value("max_stack_entries"),
            value("token_spills"), value("token_reloads")};
  }
};

}  // namespace warpfold
