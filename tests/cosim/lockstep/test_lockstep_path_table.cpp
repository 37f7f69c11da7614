// SPDX-License-Identifier: Apache-2.0
// rtl/path_table.sv against rows of a core whose threads part and meet at the model's meeting points.
#include "tests/cosim/lockstep/lockstep.h"
#include "warpfold/divergence/parts/meeting_points.h"

namespace warpfold::cosim {
namespace lockstep_path_table_test {

using divergence::MeetingPoints;
using isa::LaneMask;
using isa::Pc;

struct Size {
  unsigned lanes, splits, points, rows, operations;
};
constexpr unsigned kPcBits = 32;
constexpr unsigned kNone = MeetingPoints::kNone;

enum class Op : unsigned { kStart, kPart, kGo, kExit, kLeave, kEnter, kLetGo, kNext };
constexpr const char* kNames[] = {"start", "part", "go", "exit", "leave", "enter", "let go", "next"};

RtlSource source_of(const Size& size, const std::string& file = "") {
  RtlSource source;
  source.block = source.top = "path_table";
  source.files = {WARPFOLD_TEST_RTL "/common/simt_pkg.sv", WARPFOLD_TEST_RTL "/common/ram_1r1w.sv",
                  WARPFOLD_TEST_RTL "/common/lane_priority.sv",
                  file.empty() ? WARPFOLD_TEST_RTL "/path_table.sv" : file};
  source.parameters = {{"Lanes", size.lanes},
                       {"Splits", size.splits},
                       {"Points", size.points},
                       {"Rows", size.rows},
                       {"PcWidth", kPcBits}};
  const unsigned split = index_width(size.splits), point = index_width(size.points + 1);
  source.ports = {{"clk_i"},
                  {"rst_ni"},
                  {"op_valid_i"},
                  {"op_ready_o", 1, true},
                  {"op_kind_i", 3},
                  {"op_row_i", index_width(size.rows)},
                  {"op_split_i", split},
                  {"op_point_i", point},
                  {"op_mask_i", size.lanes},
                  {"op_pc_i", kPcBits},
                  {"op_target_i", kPcBits},
                  {"op_meet_i", kPcBits},
                  {"op_jumps_i"},
                  {"op_busy_i", size.splits},
                  {"done_valid_o", 1, true},
                  {"res_found_o", 1, true},
                  {"res_split_o", split, true},
                  {"res_pc_o", kPcBits, true},
                  {"res_mask_o", size.lanes, true},
                  {"res_point_o", point, true},
                  {"count_o", index_width(size.splits + 1), true},
                  {"points_o", size.points, true},
                  {"overflow_o", 1, true}};
  return source;
}

// A row as models/divergence/parts/warp/warp_paths has it, with new paths last and meetings behind branches.
struct Split {
  Pc pc = 0;
  LaneMask mask = 0;
  unsigned point = kNone;
};
class Row {
 public:
  std::vector<Split> splits, away;
  MeetingPoints points;
  unsigned joined = 0, met = 0;

  void part(std::size_t at, LaneMask taken, Pc target, Pc next, Pc meet) {
    Split split = take_out(at);
    if (split.point == kNone || points[split.point].pc != meet)
      split.point = points.begin(meet, split.point, split.mask, 0);
    come({next, split.mask & ~taken, split.point}, splits.size(), true, false);
    come({target, split.mask & taken, split.point}, splits.size(), true, false);
  }
  void go(std::size_t at, Pc next, bool jumps) {
    Split split = take_out(at);
    split.pc = next;
    come(split, at, jumps, true);
  }
  void exit(std::size_t at, LaneMask lanes, Pc next) {
    Split split = take_out(at);
    points.exit(lanes);
    split.mask &= ~lanes;
    split.pc = next;
    if (split.mask != 0) come(split, at, false, true);
    for (unsigned p = 0; p < points.places(); ++p) {
      if (points.used(p) && points.complete(p)) come(released(p), splits.size(), true, false);
    }
  }
  void leave(std::size_t at) { away.push_back(take_out(at)); }
  Split enter(Pc next) {
    Split split = away.back();
    away.pop_back();
    split.pc = next;
    come(split, splits.size(), true, false);
    return split;
  }
  void let_go(unsigned at) {
    const MeetingPoints::Point point = points[at];
    points.let_go(at, 0);
    come({point.pc, point.arrived(), point.outer}, splits.size(), true, false);
  }

