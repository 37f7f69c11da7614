// SPDX-License-Identifier: Apache-2.0
// Where a program finds what it reads: bundled programs, libraries to compile, the parts of reports.
#pragma once

#include <filesystem>
#include <string>

namespace warpfold {

// PREFIX/share/warpfold/`name`, if this program is installed below PREFIX; else `in_sources`, of those that it was
// built from.
std::filesystem::path data_folder(const std::string& name, const std::filesystem::path& in_sources);

}  // namespace warpfold
