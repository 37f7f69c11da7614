// SPDX-License-Identifier: Apache-2.0
// Logic on other nodes: published factors, monotone between and beyond them.
#include <gtest/gtest.h>

#include "warpfold/area/scaling.h"

namespace warpfold::area {
namespace scaling_test {

constexpr Library kOsu018{180, 0.0992, 24}, kOpen45{45, 0.022, 0.798};

TEST(Scaling, ALibraryOfTheNodeIsTakenAsItIs) {
  EXPECT_EQ(fo4_ns(kOpen45, {45}), Range(0.022));
  EXPECT_EQ(nand2_um2(kOpen45, {45}), Range(0.798));
}

TEST(Scaling, WhatIsKnownOfTheProcessIsTakenAsItIs) {
  EXPECT_EQ(fo4_ns(kOsu018, {40, 16, 0.7}), Range(0.016));
  EXPECT_EQ(nand2_um2(kOsu018, {40, 16, 0.7}), Range(0.7));
}

TEST(Scaling, ElseTheLibrarysOwnInProportionAndThePublishedAreTheEnds) {
  const Range fo4 = fo4_ns(kOsu018, {45});
  EXPECT_NEAR(fo4.low, 0.0125, 1e-4);
  EXPECT_DOUBLE_EQ(fo4.high, 0.0992 / 4);
  const Range nand2 = nand2_um2(kOsu018, {45});
  EXPECT_NEAR(nand2.low, 0.798, 1e-9);
  EXPECT_DOUBLE_EQ(nand2.high, 1.5);
}

// Stillmaker and Baas: polynomials of the voltage, here at the nominal one of the node.
TEST(Scaling, DelayGoesByThePublishedPolynomials) {
  const auto cubic = [](double v, double a3, double a2, double a1, double a0) {
    return 1e-3 * (((a3 * v + a2) * v + a1) * v + a0);
  };
  EXPECT_NEAR(published_fo4_ns(180), cubic(1.8, 0, 97.09, -356.7, 406.5), 1e-4);
  EXPECT_NEAR(published_fo4_ns(130), cubic(1.3, -76.65, 334.9, -493.4, 275.8), 1e-4);
  EXPECT_NEAR(published_fo4_ns(90), cubic(1.2, -60.34, 262.5, -384.2, 210.9), 1e-4);
  EXPECT_NEAR(published_fo4_ns(65), cubic(1.1, -53.3, 230.4, -333.9, 178.6), 1e-4);
  EXPECT_NEAR(published_fo4_ns(45), cubic(1.0, -501.6, 1567, -1619, 566.1), 1e-4);
  EXPECT_NEAR(published_fo4_ns(32), cubic(0.9, -1047, 2982, -2797, 873.5), 1e-4);
}

TEST(Scaling, DelayIsMonotone) {
  for (double node = 7; node < 500; ++node) EXPECT_LT(published_fo4_ns(node), published_fo4_ns(node + 1)) << node;
  EXPECT_DOUBLE_EQ(published_fo4_ns(16), published_fo4_ns(32) / 2);
  EXPECT_DOUBLE_EQ(published_fo4_ns(360), 2 * published_fo4_ns(180));
}

TEST(Scaling, RangesAddAndCombine) {
  EXPECT_EQ(Range(1, 2) + 3.0, Range(4, 5));
  EXPECT_EQ(2 * Range(1, 2), Range(2, 4));
  EXPECT_EQ(1 / Range(2, 4), Range(0.25, 0.5));
  EXPECT_EQ(max(Range(1, 5), Range(2, 3)), Range(2, 5));
  EXPECT_EQ(either(Range(1, 2), Range(3, 4)), Range(1, 4));
  EXPECT_DOUBLE_EQ(Range(1, 4).middle(), 2);
  EXPECT_DOUBLE_EQ(Range(-1, 2).middle(), 0.5);
  // What makes one slow makes the other slow.
  EXPECT_EQ(together({1, 2}, {2, 4}, [](double a, double b) { return a / b; }), Range(0.5));
}

TEST(Scaling, FindsTheNodeOfALibrary) {
  EXPECT_EQ(node_of_library("osu018_stdcells", 24), 180);
  EXPECT_EQ(node_of_library("osu035", 72), 350);
  EXPECT_EQ(node_of_library("osu05_stdcells", 216), 500);
  EXPECT_EQ(node_of_library("NangateOpenCellLibrary_45nm_typical", 0.798), 45);
  EXPECT_EQ(node_of_library("sky130_fd_sc_hd__tt_025C_1v80", 3.75), 130);
  EXPECT_EQ(node_of_library("library my_45.lib", 0.798), 45);
  // No node in the name, or one that the cells are too large or too small for.
  EXPECT_NEAR(node_of_library("library", 0.798), 45, 1);
  EXPECT_NEAR(node_of_library("v2 of 2021", 0.798), 45, 1);
  EXPECT_NEAR(node_of_library("cells_7", 24), 245, 1);
  EXPECT_NEAR(node_of_library("cells_180", 0.798), 45, 1);
}

}  // namespace scaling_test
}  // namespace warpfold::area
