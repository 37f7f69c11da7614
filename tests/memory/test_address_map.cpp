// SPDX-License-Identifier: Apache-2.0
// Addresses over slices and channels: by hand, and that no two addresses share a place.
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "warpfold/memory/address_map.h"

namespace warpfold {
namespace address_map_test {

TEST(AddressMap, ChunksGoRoundTheSlices) {
  const AddressMap map(256, 6);
  EXPECT_EQ(map.slice(255), 0u);
  EXPECT_EQ(map.slice(256), 1u);
  EXPECT_EQ(map.slice(6 * 256), 0u);
  EXPECT_EQ(map.local(6 * 256 + 5), 256u + 5);
  EXPECT_EQ(map.global(256 + 5, 2), 8u * 256 + 5);
}

// Twelve slices over six channels, as the GTX 480: the seventh chunk is in the first channel again, in its other slice.
TEST(AddressMap, SlicesShareChannels) {
  const AddressMap map(256, 6, 2);
  EXPECT_EQ(map.slices(), 12u);
  EXPECT_EQ(map.slice(6 * 256), 6u);
  EXPECT_EQ(map.channel_of(6), 0u);
  EXPECT_EQ(map.slice_of_channel(6 * 256), 1u);
  EXPECT_EQ(map.in_channel(6 * 256 + 7), 256u + 7);
  EXPECT_EQ(map.in_channel(12 * 256 + 7), 2u * 256 + 7);
  EXPECT_EQ(map.local(12 * 256 + 7), 256u + 7);
}

// Of chunk 64 x^6 = x + 1 remains: slice 3 of 64.
TEST(AddressMap, AHashChangesTheOrderInEachRun) {
  const AddressMap map(256, 32, 2, IndexHash::kIpoly);
  EXPECT_EQ(map.slice(5 * 256), 5u);
  EXPECT_EQ(map.slice(64 * 256), 3u);
  EXPECT_EQ(map.slice((64 + 3) * 256), 0u);
  EXPECT_EQ(map.local(64 * 256), 256u);
}

class EveryMap : public testing::TestWithParam<AddressMap> {};

TEST_P(EveryMap, SharesAreDenseAndTheWayBackIsRight) {
  const AddressMap& map = GetParam();
  const unsigned runs = 50;
  std::set<std::pair<unsigned, std::uint64_t>> in_slice, in_channel;
  for (Address chunk = 0; chunk < runs * map.slices(); ++chunk) {
    const Address at = chunk * 256 + 3;
    const unsigned slice = map.slice(at);
    ASSERT_LT(slice, map.slices());
    EXPECT_EQ(map.global(map.local(at), slice), at);
    EXPECT_LT(map.local(at), runs * 256u);
    EXPECT_LT(map.in_channel(at), runs * map.slices_per_channel() * 256u);
    in_slice.emplace(slice, map.local(at));
    in_channel.emplace(map.channel_of(slice), map.in_channel(at));
  }
  EXPECT_EQ(in_slice.size(), runs * map.slices());
  EXPECT_EQ(in_channel.size(), runs * map.slices());
}

INSTANTIATE_TEST_SUITE_P(Maps, EveryMap,
                         testing::Values(AddressMap(256, 8), AddressMap(256, 6, 2),
                                         AddressMap(256, 32, 2, IndexHash::kIpoly),
                                         AddressMap(256, 8, 1, IndexHash::kXor)));

}  // namespace address_map_test
}  // namespace warpfold
