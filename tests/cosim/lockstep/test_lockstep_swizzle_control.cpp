// SPDX-License-Identifier: Apache-2.0
// rtl/swizzle_control.sv against swizzle_settings, clock by clock.
#include <functional>
#include <optional>

#include "tests/cosim/lockstep/lockstep.h"
#include "tests/divergence/packing/packings.h"
#include "warpfold/divergence/packing/lane_packing.h"

namespace warpfold::cosim {
namespace lockstep_swizzle_control_test {

using divergence::LanesOnUnit;
using divergence::Packing;
using divergence::SwizzleSettings;
using isa::LaneMask;

struct Size {
  unsigned lanes, width, masks;
  Packing packing = Packing::kScc;
};

class SwizzleBench final : public Bench {
 public:
  using NextMask = std::function<LaneMask()>;

  SwizzleBench(RtlSource source, const Size& size, std::string fst_file)
      : Bench(std::move(source), std::move(fst_file)),
        size_(size),
        quad_bits_(index_width(size.lanes / size.width)),
        lane_bits_(index_width(size.width)),
        quads_(quad_buffer_, size.width * quad_bits_),
        lanes_(lane_buffer_, size.width * lane_bits_) {}

  void cycle(bool wanted, bool ready, const NextMask& next_mask) {
    model_.clock(0);
    set_ready_.set(ready ? 1 : 0);
    if (!offered_ && wanted) {
      offered_ = next_mask();
      mask_.set(*offered_);
    }
    mask_valid_.set(offered_ ? 1 : 0);
    model_.eval();
    const bool last = settings_ && cycle_ + 1 == settings_->cycles();
    const bool mask_leaves = !settings_ || (ready && last);
    same("mask_ready_o", mask_ready_, mask_leaves);
    same("set_valid_o", set_valid_, settings_.has_value());
    if (settings_) compare(last);
    // What the edge that comes does.
    if (settings_ && ready) ++cycle_;
    if (mask_leaves) take();
  }
  bool idle() const { return !offered_ && !settings_; }
  void reset() {
    model_.reset();
    offered_.reset();
    settings_.reset();
  }

 private:
  void take() {
    settings_.reset();
    if (!offered_) return model_.forget();
    working_on_ = *offered_;
    settings_ = swizzle_settings(size_.packing, {working_on_, size_.lanes, size_.width});
    cycle_ = 0;
    offered_.reset();
    ++masks;
  }
  void compare(bool last) {
    std::uint64_t enable = 0;
    quads_.clear();
    lanes_.clear();
    for (unsigned output = 0; output < size_.width; ++output) {
      const divergence::LaneSource& source = settings_->at(cycle_, output);
      if (!source.enable) continue;
      enable |= std::uint64_t{1} << output;
      quads_.set_field(output * quad_bits_, quad_bits_, source.quad);
      lanes_.set_field(output * lane_bits_, lane_bits_, source.lane);
    }
    same("set_last_o", set_last_, last);
    same("set_enable_o", set_enable_, enable);
    same_bits("set_quad_o", set_quad_, quads_);
    same_bits("set_lane_o", set_lane_, lanes_);
  }
  std::string operation() const override {
    return fmt::format("mask {} is 0x{:x}, settings of cycle {}", masks, working_on_, cycle_);
  }

