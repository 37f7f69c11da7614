// SPDX-License-Identifier: Apache-2.0
// The special registers that kernels can read (PTX ISA §10).
#include "warpfold/isa/decode/special_registers.h"

#include <algorithm>
#include <array>
#include <utility>

namespace warpfold::isa {
namespace {

constexpr std::array<std::pair<std::string_view, Special>, 26> kSpecials{{
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
    {"%gridid", Special::kGridid},
    {"WARP_SZ", Special::kWarpSize},
    {"%lanemask_eq", Special::kLanemaskEq},
    {"%lanemask_lt", Special::kLanemaskLt},
    {"%lanemask_le", Special::kLanemaskLe},
    {"%lanemask_gt", Special::kLanemaskGt},
    {"%lanemask_ge", Special::kLanemaskGe},
    {"%total_smem_size", Special::kSharedBytes},
    {"%dynamic_smem_size", Special::kDynamicSharedBytes},
}};

}  // namespace

std::optional<Special> find_special(std::string_view name) {
  const auto found =
      std::find_if(kSpecials.begin(), kSpecials.end(), [&](const auto& row) { return row.first == name; });
  return found == kSpecials.end() ? std::nullopt : std::optional<Special>(found->second);
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
