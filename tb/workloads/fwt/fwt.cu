// SPDX-License-Identifier: Apache-2.0
// Fast Walsh-Hadamard transform, radix 4: passes with a stride beyond one block go through global memory, one pass per
// launch; the last ten powers of two are done in shared memory by a single launch.
//
//   fwt [--size small|default|large] [--seed N]
#include "../common/workload.h"

using workload::DeviceBuffer;

constexpr const char* kProgram = "fwt";
constexpr int kBlockSize = 256;
constexpr int kChunk = 4 * kBlockSize;

// Two passes of the transform over four values that are `stride` apart.
__device__ inline void butterfly(float* values, int stride) {
  const float a = values[0];
  const float b = values[stride];
  const float c = values[2 * stride];
  const float d = values[3 * stride];
  const float sum_even = a + c;
  const float sum_odd = b + d;
  const float difference_even = a - c;
  const float difference_odd = b - d;
  values[0] = sum_even + sum_odd;
  values[stride] = sum_even - sum_odd;
  values[2 * stride] = difference_even + difference_odd;
  values[3 * stride] = difference_even - difference_odd;
}

// The first of the four values of a thread; the strides are powers of four.
__device__ inline int first_of_four(int thread, int stride) {
  const int low = thread & (stride - 1);
  return 4 * (thread - low) + low;
}

__global__ void transform_across(int stride, float* data) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  butterfly(data + first_of_four(thread, stride), stride);
}

__global__ void transform_chunks(float* data) {
  __shared__ float chunk[kChunk];
  const int thread = static_cast<int>(threadIdx.x);
  float* mine = data + static_cast<size_t>(blockIdx.x) * kChunk + thread;
  for (int i = 0; i < kChunk; i += kBlockSize) chunk[i + thread] = mine[i];
// Unrolled, every stride would be a constant, and little of the index arithmetic of a transform would be left.
#pragma unroll 1
  for (int stride = kBlockSize; stride > 0; stride /= 4) {
    __syncthreads();
    butterfly(chunk + first_of_four(thread, stride), stride);
  }
  __syncthreads();
  for (int i = 0; i < kChunk; i += kBlockSize) mine[i] = chunk[i + thread];
}

namespace {

// The textbook radix-2 form over integers.
void transform_on_host(std::vector<int>& values) {
  for (size_t stride = 1; stride < values.size(); stride *= 2) {
    for (size_t base = 0; base < values.size(); base += 2 * stride) {
      for (size_t i = base; i < base + stride; ++i) {
        const int a = values[i];
        const int b = values[i + stride];
        values[i] = a + b;
        values[i + stride] = a - b;
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int size = 1 << workload::by_size(options.size, 12, 20, 22);
  workload::Random random(options.seed);
  // Small whole numbers: their sums stay far below 2^24, so single precision is exact and the check is equality.
  std::vector<int> expected(size);
  for (int& value : expected) value = static_cast<int>(random.below(17)) - 8;

  const DeviceBuffer<float> data(std::vector<float>(expected.begin(), expected.end()));
  for (int stride = size / 4; stride >= kChunk; stride /= 4) {
    transform_across<<<size / kChunk, kBlockSize>>>(stride, data.get());
    workload::check_launch("transform_across");
  }
  transform_chunks<<<size / kChunk, kBlockSize>>>(data.get());
  workload::check_launch("transform_chunks");

  std::printf("fwt: %d values\n", size);
  transform_on_host(expected);
  return workload::verdict(
      workload::compare(data.download(), std::vector<float>(expected.begin(), expected.end()), 0.0f));
}
