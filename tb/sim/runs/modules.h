// SPDX-License-Identifier: Apache-2.0
// The boxes of an elaborated machine and the sockets that join them, as SystemC knows them.
#pragma once

#include <string>
#include <vector>

namespace warpfold::sim {

struct Binding {
  std::string from, socket, to;  // full names of modules; of the initiator's socket, without its module
};

// Of everything that has been made; starts the simulation, without time, so that the sockets are bound.
std::vector<Binding> bindings();

// Of the smallest machine that has one of each of a machine's boxes, under tbc. Once in a process.
inline constexpr const char* kUsualMachine = "gtx480";
std::vector<Binding> bindings_of(const std::string& machine);

}  // namespace warpfold::sim
