// SPDX-License-Identifier: Apache-2.0
// What the generated kernels cover; that they agree with the model is the campaign's business.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "tests/cuda_fuzz/text/render.h"

namespace warpfold::cuda_fuzz {
namespace generate_test {

constexpr std::uint32_t kKernels = 300;  // as many as the campaign of the tests

std::string all_text(const GeneratorOptions& options) {
  std::string text;
  for (std::uint32_t seed = 1; seed <= kKernels; ++seed) text += render(generate(seed, options), "k").code;
  return text;
}

TEST(Generator, FollowsFromTheSeed) {
  EXPECT_EQ(render(generate(7, {}), "k").code, render(generate(7, {}), "k").code);
  EXPECT_NE(render(generate(7, {}), "k").code, render(generate(8, {}), "k").code);
}

TEST(Generator, EveryOperationOccurs) {
  const std::string text = all_text({});
  for (std::size_t type = 0; type < kTypes; ++type) {
    for (const Operation& operation : operations_of(static_cast<Type>(type))) {
      const std::string start = operation.text.substr(0, operation.text.find('$'));
      if (start.size() < 3) continue;  // an operator
      EXPECT_NE(text.find(start), std::string::npos) << operation.text;
    }
  }
}

TEST(Generator, EveryKindOfStatementOccurs) {
  const std::string text = all_text({});
  for (const char* word : {"switch (",
                           "do {",
                           "for (u32 i1",
                           "break;",
                           "continue;",
                           "finish_k(out, g",
                           "__noinline__",
                           "__ldg(&",
                           "table)[",
                           "const uint4 q",
                           "const float4 q",
                           "const double2 q",
                           "const short2 q",
                           "make_float2",
                           "make_double2",
                           "local_d[",
                           "local_b[",
                           "atomicExch",
                           "atomicInc",
                           "atomicCAS",
                           "shared32[",
                           "shared64[",
                           "common64[",
                           "DYNAMIC_SHARED",
                           "__syncthreads_count",
                           "__syncthreads_and",
                           "__syncthreads_or",
                           "__syncwarp(m",
                           "__shfl_sync(m",
                           "__shfl_up_sync",
                           "__shfl_down_sync",
                           "__shfl_xor_sync",
                           "__any_sync",
                           "__all_sync",
                           "__match_any_sync",
                           "__match_all_sync",
                           "__threadfence()",
                           "is_last",
                           "switch (at",
                           "goto n",
                           "self(self",
                           "].code(nodes",
                           "]->go(left",
                           "36u + w",
                           "= reduce_add(m",
                           "= (u32)__syncthreads_count(",
                           ", 8)",
                           "dim3(1024, 1, 1)",
                           "dim3(32, 8, 4)",
                           "dim3(2, 1, 2)"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word;
  }
}

// What few kernels have, several do.
TEST(Generator, RareFeaturesAreInSeveralKernels) {
  constexpr unsigned kSeveral = 5;
  for (const char* feature : {R"(cg::tiled_partition<\d+>\(cg::this)", R"(cg::tiled_partition<\d+>\(cg::tiled)",
                              R"(tile\d+\.sync\(\))", R"(tile\d+\.shfl)", R"(tile\d+\.(any|all|ballot|match_any)\()",
                              R"(cg::(reduce|inclusive_scan|exclusive_scan)\()", R"(bar_sync\(\d+u\))",
                              R"(bar_sync\(1 \+ t)", R"(bar_count\()", R"(bar_arrive\()", R"(while \(!done)",
                              R"(u && !done)", R"(half_bits\(__h)", R"(half2_bits\(__h)", R"(tex1D(fetch)?<)",
                              R"(tex2D<)", R"(product_of_halves<(8|16)>\()", R"(product_of_(bytes|doubles)\()"}) {
    unsigned kernels = 0;
    for (std::uint32_t seed = 1; seed <= kKernels; ++seed) {
      const std::string code = render(generate(seed, {.roles = true, .spins = true}), "k").code;
      kernels += std::regex_search(code, std::regex(feature)) ? 1 : 0;
    }
    EXPECT_GE(kernels, kSeveral) << feature;
  }
}

TEST(Generator, WhoCannotComeIsNotWaitedFor) {
  const std::string text = all_text({});
  EXPECT_EQ(text.find("bar_arrive("), std::string::npos);
  EXPECT_EQ(text.find("while (!done"), std::string::npos);
}

// Nodes of walks: what stands in them, with whom.
TEST(Generator, ThoseWhoWalkTogetherMeetAtNodes) {
  const std::regex together(
      R"(\(u32 left(\d+), u32 extra\1\)(?:(?!\};)[^])*?(__syncthreads\(\)|__syncwarp\(m\1\)|__shfl_\w+\(m\1|__ballot_sync\(m\1))");
  std::set<std::string> met, groups;
  for (std::uint32_t seed = 1; seed <= 4 * kKernels; ++seed) {
    const std::string code = render(generate(seed, {.scattered = seed % 2 == 0}), "k").code;
    std::smatch found;
    if (std::regex_search(code, found, together)) met.insert(found[2].str().substr(0, 7));
    for (const char* group : {"= group(t", "= scattered_group(t"}) {
      if (code.find(group) != std::string::npos) groups.insert(group);
    }
  }
  EXPECT_EQ(met.size(), 4U);
  EXPECT_EQ(groups.size(), 2U);
}

TEST(Generator, OddBlocksInThreeDimensions) {
  unsigned odd = 0;
  for (std::uint32_t seed = 1; seed <= kKernels; ++seed) {
    const auto& [x, y, z] = generate(seed, {}).shape.block;
    odd += x > 1 && y > 1 && z > 1 && x <= 7 && y <= 7 && z <= 7 && x * y * z % 32 != 0 ? 1 : 0;
  }
  EXPECT_GE(odd, kKernels / 8);
}

TEST(Generator, CollectivesCanBeLeftOut) {
  const std::string text = all_text({.collectives = false});
  for (const char* word : {"__shfl", "__ballot", "__any", "__all_sync", "__match", "__syncwarp"}) {
    EXPECT_EQ(text.find(word), std::string::npos) << word;
  }
  EXPECT_NE(text.find("__syncthreads_count"), std::string::npos);
}

TEST(Difference, NamesVariableAndThread) {
  Kernel kernel;
  kernel.shape = {{2, 1, 1}, {4, 1, 1}};
  const Expression one{Expression::Kind::kConstant, Type::kU32, 1, nullptr, {}};
  Statement statement;
  statement.expressions = {one};
  kernel.body = {statement};
  const Text text = render(kernel, "k");
  ASSERT_EQ(text.out_bytes, 32u);
  std::string expected(32, '\0'), found = expected;
  EXPECT_EQ(difference(kernel, text, expected, found), "");
  found[21] = 1;
  EXPECT_EQ(difference(kernel, text, expected, found), "u0 of thread 1 of block 1: 0x100 instead of 0x0");
  kernel.launches = 3;
  expected.resize(96), found = expected, found[64 + 16] = 2;
  EXPECT_EQ(difference(kernel, render(kernel, "k"), expected, found),
            "u0 of thread 0 of block 1 of launch 2: 0x2 instead of 0x0");
}

}  // namespace generate_test
}  // namespace warpfold::cuda_fuzz
