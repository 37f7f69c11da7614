// SPDX-License-Identifier: Apache-2.0
// Several PTX modules as one: what relocatable device code (nvcc -rdc=true) is put together to.
#pragma once

#include <string>
#include <vector>

#include "warpfold/ptx/ast.h"

namespace warpfold::ptx {

// Declarations become what other modules define; of .weak definitions the first is taken, of .common variables the
// largest. What only its own module sees keeps to itself, under another name where two have the same. `file` names the
// whole in messages. UserError, with the modules' files, for what two modules define and for a name of one that is
// static in another. Other names that nobody defines stay declarations. For their source lines, a module's lines come
// behind those of the one before.
Module link(std::vector<Module> modules, std::string file);

}  // namespace warpfold::ptx
