// SPDX-License-Identifier: Apache-2.0
// rtl/thread_compactor.sv against next_warp, clock by clock.
#include <bit>
#include <functional>
#include <optional>

#include "models/compaction/thread_compactor.h"
#include "tests/cosim/lockstep.h"

namespace warpfold::cosim {
namespace {

using isa::LaneMask;

class Bench {
 public:
  Bench(RtlSource source, unsigned lanes, unsigned rows, std::string fst_file)
      : model_(std::move(source), "compactor", 1),
        lanes_(lanes),
        rows_(rows),
        row_bits_(index_width(rows)),
        fst_file_(std::move(fst_file)),
        expected_rows_(buffer_, lanes * row_bits_) {
    model_.keep_journal();
    threads_.resize(rows);
  }

  // The next request of a clock in which `wanted`; the receiver takes a warp if it is `ready`.
  void cycle(bool wanted, bool ready, const std::function<bool(std::vector<LaneMask>&)>& next_request) {
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

  std::uint64_t masks = 0;  // requests that were taken
  RtlModel& model() { return model_; }

 private:
  void offer(const std::function<bool(std::vector<LaneMask>&)>& next_request) {
    regroup_ = next_request(threads_);
    req_regroup_.set(regroup_ ? 1 : 0);
    for (unsigned row = 0; row < rows_; ++row) req_threads_.set_field(row * lanes_, lanes_, threads_[row]);
    offered_ = true;
  }

  bool expected_ready(bool ready) const { return !warp_ || (ready && warp_->last); }

  void compare(bool ready) {
    if (static_cast<bool>(req_ready_) != expected_ready(ready))
      differ("req_ready_o", expected_ready(ready), req_ready_);
    if (static_cast<bool>(warp_valid_) != warp_.has_value()) differ("warp_valid_o", warp_.has_value(), warp_valid_);
    if (!warp_) return;
    if (warp_mask_.get() != warp_->warp.mask) differ("warp_mask_o", warp_->warp.mask, warp_mask_);
    if (static_cast<bool>(warp_last_) != warp_->last) differ("warp_last_o", warp_->last, warp_last_);
    expected_rows_.clear();
    for (LaneMask left = warp_->warp.mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      expected_rows_.set_field(lane * row_bits_, row_bits_, warp_->warp.row[lane]);
    }
    if (std::memcmp(expected_rows_.data(), warp_row_.data(), warp_row_.bytes()) != 0) {
      mismatch(model_, request_text(), "warp_row_o " + expected_rows_.text(), warp_row_.text(), fst_file_);
    }
  }
  [[noreturn]] void differ(const std::string& pin, std::uint64_t expected, const Pin& got) {
    mismatch(model_, request_text(), fmt::format("{} 0x{:x}", pin, expected), got.text(), fst_file_);
  }
  std::string request_text() const {
    std::string text = fmt::format("request {}, regroup {}, left", masks, request_.regroup ? 1 : 0);
    for (const LaneMask row : request_.threads) text += fmt::format(" 0x{:x}", row);
    return text;
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
    const bool left =
        std::any_of(request_.threads.begin(), request_.threads.end(), [](LaneMask row) { return row != 0; });
    if (left) {
      warp_ = next_warp(request_);
    } else {
      warp_.reset();
    }
  }

  RtlModel model_;
  unsigned lanes_, rows_, row_bits_;
  std::string fst_file_;
  unsigned char buffer_[64 * 8] = {};
  Pin expected_rows_;
  Pin req_valid_ = model_.pin("req_valid_i"), req_ready_ = model_.pin("req_ready_o"),
      req_regroup_ = model_.pin("req_regroup_i"), req_threads_ = model_.pin("req_threads_i"),
      warp_valid_ = model_.pin("warp_valid_o"), warp_ready_ = model_.pin("warp_ready_i"),
      warp_mask_ = model_.pin("warp_mask_o"), warp_row_ = model_.pin("warp_row_o"),
      warp_last_ = model_.pin("warp_last_o");
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
  Bench bench(const Size& size, const std::string& file = "", bool coverage = false) const {
    RtlSource source = rtl_source("compactor", {{"Lanes", size.lanes}, {"Rows", size.rows}}, file);
    source.coverage = coverage;
    return Bench(source, size.lanes, size.rows, directory / "compactor.fst");
  }
  // Random matrices: any density, in all rows or some, in all lanes or some.
  void run_random(Bench& bench, const Size& size) {
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
  Bench bench = this->bench(GetParam());
  EXPECT_EQ(complaint([&] { run_random(bench, GetParam()); }), "");
  report(bench.masks, bench.model());
}

INSTANTIATE_TEST_SUITE_P(Sizes, ThreadCompactorSizes,
                         ::testing::Values(Size{8, 8, 500'000}, Size{32, 8, 400'000}, Size{32, 32, 150'000},
                                           Size{64, 5, 50'000}, Size{4, 1, 50'000}),
                         [](const auto& size) { return fmt::format("{}x{}", size.param.lanes, size.param.rows); });

// Every matrix of three rows of four, and after it the next one without a bubble or with one.
TEST_F(ThreadCompactor, AllSmallMatrices) {
  Bench bench = this->bench({4, 3, 0});
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
  Bench bench = this->bench({32, 32, 0});
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
  Bench bench = this->bench(size, without_guard("thread_compactor"));
  expect_caught(complaint([&] { run_random(bench, size); }), "compactor", "request ");
}

TEST_F(ThreadCompactor, Coverage) {
  const Size size{8, 8, 20'000};
  Bench bench = this->bench(size, "", true);
  EXPECT_EQ(complaint([&] { run_random(bench, size); }), "");
  bench.model().write_coverage(directory / "coverage.dat");
  // No row is lower than the first: 9 of 619 bits of `lower` and `row_lower` are always 0, and count only where they
  // started otherwise.
  expect_coverage(directory / "coverage.dat", 100, 98.5);
}

}  // namespace
}  // namespace warpfold::cosim
