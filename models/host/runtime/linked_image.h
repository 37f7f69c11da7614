// SPDX-License-Identifier: Apache-2.0
// Several modules of PTX as one text, which is loaded as one module is: what cuLinkComplete() makes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warpfold/ptx/ast.h"

namespace warpfold::host {

struct LinkedPart {
  std::string name, ptx;  // the name is for messages
};

std::string linked_image(const std::vector<LinkedPart>& parts);

// A module's text without the mark of -rdc=true: it is a program of its own, not a part of the one that loads it.
std::string standing_alone(std::string ptx);

// Parsed, and linked if it is of several modules. `file` names the whole in messages. UserError as ptx::parse() and
// ptx::link().
ptx::Module parsed_image(std::string_view image, const std::string& file);

// What its code calls or uses and no part defines, by name in the order of names; empty: nothing.
std::vector<std::string> undefined_in(const ptx::Module& module);

}  // namespace warpfold::host
