// SPDX-License-Identifier: Apache-2.0
// From a declaration as written to a variable with its sizes, alignment and initial values worked out.
#pragma once

#include "warpfold/ptx/ast.h"
#include "warpfold/ptx/syntax.h"

namespace warpfold::ptx {

// `name` and `source_name` are both the written name; whoever knows the scope makes the first unique.
Variable make_variable(const SourceText& source, const syntax::Specifiers& specifiers,
                       const syntax::Declarator& declarator);

}  // namespace warpfold::ptx
