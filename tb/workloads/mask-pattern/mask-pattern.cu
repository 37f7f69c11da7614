// SPDX-License-Identifier: Apache-2.0
// Branches whose sides have execution masks of one's choice and the same instructions to do: what a GPU takes for a
// mask, beside what it takes for a full one. The question and the masks are those of the intra-warp compaction paper's
// micro-benchmarks (Vaidya et al., Fig. 8 and Table 2).
//
//   mask-pattern [--mask HEX | --levels 1..4] [--type i32|f16|f32|f64] [--size small|default|large] [--seed N]
//
// Nothing is random: the seed changes nothing.
#include <cuda_fp16.h>

#include "../common/workload.h"

using workload::DeviceBuffer;

constexpr const char* kProgram = "mask-pattern";
constexpr unsigned kLanes = 16;     // that a mask is of; of wider warps every 16 lanes follow it
constexpr unsigned kThreads = 192;  // of a block
constexpr unsigned kChains = 4;     // of dependent steps, so that one need not wait for the last
constexpr unsigned kSteps = 16;     // of each chain in a round

// x = path - x, as a multiplication and an addition: exact in every type, and an instruction of its own on each path,
// so that no compiler leads paths together.
template <int kPath>
__device__ void step(int& x) {
  asm volatile("mad.lo.s32 %0, %0, -1, %1;" : "+r"(x) : "n"(kPath));
}
template <int kPath>
__device__ void step(float& x) {
  asm volatile("fma.rn.f32 %0, %0, 0fBF800000, %1;" : "+f"(x) : "f"(static_cast<float>(kPath)));
}
template <int kPath>
__device__ void step(double& x) {
  asm volatile("fma.rn.f64 %0, %0, 0dBFF0000000000000, %1;" : "+d"(x) : "d"(static_cast<double>(kPath)));
}
template <int kPath>
__device__ void step(__half& x) {
  unsigned short bits = __half_as_ushort(x);
  asm volatile("fma.rn.f16 %0, %0, %1, %2;"
               : "+h"(bits)
               : "h"(__half_as_ushort(__float2half(-1.0f))), "h"(__half_as_ushort(__float2half(kPath))));
  x = __ushort_as_half(bits);
}

template <int kPath, typename T>
__device__ void side(T* chains, int rounds) {
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (unsigned k = 0; k < kSteps * kChains; ++k) step<kPath>(chains[k % kChains]);
  }
  step<kPath>(chains[0]);
}

template <typename T>
__device__ float sum(const T* chains) {
  float sum = 0.0f;
  for (unsigned k = 0; k < kChains; ++k) sum += static_cast<float>(chains[k]);
  return sum;
}

// Paths are numbered from 1: of a mask 1 and 2, of branches on bits of the lane 1 + the lane's lowest bits.
template <int kLevels, int kPath, typename T>
__device__ void branches(unsigned lane, T* chains, int rounds) {
  if constexpr (kLevels == 0) {
    side<1 + kPath>(chains, rounds);
  } else if ((lane >> (kLevels - 1) & 1u) != 0) {
    branches<kLevels - 1, kPath + (1 << (kLevels - 1))>(lane, chains, rounds);
  } else {
    branches<kLevels - 1, kPath>(lane, chains, rounds);
  }
}

template <int kLevels>
__global__ void nested(int rounds, float* out) {
  const unsigned thread = blockDim.x * blockIdx.x + threadIdx.x, lane = threadIdx.x % kLanes;
  int chains[kChains];
  for (int& chain : chains) chain = static_cast<int>(lane);
  branches<kLevels, 0>(lane, chains, rounds);
  out[thread] = sum(chains);
}

template <typename T>
__global__ void if_else(unsigned mask, int rounds, float* out) {
  const unsigned thread = blockDim.x * blockIdx.x + threadIdx.x, lane = threadIdx.x % kLanes;
  T chains[kChains];
  for (T& chain : chains) chain = static_cast<T>(static_cast<float>(lane));
  if ((mask >> lane & 1u) != 0) {
    side<1>(chains, rounds);
  } else {
    side<2>(chains, rounds);
  }
  out[thread] = sum(chains);
}

