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

}  // namespace warpfold::sim
