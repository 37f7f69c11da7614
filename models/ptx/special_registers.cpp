// SPDX-License-Identifier: Apache-2.0
// The special registers of PTX ISA §10.
#include "warpfold/ptx/special_registers.h"

#include <algorithm>
#include <array>

#include "warpfold/common/number.h"

namespace warpfold::ptx {
namespace {

constexpr std::array<std::string_view, 8> kVectors = {"%tid",       "%ntid",       "%ctaid",         "%nctaid",
                                                      "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"};

constexpr std::array<std::string_view, 29> kScalars = {"%laneid",
                                                       "%warpid",
                                                       "%nwarpid",
                                                       "%smid",
                                                       "%nsmid",
                                                       "%gridid",
                                                       "%lanemask_eq",
                                                       "%lanemask_le",
                                                       "%lanemask_lt",
                                                       "%lanemask_ge",
                                                       "%lanemask_gt",
                                                       "%clock",
                                                       "%clock_hi",
                                                       "%clock64",
                                                       "%globaltimer",
                                                       "%globaltimer_lo",
                                                       "%globaltimer_hi",
                                                       "%cluster_ctarank",
                                                       "%cluster_nctarank",
                                                       "%is_explicit_cluster",
                                                       "%total_smem_size",
                                                       "%aggr_smem_size",
                                                       "%dynamic_smem_size",
                                                       "%current_graph_exec",
                                                       "%reserved_smem_offset_begin",
                                                       "%reserved_smem_offset_end",
                                                       "%reserved_smem_offset_cap",
                                                       "%reserved_smem_offset_0",
                                                       "%reserved_smem_offset_1"};

// %pm0 … %pm7, %pm0_64 … %pm7_64, %envreg0 … %envreg31.
bool is_numbered(std::string_view name, std::string_view prefix, std::string_view suffix, unsigned count) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix) || name.size() <= prefix.size() + suffix.size())
    return false;
  const std::string_view digits = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  const auto value = number_in<unsigned>(digits);
  return value && *value < count;
}

}  // namespace

bool is_special_register(std::string_view name, std::string_view component) {
  if (std::find(kVectors.begin(), kVectors.end(), name) != kVectors.end()) {
    return component.empty() || component == "x" || component == "y" || component == "z" || component == "w";
  }
  if (!component.empty()) return false;
  return std::find(kScalars.begin(), kScalars.end(), name) != kScalars.end() || is_numbered(name, "%pm", "", 8) ||
         is_numbered(name, "%pm", "_64", 8) || is_numbered(name, "%envreg", "", 32);
}

}  // namespace warpfold::ptx
