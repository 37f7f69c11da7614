// SPDX-License-Identifier: Apache-2.0
// A block of the user's that has no twin: it is hung on signals of a core and observed (`--rtl-block
// my.sv:ports.yaml`).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tb/cosim/build/build.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold::cosim {

// What a core shows. The first of a group says that the others of it mean something; those are 0 otherwise.
enum class CoreSignal : unsigned {
  kCycle,
  kIssue,
  kIssueWarp,
  kIssueScheduler,
  kIssuePc,
  kIssueMask,
  kIssueExecuted,
  kIssueRow,
  kIssueOneRow,
  kBranch,
  kBranchTaken,
  kBranchTarget,
  kBranchReconvergence,
  kAccess,
  kAccessStore,
  kAccessAddress,
  kAccessBytes,
  kCompleted,
  kCompletedWarp,
  kCompletedPc,
  kRequest,
  kRequestWrite,
  kRequestAddress,
  kRequestBytes,
  kAnswer,
  kAnswerAddress,
  kInsert,
  kInsertWarp,
  kInsertPc,
  kInsertMask,
  kRemove,
  kRemoveWarp,
  kCompact,
  kCompactBlock,
  kCompactPc,
  kCompacted,
  kCompactedMask,
  kCompactedLast,
  kBarrier,
  kBarrierWarp,
  kBarrierOpen,
  kCount
};
struct CoreSignalInfo {
  const char* name;
  unsigned bits;  // 0: a bit for each lane of a warp
};
const std::array<CoreSignalInfo, static_cast<std::size_t>(CoreSignal::kCount)>& core_signals();

struct HungBlock {
  std::string name;  // of its section in run.json
  RtlSource source;
  std::vector<std::pair<std::string, CoreSignal>> inputs;  // ports by what they are connected to
};

// "my.sv,parts.sv:ports.yaml", several with blanks between, as --rtl takes it. UserError.
std::string hung_blocks_text(const std::string& option);
// Does the name in --rtl mean such a block?
bool is_hung(std::string_view name);
// Of one whose last file is its list of ports, on a core whose warps have `lanes`. UserError: what is wrong in the
// list.
HungBlock hung_block(const RtlOptions::Block& block, unsigned lanes);

}  // namespace warpfold::cosim
