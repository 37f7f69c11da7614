// SPDX-License-Identifier: Apache-2.0
// The files of a design that a user brings.
#pragma once

#include <string>
#include <vector>

namespace warpfold::cosim {

// Files by their absolute paths. For one whose name ends in .f, those that it lists, a line each, relative to where it
// lies; "#" and "//" begin comments. `place` stands in messages. UserError: a list that cannot be read or is empty, an
// option of a simulator in it.
std::vector<std::string> design_files(const std::vector<std::string>& named, const std::string& place);

}  // namespace warpfold::cosim
