// SPDX-License-Identifier: Apache-2.0
// One step of mma: where PTX's fragments lie, and in what order sums are made.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "warpfold/isa/execute/matrix_step.h"

namespace warpfold::isa {
namespace matrix_step_test {

// An element at a place of A, of a tile that holds only this one and ones in B.
TEST(MatrixStep, FragmentsOfHalvesLieAsPtxSays) {
  for (unsigned row = 0; row < 16; ++row) {
    for (unsigned k = 0; k < 8; ++k) {
      MatrixTile tile;
      tile.a[row / 8][row % 8 * 4 + k / 2] = 0x3c00ULL << 16 * (k % 2);
      for (unsigned column = 0; column < 8; ++column) {
        tile.b[column * 4 + k / 2] = std::uint64_t{0x4000 + 0x10 * column} << 16 * (k % 2);  // of this k alone
      }
      multiply({}, tile);
      for (unsigned lane = 0; lane < 32; ++lane) {
        for (unsigned reg = 0; reg < 4; ++reg) {
          const bool in_row = lane / 4 + 8 * (reg / 2) == row;
          const unsigned column = lane % 4 * 2 + reg % 2;
          const float expected = in_row ? 2 + static_cast<float>(column) / 32 : 0;
          ASSERT_EQ(std::bit_cast<float>(static_cast<std::uint32_t>(tile.d[reg][lane])), expected);
        }
      }
    }
  }
}

TEST(MatrixStep, SumsInDoubleAndRoundsOnce) {
  MatrixTile tile;
  // 2^-14 · 2^-14 four times, and 1: each alone is lost in float, but not their sum with 2^-25 in C's place.
  tile.c[0][0] = std::bit_cast<std::uint32_t>(1.0F);
  for (unsigned lane = 0; lane < 4; ++lane) tile.a[0][lane] = 0x04000400, tile.b[lane] = 0x04000400;  // 2^-14
  multiply({}, tile);
  EXPECT_EQ(std::bit_cast<float>(static_cast<std::uint32_t>(tile.d[0][0])), 1.0F) << "8 · 2^-28 = 2^-25";
  for (unsigned lane = 0; lane < 4; ++lane) tile.a[0][lane] = 0x08000800, tile.b[lane] = 0x08000800;  // 2^-13
  multiply({}, tile);
  EXPECT_EQ(std::bit_cast<float>(static_cast<std::uint32_t>(tile.d[0][0])), 1.0F + 0x1p-23F) << "8 · 2^-26 = 2^-23";
}

TEST(MatrixStep, DoublesAreFusedInOrder) {
  const MatrixStep step{MatrixType::kF64, MatrixType::kF64, MatrixType::kF64, MatrixType::kF64, false, false};
  MatrixTile tile;
  double expected = 0.1;
  tile.c[1][5] = std::bit_cast<std::uint64_t>(0.1);  // row 1, column 3
  for (unsigned k = 0; k < 4; ++k) {
    const double a = 1.0 / (3 + k), b = 1e17 / (7.0 + k * k) * (k % 2 == 0 ? 1 : -1);
    tile.a[0][4 + k] = std::bit_cast<std::uint64_t>(a);
    tile.b[12 + k] = std::bit_cast<std::uint64_t>(b);
    expected = std::fma(a, b, expected);
  }
  multiply(step, tile);
  EXPECT_EQ(std::bit_cast<double>(tile.d[1][5]), expected);
}

TEST(MatrixStep, BytesWrapOrSaturate) {
  MatrixStep step{MatrixType::kS8, MatrixType::kU8, MatrixType::kS32, MatrixType::kS32, true, false};
  MatrixTile tile;
  for (unsigned lane = 0; lane < 32; ++lane) {
    tile.a[1][lane] = 0x7f7f7f7f, tile.b[lane] = 0xffffffff;
    tile.c[2][lane] = 0x7fffffff;
  }
  multiply(step, tile);
  EXPECT_EQ(static_cast<std::uint32_t>(tile.d[2][9]), 0x7fffffffU + 16 * 127 * 255);
  step.saturates = true;
  multiply(step, tile);
  EXPECT_EQ(static_cast<std::uint32_t>(tile.d[2][9]), 0x7fffffffU);
}

TEST(MatrixStep, PacksIntoAMicroOp) {
  const MatrixStep step{MatrixType::kU8, MatrixType::kS8, MatrixType::kS32, MatrixType::kS32, false, true};
  const MatrixStep same = MatrixStep::unpack(step.pack());
  EXPECT_TRUE(same.a == step.a && same.b == step.b && same.c == step.c && same.d == step.d);
  EXPECT_TRUE(!same.two_rows && same.saturates);
}

}  // namespace matrix_step_test
}  // namespace warpfold::isa
