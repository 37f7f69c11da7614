// SPDX-License-Identifier: Apache-2.0
// The boxes of an elaborated machine and the sockets and links that join them.
#pragma once

#include <string>
#include <vector>

namespace warpfold::sim {

struct Binding {
  std::string from, socket, to;  // full names of modules; of the initiator's socket, without its module
};

// Of the smallest machine that has one of each of a machine's boxes, under tbc. Once in a process.
inline constexpr const char* kUsualMachine = "gtx480";
std::vector<Binding> bindings_of(const std::string& machine);

}  // namespace warpfold::sim
