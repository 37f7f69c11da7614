// SPDX-License-Identifier: Apache-2.0
// What crosses the border between the simulator and a verilated library. One builder makes both sides, with one
// compiler; so plain structs with functions in them are enough.
#pragma once

#include <cstdint>

extern "C" {

struct RtlPin {
  const char* name;
  unsigned bits;
  bool output;
  bool follows_inputs;  // an output that may change without an edge; false only where that is known
  void* data;           // Verilator's storage
};

// One verilated module. `context` is RtlRuntime's, which outlives its models.
struct RtlModule {
  void* (*create)(void* context, const char* name, const RtlPin** pins, unsigned* pin_count);
  void (*eval)(void* model, bool same_inputs);  // same: as in the call before, but for the clock
  void (*destroy)(void* model);             // after final()
  void (*trace)(void* model, void* waves);  // null in a library without waves
};
using RtlModuleEntry = const RtlModule*();  // "warpfold_rtl_module"

// Who is told what a waveform file has: its scopes and signals in their order, then each change of a signal, by its
// number.
struct RtlListener {
  void (*scope)(void* self, const char* name);
  void (*end_of_scope)(void* self);
  void (*signal)(void* self, const char* name, unsigned number);
  void (*change)(void* self, std::uint64_t time_ps, unsigned number, const char* value);  // a digit a bit
  void* self;
};

// What all models share: contexts, messages, files. A context is time, seed and coverage of some models.
struct RtlRuntime {
  void* (*new_context)(bool waves);
  void (*delete_context)(void* context);
  // Of the models made next: registers start with anything drawn from a seed that is not 0, or with `bit` throughout.
  void (*start)(void* context, int seed, int bit);
  void (*set_time)(void* context, std::uint64_t now_ps);
  bool (*write_coverage)(void* context, const char* file);
  void* (*new_waves)();
  bool (*open_waves)(void* waves, const char* file);  // when all models are attached; false if it cannot be written
  void (*dump_waves)(void* waves, std::uint64_t now_ps);
  void (*close_waves)(void* waves);
  // Of a finished file (FST); `end_ps` is where it ends. False: it is none.
  bool (*read_waves)(const char* file, const RtlListener* listener, std::uint64_t* end_ps);
  // True once a model failed (assertion, $error, $fatal, $stop, $finish) or printed, until take_*.
  const bool* said;
  const char* (*take_failure)();  // the first one's text, empty if none; valid until the next call
  const char* (*take_output)();   // what $display and the like printed
};
using RtlRuntimeEntry = const RtlRuntime*();  // "warpfold_rtl_runtime"

}  // extern "C"
