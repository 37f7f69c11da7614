// SPDX-License-Identifier: Apache-2.0
// What a thread compactor makes of a request, whoever plays it.
#pragma once

#include <tuple>

#include "warpfold/common/config/params.h"
#include "warpfold/divergence/mechanism.h"

namespace warpfold {

struct CompactorParams {
  unsigned latency_cycles = 1;
  unsigned stages = 1;
  static constexpr auto fields() {
    using P = CompactorParams;
    return std::tuple{
        field("latency_cycles", "cycles", &P::latency_cycles, 0, 64,
              "from a request to its first warp; the others follow one per cycle; 0: all come in the next one, "
              "whatever the stages"),
        field("stages", "stages", &P::stages, 1, 2,
              "of its pipeline: with two the first warp comes a cycle later, and a request begins a cycle "
              "after the last warp of the one before")};
  }
};

struct CompactedWarp {
  unsigned block_slot = 0;
  divergence::Warp warp;
  bool last = false;  // of its request
  unsigned tag = 0;   // of its request
};

// The next warp of a request, which loses its threads; `last` when none are left.
CompactedWarp next_warp(divergence::CompactionRequest& request);

}  // namespace warpfold
