// SPDX-License-Identifier: Apache-2.0
// A page of T for every stretch of an address range that somebody has asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace warpfold::isa {

template <class T>
class Paged {
 public:
  explicit Paged(std::uint64_t bytes_per_page) : bytes_(bytes_per_page) {}

  T& at(std::uint64_t address) {
    T* const found = find(address);
    if (found != nullptr) return *found;
    std::unique_ptr<T>& page = pages_[address / bytes_];
    page = std::make_unique<T>();
    last_number_ = address / bytes_;
    last_ = page.get();
    return *page;
  }
  // Null: nobody has asked for it.
  T* find(std::uint64_t address) {
    const std::uint64_t number = address / bytes_;
    if (last_ != nullptr && last_number_ == number) return last_;
    const auto found = pages_.find(number);
    if (found == pages_.end()) return nullptr;
    last_number_ = number;
    return last_ = found->second.get();
  }
  template <class See>
  void for_each(See see) const {
    for (const auto& [number, page] : pages_) see(*page);
  }
  void clear() {
    pages_.clear();
    last_ = nullptr;
  }

 private:
  const std::uint64_t bytes_;
  std::unordered_map<std::uint64_t, std::unique_ptr<T>> pages_;
  std::uint64_t last_number_ = 0;
  T* last_ = nullptr;
};

}  // namespace warpfold::isa
