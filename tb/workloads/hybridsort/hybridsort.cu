// SPDX-License-Identifier: Apache-2.0
// Sorts numbers between 0 and 1 by buckets, then by merging (Sintorn and Assarsson: Fast Parallel GPU-Sorting Using a
// Hybrid Algorithm, JPDC 2008). A histogram gives 1024 buckets of about as many numbers; a thread finds the bucket of
// its numbers by binary search. Within a bucket, numbers are sorted in fours, and a thread merges two lists of fours,
// then lists twice as long, until there is one.
//
// TBC's Table 1 has Merge Sort of Rodinia, with kernels of 96, 32, 128, 256 and 208 threads a block: cuda/hybridsort of
// asubah/rodinia at commit c7cb01d. Algorithm and blocks are its own; at large its 4,194,304 numbers, at default a
// sixteenth of them, since all take minutes. It counts in shared memory by stores that are tried again until they stay,
// which wants warps in lock-step; here these are atomic additions.
//
//   hybridsort [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "hybridsort";
constexpr int kBuckets = 1024;
constexpr int kBins = 1024;
constexpr int kHistogramBlocks = 64;
constexpr int kHistogramWarps = 3;
constexpr int kWarp = 32;
constexpr int kBand = 128;  // numbers that a thread puts into buckets
constexpr int kBucketThreads = 32;
constexpr int kScanThreads = 128;
constexpr int kThreads = 256;
constexpr int kMergeThreads = 208;

// Where buckets begin: in fours, with zeros in front that fill the first four up, and as they are packed at the end.
struct Layout {
  int fours[kBuckets + 1];
  int packed[kBuckets + 1];
};

__constant__ Layout layout;

__global__ void count_bins(int count, const float* numbers, unsigned* bins) {
  __shared__ unsigned counts[kHistogramWarps][kBins];  // of each warp
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  for (int i = thread; i < kHistogramWarps * kBins; i += threads) counts[i / kBins][i % kBins] = 0;
  __syncthreads();
  for (int i = static_cast<int>(blockIdx.x) * threads + thread; i < count; i += threads * static_cast<int>(gridDim.x)) {
    atomicAdd(&counts[thread / kWarp][static_cast<int>(numbers[i] * kBins)], 1u);
  }
  __syncthreads();
  for (int bin = thread; bin < kBins; bin += threads) {
    unsigned sum = 0;
    for (int warp = 0; warp < kHistogramWarps; ++warp) sum += counts[warp][bin];
    atomicAdd(&bins[bin], sum);
  }
}

// Gives every number its bucket, and its rank among those of the block that are in it, in one word. `counts` gets a
// block's counts of all buckets.
__global__ void find_buckets(int count, const float* numbers, const float* pivots, unsigned* found, unsigned* counts) {
  __shared__ unsigned ranks[kBuckets];
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  for (int i = thread; i < kBuckets; i += threads) ranks[i] = 0;
  __syncthreads();
  for (int i = static_cast<int>(blockIdx.x) * threads + thread; i < count; i += threads * static_cast<int>(gridDim.x)) {
    const float number = numbers[i];
    int bucket = 0;
    for (int step = kBuckets / 2; step > 0; step /= 2) {
      bucket = number < pivots[bucket + step - 1] ? bucket : bucket + step;
    }
    found[i] = atomicAdd(&ranks[bucket], 1u) * kBuckets + static_cast<unsigned>(bucket);
  }
  __syncthreads();
  for (int i = thread; i < kBuckets; i += threads) counts[blockIdx.x * kBuckets + i] = ranks[i];
}

// Replaces the blocks' counts of a bucket by the sums of those before them.
__global__ void scan_blocks(int blocks, unsigned* counts, unsigned* sums) {
  const int bucket = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  unsigned sum = 0;
  for (int i = bucket; i < blocks * kBuckets; i += kBuckets) {
    const unsigned here = counts[i];
    counts[i] = sum;
    sum += here;
  }
  sums[bucket] = sum;
}

__global__ void fill_buckets(int count, const float* numbers, const unsigned* found, const unsigned* before,
                             float* bucketed) {
  __shared__ unsigned begins[kBuckets];
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  for (int i = thread; i < kBuckets; i += threads) {
    begins[i] = static_cast<unsigned>(4 * layout.fours[i]) + before[blockIdx.x * kBuckets + i];
  }
  __syncthreads();
  for (int i = static_cast<int>(blockIdx.x) * threads + thread; i < count; i += threads * static_cast<int>(gridDim.x)) {
    bucketed[begins[found[i] % kBuckets] + found[i] / kBuckets] = numbers[i];
  }
}

__device__ inline void order(float& low, float& high) {
  const float least = high < low ? high : low;
  high = high < low ? low : high;
  low = least;
}

__device__ inline float4 sorted(float4 four) {
  order(four.x, four.y);
  order(four.z, four.w);
  order(four.x, four.z);
  order(four.y, four.w);
  order(four.y, four.z);
  return four;
}

__global__ void sort_fours(int fours, const float4* from, float4* to) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < fours) to[i] = sorted(from[i]);
}

