// SPDX-License-Identifier: Apache-2.0
// The driver interface: contexts, modules of PTX, launches, memory; and what of it fails how.
#include <cstring>
#include <fstream>

#include "tests/host/runtime_fixture.h"
#include "warpfold/host/include/cuda.h"

namespace warpfold::host {
namespace driver_test {

constexpr const char* kSource = R"(
__constant__ int steps[2] = {3, 4};
__device__ int total;
extern "C" __global__ void advance(int* p, short by, char often) {
  for (int i = 0; i < often; ++i) p[threadIdx.x] += by * steps[threadIdx.x % 2];
  atomicAdd(&total, 1);
}
extern "C" __global__ void nothing() {}
)";

class Driver : public RuntimeApi {
 protected:
  Driver() {
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxCreate(&context, 0, 0), CUDA_SUCCESS);
  }
  ~Driver() override {
    if (context != nullptr) {
      EXPECT_EQ(cuCtxDestroy(context), CUDA_SUCCESS);
    }
  }
  static CUmodule load() {
    static const std::string ptx = ptx_of(kSource);
    CUmodule module = nullptr;
    EXPECT_EQ(cuModuleLoadData(&module, ptx.c_str()), CUDA_SUCCESS);
    return module;
  }
  static CUfunction kernel(CUmodule module, const char* name) {
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleGetFunction(&function, module, name), CUDA_SUCCESS);
    return function;
  }
  static CUdeviceptr ints(const std::vector<int>& values) {
    CUdeviceptr p = 0;
    EXPECT_EQ(cuMemAlloc(&p, values.size() * 4), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyHtoD(p, values.data(), values.size() * 4), CUDA_SUCCESS);
    return p;
  }
  static std::vector<int> back(CUdeviceptr p, std::size_t count) {
    std::vector<int> values(count);
    EXPECT_EQ(cuMemcpyDtoH(values.data(), p, count * 4), CUDA_SUCCESS);
    return values;
  }
  CUcontext context = nullptr;
};

