// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "warpfold/isa/kernel_name.h"

namespace warpfold::isa {
namespace kernel_name_test {

TEST(KernelName, IsThatOfThePtxOrOfTheSource) {
  EXPECT_TRUE(is_named("sort", "sort"));
  EXPECT_TRUE(is_named("_Z4sortPi", "sort"));
  EXPECT_FALSE(is_named("_Z8resortedPi", "sort"));
  EXPECT_FALSE(is_named("sorted", "sort"));
  EXPECT_FALSE(is_named("_Z4sortPi", ""));
}

TEST(KernelName, OneOfSeveral) {
  EXPECT_TRUE(is_among("_Z4sortPi", "scan,sort"));
  EXPECT_TRUE(is_among("_Z4scanPi", "scan,sort"));
  EXPECT_FALSE(is_among("_Z5mergePi", "scan,sort"));
  EXPECT_FALSE(is_among("_Z4sortPi", ""));
}

}  // namespace kernel_name_test
}  // namespace warpfold::isa
