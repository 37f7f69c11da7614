// SPDX-License-Identifier: Apache-2.0
// Atomic functions of CUDA C++. One thread runs at a time and gives way only in collectives: plain code is atomic.
#pragma once

#include <type_traits>

namespace cuda_twin {

template <class T>
T replace(T* place, T value) {
  const T before = *place;
  *place = value;
  return before;
}

}  // namespace cuda_twin

// In unsigned arithmetic, so that integers wrap.
template <class T>
T atomicAdd(T* place, T value) {
  if constexpr (std::is_same_v<T, int>) {
    return cuda_twin::replace(place, static_cast<int>(static_cast<unsigned>(*place) + static_cast<unsigned>(value)));
  } else {
    return cuda_twin::replace(place, static_cast<T>(*place + value));
  }
}
inline unsigned atomicSub(unsigned* place, unsigned value) { return cuda_twin::replace(place, *place - value); }
inline int atomicSub(int* place, int value) {
  return cuda_twin::replace(place, static_cast<int>(static_cast<unsigned>(*place) - static_cast<unsigned>(value)));
}
template <class T>
T atomicExch(T* place, T value) {
  return cuda_twin::replace(place, value);
}
template <class T>
T atomicMin(T* place, T value) {
  return cuda_twin::replace(place, value < *place ? value : *place);
}
template <class T>
T atomicMax(T* place, T value) {
  return cuda_twin::replace(place, value > *place ? value : *place);
}
template <class T>
T atomicAnd(T* place, T value) {
  return cuda_twin::replace(place, *place & value);
}
template <class T>
T atomicOr(T* place, T value) {
  return cuda_twin::replace(place, *place | value);
}
template <class T>
T atomicXor(T* place, T value) {
  return cuda_twin::replace(place, *place ^ value);
}
inline unsigned atomicInc(unsigned* place, unsigned limit) {
  return cuda_twin::replace(place, *place >= limit ? 0 : *place + 1);
}
inline unsigned atomicDec(unsigned* place, unsigned limit) {
  return cuda_twin::replace(place, *place == 0 || *place > limit ? limit : *place - 1);
}
template <class T>
T atomicCAS(T* place, T expected, T value) {
  return cuda_twin::replace(place, *place == expected ? value : *place);
}
