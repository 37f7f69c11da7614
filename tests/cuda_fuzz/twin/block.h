// SPDX-License-Identifier: Apache-2.0
// Runs the threads of a block on the host, one after another: each until it ends or waits for others. CUDA's words for
// who waits for whom are the only rules here; nothing is shared with the model.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "types.h"

namespace cuda_twin {

// Threads and blocks last to first: what a program leaves in memory must not depend on it.
void run_backwards(bool backwards);

// Runs `thread` once for each thread of each block. Threads that wait for what cannot come end the program with a
// message, as do other misuses of collectives.
void launch(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, const std::function<void()>& thread);

// Of the block that runs; 16-byte aligned.
void* dynamic_shared();

unsigned lane();

struct WarpMeeting {
  std::uint32_t members = 0;  // those who came
  std::array<std::uint64_t, 32> values{};
};
// Returns when all threads of the warp that `mask` names have called it with the same operation and mask, or have
// ended.
WarpMeeting meet_warp(const char* operation, std::uint32_t mask, std::uint64_t value);

struct BlockMeeting {
  unsigned threads = 0, agreeing = 0;
};
// A barrier of the block, 0 that of __syncthreads(). `threads`: of so many, each warp with all its threads counting 32;
// 0: of all. Who does not wait gets no result.
struct BarrierName {
  unsigned barrier = 0, threads = 0;
  bool waits = true;
};
BlockMeeting meet_block(const char* operation, bool value, BarrierName name = {});

}  // namespace cuda_twin
