// SPDX-License-Identifier: Apache-2.0
// The contexts that wait: the first of them takes part in each step, and those of one place are one.
#include <gtest/gtest.h>

#include <string>

#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/warp/context_list.h"

namespace warpfold::divergence {
namespace context_list_test {

ContextSorter sorter;

// "3:4 5:1": places and masks in the order in which they would run.
std::string drained(ContextList list) {
  std::string text;
  while (!list.empty()) {
    const Context next = list.step(sorter, {}, {}).next;
    text += fmt::format("{}{}:{:x}", text.empty() ? "" : " ", next.place, next.mask);
  }
  return text;
}

TEST(ContextList, WhatWaitsStaysInOrder) {
  ContextList list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.step(sorter, {}, {}).next.mask, 0U) << "nobody is left";
  for (const Pc place : {Pc{5}, Pc{3}, Pc{9}}) EXPECT_FALSE(list.insert({0, place, LaneMask{1} << place}));
  EXPECT_EQ(list.size(), 3U);
  EXPECT_EQ(drained(list), "3:8 5:20 9:200");
  EXPECT_TRUE(list.insert({0, 5, 1}));
  EXPECT_EQ(drained(list), "3:8 5:21 9:200");
}

TEST(ContextList, TheDeeperGoesFirst) {
  ContextList list;
  list.insert({0, 5, 1});
  list.insert({1, 7, 2});
  list.insert({0, 6, 4});
  EXPECT_EQ(drained(list), "7:2 5:1 6:4");
  EXPECT_TRUE(list.insert({2, 6, 8})) << "and takes those of its place along";
  EXPECT_EQ(drained(list), "6:c 7:2 5:1");
}

TEST(ContextList, LetsRunWhatComesFirst) {
  ContextList list;
  EXPECT_TRUE(list.lets_run({0, 9, 1}));
  list.insert({0, 5, 2});
  EXPECT_TRUE(list.lets_run({0, 4, 1}));
  EXPECT_FALSE(list.lets_run({0, 5, 1})) << "they are to meet";
  EXPECT_FALSE(list.lets_run({0, 6, 1}));
  EXPECT_TRUE(list.lets_run({1, 6, 1}));
}

TEST(ContextList, AStepTakesTheFirst) {
  ContextList list;
  list.insert({0, 5, 1});
  list.insert({0, 8, 2});
  const ContextList::Step stays = list.step(sorter, {0, 3, 4}, {0, 6, 8});
  EXPECT_EQ(stays.next, (Context{0, 3, 4}));
  EXPECT_EQ(stays.merges, 0U);
  EXPECT_EQ(drained(list), "5:1 6:8 8:2");
  const ContextList::Step turn = list.step(sorter, {0, 8, 4}, {});
  EXPECT_EQ(turn.next, (Context{0, 5, 1}));
  EXPECT_EQ(turn.merges, 1U) << "with one that is not the first";
  EXPECT_EQ(drained(list), "6:8 8:6");
  const ContextList::Step meets = list.step(sorter, {0, 6, 1}, {});
  EXPECT_EQ(meets.next, (Context{0, 6, 9}));
  EXPECT_EQ(meets.merges, 1U);
  EXPECT_EQ(drained(list), "8:6");
}

}  // namespace context_list_test
}  // namespace warpfold::divergence
