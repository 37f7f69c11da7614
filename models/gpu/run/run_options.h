// SPDX-License-Identifier: Apache-2.0
// How a simulated program learns what to simulate: a run file named by the environment variable WARPFOLD_RUN. Without
// it a program runs on the default machine, under the default mechanism, and writes no results.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warpfold/common/clock/pace.h"
#include "warpfold/common/config/config.h"
#include "warpfold/gpu/machine/machine_config.h"
#include "warpfold/gpu/record/time_trace_options.h"
#include "warpfold/gpu/run/detail.h"
#include "warpfold/gpu/sampling/sample_choice.h"

namespace warpfold {

enum class Timing : std::uint8_t {
  kCycle,       // every launch (or those that `detail` names) through the pipeline
  kFunctional,  // values only: no cycles
};

template <>
struct Choices<Timing> {
  static constexpr std::array names{"cycle", "functional"};
};

// In which order a kernel's blocks lie: as an assembler would place them (isa/block_placement.h), or as in the PTX,
// with all its jumps.
enum class Code : std::uint8_t { kPlaced, kAsWritten };

template <>
struct Choices<Code> {
  static constexpr std::array names{"placed", "as-written"};
};

// What RTL may do otherwise than its twin: clocks (equal), nothing (cycle), or whatever its contract leaves open.
enum class RtlCheck : std::uint8_t { kEqual, kCycle, kContract };

template <>
struct Choices<RtlCheck> {
  static constexpr std::array names{"equal", "cycle", "contract"};
};

// RTL in the place of blocks of the cores, or beside them (docs/co-simulation.md).
struct RtlOptions {
  struct Block {
    std::string name;
    std::vector<std::string> files;  // of the user's own version; none: the project's
  };
  std::vector<Block> blocks;
  RtlCheck check = RtlCheck::kEqual;
  std::string waves;               // FST file; empty: none
  std::string out;                 // folder for what other tools take; empty: none
  std::vector<std::string> built;  // names of what was made of the blocks' sources; not in run files

  // "compactor,adequacy=my.sv,its_parts.sv". `place` stands in error messages.
  static std::vector<Block> parse(const std::string& text, const std::string& place);
  std::string text() const;  // of the blocks, as parse() takes it
};

template <>
struct Choices<Pace::Rule> {
  static constexpr std::array names{"as_it_pays", "together", "apart", "in_turns"};
};

struct RunOptions {
  std::string machine_name = "tbc2011";
  MachineConfig machine;
  std::string mechanism = "pdom";
  ConfigNode mechanism_parameters;
  Timing timing = Timing::kCycle;
  Detail detail;
  SampleChoice sample;  // times some launches, and estimates the rest; else all, or those of `detail`
  Code code = Code::kPlaced;
  RtlOptions rtl;
  bool profile = false;      // counts what each instruction does, for the result directory's profile.json
  std::string out;           // result directory; empty: none
  std::string mask_trace;    // file for the execution masks of all launches; empty: none
  TimeTraceOptions trace;    // writes a trace of the run, as kTimeTraceFile in `out`
  bool token_stack = false;  // predict what loops cost on a token stack, as a file in `out`
  unsigned threads = 1;      // of the host, in cycle mode
  Pace::Rule pace = Pace::Rule::kAsItPays;  // only tests and counts of instructions want another
  std::string decided_by;  // what decides the results, a JSON object for run.json; empty: nobody has said

  // What WARPFOLD_RUN says, or the defaults when it is unset.
  static RunOptions from_environment();
  static constexpr unsigned kMostThreads = 1024;
  // `machine` and `mechanism` by name or path, then the overrides "core.warp_size=16", "mechanism.KEY=VALUE".
  static RunOptions resolve(const std::string& machine, const std::string& mechanism,
                            const std::vector<std::string>& sets);

  // A run file: loads again to the same options. Without `out` it is config.effective.yaml.
  static RunOptions load_file(const std::string& path);
  std::string run_file() const { return text(true); }
  std::string effective_config() const { return text(false); }

 private:
  std::string text(bool with_directory) const;
};

inline constexpr const char* kRunVariable = "WARPFOLD_RUN";

// Where configs/ lies: WARPFOLD_CONFIGS, else where it was installed with the library, else what the build says.
std::string config_directory();
// A machine's file, by its name in configs/machines or its path. One that says `base: volta` gives only what differs
// from that machine.
inline constexpr const char* kMachineBase = "base";
struct MachineFile {
  explicit MachineFile(const std::string& name);
  std::string path, base;  // files; base: empty where there is none
  ConfigNode own, values;  // what this file says, and with what its base says
};

// configs/machines/NAME.yaml and so on; an error with the nearest names when there is none.
std::string find_config(const std::string& kind, const std::string& name_or_path);
std::vector<std::string> config_names(const std::string& kind);  // sorted

}  // namespace warpfold
