// SPDX-License-Identifier: Apache-2.0
// Modules that a program links while it runs, and what of that fails how.
#include <array>
#include <cstdint>

#include "tests/host/runtime_fixture.h"
#include "warpfold/host/include/cuda.h"

namespace warpfold::host {
namespace driver_link_test {

constexpr const char* kCaller = R"(
extern __device__ int offset;
__device__ int twice(int x);
static __device__ int own() { return 1000; }
extern "C" __global__ void k(int* p) { p[threadIdx.x] = twice(p[threadIdx.x]) + offset + own(); }
)";
constexpr const char* kCallee = R"(
__device__ int offset = 100;
static __device__ __noinline__ int own(int x) { return 2 * x; }
__device__ int twice(int x) { return own(x); }
)";

class DriverLink : public RuntimeApi {
 protected:
  DriverLink() {
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxCreate(&context, 0, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuLinkCreate(2, names.data(), values.data(), &state), CUDA_SUCCESS);
    ::testing::internal::CaptureStderr();  // what is refused is there, too
  }
  ~DriverLink() override {
    ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(cuLinkDestroy(state), CUDA_SUCCESS);
    EXPECT_EQ(cuLinkDestroy(state), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuCtxDestroy(context), CUDA_SUCCESS);
  }
  static const std::string& caller() {
    static const std::string ptx = ptx_of(kCaller, "-rdc=true");
    return ptx;
  }
  static const std::string& callee() {
    static const std::string ptx = ptx_of(kCallee, "-rdc=true");
    return ptx;
  }
  CUresult add(std::string text, CUjitInputType type = CU_JIT_INPUT_PTX, const char* name = nullptr) {
    return cuLinkAddData(state, type, text.data(), text.size() + 1, name, 0, nullptr, nullptr);
  }
  CUresult complete() { return cuLinkComplete(state, &image, &bytes); }

  CUcontext context = nullptr;
  CUlinkState state = nullptr;
  void* image = nullptr;
  std::size_t bytes = 0;
  char log[200];
  std::array<CUjit_option, 2> names = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values = {log, reinterpret_cast<void*>(std::uintptr_t{sizeof log})};
};

TEST_F(DriverLink, ModulesAreOneProgram) {
  const ScratchFolder folder;
  const std::string file = folder.write("callee.ptx", callee());
  ASSERT_EQ(add(caller()), CUDA_SUCCESS);
  ASSERT_EQ(cuLinkAddFile(state, CU_JIT_INPUT_PTX, file.c_str(), 0, nullptr, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuLinkAddFile(state, CU_JIT_INPUT_LIBRARY, "/opt/cuda/lib64/libcudadevrt.a", 0, nullptr, nullptr),
            CUDA_SUCCESS);
  ASSERT_EQ(complete(), CUDA_SUCCESS) << log;
  EXPECT_STREQ(log, "");
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, image), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&function, module, "k"), CUDA_SUCCESS);
  int* p = device_ints({1, 2, 3});
  void* parameters[] = {&p};
  ASSERT_EQ(cuLaunchKernel(function, 1, 1, 1, 3, 1, 1, 0, nullptr, parameters, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(host_ints(p, 3), (std::vector<int>{1102, 1104, 1106}));
  EXPECT_EQ(add(caller()), CUDA_ERROR_INVALID_VALUE) << "it is complete";
}

TEST_F(DriverLink, WhatNobodyDefinesIsNamed) {
  ASSERT_EQ(add(caller()), CUDA_SUCCESS);
  EXPECT_EQ(complete(), CUDA_ERROR_INVALID_SOURCE);
  EXPECT_STREQ(log, "error: used and defined in no module: offset, twice(int)");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values[1]), std::string(log).size());
  ASSERT_EQ(add(callee()), CUDA_SUCCESS) << "it may be mended";
  EXPECT_EQ(complete(), CUDA_SUCCESS);
}

TEST_F(DriverLink, WhatTwoDefineIsNamed) {
  ASSERT_EQ(add(callee(), CU_JIT_INPUT_PTX, "first"), CUDA_SUCCESS);
  ASSERT_EQ(add(callee(), CU_JIT_INPUT_PTX, "second"), CUDA_SUCCESS);
  EXPECT_EQ(complete(), CUDA_ERROR_INVALID_SOURCE);
  EXPECT_NE(std::string(log).find("'offset' is defined in first and in second"), std::string::npos) << log;
}

TEST_F(DriverLink, OnlyPtxIsTaken) {
  EXPECT_EQ(add("\x7f"
                "ELF",
                CU_JIT_INPUT_CUBIN, "k.cubin"),
            CUDA_ERROR_INVALID_IMAGE);
  EXPECT_STREQ(log,
               "error: k.cubin: a cubin without PTX text; the model links PTX: give what -ptx makes, of nvcc or "
               "warpfold-cc");
  EXPECT_EQ(add(std::string("\x50\xed\x55\xba"), CU_JIT_INPUT_FATBINARY), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(add("!<arch>\n", CU_JIT_INPUT_LIBRARY), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(add(".version nonsense"), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(add(callee(), CU_JIT_INPUT_CUBIN), CUDA_SUCCESS) << "what warpfold-cc -cubin makes is PTX";
}

TEST_F(DriverLink, ArgumentsAreChecked) {
  EXPECT_EQ(cuLinkCreate(0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLinkAddData(state, CU_JIT_INPUT_PTX, nullptr, 4, nullptr, 0, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLinkAddData(nullptr, CU_JIT_INPUT_PTX, log, 4, nullptr, 0, nullptr, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLinkAddFile(state, CU_JIT_INPUT_PTX, "/nowhere.ptx", 0, nullptr, nullptr), CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(add(caller(), CU_JIT_NUM_INPUT_TYPES), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(complete(), CUDA_ERROR_NO_BINARY_FOR_GPU) << "of nothing";
  ASSERT_EQ(add(callee()), CUDA_SUCCESS);
  EXPECT_EQ(cuLinkComplete(state, nullptr, &bytes), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverLink, LoadingHasALogToo) {
  CUmodule module = nullptr;
  values[1] = reinterpret_cast<void*>(std::uintptr_t{sizeof log});
  EXPECT_EQ(cuModuleLoadDataEx(&module, "\x7f", 2, names.data(), values.data()), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_STREQ(log, "error: not PTX text; make it with warpfold-cc -ptx, -cubin or -fatbin");
}

}  // namespace driver_link_test
}  // namespace warpfold::host
