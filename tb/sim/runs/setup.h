// SPDX-License-Identifier: Apache-2.0
// What `run` and `compare` both do to a configuration before anything starts.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "warpfold/gpu/run/run_options.h"

namespace warpfold::sim {

// The names in a list such as "a,b" that was given to `option`, each once; "all" stands for those of `known` that are
// not named before. `check` throws for one that does not exist.
std::vector<std::string> names_in(const char* option, const std::string& list, const std::vector<std::string>& known,
                                  const std::function<void(const std::string&)>& check);

// The lane packings in the value of --simd; one empty name when it was not given: the machine's own.
std::vector<std::string> packings_in(const std::string& simd);

// `sets` and the lane packing, unless that is empty.
std::vector<std::string> with_packing(std::vector<std::string> sets, const std::string& packing);

// --timing and --detail, checked.
void apply_timing(RunOptions& options, const std::string& timing, const std::string& detail);

// --sample, checked against all that wants every launch timed; after the other options.
void apply_sample(RunOptions& options, const std::string& sample);

// --code, checked.
void apply_code(RunOptions& options, const std::string& code);

// --rtl, --rtl-check, --waves and --rtl-out (empty: none), checked; what they need is built.
void apply_rtl(RunOptions& options, const std::string& rtl, const std::string& check, const std::string& waves = "",
               const std::string& out = "");

// The order in which its warps issue: "GTO", and the parameter that says so.
inline constexpr const char* kPolicyKey = "core.warp_policy";
std::string policy_of(const RunOptions& options);

// Why the mechanism cannot run on the machine; empty: it can.
std::string why_not(const RunOptions& options);

}  // namespace warpfold::sim
