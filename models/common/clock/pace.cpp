// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/clock/pace.h"

#include <algorithm>

namespace warpfold {

Pace::Pace(Rule rule, unsigned threads)
    : rule_(rule),
      worth_(threads > 1 ? kWorth : kWorthOfOne),
      apart_(rule == Rule::kApart),
      slice_ps_(rule == Rule::kApart     ? kEver
                : rule == Rule::kInTurns ? kTurnPs
                                         : kFirstSlicePs),
      rest_ps_(slice_ps_) {}

void Pace::took(std::uint64_t ps, std::uint64_t host_ns) {
  if (rule_ == Rule::kApart) return;
  done_ps_ += ps;
  done_ns_ += host_ns;
  rest_ps_ -= std::min(ps, rest_ps_);
  if (rest_ps_ == 0) end_slice();
}

void Pace::end_slice() {
  if (rule_ == Rule::kInTurns) {
    apart_ = !apart_;
  } else {
    cost_[apart_ ? 1 : 0] = static_cast<double>(done_ns_) / static_cast<double>(done_ps_);
    const double in_time =
        kSliceNs * static_cast<double>(done_ps_) / static_cast<double>(std::max<std::uint64_t>(done_ns_, 1));
    const auto slice = static_cast<double>(slice_ps_);
    slice_ps_ = static_cast<std::uint64_t>(std::clamp(in_time, slice / 4, slice * 4) + 1);
    choose();
  }
  rest_ps_ = slice_ps_;
  done_ps_ = done_ns_ = 0;
}

void Pace::choose() {
  if (--left_ != 0) return;
  if (!trial_) {
    trial_ = true;
    left_ = kTrial;
    apart_ = !apart_;
    return;
  }
  trial_ = false;
  const bool pays = cost_[1] * worth_ < cost_[0];
  patience_ = pays == apart_ ? kFirstPatience : std::min(2 * patience_, kMostPatience);
  left_ = patience_;
  apart_ = pays;
}

}  // namespace warpfold
