// SPDX-License-Identifier: Apache-2.0
// rtl/convergence_barriers.sv against the model's meeting points, operation by operation.
#include "tests/cosim/lockstep/lockstep.h"
#include "warpfold/divergence/parts/meeting_points.h"

namespace warpfold::cosim {
namespace lockstep_convergence_barriers_test {

using divergence::MeetingPoints;
using isa::LaneMask;

struct Size {
  unsigned lanes, barriers, pc_bits, operations;
};

enum class Op : unsigned { kBegin, kArrive, kExit, kYield, kRun, kEnd };
constexpr const char* kNames[] = {"begin", "arrive", "exit", "yield", "run", "end"};

RtlSource source_of(const Size& size, const std::string& file = "") {
  RtlSource source;
  source.block = source.top = "convergence_barriers";
  source.files = {WARPFOLD_TEST_RTL "/common/simt_pkg.sv",
                  file.empty() ? WARPFOLD_TEST_RTL "/convergence_barriers.sv" : file};
  source.parameters = {{"Lanes", size.lanes}, {"Barriers", size.barriers}, {"PcWidth", size.pc_bits}};
  const unsigned index = index_width(size.barriers);
  source.ports = {{"clk_i"},
                  {"rst_ni"},
                  {"op_valid_i"},
                  {"op_kind_i", 3},
                  {"op_mask_i", size.lanes},
                  {"op_barrier_i", index},
                  {"op_pc_i", size.pc_bits},
                  {"op_has_outer_i"},
                  {"op_outer_i", index},
                  {"free_o", 1, true},
                  {"free_index_o", index, true},
                  {"complete_o", 1, true},
                  {"index_o", index, true},
                  {"pc_o", size.pc_bits, true},
                  {"arrived_o", size.lanes, true},
                  {"has_outer_o", 1, true},
                  {"outer_o", index, true}};
  return source;
}

class BarriersBench final : public Bench {
 public:
  BarriersBench(const Size& size, RtlSource source, std::string fst_file)
      : Bench(std::move(source), std::move(fst_file)), size_(size) {
    model_.reset();
  }

  // A random operation that a warp could ask for, on both; what there is to see afterwards.
  void step(std::mt19937_64& random) {
    kind_ = kMix[random() % std::size(kMix)];
    LaneMask threads = sparse_or_dense(random, static_cast<unsigned>(random())) & low_bits(size_.lanes);
    const auto at = static_cast<unsigned>(random() % size_.barriers);
    if (kind_ == Op::kBegin && (threads == 0 || points_.in_use() == size_.barriers)) kind_ = Op::kRun;
    if (kind_ == Op::kArrive) threads &= used(at) ? points_[at].pending : 0;
    if (kind_ == Op::kArrive && threads == 0) kind_ = Op::kRun;
    if (kind_ == Op::kExit) threads &= random() & random();
    const unsigned outer = used(at) && random() % 3 != 0 ? at : MeetingPoints::kNone;
    const std::uint64_t pc = random() & low_bits(size_.pc_bits);
    offer(threads, at, pc, outer);
    change(threads, at, pc, outer);
    model_.clock(0);
    pin("op_valid_i").set(0);
    model_.eval();
    compare();
    ++masks;
  }
  unsigned ended = 0, fullest = 0;

 private:
  static constexpr Op kMix[] = {Op::kBegin,  Op::kBegin,  Op::kBegin,  Op::kBegin,  Op::kBegin, Op::kArrive,
                                Op::kArrive, Op::kArrive, Op::kArrive, Op::kArrive, Op::kExit,  Op::kYield,
                                Op::kRun,    Op::kEnd,    Op::kEnd,    Op::kEnd};

  bool used(unsigned at) const { return at < points_.places() && points_.used(at); }

  void offer(LaneMask threads, unsigned at, std::uint64_t pc, unsigned outer) {
    pin("op_valid_i").set(1);
    pin("op_kind_i").set(static_cast<unsigned>(kind_));
    pin("op_mask_i").set(threads);
    pin("op_barrier_i").set(at);
    pin("op_pc_i").set(pc);
    pin("op_has_outer_i").set(outer != MeetingPoints::kNone ? 1 : 0);
    pin("op_outer_i").set(outer != MeetingPoints::kNone ? outer : 0);
    model_.eval();
  }

  void change(LaneMask threads, unsigned at, std::uint64_t pc, unsigned outer) {
    switch (kind_) {
      case Op::kBegin:
        points_.begin(static_cast<isa::Pc>(pc), outer, threads, 0);
        break;
      case Op::kArrive:
        points_.arrive(at, threads, 0);
        break;
      case Op::kExit:
        points_.exit(threads);
        yielded_ &= ~threads;
        break;
      case Op::kYield:
        yielded_ |= threads;
        break;
      case Op::kRun:
        yielded_ &= ~threads;
        break;
      case Op::kEnd:
        if (complete() == size_.barriers) break;
        points_.end(complete());
        ++ended;
        break;
    }
    fullest = std::max(fullest, points_.in_use());
  }

  unsigned complete() const {
    unsigned at = 0;
    while (at < size_.barriers && !(used(at) && points_.complete(at, yielded_))) ++at;
    return at;
  }

  void compare() {
    unsigned free = 0;
    while (free < size_.barriers && used(free)) ++free;
    same("free_o", pin("free_o"), free < size_.barriers);
    if (free < size_.barriers) same("free_index_o", pin("free_index_o"), free);
    const unsigned at = complete();
    same("complete_o", pin("complete_o"), at < size_.barriers);
    if (at == size_.barriers) return;
    const MeetingPoints::Point& point = points_[at];
    same("index_o", pin("index_o"), at);
    same("pc_o", pin("pc_o"), point.pc);
    same("arrived_o", pin("arrived_o"), point.arrived());
    same("has_outer_o", pin("has_outer_o"), point.outer != MeetingPoints::kNone);
    if (point.outer != MeetingPoints::kNone) same("outer_o", pin("outer_o"), point.outer);
  }

  std::string operation() const override { return kNames[static_cast<unsigned>(kind_)]; }

  Size size_;
  MeetingPoints points_;
  LaneMask yielded_ = 0;
  Op kind_ = Op::kRun;
};

class LockStepBarriers : public LockStepTest {
 protected:
  void run(const Size& size, const std::string& file = "") {
    BarriersBench bench(size, source_of(size, file), directory / "barriers.fst");
    std::mt19937_64 random(size.lanes * 1000 + size.barriers);
    for (unsigned i = 0; i < size.operations; ++i) bench.step(random);
    EXPECT_EQ(bench.fullest, size.barriers);
    EXPECT_GT(bench.ended, size.operations / 50);
    report(bench.masks, bench.model());
  }
};

TEST_F(LockStepBarriers, OfAWarp) { run({32, 16, 32, 20'000}); }
TEST_F(LockStepBarriers, OfOtherSizes) {
  run({64, 3, 32, 5'000});
  run({4, 5, 7, 5'000});
}

TEST_F(LockStepBarriers, AWrongBlockIsCaught) {
  std::string said;
  try {
    run({32, 16, 32, 20'000}, without_guard("convergence_barriers"));
  } catch (const UserError& error) {
    said = error.what();
  }
  expect_caught(said, "convergence_barriers", "[a-z]+");
}

}  // namespace lockstep_convergence_barriers_test
}  // namespace warpfold::cosim
