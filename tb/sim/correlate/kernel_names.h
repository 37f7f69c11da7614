// SPDX-License-Identifier: Apache-2.0
// Kernels' names as several tools write them, brought to one form.
#pragma once

#include <string>

namespace warpfold::sim {

// With namespaces and template arguments, without blanks, anonymous namespaces, casts in template arguments, return
// type, parameters and the number that nvprof puts behind: "_Z4wildPi", "wild(int *)" and "wild(int*) [117]" are all
// "wild".
std::string qualified_kernel(const std::string& name);

// The function's own name of a qualified one: "ns::copy<int>" becomes "copy".
std::string base_kernel(const std::string& qualified);

}  // namespace warpfold::sim
