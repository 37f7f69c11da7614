// SPDX-License-Identifier: Apache-2.0
// What rtl/synth/liberty.tcl reads of a Liberty file, and the node that `warpfold area` makes of it. The script runs in
// a Tcl interpreter without commands that reach the host, so one that a file smuggles in fails. libFuzzer sees the
// commands that run as counters: which one has run after which.
#include <tcl.h>

#include <array>
#include <cmath>

#include "tests/fuzz/harness.h"
#include "warpfold/area/scaling.h"

namespace warpfold {
namespace {

constexpr std::size_t kCounters = 1 << 14;
__attribute__((section("__libfuzzer_extra_counters"))) std::array<std::uint8_t, kCounters> counters;

// FNV-1a: the same on every run, unlike the address of a command.
std::size_t hash_of(const char* text, std::size_t from) {
  for (; *text != 0; ++text) from = (from ^ static_cast<unsigned char>(*text)) * 0x100000001b3U;
  return from;
}

std::size_t before = 0;  // the last command of this input

// By the command's name, the number of its words and how deep it is called: its words are the file's.
int count_command(ClientData, Tcl_Interp*, int level, const char*, Tcl_Command, int words, Tcl_Obj* const* word) {
  const std::size_t start =
      0xcbf29ce484222325U + 64 * static_cast<std::size_t>(level) + static_cast<std::size_t>(words);
  const std::size_t now = hash_of(Tcl_GetString(word[0]), start);
  counters[(now ^ (before >> 1)) % kCounters] = 1;
  before = now;
  return TCL_OK;
}

constexpr const char* kFile = R"(
proc open {name} { return $name }
proc close {channel} {}
rename read {}
proc read {channel} { return $::text }
)";

class Reader {
 public:
  Reader() : interpreter_(Tcl_CreateInterp()) {
    std::ifstream script(WARPFOLD_LIBERTY_TCL);
    const std::string text((std::istreambuf_iterator<char>(script)), std::istreambuf_iterator<char>());
    if (Tcl_MakeSafe(interpreter_) != TCL_OK || Tcl_Eval(interpreter_, kFile) != TCL_OK ||
        Tcl_Eval(interpreter_, text.c_str()) != TCL_OK) {
      fuzz::broken(Tcl_GetStringResult(interpreter_));
    }
    Tcl_CreateObjTrace(interpreter_, 0, 0, count_command, nullptr, nullptr);
  }

  // False when the script refuses the file; errors of Tcl itself, which have a code, are findings.
  bool runs(const char* command) {
    if (Tcl_Eval(interpreter_, command) == TCL_OK) return true;
    const std::string said = Tcl_GetStringResult(interpreter_);
    const char* const code = Tcl_GetVar(interpreter_, "errorCode", TCL_GLOBAL_ONLY);
    if (code == nullptr || std::string_view(code) != "NONE" || said.find('\n') != said.npos) {
      fuzz::broken(fmt::format("{} ({})", said, code == nullptr ? "no code" : code));
    }
    return false;
  }

  bool read(const std::string& file) {
    Tcl_SetVar2Ex(interpreter_, "text", nullptr, Tcl_NewStringObj(file.data(), static_cast<int>(file.size())),
                  TCL_GLOBAL_ONLY);
    return runs("liberty::read file") && runs("liberty::roles");
  }

  std::string value(const char* command) {
    if (!runs(command)) fuzz::broken(Tcl_GetStringResult(interpreter_));
    return Tcl_GetStringResult(interpreter_);
  }

 private:
  Tcl_Interp* interpreter_;  // lives as long as the process
};

}  // namespace
}  // namespace warpfold

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpfold;
  static Reader reader;
  before = 0;
  if (!reader.read(fuzz::text_of(data, size))) return 0;
  const double nand2 = std::stod(reader.value("liberty::area $liberty::nand2"));
  const double load = std::stod(reader.value("set liberty::load"));
  if (!std::isfinite(nand2) || !std::isfinite(load)) fuzz::broken("areas and loads are numbers");
  const double node = area::node_of_library(reader.value("set liberty::library"), nand2);
  if (!std::isfinite(node)) fuzz::broken("a node that is no number");
  return 0;
}
