// SPDX-License-Identifier: Apache-2.0
// A fresh SystemC simulation per object, so that one test can run several and compare them.
#pragma once

#include <systemc>

namespace warpfold::test {

// Declare it before (so that it is destroyed after) the modules of the simulation.
class Simulation {
 public:
  Simulation() : context_(new sc_core::sc_simcontext) {
    sc_core::sc_curr_simcontext = context_;
    sc_core::sc_default_global_context = context_;
  }
  ~Simulation() {
    delete context_;
    sc_core::sc_curr_simcontext = nullptr;
    sc_core::sc_default_global_context = nullptr;
  }
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

 private:
  sc_core::sc_simcontext* context_;
};

}  // namespace warpfold::test
