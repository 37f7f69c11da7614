// SPDX-License-Identifier: Apache-2.0
// Golden vectors of a model.
#include <algorithm>

#include "tb/cosim/record/vectors.h"
#include "tests/cosim/rtl_fixture.h"
#include "warpfold/common/files/whole_file.h"

namespace warpfold::cosim {
namespace vectors_test {

class VectorsTest : public RtlTest {
 protected:
  std::vector<std::string> lines(const std::string& name) const {
    std::ifstream in(directory / name);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
};

// A line has what a clock registers, and what was read in it.
TEST_F(VectorsTest, ALineForEachClock) {
  {
    RtlModel model(counter(), "core0.count", 1);
    model.keep_vectors(directory / "out", 1000);
    for (const unsigned step : {3U, 5U, 0U}) {
      model.pin("step_i").set(step);
      model.pin("short_i").set(0x1abc);
      model.clock(0);
    }
  }
  const auto rows = lines("out/vectors.csv");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_TRUE(rows[0].starts_with("clock,step_i,short_i,quad_i,wide_i,say_i,count_o,count_o_mask,next_o,")) << rows[0];
  const std::string zeros(25, '0');
  EXPECT_TRUE(rows[1].starts_with("0,03,1abc,000000000000000," + zeros + ",0,00,ff,03,ff,0543,1fff,")) << rows[1];
  EXPECT_TRUE(rows[2].starts_with("1,05,1abc,000000000000000," + zeros + ",0,03,ff,08,ff,0543,1fff,")) << rows[2];
  EXPECT_TRUE(rows[3].starts_with("2,00,1abc,000000000000000," + zeros + ",0,08,ff,08,ff,0543,1fff,")) << rows[3];
  EXPECT_TRUE(rows[3].ends_with(",00000000,00000000")) << "what registers start with does not count: " << rows[3];
}

TEST_F(VectorsTest, AnOutputMeansSomethingWhileTheValidOfItsChannelIsHigh) {
  const std::vector<RtlPort> ports{{"op_valid_i"},           {"op_ready_o", 1, true},  {"done_valid_o", 1, true},
                                   {"res_lanes_o", 8, true}, {"mem_valid_o", 1, true}, {"mem_data_o", 8, true}};
  EXPECT_EQ(valid_of(ports[1], ports), "");
  EXPECT_EQ(valid_of(ports[2], ports), "");
  EXPECT_EQ(valid_of(ports[3], ports), "done_valid_o");
  EXPECT_EQ(valid_of(ports[5], ports), "mem_valid_o");
  EXPECT_EQ(valid_of(ports[3], {ports[0], ports[3]}), "");
}

TEST_F(VectorsTest, AFolderThatCannotBeMade) {
  std::ofstream(directory / "file") << "\n";
  RtlModel model(counter(), "count", 1);
  EXPECT_THROW(model.keep_vectors(directory / "file", 1000), WriteError);
}

}  // namespace vectors_test
}  // namespace warpfold::cosim
