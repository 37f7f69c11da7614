// SPDX-License-Identifier: Apache-2.0
// Memory of zeros that the system brings page by page when it is looked at, for large tables of which short runs see
// little.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <vector>

namespace warpfold {

template <class T>
struct ZeroPages {
  static_assert(std::is_trivial_v<T>, "zeros are its first value");
  using value_type = T;

  T* allocate(std::size_t count) {
    if (void* const zeros = std::calloc(count, sizeof(T))) return static_cast<T*>(zeros);
    throw std::bad_alloc();
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  void construct(T*) {}  // it is zero as it comes
  bool operator==(const ZeroPages&) const = default;
};

// Made with its size, which stays.
template <class T>
using ZeroTable = std::vector<T, ZeroPages<T>>;

}  // namespace warpfold
