// SPDX-License-Identifier: Apache-2.0
// rtl/adequacy_unit.sv against judge, clock by clock.
#include <functional>
#include <optional>

#include "tests/cosim/lockstep/lockstep.h"
#include "warpfold/divergence/parts/block/adequacy.h"

namespace warpfold::cosim {
namespace lockstep_adequacy_unit_test {

using divergence::AdequacyQuery;
using divergence::AdequacyStage;
using divergence::AdequacyVerdict;
using isa::LaneMask;

// A query whose kind may be the reserved one, which is never adequate.
struct Operation {
  AdequacyQuery query;
  bool reserved = false;
  std::vector<LaneMask> threads;

  AdequacyVerdict verdict() const {
    AdequacyVerdict verdict = judge(query);
    if (reserved) verdict = {verdict.count, false, query.stage};
    return verdict;
  }
};

class AdequacyBench final : public Bench {
 public:
  using NextOperation = std::function<void(Operation&)>;

  AdequacyBench(RtlSource source, unsigned lanes, unsigned rows, std::string fst_file)
      : Bench(std::move(source), std::move(fst_file)), lanes_(lanes) {
    offered_.threads.resize(rows);
  }

  void cycle(bool wanted, bool ready, const NextOperation& next_operation) {
    model_.clock(0);
    res_ready_.set(ready ? 1 : 0);
    if (!offers_ && wanted) offer(next_operation);
    op_valid_.set(offers_ ? 1 : 0);
    model_.eval();
    const bool result_leaves = !result_ || ready, counts_leave = !counts_ || result_leaves;
    same("op_ready_o", op_ready_, counts_leave);
    same("res_valid_o", res_valid_, result_.has_value());
    if (result_) {
      same("res_count_o", res_count_, result_->count);
      same("res_adequate_o", res_adequate_, result_->adequate);
      same("res_stage_o", res_stage_, static_cast<unsigned>(result_->stage));
    }
    // What the edge that comes does: an operation is counted in the first clock and judged in the second.
    if (result_leaves) result_ = counts_;
    if (counts_leave) {
      counts_.reset();
      if (!result_) model_.forget();
      if (offers_) {
        counts_ = offered_.verdict();
        offers_ = false;
        ++masks;
      }
    }
  }
  bool idle() const { return !offers_ && !counts_ && !result_; }
  void reset() {
    model_.reset();
    offers_ = false;
    counts_.reset();
    result_.reset();
  }

 private:
  void offer(const NextOperation& next_operation) {
    next_operation(offered_);
    const AdequacyQuery& query = offered_.query;
    offered_.query.threads = &offered_.threads;
    op_kind_.set(offered_.reserved ? 3 : static_cast<unsigned>(query.kind));
    op_stage_.set(static_cast<unsigned>(query.stage));
    for (unsigned row = 0; row < offered_.threads.size(); ++row) {
      op_threads_.set_field(row * lanes_, lanes_, offered_.threads[row]);
    }
    op_warps_.set(query.warps);
    op_n_.set(query.n);
    op_t_wct_.set(query.t_wct);
    op_literal_.set(query.literal ? 1 : 0);
    offers_ = true;
  }
  std::string operation() const override {
    return fmt::format("operation {}, the last one offered has threads{}", masks, text_of(offered_.threads));
  }

