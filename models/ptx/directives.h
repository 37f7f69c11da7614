// SPDX-License-Identifier: Apache-2.0
// Directives that carry nothing for us (debugging information, pragmas) and are skipped.
#pragma once

#include <string_view>

#include "warpfold/ptx/source_text.h"

namespace warpfold::ptx {

// ".loc" at `at`, or an empty text when no directive starts there.
std::string_view directive_at(const SourceText& source, const char* at);

// Moves `at` behind the next ';' that is not in a string.
void skip_statement(const SourceText& source, const char*& at);

// Skips .loc, .file, .pragma and .section with what belongs to them; false if `directive` is none of these.
bool skip_directive(const SourceText& source, const char*& at, std::string_view directive);

}  // namespace warpfold::ptx
