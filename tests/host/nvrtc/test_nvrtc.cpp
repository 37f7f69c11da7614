// SPDX-License-Identifier: Apache-2.0
// NVRTC's calls: from a source to a running kernel, and what of it fails how.
#include <cstring>

#include "tests/host/runtime_fixture.h"
#include "warpfold/host/include/cuda.h"
#include "warpfold/host/include/nvrtc.h"

namespace warpfold::host {
namespace nvrtc_test {

constexpr const char* kSource = R"(
namespace work {
__constant__ int factor = 3;
template <class T, int kMore> __global__ void scale(T* p) { p[threadIdx.x] = p[threadIdx.x] * factor + kMore; }
}
extern "C" __global__ void plain() {}
)";

class Nvrtc : public RuntimeApi {
 protected:
  explicit Nvrtc(const char* source = kSource) {
    EXPECT_EQ(nvrtcCreateProgram(&program, source, "scale.cu", 0, nullptr, nullptr), NVRTC_SUCCESS);
  }
  ~Nvrtc() override {
    if (program != nullptr) {
      EXPECT_EQ(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
    }
  }
  nvrtcResult compile(const std::vector<const char*>& options = {}) const {
    return nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data());
  }
  template <class Size, class Get>
  std::string text(Size size, Get get) const {
    std::size_t bytes = 0;
    EXPECT_EQ(size(program, &bytes), NVRTC_SUCCESS);
    std::string all(bytes, 'x');
    EXPECT_EQ(get(program, all.data()), NVRTC_SUCCESS);
    if (bytes == 0) return "";
    EXPECT_EQ(std::strlen(all.c_str()), bytes - 1);
    return all.c_str();
  }
  std::string ptx() const { return text(nvrtcGetPTXSize, nvrtcGetPTX); }
  std::string cubin() const { return text(nvrtcGetCUBINSize, nvrtcGetCUBIN); }
  std::string log() const { return text(nvrtcGetProgramLogSize, nvrtcGetProgramLog); }
  nvrtcProgram program = nullptr;
};

class NvrtcOnDevice : public Nvrtc {
 protected:
  NvrtcOnDevice() {
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxCreate(&context, 0, 0), CUDA_SUCCESS);
  }
  ~NvrtcOnDevice() override { EXPECT_EQ(cuCtxDestroy(context), CUDA_SUCCESS); }
  CUcontext context = nullptr;
};

