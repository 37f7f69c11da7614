// SPDX-License-Identifier: Apache-2.0
// The C ABI over one verilated class. The builder writes the file that names the class and lists its ports.
#pragma once

#include <vector>

#include "tb/cosim/verilated/abi.h"
#include "verilated.h"
#include "verilated_fst_c.h"

// What the builder has Verilator's code ask before it works out what follows from inputs (build.cpp): 1 where they are
// the same.
static thread_local unsigned warpfold_same_inputs = 0;

namespace warpfold::cosim {

template <class Class>
struct Module {
  VerilatedContext* context;
  Class verilated;
  std::vector<RtlPin> pins;

  Module(VerilatedContext* shared, const char* name) : context(shared), verilated(shared, name) {}

  // Verilator's runtime looks for the thread's context where the model's own would be right: messages, the erasing of
  // scopes. It may be one that is gone.
  static Module& of(void* module) {
    Verilated::threadContextp(static_cast<Module*>(module)->context);
    return *static_cast<Module*>(module);
  }
  // `list` fills the pins.
  template <std::vector<RtlPin> (*list)(Class&)>
  static void* create(void* context, const char* name, const RtlPin** pins, unsigned* pin_count) {
    Verilated::threadContextp(static_cast<VerilatedContext*>(context));
    auto* const module = new Module(static_cast<VerilatedContext*>(context), name);
    module->pins = list(module->verilated);
    *pins = module->pins.data();
    *pin_count = static_cast<unsigned>(module->pins.size());
    return module;
  }
  static void eval(void* module, bool same_inputs) {
    warpfold_same_inputs = same_inputs ? 1 : 0;
    of(module).verilated.eval();
  }
  static void destroy(void* module) {
    of(module).verilated.final();
    delete static_cast<Module*>(module);
  }
  // Only of a class that was verilated with waves.
  static void trace(void* module, void* waves) { of(module).verilated.trace(static_cast<VerilatedFstC*>(waves), 99); }
};

}  // namespace warpfold::cosim
