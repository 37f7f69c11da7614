// SPDX-License-Identifier: Apache-2.0
// Logic on other nodes: published factors, monotone between and beyond them.
#include <gtest/gtest.h>

#include "warpfold/area/scaling.h"

namespace warpfold::area {
namespace {

TEST(Scaling, AreaGoesWithTheSquare) {
  EXPECT_DOUBLE_EQ(area_factor(180, 90), 0.25);
  EXPECT_DOUBLE_EQ(area_factor(40, 40), 1);
}

// Stillmaker and Baas: polynomials of the voltage, here at the nominal one of the node.
TEST(Scaling, DelayGoesByThePublishedPolynomials) {
  const auto cubic = [](double v, double a3, double a2, double a1, double a0) {
    return ((a3 * v + a2) * v + a1) * v + a0;
  };
  const double at_180 = cubic(1.8, 0, 97.09, -356.7, 406.5), at_130 = cubic(1.3, -76.65, 334.9, -493.4, 275.8);
  const double at_90 = cubic(1.2, -60.34, 262.5, -384.2, 210.9), at_65 = cubic(1.1, -53.3, 230.4, -333.9, 178.6);
  const double at_45 = cubic(1.0, -501.6, 1567, -1619, 566.1), at_32 = cubic(0.9, -1047, 2982, -2797, 873.5);
  EXPECT_NEAR(delay_factor(180, 130), at_130 / at_180, 0.002);
  EXPECT_NEAR(delay_factor(180, 90), at_90 / at_180, 0.002);
  EXPECT_NEAR(delay_factor(180, 65), at_65 / at_180, 0.002);
  EXPECT_NEAR(delay_factor(180, 45), at_45 / at_180, 0.002);
  EXPECT_NEAR(delay_factor(180, 32), at_32 / at_180, 0.002);
}

TEST(Scaling, DelayIsMonotoneAndInverts) {
  for (double node = 7; node < 500; ++node) {
    EXPECT_LT(delay_factor(180, node), delay_factor(180, node + 1)) << node;
    EXPECT_NEAR(delay_factor(180, node) * delay_factor(node, 180), 1, 1e-12) << node;
  }
  EXPECT_DOUBLE_EQ(delay_factor(32, 16), 0.5);
  EXPECT_DOUBLE_EQ(delay_factor(180, 360), 2);
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

}  // namespace
}  // namespace warpfold::area
