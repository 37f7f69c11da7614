// SPDX-License-Identifier: Apache-2.0
// What loads, stores, copies and prefetches say to the caches.
#include <gtest/gtest.h>

#include "tests/isa/cache_use_of.h"

namespace warpfold::isa {
namespace decode_memory_test {

TEST(CacheUse, OperatorsOfLoadsAndStores) {
  EXPECT_FALSE(cache_use_of("ld.global.ca.u32 %r1, [%rd1];").past_l1);
  EXPECT_TRUE(cache_use_of("ld.global.cg.u32 %r1, [%rd1];").past_l1);
  EXPECT_TRUE(cache_use_of("ld.global.cv.u32 %r1, [%rd1];").past_l1);
  EXPECT_TRUE(cache_use_of("st.global.cg.u32 [%rd1], %r1;").past_l1);
  EXPECT_FALSE(cache_use_of("st.global.wb.u32 [%rd1], %r1;").past_l1);
  EXPECT_FALSE(cache_use_of("st.global.wt.u32 [%rd1], %r1;").past_l1);
  const CacheUse streamed = cache_use_of("ld.global.cs.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];");
  EXPECT_EQ(streamed.l1, Eviction::kFirst);
  EXPECT_EQ(streamed.l2, Eviction::kFirst);
  EXPECT_FALSE(streamed.last_use || streamed.past_l1);
  EXPECT_TRUE(cache_use_of("ld.local.lu.u32 %r1, [%rd1];").last_use);
}

TEST(CacheUse, PrioritiesOfEachLevel) {
  EXPECT_EQ(cache_use_of("ld.global.L1::evict_last.u32 %r1, [%rd1];").l1, Eviction::kLast);
  EXPECT_EQ(cache_use_of("ld.global.L1::evict_last.u32 %r1, [%rd1];").l2, Eviction::kNormal);
  EXPECT_EQ(cache_use_of("ld.global.L1::evict_unchanged.u32 %r1, [%rd1];").l1, Eviction::kUnchanged);
  EXPECT_TRUE(cache_use_of("ld.global.nc.L1::no_allocate.L2::128B.u32 %r1, [%rd1];").takes_no_line);
  EXPECT_EQ(cache_use_of("ld.global.nc.L1::no_allocate.L2::128B.u32 %r1, [%rd1];").l2_bytes, 128);
  EXPECT_EQ(cache_use_of("ld.global.L2::64B.u32 %r1, [%rd1];").l2_bytes, 64);
  EXPECT_EQ(cache_use_of("ld.global.L1::evict_first.L2::evict_last.u32 %r1, [%rd1];").l2, Eviction::kLast);
}

TEST(CacheUse, AnL1IsNotAskedForWhatOtherBlocksMayHaveWritten) {
  EXPECT_TRUE(cache_use_of("ld.volatile.global.u32 %r1, [%rd1];").past_l1);
  EXPECT_TRUE(cache_use_of("ld.relaxed.gpu.global.u32 %r1, [%rd1];").past_l1);
  EXPECT_TRUE(cache_use_of("ld.acquire.sys.global.u32 %r1, [%rd1];").past_l1);
  EXPECT_FALSE(cache_use_of("ld.relaxed.cta.global.u32 %r1, [%rd1];").past_l1);
  EXPECT_FALSE(cache_use_of("ld.weak.global.u32 %r1, [%rd1];").past_l1);
}

TEST(CacheUse, Prefetches) {
  const CacheUse l1 = cache_use_of("prefetch.global.L1 [%rd1];"), l2 = cache_use_of("prefetch.L2 [%rd1];");
  EXPECT_TRUE(l1.prefetch && !l1.past_l1);
  EXPECT_TRUE(l2.prefetch && l2.past_l1);
  EXPECT_TRUE(cache_use_of("prefetchu.L1 [%rd1];").prefetch);
  EXPECT_EQ(cache_use_of("prefetch.global.L2::evict_last [%rd1];").l2, Eviction::kLast);
  EXPECT_NE(decode_error(kernel_text("prefetch.shared.L1 [box]; ret;")), "");
  EXPECT_NE(decode_error(kernel_text("prefetch.global.L3 [%rd1]; ret;")), "");
}

TEST(CacheUse, CopiesReadAsTheySay) {
  const CacheUse use = cache_use_of("cp.async.cg.shared.global.L2::128B [box], [%rd1], 16;");
  EXPECT_TRUE(use.past_l1);
  EXPECT_EQ(use.l2_bytes, 128);
  EXPECT_FALSE(cache_use_of("cp.async.ca.shared.global [box], [%rd1], 16;").past_l1);
}

}  // namespace decode_memory_test
}  // namespace warpfold::isa
