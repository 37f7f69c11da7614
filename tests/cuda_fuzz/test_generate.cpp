// SPDX-License-Identifier: Apache-2.0
// What the generated kernels cover; that they agree with the model is the campaign's business.
#include <gtest/gtest.h>

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
                           ", 8)",
                           "dim3(1024, 1, 1)",
                           "dim3(32, 8, 4)",
                           "dim3(2, 1, 2)"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word;
  }
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
}

}  // namespace generate_test
}  // namespace warpfold::cuda_fuzz
