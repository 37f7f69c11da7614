// SPDX-License-Identifier: Apache-2.0
// Order, room and the loss of what came first.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "warpfold/isa/services/print_fifo.h"

namespace warpfold::isa {
namespace print_fifo_test {

std::string shown(PrintFifo& fifo) {
  std::FILE* const file = std::tmpfile();
  fifo.write(file);
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
  std::fclose(file);
  return text;
}

TEST(PrintFifo, ShowsInOrderAndOnce) {
  PrintFifo fifo;
  EXPECT_EQ(fifo.bytes(), std::uint64_t{1} << 20);
  EXPECT_EQ(fifo.push({"one ", 0, 8}), 0U);
  EXPECT_EQ(fifo.push({std::string("t\0o ", 4), 0, 24}), 8U);
  EXPECT_EQ(fifo.push({"three", 0, 8}), 32U);
  EXPECT_EQ(shown(fifo), std::string("one t\0o three", 13));
  EXPECT_EQ(shown(fifo), "");
  EXPECT_EQ(fifo.push({"four", 0, 8}), 0U);
  EXPECT_EQ(fifo.dropped(), 0U);
}

TEST(PrintFifo, TheOldestMakeRoom) {
  PrintFifo fifo;
  fifo.set_bytes(32);
  fifo.push({"a", 0, 8});
  fifo.push({"b", 0, 8});
  fifo.push({"c", 0, 16});  // full to the byte
  EXPECT_EQ(fifo.dropped(), 0U);
  EXPECT_EQ(fifo.push({"d", 0, 8}), 0U);  // at the ring's start again
  EXPECT_EQ(fifo.dropped(), 1U);
  fifo.push({"e", 0, 24});
  EXPECT_EQ(fifo.dropped(), 3U);
  EXPECT_EQ(shown(fifo), "de");
  EXPECT_EQ(fifo.dropped(), 0U);
}

TEST(PrintFifo, WhatIsLargerThanTheRingIsDropped) {
  PrintFifo fifo;
  fifo.set_bytes(16);
  fifo.push({"small", 0, 16});
  fifo.push({"large", 0, 24});
  EXPECT_EQ(fifo.dropped(), 1U);
  fifo.set_bytes(8);
  EXPECT_EQ(fifo.dropped(), 2U);
  EXPECT_EQ(shown(fifo), "");
}

}  // namespace print_fifo_test
}  // namespace warpfold::isa
