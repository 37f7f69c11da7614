// SPDX-License-Identifier: Apache-2.0
// Inside of Waves, which RtlModel shares.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tb/cosim/build/rtl_model.h"
#include "tb/cosim/verilated/abi.h"

namespace warpfold::cosim {

struct Waves::Impl {
  struct Traced {
    const RtlModel* model;
    const RtlModule* module;
    void* verilated;
    Pin clk;
    bool clocked = false;  // in the cycle that runs
  };

  std::string file;
  std::uint64_t period_ps;
  const RtlRuntime* runtime = nullptr;
  std::shared_ptr<void> context;  // one for all models, or Verilator refuses to write them to one file
  void* fst = nullptr;            // Verilator's writer
  bool open = false;
  std::uint64_t from_ps = 0;  // nothing before is written
  std::uint64_t now_ps = 0;   // when the cycle that runs began
  bool written = false;       // it is in the file
  std::vector<Traced> models;

  void start(const RtlRuntime* shared);
  void attach(const RtlModel& model, const RtlModule* module, void* verilated);
  // A model's edge at `at_ps`: the first one of a time means that all models are through with the cycle before.
  void begin(const RtlModel& model, std::uint64_t at_ps);
  void write_cycle();
  void finish();
};

}  // namespace warpfold::cosim
