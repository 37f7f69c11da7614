// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime interface over a device without time: what each call does, and what it says when it cannot.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "tests/host/runtime_fixture.h"
#include "warpfold/common/memory/out_of_memory.h"

namespace warpfold::host {
namespace runtime_api_test {

TEST_F(RuntimeApi, LaunchesAKernelThroughTheCallConfiguration) {
  int* p = device_ints({1, 2, 3, 4, 5});
  short shift = 10;
  int n = 4;
  void* arguments[] = {&p, &shift, &n};
  ASSERT_EQ(__cudaPushCallConfiguration(dim3(2), dim3(3), 0, nullptr), 0u);
  dim3 grid, block;
  std::size_t shared = 1;
  void* stream = &shared;
  ASSERT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaSuccess);
  EXPECT_EQ(stream, nullptr);
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaErrorMissingConfiguration);
  ASSERT_EQ(cudaLaunchKernel(&program().scale, grid, block, arguments, shared, nullptr), cudaSuccess);
  EXPECT_EQ(host_ints(p, 5), (std::vector<int>{13, 16, 19, 22, 5}));
  EXPECT_EQ(cudaFree(p), cudaSuccess);
}

TEST_F(RuntimeApi, SymbolsByAddressAndByName) {
  const int seven = 7;
  int back[2] = {0, 0};
  ASSERT_EQ(cudaMemcpyToSymbol(program().factor, &seven, 4, 4, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpyFromSymbol(back, "factor", 8), cudaSuccess);
  EXPECT_EQ(back[0], 3);
  EXPECT_EQ(back[1], 7);
  void* address = nullptr;
  ASSERT_EQ(cudaGetSymbolAddress(&address, program().total), cudaSuccess);
  ASSERT_EQ(cudaMemset(address, 0, 4), cudaSuccess);
  std::size_t bytes = 0;
  ASSERT_EQ(cudaGetSymbolSize(&bytes, "factor"), cudaSuccess);
  EXPECT_EQ(bytes, 8u);
  EXPECT_EQ(cudaMemcpyToSymbol("factor", &seven, 4, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol("nothing", &seven, 4, 0, cudaMemcpyHostToDevice), cudaErrorInvalidSymbol);
}

TEST_F(RuntimeApi, CopiesInEveryDirection) {
  std::vector<int> source(64), back(64);
  std::iota(source.begin(), source.end(), 0);
  int* a = device_ints(source);
  int* b = device_ints(std::vector<int>(64, -1));
  ASSERT_EQ(cudaMemcpy(b, a, 256, cudaMemcpyDeviceToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(back.data(), b, 256, cudaMemcpyDefault, nullptr), cudaSuccess);
  EXPECT_EQ(back, source);
  EXPECT_EQ(cudaMemcpy(a + 60, source.data(), 20, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  // Which of the two runs out of its allocation is said.
  for (const auto& [to, from, wrong] : {std::tuple{b, a + 60, a + 60}, std::tuple{b + 60, a, b + 60}}) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(cudaMemcpy(to, from, 20, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find(fmt::format("20 bytes at {}", fmt::ptr(wrong))), std::string::npos) << said;
  }
  EXPECT_EQ(cudaMemcpy(back.data(), a, 4, cudaMemcpyHostToDevice), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(RuntimeApi, PitchedRows) {
  char* p = nullptr;
  std::size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&p, &pitch, 5, 3), cudaSuccess);
  EXPECT_EQ(pitch % 512, 0u);
  const char text[] = "abcdefghijklmno";
  char back[16] = {};
  ASSERT_EQ(cudaMemcpy2D(p, pitch, text, 5, 5, 3, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(back, p + pitch, 5, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_STREQ(back, "fghij");
  EXPECT_EQ(cudaMemcpy2D(p, 4, text, 5, 5, 3, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy2D(p, pitch, text, 4, 5, 3, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
  ASSERT_EQ(cudaMemset2D(p, pitch, 'z', 2, 3), cudaSuccess);
  ASSERT_EQ(cudaMemcpy2D(back, 5, p, pitch, 5, 3, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_STREQ(back, "zzcdezzhijzzmno");
}

TEST_F(RuntimeApi, AllocationFailsWithAnErrorCode) {
  int* p = nullptr;
  EXPECT_EQ(cudaMalloc(&p, std::size_t{1} << 40), cudaErrorMemoryAllocation);
  EXPECT_EQ(p, nullptr);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaFree(reinterpret_cast<void*>(64)), cudaErrorInvalidDevicePointer);
  std::size_t free_bytes = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free_bytes, &total), cudaSuccess);
  EXPECT_LE(free_bytes, total);
  EXPECT_EQ(total, std::size_t{1} << 28);
}

TEST_F(RuntimeApi, HostMemory) {
  int* p = nullptr;
  ASSERT_EQ(cudaMallocHost(&p, 64), cudaSuccess);
  p[15] = 1;
  cudaPointerAttributes attributes;
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, p), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  EXPECT_EQ(cudaFreeHost(p), cudaSuccess);
  int local = 0;
  EXPECT_EQ(cudaFreeHost(&local), cudaErrorInvalidValue);
}

TEST_F(RuntimeApi, EventsHoldSimulatedTime) {
  cudaEvent_t start, stop;
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&stop), cudaSuccess);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, stop), cudaErrorInvalidResourceHandle);  // not recorded
  int* p = device_ints({1});
  short shift = 0;
  int n = 1;
  void* arguments[] = {&p, &shift, &n};
  ASSERT_EQ(cudaEventRecord(start), cudaSuccess);
  ASSERT_EQ(cudaLaunchKernel(&program().scale, dim3(1), dim3(1), arguments, 0, nullptr), cudaSuccess);
  ASSERT_EQ(cudaLaunchKernel(&program().scale, dim3(1), dim3(1), arguments, 0, nullptr), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(stop), cudaSuccess);
  ASSERT_EQ(cudaEventSynchronize(stop), cudaSuccess);
  ASSERT_EQ(cudaEventElapsedTime(&milliseconds, start, stop), cudaSuccess);
  EXPECT_FLOAT_EQ(milliseconds, 2.0f);
  EXPECT_EQ(cudaEventDestroy(start), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(start), cudaErrorInvalidResourceHandle);
}

// Beside what runs before it in the stream: the second of two in a row waits for the first alone.
TEST_F(RuntimeApi, ALaunchMayTakeTimeBeforeItsKernelBegins) {
  runtime_device().set_launch_latency_seconds(0.5e-3);
  cudaEvent_t start, stop;
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&stop), cudaSuccess);
  int* p = device_ints({1});
  short shift = 0;
  int n = 1;
  void* arguments[] = {&p, &shift, &n};
  ASSERT_EQ(cudaEventRecord(start), cudaSuccess);
  for (int launch = 0; launch < 2; ++launch) {
    ASSERT_EQ(cudaLaunchKernel(&program().scale, dim3(1), dim3(1), arguments, 0, nullptr), cudaSuccess);
  }
  ASSERT_EQ(cudaEventRecord(stop), cudaSuccess);
  float milliseconds = -1;
  ASSERT_EQ(cudaEventSynchronize(stop), cudaSuccess);
  ASSERT_EQ(cudaEventElapsedTime(&milliseconds, start, stop), cudaSuccess);
  EXPECT_FLOAT_EQ(milliseconds, 2.5f);
  runtime_device().set_launch_latency_seconds(0);
}

TEST_F(RuntimeApi, EventsWithoutTimingHaveNoTime) {
  cudaEvent_t timed, untimed;
  ASSERT_EQ(cudaEventCreate(&timed), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(timed), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(untimed), cudaSuccess);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, timed, untimed), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, untimed, timed), cudaErrorInvalidResourceHandle);
}

