// SPDX-License-Identifier: Apache-2.0
#include "tests/host/runtime_fixture.h"

namespace warpfold::host {
namespace {

constexpr const char* kSource = R"(
__constant__ int factor[2] = {3, 4};
__device__ int total;
extern "C" __global__ void scale(int* p, short shift, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { p[i] = p[i] * factor[0] + shift; atomicAdd(&total, 1); }
}
extern "C" __global__ void wild(int* p) { p[1 << 20] = 1; }
extern "C" __global__ void crooked(char* p) { *(int*)(p + 1) = 1; }
extern "C" __global__ void gives_up(int*) { __trap(); }
extern "C" __global__ void __launch_bounds__(64) bounded(int* p) {
  extern __shared__ int s[];
  s[threadIdx.x] = 1; *p = s[0];
}
)";

}  // namespace

RegisteredProgram::RegisteredProgram() : ptx(ptx_of(kSource)) {
  wrapper.ptx = ptx.c_str();
  void** handle = __cudaRegisterFatBinary(&wrapper);
  const auto kernel = [&](const char* address, const char* name) {
    __cudaRegisterFunction(handle, address, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  };
  kernel(&scale, "scale");
  kernel(&wild, "wild");
  kernel(&bounded, "bounded");
  kernel(&crooked, "crooked");
  kernel(&gives_up, "gives_up");
  __cudaRegisterVar(handle, &factor, nullptr, "factor", 0, 8, 1, 0);
  __cudaRegisterVar(handle, &total, nullptr, "total", 0, 4, 0, 0);
  __cudaRegisterFatBinaryEnd(handle);
}

RegisteredProgram& program() {
  static auto* const made = new RegisteredProgram;
  return *made;
}

RuntimeApi::RuntimeApi() {
  program();
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  cudaGetLastError();
  std::size_t free_bytes = 0, all = 0;
  EXPECT_EQ(cudaMemGetInfo(&free_bytes, &all), cudaSuccess);
  EXPECT_EQ(free_bytes, runtime_device().memory().capacity());
}

int* RuntimeApi::device_ints(const std::vector<int>& values) {
  int* p = nullptr;
  EXPECT_EQ(cudaMalloc(&p, values.size() * sizeof(int)), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(p, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice), cudaSuccess);
  return p;
}

std::vector<int> RuntimeApi::host_ints(const int* p, std::size_t count) {
  std::vector<int> values(count);
  EXPECT_EQ(cudaMemcpy(values.data(), p, count * sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
  return values;
}

cudaError_t RuntimeApi::launch_scale(int* p, short shift, int n, cudaStream_t stream) {
  void* arguments[] = {&p, &shift, &n};
  return cudaLaunchKernel(&program().scale, dim3(static_cast<unsigned>(n)), dim3(1), arguments, 0, stream);
}

cudaError_t RuntimeApi::launch(const char& kernel, void* p, dim3 grid, dim3 block, std::size_t shared_bytes) {
  void* arguments[] = {&p};
  return cudaLaunchKernel(&kernel, grid, block, arguments, shared_bytes, nullptr);
}

}  // namespace warpfold::host
