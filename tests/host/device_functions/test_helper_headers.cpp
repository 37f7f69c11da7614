// SPDX-License-Identifier: Apache-2.0
// The headers that programs include beside CUDA's own: C++'s in device code, and the helpers of sample programs. Those
// of the helpers that need no device are called from here.
#include <cuComplex.h>
#include <cutil.h>
#include <exception.h>
#include <gtest/gtest.h>
#include <helper_image.h>
#include <helper_math.h>
#include <helper_string.h>
#include <helper_timer.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/host/front_end.h"
#include "tests/host/kernel_runner.h"

namespace warpfold::host {
namespace helper_headers_test {

const char* const kLibrary = R"(
#include <algorithm>
#include <chrono>
#include <complex>
#include <condition_variable>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <random>
#include <thread>
#include <unordered_map>
#if __cplusplus >= 201703L
#include <filesystem>
#include <optional>
#include <variant>
#endif
#if __cplusplus < 202002L
#include <regex>
#endif
__device__ __noinline__ int one(int x) { return x + 1; }
__forceinline__ __device__ int two(int x) { return one(x) + 1; }
__noinline__ int on_the_host() { return 3; }
__global__ void k(int* p) { *p = two(*p); }
int main() { return std::async([] { return *std::make_shared<int>(on_the_host()); }).get(); }
)";

TEST(HelperHeaders, CppLibraryOfEveryStandardInOneFileWithKernels) {
  const ScratchFolder folder;
  folder.write("t.cu", kLibrary);
  for (const char* standard : {"14", "17", "20"}) {
    const CommandResult result = folder.compile("-c -std=c++" + std::string(standard) + " t.cu");
    EXPECT_EQ(result.status, 0) << result.output;
  }
}

// A program's own copy of a helper comes first; others' helpers ask for the guards.
TEST(HelperHeaders, GuardsAndOrder) {
  const ScratchFolder folder;
  folder.write("exception.h", "static int own;\n");
  folder.write("t.cu", R"(
#if !defined(__DRIVER_TYPES_H__) || !defined(__CUDA_RUNTIME_H__) || !defined(__CUDA_RUNTIME_API_H__) || \
    !defined(__VECTOR_TYPES_H__) || !defined(__VECTOR_FUNCTIONS_H__) || !defined(__DEVICE_LAUNCH_PARAMETERS_H__) || \
    !defined(__HOST_DEFINES_H__) || !defined(__BUILTIN_TYPES_H__) || !defined(__CHANNEL_DESCRIPTOR_H__) || \
    !defined(__DEVICE_FUNCTIONS_H__) || !defined(__MATH_FUNCTIONS_H__) || CUDART_VERSION != 11050 || \
    __CUDACC_VER_MAJOR__ != 11 || __CUDACC_VER_MINOR__ != 5
#error
#endif
#include <cutil_inline.h>
#include <cutil_math.h>
#include <helper_cuda.h>
#include "exception.h"
int main(int argc, char** argv) {
  CUT_DEVICE_INIT(argc, argv);
  cutilSafeCall(cudaSetDevice(findCudaDevice(argc, (const char**)argv)));
  CUDA_SAFE_CALL(cudaDeviceSynchronize());
  CUT_CHECK_ERROR("kernel");
  checkCudaErrors(cudaGetLastError());
  getLastCudaError("kernel");
  CUT_EXIT(argc, argv);
  return own;
}
)");
  const CommandResult result = folder.compile("-c -Wall t.cu");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(result.output, "");
}

constexpr const char* kComplex = R"(
#include <cuComplex.h>
extern "C" __global__ void k(double* out) {
  const cuDoubleComplex a = make_cuDoubleComplex(3, 4), b = cuConj(make_cuDoubleComplex(1, -2));
  const cuDoubleComplex results[] = {cuCadd(a, b), cuCsub(a, b), cuCmul(a, b), cuCdiv(a, b), cuCfma(a, b, a)};
  for (int i = 0; i < 5; ++i) { out[2 * i] = cuCreal(results[i]); out[2 * i + 1] = cuCimag(results[i]); }
  out[10] = cuCabsf(cuComplexDoubleToFloat(a));
}
)";

