// SPDX-License-Identifier: Apache-2.0
// The files of a design that a user brings.
#pragma once

#include <string>
#include <vector>

namespace warpfold::cosim {

struct RtlSource;

// Files by their absolute paths, and what else a list of files (.f) says, as options that begin with + or -.
// scripts/rtl-* read lists, too: scripts/rtl-verilog says what is in these. `place` stands in messages. UserError: what
// it says of a list.
std::vector<std::string> design_files(const std::vector<std::string>& named, const std::string& place);

// Gives a source what design_files() said.
void add_design(RtlSource& source, const std::vector<std::string>& files);

}  // namespace warpfold::cosim
