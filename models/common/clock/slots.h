// SPDX-License-Identifier: Apache-2.0
// Things under way that are known by a number, which goes to the next when they are done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpfold {

// Grows with the most that are under way at once; then nothing is allocated. A slot keeps what it had when it was given
// back, so that a T with memory of its own can use that again.
template <class T>
class Slots {
 public:
  using Number = std::uint32_t;

  Number take() {
    if (free_.empty()) {
      free_.push_back(static_cast<Number>(all_.size()));
      all_.emplace_back();
    }
    const Number number = free_.back();
    free_.pop_back();
    return number;
  }
  void give_back(Number number) { free_.push_back(number); }

  // Until the next take().
  T& operator[](Number number) { return all_[number]; }
  const T& operator[](Number number) const { return all_[number]; }
  std::size_t in_use() const { return all_.size() - free_.size(); }
  // With those that are free.
  const std::vector<T>& all() const { return all_; }

 private:
  std::vector<T> all_;
  std::vector<Number> free_;
};

}  // namespace warpfold
