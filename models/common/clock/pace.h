// SPDX-License-Identifier: Apache-2.0
// Which of two ways of going on a simulation takes, whose outcomes are the same and whose speeds are not.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

namespace warpfold {

// All together on one thread, or apart: on several, or one after the other on this one, each some cycles at a stretch,
// so that what it touches stays in the host's cache. By turns: some slices of simulated time one way, then two slices
// the other way to see what that brings, the later the more often it has brought nothing.
class Pace {
 public:
  // What counts instructions wants all together, whatever the host's time; tests want islands apart from the first
  // instant on, or a change every few instants.
  enum class Rule : std::uint8_t { kAsItPays, kTogether, kApart, kInTurns };
  explicit Pace(Rule rule = Rule::kAsItPays, unsigned threads = 2);

  bool apart() const { return apart_; }
  // Of simulated time: after that, what comes next is to be asked again. > 0.
  std::uint64_t rest_ps() const { return rest_ps_; }
  // So much has been simulated in the present way, in so much of the host's time.
  void took(std::uint64_t ps, std::uint64_t host_ns);

 private:
  static constexpr std::uint64_t kEver = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t kTurnPs = 50'000;         // 65 cycles at 1.3 GHz
  static constexpr std::uint64_t kFirstSlicePs = 500'000;  // they become longer by and by, until they take
  static constexpr double kSliceNs = 2e6;
  static constexpr double kWorth = 1.1;  // times as fast must be what takes more processors
  static constexpr double kWorthOfOne = 1.02;
  static constexpr unsigned kFirstPatience = 8, kMostPatience = 512;  // slices
  static constexpr unsigned kTrial = 2;  // slices: threads have to wake, caches to fill, so the last one counts

  void end_slice();
  void choose();

  const Rule rule_;
  const double worth_;
  bool apart_, trial_ = false;
  std::uint64_t slice_ps_, rest_ps_;
  std::uint64_t done_ps_ = 0, done_ns_ = 0;  // of the slice
  std::array<double, 2> cost_{};             // ns per ps of the latest slice together, and of the latest one apart
  unsigned patience_ = kFirstPatience, left_ = kFirstPatience;
};

}  // namespace warpfold
