// SPDX-License-Identifier: Apache-2.0
// Statistics: declared once, where they are counted, with name, unit and meaning; everything that prints walks the
// registry.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace warpfold {

// How values of several objects, or of several kernels, combine.
enum class Combine : std::uint8_t { kSum, kMax };

// A simulated figure that a module counts. Increment it as a plain integer.
class Counter {
 public:
  Counter& operator++() {
    ++value_;
    return *this;
  }
  Counter& operator+=(std::uint64_t by) {
    value_ += by;
    return *this;
  }
  void raise_to(std::uint64_t value) {  // for Combine::kMax
    if (value > value_) value_ = value;
  }
  std::uint64_t value() const { return value_; }
  void reset() { value_ = 0; }

 private:
  std::uint64_t value_ = 0;
};

struct StatInfo {
  std::string name;  // unique across kinds of object ("l2_hits"); the same name in two objects combines in `total`
  std::string unit;
  std::string meaning;  // one line
  Combine combine = Combine::kSum;
};

// The statistics of one object ("core3", "l2_0"). Counters live as long as the group.
class StatGroup {
 public:
  explicit StatGroup(std::string object) : object_(std::move(object)) {}
  StatGroup(const StatGroup&) = delete;
  StatGroup& operator=(const StatGroup&) = delete;

  Counter& counter(std::string name, std::string unit, std::string meaning, Combine combine = Combine::kSum) {
    entries_.push_back({{std::move(name), std::move(unit), std::move(meaning), combine}, {}});
    return entries_.back().counter;
  }

  const std::string& object() const { return object_; }
  struct Entry {
    StatInfo info;
    Counter counter;
  };
  const std::deque<Entry>& entries() const { return entries_; }
  std::deque<Entry>& entries() { return entries_; }

 private:
  std::string object_;
  std::deque<Entry> entries_;  // a deque never moves its elements
};

using StatValues = std::map<std::string, double, std::less<>>;

// A figure computed from the combined counters ("ipc" = thread_instructions / cycles).
struct DerivedStat {
  StatInfo info;
  std::function<double(const StatValues&)> compute;
};

// All groups of a machine, in the order in which they were added.
class StatRegistry {
 public:
  StatGroup& group(std::string object) { return groups_.emplace_back(std::move(object)); }
  void derive(std::string name, std::string unit, std::string meaning,
              std::function<double(const StatValues&)> compute) {
    derived_.push_back({{std::move(name), std::move(unit), std::move(meaning), Combine::kSum}, std::move(compute)});
  }
  const std::deque<StatGroup>& groups() const { return groups_; }
  std::deque<StatGroup>& groups() { return groups_; }
  const std::vector<DerivedStat>& derived() const { return derived_; }

 private:
  std::deque<StatGroup> groups_;
  std::vector<DerivedStat> derived_;
};

}  // namespace warpfold
