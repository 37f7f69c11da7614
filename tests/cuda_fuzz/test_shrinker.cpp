// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/cuda_fuzz/shrinker.h"
#include "tests/cuda_fuzz/text/render.h"

namespace warpfold::cuda_fuzz {
namespace shrinker_test {

// Fails whatever has `word` in its text.
Fails with_word(const std::string& word, unsigned* asked = nullptr) {
  return [word, asked](const std::vector<Kernel>& kernels) {
    if (asked != nullptr) ++*asked;
    std::vector<bool> fails;
    for (const Kernel& kernel : kernels) fails.push_back(render(kernel, "k").code.find(word) != std::string::npos);
    return fails;
  };
}

Kernel first_with(const std::string& word) {
  for (std::uint32_t seed = 0;; ++seed) {
    Kernel kernel = generate(seed, {});
    if (kernel.statements() > 8 && render(kernel, "k").code.find(word) != std::string::npos) return kernel;
  }
}

TEST(Shrinker, LeavesOneStatementAndOneThread) {
  for (const char* word :
       {"__brev", "__shfl_down_sync", "atomicCAS", "make_float2", "do {", "self(self", "]->go(left"}) {
    const Kernel small = shrink(first_with(word), with_word(word), 1000);
    EXPECT_EQ(small.statements(), 1u) << word << render(small, "k").code;
    EXPECT_EQ(small.shape.threads(), 1u) << word;
  }
}

TEST(Shrinker, LaunchesOnceWhatFailsSo) {
  Kernel kernel = first_with("__brev");
  kernel.launches = 6;
  EXPECT_EQ(shrink(kernel, with_word("__brev"), 1000).launches, 1U);
  EXPECT_EQ(shrink(kernel, with_word("Launches: 6"), 1000).launches, 6U);
}

TEST(Shrinker, KeepsTheFunctionThatFails) {
  const Kernel small = shrink(first_with("return t * 7;"), with_word("return t * 7;"), 1000);
  EXPECT_LE(small.statements(), 2u) << render(small, "k").code;
  EXPECT_LE(small.functions.size(), 3u);
}

TEST(Shrinker, StopsAtItsLimit) {
  unsigned asked = 0;
  const Kernel kernel = first_with("__brev");
  shrink(kernel, with_word("__brev", &asked), 3);
  EXPECT_EQ(asked, 3u);
}

TEST(Shrinker, ReturnsWhatCannotShrink) {
  Kernel kernel;
  kernel.shape = {{1, 1, 1}, {1, 1, 1}};
  unsigned asked = 0;
  EXPECT_EQ(shrink(kernel, with_word("never", &asked), 10).statements(), 0u);
  EXPECT_EQ(asked, 0u);
}

}  // namespace shrinker_test
}  // namespace warpfold::cuda_fuzz
