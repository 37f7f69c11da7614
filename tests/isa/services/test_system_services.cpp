// SPDX-License-Identifier: Apache-2.0
// What a launch leaves on the program's standard output and error.
#include <gtest/gtest.h>

#include <cstdio>

#include "warpfold/isa/services/system_services.h"

namespace warpfold::isa {
namespace system_services_test {

struct Streams {
  std::string out, error;
};

template <class Action>
Streams streams_of(Action action) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  action();
  std::fflush(stdout);
  return {testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

class SystemServicesTest : public ::testing::Test {
 protected:
  DeviceMemory memory{1 << 12};
  SystemServices services{memory};
};

TEST_F(SystemServicesTest, OutputComesBetweenTheProgramsOwn) {
  const Streams streams = streams_of([&] {
    std::printf("before\n");
    {
      const LaunchOutput output(services);
      services.fifo.push({"of the kernel\n", 0, 8});
      std::printf("meanwhile\n");
    }
    std::printf("after\n");
  });
  EXPECT_EQ(streams.out, "before\nmeanwhile\nof the kernel\nafter\n");
  EXPECT_EQ(streams.error, "");
}

TEST_F(SystemServicesTest, ComplaintsAndLossesAreSaidOnce) {
  const auto launch = [&] { const LaunchOutput output(services); };
  services.fifo.set_bytes(16);
  for (const char* text : {"a\n", "b\n", "c\n", "d\n"}) services.fifo.push({text, 0, 8});
  services.complain("x.cu:3: failed");
  services.complain("x.cu:4: failed");
  const Streams streams = streams_of(launch);
  EXPECT_EQ(streams.out, "c\nd\n");
  EXPECT_EQ(streams.error,
            "warpfold: warning: printf in kernels: 2 calls are not shown, the oldest: a launch's did not fit 16 bytes "
            "(cudaLimitPrintfFifoSize)\nx.cu:3: failed\nx.cu:4: failed\n");
  const Streams then = streams_of(launch);
  EXPECT_EQ(then.out + then.error, "");
}

}  // namespace system_services_test
}  // namespace warpfold::isa
