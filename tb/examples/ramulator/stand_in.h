// SPDX-License-Identifier: Apache-2.0
// A controller with Ramulator's rules, where there is no checkout: send() refuses while the queue is full, nothing
// passes but in tick(), and only reads are called back for. Requests go out in order, one in so many cycles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>

class RamulatorLibrary {
 public:
  static constexpr const char* kName = "a memory with Ramulator's rules";

  explicit RamulatorLibrary(const std::string& /*configuration*/) {}
  static std::uint64_t bytes() { return 32; }  // half a line: each request is two
  static double clock_ps() { return 833; }

  bool send(bool write, std::uint64_t /*address*/, const std::function<void()>& done) {
    if (queue_.size() == kEntries) return false;
    queue_.push_back(write ? nullptr : done);
    return true;
  }
  void tick() {
    ++now_;
    while (!reads_.empty() && reads_.front().at <= now_) {
      const std::function<void()> done = std::move(reads_.front().done);
      reads_.pop_front();
      done();
    }
    if (now_ % kCycles != 0 || queue_.empty()) return;
    if (queue_.front()) reads_.push_back({now_ + kLatency, std::move(queue_.front())});
    queue_.pop_front();
  }
  static std::string rows() { return ""; }

 private:
  struct Read {
    std::uint64_t at;
    std::function<void()> done;
  };
  static constexpr std::size_t kEntries = 8;
  static constexpr std::uint64_t kCycles = 2, kLatency = 40;
  std::uint64_t now_ = 0;
  std::deque<std::function<void()>> queue_;  // null: a write
  std::deque<Read> reads_;
};
