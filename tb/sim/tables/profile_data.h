// SPDX-License-Identifier: Apache-2.0
// A run's profile.json (docs/profiling.md), instruction by instruction and folded into lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "warpfold/core/issue/pc_profile.h"

namespace warpfold::sim {

struct BranchFigures {
  isa::Pc target = 0, reconvergence = 0;  // that of the kernel's end: the number of its instructions
  bool may_diverge = false;
  std::string kind;                     // of conditional ones
  std::uint64_t lanes_lost_behind = 0;  // at the instructions up to its reconvergence point
};

struct ProfiledInstruction {
  isa::Pc pc = 0;
  unsigned ptx_line = 0, source_line = 0;  // 0: not known
  std::string opcode, source_file;
  bool guarded = false, ends_thread = false, ends_kernel = false, is_branch = false, is_access = false;
  BranchFigures branch;
  PcCounts counts;
};

struct KernelProfile {
  std::string name, ptx_file;
  std::uint64_t launches = 0, cycles = 0;
  std::vector<ProfiledInstruction> instructions;  // by pc
  nlohmann::ordered_json as_read;

  bool has_source_lines() const;
  PcCounts total() const;
};

// Hottest kernel first. UserError, one line: no profile, or one that is damaged.
std::vector<KernelProfile> read_profile(const std::filesystem::path& file);

// Cycles of warps: those in which the instruction held the issue port and those in which a warp waited there. Where
// nothing was timed, warp instructions.
std::uint64_t heat(const PcCounts& counts);

struct LineProfile {
  std::string file;
  unsigned line = 0;    // 0: of no line
  std::string opcodes;  // where `file` is PTX
  bool branches = false, accesses = false;
  PcCounts counts;
};

// By file and line of the source, of the PTX if the kernel was compiled without line information; those of which
// nothing was executed are left out.
std::vector<LineProfile> lines_of(const KernelProfile& kernel);

// Text of a profile of likely-convergence points (docs/likely-convergence.md) by what threads did in these kernels.
std::string likely_convergence_file(const std::vector<KernelProfile>& kernels);

}  // namespace warpfold::sim
