// SPDX-License-Identifier: Apache-2.0
#include "warpfold/compaction/thread_compactor.h"

#include <algorithm>
#include <utility>

#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/block/compact_step.h"

namespace warpfold {

using isa::LaneMask;

CompactedWarp next_warp(divergence::CompactionRequest& request) {
  CompactedWarp next{request.block_slot,
                     divergence::compact_step(request.threads, request.first_row, request.pc, request.regroup), false,
                     request.tag};
  next.last = std::all_of(request.threads.begin(), request.threads.end(), [](LaneMask row) { return row == 0; });
  return next;
}

ThreadCompactor::ThreadCompactor(sc_core::sc_module_name name, const CompactorParams& params, ClockDomain& core_clock,
                                 unsigned index, StatGroup& stats)
    : sc_module(name),
      params_(params),
      requests_(stats.counter("compactions", "requests", "block-wide masks handed to the thread compactor")),
      warps_(stats.counter("compacted_warps", "warps", "warps that the thread compactor made")),
      rows_in_(
          stats.counter("compaction_rows", "rows", "static warps with a thread among those handed to the compactor")) {
  core_clock.add(*this, index);
}

tlm::tlm_sync_enum ThreadCompactor::accept(unsigned /*port*/, divergence::CompactionRequest& request,
                                           tlm::tlm_phase& /*phase*/) {
  const Cycle at = clock().current() + request.after + params_.latency_cycles;
  ++requests_;
  rows_in_ += static_cast<std::uint64_t>(
      std::count_if(request.threads.begin(), request.threads.end(), [](LaneMask row) { return row != 0; }));
  const auto later = std::upper_bound(queue_.begin(), queue_.end(), at,
                                      [](Cycle ready, const Pending& other) { return ready < other.ready_at; });
  queue_.insert(later, {std::move(request), at});
  wake(at);
  return tlm::TLM_COMPLETED;
}

bool ThreadCompactor::offer(CompactedWarp& warp) {
  if (request(warp_socket, warp) != tlm::TLM_COMPLETED) return false;
  ++warps_;
  return true;
}

// The first stage makes a warp a cycle, as long as one of two places behind it was free; a request gets there in the
// cycle after the last warp of the one before has left it.
Cycle ThreadCompactor::tick_in_two_stages(Cycle now) {
  const bool free = !packing_, room = made_.size() + (std::exchange(taken_, false) ? 1 : 0) < 2;
  if (packing_ && room) {
    made_.push_back(make(*packing_));
    if (made_.back().last) packing_.reset();
  }
  if (free && !queue_.empty() && queue_.front().ready_at <= now) {
    packing_ = std::move(queue_.front().request);
    queue_.pop_front();
  }
  if (!made_.empty() && offer(made_.front())) {
    made_.pop_front();
    taken_ = true;
  }
  if (packing_ || !made_.empty()) return now + 1;
  return queue_.empty() ? kNever : std::max(now + 1, queue_.front().ready_at);
}

CompactedWarp ThreadCompactor::make(divergence::CompactionRequest& request) {
  CompactedWarp made = next_warp(request);
  check(made.warp.mask != 0, "the compactor is asked for warps of no threads");
  return made;
}

// Without latency all that is there is made at once; what its warps ask for comes in the next cycle.
Cycle ThreadCompactor::tick(Cycle now) {
  const bool at_once = params_.latency_cycles == 0;
  if (params_.stages == 2 && !at_once) return tick_in_two_stages(now);
  for (std::size_t requests = queue_.size(); requests > 0 && queue_.front().ready_at <= now;) {
    if (!offering_) out_ = make(queue_.front().request);
    const bool last = out_.last;
    offering_ = !offer(out_);
    if (offering_) return now + 1;
    if (last) queue_.pop_front(), --requests;
    if (!at_once) break;
  }
  return queue_.empty() ? kNever : std::max(now + 1, queue_.front().ready_at);
}

}  // namespace warpfold
