// SPDX-License-Identifier: Apache-2.0
// The C ABI over one verilated class. The builder writes the file that names the class and lists its ports.
#pragma once

#include <vector>

#include "tb/cosim/verilated/abi.h"
#include "verilated.h"
#include "verilated_fst_c.h"

namespace warpfold::cosim {

template <class Verilated>
struct Module {
  Verilated verilated;
  std::vector<RtlPin> pins;

  Module(void* context, const char* name) : verilated(static_cast<VerilatedContext*>(context), name) {}

  // `list` fills the pins.
  template <std::vector<RtlPin> (*list)(Verilated&)>
  static void* create(void* context, const char* name, const RtlPin** pins, unsigned* pin_count) {
    auto* const module = new Module(context, name);
    module->pins = list(module->verilated);
    *pins = module->pins.data();
    *pin_count = static_cast<unsigned>(module->pins.size());
    return module;
  }
  static void eval(void* module) { static_cast<Module*>(module)->verilated.eval(); }
  static void destroy(void* module) {
    static_cast<Module*>(module)->verilated.final();
    delete static_cast<Module*>(module);
  }
  // Only of a class that was verilated with waves.
  static void trace(void* module, void* waves) {
    static_cast<Module*>(module)->verilated.trace(static_cast<VerilatedFstC*>(waves), 99);
  }
};

}  // namespace warpfold::cosim
