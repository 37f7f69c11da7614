// SPDX-License-Identifier: Apache-2.0
// Launches that cannot run and kernels that fail, as the program that launched them sees it.
#include "tests/host/runtime_fixture.h"
#include "warpfold/common/launch_error.h"
#include "warpfold/host/runtime/launch_shape.h"

namespace warpfold::host {
namespace runtime_errors_test {

class RuntimeErrors : public RuntimeApi {
 protected:
  // What a call says on standard error.
  template <class Call>
  static std::string said(Call call) {
    ::testing::internal::CaptureStderr();
    call();
    return ::testing::internal::GetCapturedStderr();
  }
};

TEST_F(RuntimeErrors, WhatCudaDoesNotHaveIsRefused) {
  int* p = device_ints({1});
  const std::pair<dim3, dim3> shapes[] = {
      {dim3(0), dim3(32)},       {dim3(1), dim3(0)},           {dim3(1), dim3(2048)},  {dim3(1), dim3(1, 1, 128)},
      {dim3(1, 70000), dim3(1)}, {dim3(1, 1, 70000), dim3(1)}, {dim3(1), dim3(100000)}};
  for (const auto& [grid, block] : shapes) {
    const std::string line =
        said([&, g = grid, b = block] { EXPECT_EQ(launch(program().wild, p, g, b), cudaErrorInvalidConfiguration); });
    EXPECT_EQ(count(line, "warpfold: warning: kernel wild: launch of "), 1u) << line;
    EXPECT_EQ(count(line, "\n"), 1u) << line;
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);  // not for ever
  }
  EXPECT_EQ(launch_scale(p, 0, 1), cudaSuccess);
  EXPECT_EQ(host_ints(p, 1), std::vector<int>{3});
  int local = 0;
  EXPECT_EQ(cudaLaunchKernel(static_cast<const void*>(&local), dim3(1), dim3(32), nullptr, 0, nullptr),
            cudaErrorInvalidDeviceFunction);
}

TEST_F(RuntimeErrors, MoreThreadsThanTheBoundsAllow) {
  int* p = device_ints({1});
  const std::string line =
      said([&] { EXPECT_EQ(launch(program().bounded, p, dim3(1), dim3(128)), cudaErrorLaunchOutOfResources); });
  EXPECT_EQ(count(line, "warpfold: warning: kernel bounded: 128 threads per block"), 1u) << line;
  EXPECT_EQ(launch(program().bounded, p, dim3(1), dim3(64), 256), cudaSuccess);
}

TEST_F(RuntimeErrors, MoreSharedMemoryThanThereIs) {
  int* p = device_ints({1});
  const std::size_t refused_before = runtime_device().refused().size();
  EXPECT_EQ(launch(program().bounded, p, dim3(1), dim3(32), 100'000), cudaErrorInvalidValue);
  const std::string line =
      said([&] { EXPECT_EQ(launch(program().bounded, p, dim3(1), dim3(32), 40'000), cudaErrorInvalidValue); });
  EXPECT_EQ(count(line, "40000 bytes of shared memory"), 1u) << line;  // of the device, which has less
  EXPECT_EQ(runtime_device().refused().size() - refused_before, 2u);
}

TEST_F(RuntimeErrors, SharedMemoryBeyondAllCountingIsNoSmallAmount) {
  isa::Kernel kernel;
  kernel.static_shared_bytes = 32;
  EXPECT_EQ(shared_bytes_of(kernel, 0), 32u);
  EXPECT_EQ(shared_bytes_of(kernel, 100), 132u);
  EXPECT_THROW(shared_bytes_of(kernel, SIZE_MAX), LaunchRefused);
  EXPECT_EQ(wanted_shared_bytes(kernel, SIZE_MAX - 31), UINT64_MAX);
}

TEST_F(RuntimeErrors, CooperativeLaunchesMustFitTheMachine) {
  int* p = device_ints(std::vector<int>(32, 1));
  short shift = 1;
  int n = 32;
  void* arguments[] = {&p, &shift, &n};
  const auto run = [&](unsigned blocks) {
    return cudaLaunchCooperativeKernel(&program().scale, dim3(blocks), dim3(256), arguments, 0, nullptr);
  };
  EXPECT_EQ(run(12), cudaSuccess);  // three cores of 1024 threads
  const std::string line = said([&] { EXPECT_EQ(run(13), cudaErrorCooperativeLaunchTooLarge); });
  EXPECT_EQ(count(line, "cooperative launch of 13 blocks, of which the machine holds 12"), 1u) << line;
  EXPECT_EQ(host_ints(p, 1), std::vector<int>{4});
}

TEST_F(RuntimeErrors, AFaultStaysUntilTheDeviceIsReset) {
  const std::pair<const char*, cudaError_t> faults[] = {{&program().wild, cudaErrorIllegalAddress},
                                                        {&program().crooked, cudaErrorMisalignedAddress},
                                                        {&program().gives_up, cudaErrorLaunchFailure}};
  for (const auto& [kernel, error] : faults) {
    int* p = device_ints({1, 2});
    const std::string line = said([&, k = kernel, e = error] { EXPECT_EQ(launch(*k, p), e); });
    EXPECT_EQ(count(line, "warpfold: error: kernel '"), 1u) << line;
    EXPECT_EQ(count(line, "\n"), 1u) << line;
    EXPECT_NE(line.find(cudaGetErrorName(error)), std::string::npos) << line;
    int value = 7, devices = 0;
    EXPECT_EQ(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost), error);
    EXPECT_EQ(value, 7) << "nothing is copied";
    EXPECT_EQ(cudaDeviceSynchronize(), error);
    EXPECT_EQ(cudaFree(p), error);
    EXPECT_EQ(launch_scale(p, 0, 1), error);
    EXPECT_EQ(cudaGetDeviceCount(&devices), cudaSuccess);  // asks nothing of the device
    EXPECT_EQ(cudaGetLastError(), error);
    EXPECT_EQ(cudaGetLastError(), error) << "asking does not mend it";
    EXPECT_EQ(cudaPeekAtLastError(), error);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    int* q = device_ints({5});
    EXPECT_EQ(launch_scale(q, 1, 1), cudaSuccess);
    EXPECT_EQ(host_ints(q, 1), std::vector<int>{16});
  }
}

TEST_F(RuntimeErrors, AnAssertionHasAnErrorOfItsOwn) {
  runtime_device().fail_next([] { kernel_fault(KernelFault::Kind::kAssert, "kernel 'k': assertion failed"); });
  int* p = device_ints({1});
  EXPECT_EQ(launch_scale(p, 0, 1), cudaErrorAssert);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorAssert);
}

// Errors of the model's are nobody's to go on from.
TEST_F(RuntimeErrors, WhatIsNoFaultOfTheKernelEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto deadlock = [] {
    int* p = device_ints({1});
    runtime_device().fail_next([] { user_error("kernel 'scale': nothing can happen any more"); });
    launch_scale(p, 0, 1);
  };
  EXPECT_EXIT(deadlock(), ::testing::ExitedWithCode(1),
              "^warpfold: error: kernel 'scale': nothing can happen any more\n$");
}

}  // namespace runtime_errors_test
}  // namespace warpfold::host
