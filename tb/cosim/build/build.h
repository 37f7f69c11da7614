// SPDX-License-Identifier: Apache-2.0
// SystemVerilog sources and parameters to a shared object, once: Verilator and g++ run only when something has changed.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace warpfold::cosim {

struct RtlPort {
  std::string name;
  unsigned bits = 1;
  bool output = false;
  unsigned kinds = ~0U;  // of an output: bit n says that it means something after an operation of kind n
  bool operator==(const RtlPort& other) const {  // as ports of a module
    return name == other.name && bits == other.bits && output == other.output;
  }
};

using RtlParameters = std::vector<std::pair<std::string, unsigned>>;

struct RtlSource {
  std::string block;                 // its name in messages
  std::vector<std::string> files;    // packages first; what they instantiate is looked up beside them and in rtl/
  std::vector<std::string> options;  // +incdir+DIR, +define+NAME, -yDIR, -vFILE of a list of files
  std::string top;                   // module
  RtlParameters parameters;          // of the module
  std::vector<RtlPort> ports;        // that the module has to have, no more and no less
  bool coverage = false;             // count lines and toggles
  bool covers = false;               // count the properties that it says are to be covered
  bool waves = false;                // able to write waveforms, which costs speed; RtlModel sets it
};

// Path of the shared object, for RtlModel. It is kept in $WARPFOLD_CACHE, else $XDG_CACHE_HOME/warpfold, else
// ~/.cache/warpfold, under a hash of all it was made from: every source file that Verilator read, parameters, options,
// the wrapper and the versions of Verilator and g++. Any number of processes may build at the same time.
// UserError, one line: a source that is missing or that Verilator refuses (file:line and its first message; the rest is
// in the log that the line names), a module that does not exist, a port that is missing, too many or of another width,
// a cache directory that cannot be written.
std::string build_rtl(const RtlSource& source);

// Path of what the objects of all blocks share, which exports warpfold_rtl_runtime(); kept in the same place. UserError
// where there is no Verilator.
std::string build_rtl_runtime();

}  // namespace warpfold::cosim
