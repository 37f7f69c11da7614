// SPDX-License-Identifier: Apache-2.0
// The table of blocks.
#include <algorithm>
#include <set>

#include "tb/cosim/blocks.h"
#include "tests/cosim/rtl_fixture.h"

namespace warpfold::cosim {
namespace blocks_test {

using BlocksTest = RtlTest;

unsigned bits_of(const RtlSource& source, const std::string& port) {
  const auto found = std::find_if(source.ports.begin(), source.ports.end(),
                                  [&](const RtlPort& candidate) { return candidate.name == port; });
  return found == source.ports.end() ? 0 : found->bits;
}

TEST_F(BlocksTest, PortsFollowTheParameters) {
  const RtlSource source = rtl_source("compactor", {{"Lanes", 16}, {"Rows", 24}});
  EXPECT_EQ(source.top, "thread_compactor");
  EXPECT_TRUE(source.files.back().ends_with("/rtl/thread_compactor.sv"));
  EXPECT_EQ(bits_of(source, "req_threads_i"), 16U * 24);
  EXPECT_EQ(bits_of(source, "warp_row_o"), 16U * 5);
  EXPECT_EQ(bits_of(rtl_source("adequacy", {{"Rows", 8}}), "res_count_o"), 4U);
  EXPECT_EQ(bits_of(rtl_source("swizzle", {{"Lanes", 16}, {"Width", 16}}), "set_quad_o"), 16U)
      << "one quad has an index";
  EXPECT_THROW(rtl_source("compactor", {{"Lines", 16}}), InternalError);
}

TEST_F(BlocksTest, IndexWidthsAreThoseOfTheRtl) {
  EXPECT_EQ(index_width(1), 1U);
  EXPECT_EQ(index_width(2), 1U);
  EXPECT_EQ(index_width(3), 2U);
  EXPECT_EQ(index_width(32), 5U);
  EXPECT_EQ(index_width(33), 6U);
}

TEST_F(BlocksTest, PortsAreNamedOnceAndByTheRules) {
  for (const RtlBlock& block : rtl_blocks()) {
    std::set<std::string> names;
    for (const RtlPort& port : block.ports(block.parameters)) {
      EXPECT_TRUE(names.insert(port.name).second) << port.name;
      EXPECT_EQ(port.output, port.name.ends_with("_o")) << port.name;
      EXPECT_TRUE(port.name.ends_with("_o") || port.name.ends_with("_i") || port.name.ends_with("_ni")) << port.name;
    }
  }
}

TEST_F(BlocksTest, AnUnknownBlock) {
  EXPECT_EQ(complaint([] { rtl_block("compacter"); }),
            "--rtl: there is no block 'compacter': did you mean 'compactor'?");
  EXPECT_NE(
      complaint([] {
        rtl_block("scheduler");
      }).find("compactor, adequacy, sorter, swizzle, operand-crossbar, result-crossbar, stack, barriers, pool, packer"),
      std::string::npos);
}

TEST_F(BlocksTest, AUsersFileThatIsNotThere) {
  EXPECT_EQ(complaint([] { build_rtl(rtl_source("compactor", {}, "my.sv")); }),
            "compactor: my.sv: there is no such file");
}

}  // namespace blocks_test
}  // namespace warpfold::cosim
