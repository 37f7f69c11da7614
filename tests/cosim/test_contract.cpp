// SPDX-License-Identifier: Apache-2.0
// What breaks a contract and what does not.
#include <gtest/gtest.h>

#include "tb/cosim/contract.h"

namespace warpfold::cosim {
namespace contract_test {

using divergence::CompactionRequest;
using divergence::Context;
using divergence::ContextTriple;
using divergence::LaneSource;

// Two rows of four lanes, the third and fourth row of the core.
CompactionRequest request(bool regroup = true) {
  CompactionRequest request;
  request.first_row = 2;
  request.regroup = regroup;
  request.threads = {0b0111, 0b0101};
  return request;
}

CompactedWarp warp(isa::LaneMask mask, std::initializer_list<std::uint16_t> rows, bool last) {
  CompactedWarp warp;
  warp.warp.mask = mask;
  std::copy(rows.begin(), rows.end(), warp.warp.row.begin());
  warp.last = last;
  return warp;
}

TEST(CompactorContract, AnyOrderOfRows) {
  CompactionRequest left = request();
  EXPECT_EQ(broken_by(left, warp(0b0101, {3, 0, 3}, false)), "");
  EXPECT_EQ(broken_by(left, warp(0b0010, {9, 2}, false)), "") << "lanes that are off have no row";
  EXPECT_EQ(broken_by(left, warp(0b0101, {2, 0, 2}, true)), "");
  left = request();
  EXPECT_EQ(broken_by(left, warp(0b0111, {3, 2, 2}, false)), "") << "of several rows";
  EXPECT_EQ(broken_by(left, warp(0b0101, {2, 0, 3}, true)), "");
}

TEST(CompactorContract, WhatBreaksIt) {
  const auto said = [](bool regroup, const CompactedWarp& first) {
    CompactionRequest left = request(regroup);
    return broken_by(left, first);
  };
  EXPECT_EQ(said(true, warp(0, {}, false)), "a warp has threads");
  EXPECT_EQ(said(true, warp(0b1000, {0, 0, 0, 2}, false)),
            "each thread leaves once, in its lane (none is left in lane 3 of row 0)");
  EXPECT_EQ(said(true, warp(0b0010, {0, 3}, false)),
            "each thread leaves once, in its lane (none is left in lane 1 of row 1)");
  EXPECT_EQ(said(true, warp(0b0001, {4}, false)), "rows are those of the block (lane 0 comes from row 2 of 2)");
  EXPECT_EQ(said(true, warp(0b0001, {1}, false)).substr(0, 27), "rows are those of the block");
  EXPECT_EQ(said(true, warp(0b0101, {3, 0, 3}, true)), "the last warp leaves no thread behind");
  EXPECT_EQ(said(false, warp(0b0101, {3, 0, 3}, false)), "");
  EXPECT_EQ(said(false, warp(0b0001, {3}, false)), "a request that does not regroup leaves in whole rows");
  EXPECT_EQ(said(false, warp(0b0111, {3, 2, 3}, false)), "a request that does not regroup leaves row by row");
  CompactionRequest left = request();
  EXPECT_EQ(broken_by(left, warp(0b0111, {2, 2, 2}, false)), "");
  EXPECT_EQ(broken_by(left, warp(0b0111, {2, 2, 2}, false)),
            "each thread leaves once, in its lane (none is left in lane 0 of row 0)");
  left.threads = {0, 1};
  EXPECT_EQ(broken_by(left, warp(0b0001, {3}, false)), "the last warp says so");
}

TEST(CompactorContract, TheMachineKnowsWarpsOfOneRow) {
  CompactedWarp mixed = warp(0b0101, {3, 0, 2}, false), one = warp(0b0101, {3, 0, 3}, false);
  complete(mixed, 17);
  complete(one, 17);
  EXPECT_FALSE(mixed.warp.one_row);
  EXPECT_TRUE(one.warp.one_row);
  EXPECT_EQ(one.warp.pc, 17U);
}

TEST(SorterContract, MergesAndOrders) {
  const ContextTriple contexts{Context{1, 8, 0b001}, Context{2, 9, 0b010}, Context{0, 8, 0b100}};
  const auto said = [&](ContextTriple sorted) { return broken_by(contexts, sorted); };
  EXPECT_EQ(broken_by(contexts, divergence::sort_contexts(contexts)), "");
  EXPECT_EQ(said({Context{2, 9, 0b010}, Context{1, 8, 0b101}}), "");
  EXPECT_EQ(said({Context{2, 9, 0b010}, Context{1, 8, 0b001}, Context{0, 8, 0b100}}), "") << "they may stay apart";
  EXPECT_EQ(said({Context{1, 8, 0b101}, Context{2, 9, 0b010}}), "the deeper and then the lower place goes first");
  EXPECT_EQ(said({Context{2, 9, 0b010}, Context{1, 8, 0b001}}), "no thread is lost");
  EXPECT_EQ(said({Context{2, 9, 0b010}, Context{}, Context{1, 8, 0b101}}), "empty contexts are last");
  EXPECT_EQ(said({Context{2, 9, 0b011}, Context{0, 8, 0b100}}), "a thread stays at its place");
  EXPECT_EQ(said({Context{2, 9, 0b010}, Context{0, 8, 0b101}}), "a context is as deep as the deepest of its parts");
  EXPECT_EQ(said({Context{2, 9, 0b010}, Context{2, 9, 0b010}, Context{1, 8, 0b101}}), "a thread is in one context");
}

TEST(PackingContractTest, EachLaneOnce) {
  const divergence::LanesOnUnit lanes{0b0010'1001, 8, 4};
  const LaneSource off, first{true, 0, 0}, fourth{true, 0, 3}, sixth{true, 1, 1};
  const auto fresh = [&](bool swizzles = true) { return PackingContract(lanes, swizzles); };
  PackingContract three = fresh();
  EXPECT_EQ(three.broken_by({first, sixth, off, fourth}, true), "");
  PackingContract slow = fresh();
  EXPECT_EQ(slow.broken_by({off, sixth, off, off}, false), "") << "more cycles than need be";
  EXPECT_EQ(slow.broken_by({first, off, off, fourth}, true), "");
  EXPECT_EQ(fresh().broken_by({first, off, off, off}, true), "all lanes go through (0x28 do not)");
  EXPECT_EQ(fresh().broken_by({first, sixth, off, fourth}, false), "the last settings say so");
  EXPECT_EQ(fresh().broken_by({first, first, off, off}, false), "each lane goes through once (lane 0 does again)");
  EXPECT_EQ(fresh().broken_by({LaneSource{true, 0, 1}, off, off, off}, false),
            "only active lanes are let through (lane 1 of quad 0 is none)");
  EXPECT_EQ(fresh().broken_by({off, off, off, off}, false), "each cycle lets a lane through");
  EXPECT_EQ(fresh(false).broken_by({off, fourth, off, off}, false), "without a crossbar a lane stays in its place");
  EXPECT_EQ(PackingContract({0, 8, 4}, true).broken_by({off, off, off, off}, true), "") << "a mask of no lane";
}

}  // namespace contract_test
}  // namespace warpfold::cosim
