// SPDX-License-Identifier: Apache-2.0
// Statistics: declared once, where they are counted, with name, unit and meaning; everything that prints walks the
// registry.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpfold/common/error.h"

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

using StatValues = std::map<std::string, double, std::less<>>;

// For figures computed from counters: a name that nobody counts is a broken promise.
inline double value_of(const StatValues& values, std::string_view name) {
  const auto found = values.find(name);
  if (found == values.end())
    throw InternalError(fmt::format("a figure is computed from '{}', which nobody counts", name));
  return found->second;
}

// A figure computed from the combined counters ("ipc" = thread_instructions / cycles). What is not finite does not
// exist and is not written.
struct DerivedStat {
  StatInfo info;
  std::function<double(const StatValues&)> compute;
};

// The statistics of one object ("core3", "l2_0"). Counters live as long as the group.
class StatGroup {
 public:
  explicit StatGroup(std::string object, std::size_t number = 0) : object_(std::move(object)), number_(number) {}
  StatGroup(const StatGroup&) = delete;
  StatGroup& operator=(const StatGroup&) = delete;

  Counter& counter(std::string name, std::string unit, std::string meaning, Combine combine = Combine::kSum) {
    entries_.push_back({{std::move(name), std::move(unit), std::move(meaning), combine}, {}});
    return entries_.back().counter;
  }

  // Objects of a kind all declare the same figures, which are computed once, from the counters of all of them.
  void derive(std::string name, std::string unit, std::string meaning,
              std::function<double(const StatValues&)> compute) {
    derived_.push_back({{std::move(name), std::move(unit), std::move(meaning), Combine::kSum}, std::move(compute)});
  }
  void ratio(std::string name, std::string meaning, std::string of, std::string by, double scale = 1) {
    derive(std::move(name), "", std::move(meaning),
           [of = std::move(of), by = std::move(by), scale](const StatValues& v) {
             return value_of(v, of) / (value_of(v, by) * scale);
           });
  }
  const std::vector<DerivedStat>& derived() const { return derived_; }

  const std::string& object() const { return object_; }
  std::size_t number() const { return number_; }  // in its registry
  struct Entry {
    StatInfo info;
    Counter counter;
  };
  const std::deque<Entry>& entries() const { return entries_; }
  std::deque<Entry>& entries() { return entries_; }

 private:
  friend class StatRegistry;

  std::string object_;
  std::size_t number_;
  bool announced_ = false, changed_ = true;
  std::deque<Entry> entries_;  // a deque never moves its elements
  std::vector<DerivedStat> derived_;
};

// All groups of a machine, in the order in which they were added.
class StatRegistry {
 public:
  StatRegistry() = default;
  StatRegistry(const StatRegistry&) = delete;
  StatRegistry& operator=(const StatRegistry&) = delete;

  // Without a name: it counts for all objects of a kind until it is settled, and is no object itself.
  StatGroup& group(std::string object) {
    StatGroup& group = groups_.emplace_back(std::move(object), groups_.size());
    changed_.push_back(&group);
    return group;
  }
  const std::deque<StatGroup>& groups() const { return groups_; }
  std::deque<StatGroup>& groups() { return groups_; }
  // Each name once, in order of first declaration.
  std::vector<DerivedStat> derived() const {
    std::vector<DerivedStat> all;
    std::set<std::string_view> known;
    for (const StatGroup& group : groups_) {
      for (const DerivedStat& figure : group.derived()) {
        if (known.insert(figure.info.name).second) all.push_back(figure);
      }
    }
    return all;
  }

  // What may have changed since seen(). A group is always among them, unless whoever counts in it announces that with
  // touch(): what a launch costs then does not grow with the objects that have no part in it.
  const std::vector<StatGroup*>& changed() const { return changed_; }
  void announce(StatGroup& group) { group.announced_ = true; }
  void touch(StatGroup& group) {
    if (std::exchange(group.changed_, true)) return;
    changed_.push_back(&group);
  }
  void seen() {
    std::erase_if(changed_, [](StatGroup* group) {
      group->changed_ = !group->announced_;
      return group->announced_;
    });
  }

  // Between launches: each object's own counters get what was counted for all of them. No sum over objects changes.
  std::function<void()> on_settle;
  void settle() const {
    if (on_settle) on_settle();
  }

 private:
  std::deque<StatGroup> groups_;
  std::vector<StatGroup*> changed_;
};

}  // namespace warpfold
