// SPDX-License-Identifier: Apache-2.0
// Typed trace records through one sink. Off (null) by default; tests install a sink of their own and listen.
#pragma once

#include <cstdint>

namespace warpfold {

enum class TraceEvent : std::uint8_t {
  kBlockStart,  // core, block; mask = how many threads it has; other = its first row
  kBlockEnd,    // core, block
  kIssue,       // core, warp, pc, mask (of the lanes that executed), rows, stack; other = mask of the warp
  kBranch,      // core, warp, pc, mask (taken lanes); other = mask of the warp
  kWarpInsert,  // core, block, warp, pc, mask
  kWarpRemove,  // core, block, warp, pc
  kCompact,     // core, block, pc of the warps to come
  kCompacted,   // core, block, pc, mask (of the warp that the compactor made); other = whether it is the request's last
  kBarrierWait,  // core, block, warp, pc
  kBarrierOpen,  // core, block
};

struct TraceRecord {
  std::uint64_t cycle = 0;
  TraceEvent event{};
  std::uint32_t core = 0;
  std::uint64_t block = 0;  // linear block index in the grid
  std::uint32_t warp = 0;   // slot of the warp buffer
  std::uint32_t pc = 0;
  std::uint64_t mask = 0;
  std::uint64_t other = 0;
  const std::uint16_t* rows = nullptr;  // row of the core that the thread of each lane is in; for the call only
  std::uint32_t stack = 0;              // entries of the stack that the warp is on
};

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void record(const TraceRecord& record) = 0;
};

}  // namespace warpfold
