// SPDX-License-Identifier: Apache-2.0
// rtl/thread_compactor.sv against next_warp, clock by clock.
#include <bit>
#include <functional>
#include <optional>

#include "tests/cosim/lockstep/lockstep.h"
#include "warpfold/compaction/thread_compactor.h"

namespace warpfold::cosim {
namespace lockstep_thread_compactor_test {

using isa::LaneMask;

class CompactorBench final : public Bench {
 public:
  // Fills the rows of a request and says whether it regroups.
  using NextRequest = std::function<bool(std::vector<LaneMask>&)>;

  CompactorBench(RtlSource source, unsigned lanes, unsigned rows, std::string fst_file)
      : Bench(std::move(source), std::move(fst_file)),
        lanes_(lanes),
        row_bits_(index_width(rows)),
        expected_rows_(buffer_, lanes * row_bits_),
        threads_(rows) {}

  // A clock in which there is a request if one is `wanted`, and a warp is taken if the receiver is `ready`.
  void cycle(bool wanted, bool ready, const NextRequest& next_request) {
    model_.clock(0);
    warp_ready_.set(ready ? 1 : 0);
    if (!offered_ && wanted) offer(next_request);
    req_valid_.set(offered_ ? 1 : 0);
    model_.eval();
    compare(ready);
    step(ready);
  }
  bool idle() const { return !warp_ && !offered_; }
  void reset() {
    model_.reset();
    warp_.reset();
    offered_ = false;
  }

 private:
  void offer(const NextRequest& next_request) {
    regroup_ = next_request(threads_);
    req_regroup_.set(regroup_ ? 1 : 0);
    for (unsigned row = 0; row < threads_.size(); ++row) req_threads_.set_field(row * lanes_, lanes_, threads_[row]);
    offered_ = true;
  }

  bool expected_ready(bool ready) const { return !warp_ || (ready && warp_->last); }

  void compare(bool ready) {
    same("req_ready_o", req_ready_, expected_ready(ready));
    same("warp_valid_o", warp_valid_, warp_.has_value());
    if (!warp_) return;
    same("warp_mask_o", warp_mask_, warp_->warp.mask);
    same("warp_last_o", warp_last_, warp_->last);
    expected_rows_.clear();
    for (LaneMask left = warp_->warp.mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      expected_rows_.set_field(lane * row_bits_, row_bits_, warp_->warp.row[lane]);
    }
    same_bits("warp_row_o", warp_row_, expected_rows_);
  }
  std::string operation() const override {
    return fmt::format("request {}, regroup {}, after this warp:{}", masks, request_.regroup ? 1 : 0,
                       text_of(request_.threads));
  }

  // What the edge that comes does.
  void step(bool ready) {
    const bool taken = offered_ && expected_ready(ready);
    if (warp_ && ready) next();
    if (!taken) return;
    if (!warp_) model_.forget();
    ++masks;
    offered_ = false;
    request_.regroup = regroup_;
    request_.threads = threads_;
    next();
  }
  void next() {
    if (std::all_of(request_.threads.begin(), request_.threads.end(), [](LaneMask row) { return row == 0; })) {
      warp_.reset();
    } else {
      warp_ = next_warp(request_);
    }
  }

