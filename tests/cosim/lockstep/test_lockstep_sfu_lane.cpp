// SPDX-License-Identifier: Apache-2.0
// rtl/sfu_lane.sv against the host's functions of double precision, clock by clock: within what PTX allows the .approx
// functions (PTX ISA §9.7.3), as the model's are.
#include <bit>
#include <cmath>
#include <deque>

#include "tests/cosim/lockstep/lockstep.h"

namespace warpfold::cosim {
namespace lockstep_sfu_lane_test {

constexpr unsigned kStages = 5;
enum Kind : unsigned { kRcp, kRsqrt, kLg2, kEx2, kSin, kCos, kKinds };
constexpr const char* kNames[] = {"rcp", "rsqrt", "lg2", "ex2", "sin", "cos"};

RtlSource source_of(const std::string& file = "") {
  RtlSource source;
  source.block = source.top = "sfu_lane";
  for (const char* shared : {"simt_pkg", "pipe_register", "valid_register", "leading_zeros", "sfu_table"}) {
    source.files.push_back(fmt::format("{}/common/{}.sv", WARPFOLD_TEST_RTL, shared));
  }
  source.files.push_back(file.empty() ? WARPFOLD_TEST_RTL "/sfu_lane.sv" : file);
  source.parameters = {{"Exponent", 8}, {"Fraction", 23}, {"Stages", kStages}};
  source.ports = {{"clk_i"},          {"rst_ni"},     {"op_valid_i"},
                  {"op_kind_i", 3},   {"op_a_i", 32}, {"res_valid_o", 1, true},
                  {"res_o", 32, true}};
  return source;
}

double exact(unsigned kind, double a) {
  switch (kind) {
    case kRcp:
      return 1 / a;
    case kRsqrt:
      return 1 / std::sqrt(a);
    case kLg2:
      return std::log2(a);
    case kEx2:
      return std::exp2(a);
    case kSin:
      return std::sin(a);
    default:
      return std::cos(a);
  }
}

// The error as a share of the bound: an ulp; 2^-22.9 relative; 2^-22.6 near 1, else 2^-22 relative; two ulps; 2^-20.9,
// and within [-1, 1] where there is no bound.
double share(unsigned kind, double a, double got) {
  const double wanted = exact(kind, a), error = std::abs(got - wanted);
  const double ulp = std::ldexp(1.0, std::max(std::ilogb(wanted), -126) - 23);
  switch (kind) {
    case kRcp:
      return error / ulp;
    case kRsqrt:
      return error / wanted * std::exp2(22.9);
    case kLg2:
      return a > 0.5 && a < 2 ? error * std::exp2(22.6) : error / std::abs(wanted) * 0x1p22;
    case kEx2:
      return error / ulp / 2;
    default:
      if (std::abs(a) > 100 * 3.14159) return std::abs(got) <= 1 ? 0 : 2;
      return error * std::exp2(20.9);
  }
}

class SfuBench final : public Bench {
 public:
  std::array<double, kKinds> worst{};
  std::uint64_t specials = 0;

  SfuBench(RtlSource source, std::string fst_file) : Bench(std::move(source), std::move(fst_file)) { model_.reset(); }

  void cycle(std::mt19937_64& random) {
    model_.clock(0);
    now_ = {random() % 8 != 0, static_cast<unsigned>(random() % kKinds), pattern(random)};
    op_valid_.set(now_.valid ? 1 : 0);
    op_kind_.set(now_.kind);
    op_a_.set(now_.bits);
    model_.eval();
    due_.push_front(now_);
    same("res_valid_o", res_valid_, due_.size() > kStages && due_.back().valid ? 1 : 0);
    if (due_.size() > kStages) {
      if (due_.back().valid) judge(due_.back());
      due_.pop_back();
    }
    masks += now_.valid ? 1 : 0;
  }

 private:
  struct Operation {
    bool valid;
    unsigned kind;
    std::uint32_t bits;
  };
  void judge(const Operation& of) {
    const double a = std::bit_cast<float>(of.bits), wanted = exact(of.kind, a);
    const float got = std::bit_cast<float>(static_cast<std::uint32_t>(res_.get())),
                rounded = static_cast<float>(wanted);
    if (std::isnan(wanted) || std::isinf(rounded) || rounded == 0) {
      ++specials;
      same("res_o", res_, std::isnan(wanted) ? 0x7fffffffU : std::bit_cast<std::uint32_t>(rounded));
      return;
    }
    const double taken = share(of.kind, a, got);
    worst[of.kind] = std::max(worst[of.kind], taken);
    if (taken <= 1) return;
    mismatch(model_, fmt::format("operation {}: {} of {:x}", masks, kNames[of.kind], of.bits),
             fmt::format("res_o near 0x{:x}", std::bit_cast<std::uint32_t>(rounded)), res_.text());
  }
  static std::uint32_t pattern(std::mt19937_64& random) {
    const auto any = random();
    auto bits = static_cast<std::uint32_t>(any);
    const auto exponent = [&](std::uint64_t of) { bits = (bits & 0x807fffffU) | static_cast<std::uint32_t>(of) << 23; };
    if ((any >> 32) % 4 != 0) exponent(117 + (any >> 34) % 20);
    if ((any >> 40) % 32 == 0) exponent(0);
    if ((any >> 45) % 32 == 0) exponent(255);
    if ((any >> 50) % 8 == 0) bits &= 0xff800000U;  // powers of two
    if ((any >> 53) % 8 == 0) bits |= 0x007ffff0U;  // and what lies before them
    return bits;
  }
  std::string operation() const override {
    return fmt::format("operation {}: {} of {:x}", masks, kNames[due_.back().kind], due_.back().bits);
  }

  Pin op_valid_ = pin("op_valid_i"), op_kind_ = pin("op_kind_i"), op_a_ = pin("op_a_i"),
      res_valid_ = pin("res_valid_o"), res_ = pin("res_o");
  Operation now_{};
  std::deque<Operation> due_;  // newest first
};

class SfuLane : public LockStepTest {
 protected:
  static void run(SfuBench& bench, unsigned operations) {
    std::mt19937_64 random(operations);
    while (bench.masks < operations) bench.cycle(random);
  }
};

TEST_F(SfuLane, RandomNumbers) {
  SfuBench bench(source_of(), directory / "sfu.fst");
  EXPECT_EQ(complaint([&] { run(bench, 1'000'000); }), "");
  for (unsigned kind = 0; kind < kKinds; ++kind) {
    std::cout << fmt::format("{}: {:.3f} of what PTX allows\n", kNames[kind], bench.worst[kind]);
  }
  EXPECT_GT(bench.specials, 10'000U);
  report(bench.masks, bench.model());
}

TEST_F(SfuLane, AWrongOneIsCaught) {
  SfuBench bench(source_of(without_guard("sfu_lane")), directory / "sfu.fst");
  expect_caught(complaint([&] { run(bench, 1'000'000); }), "sfu_lane", "operation ");
}

}  // namespace lockstep_sfu_lane_test
}  // namespace warpfold::cosim
