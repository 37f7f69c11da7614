// SPDX-License-Identifier: Apache-2.0
// A whole core whose mechanism has too little room: its structures go to memory and back, and the kernel's end waits.
#include "tests/core/simt_core_fixture.h"
#include "tests/isa/nested_branches.h"
#include "warpfold/isa/address_space.h"

namespace warpfold {
namespace simt_core_spills_test {

const std::string kNested = kHeader + "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;" + isa::kNestedBranches + R"(
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd3, %rd1, %rd2;
st.global.u32 [%rd3], %r7;
ret;
})";

std::uint32_t nested(unsigned tid) { return tid == 0 ? 1 : tid <= 4 ? 2 + 32 : tid <= 8 ? 4 + 16 + 32 : 8 + 16 + 32; }

struct Setting {
  std::string mechanism;
  std::vector<std::string> parameters;
};

class SimtCoreSpills : public SimtCoreTest, public testing::WithParamInterface<Setting> {
 protected:
  struct Moved {
    std::uint64_t out = 0, in = 0;
  };
  Moved moved() const {
    Moved bytes;
    for (const auto& seen : memory.seen) {
      if (seen.address < isa::kSpillBacking || seen.address >= isa::kCodeBacking) continue;
      (seen.write ? bytes.out : bytes.in) += seen.bytes;
    }
    return bytes;
  }
};

INSTANTIATE_TEST_SUITE_P(Under, SimtCoreSpills,
                         testing::Values(Setting{"token-stack",
                                                 {"spill=traffic", "on_chip_tokens=1", "spill_tokens=1"}},
                                         Setting{"tbc", {"stack_entries=4"}}, Setting{"tbc-lcp", {"stack_entries=4"}},
                                         Setting{"capri", {"stack_entries=4"}}, Setting{"tstbc", {"stack_entries=4"}}));

TEST_P(SimtCoreSpills, WhatGoesComesBackBeforeItIsUsed) {
  start(kNested, 64, 1, GetParam().mechanism, true, GetParam().parameters);
  dispatch_at(0, 0);
  run(20'000);
  ASSERT_EQ(dispatcher.called.size(), 1u);
  for (unsigned tid = 0; tid < 64; ++tid) EXPECT_EQ(result(tid), nested(tid));
  const Moved bytes = moved();
  EXPECT_GT(bytes.out, 0u);
  EXPECT_EQ(bytes.out, bytes.in);
  EXPECT_EQ(stat("spilled_bytes"), bytes.out);
  EXPECT_EQ(stat("reloaded_bytes"), bytes.in);
  EXPECT_TRUE(core->idle());
  EXPECT_EQ(core->requests_out(), 0u);
  EXPECT_GE(stat("w0_mem"), 300u) << "nobody else runs while a reload is on its way";
  expect_all_cycles_charged();
}

// A warp or block that waits for memory is not at its end, and does not spin.
TEST_P(SimtCoreSpills, AReloadOnItsWayIsNoEnd) {
  memory.delay = 100'000;
  start(kNested, 64, 1, GetParam().mechanism, true, GetParam().parameters);
  dispatch_at(0, 0);
  run(50'000);
  EXPECT_TRUE(dispatcher.called.empty());
  EXPECT_GT(moved().in, 0u);
  EXPECT_FALSE(core->idle());
  EXPECT_FALSE(core->only_spins());
}

}  // namespace simt_core_spills_test
}  // namespace warpfold