TEST(HelperHeaders, ComplexNumbers) {
  KernelRunner runner(ptx_of(kComplex));
  const Address out = runner.upload(std::vector<double>(11));
  runner.run("k", {1}, {1}, 0, out);
  const std::vector<double> wanted = {4, 6, 2, 2, -5, 10, 2.2, -0.4, -2, 14, 5},
                            result = runner.download<double>(out, 11);
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_DOUBLE_EQ(result[i], wanted[i]) << i;
  const cuComplex huge = make_cuComplex(1e30f, 1e30f), one = cuCdivf(huge, huge);
  EXPECT_FLOAT_EQ(one.x, 1);
  EXPECT_EQ(one.y, 0);
  EXPECT_DOUBLE_EQ(cuCabs(make_cuDoubleComplex(3e200, 4e200)), 5e200);
  EXPECT_EQ(cuCimagf(cuCmulf(make_cuComplex(0, 1), make_cuComplex(2, 0))), 2);
}

constexpr const char* kFunctions = R"(
#include <nvfunctional>
__device__ int on_device(int x) { return x + 1; }
__host__ __device__ inline int anywhere(int x) { return 2 * x; }
struct Counter {
  int* alive;
  __device__ explicit Counter(int* count) : alive(count) { ++*alive; }
  __device__ Counter(const Counter& other) : alive(other.alive) { ++*alive; }
  __device__ ~Counter() { --*alive; }
  __device__ int operator()(int x) const { return x + 100 * *alive; }
};
extern "C" __global__ void k(int* out) {
  int alive = 0, table[20];
  for (int i = 0; i < 20; ++i) table[i] = i * out[0];
  nvstd::function<int(int)> plain = on_device, other, large = [table](int i) { return table[i]; };
  out[1] = plain(1) + (other ? 1000 : 0);
  other = anywhere;
  out[2] = other(21);
  other = large;
  large = nullptr;
  out[3] = other(19) + (large == nullptr);
  {
    nvstd::function<int(int)> counted = Counter(&alive), copy = counted;
    out[4] = counted(7);
    swap(counted, plain);
    out[5] = counted(9);
    copy = plain;
    plain = anywhere;
    out[6] = copy(1);
  }
  out[7] = alive;
}
)";

TEST(HelperHeaders, FunctionsKeptByValue) {
  KernelRunner runner(ptx_of(kFunctions));
  const Address out = runner.upload(std::vector<int>{3, 0, 0, 0, 0, 0, 0, 9});
  runner.run("k", {1}, {1}, 0, out);
  EXPECT_EQ(runner.download<int>(out, 8), (std::vector<int>{3, 2, 42, 58, 207, 10, 101, 0}));
}

TEST(HelperHeaders, AnnotationsForProfilers) {
  const ScratchFolder folder;
  folder.write("t.cu", R"(
#include <nvToolsExt.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvtx3.hpp>
struct Mine { static constexpr const char* name = "mine"; };
void work() { NVTX3_FUNC_RANGE(); nvtx3::mark("m"); }
int main() {
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = "range";
  const int depth = nvtxRangePushEx(&attributes);
  nvtxRangePushA("inner"); nvtxRangePop(); nvtxMark("here");
  nvtxRangeEnd(nvtxRangeStart("r"));
  nvtx3::scoped_range_in<Mine> scoped{"scoped", nvtx3::rgb{1, 2, 3}};
  work();
  return depth == NVTX_NO_PUSH_POP_TRACKING ? 0 : 1;
}
)");
  const CommandResult result = folder.compile("-c -Wall t.cu -lnvToolsExt");
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.status, 0);
}

TEST(HelperHeaders, CommandLines) {
  const char* argv[] = {"./dir/prog", "--device=2", "-size=40", "--scale=0.25", "-quiet", "name=x", "-file=in=1.pgm"};
  const int argc = 7;
  EXPECT_TRUE(checkCmdLineFlag(argc, argv, "quiet"));
  EXPECT_FALSE(checkCmdLineFlag(argc, argv, "qui"));
  EXPECT_FALSE(checkCmdLineFlag(argc, argv, "name"));  // no dash
  EXPECT_EQ(getCmdLineArgumentInt(argc, argv, "device"), 2);
  EXPECT_EQ(getCmdLineArgumentInt(argc, argv, "absent"), 0);
  EXPECT_EQ(getCmdLineArgumentFloat(argc, argv, "scale"), 0.25f);
  char* file = nullptr;
  EXPECT_TRUE(getCmdLineArgumentString(argc, argv, "file", &file));
  EXPECT_STREQ(file, "in=1.pgm");
  int size = 7;
  EXPECT_EQ(cutGetCmdLineArgumenti(argc, argv, "absent", &size), CUTFalse);
  EXPECT_EQ(size, 7);
  EXPECT_EQ(cutGetCmdLineArgumenti(argc, argv, "size", &size), CUTTrue);
  EXPECT_EQ(size, 40);
}