  Size size_;
  unsigned quad_bits_, lane_bits_;
  unsigned char quad_buffer_[64] = {}, lane_buffer_[64] = {};
  Pin quads_, lanes_;  // as expected
  Pin mask_valid_ = pin("mask_valid_i"), mask_ready_ = pin("mask_ready_o"), mask_ = pin("mask_i"),
      set_valid_ = pin("set_valid_o"), set_ready_ = pin("set_ready_i"), set_last_ = pin("set_last_o"),
      set_enable_ = pin("set_enable_o"), set_quad_ = pin("set_quad_o"), set_lane_ = pin("set_lane_o");
  std::optional<LaneMask> offered_;
  LaneMask working_on_ = 0;
  std::optional<SwizzleSettings> settings_;  // of the mask that was taken
  unsigned cycle_ = 0;
};

class SwizzleControl : public LockStepTest {
 protected:
  SwizzleBench bench(const Size& size, const std::string& file = "", bool coverage = false) const {
    RtlSource source = rtl_source(
        "swizzle", {{"Lanes", size.lanes}, {"Width", size.width}, {"Swizzle", size.packing == Packing::kScc ? 1 : 0}},
        file);
    source.coverage = coverage;
    return SwizzleBench(source, size, directory / "swizzle.fst");
  }
  // Masks of any density, over all lanes or in some of each quad.
  void run_random(SwizzleBench& bench, const Size& size) {
    std::mt19937_64 random(size.lanes * 100 + size.width);
    Pressure wanted, ready;
    const auto next_mask = [&] {
      const auto kind = static_cast<unsigned>(random());
      LaneMask mask = sparse_or_dense(random, kind >> 8);
      if (kind % 4 == 0) {
        const LaneMask some = random() & low_bits(size.width);
        for (unsigned at = 0; at < size.lanes; at += size.width) mask &= ~(some << at);
      }
      return mask & low_bits(size.lanes);
    };
    while (bench.masks < size.masks) {
      if (random() % 4096 == 0) bench.reset();
      bench.cycle(wanted(random), ready(random), next_mask);
    }
  }
  // A 16-lane warp on a four-lane unit, every mask, without a bubble.
  static void run_all(SwizzleBench& bench) {
    unsigned mask = 0;
    while (mask < 1U << 16 || !bench.idle()) bench.cycle(mask < 1U << 16, true, [&] { return LaneMask{mask++}; });
  }
};

class SwizzleControlSizes : public SwizzleControl, public ::testing::WithParamInterface<Size> {};

TEST_P(SwizzleControlSizes, RandomMasks) {
  SwizzleBench bench = this->bench(GetParam());
  EXPECT_EQ(complaint([&] { run_random(bench, GetParam()); }), "");
  report(bench.masks, bench.model());
}

INSTANTIATE_TEST_SUITE_P(Sizes, SwizzleControlSizes,
                         ::testing::Values(Size{16, 4, 400'000}, Size{32, 4, 200'000}, Size{32, 8, 300'000},
                                           Size{64, 16, 50'000}, Size{8, 8, 50'000},
                                           Size{32, 8, 100'000, Packing::kBcc}),
                         [](const auto& size) {
                           return std::to_string(size.param.lanes) + "x" + std::to_string(size.param.width) +
                                  (size.param.packing == Packing::kBcc ? "_bcc" : "");
                         });

TEST_F(SwizzleControl, AllMasksOfSixteenLanes) {
  for (const Packing packing : {Packing::kScc, Packing::kBcc}) {
    SwizzleBench bench = this->bench({16, 4, 0, packing});
    EXPECT_EQ(complaint([&] { run_all(bench); }), "");
    std::uint64_t cycles = 0;
    for (unsigned mask = 0; mask < 1U << 16; ++mask) cycles += packed_cycles(packing, {mask, 16, 4});
    EXPECT_EQ(bench.model().clocks(), cycles + 1) << "a cycle's settings per clock from the clock after the mask";
  }
}

TEST_F(SwizzleControl, AWrongOneIsCaught) {
  const Size size{16, 4, 10'000};
  SwizzleBench bench = this->bench(size, without_guard("swizzle_control"));
  expect_caught(complaint([&] { run_random(bench, size); }), "swizzle", "mask ");
}

TEST_F(SwizzleControl, Coverage) {
  const Size size{16, 4, 80'000};
  SwizzleBench bench = this->bench(size, "", true);
  // 32 of 271 bits are always 0: in `entries`, the n-th entry of a queue is of quad n at the earliest; in `rest`, what
  // is in the first quad leaves first; the top bits of surpluses, which no mask of four quads makes as large.
  expect_coverage(bench, 100, 88, [&] {
    run_all(bench);
    run_random(bench, size);
  });
}

}  // namespace lockstep_swizzle_control_test
}  // namespace warpfold::cosim
