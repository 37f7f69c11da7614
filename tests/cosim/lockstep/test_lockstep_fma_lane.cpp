// SPDX-License-Identifier: Apache-2.0
// rtl/fma_lane.sv against std::fma, clock by clock: the host's multiply-add is IEEE 754's.
#include <bit>
#include <cmath>
#include <deque>

#include "tests/cosim/lockstep/lockstep.h"

namespace warpfold::cosim {
namespace lockstep_fma_lane_test {

constexpr unsigned kStages = 4;

RtlSource source_of(const std::string& file = "") {
  RtlSource source;
  source.block = source.top = "fma_lane";
  for (const char* shared : {"simt_pkg", "pipe_register", "valid_register", "csa_tree", "leading_zeros"}) {
    source.files.push_back(fmt::format("{}/common/{}.sv", WARPFOLD_TEST_RTL, shared));
  }
  source.files.push_back(file.empty() ? WARPFOLD_TEST_RTL "/fma_lane.sv" : file);
  source.parameters = {{"Exponent", 8}, {"Fraction", 23}, {"Stages", kStages}};
  source.ports = {{"clk_i"},      {"rst_ni"},     {"op_valid_i"},           {"op_a_i", 32},
                  {"op_b_i", 32}, {"op_c_i", 32}, {"res_valid_o", 1, true}, {"res_o", 32, true}};
  return source;
}

class FmaBench final : public Bench {
 public:
  FmaBench(RtlSource source, std::string fst_file) : Bench(std::move(source), std::move(fst_file)) { model_.reset(); }

  void cycle(std::mt19937_64& random) {
    model_.clock(0);
    const bool offered = random() % 8 != 0;
    // Bit patterns: products and addends of near exponents, of all others, subnormal numbers, infinities.
    a_ = pattern(random, 127);
    b_ = pattern(random, 127);
    c_ = pattern(random, (a_ >> 23 & 255) + (b_ >> 23 & 255) - 127);
    op_valid_.set(offered ? 1 : 0);
    op_a_.set(a_);
    op_b_.set(b_);
    op_c_.set(c_);
    model_.eval();
    same("res_valid_o", res_valid_, due_.size() == kStages && due_.front().valid ? 1 : 0);
    if (due_.size() == kStages) {
      if (due_.front().valid) same("res_o", res_, due_.front().bits);
      due_.pop_front();
    }
    due_.push_back({offered, fused(a_, b_, c_)});
    masks += offered ? 1 : 0;
  }

 private:
  struct Due {
    bool valid;
    std::uint32_t bits;
  };
  static std::uint32_t fused(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const float sum = std::fma(std::bit_cast<float>(a), std::bit_cast<float>(b), std::bit_cast<float>(c));
    return std::isnan(sum) ? 0x7fffffffU : std::bit_cast<std::uint32_t>(sum);
  }
  static std::uint32_t pattern(std::mt19937_64& random, std::uint32_t near) {
    const auto any = random();
    auto bits = static_cast<std::uint32_t>(any);
    const auto exponent = [&](std::uint32_t of) { bits = (bits & 0x807fffffU) | (of & 255U) << 23; };
    if ((any >> 32) % 4 != 0) exponent(near + (any >> 34) % 64 - 32);
    if ((any >> 40) % 16 == 0) exponent(0);
    if ((any >> 44) % 32 == 0) exponent(255);
    if ((any >> 49) % 4 == 0) bits &= 0xffc00000U;  // few bits: ties
    return bits;
  }
  std::string operation() const override { return fmt::format("operation {} of {:x} {:x} {:x}", masks, a_, b_, c_); }

  Pin op_valid_ = pin("op_valid_i"), op_a_ = pin("op_a_i"), op_b_ = pin("op_b_i"), op_c_ = pin("op_c_i"),
      res_valid_ = pin("res_valid_o"), res_ = pin("res_o");
  std::uint32_t a_ = 0, b_ = 0, c_ = 0;
  std::deque<Due> due_;
};

class FmaLane : public LockStepTest {
 protected:
  static void run(FmaBench& bench, unsigned operations) {
    std::mt19937_64 random(operations);
    while (bench.masks < operations) bench.cycle(random);
  }
};

TEST_F(FmaLane, RandomNumbers) {
  FmaBench bench(source_of(), directory / "fma.fst");
  EXPECT_EQ(complaint([&] { run(bench, 1'000'000); }), "");
  report(bench.masks, bench.model());
}

TEST_F(FmaLane, AWrongOneIsCaught) {
  // The guard's mark has a size of its own for the proof.
  std::string text = *read_text(WARPFOLD_TEST_RTL "/fma_lane.sv");
  const std::string guard = "subtracts && !aligned_below";
  ASSERT_NE(text.find(guard), std::string::npos);
  text.replace(text.find(guard), guard.size(), "subtracts");
  FmaBench bench(source_of(write("fma_lane.sv", text)), directory / "fma.fst");
  expect_caught(complaint([&] { run(bench, 1'000'000); }), "fma_lane", "operation ");
}

}  // namespace lockstep_fma_lane_test
}  // namespace warpfold::cosim
