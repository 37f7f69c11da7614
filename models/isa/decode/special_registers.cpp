// SPDX-License-Identifier: Apache-2.0
// The special registers that kernels can read (PTX ISA §10).
#include "warpfold/isa/decode/special_registers.h"

#include <algorithm>
#include <array>
#include <utility>

namespace warpfold::isa {
namespace {

constexpr std::array<std::pair<std::string_view, Special>, 32> kSpecials{{
    {"%tid.x", Special::kTidX},
    {"%tid.y", Special::kTidY},
    {"%tid.z", Special::kTidZ},
    {"%ntid.x", Special::kNtidX},
    {"%ntid.y", Special::kNtidY},
    {"%ntid.z", Special::kNtidZ},
    {"%ctaid.x", Special::kCtaidX},
    {"%ctaid.y", Special::kCtaidY},
    {"%ctaid.z", Special::kCtaidZ},
    {"%nctaid.x", Special::kNctaidX},
    {"%nctaid.y", Special::kNctaidY},
    {"%nctaid.z", Special::kNctaidZ},
    {"%laneid", Special::kLaneid},
    {"%warpid", Special::kWarpid},
    {"%nwarpid", Special::kNwarpid},
    {"%smid", Special::kSmid},
    {"%nsmid", Special::kNsmid},
    {"%lanemask_eq", Special::kLanemaskEq},
    {"%lanemask_lt", Special::kLanemaskLt},
    {"%lanemask_le", Special::kLanemaskLe},
    {"%lanemask_gt", Special::kLanemaskGt},
    {"%lanemask_ge", Special::kLanemaskGe},
    {"%total_smem_size", Special::kSharedBytes},
    {"%aggr_smem_size", Special::kSharedBytes},
    {"%dynamic_smem_size", Special::kDynamicSharedBytes},
    {"%clusterid.x", Special::kCtaidX},  // clusters are of one block
    {"%clusterid.y", Special::kCtaidY},
    {"%clusterid.z", Special::kCtaidZ},
    {"%nclusterid.x", Special::kNctaidX},
    {"%nclusterid.y", Special::kNctaidY},
    {"%nclusterid.z", Special::kNctaidZ},
}};

}  // namespace

std::optional<Special> find_special(std::string_view name) {
  const auto found =
      std::find_if(kSpecials.begin(), kSpecials.end(), [&](const auto& row) { return row.first == name; });
  return found == kSpecials.end() ? std::nullopt : std::optional<Special>(found->second);
}

std::optional<std::uint32_t> constant_special(std::string_view name) {
  if (name.ends_with(".w")) return 0;
  if (name.starts_with("%cluster_nctaid.") || name == "%cluster_nctarank") return 1;
  for (const std::string_view zero : {"%gridid", "%cluster_ctaid.", "%cluster_ctarank", "%is_explicit_cluster",
                                      "%current_graph_exec", "%reserved_smem_offset_", "%envreg", "%pm"}) {
    if (name.starts_with(zero)) return 0;
  }
  return std::nullopt;
}

bool is_thread_varying(Special special) {
  switch (special) {
    case Special::kTidX:
    case Special::kTidY:
    case Special::kTidZ:
    case Special::kLaneid:
    case Special::kWarpid:
    case Special::kLanemaskEq:
    case Special::kLanemaskLt:
    case Special::kLanemaskLe:
    case Special::kLanemaskGt:
    case Special::kLanemaskGe:
      return true;
    default:
      return false;
  }
}

unsigned clock_bits(std::string_view name) {
  if (name == "%clock" || name == "%clock_hi" || name == "%globaltimer_lo" || name == "%globaltimer_hi") return 32;
  return name == "%clock64" || name == "%globaltimer" ? 64 : 0;
}

}  // namespace warpfold::isa
