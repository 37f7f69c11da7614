// SPDX-License-Identifier: Apache-2.0
// Cache policies: which of them are known where they are used.
#include <gtest/gtest.h>

#include "tests/isa/cache_use_of.h"

namespace warpfold::isa {
namespace cache_policy_test {

TEST(CachePolicy, OnesThatARegisterHolds) {
  const std::string load = " ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;";
  EXPECT_EQ(cache_use_of("createpolicy.fractional.L2::evict_last.b64 %rd2, 1.0;" + load).l2, Eviction::kLast);
  EXPECT_EQ(cache_use_of("createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %rd2;" + load).l2,
            Eviction::kFirst);
  EXPECT_EQ(cache_use_of("mov.b64 %rd2, 0x12F0000000000000;" + load).l2, Eviction::kFirst)
      << "as CUDA's headers have it";
  EXPECT_EQ(
      cache_use_of("createpolicy.fractional.L2::evict_last.b64 %rd2, 1.0; st.global.L2::cache_hint.u32 [%rd1], %r1, "
                   "%rd2;")
          .l2,
      Eviction::kLast);
}

TEST(CachePolicy, OnesThatAreNotKnownSayNothing) {
  const std::string load = " ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;";
  EXPECT_EQ(cache_use_of("mov.b64 %rd2, %rd3;" + load).l2, Eviction::kNormal);
  EXPECT_EQ(cache_use_of(load).l2, Eviction::kNormal);
  EXPECT_EQ(cache_use_of("mov.b64 %rd2, 7;" + load).l2, Eviction::kNormal);
  EXPECT_EQ(cache_use_of("@%p1 createpolicy.fractional.L2::evict_last.b64 %rd2, 1.0;" + load).l2, Eviction::kNormal);
  EXPECT_EQ(cache_use_of("createpolicy.fractional.L2::evict_last.b64 %rd2, 1.0;"
                         "createpolicy.fractional.L2::evict_first.b64 %rd2, 1.0;" +
                         load)
                .l2,
            Eviction::kNormal);
}

}  // namespace cache_policy_test
}  // namespace warpfold::isa