TEST_F(NvrtcOnDevice, ATemplateRunsByItsLoweredName) {
  constexpr const char* kKernel = "work::scale<int, 100>";
  constexpr const char* kFactor = "&work::factor";
  ASSERT_EQ(nvrtcAddNameExpression(program, kKernel), NVRTC_SUCCESS);
  ASSERT_EQ(nvrtcAddNameExpression(program, kFactor), NVRTC_SUCCESS);
  ASSERT_EQ(compile({"--gpu-architecture=compute_70", "--std=c++14"}), NVRTC_SUCCESS) << log();
  EXPECT_EQ(log(), "");
  const char *kernel = nullptr, *factor = nullptr;
  ASSERT_EQ(nvrtcGetLoweredName(program, kKernel, &kernel), NVRTC_SUCCESS);
  ASSERT_EQ(nvrtcGetLoweredName(program, kFactor, &factor), NVRTC_SUCCESS);
  EXPECT_STREQ(kernel, "_ZN4work5scaleIiLi100EEEvPT_");
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr variable = 0;
  std::size_t bytes = 0;
  ASSERT_EQ(cuModuleLoadDataEx(&module, ptx().c_str(), 0, nullptr, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&function, module, kernel), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetGlobal(&variable, &bytes, module, factor), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 4U);
  int* p = device_ints({1, 2, 3});
  void* parameters[] = {&p};
  ASSERT_EQ(cuLaunchKernel(function, 1, 1, 1, 3, 1, 1, 0, nullptr, parameters, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(host_ints(p, 3), (std::vector<int>{103, 106, 109}));
}

TEST_F(NvrtcOnDevice, ACubinIsPtxToo) {
  ASSERT_EQ(compile({"-arch=compute_80"}), NVRTC_SUCCESS);
  EXPECT_EQ(cubin(), "");
  ASSERT_EQ(compile({"-arch=sm_80"}), NVRTC_SUCCESS);
  EXPECT_EQ(cubin(), ptx());
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  CUmodule module = nullptr, same = nullptr;
  ASSERT_EQ(cuLibraryLoadData(&library, cubin().c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuLibraryGetKernel(&kernel, library, "plain"), CUDA_SUCCESS);
  ASSERT_EQ(cuKernelGetFunction(&function, kernel), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_SUCCESS);
  ASSERT_EQ(cuLibraryGetModule(&module, library), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetFunction(&function, module, "plain"), CUDA_SUCCESS);
  CUdeviceptr variable = 0;
  EXPECT_EQ(cuLibraryGetGlobal(&variable, nullptr, library, "_ZN4work6factorE"), CUDA_SUCCESS);
  EXPECT_EQ(cuLibraryGetGlobal(&variable, nullptr, library, "factor"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuLibraryGetKernel(&kernel, library, "simple"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
  EXPECT_EQ(cuLibraryGetModule(&same, library), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLibraryUnload(library), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuKernelGetFunction(&function, reinterpret_cast<CUkernel>(&module)), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLibraryLoadFromFile(&library, "/nowhere.ptx", nullptr, nullptr, 0, nullptr, nullptr, 0),
            CUDA_ERROR_FILE_NOT_FOUND);
}

// Such a module would otherwise be one with the program's own -rdc=true modules.
TEST_F(NvrtcOnDevice, RelocatableCodeIsAProgramOfItsOwn) {
  ASSERT_EQ(compile({"-rdc=true"}), NVRTC_SUCCESS);
  CUmodule first = nullptr, second = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ(cuModuleLoadData(&first, ptx().c_str()), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleLoadData(&second, ptx().c_str()), CUDA_SUCCESS) << "no name is there twice";
  EXPECT_EQ(cuModuleGetFunction(&function, second, "plain"), CUDA_SUCCESS);
}

TEST_F(Nvrtc, SaysWhatIsWrong) {
  EXPECT_EQ(compile({"--warp-drive"}), NVRTC_ERROR_INVALID_OPTION);
  EXPECT_EQ(log(), "error: --warp-drive: unknown option\n");
  EXPECT_EQ(compile({"-Dwork=1work"}), NVRTC_ERROR_COMPILATION);
  EXPECT_EQ(count(log(), "scale.cu:2:11: error: expected unqualified-id"), 1U) << log();
  EXPECT_EQ(ptx(), "");
  ASSERT_EQ(nvrtcAddNameExpression(program, "work::none<int>"), NVRTC_SUCCESS);
  EXPECT_EQ(compile(), NVRTC_ERROR_COMPILATION);
  EXPECT_EQ(count(log(), "name expression work::none<int>:1:92: error: no member named 'none'"), 1U) << log();
}

TEST_F(Nvrtc, NamesHaveTheirTime) {
  const char* name = nullptr;
  ASSERT_EQ(nvrtcAddNameExpression(program, "plain"), NVRTC_SUCCESS);
  EXPECT_EQ(nvrtcGetLoweredName(program, "plain", &name), NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
  ASSERT_EQ(compile(), NVRTC_SUCCESS);
  EXPECT_EQ(nvrtcAddNameExpression(program, "&plain"), NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
  EXPECT_EQ(nvrtcGetLoweredName(program, "&plain", &name), NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
  ASSERT_EQ(nvrtcGetLoweredName(program, "plain", &name), NVRTC_SUCCESS);
  EXPECT_STREQ(name, "plain");
}

TEST_F(Nvrtc, HandlesAndArgumentsAreChecked) {
  nvrtcProgram other = nullptr;
  const char* text[] = {""};
  const char* wrong[] = {"/n.h"};
  std::size_t bytes = 0;
  EXPECT_EQ(nvrtcCreateProgram(nullptr, "", "", 0, nullptr, nullptr), NVRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvrtcCreateProgram(&other, nullptr, "", 0, nullptr, nullptr), NVRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvrtcCreateProgram(&other, "", "", 1, nullptr, nullptr), NVRTC_ERROR_INVALID_INPUT);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(nvrtcCreateProgram(&other, "", "", 1, text, wrong), NVRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(count(::testing::internal::GetCapturedStderr(), "nvrtcCreateProgram: header '/n.h': expected"), 1U);
  EXPECT_EQ(nvrtcCompileProgram(nullptr, 0, nullptr), NVRTC_ERROR_INVALID_PROGRAM);
  EXPECT_EQ(nvrtcCompileProgram(program, 1, nullptr), NVRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvrtcGetPTXSize(program, nullptr), NVRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvrtcGetPTX(program, nullptr), NVRTC_ERROR_INVALID_INPUT);
  other = program;
  EXPECT_EQ(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
  EXPECT_EQ(program, nullptr);
  EXPECT_EQ(nvrtcDestroyProgram(&other), NVRTC_ERROR_INVALID_PROGRAM);
  EXPECT_EQ(nvrtcGetPTXSize(other, &bytes), NVRTC_ERROR_INVALID_PROGRAM);
}

TEST(NvrtcItself, HasAVersionAndArchitectures) {
  int major = 0, minor = 0, count_of_them = 0;
  ASSERT_EQ(nvrtcVersion(&major, &minor), NVRTC_SUCCESS);
  EXPECT_EQ(1000 * major + 10 * minor, CUDA_VERSION);
  ASSERT_EQ(nvrtcGetNumSupportedArchs(&count_of_them), NVRTC_SUCCESS);
  std::vector<int> all(static_cast<std::size_t>(count_of_them));
  ASSERT_EQ(nvrtcGetSupportedArchs(all.data()), NVRTC_SUCCESS);
  EXPECT_EQ(all, std::vector<int>{70});
  EXPECT_STREQ(nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), "NVRTC_ERROR_COMPILATION");
  EXPECT_STREQ(nvrtcGetErrorString(static_cast<nvrtcResult>(99)), "NVRTC_ERROR unknown");
}

}  // namespace nvrtc_test
}  // namespace warpfold::host
