// SPDX-License-Identifier: Apache-2.0
// What the load/store unit reads and writes for texture fetches and surface accesses.
#include "tests/core/load_store_fixture.h"

namespace warpfold {
namespace load_store_unit_textures_test {

// A linear fetch of two lanes, one of which finds the border for half of its texels; then one that reads nothing at
// all.
TEST_F(LoadStoreUnitTest, TextureFetchesReadTheLinesOfTheirTexels) {
  params.lsu_queue_entries = 8;
  issue_at(0, {.space = Space::kTexture,
               .executed = 0b11,
               .image = true,
               .texels = {{0x100, 4}, {0x104, 4}, {0x180, 4}, {0x184, 4}, {0x108, 4}, {0x188, 4}}});
  issue_at(1, {.space = Space::kTexture, .executed = 0b11, .image = true}, 1);
  issue_at(2, {.kind = Kind::kStore, .executed = 1, .image = true, .texels = {{0x200, 16}}}, 2);
  run(60);
  ASSERT_EQ(accesses(texture).size(), 2u);
  EXPECT_EQ(texture.seen[0].payload.line, 0x100u);
  EXPECT_EQ(texture.seen[0].payload.bytes, 12u);
  EXPECT_EQ(texture.seen[0].payload.mask, byte_range(0, 12));
  EXPECT_EQ(texture.seen[1].payload.line, 0x180u);
  ASSERT_EQ(accesses(data).size(), 1u);
  EXPECT_EQ(data.seen[0].payload.kind, CacheAccess::Kind::kStore);
  EXPECT_EQ(done.seen.size(), 3u);
  EXPECT_TRUE(unit.idle());
  EXPECT_EQ(stat("line_accesses"), 3u);
  EXPECT_EQ(stat("stall_coalescing"), 1u);
}

}  // namespace load_store_unit_textures_test
}  // namespace warpfold
