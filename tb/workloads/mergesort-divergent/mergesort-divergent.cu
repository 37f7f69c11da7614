// SPDX-License-Identifier: Apache-2.0
// Merge sort. A block sorts 1024 keys in shared memory: every thread its own eight by insertion, then the block's
// threads merge runs that double in length. Passes over the whole array go on from there. In both, a thread merges
// eight keys into place: a binary search finds where these eight begin in each of the two runs (the merge path of Odeh,
// Green, Mwassi, Shmueli, Birk: Merge Path, IPDPSW 2012).
//
//   mergesort-divergent [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "mergesort-divergent";
constexpr int kSortThreads = 128;
constexpr int kMergeThreads = 256;
constexpr int kKeysPerThread = 8;
constexpr int kSortedKeys = kSortThreads * kKeysPerThread;  // by a block
constexpr unsigned kLastKey = 0xffffffffU;

// Two neighbouring runs, either of which may be empty: the left is keys[begin, middle), the right keys[middle, end).
struct Runs {
  int begin;
  int middle;
  int end;
};

// The runs of `width` keys that the output at `position` comes from, in an array of `count` keys.
__device__ inline Runs runs_around(int position, int width, int count) {
  const int begin = position - position % (2 * width);
  return Runs{begin, min(begin + width, count), min(begin + 2 * width, count)};
}

// How many of the first `outputs` merged keys come from the left run. Of equal keys the left run's come first.
__device__ inline int taken_from_left(const unsigned* keys, const Runs& runs, int outputs) {
  int low = max(0, outputs - (runs.end - runs.middle));
  int high = min(outputs, runs.middle - runs.begin);
  while (low < high) {
    const int left = (low + high) / 2;
    if (keys[runs.begin + left] <= keys[runs.middle + outputs - left - 1]) {
      low = left + 1;
    } else {
      high = left;
    }
  }
  return low;
}

// Stores the thread's share of a merge: merged[position, position + kKeysPerThread), less what lies beyond the end.
__device__ inline void merge_share(const unsigned* keys, int position, int width, int count, unsigned* merged) {
  const Runs runs = runs_around(position, width, count);
  const int outputs = position - runs.begin;
  const int from_left = taken_from_left(keys, runs, outputs);
  int left = runs.begin + from_left;
  int right = runs.middle + outputs - from_left;
  const int end = min(position + kKeysPerThread, runs.end);
  while (position < end) {
    // As long as one run gives the smaller keys, the other one's next key stays at hand.
    const unsigned limit = right < runs.end ? keys[right] : kLastKey;
    while (position < end && left < runs.middle && keys[left] <= limit) merged[position++] = keys[left++];
    if (left == runs.middle) {
      while (position < end) merged[position++] = keys[right++];
    } else if (position < end) {
      merged[position++] = keys[right++];
    }
  }
}

// Every block sorts kSortedKeys of the keys in place; what is missing in the last block is filled up with kLastKey.
__global__ void sort_blocks(int count, unsigned* keys) {
  __shared__ unsigned buffers[2][kSortedKeys];
  const int thread = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(blockIdx.x) * kSortedKeys;
  for (int i = thread; i < kSortedKeys; i += kSortThreads) {
    buffers[0][i] = first + i < count ? keys[first + i] : kLastKey;
  }
  __syncthreads();
  unsigned* own = &buffers[0][thread * kKeysPerThread];
  for (int sorted = 1; sorted < kKeysPerThread; ++sorted) {
    const unsigned key = own[sorted];
    int place = sorted;
    for (; place > 0 && own[place - 1] > key; --place) own[place] = own[place - 1];
    own[place] = key;
  }
  int from = 0;
  for (int width = kKeysPerThread; width < kSortedKeys; width *= 2) {
    __syncthreads();
    merge_share(buffers[from], thread * kKeysPerThread, width, kSortedKeys, buffers[1 - from]);
    from = 1 - from;
  }
  __syncthreads();
  for (int i = thread; i < kSortedKeys && first + i < count; i += kSortThreads) keys[first + i] = buffers[from][i];
}

// Merges pairs of sorted runs of `width` keys.
__global__ void merge_runs(int count, int width, const unsigned* keys, unsigned* merged) {
  const int position = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * kKeysPerThread;
  if (position < count) merge_share(keys, position, width, count, merged);
}

namespace {

// Random keys of a tenth as many values, so that there are equal ones; half of the stretches of up to 200 are sorted.
std::vector<unsigned> random_keys(int count, Random& random) {
  std::vector<unsigned> keys(count);
  for (unsigned& key : keys) key = random.below(static_cast<uint32_t>(count) / 10) * 2654435761U;
  for (int begin = 0; begin < count;) {
    const int end = std::min(count, begin + 1 + static_cast<int>(random.below(200)));
    if (random.below(2) == 0) std::sort(keys.begin() + begin, keys.begin() + end);
    begin = end;
  }
  return keys;
}

unsigned blocks_for(int count, int keys_per_block) {
  return static_cast<unsigned>((count + keys_per_block - 1) / keys_per_block);
}

std::vector<unsigned> sort_on_device(const std::vector<unsigned>& keys) {
  const int count = static_cast<int>(keys.size());
  const DeviceBuffer<unsigned> ping(keys);
  const DeviceBuffer<unsigned> pong(keys.size());
  sort_blocks<<<blocks_for(count, kSortedKeys), kSortThreads>>>(count, ping.get());
  workload::check_launch("sort_blocks");
  bool in_ping = true;
  for (int width = kSortedKeys; width < count; width *= 2) {
    const DeviceBuffer<unsigned>& from = in_ping ? ping : pong;
    const DeviceBuffer<unsigned>& to = in_ping ? pong : ping;
    merge_runs<<<blocks_for(count, kMergeThreads * kKeysPerThread), kMergeThreads>>>(count, width, from.get(),
                                                                                     to.get());
    workload::check_launch("merge_runs");
    in_ping = !in_ping;
  }
  return (in_ping ? ping : pong).download();
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int count = workload::by_size(options.size, 5000, 500000, 5000000);
  Random random(options.seed);
  std::vector<unsigned> keys = random_keys(count, random);
  const std::vector<unsigned> sorted = sort_on_device(keys);
  std::printf("mergesort-divergent: %d keys, least %u, greatest %u\n", count, sorted.front(), sorted.back());
  std::sort(keys.begin(), keys.end());
  for (int i = 0; i < count; ++i) {
    if (sorted[i] == keys[i]) continue;
    return workload::verdict("key " + std::to_string(i) + " is " + std::to_string(sorted[i]) + ", expected " +
                             std::to_string(keys[i]));
  }
  return workload::verdict("");
}
