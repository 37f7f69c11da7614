// SPDX-License-Identifier: Apache-2.0
// libcu++: the C++ library's parts for device code, and atomics of scopes.
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/complex>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

#include "checks.h"

namespace {

constexpr int kThreads = 64, kBlocks = 10;

__device__ cuda::atomic<int, cuda::thread_scope_device> counter;
__device__ cuda::std::atomic<unsigned> flags;

__global__ void count() {
  counter.fetch_add(1, cuda::std::memory_order_relaxed);
  flags.fetch_or(1u << threadIdx.x % 32, cuda::std::memory_order_release);
}

__global__ void read(int* out) {
  out[0] = counter.load();
  out[1] = flags.load() == ~0u;
  const cuda::std::tuple<int, float> pair(3, 4.0f);
  out[2] = cuda::std::get<0>(pair) + static_cast<int>(cuda::std::get<1>(pair));
  const cuda::std::complex<float> square = cuda::std::complex<float>(1, 2) * cuda::std::complex<float>(1, 2);
  out[3] = static_cast<int>(square.real()) * 100 + static_cast<int>(square.imag());
  const cuda::std::array<int, 3> values{{1, 2, 3}};
  out[4] = values[2] + static_cast<int>(values.size());
  static_assert(cuda::std::is_same<cuda::std::decay<const int&>::type, int>::value, "types");
}

}  // namespace

int main() {
  Checks check;
  int *d, h[kThreads];
  cudaMalloc(&d, sizeof h);
  count<<<kBlocks, kThreads>>>();
  read<<<1, 1>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  check("cuda::atomic", h[0] == kBlocks * kThreads);
  check("cuda::std::atomic", h[1] == 1);
  check("tuple", h[2] == 7);
  check("complex", h[3] == -300 + 4);
  check("array", h[4] == 6);
  return check.end();
}