namespace {

struct Pattern {
  unsigned mask = 0xaaaa, levels = 0;  // 0: the mask's two sides
  std::string type = "i32";
};

Pattern parse(const std::vector<std::string>& arguments) {
  Pattern pattern;
  for (size_t i = 0; i < arguments.size(); i += 2) {
    const std::string& argument = arguments[i];
    const std::string value = i + 1 < arguments.size() ? arguments[i + 1] : "";
    if (argument == "--mask") {
      if (value.empty() || value.size() > 4 || value.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
        workload::user_error(kProgram,
                             "--mask " + value + ": give one to four hexadecimal digits, a bit for each of 16 lanes");
      }
      pattern.mask = static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 16));
    } else if (argument == "--levels") {
      if (value.size() != 1 || value[0] < '1' || value[0] > '4') {
        workload::user_error(kProgram, "--levels " + value + ": give 1, 2, 3 or 4");
      }
      pattern.levels = static_cast<unsigned>(value[0] - '0');
    } else if (argument == "--type") {
      if (value != "i32" && value != "f16" && value != "f32" && value != "f64") {
        workload::user_error(kProgram, "--type " + value + ": give i32, f16, f32 or f64");
      }
      pattern.type = value;
    } else {
      workload::user_error(
          kProgram, "unknown argument '" + argument +
                        "'; known are --mask HEX, --levels N, --type T, --size small|default|large and --seed N");
    }
  }
  if (pattern.levels != 0 && pattern.type != "i32") {
    workload::user_error(kProgram, "--levels is of i32 only: leave out --type " + pattern.type);
  }
  return pattern;
}

void launch(const Pattern& pattern, unsigned blocks, int rounds, float* out) {
  switch (pattern.levels) {
    case 1:
      nested<1><<<blocks, kThreads>>>(rounds, out);
      return;
    case 2:
      nested<2><<<blocks, kThreads>>>(rounds, out);
      return;
    case 3:
      nested<3><<<blocks, kThreads>>>(rounds, out);
      return;
    case 4:
      nested<4><<<blocks, kThreads>>>(rounds, out);
      return;
    default:
      break;
  }
  if (pattern.type == "f16") {
    if_else<__half><<<blocks, kThreads>>>(pattern.mask, rounds, out);
  } else if (pattern.type == "f32") {
    if_else<float><<<blocks, kThreads>>>(pattern.mask, rounds, out);
  } else if (pattern.type == "f64") {
    if_else<double><<<blocks, kThreads>>>(pattern.mask, rounds, out);
  } else {
    if_else<int><<<blocks, kThreads>>>(pattern.mask, rounds, out);
  }
}

// Chains go through an even number of steps in the rounds, which leave them as they were; the first has one more.
float expected(const Pattern& pattern, unsigned thread) {
  const unsigned lane = thread % kThreads % kLanes;
  const unsigned path = pattern.levels != 0                ? 1 + lane % (1u << pattern.levels)
                        : (pattern.mask >> lane & 1u) != 0 ? 1
                                                           : 2;
  return static_cast<float>(path + (kChains - 2) * lane);  // path - lane of the first, lane of each other
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_options(kProgram, argc, argv);
  const Pattern pattern = parse(options.arguments);
  const unsigned blocks = workload::by_size(options.size, 3u, 3u, 12u);
  const int rounds = workload::by_size(options.size, 4, 128, 1024);
  const DeviceBuffer<float> out(static_cast<size_t>(blocks) * kThreads);
  launch(pattern, blocks, rounds, out.get());
  workload::check_launch(kProgram);

  std::printf("%s: %u blocks, %d rounds, %s\n", kProgram, blocks, rounds, pattern.type.c_str());
  std::vector<float> values;
  for (unsigned i = 0; i < blocks * kThreads; ++i) values.push_back(expected(pattern, i));
  return workload::verdict(workload::compare(out.download(), values, 0.0f));
}
