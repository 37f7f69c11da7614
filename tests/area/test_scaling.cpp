// SPDX-License-Identifier: Apache-2.0
// Logic on other nodes: a line through what kits take, and a band around it.
#include <gtest/gtest.h>

#include "warpfold/area/scaling.h"
#include "warpfold/common/error.h"

namespace warpfold::area {
namespace scaling_test {

const Library kOsu018{180, 0.0992, 24, "osu018_stdcells"}, kOpen45{45, 0.022, 0.798, "cells45"};

TEST(Scaling, ALibraryOfTheNodeIsTakenAsItIs) { EXPECT_EQ(nand2_um2(kOpen45, {45}), Range(0.798)); }

TEST(Scaling, WhatIsKnownOfTheProcessIsTakenAsItIs) { EXPECT_EQ(nand2_um2(kOsu018, {40, 16, 0.7}), Range(0.7)); }

TEST(Scaling, ElseTheLibrarysOwnAreaInProportionAndThePublishedAreTheEnds) {
  const Range nand2 = nand2_um2(kOsu018, {45});
  EXPECT_NEAR(nand2.low, 0.798, 1e-9);
  EXPECT_DOUBLE_EQ(nand2.high, 1.5);
}

// Below 32 nm the name of a node is no length any more, neither of gates nor of what areas go by.
TEST(Scaling, GatesAreAsLongAsTheNodeIsCalledDownTo32) {
  EXPECT_EQ(gate_length_nm(180), 180);
  EXPECT_EQ(gate_length_nm(32), 32);
  EXPECT_NEAR(gate_length_nm(7), 20, 1e-9);
  for (double node = 5; node < 500; ++node) EXPECT_LT(gate_length_nm(node), gate_length_nm(node + 1)) << node;
  EXPECT_EQ(gate_length_nm(Library{180, 0.2, 11, "gf180mcu_fd_sc_mcu7t5v0__tt_025C_5v00"}), 600);
  EXPECT_EQ(gate_length_nm(kOsu018), 180);
  EXPECT_GT(nand2_um2(kOpen45, {7}).high, 0.798 * 49 / 2025);
}

// Kits that lie on a line say just what it says; those that do not leave a band around it.
TEST(Scaling, DelaysGoByTheLineOfWhatKitsTake) {
  const auto of = [](double bent) {
    std::vector<Pace> paces;
    for (const auto& [name, node] : {std::pair("a", 50), {"b", 100}, {"c", 200}, {"d", 400}}) {
      paces.push_back({name, static_cast<double>(node), 0.01 * node * (std::string(name) == "b" ? bent : 1)});
    }
    return Paces(paces);
  };
  const Library b{100, 0.05, 3, "b"}, other{100, 0.05, 3, "other"};
  EXPECT_NEAR(of(1).factor(b, 50).low, 0.5, 1e-9);
  EXPECT_NEAR(of(1).factor(b, 50).high, 0.5, 1e-9);
  EXPECT_NEAR(of(1).factor(other, 50).middle(), 0.5, 1e-9);
  const Range bent = of(1.5).factor(b, 50);
  EXPECT_GT(bent.high, 1.5 * bent.low);
  EXPECT_LT(bent.middle(), 0.5);  // b itself is slower than the line
  // Nobody knows how far from the line a library is that has not been measured, nor what is far from all of them.
  const auto width = [](const Range& range) { return range.high / range.low; };
  EXPECT_GT(width(of(1.5).factor(other, 50)), width(bent));
  EXPECT_GT(width(of(1.5).factor(b, 10)), width(bent));
  EXPECT_THROW(Paces({{"a", 50, 1}, {"b", 90, 2}, {"c", 99, 2}}).factor(b, 50), UserError);
}

// Libraries of one kit are one vote.
TEST(Scaling, AKitHasOneVote) {
  EXPECT_EQ(kit_of("osu018_stdcells"), kit_of("osu05_stdcells"));
  EXPECT_EQ(kit_of("sky130_fd_sc_hd__tt_025C_1v80"), kit_of("sky130_fd_sc_hs__tt_025C_1v80"));
  EXPECT_NE(kit_of("osu018_stdcells"), kit_of("mine"));
  std::vector<Pace> paces{{"a", 50, 1}, {"b", 50, 2}, {"c", 200, 4}, {"sky130_hd", 130, 3}};
  const Library b{50, 0.05, 3, "b"};
  const Range once = Paces(paces).factor(b, 100);
  paces.push_back({"sky130_hs", 130, 3});
  EXPECT_NEAR(Paces(paces).factor(b, 100).low, once.low, 1e-12);
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
  EXPECT_EQ(node_of_library("NangateOpenCellLibrary", 0.798), 45);
  EXPECT_EQ(node_of_library("sg13g2_stdcell_typ_1p20V_25C", 7.2576), 130);
  EXPECT_EQ(node_of_library("asap7sc7p5t_AO_RVT_TT_nldm_211120", 0.05832), 7);
  // No node in the name, or one that the cells are too large or too small for.
  EXPECT_NEAR(node_of_library("library", 0.798), 45, 1);
  EXPECT_NEAR(node_of_library("v2 of 2021", 0.798), 45, 1);
  EXPECT_NEAR(node_of_library("cells_7", 24), 245, 1);
  EXPECT_NEAR(node_of_library("cells_180", 0.798), 45, 1);
}

}  // namespace scaling_test
}  // namespace warpfold::area
