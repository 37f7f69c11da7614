// SPDX-License-Identifier: Apache-2.0
// rtl/ready_lookup.sv and rtl/waiting_lookup.sv against the model's Lookup tables, operation by operation.
#include "tb/cosim/shadows/lookup_shadow.h"
#include "tests/cosim/shadow_bench.h"

namespace warpfold::cosim {
namespace lockstep_lookups_test {

using divergence::ReadyLookup;
using divergence::WaitingLookup;
using divergence::Warp;
using isa::LaneMask;
using isa::Pc;

struct Size {
  unsigned lanes, rows, entries, operations;
};

constexpr Pc kPoints[] = {3, 4, 300, 0x7fff, 0xffff};

class RandomWarps {
 public:
  RandomWarps(const Size& size, unsigned seed) : size_(size), random_(seed) {}

  unsigned draw(std::size_t below) { return static_cast<unsigned>(random_() % below); }
  Pc pc() { return kPoints[draw(std::size(kPoints))]; }
  // Threads of one row or of any.
  Warp warp() {
    Warp warp = Warp::of_row(pc(), static_cast<std::uint16_t>(draw(size_.rows)),
                             sparse_or_dense(random_, draw(6)) & low_bits(size_.lanes));
    if (draw(2) == 0) return warp;
    for (unsigned lane = 0; lane < size_.lanes; ++lane) warp.row[lane] = static_cast<std::uint16_t>(draw(size_.rows));
    warp.one_row = false;
    return warp;
  }
  LaneMask lanes() { return random_(); }

 private:
  Size size_;
  std::mt19937_64 random_;
};

class LookupLockStep : public ShadowTest {
 protected:
  explicit LookupLockStep(const char* block) : ShadowTest(block) {}
};

class ReadyLockStep : public LookupLockStep {
 protected:
  ReadyLockStep() : LookupLockStep("ready") {}

  // Warps diverge, with threads of either side missing where they wait at a barrier; some depart.
  void run(Session& session, const Size& size) {
    LookupShadow shadow(session, clock, 0, 0, size.lanes, size.rows, size.entries, size.entries);
    ReadyLookup table(size.entries);
    table.observe(&shadow);
    RandomWarps random(size, size.lanes);
    while (operations(session) < size.operations) {
      if (!table.empty() && random.draw(table.used() == size.entries ? 2 : 3) == 0) {
        table.pop();
        continue;
      }
      const Warp warp = random.warp();
      std::array<Warp, 2> sides{warp, warp};
      const LaneMask taken = random.lanes();
      sides[0].mask &= ~taken;
      sides[1].mask &= taken;
      while (sides[1].pc == sides[0].pc) sides[1].pc = random.pc();
      table.take(sides);
    }
  }
};

class WaitingLockStep : public LookupLockStep {
 protected:
  WaitingLockStep() : LookupLockStep("waiting") {}

  // Warps of some slots of a warp buffer go to memory and come back in any order.
  void run(Session& session, const Size& size) {
    constexpr unsigned kSlots = 24;
    LookupShadow shadow(session, clock, 0, 0, size.lanes, size.rows, size.entries, size.entries);
    WaitingLookup table(size.entries, kSlots);
    table.observe(&shadow);
    RandomWarps random(size, size.lanes);
    std::vector<Warp> warps(kSlots);
    while (operations(session) < size.operations) {
      const unsigned id = random.draw(kSlots);
      if (table.holds(id)) {
        if (random.draw(3) == 0) table.completed(id, warps[id]);
        continue;
      }
      warps[id] = random.warp();
      if (warps[id].mask != 0) table.issued(id, warps[id]);
    }
  }
};

class ReadySizes : public ReadyLockStep, public ::testing::WithParamInterface<Size> {};
class WaitingSizes : public WaitingLockStep, public ::testing::WithParamInterface<Size> {};

TEST_P(ReadySizes, RandomOperations) {
  Session session = this->session();
  EXPECT_EQ(complaint([&] { run(session, GetParam()); }), "");
  report(operations(session), "ready");
}

TEST_P(WaitingSizes, RandomOperations) {
  Session session = this->session();
  EXPECT_EQ(complaint([&] { run(session, GetParam()); }), "");
  report(operations(session), "waiting");
}

const auto kSizes = ::testing::Values(Size{4, 4, 3, 200'000}, Size{16, 96, 8, 200'000}, Size{32, 48, 16, 100'000});
const auto kSizeName = [](const auto& size) {
  return fmt::format("{}x{}x{}", size.param.lanes, size.param.rows, size.param.entries);
};
INSTANTIATE_TEST_SUITE_P(Sizes, ReadySizes, kSizes, kSizeName);
INSTANTIATE_TEST_SUITE_P(Sizes, WaitingSizes, kSizes, kSizeName);

TEST_F(ReadyLockStep, AWrongOneIsCaught) {
  Session session = this->session(without_guard("ready_lookup"));
  expect_caught(complaint([&] { run(session, {8, 8, 4, 10'000}); }), "core0.ready_scheduler0", "[a-z]+: ");
}

TEST_F(WaitingLockStep, AWrongOneIsCaught) {
  Session session = this->session(without_guard("waiting_lookup"));
  expect_caught(complaint([&] { run(session, {8, 8, 4, 10'000}); }), "core0.waiting_scheduler0", "[a-z]+: ");
}

TEST_F(ReadyLockStep, ATableThatNobodyAskedForIsNotMade) {
  Session session = this->session();
  LookupShadow shadow(session, clock, 0, 0, 4, 4, 0, 4);
  ReadyLookup table(0);
  table.observe(&shadow);
  std::array<Warp, 2> sides{Warp::of_row(3, 0, 1), Warp::of_row(4, 0, 2)};
  EXPECT_EQ(table.take(sides).bypassed, 2U);
  EXPECT_EQ(operations(session), 0U);
}

TEST_F(ReadyLockStep, Coverage) {
  Session session = this->session();
  session.collect_coverage(directory);
  EXPECT_EQ(complaint([&] { run(session, {8, 8, 4, 20'000}); }), "");
  expect_coverage(directory / "ready.reset.dat", directory / "ready.dat", 95, 95);
}

TEST_F(WaitingLockStep, Coverage) {
  Session session = this->session();
  session.collect_coverage(directory);
  EXPECT_EQ(complaint([&] { run(session, {8, 8, 4, 20'000}); }), "");
  expect_coverage(directory / "waiting.reset.dat", directory / "waiting.dat", 95, 95);
}

}  // namespace lockstep_lookups_test
}  // namespace warpfold::cosim
