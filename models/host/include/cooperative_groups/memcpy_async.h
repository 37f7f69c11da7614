// SPDX-License-Identifier: Apache-2.0
// memcpy_async(group, to, from, bytes): sm_70 copies through registers, so the copy is done by the group at once, and
// visible to it after wait.
#pragma once

#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__clang__)
namespace cooperative_groups {

template <class Group, class T, class Bytes>
__device__ void memcpy_async(const Group& group, T* to, const T* from, const Bytes& bytes) {
  const size_t size = static_cast<size_t>(bytes), threads = static_cast<size_t>(group.size());
  char* const out = reinterpret_cast<char*>(to);
  const char* const in = reinterpret_cast<const char*>(from);
  const bool words = (reinterpret_cast<size_t>(out) | reinterpret_cast<size_t>(in)) % 4 == 0;
  const size_t whole = words ? size / 4 : 0, rank = static_cast<size_t>(group.thread_rank());
  for (size_t i = rank; i < whole; i += threads) {
    reinterpret_cast<unsigned int*>(out)[i] = reinterpret_cast<const unsigned int*>(in)[i];
  }
  for (size_t i = 4 * whole + rank; i < size; i += threads) out[i] = in[i];
}
// Of at most as many elements as both sides have.
template <class Group, class T, class ToCount, class FromCount>
__device__ void memcpy_async(const Group& group, T* to, const ToCount& to_count, const T* from,
                             const FromCount& from_count) {
  const size_t a = static_cast<size_t>(to_count), b = static_cast<size_t>(from_count);
  memcpy_async(group, to, from, (a < b ? a : b) * sizeof(T));
}

template <class Group>
__device__ void wait(const Group& group) {
  group.sync();
}
template <unsigned int Stages, class Group>
__device__ void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
#endif
