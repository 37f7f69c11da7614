// SPDX-License-Identifier: Apache-2.0
// Barriers, votes, matches and shuffles of CUDA C++, after the Programming Guide.
#pragma once

#include <cstring>
#include <type_traits>

#include "block.h"

namespace cuda_twin {

template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

// Of the thread itself where the source lies outside its group of `width` lanes. CUDA leaves the value of a lane that
// takes no part undefined; here it is a pattern that no program should see.
template <class T>
T shuffled(const WarpMeeting& meeting, int source) {
  const bool there = (meeting.members >> source & 1) != 0;
  const std::uint64_t bits = there ? meeting.values[source] : 0xdeadbeefdeadbeefu;
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline unsigned agreeing(const WarpMeeting& meeting) {
  unsigned lanes = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((meeting.members >> lane & 1) != 0 && meeting.values[lane] != 0) lanes |= 1u << lane;
  }
  return lanes;
}

inline unsigned matching(const char* operation, unsigned mask, std::uint64_t value) {
  const WarpMeeting meeting = meet_warp(operation, mask, value);
  unsigned lanes = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((meeting.members >> lane & 1) != 0 && meeting.values[lane] == value) lanes |= 1u << lane;
  }
  return lanes;
}

inline unsigned all_matching(const char* operation, unsigned mask, std::uint64_t value, int* all) {
  const WarpMeeting meeting = meet_warp(operation, mask, value);
  *all = 1;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((meeting.members >> lane & 1) != 0 && meeting.values[lane] != value) *all = 0;
  }
  return *all != 0 ? meeting.members : 0;
}

}  // namespace cuda_twin

inline void __syncthreads() { cuda_twin::meet_block("__syncthreads", true); }
inline int __syncthreads_count(int value) {
  return static_cast<int>(cuda_twin::meet_block("__syncthreads_count", value != 0).agreeing);
}
inline int __syncthreads_and(int value) {
  const cuda_twin::BlockMeeting meeting = cuda_twin::meet_block("__syncthreads_and", value != 0);
  return meeting.agreeing == meeting.threads;
}
inline int __syncthreads_or(int value) { return cuda_twin::meet_block("__syncthreads_or", value != 0).agreeing != 0; }
inline void bar_sync(unsigned barrier) { cuda_twin::meet_block("bar.sync", true, {barrier}); }
inline void bar_sync(unsigned barrier, unsigned threads) {
  cuda_twin::meet_block("bar.sync", true, {barrier, threads});
}
inline void bar_arrive(unsigned barrier, unsigned threads) {
  cuda_twin::meet_block("bar.sync", true, {barrier, threads, false});
}
inline unsigned bar_count(unsigned barrier, unsigned threads, bool holds) {
  return cuda_twin::meet_block("bar.red", holds, {barrier, threads}).agreeing;
}
inline void __threadfence() {}
inline void __threadfence_block() {}

inline void __syncwarp(unsigned mask = 0xffffffffu) { cuda_twin::meet_warp("__syncwarp", mask, 0); }
inline unsigned __ballot_sync(unsigned mask, int value) {
  return cuda_twin::agreeing(cuda_twin::meet_warp("__ballot_sync", mask, value != 0));
}
inline int __any_sync(unsigned mask, int value) {
  return cuda_twin::agreeing(cuda_twin::meet_warp("__any_sync", mask, value != 0)) != 0;
}
inline int __all_sync(unsigned mask, int value) {
  const cuda_twin::WarpMeeting meeting = cuda_twin::meet_warp("__all_sync", mask, value != 0);
  return cuda_twin::agreeing(meeting) == meeting.members;
}
template <class T>
unsigned __match_any_sync(unsigned mask, T value) {
  return cuda_twin::matching("__match_any_sync", mask, cuda_twin::bits_of(value));
}
template <class T>
unsigned __match_all_sync(unsigned mask, T value, int* all) {
  return cuda_twin::all_matching("__match_all_sync", mask, cuda_twin::bits_of(value), all);
}

inline unsigned reduce_add(unsigned mask, unsigned value) {  // redux.sync.add.u32
  const cuda_twin::WarpMeeting meeting = cuda_twin::meet_warp("redux", mask, value);
  unsigned sum = 0;
  for (unsigned lane = 0; lane < 32; ++lane) sum += static_cast<unsigned>(meeting.values[lane]);
  return sum;
}

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = warpSize) {
  const int lane = static_cast<int>(cuda_twin::lane()), first = lane / width * width;
  return cuda_twin::shuffled<T>(cuda_twin::meet_warp("__shfl_sync", mask, cuda_twin::bits_of(value)),
                                first + (source & (width - 1)));
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  const int lane = static_cast<int>(cuda_twin::lane()), first = lane / width * width;
  const int source = lane - static_cast<int>(delta);
  return cuda_twin::shuffled<T>(cuda_twin::meet_warp("__shfl_up_sync", mask, cuda_twin::bits_of(value)),
                                source < first ? lane : source);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  const int lane = static_cast<int>(cuda_twin::lane()), end = (lane / width + 1) * width;
  const int source = lane + static_cast<int>(delta);
  return cuda_twin::shuffled<T>(cuda_twin::meet_warp("__shfl_down_sync", mask, cuda_twin::bits_of(value)),
                                source >= end ? lane : source);
}
// Lanes of earlier groups may be read, those of later ones not.
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int with, int width = warpSize) {
  const int lane = static_cast<int>(cuda_twin::lane()), end = (lane / width + 1) * width;
  const int source = lane ^ with;
  return cuda_twin::shuffled<T>(cuda_twin::meet_warp("__shfl_xor_sync", mask, cuda_twin::bits_of(value)),
                                source >= end ? lane : source);
}