TEST(HelperHeaders, FilesAreFoundBesideTheProgram) {
  const ScratchFolder folder;
  EXPECT_EQ(run_command("mkdir '" + folder.path("data") + "'").status, 0);
  folder.write("data/in.txt", "1.5 -2 3\n");
  EXPECT_EQ(sdkFindFilePath("no-such-file.txt", folder.path("prog").c_str()), nullptr);
  char* const path = sdkFindFilePath("in.txt", folder.path("prog").c_str());
  ASSERT_NE(path, nullptr);
  float* numbers = nullptr;
  unsigned length = 0;
  ASSERT_TRUE(sdkReadFile(path, &numbers, &length, false));
  EXPECT_EQ(std::vector<float>(numbers, numbers + length), (std::vector<float>{1.5f, -2, 3}));
  std::free(numbers);
  std::free(path);
}

TEST(HelperHeaders, ImagesComeBackAsTheyWereSaved) {
  const ScratchFolder folder;
  const std::string grey = folder.path("a.pgm"), colour = folder.path("a.ppm");
  std::vector<unsigned char> pixels(3 * 2 * 4);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<unsigned char>(10 * i + 1);
  ASSERT_TRUE(sdkSavePGM(grey.c_str(), pixels.data(), 6, 4));
  ASSERT_TRUE(sdkSavePPM4ub(colour.c_str(), pixels.data(), 3, 2));
  unsigned w = 0, h = 0;
  float* shades = nullptr;
  ASSERT_TRUE(sdkLoadPGM(grey.c_str(), &shades, &w, &h));
  EXPECT_EQ(w, 6u);
  EXPECT_EQ(h, 4u);
  for (std::size_t i = 0; i < pixels.size(); ++i) EXPECT_EQ(shades[i], static_cast<float>(pixels[i]) / 255.0f);
  unsigned char* four = nullptr;
  ASSERT_TRUE(sdkLoadPPM4ub(colour.c_str(), &four, &w, &h));
  EXPECT_EQ(w * h, 6u);
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(four[i], i % 4 == 3 ? 0 : pixels[i]) << i;
  EXPECT_TRUE(sdkComparePGM(grey.c_str(), grey.c_str(), 0, 0, false));
  EXPECT_FALSE(sdkComparePPM(grey.c_str(), grey.c_str(), 0, 0, false));  // not of this kind

  folder.write("commented.pgm", std::string("P5\n# a comment\n2 1\n# more\n255\n") + "\x07\x09");
  unsigned char* two = nullptr;
  ASSERT_TRUE(sdkLoadPGM(folder.path("commented.pgm").c_str(), &two, &w, &h));
  EXPECT_EQ(two[0], 7);
  EXPECT_EQ(two[1], 9);
  folder.write("short.pgm", "P5 4 4 255\nabc");
  unsigned char* none = nullptr;
  EXPECT_FALSE(sdkLoadPGM(folder.path("short.pgm").c_str(), &none, &w, &h));
  EXPECT_FALSE(sdkLoadPGM(folder.path("absent.pgm").c_str(), &none, &w, &h));
  std::free(shades);
  std::free(four);
  std::free(two);
  std::free(none);
}

