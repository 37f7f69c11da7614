// SPDX-License-Identifier: Apache-2.0
// The tracks of one core in a time trace: what its warps do, its blocks, compactions and accesses to memory.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "warpfold/common/clock/slots.h"
#include "warpfold/common/results/trace.h"
#include "warpfold/common/results/trace_event_file.h"
#include "warpfold/core/core_params.h"
#include "warpfold/core/core_watch.h"
#include "warpfold/gpu/record/trace_scope.h"

namespace warpfold {

// A thread for each slot of the warp buffer: a slice while a warp is in it, and within it slices for what the warp
// issues and waits for, one after the other. A thread for each block that the core holds, with an instant for each
// barrier that opens. Slices that may overlap, and hence begin and end apart: accesses beyond the core from issue to
// completion, packets at the core's port from request to response, compactions from request to last warp.
class CoreSlices final : public CoreWatch {
 public:
  // `process`: of the core, in the file. Both outlive this.
  CoreSlices(TraceEventFile& file, const TraceScope& scope, const CoreParams& params, unsigned process);

  void launch_started(const isa::Kernel& kernel);
  // Whatever is still under way, as where a kernel has failed, ends at this cycle of the run.
  void launch_ended(Cycle end);
  void record(const TraceRecord& record);

  // CoreWatch
  void issued(const Instruction& instruction, Cycle now, Cycle cycles) override;
  void waits(divergence::WarpId warp, isa::Pc pc, Wait why, Cycle now) override;
  void completed(const Instruction& instruction, Cycle now) override;
  void sent(const tlm::tlm_generic_payload& request, Cycle now) override;
  void answered(const tlm::tlm_generic_payload& request, Cycle now) override;

 private:
  struct Slot {
    bool live = false, opened = false;  // a warp is in it, its slice has begun
    bool waits = false;
    Wait why{};
    isa::Pc pc = 0;           // at which it waits
    std::uint32_t stack = 0;  // entries, at the last issue
    Cycle since = 0;          // the warp is there
    Cycle waits_since = 0;
    Cycle busy_until = 0;  // by slices that have been written
    std::uint64_t block = 0;
    std::uint64_t mask = 0;  // of the warp when it came
  };
  struct Block {
    bool live = false, opened = false;
    std::uint64_t id = 0;
    Cycle since = 0, busy_until = 0;  // the second: by slices that have been written
  };
  // What begins and ends apart.
  struct Pending {
    bool shown = false;
    std::uint32_t id = 0;  // of its category, free again when it ends
    unsigned category = 0;
  };
  enum Category : unsigned { kLoad, kStore, kAtomic, kCall, kRead, kWrite, kReadModifyWrite, kCompaction, kCategories };
  struct Compaction {
    Pending pending;
    unsigned warps = 0;  // made so far
  };

  TraceEventFile::Track track_of(divergence::WarpId warp) const { return {process_, 1 + warp}; }
  TraceEventFile::Track track_of_block(std::size_t place) const;
  void end_wait(divergence::WarpId warp, Cycle at);
  void open_warp(divergence::WarpId warp);
  void close_warp(divergence::WarpId warp, Cycle at);
  void open_block(std::size_t place);
  void close_block(std::size_t place, Cycle at);
  Block* block_of(std::uint64_t id);
  void start_block(std::uint64_t id, Cycle at);
  Pending begin(Category category, Cycle at, const std::string& arguments);
  void end(const Pending& pending, Cycle at, const std::string& arguments = "");

  TraceEventFile& file_;
  const TraceScope& scope_;
  const CoreParams& params_;
  const unsigned process_;
  std::vector<std::string> texts_;  // by pc: an issue's event up to its lanes
  const isa::Kernel* kernel_ = nullptr;
  std::vector<Slot> slots_;
  std::vector<Block> blocks_;
  std::vector<Slots<bool>> ids_;                                      // by category
  std::map<std::pair<Cycle, divergence::WarpId>, Pending> accesses_;  // by issue
  std::unordered_map<const tlm::tlm_generic_payload*, Pending> packets_;
  std::deque<Compaction> compactions_;  // requests are served in order
};

}  // namespace warpfold
