// SPDX-License-Identifier: Apache-2.0
// A bounded queue in storage of its own: what every hardware queue of the memory modules is made of.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace warpfold {

// The caller asks full() before push() and empty() before front() and pop(), as hardware does.
template <class T>
class Ring {
 public:
  explicit Ring(std::size_t capacity) : slots_(capacity) {}

  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == slots_.size(); }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return slots_.size(); }

  T& front() { return slots_[head_]; }
  const T& front() const { return slots_[head_]; }

  void push(T value) {
    std::size_t at = head_ + size_;
    if (at >= slots_.size()) at -= slots_.size();
    slots_[at] = std::move(value);
    ++size_;
  }
  void pop() {
    if (++head_ == slots_.size()) head_ = 0;
    --size_;
  }

 private:
  std::vector<T> slots_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace warpfold