 private:
  Split take_out(std::size_t at) {
    const Split split = splits[at];
    splits.erase(splits.begin() + static_cast<std::ptrdiff_t>(at));
    return split;
  }
  Split released(unsigned at) {
    const MeetingPoints::Point point = points.end(at);
    ++met;
    return {point.pc, point.arrived(), point.outer};
  }
  void come(Split split, std::size_t place, bool jumps, bool itself) {
    while (split.point != kNone && points[split.point].pc == split.pc) {
      points.arrive(split.point, split.mask, 0);
      if (!points.complete(split.point)) return;
      split = released(split.point);
      place = splits.size();
      jumps = true;
      itself = false;
    }
    const auto there = std::find_if(splits.begin(), splits.end(), [&](const Split& other) {
      return jumps && other.pc == split.pc && other.point == split.point;
    });
    const auto before = [&](std::size_t at) { return splits.begin() + static_cast<std::ptrdiff_t>(at); };
    if (there != splits.end()) {
      ++joined;
      there->mask |= split.mask;
      if (before(place) < there) std::rotate(before(place), there, there + 1);
      return;
    }
    splits.insert(before(jumps && itself ? splits.size() : place), split);
  }
};

class PathsBench final : public Bench {
 public:
  PathsBench(const Size& size, RtlSource source, std::string fst_file)
      : Bench(std::move(source), std::move(fst_file)), size_(size), rows_(size.rows) {
    model_.reset();
  }

  void step(std::mt19937_64& random) {
    random_ = &random;
    at_ = draw(size_.rows);
    Row& row = rows_[at_];
    pin("op_row_i").set(at_);
    if (row.splits.empty() && row.away.empty()) {
      row.points = {};
      row.splits = {{some_pc(kNone), low_bits(size_.lanes), kNone}};
      operate(Op::kStart, 0, {}, row.splits[0].mask, row.splits[0].pc);
    } else if (!row.away.empty() && (row.splits.empty() || draw(8) == 0)) {
      const Pc pc = some_pc(row.away.back().point);
      const Split split = row.enter(pc);
      operate(Op::kEnter, 0, split, split.mask, pc);
    } else if (!let_some_go(row)) {
      change(row, draw(row.splits.size()));
    }
    compare(row);
    ++masks;
  }
  unsigned fullest = 0;
  unsigned joined() const { return sum(&Row::joined); }
  unsigned met() const { return sum(&Row::met); }

 private:
  unsigned draw(std::size_t below) { return static_cast<unsigned>((*random_)() % below); }
  unsigned sum(unsigned Row::*number) const {
    unsigned all = 0;
    for (const Row& row : rows_) all += row.*number;
    return all;
  }
  Pc some_pc(unsigned point) {
    return point != kNone && draw(3) == 0 ? rows_[at_].points[point].pc : draw(8) << (kPcBits / 2) | draw(2);
  }

  bool let_some_go(Row& row) {
    for (unsigned p = 0; p < row.points.places() && draw(12) == 0; ++p) {
      if (!row.points.used(p) || row.points[p].arrived() == 0) continue;
      row.let_go(p);
      operate(Op::kLetGo, 0, {0, 0, p}, 0, 0);
      return true;
    }
    return false;
  }

  void change(Row& row, unsigned at) {
    const Split split = row.splits[at];
    const unsigned entry = entries_[{at_, split.mask}];
    LaneMask some = split.mask & (*random_)();
    const Pc pc = some_pc(split.point), target = some_pc(split.point), meet = some_pc(split.point);
    const bool room = row.points.in_use() < size_.points;
    if (draw(3) != 0 && some != 0 && some != split.mask && room) {
      row.part(at, some, target, pc, meet);
      operate(Op::kPart, entry, {}, some, pc, target, meet);
    } else if (draw(12) == 0) {
      if (some == 0) some = split.mask;
      row.exit(at, some, pc);
      operate(Op::kExit, entry, {}, some, pc);
    } else if (draw(16) == 0) {
      row.leave(at);
      operate(Op::kLeave, entry, {}, 0, 0);
    } else {
      const bool jumps = draw(2) == 0;
      row.go(at, pc, jumps);
      operate(Op::kGo, entry, {}, 0, pc, 0, 0, jumps);
    }
  }

