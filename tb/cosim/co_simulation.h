// SPDX-License-Identifier: Apache-2.0
// RTL in a simulated machine: the blocks that `--rtl` names, in the place of the C++ ones or beside them as shadows.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "warpfold/core/stand_ins.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold::cosim {

// The blocks of a machine whose run asks for RTL; null when it does not.
std::shared_ptr<StandInSource> stand_ins(const RtlOptions& options);

// Builds what the run will need, so that mistakes in the RTL are told before a program starts. Returns the names of the
// shared objects, which stand for all that they were made from. UserError: unknown blocks, what build_rtl says,
// geometries that the RTL cannot have.
std::vector<std::string> build_blocks(const RtlOptions& options, const CoreParams& params,
                                      const divergence::Hardware& mechanism);

}  // namespace warpfold::cosim
