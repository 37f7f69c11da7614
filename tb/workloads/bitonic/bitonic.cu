// SPDX-License-Identifier: Apache-2.0
// Bitonic sort (Batcher, 1968) of keys with values, half as many threads as keys: a launch for each distance at which
// keys are compared. Whether two keys change places depends on the keys; the direction on where they are.
//
//   bitonic [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "bitonic";
constexpr int kBlock = 256;

struct Pair {
  uint32_t key, value;
};

// Keys `distance` apart are brought in order, upwards or downwards in turns of `run` keys.
__global__ void exchange(Pair* pairs, unsigned distance, unsigned run) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lower = thread / distance * distance * 2 + thread % distance;
  const Pair first = pairs[lower];
  const Pair second = pairs[lower + distance];
  const bool upwards = (lower & run) == 0;
  if ((first.key > second.key) == upwards) {
    pairs[lower] = second;
    pairs[lower + distance] = first;
  }
}

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const unsigned count = workload::by_size(options.size, 256u, 32768u, 262144u);
  Random random(options.seed);
  std::vector<Pair> pairs;
  for (unsigned i = 0; i < count; ++i) pairs.push_back({i, 0});  // every key once, so that there is one order only
  random.shuffle(pairs);
  for (Pair& pair : pairs) pair.value = static_cast<uint32_t>(random.next());

  DeviceBuffer<Pair> device_pairs(pairs);
  const unsigned block = std::min<unsigned>(kBlock, count / 2);
  for (unsigned run = 2; run <= count; run *= 2) {
    for (unsigned distance = run / 2; distance > 0; distance /= 2) {
      exchange<<<count / 2 / block, block>>>(device_pairs.get(), distance, run);
      workload::check_launch("exchange");
    }
  }

  std::printf("bitonic: %u keys with values\n", count);
  std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.key < b.key; });
  const std::vector<Pair> sorted = device_pairs.download();
  for (unsigned i = 0; i < count; ++i) {
    if (sorted[i].key == pairs[i].key && sorted[i].value == pairs[i].value) continue;
    return workload::verdict("place " + std::to_string(i) + " has key " + std::to_string(sorted[i].key) +
                             " and value " + std::to_string(sorted[i].value) + ", expected " +
                             std::to_string(pairs[i].key) + " and " + std::to_string(pairs[i].value));
  }
  return workload::verdict("");
}