TEST_F(Driver, AKernelTakesItsParametersEitherWay) {
  const CUfunction advance = kernel(load(), "advance");
  CUdeviceptr p = ints({1, 2, 3});
  short by = 10;
  char often = 2;
  void* parameters[] = {&p, &by, &often};
  ASSERT_EQ(cuLaunchKernel(advance, 1, 1, 1, 3, 1, 1, 0, nullptr, parameters, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(back(p, 3), (std::vector<int>{61, 82, 63}));
  struct {
    CUdeviceptr p;
    short by;
    char often;
  } packed{p, 1, 1};
  std::size_t bytes = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  ASSERT_EQ(cuLaunchKernel(advance, 1, 1, 1, 3, 1, 1, 0, nullptr, nullptr, extra), CUDA_SUCCESS);
  EXPECT_EQ(back(p, 3), (std::vector<int>{64, 86, 66}));
  bytes = 10;
  EXPECT_EQ(cuLaunchKernel(advance, 1, 1, 1, 3, 1, 1, 0, nullptr, nullptr, extra), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchKernel(advance, 1, 1, 1, 3, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, VariablesAndConstantsHaveAddresses) {
  const CUmodule module = load();
  CUdeviceptr total = 0, steps = 0;
  std::size_t bytes = 0;
  ASSERT_EQ(cuModuleGetGlobal(&total, &bytes, module, "total"), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 4U);
  ASSERT_EQ(cuModuleGetGlobal(&steps, &bytes, module, "steps"), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 8U);
  EXPECT_EQ(back(steps, 2), (std::vector<int>{3, 4}));
  const int other[] = {7, 8};
  ASSERT_EQ(cuMemcpyHtoD(steps, other, sizeof other), CUDA_SUCCESS);
  CUdeviceptr p = ints({0, 0});
  short by = 1;
  char often = 1;
  void* parameters[] = {&p, &by, &often};
  ASSERT_EQ(cuLaunchKernel(kernel(module, "advance"), 1, 1, 1, 2, 1, 1, 0, nullptr, parameters, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(back(p, 2), (std::vector<int>{7, 8}));
  EXPECT_EQ(back(total, 1), std::vector<int>{2});
}

TEST_F(Driver, WordsAndBytesAreFilled) {
  CUdeviceptr p = ints({0, 0, 0, 0});
  ASSERT_EQ(cuMemsetD32(p + 4, 0x01020304, 2), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD8(p + 12, 0xff, 2), CUDA_SUCCESS);
  EXPECT_EQ(back(p, 4), (std::vector<int>{0, 0x01020304, 0x01020304, 0xffff}));
  EXPECT_EQ(cuMemsetD32(p + 8, 1, 3), CUDA_ERROR_INVALID_VALUE) << "beyond the end";
  EXPECT_EQ(cuMemsetD32(p + 2, 1, 1), CUDA_ERROR_INVALID_VALUE) << "misaligned";
}

TEST_F(Driver, TheDeviceIsTheRuntimeLibrarys) {
  int* const made_there = device_ints({5, 6});
  EXPECT_EQ(back(reinterpret_cast<CUdeviceptr>(made_there), 2), (std::vector<int>{5, 6}));
  char name[8];
  ASSERT_EQ(cuDeviceGetName(name, sizeof name, 0), CUDA_SUCCESS);
  EXPECT_STREQ(name, "Warpfol");
  int value = 0;
  ASSERT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0), CUDA_SUCCESS);
  EXPECT_EQ(value, 3);
  ASSERT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel(load(), "nothing")), CUDA_SUCCESS);
  EXPECT_EQ(value, 0);
}

TEST_F(Driver, TheBlockSizeThatFillsACore) {
  const CUfunction function = kernel(load(), "nothing");
  int grid = 0, block = 0, blocks = 0, can = 1;
  ASSERT_EQ(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, nullptr, 0, 96), CUDA_SUCCESS);
  EXPECT_LE(block, 96);
  EXPECT_EQ(block % 32, 0);
  ASSERT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, block, 0), CUDA_SUCCESS);
  EXPECT_EQ(grid, 3 * blocks) << "three cores";
  static int smallest = 0;
  const CUoccupancyB2DSize asked = [](int size) -> size_t { return smallest = size, 0; };
  ASSERT_EQ(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, asked, 0, 64), CUDA_SUCCESS);
  EXPECT_EQ(smallest, 32) << "what a block of each size needs";
  ASSERT_EQ(cuDeviceCanAccessPeer(&can, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(can, 0);
  EXPECT_EQ(cuDeviceCanAccessPeer(&can, 1, 0), CUDA_ERROR_INVALID_DEVICE);
}

// Programs have tables of them, whatever they use.
TEST_F(Driver, EnumeratorsHaveTheDocumentedNumbers) {
  static_assert(int{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS} ==
                int{cudaDevAttrMaxTextureCubemapLayeredLayers});
  static_assert(int{CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH} == int{cudaDevAttrMaxSurface2DLayeredWidth});
  static_assert(int{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH} ==
                int{cudaDevAttrMaxTexture1DMipmappedWidth});
  static_assert(int{CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST} ==
                int{cudaDevAttrDirectManagedMemAccessFromHost});
  static_assert(int{CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED} == int{cudaDevAttrMemoryPoolsSupported});
  static_assert(CU_JIT_CACHE_MODE == 14 && CU_COMPUTEMODE_PROHIBITED == 2 && CU_JIT_INPUT_PTX == 1);
  const char *map = nullptr, *joined = nullptr;
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_MAP_FAILED, &map), CUDA_SUCCESS);
  EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(904), &joined), CUDA_SUCCESS);
  EXPECT_STREQ(map, "CUDA_ERROR_MAP_FAILED");
  EXPECT_STREQ(joined, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED");
  int has = -1, pools = -1;
  EXPECT_EQ(cuDeviceGetAttribute(&has, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuDeviceGetAttribute(&pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 0), CUDA_SUCCESS);
  EXPECT_EQ(has, 0);
  EXPECT_EQ(pools, 1);
  EXPECT_EQ(cuDeviceGetAttribute(&has, CU_DEVICE_ATTRIBUTE_MAX, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, WhatCannotBeLoadedOrFoundIsTold) {
  ::testing::internal::CaptureStderr();
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  EXPECT_EQ(cuModuleLoad(&module, "/nowhere/k.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(cuModuleLoad(&module, "/dev/zero"), CUDA_ERROR_FILE_NOT_FOUND) << "it has no end";
  EXPECT_EQ(cuModuleLoadData(&module,
                             "\x7f"
                             "ELF"),
            CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(cuModuleLoadData(&module, ".version nonsense"), CUDA_ERROR_INVALID_PTX);
  module = load();
  EXPECT_EQ(cuModuleGetFunction(&function, module, "retreat"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetFunction(&function, module, "advance"), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("cuModuleLoad: /nowhere/k.ptx: cannot read this module: No such file or directory\n"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("cuModuleLoadData: not PTX text"), std::string::npos) << said;
  EXPECT_NE(said.find("no kernel 'retreat' in this module"), std::string::npos) << said;
}

TEST_F(Driver, ContextsAreMadeAsOfCuda13) {
  CUcontext other = nullptr;
  CUctxCreateParams parameters{};
  ASSERT_EQ(cuCtxCreate(&other, &parameters, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy(other), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxCreate(&other, nullptr, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy(other), CUDA_SUCCESS);
  parameters.numExecAffinityParams = 1;
  EXPECT_EQ(cuCtxCreate(&other, &parameters, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
}

// As on a device that runs them later.
TEST_F(Driver, WhatAKernelDoesWrongIsToldByTheNextCall) {
  const std::string ptx = ptx_of("extern \"C\" __global__ void wild(int* p) { *p = 1; }");
  CUmodule module = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, ptx.c_str()), CUDA_SUCCESS);
  CUdeviceptr nowhere = 64;
  void* parameters[] = {&nowhere};
  const CUfunction wild = kernel(module, "wild");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(cuLaunchKernel(wild, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr), CUDA_SUCCESS);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("kernel 'wild'"), std::string::npos);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuLaunchKernel(wild, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
  cudaDeviceReset();
}

TEST_F(Driver, ContextsAreAStack) {
  CUcontext other = nullptr, found = nullptr;
  ASSERT_EQ(cuCtxCreate(&other, 0, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxGetCurrent(&found), CUDA_SUCCESS);
  EXPECT_EQ(found, other);
  ASSERT_EQ(cuCtxPopCurrent(&found), CUDA_SUCCESS);
  EXPECT_EQ(found, other);
  ASSERT_EQ(cuCtxGetCurrent(&found), CUDA_SUCCESS);
  EXPECT_EQ(found, context);
  EXPECT_EQ(cuCtxDestroy(other), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxPushCurrent(other), CUDA_ERROR_INVALID_CONTEXT);
  const CUdeviceptr p = ints({1});
  EXPECT_EQ(cuCtxDestroy(context), CUDA_SUCCESS);
  context = nullptr;
  ASSERT_EQ(cuCtxCreate(&context, 0, 0), CUDA_SUCCESS);
  int value = 0;
  EXPECT_EQ(cuMemcpyDtoH(&value, p, 4), CUDA_ERROR_INVALID_VALUE) << "it went with its context";
}

TEST_F(Driver, ErrorsHaveNamesAndThoseOfTheRuntimeAreMapped) {
  const char* text = nullptr;
  ASSERT_EQ(cuGetErrorName(CUDA_ERROR_INVALID_PTX, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_INVALID_PTX");
  ASSERT_EQ(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "out of memory");
  EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(12345), &text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGet(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceTotalMem(nullptr, 7), CUDA_ERROR_INVALID_DEVICE);
  CUfunc_st* const unknown = reinterpret_cast<CUfunction>(&text);
  EXPECT_EQ(cuLaunchKernel(unknown, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_HANDLE);
  const CUfunction nothing = kernel(load(), "nothing");
  EXPECT_EQ(cuLaunchKernel(nothing, 1, 1, 1, 4096, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

// The order of a program's calls, so in a process of its own.
TEST(DriverDeathTest, NothingWorksBeforeItsTime) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto calls = [] {
    CUdeviceptr p = 0;
    CUcontext context = nullptr;
    const bool right = cuMemAlloc(&p, 4) == CUDA_ERROR_NOT_INITIALIZED && cuInit(0) == CUDA_SUCCESS &&
                       cuMemAlloc(&p, 4) == CUDA_ERROR_INVALID_CONTEXT &&
                       cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS &&
                       cuMemAlloc(&p, 4) == CUDA_ERROR_INVALID_CONTEXT && cuCtxSetCurrent(context) == CUDA_SUCCESS &&
                       cuMemAlloc(&p, 4) == CUDA_SUCCESS;
    std::_Exit(right ? 42 : 1);
  };
  EXPECT_EXIT(calls(), ::testing::ExitedWithCode(42), "");
}

}  // namespace driver_test
}  // namespace warpfold::host
