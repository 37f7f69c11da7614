// SPDX-License-Identifier: Apache-2.0
// libcu++'s barriers, latches, semaphores and clocks: threads that wait for one another in loops of the library's.
#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/barrier>
#include <cuda/std/chrono>
#include <cuda/std/latch>
#include <cuda/std/semaphore>
#include <vector>

#include "checks.h"

namespace {

constexpr int kThreads = 96, kBlocks = 4, kRounds = 3;

// Neighbours' values pass through shared memory, by arrive and wait and by both at once; half of the threads leave
// early.
__global__ void pass_on(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> meeting;
  __shared__ int values[kThreads];
  const int me = static_cast<int>(threadIdx.x);
  if (me == 0) init(&meeting, kThreads);
  __syncthreads();
  values[me] = me;
  for (int round = 0; round < kRounds; ++round) {
    auto token = meeting.arrive();
    meeting.wait(cuda::std::move(token));
    const int next = values[(me + 1) % kThreads];
    meeting.arrive_and_wait();
    values[me] = next;
  }
  if (me % 2 == 0) meeting.arrive_and_drop();
  __syncthreads();  // who waits must not keep back who is to come: not every mechanism lets a warp's other threads go
                    // on
  if (me % 2 == 0) return;
  meeting.arrive_and_wait();
  out[blockIdx.x * kThreads + me] = values[me];
}

// Blocks meet in global memory, some threads of each only, and what the last to come runs is run once.
struct Count {
  int* times;
  __device__ void operator()() { ++*times; }
};
using Meeting = cuda::barrier<cuda::thread_scope_device, Count>;
__device__ unsigned char meeting_place[sizeof(Meeting)];
__device__ int meeting_times, sum;
__global__ void prepare() { new (meeting_place) Meeting(kBlocks * 2, Count{&meeting_times}); }
__global__ void meet(int* out) {
  Meeting& meeting = *reinterpret_cast<Meeting*>(meeting_place);
  if (threadIdx.x % 32 == 0 && threadIdx.x < 64) {
    atomicAdd(&sum, 1);
    meeting.arrive_and_wait();
    if (threadIdx.x == 0) out[blockIdx.x] = *static_cast<volatile int*>(&sum);
    meeting.arrive_and_wait();
  }
}

// In shared memory, which has no constructors.
template <class T>
struct Place {
  alignas(T) unsigned char bytes[sizeof(T)];
  template <class... Arguments>
  __device__ void make(Arguments... arguments) {
    new (bytes) T(arguments...);
  }
  __device__ T& operator*() { return *reinterpret_cast<T*>(bytes); }
};

// One warp of the block writes for the others, which wait for it; then all count down.
__global__ void count_down(int* out) {
  __shared__ Place<cuda::latch<cuda::thread_scope_block>> ready;
  __shared__ cuda::std::latch* all;
  __shared__ int values[32];
  if (threadIdx.x == 0) {
    ready.make(32);
    all = new cuda::std::latch(kThreads);
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    values[threadIdx.x] = static_cast<int>(threadIdx.x) * 2;
    (*ready).count_down();
  }
  (*ready).wait();
  out[threadIdx.x] = values[threadIdx.x % 32];
  all->arrive_and_wait();
  if (threadIdx.x == 0) delete all;
}

// One thread of each block: where the threads of a warp, or of a block, move together, those that wait for one of them
// keep it back (docs/mechanisms.md, forward progress).
__device__ Place<cuda::binary_semaphore<cuda::thread_scope_device>> turn;
__device__ Place<cuda::counting_semaphore<cuda::thread_scope_device, 2>> places;
__device__ int inside;
__global__ void open_places() {
  turn.make(1);
  places.make(2);
}
__global__ void take_turns(int* out) {
  if (threadIdx.x != 0) return;
  for (int round = 0; round < kRounds; ++round) {
    (*turn).acquire();
    volatile int* const count = out;
    *count = *count + 1;
    (*turn).release();
    (*places).acquire();
    atomicMax(&out[1], atomicAdd(&inside, 1) + 1);
    atomicSub(&inside, 1);
    (*places).release();
  }
}

// Two stages in flight: copies of the one pass while the other is added up.
constexpr int kStages = 2, kTiles = 4;
__global__ void stages(const int* in, int* out) {
  __shared__ int tiles[kStages][kThreads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  const auto block = cooperative_groups::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  int ahead = 0, all = 0;
  for (int tile = 0; tile < kTiles; ++tile) {
    for (; ahead < kTiles && ahead < tile + kStages; ++ahead) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, tiles[ahead % kStages], in + kThreads * ahead, sizeof(int) * kThreads, pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    all += tiles[tile % kStages][kThreads - 1 - threadIdx.x];
    block.sync();  // a pipeline of one group does not wait for its readers
    pipeline.consumer_release();
  }
  out[threadIdx.x] = all;
}

__global__ void clocks(int* out) {
  const auto start = cuda::std::chrono::high_resolution_clock::now();
  for (int i = 0; i < 64; ++i) atomicAdd(&out[1], 1);
  const auto end = cuda::std::chrono::high_resolution_clock::now();
  out[0] = end > start && cuda::std::chrono::duration_cast<cuda::std::chrono::seconds>(end - start).count() == 0;
}

}  // namespace

int main() {
  Checks check;
  constexpr int kCount = kBlocks * kThreads;
  int* d;
  std::vector<int> h(kCount);
  cudaMalloc(&d, sizeof(int) * kCount);
  const auto run = [&](auto&& launch) {
    cudaMemset(d, 0, sizeof(int) * kCount);
    launch();
    cudaMemcpy(h.data(), d, sizeof(int) * kCount, cudaMemcpyDeviceToHost);
  };
  run([&] { pass_on<<<kBlocks, kThreads>>>(d); });
  bool good = true;
  for (int i = 0; i < kCount; ++i) good = good && h[i] == (i % 2 == 0 ? 0 : (i % kThreads + kRounds) % kThreads);
  check("cuda::barrier of a block", good);
  run([&] {
    prepare<<<1, 1>>>();
    meet<<<kBlocks, kThreads>>>(d);
  });
  int times = 0;
  cudaMemcpyFromSymbol(&times, meeting_times, sizeof times);
  check("cuda::barrier of the device", h[0] == kBlocks * 2 && h[kBlocks - 1] == kBlocks * 2 && times == 2);
  run([&] { count_down<<<1, kThreads>>>(d); });
  good = true;
  for (int i = 0; i < kThreads; ++i) good = good && h[i] == i % 32 * 2;
  check("cuda::latch", good);
  run([&] {
    open_places<<<1, 1>>>();
    take_turns<<<kBlocks, kThreads>>>(d);
  });
  check("cuda::binary_semaphore", h[0] == kBlocks * kRounds);
  check("cuda::counting_semaphore", h[1] >= 1 && h[1] <= 2);
  int* in;
  cudaMalloc(&in, sizeof(int) * kTiles * kThreads);
  for (int i = 0; i < kTiles * kThreads; ++i) h[i] = i;
  cudaMemcpy(in, h.data(), sizeof(int) * kTiles * kThreads, cudaMemcpyHostToDevice);
  run([&] { stages<<<1, kThreads>>>(in, d); });
  good = true;
  for (int i = 0; i < kThreads; ++i) good = good && h[i] == kTiles * (kThreads - 1 - i) + 6 * kThreads;
  check("cuda::pipeline", good);
  run([&] { clocks<<<1, 32>>>(d); });
  check("clocks", h[0] == 1);
  return check.end();
}
