// SPDX-License-Identifier: Apache-2.0
// rtl/swizzle_crossbar.sv and rtl/unswizzle_crossbar.sv with rtl/swizzle_control.sv between a warp's operand and its
// result: every active lane's operand goes through the unit once, and its result comes back to it.
#include "tests/cosim/lockstep/lockstep.h"
#include "tests/divergence/packing/packings.h"
#include "warpfold/divergence/packing/lane_packing.h"

namespace warpfold::cosim {
namespace lockstep_crossbars_test {

using divergence::LanesOnUnit;
using divergence::Packing;
using isa::LaneMask;

struct Size {
  unsigned lanes, width, data_bits, masks;
  Packing packing = Packing::kScc;
};

class Crossbars : public LockStepTest, public ::testing::WithParamInterface<Size> {
 protected:
  static RtlSource source(const char* block, const Size& size) {
    return rtl_source(block, {{"Lanes", size.lanes}, {"Width", size.width}, {"DataBits", size.data_bits}});
  }
};

// The three blocks with their pins connected, and what goes through them.
class Datapath {
 public:
  Datapath(const Size& size, RtlSource control, RtlSource operands, RtlSource results)
      : size_(size),
        control_(std::move(control), "swizzle", 1),
        operands_(std::move(operands), "operands", 2),
        results_(std::move(results), "results", 3),
        operand_(size.lanes),
        result_(size.lanes) {}

  // Returns what is wrong with the results of a mask, or nothing.
  std::string run(LaneMask mask, std::mt19937_64& random) {
    load(mask, random);
    LaneMask written = 0;
    std::fill(result_.begin(), result_.end(), 0);
    for (unsigned cycles = 1;; ++cycles) {
      const bool last = execute(written);
      if (!complaint_.empty()) return fmt::format("mask 0x{:x}: {}", mask, complaint_);
      if (last && cycles != packed_cycles(size_.packing, {mask, size_.lanes, size_.width})) {
        return fmt::format("mask 0x{:x} takes {} cycles", mask, cycles);
      }
      clock();
      if (last) break;
    }
    if (written != mask) return fmt::format("mask 0x{:x}: 0x{:x} is written", mask, written);
    for (LaneMask left = mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      if (result_[lane] != function(operand_[lane]))
        return fmt::format("mask 0x{:x}: lane {} has another's", mask, lane);
    }
    return "";
  }

 private:
  std::uint64_t function(std::uint64_t operand) const { return ~operand & low_bits(size_.data_bits); }
  void clock() {
    for (RtlModel* const model : {&control_, &operands_, &results_}) model->clock(0);
  }

  void load(LaneMask mask, std::mt19937_64& random) {
    mask_.set(mask);
    mask_valid_.set(1);
    data_valid_.set(1);
    for (unsigned lane = 0; lane < size_.lanes; ++lane) {
      operand_[lane] = random() & low_bits(size_.data_bits);
      data_.set_field(lane * size_.data_bits, size_.data_bits, operand_[lane]);
    }
    clock();
    mask_valid_.set(0);
    data_valid_.set(0);
    data_.clear();  // it is in the latch
  }

  // One cycle's settings. Returns whether they are the mask's last.
  bool execute(LaneMask& written) {
    set_ready_.set(1);
    control_.eval();
    connect(operands_);
    operands_.eval();
    connect(results_);
    for (unsigned output = 0; output < size_.width; ++output) {
      const unsigned at = output * size_.data_bits;
      const std::uint64_t operand = alu_in_.field(at, size_.data_bits);
      if (set_enable_.field(output, 1) == 0 && operand != 0) complaint_ = "an operand where none is enabled";
      alu_out_.set_field(at, size_.data_bits, function(operand));
    }
    results_.eval();
    const LaneMask now = write_enable_.get();
    if ((now & written) != 0) complaint_ = "a lane is written twice";
    written |= now;
    for (unsigned lane = 0; lane < size_.lanes; ++lane) {
      const std::uint64_t result = write_data_.field(lane * size_.data_bits, size_.data_bits);
      if ((now >> lane & 1) != 0) {
        result_[lane] = result;
      } else if (result != 0) {
        complaint_ = "a result where none is written";
      }
    }
    return static_cast<bool>(set_last_);
  }
  void connect(RtlModel& model) {
    for (const char* const name : {"enable", "quad", "lane"}) {
      const Pin from = control_.pin(std::string("set_") + name + "_o");
      std::memcpy(model.pin(std::string("set_") + name + "_i").data(), from.data(), from.bytes());
    }
  }

  Size size_;
  RtlModel control_, operands_, results_;
  Pin mask_ = control_.pin("mask_i"), mask_valid_ = control_.pin("mask_valid_i"),
      set_ready_ = control_.pin("set_ready_i"), set_last_ = control_.pin("set_last_o"),
      set_enable_ = control_.pin("set_enable_o");
  Pin data_ = operands_.pin("data_i"), data_valid_ = operands_.pin("data_valid_i"),
      alu_in_ = operands_.pin("alu_data_o");
  Pin alu_out_ = results_.pin("alu_data_i"), write_enable_ = results_.pin("write_enable_o"),
      write_data_ = results_.pin("write_data_o");
  std::vector<std::uint64_t> operand_, result_;
  std::string complaint_;
};

TEST_P(Crossbars, OperandsGoThroughAndResultsComeBack) {
  const Size size = GetParam();
  Datapath datapath(
      size,
      rtl_source("swizzle",
                 {{"Lanes", size.lanes}, {"Width", size.width}, {"Swizzle", size.packing == Packing::kScc ? 1 : 0}}),
      source("operand-crossbar", size), source("result-crossbar", size));
  std::mt19937_64 random(size.lanes);
  std::string said;
  for (unsigned i = 0; i < size.masks && said.empty(); ++i) {
    said = datapath.run(sparse_or_dense(random, i) & low_bits(size.lanes), random);
  }
  EXPECT_EQ(said, "");
}

INSTANTIATE_TEST_SUITE_P(Sizes, Crossbars,
                         ::testing::Values(Size{16, 4, 32, 30'000}, Size{32, 8, 32, 10'000}, Size{16, 4, 64, 10'000},
                                           Size{16, 4, 8, 10'000, Packing::kBcc}),
                         [](const auto& size) {
                           return std::to_string(size.param.lanes) + "x" + std::to_string(size.param.width) + "x" +
                                  std::to_string(size.param.data_bits) +
                                  (size.param.packing == Packing::kBcc ? "_bcc" : "");
                         });

}  // namespace lockstep_crossbars_test
}  // namespace warpfold::cosim