TEST_F(RuntimeApi, Streams) {
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
}

TEST_F(RuntimeApi, WhatIsNotModelledSaysSoOnce) {
  ::testing::internal::CaptureStderr();
  void* p = nullptr;
  EXPECT_EQ(cudaIpcGetMemHandle(nullptr, p), cudaErrorNotSupported);
  EXPECT_EQ(cudaIpcGetMemHandle(nullptr, p), cudaErrorNotSupported);
  EXPECT_EQ(cudaGraphicsGLRegisterBuffer(nullptr, 0, 0), cudaErrorNotSupported);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(count(said, "warpfold: warning: cudaIpcGetMemHandle is not supported"), 1u) << said;
  EXPECT_EQ(count(said, "graphics"), 1u) << said;
  EXPECT_EQ(count(said, "\n"), 2u) << said;
}

// In a process of its own from the start: a forked one could not use this one's device.
class RuntimeApiDeath : public RuntimeApi {
 protected:
  RuntimeApiDeath() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(RuntimeApiDeath, AForkedChildHasNoDevice) {
  device_ints({1});
  GTEST_FLAG_SET(death_test_style, "fast");  // a fork of this process
  EXPECT_EXIT(
      {
        int* p = nullptr;
        const bool failed = cudaMalloc(&p, 4) == cudaErrorInitializationError &&
                            cudaGetLastError() == cudaErrorInitializationError && cudaFree(p) != cudaSuccess;
        std::exit(failed ? 0 : 3);
      },
      ::testing::ExitedWithCode(0), "^warpfold: warning: this process was forked from [^\n]*\n$");
  EXPECT_FALSE(runtime_device().finished());
}

TEST_F(RuntimeApiDeath, AfterTheEndOfTheLibraryCallsFail) {
  EXPECT_EXIT(
      {
        device_ints({1});
        Context::instance().unload();
        int* p = nullptr;
        const bool failed = runtime_device().finished() && cudaMalloc(&p, 4) == cudaErrorCudartUnloading &&
                            cudaDeviceSynchronize() == cudaErrorCudartUnloading;
        std::exit(failed ? 0 : 3);
      },
      ::testing::ExitedWithCode(0), "^warpfold: warning: a CUDA call after the end of the run-time library [^\n]*\n$");
}

TEST_F(RuntimeApiDeath, MemoryThatTheHostDoesNotHaveIsNamed) {
  EXPECT_EXIT(guarded([](Context&) -> cudaError_t { throw std::bad_alloc(); }, "cudaThis"),
              ::testing::ExitedWithCode(1), "^warpfold: error: out of memory in cudaThis\n$");
  EXPECT_EXIT(guarded([](Context&) -> cudaError_t {
                return with_memory_for([] { return "7 bytes for that"; },
                                       []() -> cudaError_t { throw std::bad_alloc(); });
              }),
              ::testing::ExitedWithCode(1), "^warpfold: error: out of memory: 7 bytes for that\n$");
}

TEST_F(RuntimeApiDeath, WhatNobodyCanCatchIsToldToo) {
  const std::function<void()> fails = [] { throw std::bad_alloc(); };
  const auto cannot_throw = [&]() noexcept { fails(); };
  EXPECT_EXIT(guarded(
                  [&](Context&) {
                    cannot_throw();
                    return cudaSuccess;
                  },
                  "cudaThat"),
              ::testing::ExitedWithCode(1), "^warpfold: error: out of memory in cudaThat\n$");
  const std::terminate_handler before = std::get_terminate();
  guarded([](Context&) { return cudaSuccess; });
  EXPECT_EQ(std::get_terminate(), before);
}

TEST_F(RuntimeApi, LaunchesWithinTheArgumentsOfALaunch) {
  dim3 grid, block;
  std::size_t shared = 0;
  void* stream = nullptr;
  for (unsigned x = 1; x <= 3; ++x) ASSERT_EQ(__cudaPushCallConfiguration(dim3(x), dim3(32), 8 * x, &stream), 0u);
  for (unsigned x = 3; x >= 1; --x) {
    ASSERT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaSuccess);
    EXPECT_EQ(grid.x, x);
    EXPECT_EQ(shared, 8 * x);
  }
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaErrorMissingConfiguration);
}

TEST_F(RuntimeApiDeath, GarbageInsteadOfPtx) {
  const auto launch_garbage = [] {
    static struct {
      int magic = 0x466243b1, version = 1;
      const char* ptx = "this is no PTX";
      void* unused = nullptr;
    } wrapper;
    char kernel = 0;
    void** handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &kernel, nullptr, "k", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    cudaLaunchKernel(&kernel, dim3(1), dim3(1), nullptr, 0, nullptr);
  };
  EXPECT_EXIT(launch_garbage(), ::testing::ExitedWithCode(1), "^warpfold: error: .*ptx:1:[^\n]*\n$");
}

TEST_F(RuntimeApiDeath, ResultsAreFinishedWhenTheProgramEnds) {
  // The runtime's own static object finishes the device when the process ends in the ordinary way.
  EXPECT_EXIT(
      {
        device_ints({1});
        std::atexit([] {
          if (runtime_device().finished()) std::_Exit(3);  // too early: the program's own handlers still run
        });
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace runtime_api_test
}  // namespace warpfold::host