// A thread merges the two halves of `width` fours, in `threads` such stretches a bucket. Of the two fours at hand the
// four least are stored; the others stay at hand beside the next four of the half that has the lesser next one.
__global__ void merge_lists(int width, int threads, const float4* from, float4* to) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int bucket = thread / threads;
  if (bucket >= kBuckets) return;
  const int bucket_end = layout.fours[bucket + 1];
  int left = layout.fours[bucket] + (thread - bucket * threads) * width;
  if (left >= bucket_end) return;
  const int left_end = left + width / 2;
  int right = left_end;
  const int right_end = min(left + width, bucket_end);
  float4* out = to + left;
  if (right >= bucket_end) {
    for (; left < bucket_end; ++left) *out++ = from[left];
    return;
  }
  float4 least = from[left++];
  float4 rest = from[right++];
  for (;;) {
    const float4 next_left = from[left];  // there is one four behind the last list
    const float4 next_right = from[right];
    order(least.x, rest.w);
    order(least.y, rest.z);
    order(least.z, rest.y);
    order(least.w, rest.x);
    *out++ = sorted(least);
    rest = sorted(rest);
    if (left < left_end) {
      if (right < right_end && !(next_left.x < next_right.x)) {
        least = next_right;
        ++right;
      } else {
        least = next_left;
        ++left;
      }
    } else {
      if (right >= right_end) break;
      least = next_right;
      ++right;
    }
  }
  *out = rest;
}

// Leaves out the zeros that fill the buckets up.
__global__ void pack(const float* from, float* to) {
  const int bucket = static_cast<int>(blockIdx.y);
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int begin = layout.packed[bucket];
  const int numbers = layout.packed[bucket + 1] - begin;
  if (i < numbers) to[begin + i] = from[4 * layout.fours[bucket + 1] - numbers + i];
}

namespace {

int blocks_for(int count, int threads) { return (count + threads - 1) / threads; }

// Bounds between buckets that would get as many numbers if those of a bin lay evenly; one more, which is never asked
// for.
std::vector<float> pivots_of(const std::vector<unsigned>& bins, int count) {
  std::vector<float> pivots;
  double before = 0.0;
  for (int bin = 0; bin < kBins; ++bin) {
    for (;;) {
      const double wanted = static_cast<double>(count) * (static_cast<double>(pivots.size()) + 1.0) / kBuckets;
      if (wanted > before + bins[bin] || static_cast<int>(pivots.size()) == kBuckets) break;
      pivots.push_back(static_cast<float>((bin + (wanted - before) / bins[bin]) / kBins));
    }
    before += bins[bin];
  }
  pivots.resize(kBuckets, 1.0f);
  return pivots;
}

Layout layout_of(const std::vector<unsigned>& sums) {
  Layout found{};
  for (int i = 0; i < kBuckets; ++i) {
    found.fours[i + 1] = found.fours[i] + static_cast<int>((sums[i] + 3) / 4);
    found.packed[i + 1] = found.packed[i] + static_cast<int>(sums[i]);
  }
  return found;
}

std::vector<float> sort_on_device(const std::vector<float>& input) {
  const int count = static_cast<int>(input.size());
  const DeviceBuffer<float> numbers(input);
  DeviceBuffer<unsigned> bins(kBins);
  bins.fill_bytes(0);
  count_bins<<<kHistogramBlocks, kHistogramWarps * kWarp>>>(count, numbers.get(), bins.get());
  workload::check_launch("count_bins");

  const int blocks = blocks_for(count, kBucketThreads * kBand);
  const DeviceBuffer<float> pivots(pivots_of(bins.download(), count));
  const DeviceBuffer<unsigned> found(count);
  const DeviceBuffer<unsigned> counts(static_cast<size_t>(blocks) * kBuckets);
  const DeviceBuffer<unsigned> sums(kBuckets);
  find_buckets<<<blocks, kBucketThreads>>>(count, numbers.get(), pivots.get(), found.get(), counts.get());
  workload::check_launch("find_buckets");
  scan_blocks<<<kBuckets / kScanThreads, kScanThreads>>>(blocks, counts.get(), sums.get());
  workload::check_launch("scan_blocks");

  const Layout buckets = layout_of(sums.download());
  workload::check_cuda(cudaMemcpyToSymbol(layout, &buckets, sizeof(Layout)), "cudaMemcpyToSymbol");
  const int fours = buckets.fours[kBuckets];
  int largest = 1;  // bucket, in fours
  for (int i = 0; i < kBuckets; ++i) largest = std::max(largest, buckets.fours[i + 1] - buckets.fours[i]);
  DeviceBuffer<float4> ping(fours + 1);
  DeviceBuffer<float4> pong(fours + 1);
  ping.fill_bytes(0);
  pong.fill_bytes(0);
  fill_buckets<<<blocks, kBucketThreads>>>(count, numbers.get(), found.get(), counts.get(),
                                           reinterpret_cast<float*>(ping.get()));
  workload::check_launch("fill_buckets");

  sort_fours<<<blocks_for(fours, kThreads), kThreads>>>(fours, ping.get(), pong.get());
  workload::check_launch("sort_fours");
  float4* from = pong.get();
  float4* to = ping.get();
  for (int width = 2; width < 2 * largest; width *= 2) {
    const int threads = (largest + width - 1) / width;
    merge_lists<<<blocks_for(threads * kBuckets, kMergeThreads), kMergeThreads>>>(width, threads, from, to);
    workload::check_launch("merge_lists");
    std::swap(from, to);
  }
  const DeviceBuffer<float> packed(count);
  pack<<<dim3(blocks_for(4 * largest, kThreads), kBuckets), kThreads>>>(reinterpret_cast<float*>(from), packed.get());
  workload::check_launch("pack");
  return packed.download();
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  Random random(options.seed);
  std::vector<float> numbers(workload::by_size(options.size, 8192, 262144, 4194304));
  for (float& number : numbers) number = random.unit();
  const std::vector<float> sorted_numbers = sort_on_device(numbers);
  std::printf("hybridsort: %zu numbers, least %g, greatest %g\n", numbers.size(), sorted_numbers.front(),
              sorted_numbers.back());
  std::sort(numbers.begin(), numbers.end());
  return workload::verdict(workload::compare(sorted_numbers, numbers, 0.0f));
}
