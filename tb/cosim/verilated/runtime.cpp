// SPDX-License-Identifier: Apache-2.0
// Compiled together with Verilator's runtime, when the first block is built: contexts, waveform files, and what RTL
// says. A failing assertion must not end the user's process, so we bring the functions that Verilator would end it
// with.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <string>

#include "tb/cosim/verilated/abi.h"
#include "tb/cosim/verilated/print.h"
#include "verilated.h"
#include "verilated_cov.h"
#include "verilated_fst_c.h"
// The reader comes with Verilator's writer, in one file with it.
#include "gtkwave/fstapi.h"

namespace {

bool said = false;
std::string output, failure, taken;

// The text before a stop is the reason for it: "[0] %Error: file:line: Assertion failed in …".
void fail(const char* file, int line, const char* what) {
  said = true;
  if (!failure.empty()) return;
  failure = output.empty() ? std::string(file) + ":" + std::to_string(line) + ": " + what : output;
  output.clear();
}

VerilatedContext& context_of(void* context) { return *static_cast<VerilatedContext*>(context); }
VerilatedFstC& waves_of(void* waves) { return *static_cast<VerilatedFstC*>(waves); }

void* new_context(bool waves) {
  auto* const context = new VerilatedContext;
  context->threads(1);
  context->timeunit(-12);
  context->timeprecision(-12);
  if (waves) context->traceEverOn(true);
  return context;
}

bool write_coverage(void* context, const char* file) {
  if (FILE* const probe = std::fopen(file, "w")) {
    std::fclose(probe);
  } else {
    return false;
  }
  context_of(context).coveragep()->write(file);
  return true;
}

bool open_waves(void* waves, const char* file) {
  waves_of(waves).set_time_unit("1ps");
  waves_of(waves).set_time_resolution("1ps");
  waves_of(waves).open(file);
  return waves_of(waves).isOpen();
}

bool read_waves(const char* file, const RtlListener* listener, std::uint64_t* end_ps) {
  void* const reader = fstReaderOpen(file);
  if (reader == nullptr) return false;
  while (const fstHier* const hier = fstReaderIterateHier(reader)) {
    if (hier->htyp == FST_HT_SCOPE) listener->scope(listener->self, hier->u.scope.name);
    if (hier->htyp == FST_HT_UPSCOPE) listener->end_of_scope(listener->self);
    if (hier->htyp == FST_HT_VAR) listener->signal(listener->self, hier->u.var.name, hier->u.var.handle);
  }
  fstReaderSetFacProcessMaskAll(reader);
  fstReaderIterBlocks(
      reader,
      [](void* to, std::uint64_t time, fstHandle handle, const unsigned char* value) {
        const auto* const told = static_cast<const RtlListener*>(to);
        told->change(told->self, time, handle, reinterpret_cast<const char*>(value));
      },
      const_cast<RtlListener*>(listener), nullptr);
  *end_ps = fstReaderGetEndTime(reader);
  fstReaderClose(reader);
  return true;
}

const char* take(std::string& text) {
  taken.swap(text);
  text.clear();
  said = !output.empty() || !failure.empty();
  return taken.c_str();
}

}  // namespace

int warpfold_rtl_print(const char* format, ...) {
  char text[2048];
  std::va_list values;
  va_start(values, format);
  const int length = std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  output += text;
  said = true;
  return length;
}

void vl_finish(const char* file, int line, const char*) { fail(file, line, "$finish"); }
void vl_stop(const char* file, int line, const char*) { fail(file, line, "$stop"); }
void vl_fatal(const char* file, int line, const char*, const char* text) { fail(file, line, text); }

extern "C" const RtlRuntime* warpfold_rtl_runtime() {
  static const RtlRuntime runtime = {
      new_context,
      [](void* context) { delete &context_of(context); },
      [](void* context, int seed, int bit) {
        context_of(context).randReset(seed != 0 ? 2 : bit);
        context_of(context).randSeed(seed);
      },
      [](void* context, std::uint64_t now_ps) { context_of(context).time(now_ps); },
      write_coverage,
      []() -> void* { return new VerilatedFstC; },
      open_waves,
      [](void* waves, std::uint64_t now_ps) { waves_of(waves).dump(now_ps); },
      // Not deleted: at a program's end the statics that its destructor looks at are gone before.
      [](void* waves) { waves_of(waves).close(); },
      read_waves,
      &said,
      [] { return take(failure); },
      [] { return take(output); },
  };
  return &runtime;
}
