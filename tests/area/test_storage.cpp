// SPDX-License-Identifier: Apache-2.0
// The formulas behave as storage does, within the fitted range and beyond it: more of anything is never smaller.
#include <gtest/gtest.h>

#include "warpfold/area/storage.h"
#include "warpfold/area/terms.h"

namespace warpfold::area {
namespace storage_test {

Storage ram(double bytes, double row_bits) { return {.bytes = bytes, .row_bits = row_bits}; }

// `kind` with each size in turn: bytes, from tiny to far beyond the grid.
class OfEveryKind : public testing::TestWithParam<Kind> {
 protected:
  static Storage storage(double bytes, double row_bits) {
    return {.kind = GetParam(), .bytes = bytes, .row_bits = row_bits};
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, OfEveryKind,
                         testing::Values(Kind::kRam, Kind::kCache, Kind::kCacheSequential, Kind::kCam,
                                         Kind::kFullyAssociative),
                         [](const auto& one) { return kKindNames[static_cast<std::size_t>(one.param)]; });

TEST_P(OfEveryKind, MoreBytesAreLargerSlowerAndTakeMoreEnergy) {
  for (const double row_bits : {8.0, 32.0, 128.0, 512.0}) {
    for (double bytes = row_bits * 2; bytes < 8 << 20; bytes *= 2) {
      const Cost small = formula_cost(storage(bytes, row_bits)), large = formula_cost(storage(2 * bytes, row_bits));
      EXPECT_GT(large.area_mm2, small.area_mm2) << bytes;
      EXPECT_GT(large.access_ns, small.access_ns) << bytes;
      EXPECT_GT(large.read_nj, small.read_nj) << bytes;
      EXPECT_LT(large.area_mm2, 3.2 * small.area_mm2) << bytes;
      EXPECT_LT(large.access_ns, 3.2 * small.access_ns) << bytes;
    }
  }
}

TEST(Storage, WiderRowsOfSmallArraysAreLarger) {
  for (double row_bits = 32; row_bits < 1024; row_bits *= 2) {
    EXPECT_GT(formula_cost(ram(2048, 2 * row_bits)).area_mm2, formula_cost(ram(2048, row_bits)).area_mm2) << row_bits;
    EXPECT_GT(formula_cost(ram(2048, 2 * row_bits)).read_nj, formula_cost(ram(2048, row_bits)).read_nj) << row_bits;
  }
}

TEST_P(OfEveryKind, MorePortsAreLarger) {
  for (const double bytes : {64.0, 1024.0, 65536.0}) {
    Storage one = storage(bytes, 32), two = one, four = one;
    two.read_ports = 1;
    four.read_ports = 2;
    four.write_ports = 1;
    EXPECT_GT(formula_cost(two).area_mm2, 1.3 * formula_cost(one).area_mm2) << bytes;
    EXPECT_GT(formula_cost(four).area_mm2, 1.3 * formula_cost(two).area_mm2) << bytes;
    EXPECT_GT(formula_cost(two).access_ns, formula_cost(one).access_ns) << bytes;
  }
}

TEST_P(OfEveryKind, NodesScale) {
  for (double node = kSmallestNode; node < kLargestNode; node += 1) {
    Storage finer = storage(4096, 32), coarser = finer;
    finer.node_nm = node;
    coarser.node_nm = node + 1;
    EXPECT_GT(formula_cost(coarser).access_ns, formula_cost(finer).access_ns) << node;
    EXPECT_GT(formula_cost(coarser).read_nj, formula_cost(finer).read_nj) << node;
    EXPECT_NEAR(formula_cost(coarser).area_mm2 / formula_cost(finer).area_mm2, (node + 1) * (node + 1) / (node * node),
                1e-9);
  }
}

TEST(Storage, MoreBanksAreLargerAndCloserToTheirData) {
  double area = 0, data = 1e9;
  for (const double banks : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0}) {
    Storage banked = ram(32768, 128);
    banked.banks = banks;
    EXPECT_GT(formula_cost(banked).area_mm2, area) << banks;
    area = formula_cost(banked).area_mm2;
    EXPECT_LT(bank_of(banked).bits, data) << banks;
    data = bank_of(banked).bits;
  }
}

// Lanes with an address each bring the same data to the same place as a row does: what decodes is added.
TEST(Storage, PartsWithAddressesOfTheirOwnAreNeverFree) {
  for (const double bytes : {1024.0, 8192.0, 65536.0}) {
    for (const double row_bits : {128.0, 256.0, 512.0}) {
      Storage lanes = ram(bytes, row_bits);
      double area = formula_cost(lanes).area_mm2;
      for (lanes.addresses = 2; lanes.addresses <= row_bits / 32; lanes.addresses *= 2) {
        const double more = formula_cost(lanes).area_mm2;
        EXPECT_GT(more, area) << bytes << " " << row_bits;
        EXPECT_LT(more, 1.5 * area) << bytes << " " << row_bits;
        EXPECT_GT(cost(lanes).area_mm2, cost(ram(bytes, row_bits)).area_mm2);
        area = more;
      }
    }
  }
}

TEST(Storage, MoreWaysAreLargerAndSlower) {
  Storage cache{.kind = Kind::kCache, .bytes = 32768, .row_bits = 512};
  Cost fewer = formula_cost(cache);
  for (const double ways : {2.0, 4.0, 8.0, 16.0}) {
    cache.ways = ways;
    const Cost more = formula_cost(cache);
    EXPECT_GT(more.area_mm2, fewer.area_mm2) << ways;
    EXPECT_GT(more.access_ns, fewer.access_ns) << ways;
    EXPECT_GT(more.read_nj, fewer.read_nj) << ways;
    fewer = more;
  }
  // Tags first: slower than one way at once, but only one way's data is read.
  Storage sequential = cache;
  sequential.kind = Kind::kCacheSequential;
  EXPECT_LT(formula_cost(sequential).area_mm2, formula_cost(cache).area_mm2);
  EXPECT_LT(formula_cost(sequential).read_nj, formula_cost(cache).read_nj);
}

TEST(Storage, ComparedBitsCostMoreThanStoredOnes) {
  const Storage cam{.kind = Kind::kCam, .bytes = 1024, .row_bits = 32};
  EXPECT_GT(formula_cost(cam).area_mm2, 2 * formula_cost(ram(1024, 32)).area_mm2);
  Storage table = cam;
  table.kind = Kind::kFullyAssociative;  // 32-bit tags beside the same data
  EXPECT_GT(formula_cost(table).area_mm2, formula_cost(cam).area_mm2);
  EXPECT_GT(formula_cost(table).access_ns, formula_cost(cam).access_ns);
}

// Small structures are what mechanisms add: around their cells there is more than in them.
TEST(Storage, SmallStructuresAreSane) {
  for (const double bytes : {16.0, 32.0, 64.0, 128.0}) {
    for (const double row_bits : {4.0, 8.0, 32.0}) {
      const double cells = 8 * bytes * 146 * 40e-6 * 40e-6, area = formula_cost(ram(bytes, row_bits)).area_mm2;
      EXPECT_GT(area, 1.2 * cells) << bytes << " " << row_bits;
      EXPECT_LT(area, 10 * cells) << bytes << " " << row_bits;
      EXPECT_GT(formula_cost(ram(bytes, row_bits)).access_ns, 0.05);
      EXPECT_LT(formula_cost(ram(bytes, row_bits)).access_ns, 0.2);
    }
  }
}

TEST(Storage, LargeStructuresAreSane) {
  const double bytes = 4 << 20, cells = 8 * bytes * 146 * 45e-6 * 45e-6;
  Storage large = ram(bytes, 512);
  large.node_nm = 45;
  EXPECT_GT(formula_cost(large).area_mm2, 1.2 * cells);
  EXPECT_LT(formula_cost(large).area_mm2, 3 * cells);
  EXPECT_GT(formula_cost(large).access_ns, 2);
  EXPECT_LT(formula_cost(large).access_ns, 8);
}

TEST(Storage, SaysWhatItCannotCost) {
  const auto with = [](auto change) {
    Storage storage = ram(1024, 32);
    change(storage);
    return why_not(storage);
  };
  EXPECT_EQ(with([](Storage&) {}), "");
  EXPECT_EQ(with([](Storage& s) { s.node_nm = 14; }), "node 14 nm: must be in [22, 90] nm");
  EXPECT_EQ(with([](Storage& s) { s.bytes = 0; }), "bytes and row bits must be more than 0");
  EXPECT_EQ(with([](Storage& s) { s.bytes = 1e12; }), "1000000000000 bytes: must be at most 1073741824");
  EXPECT_EQ(with([](Storage& s) { s.banks = 0; }), "0 banks: must be at least 1");
  EXPECT_EQ(with([](Storage& s) { s.addresses = 64; }), "64 addresses of a row of 32 bits");
  EXPECT_EQ(with([](Storage& s) { s.read_write_ports = 0; }), "must have at least one port");
  EXPECT_EQ(with([](Storage& s) { s.row_bits = 16384; }), "1024 bytes are too few for 1 banks of 16384 bits");
  EXPECT_EQ(with([](Storage& s) {
              s.kind = Kind::kCache;
              s.ways = 512;
            }),
            "1024 bytes are too few for 512 ways of 32 bits");
  EXPECT_EQ(with([](Storage& s) {
              s.kind = Kind::kCam;
              s.row_bits = 9000;
            }),
            "holds less than one entry");
}

}  // namespace storage_test
}  // namespace warpfold::area
