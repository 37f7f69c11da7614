// SPDX-License-Identifier: Apache-2.0
// rtl/context_sorter.sv against sort_contexts, clock by clock.
#include <functional>
#include <optional>

#include "tests/cosim/lockstep/lockstep.h"
#include "warpfold/divergence/parts/warp/context_sorter.h"

namespace warpfold::cosim {
namespace lockstep_context_sorter_test {

using divergence::Context;
using divergence::ContextTriple;
using divergence::kSortedContexts;
using isa::LaneMask;

struct Size {
  unsigned lanes, pc_bits, depth_bits, operations;
};

class SorterBench final : public Bench {
 public:
  using NextOperation = std::function<ContextTriple()>;

  SorterBench(const RtlSource& source, const Size& size, std::string fst_file)
      : Bench(source, std::move(fst_file)), size_(size) {}

  void cycle(bool wanted, bool ready, const NextOperation& next_operation) {
    model_.clock(0);
    res_ready_.set(ready ? 1 : 0);
    if (!offers_ && wanted) offer(next_operation());
    op_valid_.set(offers_ ? 1 : 0);
    model_.eval();
    const bool result_leaves = !result_ || ready, compared_leaves = !compared_ || result_leaves;
    same("op_ready_o", op_ready_, compared_leaves);
    same("res_valid_o", res_valid_, result_.has_value());
    if (result_) compare(*result_);
    // What the edge that comes does: an operation is compared in the first clock and sorted in the second.
    if (result_leaves) result_ = compared_;
    if (compared_leaves) {
      compared_.reset();
      if (!result_) model_.forget();
      if (offers_) {
        compared_ = sort_contexts(offered_);
        offers_ = false;
        ++masks;
      }
    }
  }
  void reset() {
    model_.reset();
    offers_ = false;
    compared_.reset();
    result_.reset();
  }

 private:
  void offer(const ContextTriple& contexts) {
    offered_ = contexts;
    for (unsigned i = 0; i < kSortedContexts; ++i) {
      op_mask_.set_field(i * size_.lanes, size_.lanes, contexts[i].mask);
      op_pc_.set_field(i * size_.pc_bits, size_.pc_bits, contexts[i].place);
      op_depth_.set_field(i * size_.depth_bits, size_.depth_bits, contexts[i].depth);
    }
    offers_ = true;
  }
  void compare(const ContextTriple& expected) {
    for (unsigned i = 0; i < kSortedContexts; ++i) {
      same_field("res_mask_o", res_mask_, i, size_.lanes, expected[i].mask);
      same_field("res_pc_o", res_pc_, i, size_.pc_bits, expected[i].place);
      same_field("res_depth_o", res_depth_, i, size_.depth_bits, expected[i].depth);
    }
  }
  void same_field(const char* name, const Pin& got, unsigned context, unsigned bits, std::uint64_t expected) {
    const std::uint64_t field = got.field(context * bits, bits);
    if (field == expected) return;
    mismatch(model_, operation(), fmt::format("{}[{}] 0x{:x}", name, context, expected), fmt::format("0x{:x}", field));
  }
  std::string operation() const override {
    std::string contexts;
    for (const Context& one : offered_) contexts += fmt::format(" {}.{}:0x{:x}", one.depth, one.place, one.mask);
    return fmt::format("operation {}, the last one offered has contexts{}", masks, contexts);
  }

  Size size_;
  Pin op_valid_ = pin("op_valid_i"), op_ready_ = pin("op_ready_o"), op_mask_ = pin("op_mask_i"),
      op_pc_ = pin("op_pc_i"), op_depth_ = pin("op_depth_i"), res_valid_ = pin("res_valid_o"),
      res_ready_ = pin("res_ready_i"), res_mask_ = pin("res_mask_o"), res_pc_ = pin("res_pc_o"),
      res_depth_ = pin("res_depth_o");
  ContextTriple offered_;
  bool offers_ = false;
  std::optional<ContextTriple> compared_, result_;  // of the operations in the two stages
};

class ContextSorter : public LockStepTest {
 protected:
  SorterBench bench(const Size& size, const std::string& file = "", bool coverage = false) const {
    RtlSource source =
        rtl_source("sorter", {{"Lanes", size.lanes}, {"PcWidth", size.pc_bits}, {"DepthWidth", size.depth_bits}}, file);
    source.coverage = coverage;
    return SorterBench(source, size, directory / "context_sorter.fst");
  }
  void run_random(SorterBench& bench, const Size& size) {
    std::mt19937_64 random(size.lanes * 100 + size.pc_bits);
    Pressure wanted, ready;
    // A lane is in one context at most; places and depths are near each other as often as anywhere.
    const auto next_operation = [&] {
      const std::uint64_t kind = random(), base = random();
      ContextTriple contexts;
      LaneMask left = low_bits(size.lanes);
      for (Context& one : contexts) {
        one.mask = sparse_or_dense(random, static_cast<unsigned>(random())) & left;
        left &= ~one.mask;
        one.place = static_cast<isa::Pc>(((kind & 1) != 0 ? base + random() % 3 : random()) & low_bits(size.pc_bits));
        one.depth = static_cast<unsigned>(((kind & 2) != 0 ? random() % 3 : random()) & low_bits(size.depth_bits));
      }
      return contexts;
    };
    while (bench.masks < size.operations) {
      if (random() % 4096 == 0) bench.reset();
      bench.cycle(wanted(random), ready(random), next_operation);
    }
  }
};

class ContextSorterSizes : public ContextSorter, public ::testing::WithParamInterface<Size> {};

TEST_P(ContextSorterSizes, RandomContexts) {
  SorterBench bench = this->bench(GetParam());
  EXPECT_EQ(complaint([&] { run_random(bench, GetParam()); }), "");
  report(bench.masks, bench.model());
}

INSTANTIATE_TEST_SUITE_P(Sizes, ContextSorterSizes,
                         ::testing::Values(Size{32, 16, 8, 400'000}, Size{32, 32, 1, 200'000}, Size{64, 16, 8, 100'000},
                                           Size{4, 3, 2, 200'000}),
                         [](const auto& size) {
                           return std::to_string(size.param.lanes) + "x" + std::to_string(size.param.pc_bits) + "x" +
                                  std::to_string(size.param.depth_bits);
                         });

TEST_F(ContextSorter, AWrongOneIsCaught) {
  const Size size{8, 8, 2, 10'000};
  SorterBench bench = this->bench(size, without_guard("context_sorter"));
  expect_caught(complaint([&] { run_random(bench, size); }), "sorter", "operation ");
}

TEST_F(ContextSorter, Coverage) {
  const Size size{8, 8, 2, 20'000};
  SorterBench bench = this->bench(size, "", true);
  expect_coverage(bench, 100, 99, [&] { run_random(bench, size); });
}

}  // namespace lockstep_context_sorter_test
}  // namespace warpfold::cosim
