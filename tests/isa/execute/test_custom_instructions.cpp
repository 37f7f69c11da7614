// SPDX-License-Identifier: Apache-2.0
// Instructions of plug-ins: operands of all kinds, who hears of them, and names that cannot be.
#include <gtest/gtest.h>

#include "tests/isa/ptx_fixture.h"
#include "warpfold/isa/execute/custom_instructions.h"

namespace warpfold::isa {
namespace custom_instructions_test {

const RegisterInstruction blend("blend.u64", {.latency_cycles = 7, .interval_cycles = 2, .rtl = "blend_lane"},
                                [](std::uint64_t a, std::int16_t b, float c, bool take) {
                                  return take ? a + static_cast<std::uint64_t>(static_cast<std::int64_t>(b)) +
                                                    static_cast<std::uint64_t>(c)
                                              : a;
                                });
const RegisterInstruction halves("halves.u32", {}, [](std::uint32_t a) {
  return Both<std::uint32_t, std::uint32_t>{a >> 16, a & 0xffff};
});

unsigned place_of(const std::string& opcode) { return find_custom_op(opcode).value().custom - 1U; }

constexpr const char* kBody =
    "mov.u64 %rd1, 0x100000000;\nmov.b16 %rs1, -2;\nmov.f32 %f1, 5.0;\nmov.u32 %r1, %tid.x;\n"
    "setp.eq.u32 %p1, %r1, 0;\nmov.u64 %rd4, out;\nmul.wide.u32 %rd5, %r1, 8;\nadd.s64 %rd4, %rd4, %rd5;\n"
    "blend.u64 %rd2, %rd1, %rs1, %f1, %p1;\nst.global.u64 [%rd4], %rd2;\n"
    "@%p1 halves.u32 {%r2, %r3}, 0x20003;\n@!%p1 mov.u32 %r2, 9;\n@%p1 st.global.u32 [%rd4+16], %r2;\n"
    "@%p1 st.global.u32 [%rd4+20], %r3;\nret;";

std::string text() {
  std::string all = kernel_text(kBody);
  return all.insert(all.find(".visible"), ".visible .global .align 8 .b8 out[64];\n");
}

TEST(CustomInstructions, TakeOperandsOfAllKindsAndGiveTwoResults) {
  PtxFixture fixture(text());
  fixture.run(2);
  EXPECT_EQ(fixture.read<std::uint64_t>("out", 0), 0x100000003U);
  EXPECT_EQ(fixture.read<std::uint64_t>("out", 1), 0x100000000U) << "the predicate is false";
  EXPECT_EQ(fixture.read<std::uint32_t>("out", 4), 2U);
  EXPECT_EQ(fixture.read<std::uint32_t>("out", 5), 3U);
  const MicroOp& op = fixture.kernel().ops[8];
  EXPECT_EQ(op.unit, Unit::kCustom);
  EXPECT_EQ(op.operation, Operation::kCustom);
  EXPECT_EQ(custom_units()[op.custom - 1].unit.latency_cycles, 7U);
}

class Heard final : public CustomWatch {
 public:
  Heard() { custom_watch() = this; }
  ~Heard() override { custom_watch() = nullptr; }
  void executed(unsigned place, std::span<const Lane> lanes) override {
    for (const Lane& lane : lanes) all.emplace_back(place, lane);
  }
  std::vector<std::pair<unsigned, Lane>> all;
};

TEST(CustomInstructions, WhoWatchesHearsWhatActiveLanesCompute) {
  Heard heard;
  PtxFixture fixture(text());
  fixture.run(2);
  ASSERT_EQ(heard.all.size(), 3U) << "one lane at a time, the second instruction of the first thread alone";
  const auto& [place, lane] = heard.all[0];
  EXPECT_EQ(place, place_of("blend.u64"));
  EXPECT_EQ(lane.sources, (std::array<std::uint64_t, 4>{0x100000000, 0xfffe, 0x40a00000, 1}));
  EXPECT_EQ(lane.results[0], 0x100000003U);
  EXPECT_EQ(heard.all[1].first, place_of("halves.u32"));
  EXPECT_EQ(heard.all[1].second.results, (std::array<std::uint64_t, 2>{2, 3}));
  EXPECT_EQ(heard.all[2].second.sources[3], 0U) << "the second thread's predicate";
  EXPECT_EQ(fixture.read<std::uint64_t>("out", 0), 0x100000003U) << "and the values are the same";
}

// What could not be registered is told by the plug-in's name: tests/sim/commands/test_plugins.cpp.
TEST(CustomInstructions, ARefusedOneChangesNothing) {
  const std::size_t before = custom_units().size();
  const auto same = [](std::uint32_t a) { return a; };
  const RegisterInstruction again("blend.u64", {}, same);
  EXPECT_EQ(refused_instruction(), "instruction 'blend.u64' is there already; give it another name");
  const RegisterInstruction shared("other.u32", {.rtl = "blend_lane"}, same);
  EXPECT_EQ(refused_instruction(), "instruction 'other.u32': its RTL, blend_lane, is another's");
  const RegisterInstruction slow("slow.u32", {.latency_cycles = 1001}, same);
  EXPECT_EQ(refused_instruction(), "instruction 'slow.u32': its unit takes 1 to 1000 cycles");
  EXPECT_EQ(custom_units().size(), before);
  EXPECT_FALSE(find_custom_op("slow.u32").has_value());
}

}  // namespace custom_instructions_test
}  // namespace warpfold::isa
