// SPDX-License-Identifier: Apache-2.0
// Modules that note when they tick, and what they noted.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "warpfold/common/clock/clock.h"

namespace warpfold {

struct Tick {
  std::string who;
  Cycle edge;
  std::uint64_t ps;
  bool operator==(const Tick&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Tick& t) {
  return out << t.who << "@" << t.edge << " " << t.ps << "ps";
}

inline std::uint64_t now_ps() { return sc_core::sc_time_stamp().value(); }

// Ticks `left` times, `stride` edges apart, and notes each.
class Probe : public Clocked {
 public:
  Probe(std::string name, std::vector<Tick>& log, unsigned left = 1, Cycle stride = 1)
      : name_(std::move(name)), log_(log), left_(left), stride_(stride) {}
  Cycle tick(Cycle now) override {
    log_.push_back({name_, now, now_ps()});
    if (when_ticked) when_ticked(now);
    if (left_ == kAsAsked) return again;
    if (left_ > 0) --left_;
    return left_ == 0 ? kNever : now + stride_;
  }
  using Clocked::clock;
  using Clocked::wake;
  const std::string& name() const { return name_; }
  std::function<void(Cycle)> when_ticked;
  static constexpr unsigned kAsAsked = ~0U;  // `left`: ticks as long as `again` says
  Cycle again = kNever;

 private:
  std::string name_;
  std::vector<Tick>& log_;
  unsigned left_;
  Cycle stride_;
};

}  // namespace warpfold
