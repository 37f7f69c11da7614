// SPDX-License-Identifier: Apache-2.0
// Prefix sums of a long array (Blelloch, 1990): each block sums up a tree over its part, upwards and down again, with
// half the threads of the step before or twice as many. The blocks' sums are scanned in the same way and added.
//
//   scan [--size small|default|large] [--seed N]
#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "scan";
constexpr int kThreads = 256;
constexpr int kPart = 2 * kThreads;

// `sums`, where there are any, get the sum of each part.
__global__ void scan_parts(const uint32_t* from, int count, uint32_t* to, uint32_t* sums) {
  __shared__ uint32_t tree[kPart];
  const int thread = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(blockIdx.x) * kPart;
  for (int i = thread; i < kPart; i += kThreads) tree[i] = first + i < count ? from[first + i] : 0;
  int distance = 1;
  for (int nodes = kPart / 2; nodes > 0; nodes /= 2) {
    __syncthreads();
    if (thread < nodes) tree[(2 * thread + 2) * distance - 1] += tree[(2 * thread + 1) * distance - 1];
    distance *= 2;
  }
  __syncthreads();
  if (thread == 0) {
    if (sums != nullptr) sums[blockIdx.x] = tree[kPart - 1];
    tree[kPart - 1] = 0;
  }
  for (int nodes = 1; nodes < kPart; nodes *= 2) {
    distance /= 2;
    __syncthreads();
    if (thread < nodes) {
      const int left = (2 * thread + 1) * distance - 1;
      const int right = (2 * thread + 2) * distance - 1;
      const uint32_t sum = tree[left];
      tree[left] = tree[right];
      tree[right] += sum;
    }
  }
  __syncthreads();
  for (int i = thread; i < kPart; i += kThreads) {
    if (first + i < count) to[first + i] = tree[i];
  }
}

__global__ void add_to_parts(const uint32_t* sums, int count, uint32_t* values) {
  const uint32_t sum = sums[blockIdx.x];
  const int end = min((static_cast<int>(blockIdx.x) + 1) * kPart, count);
  for (int i = static_cast<int>(blockIdx.x) * kPart + static_cast<int>(threadIdx.x); i < end; i += kThreads) {
    values[i] += sum;
  }
}

namespace {

void scan(const uint32_t* from, int count, uint32_t* to) {
  const int parts = (count + kPart - 1) / kPart;
  if (parts == 1) {
    scan_parts<<<1, kThreads>>>(from, count, to, nullptr);
    workload::check_launch("scan_parts");
    return;
  }
  const DeviceBuffer<uint32_t> sums(parts);
  const DeviceBuffer<uint32_t> before(parts);
  scan_parts<<<parts, kThreads>>>(from, count, to, sums.get());
  workload::check_launch("scan_parts");
  scan(sums.get(), parts, before.get());
  add_to_parts<<<parts, kThreads>>>(before.get(), count, to);
  workload::check_launch("add_to_parts");
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int count = workload::by_size(options.size, 700, 500000, 3000000);
  Random random(options.seed);
  std::vector<uint32_t> values(count);
  for (uint32_t& value : values) value = random.below(1000);
  const DeviceBuffer<uint32_t> from(values);
  const DeviceBuffer<uint32_t> to(count);
  scan(from.get(), count, to.get());

  std::vector<uint32_t> expected;
  uint32_t sum = 0;
  for (const uint32_t value : values) {
    expected.push_back(sum);
    sum += value;
  }
  std::printf("scan: %d values, %u in all\n", count, sum);
  return workload::verdict(workload::compare_equal(to.download(), expected));
}