TEST(HelperHeaders, ComparisonsOfResults) {
  const float reference[] = {3, 4, 0, 0}, close[] = {3, 4, 0.04f, 0};
  EXPECT_TRUE(sdkCompareL2fe(reference, close, 4, 0.0081f));  // 0.04 of 5 is 0.008
  EXPECT_FALSE(sdkCompareL2fe(reference, close, 4, 0.0079f));
  EXPECT_TRUE(compareData(reference, close, 4, 0.05f, 0.0f));
  EXPECT_FALSE(compareData(reference, close, 4, 0.03f, 0.0f));
  EXPECT_TRUE(compareData(reference, close, 4, 0.03f, 0.26f));  // one of four
  const float nan[] = {3, 4, std::nanf(""), 0};
  EXPECT_FALSE(compareData(reference, nan, 4, 0.05f, 0.0f));
}

TEST(HelperHeaders, TimersCountWhileTheyRun) {
  unsigned first = 0, second = 0;
  EXPECT_EQ(cutCreateTimer(&first), CUTTrue);
  EXPECT_EQ(cutCreateTimer(&second), CUTTrue);
  EXPECT_NE(first, second);
  EXPECT_EQ(cutGetTimerValue(first), 0.0f);
  cutStartTimer(first);
  while (cutGetTimerValue(first) < 2.0f) {
  }
  cutStopTimer(first);
  const float stopped = cutGetTimerValue(first);
  EXPECT_GE(stopped, 2.0f);
  EXPECT_EQ(cutGetTimerValue(first), stopped);
  EXPECT_EQ(cutGetAverageTimerValue(first), stopped);
  EXPECT_EQ(cutGetTimerValue(second), 0.0f);
  EXPECT_EQ(cutDeleteTimer(first), CUTTrue);
  EXPECT_EQ(cutStartTimer(first), CUTFalse);
  EXPECT_EQ(cutStartTimer(99), CUTFalse);
}

TEST(HelperHeaders, ExceptionsKnowTheirPlace) {
  try {
    RANGE_EXCEPTION("too far");
    FAIL();
  } catch (const std::range_error& error) {
    EXPECT_NE(std::string(error.what()).find("test_helper_headers.cpp"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("too far"), std::string::npos);
  }
}

// On the host here; the kernel has the same text.
TEST(HelperHeaders, VectorArithmetic) {
  const float3 a = make_float3(1, 2, 3), b = make_float3(make_float2(4, -5), 6);
  const float3 c = cross(a, b) + 2.0f * a - b / 2.0f;
  EXPECT_EQ(c.x, 12 + 15 + 2 - 2);
  EXPECT_EQ(c.y, 12 - 6 + 4 + 2.5f);
  EXPECT_EQ(c.z, -5 - 8 + 6 - 3);
  EXPECT_EQ(dot(a, b), 12.0f);
  EXPECT_EQ(length(make_float2(3, 4)), 5.0f);
  EXPECT_EQ(lerp(a, b, 0.5f).y, -1.5f);
  EXPECT_EQ(clamp(make_int4(-3, 2, 9, 0), 0, 5).z, 5);
  EXPECT_EQ(reflect(make_float3(1, -1, 0), make_float3(0, 1, 0)).y, 1.0f);
  EXPECT_EQ(fminf(make_float4(a, 9), make_float4(2.0f)).w, 2.0f);
  EXPECT_NEAR(length(normalize(b)), 1.0, 1e-6);
  int2 n = make_int2(7, 8);
  n -= make_int2(make_float2(1.5f, 2.5f));
  n *= 2;
  EXPECT_EQ(n.x, 12);
  EXPECT_EQ((-n).y, -12);

  KernelRunner runner(ptx_of(R"(
#include <helper_math.h>
extern "C" __global__ void k(float* out) {
  const float3 a = make_float3(1, 2, 3), b = make_float3(make_float2(4, -5), 6);
  const float3 c = cross(a, b) + 2.0f * a - b / 2.0f;
  out[0] = c.x; out[1] = c.y; out[2] = c.z; out[3] = clamp(make_int4(-3, 2, 9, 0), 0, 5).z; out[4] = length(normalize(b));
}
)"));
  const Address out = runner.upload(std::vector<float>(5));
  runner.run("k", {1}, {1}, 0, out);
  const std::vector<float> result = runner.download<float>(out, 5);
  EXPECT_EQ((std::vector<float>(result.begin(), result.begin() + 4)), (std::vector<float>{c.x, c.y, c.z, 5}));
  EXPECT_NEAR(result[4], 1, 1e-6);
}

}  // namespace helper_headers_test
}  // namespace warpfold::host
