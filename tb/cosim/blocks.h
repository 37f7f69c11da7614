// SPDX-License-Identifier: Apache-2.0
// The RTL blocks that can stand in for C++ ones: where each is, what it takes, which pins it has.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tb/cosim/build/build.h"

namespace warpfold::cosim {

struct RtlBlock {
  std::string name;          // in --rtl
  std::string top;           // module; rtl/<top>.sv unless the user brings a file of his own
  std::string twin;          // where the C++ is that it has to agree with
  RtlParameters parameters;  // with their defaults
  std::function<std::vector<RtlPort>(const RtlParameters& parameters)> ports;
  bool of_plugin = false;  // a unit that a plug-in brings: its RTL is the user's, and a name is all that we have
};

const std::vector<RtlBlock>& rtl_blocks();

// Also those of plug-ins. UserError, with the nearest name, when there is none of that name.
const RtlBlock& rtl_block(std::string_view name);

// What to build for a block with `parameters` (those not given have their defaults; InternalError for one that the
// block does not have), from `files` instead of the project's own if there are any.
RtlSource rtl_source(std::string_view name, const RtlParameters& parameters,
                     const std::vector<std::string>& files = {});
RtlSource rtl_source(std::string_view name, const RtlParameters& parameters, const std::string& file);  // empty: none

// Bits of an index into n things: simt_pkg::idx_width.
unsigned index_width(unsigned n);

}  // namespace warpfold::cosim