  unsigned lanes_;
  Pin op_valid_ = pin("op_valid_i"), op_ready_ = pin("op_ready_o"), op_kind_ = pin("op_kind_i"),
      op_stage_ = pin("op_stage_i"), op_threads_ = pin("op_threads_i"), op_warps_ = pin("op_warps_i"),
      op_n_ = pin("op_n_i"), op_t_wct_ = pin("op_t_wct_i"), op_literal_ = pin("op_literal_i"),
      res_valid_ = pin("res_valid_o"), res_ready_ = pin("res_ready_i"), res_count_ = pin("res_count_o"),
      res_adequate_ = pin("res_adequate_o"), res_stage_ = pin("res_stage_o");
  Operation offered_;
  bool offers_ = false;
  std::optional<AdequacyVerdict> counts_, result_;  // of the operations in the two stages
};

struct Size {
  unsigned lanes, rows, masks;
};

class AdequacyUnit : public LockStepTest {
 protected:
  AdequacyBench bench(const Size& size, const std::string& file = "", bool coverage = false) const {
    RtlSource source = rtl_source("adequacy", {{"Lanes", size.lanes}, {"Rows", size.rows}}, file);
    source.coverage = coverage;
    return AdequacyBench(source, size.lanes, size.rows, directory / "adequacy.fst");
  }
  void run_random(AdequacyBench& bench, const Size& size) {
    std::mt19937_64 random(size.lanes * 100 + size.rows);
    Pressure wanted, ready;
    const std::uint64_t numbers = low_bits(index_width(size.rows + 1));
    const auto next_operation = [&](Operation& operation) {
      const auto kind = static_cast<unsigned>(random());
      for (LaneMask& row : operation.threads) row = sparse_or_dense(random, kind >> 8) & low_bits(size.lanes);
      AdequacyQuery& query = operation.query;
      operation.reserved = kind % 16 == 3;
      query.kind = static_cast<AdequacyQuery::Kind>(kind % 4 % 3);
      query.stage = static_cast<AdequacyStage>((kind >> 4) % 3);
      query.literal = (kind >> 6 & 1) != 0;
      // Near the count, where the verdict turns, as often as anywhere.
      const unsigned count = judge_count(operation);
      const auto number = [&] {
        const std::uint64_t any = random();
        return static_cast<unsigned>(((any & 1) != 0 ? count + (any >> 1) % 3 - 1 : any >> 1) & numbers);
      };
      query.n = number();
      query.t_wct = (kind >> 7 & 1) != 0 ? static_cast<unsigned>(random() % 4 & numbers) : number();
      query.warps = number();
    };
    while (bench.masks < size.masks) {
      if (random() % 4096 == 0) bench.reset();
      bench.cycle(wanted(random), ready(random), next_operation);
    }
  }

 private:
  static unsigned judge_count(Operation& operation) {
    operation.query.threads = &operation.threads;
    return judge(operation.query).count;
  }
};

class AdequacyUnitSizes : public AdequacyUnit, public ::testing::WithParamInterface<Size> {};

TEST_P(AdequacyUnitSizes, RandomMasks) {
  AdequacyBench bench = this->bench(GetParam());
  EXPECT_EQ(complaint([&] { run_random(bench, GetParam()); }), "");
  report(bench.masks, bench.model());
}

INSTANTIATE_TEST_SUITE_P(Sizes, AdequacyUnitSizes,
                         ::testing::Values(Size{8, 8, 400'000}, Size{32, 8, 400'000}, Size{32, 32, 300'000},
                                           Size{64, 5, 50'000}, Size{4, 1, 50'000}),
                         [](const auto& size) {
                           return std::to_string(size.param.lanes) + "x" + std::to_string(size.param.rows);
                         });

// Every number of threads in a lane against every number that decides, for all that asks.
TEST_F(AdequacyUnit, AllNumbers) {
  AdequacyBench bench = this->bench({4, 4, 0});
  constexpr unsigned kNumbers = 8, kCases = 5 * kNumbers * kNumbers * 4 * 3 * 2;
  unsigned next = 0;
  const auto next_operation = [&](Operation& operation) {
    unsigned rest = next++;
    const auto draw = [&](unsigned choices) {
      const unsigned drawn = rest % choices;
      rest /= choices;
      return drawn;
    };
    const unsigned count = draw(5), lane = next % 4;
    for (unsigned row = 0; row < 4; ++row) operation.threads[row] = row < count ? LaneMask{1} << lane : 0;
    operation.query.n = operation.query.t_wct = draw(kNumbers);
    operation.query.warps = draw(kNumbers);
    const unsigned kind = draw(4);
    operation.reserved = kind == 3;
    operation.query.kind = static_cast<AdequacyQuery::Kind>(kind % 3);
    operation.query.stage = static_cast<AdequacyStage>(draw(3));
    operation.query.literal = draw(2) != 0;
  };
  const std::string said = complaint([&] {
    while (next < kCases || !bench.idle()) bench.cycle(next < kCases, true, next_operation);
  });
  EXPECT_EQ(said, "");
  EXPECT_EQ(bench.masks, kCases);
  EXPECT_EQ(bench.model().clocks(), kCases + 2) << "one operation per clock, a verdict two clocks later";
}

TEST_F(AdequacyUnit, AWrongOneIsCaught) {
  const Size size{8, 8, 10'000};
  AdequacyBench bench = this->bench(size, without_guard("adequacy_unit"));
  expect_caught(complaint([&] { run_random(bench, size); }), "adequacy", "operation ");
}

TEST_F(AdequacyUnit, Coverage) {
  const Size size{8, 15, 20'000};
  AdequacyBench bench = this->bench(size, "", true);
  // 15 rows, so that counts take every value of their bits. Three bits are constant: the ends of `reached` and the top
  // of `warps`.
  expect_coverage(bench, 100, 99, [&] { run_random(bench, size); });
}

}  // namespace lockstep_adequacy_unit_test
}  // namespace warpfold::cosim
