// SPDX-License-Identifier: Apache-2.0
// Man pages from the table of commands and options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace warpfold::sim {

// Those that lists and help show.
std::vector<const CLI::App*> commands_of(const CLI::App& app);

// The command that words name, "machines diff"; none name the program. UserError, one line.
const CLI::App& command_of(const CLI::App& app, const std::vector<std::string>& words);

// Its page, in the man macros of troff: warpfold(1), warpfold-machines-diff(1).
std::string man_page(const CLI::App& command);

// warpfold.1 and a page for every command, in an existing directory.
void write_man_pages(const CLI::App& app, const std::string& directory);

}  // namespace warpfold::sim
