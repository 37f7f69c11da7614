// SPDX-License-Identifier: Apache-2.0
#include "warpfold/compaction/thread_compactor.h"

#include <algorithm>

#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/compact_step.h"

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
  const Cycle at = clock().current() + params_.latency_cycles;
  ++requests_;
  rows_in_ += static_cast<std::uint64_t>(
      std::count_if(request.threads.begin(), request.threads.end(), [](LaneMask row) { return row != 0; }));
  queue_.push_back({std::move(request), at});
  wake(at);
  return tlm::TLM_COMPLETED;
}

bool ThreadCompactor::offer(CompactedWarp& warp) {
  if (request(warp_socket, warp) != tlm::TLM_COMPLETED) return false;
  ++warps_;
  return true;
}

Cycle ThreadCompactor::tick(Cycle now) {
  if (queue_.empty()) return kNever;
  Pending& head = queue_.front();
  if (now < head.ready_at) return head.ready_at;
  divergence::CompactionRequest& pending = head.request;
  if (!offering_) {
    out_ = next_warp(pending);
    check(out_.warp.mask != 0, "the compactor is asked for warps of no threads");
  }
  const bool last = out_.last;
  offering_ = !offer(out_);
  if (offering_) return now + 1;
  if (last) queue_.pop_front();
  if (queue_.empty()) return kNever;
  return std::max(now + 1, queue_.front().ready_at);
}

}  // namespace warpfold
