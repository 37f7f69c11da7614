// SPDX-License-Identifier: Apache-2.0
// Buffers for messages about modules: empty at first, never beyond their ends.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "warpfold/host/driver/jit_logs.h"

namespace warpfold::host::driver {
namespace jit_logs_test {

constexpr std::array kNames = {CU_JIT_WALL_TIME, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER,
                               CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};

struct Buffers {
  explicit Buffers(unsigned room)
      : values{this, reinterpret_cast<void*>(std::uintptr_t{room}), error, info,
               reinterpret_cast<void*>(std::uintptr_t{sizeof info})} {
    std::memset(error, 'x', sizeof error);
    std::memset(info, 'x', sizeof info);
    logs = {static_cast<unsigned>(kNames.size()), kNames.data(), values.data()};
  }
  std::uintptr_t size(std::size_t at) const { return reinterpret_cast<std::uintptr_t>(values[at]); }
  char error[16], info[8];
  std::array<void*, kNames.size()> values;
  JitLogs logs;
};

TEST(JitLogs, AreEmptyTextsAtFirst) {
  const Buffers buffers(sizeof buffers.error);
  EXPECT_STREQ(buffers.error, "");
  EXPECT_STREQ(buffers.info, "");
  EXPECT_EQ(buffers.size(1), 0U);
  EXPECT_EQ(buffers.size(4), 0U);
  float milliseconds = 1;
  std::memcpy(&milliseconds, &buffers.values[0], sizeof milliseconds);
  EXPECT_EQ(milliseconds, 0.0F);
}

TEST(JitLogs, HoldLinesAsFarAsThereIsRoom) {
  Buffers buffers(8);
  buffers.logs.error("one");
  EXPECT_STREQ(buffers.error, "one");
  EXPECT_EQ(buffers.size(1), 3U);
  buffers.logs.error("another");
  EXPECT_STREQ(buffers.error, "one\nano");
  EXPECT_EQ(buffers.size(1), 7U);
  EXPECT_EQ(buffers.error[8], 'x');
  buffers.logs.error("more");
  EXPECT_STREQ(buffers.error, "one\nano");
  EXPECT_STREQ(buffers.info, "");
}

TEST(JitLogs, DoNothingWithoutBothOptions) {
  char text[4] = "abc";
  void* value = text;
  const CUjit_option name = CU_JIT_ERROR_LOG_BUFFER;
  JitLogs(1, &name, &value).error("line");
  JitLogs(1, nullptr, nullptr).error("line");
  JitLogs().error("line");
  EXPECT_STREQ(text, "abc");
  EXPECT_EQ(value, text);
}

}  // namespace jit_logs_test
}  // namespace warpfold::host::driver
