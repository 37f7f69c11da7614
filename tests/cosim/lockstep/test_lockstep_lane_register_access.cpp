// SPDX-License-Identifier: Apache-2.0
// rtl/lane_register_access.sv against the model's register banks: what random instructions access, of one row and of
// mixed rows, is served in the same cycles.
#include <deque>

#include "tb/cosim/shadows/register_shadow.h"
#include "tests/cosim/shadow_bench.h"

namespace warpfold::cosim {
namespace lockstep_lane_register_access_test {

using divergence::Warp;
using isa::LaneMask;

struct Size {
  unsigned lanes, rows, banks, per_cycle;
  BankMapping mapping;
  unsigned instructions;
};

class RegisterLockStep : public ShadowTest {
 protected:
  RegisterLockStep() : ShadowTest("registers") {}

  void run(Session& session, const Size& size) {
    CoreParams params;
    params.warp_size = size.lanes;
    params.max_threads = size.lanes * size.rows;
    params.register_banks = size.banks;
    params.register_file.accesses_per_cycle = size.per_cycle;
    params.register_file.mapping = size.mapping;
    RegisterBanks banks(params);
    RegisterShadow shadow(session, clock, 0, 0, params);
    std::mt19937_64 random(size.lanes);
    const auto draw = [&](std::size_t below) { return static_cast<unsigned>(random() % below); };
    std::deque<std::vector<isa::Word>> lists;
    Cycle now = 0;
    while (operations(session) < size.instructions) {
      now += draw(3);
      Warp warp = Warp::of_row(0, static_cast<std::uint16_t>(draw(size.rows)),
                               sparse_or_dense(random, draw(6)) & low_bits(size.lanes));
      if (warp.mask == 0) continue;
      if (draw(2) == 0) {
        for (unsigned lane = 0; lane < size.lanes; ++lane) warp.row[lane] = static_cast<std::uint16_t>(draw(size.rows));
        warp.one_row = false;
      }
      lists.emplace_back();
      for (isa::Word word = draw(8); lists.back().size() < draw(6); word += 1 + draw(6)) lists.back().push_back(word);
      const RegisterBanks::Words words = banks.words_of(lists.back(), 1000);
      const Cycle from = now + draw(2);
      shadow.accessed(words, warp, warp.mask, from, banks.reserve(words, warp, warp.mask, now, from));
      if (lists.size() > 16) lists.pop_front();  // the banks remember the last one at most
    }
  }
};

class RegisterSizes : public RegisterLockStep, public ::testing::WithParamInterface<Size> {};

TEST_P(RegisterSizes, RandomInstructions) {
  Session session = this->session();
  EXPECT_EQ(complaint([&] { run(session, GetParam()); }), "");
  report(operations(session), "registers");
}

INSTANTIATE_TEST_SUITE_P(Sizes, RegisterSizes,
                         ::testing::Values(Size{8, 6, 4, 1, BankMapping::kWordAndRow, 50'000},
                                           Size{16, 48, 4, 2, BankMapping::kWordAndRow, 20'000},
                                           Size{8, 8, 2, 1, BankMapping::kWord, 20'000}),
                         [](const auto& size) { return fmt::format("{}x{}", size.param.lanes, size.param.banks); });

TEST_F(RegisterLockStep, AWrongOneIsCaught) {
  Session session = this->session(without_guard("lane_register_access"));
  expect_caught(complaint([&] {
                  run(session, {8, 6, 4, 1, BankMapping::kWordAndRow, 10'000});
                }),
                "core0.registers_file0", "access");
}

TEST_F(RegisterLockStep, Coverage) {
  Session session = this->session();
  session.collect_coverage(directory);
  EXPECT_EQ(complaint([&] { run(session, {8, 6, 4, 1, BankMapping::kWordAndRow, 10'000}); }), "");
  // Registers and rows are few: the upper bits of addresses stay 0.
  expect_coverage(directory / "registers.reset.dat", directory / "registers.dat", 95, 60);
}

}  // namespace lockstep_lane_register_access_test
}  // namespace warpfold::cosim
