// SPDX-License-Identifier: Apache-2.0
// Tables of points: what is read, what is written back, and what is no table.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "warpfold/area/points.h"
#include "warpfold/common/error.h"

namespace warpfold::area {
namespace points_test {

class Points : public testing::Test {
 protected:
  ~Points() override { std::remove(path_.c_str()); }
  PointTable read(const std::string& text) const {
    std::ofstream(path_) << text;
    return read_points(path_);
  }
  std::string complaint(const std::string& text) const {
    try {
      read(text);
    } catch (const UserError& error) {
      const std::string what = error.what();
      EXPECT_TRUE(what.starts_with(path_)) << what;
      return what.substr(path_.size());
    }
    return "none";
  }
  const std::string path_ =
      testing::TempDir() + "points_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
};

constexpr const char* kHeader = "structure,node_nm,bytes,row_bits,assoc,banks,rw_ports,r_ports,w_ports\n";

TEST_F(Points, AreReadInAnyOrderOfColumns) {
  const PointTable table = read(
      "row_bits,structure,area_mm2,bytes,banks,assoc,node_nm,w_ports,r_ports,rw_ports\r\n"
      "64,cache_seq,0.5,4096,2,4,28.5,3,2,1\r\n"
      "\r\n"
      "  8 , cam,, 64,1,0,90,0,0,1\n");
  ASSERT_EQ(table.points.size(), 2U);
  const Storage& cache = table.points[0].storage;
  EXPECT_EQ(cache.kind, Kind::kCacheSequential);
  EXPECT_EQ(cache.node_nm, 28.5);
  EXPECT_EQ(cache.bytes, 4096);
  EXPECT_EQ(cache.row_bits, 64);
  EXPECT_EQ(cache.ways, 4);
  EXPECT_EQ(cache.banks, 2);
  EXPECT_EQ(cache.read_write_ports, 1);
  EXPECT_EQ(cache.read_ports, 2);
  EXPECT_EQ(cache.write_ports, 3);
  EXPECT_EQ(table.number(table.points[0], "area_mm2"), 0.5);
  EXPECT_EQ(table.points[1].storage.kind, Kind::kCam);
  EXPECT_EQ(table.points[1].line, 4U);
}

TEST_F(Points, AreWrittenBackWithTheModelBehindThem) {
  const PointTable table = read("note," + std::string(kHeader) + "mine,ram,40,1024,32,1,1,1,0,0\n");
  const Cost model = cost(table.points[0].storage);
  EXPECT_EQ(
      table.with_model(),
      "note,structure,node_nm,bytes,row_bits,assoc,banks,rw_ports,r_ports,w_ports,model_area_mm2,model_access_ns\n"
      "mine,ram,40,1024,32,1,1,1,0,0," +
          fmt::format("{:.6g},{:.6g}\n", model.area_mm2, model.access_ns));
}

TEST_F(Points, MalformedTablesAreRefusedWithThePlace) {
  const std::string header = kHeader;
  EXPECT_EQ(complaint(""), ":1:1: empty; the first line must name the columns");
  EXPECT_EQ(complaint(header), ":1:1: the table has no points");
  EXPECT_EQ(complaint("structure,node_nm\nram,40\n"), ":1:1: no column 'bytes' in the header");
  EXPECT_EQ(complaint("bytes," + header), ":1:1: two columns 'bytes'");
  EXPECT_EQ(complaint(header + "ram,40,1024,32,1,1,1,0,0\nrma,40,1024,32,1,1,1,0,0\n"),
            ":3:1: no structure 'rma': did you mean 'ram'?");
  EXPECT_EQ(complaint(header + "ram,40,1024\n"), ":2:8: 3 cells, where the header names 9 columns");
  EXPECT_EQ(complaint(header + "ram,40,1024,32,1,1,1,0,0,7\n"), ":2:24: 10 cells, where the header names 9 columns");
  EXPECT_EQ(complaint(header + "ram,40,1k,32,1,1,1,0,0\n"), ":2:8: bytes '1k': not a number");
  EXPECT_EQ(complaint(header + "ram,40,,32,1,1,1,0,0\n"), ":2:8: bytes '': not a number");
  EXPECT_EQ(complaint(header + "ram,40,1024,nan,1,1,1,0,0\n"), ":2:13: row_bits 'nan': not a number");
  EXPECT_EQ(complaint(header + "ram,40,1024, -8,1,1,1,0,0\n"), ":2:14: row_bits = -8: must be at least 1");
  EXPECT_EQ(complaint(header + "ram,7,1024,8,1,1,1,0,0\n"), ":2:5: node_nm = 7: must be at least 22");
  EXPECT_EQ(complaint(header + "ram,180,1024,8,1,1,1,0,0\n"), ":2:1: ram: node 180 nm: must be in [22, 90] nm");
  EXPECT_EQ(complaint(header + "ram,40,1024,8,1,1,0,0,0\n"), ":2:1: ram: must have at least one port");
  EXPECT_EQ(complaint(header + "cache,40,64,512,4,1,1,0,0\n"),
            ":2:1: cache: 64 bytes are too few for 4 ways of 512 bits");
  EXPECT_EQ(complaint(header + "cache,40,64,512,0,1,1,0,0\n"), ":2:1: cache: 0 ways: must be at least 1");
}

TEST_F(Points, AFileThatIsNotThereIsRefused) {
  EXPECT_THROW(read_points("/nonexistent/grid.csv"), UserError);
  EXPECT_THROW(read_points("/"), UserError);
}

}  // namespace points_test
}  // namespace warpfold::area