  void operate(Op op, unsigned entry, const Split& split, LaneMask mask, Pc pc, Pc target = 0, Pc meet = 0,
               bool jumps = false, std::uint64_t busy = 0) {
    op_ = op;
    pin("op_valid_i").set(1);
    pin("op_kind_i").set(static_cast<unsigned>(op));
    pin("op_split_i").set(entry);
    pin("op_point_i").set(split.point == kNone ? size_.points : split.point);
    pin("op_mask_i").set(mask);
    pin("op_pc_i").set(pc);
    pin("op_target_i").set(target);
    pin("op_meet_i").set(meet);
    pin("op_jumps_i").set(jumps ? 1 : 0);
    pin("op_busy_i").set(busy);
    model_.eval();
    for (unsigned clocks = 0; pin("op_ready_o").get() == 0; ++clocks) {
      check(clocks < 1000, "an operation ends");
      model_.clock(0);
      model_.eval();
    }
    model_.clock(0);
    pin("op_valid_i").set(0);
    model_.eval();
    same("done_valid_o", pin("done_valid_o"), 1);
    same("overflow_o", pin("overflow_o"), 0);
  }

  // All of the row, in the order of turns.
  void compare(const Row& row) {
    fullest = std::max(fullest, static_cast<unsigned>(row.splits.size()));
    std::uint64_t used = 0, told = 0;
    for (unsigned p = 0; p < row.points.places(); ++p) used |= std::uint64_t{row.points.used(p)} << p;
    same("count_o", pin("count_o"), row.splits.size());
    same("points_o", pin("points_o"), used);
    for (const Split& split : row.splits) {
      operate(Op::kNext, 0, {}, 0, 0, 0, 0, false, told);
      same("res_found_o", pin("res_found_o"), 1);
      same("res_pc_o", pin("res_pc_o"), split.pc);
      same("res_mask_o", pin("res_mask_o"), split.mask);
      same("res_point_o", pin("res_point_o"), split.point == kNone ? size_.points : split.point);
      const std::uint64_t entry = pin("res_split_o").get();
      entries_[{at_, split.mask}] = static_cast<unsigned>(entry);
      told |= std::uint64_t{1} << entry;
    }
    operate(Op::kNext, 0, {}, 0, 0, 0, 0, false, told);
    same("res_found_o", pin("res_found_o"), 0);
  }

  std::string operation() const override { return kNames[static_cast<unsigned>(op_)]; }

  Size size_;
  std::vector<Row> rows_;
  std::map<std::pair<unsigned, LaneMask>, unsigned> entries_;  // by row and threads
  std::mt19937_64* random_ = nullptr;
  unsigned at_ = 0;
  Op op_ = Op::kNext;
};

class LockStepPaths : public LockStepTest {
 protected:
  void run(const Size& size, const std::string& file = "") {
    PathsBench bench(size, source_of(size, file), directory / "paths.fst");
    std::mt19937_64 random(size.lanes);
    for (unsigned i = 0; i < size.operations; ++i) bench.step(random);
    EXPECT_GT(bench.joined(), size.operations / 1000);
    EXPECT_GT(bench.met(), size.operations / 100);
    EXPECT_GE(bench.fullest, std::min(size.splits, size.lanes) / 5);
    report(bench.masks, bench.model());
  }
};

TEST_F(LockStepPaths, OfACore) { run({32, 32, 32, 32, 10'000}); }
TEST_F(LockStepPaths, OfOtherSizes) {
  run({64, 64, 40, 3, 3'000});
  run({4, 4, 5, 2, 3'000});
}

TEST_F(LockStepPaths, AWrongBlockIsCaught) {
  std::string said;
  try {
    run({32, 32, 32, 32, 10'000}, without_guard("path_table"));
  } catch (const UserError& error) {
    said = error.what();
  }
  expect_caught(said, "path_table", "[a-z ]+");
}

}  // namespace lockstep_path_table_test
}  // namespace warpfold::cosim
