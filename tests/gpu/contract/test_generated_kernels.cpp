// SPDX-License-Identifier: Apache-2.0
// The contract over generated kernels: each mechanism runs all of them. `warpfold-fuzz` runs any number.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <set>

#include "tests/gpu/contract/generated_contract.h"
#include "tests/gpu/contract/scalar_reference.h"
#include "tests/gpu/kernel_machine.h"
#include "warpfold/common/error.h"

namespace warpfold {
namespace generated_kernels_test {

constexpr std::uint32_t kKernels = 2000;  // 800 of them, unless WARPFOLD_ALL_CONTRACTS=1 asks for all

class GeneratedKernels : public testing::TestWithParam<MechanismVariant> {};
INSTANTIATE_TEST_SUITE_P(Every, GeneratedKernels, testing::ValuesIn(plain_mechanisms()),
                         [](const auto& suite) { return suite.param.name(); });

TEST_P(GeneratedKernels, HoldToTheContract) {
  const std::uint32_t kernels = std::getenv("WARPFOLD_ALL_CONTRACTS") != nullptr ? kKernels : 800;
  for (std::uint32_t seed = 0; seed < kernels; ++seed) {
    const std::string failure = generated_failure(seed, GetParam());
    ASSERT_EQ(failure, "");
  }
}

// What a kernel leaves in memory, thread by thread, with its blocks where PTX has them or where they are placed.
std::vector<std::uint32_t> results_of(const GeneratedKernel& kernel, bool placed) {
  DeviceMemory memory(1 << 20);
  isa::Program program(ptx::parse(kernel.ptx(), "test.ptx"), memory, {.block_placement = placed});
  const std::vector<std::uint32_t> words = noise(512, kernel.seed);
  const Address in = memory.allocate(512 * 4, "in"), out = memory.allocate(1024 * 4, "out");
  memory.write(in, words.data(), 512 * 4);
  isa::Launch launch;
  launch.kernel = &program.kernel("k");
  launch.grid = {2, 1, 1};
  launch.block = {64, 1, 1};
  launch.shared_bytes = launch.kernel->static_shared_bytes;
  launch.parameters.resize(16);
  std::memcpy(launch.parameters.data(), &out, 8);
  std::memcpy(launch.parameters.data() + 8, &in, 8);
  launch.const_bank = &program.const_bank();
  run_scalar(launch, memory);
  std::vector<std::uint32_t> results(1024);
  memory.read(out, results.data(), 1024 * 4);
  return results;
}

TEST(Generator, PlacingBlocksChangesNoResult) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const GeneratedKernel kernel = generate_kernel(seed);
    ASSERT_EQ(results_of(kernel, true), results_of(kernel, false)) << "seed " << seed << kernel.ptx();
  }
}

std::set<Statement::Kind> kinds_in(const std::vector<Statement>& body) {
  std::set<Statement::Kind> kinds;
  for (const Statement& statement : body) {
    kinds.insert(statement.kind);
    for (const auto& inner : statement.bodies) kinds.merge(kinds_in(inner));
  }
  return kinds;
}

TEST(Generator, WritesEveryKindOfFlow) {
  unsigned barriers = 0, nested = 0, tables = 0, tangled_tables = 0;
  std::set<Statement::Kind> kinds;
  for (std::uint32_t seed = 0; seed < kKernels; ++seed) {
    const GeneratedKernel kernel = generate_kernel(seed);
    kinds.merge(kinds_in(kernel.body));
    barriers += kernel.ptx().find("bar.sync") != std::string::npos ? 1 : 0;
    tables += kernel.ptx().find("CASES") != std::string::npos ? 1 : 0;
    tangled_tables += kernel.ptx().find("WAYS") != std::string::npos ? 1 : 0;
    nested += kernel.statements() > 12 ? 1 : 0;
  }
  EXPECT_EQ(kinds.size(), 14U) << "all kinds of Statement";
  EXPECT_GT(barriers, kKernels / 10);
  EXPECT_GT(nested, kKernels / 4);
  EXPECT_GT(tables, kKernels / 20);
  EXPECT_GT(tangled_tables, kKernels / 20);
}

TEST(Generator, TheSameKernelForTheSameSeed) {
  EXPECT_EQ(generate_kernel(7).ptx(), generate_kernel(7).ptx());
  EXPECT_NE(generate_kernel(7).ptx(), generate_kernel(8).ptx());
}

TEST(Generator, ShrinksToWhatFails) {
  const auto has_tangle = [](const GeneratedKernel& kernel) {
    return kinds_in(kernel.body).contains(Statement::Kind::kTangle);
  };
  unsigned shrunk = 0;
  for (std::uint32_t seed = 0; shrunk < 20; ++seed) {
    const GeneratedKernel kernel = generate_kernel(seed);
    if (!has_tangle(kernel) || kernel.statements() == 1) continue;
    EXPECT_EQ(shrink(kernel, has_tangle).statements(), 1U) << "seed " << seed;
    ++shrunk;
  }
}

TEST(Generator, AFailureNamesSeedAndKernel) {
  const std::string failure = generated_failure(0, {"pdom", {"mechanism.no_such_key=1"}});
  EXPECT_NE(failure.find("seed 0 under pdom_no_such_key_1: --set: mechanism.no_such_key: unknown key"),
            std::string::npos)
      << failure;
  EXPECT_NE(failure.find("these 0 are enough"), std::string::npos) << failure;
  EXPECT_NE(failure.find(".entry k("), std::string::npos) << failure;
}

}  // namespace generated_kernels_test
}  // namespace warpfold
