// SPDX-License-Identifier: Apache-2.0
// Names for things that differ in a few of many properties.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpfold::sim {

// What a thing is, in the order in which a reader wants it told: the name of a property, and what is said of it.
using Facts = std::vector<std::pair<std::string, std::string>>;

// For each thing, what tells it from the others: the first facts that do, and no others. Empty for a thing alone, and
// for things without any difference.
std::vector<std::string> told_apart(const std::vector<Facts>& things);

// A C++ function's name without its return type and parameters: "void ns::copy<int>(int*)" becomes "ns::copy<int>".
std::string function_name(std::string_view demangled);

// The same; a long one has no namespaces, and no more than 60 characters.
std::string short_function_name(std::string_view demangled);

// The same of a name as PTX has it: "_Z6expandPKi" becomes "expand"; one that is not mangled stays as it is.
std::string readable_kernel(const std::string& name);

}  // namespace warpfold::sim