  unsigned lanes_, row_bits_;
  unsigned char buffer_[64 * 8] = {};
  Pin expected_rows_;
  Pin req_valid_ = pin("req_valid_i"), req_ready_ = pin("req_ready_o"), req_regroup_ = pin("req_regroup_i"),
      req_threads_ = pin("req_threads_i"), warp_valid_ = pin("warp_valid_o"), warp_ready_ = pin("warp_ready_i"),
      warp_mask_ = pin("warp_mask_o"), warp_row_ = pin("warp_row_o"), warp_last_ = pin("warp_last_o");
  std::vector<LaneMask> threads_;  // of the request that is offered
  bool regroup_ = false, offered_ = false;
  divergence::CompactionRequest request_{};  // what is left of the one that was taken
  std::optional<CompactedWarp> warp_;        // on the pins
};

struct Size {
  unsigned lanes, rows, masks;
};

class ThreadCompactor : public LockStepTest {
 protected:
  CompactorBench bench(const Size& size, const std::string& file = "", bool coverage = false) const {
    RtlSource source = rtl_source("compactor", {{"Lanes", size.lanes}, {"Rows", size.rows}}, file);
    source.coverage = coverage;
    return CompactorBench(source, size.lanes, size.rows, directory / "compactor.fst");
  }
  // Random matrices: any density, in all rows or some, in all lanes or some.
  void run_random(CompactorBench& bench, const Size& size) {
    std::mt19937_64 random(size.lanes * 100 + size.rows);
    Pressure wanted, ready;
    const auto next_request = [&](std::vector<LaneMask>& threads) {
      const std::uint64_t kind = random();
      const LaneMask lanes = (kind >> 8 & 3) == 0 ? random() : ~LaneMask{0};
      const std::uint64_t rows = (kind >> 10 & 3) == 0 ? random() : ~std::uint64_t{0};
      for (unsigned row = 0; row < size.rows; ++row) {
        const LaneMask mask = (rows >> row & 1) != 0 ? sparse_or_dense(random, static_cast<unsigned>(kind & 0xff)) : 0;
        threads[row] = mask & lanes & low_bits(size.lanes);
      }
      return (kind >> 12 & 7) != 0;
    };
    while (bench.masks < size.masks) {
      if (random() % 4096 == 0) bench.reset();
      bench.cycle(wanted(random), ready(random), next_request);
    }
  }
};

class ThreadCompactorSizes : public ThreadCompactor, public ::testing::WithParamInterface<Size> {};

TEST_P(ThreadCompactorSizes, RandomMasks) {
  CompactorBench bench = this->bench(GetParam());
  EXPECT_EQ(complaint([&] { run_random(bench, GetParam()); }), "");
  report(bench.masks, bench.model());
}

INSTANTIATE_TEST_SUITE_P(Sizes, ThreadCompactorSizes,
                         ::testing::Values(Size{8, 8, 500'000}, Size{32, 8, 400'000}, Size{32, 32, 150'000},
                                           Size{64, 5, 50'000}, Size{4, 1, 50'000}),
                         [](const auto& size) { return fmt::format("{}x{}", size.param.lanes, size.param.rows); });

// Every matrix of three rows of four, and after it the next one without a bubble or with one.
TEST_F(ThreadCompactor, AllSmallMatrices) {
  CompactorBench bench = this->bench({4, 3, 0});
  unsigned matrix = 0;
  const auto next_request = [&](std::vector<LaneMask>& threads) {
    for (unsigned row = 0; row < 3; ++row) threads[row] = matrix >> (4 * row) & 15;
    return (matrix++ >> 12 & 1) != 0;
  };
  const std::string said = complaint([&] {
    for (unsigned clock = 0; matrix < 1U << 13 || !bench.idle(); ++clock) {
      bench.cycle(matrix < 1U << 13 && clock % 5 != 0, true, next_request);
    }
  });
  EXPECT_EQ(said, "");
  EXPECT_EQ(bench.masks, 1U << 13);
}

// One thread anywhere; all of them, which takes a warp per row.
TEST_F(ThreadCompactor, OneThreadAndAll) {
  CompactorBench bench = this->bench({32, 32, 0});
  unsigned place = 0;
  const auto next_request = [&](std::vector<LaneMask>& threads) {
    std::fill(threads.begin(), threads.end(), place == 1024 ? low_bits(32) : 0);
    if (place < 1024) threads[place / 32] = LaneMask{1} << place % 32;
    ++place;
    return true;
  };
  const std::string said = complaint([&] {
    while (place <= 1024 || !bench.idle()) bench.cycle(place <= 1024, true, next_request);
  });
  EXPECT_EQ(said, "");
  EXPECT_EQ(bench.model().clocks(), 1025U + 32) << "a warp per clock from the clock after the request";
}

TEST_F(ThreadCompactor, AWrongOneIsCaught) {
  const Size size{8, 8, 1000};
  CompactorBench bench = this->bench(size, without_guard("thread_compactor"));
  expect_caught(complaint([&] { run_random(bench, size); }), "compactor", "request ");
}

TEST_F(ThreadCompactor, Coverage) {
  const Size size{8, 8, 20'000};
  CompactorBench bench = this->bench(size, "", true);
  // No row is lower than the first: 10 of 619 bits are always 0, of `lower`, `row_lower` and where they come from.
  expect_coverage(bench, 100, 98, [&] { run_random(bench, size); });
}

}  // namespace lockstep_thread_compactor_test
}  // namespace warpfold::cosim
