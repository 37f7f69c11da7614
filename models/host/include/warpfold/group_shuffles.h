// SPDX-License-Identifier: Apache-2.0
// Shuffles within a mask of lanes of any value that can be copied as words.
#pragma once

namespace cooperative_groups {
namespace details {

enum shuffle_kind { index, up, down, across };

template <shuffle_kind Kind>
__device__ inline unsigned int shuffle_word(unsigned int mask, unsigned int word, unsigned int lane, int width) {
  switch (Kind) {
    case up:
      return __shfl_up_sync(mask, word, lane, width);
    case down:
      return __shfl_down_sync(mask, word, lane, width);
    case across:
      return __shfl_xor_sync(mask, word, static_cast<int>(lane), width);
    default:
      return __shfl_sync(mask, word, static_cast<int>(lane), width);
  }
}

template <shuffle_kind Kind, class T>
__device__ T shuffle(unsigned int mask, T value, unsigned int lane, int width) {
  static_assert(__is_trivially_copyable(T), "a value that is shuffled is copied as words");
  unsigned int words[(sizeof(T) + 3) / 4] = {};
  __builtin_memcpy(words, &value, sizeof value);
#pragma unroll
  for (unsigned int i = 0; i < sizeof words / 4; ++i) words[i] = shuffle_word<Kind>(mask, words[i], lane, width);
  __builtin_memcpy(&value, words, sizeof value);
  return value;
}

template <class T>
__device__ T shuffle_words(unsigned int mask, T value, unsigned int lane) {
  return shuffle<index>(mask, value, lane, 32);
}

}  // namespace details
}  // namespace cooperative_groups
