// SPDX-License-Identifier: Apache-2.0
// The commands of the `warpfold` program. Each returns the exit status: 0 ok, 1 a wrong or failed run; a UserError that
// leaves one is a mistake of usage or configuration, 2.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tb/sim/tables/report.h"
#include "warpfold/gpu/record/time_trace_options.h"

namespace warpfold::sim {

struct Point;

// What others are compared with.
inline constexpr const char* kBaseline = "pdom";

// Without a mechanism: the machine's own, mostly pdom.
struct RunCommand {
  std::string machine = "tbc2011", mechanism, out, timing = "cycle", detail, ptx, size = "default";
  std::string sample;  // percentage; empty: nothing is sampled
  std::string code;    // order of a kernel's blocks; empty: as written with `ptx`, else placed
  std::string rtl, rtl_check = "equal", waves, rtl_out;
  std::string simd;                        // lane packing; empty: the machine's
  std::string mask_trace;                  // file; empty: none is written
  std::string trace;                       // perfetto; empty: none is written
  TimeTraceOptions::Words traced;          // of the run; not empty without `trace` only by mistake
  bool token_stack = false;                // what loops cost on a token stack, in the result directory
  std::vector<std::string> sets, program;  // the program, or a launch description when `ptx` is given
  bool profile = false;                    // what each instruction does is counted, too
  unsigned threads = 1;                    // of the host, in cycle mode
  OutputOptions output;                    // tables for programs send what the program says to standard error
  // Instead of tables of a good run's results: called when the program has ended, well or not.
  std::function<void(const Point&)> show{};
};
int run(const RunCommand& command);

// A run that counts what each instruction does, and shows it by line and branch (docs/profiling.md).
struct ProfileCommand : RunCommand {
  unsigned lines = 20;             // of each kernel
  std::string likely_convergence;  // file; empty: none
};
int profile(const ProfileCommand& command);

// A run with a checker, whose errors make it a failed one.
struct CheckCommand : RunCommand {
  CheckCommand() { timing = "functional"; }
  std::string tools = "memory", stray_reads = "fault";  // separated by commas, or "all"
  bool independent_threads = false;
};
int check(const CheckCommand& command);

struct CompareCommand {
  std::string machine = "tbc2011";  // several are separated by commas
  std::string out = "results", timing = "cycle", detail, size = "default";
  std::string sample;  // percentage; empty: nothing is sampled
  std::string code = "placed", rtl, rtl_check = "equal";
  std::string mechanisms, simd;  // separated by commas, or "all"; empty: pdom, the machine's lane packing
  std::vector<std::string> sets, programs;
  std::vector<std::string> sweeps;  // KEY=VALUE,VALUE
  unsigned seeds = 0;               // inputs of each program; 0: its own
  unsigned jobs = 1;
  OutputOptions output;
};
int compare(const CompareCommand& command);

// What a run's trace shows, as a page (docs/tracing.md).
struct TimelineCommand {
  std::string trace;  // a file, or the result directory that has it
  PageOptions page;   // without a file: timeline.html beside the trace
};
int timeline(const TimelineCommand& command);

// What RTL blocks came across in kept runs (docs/co-simulation.md).
struct CoverageCommand {
  std::vector<std::string> results;  // result directories, or folders above them
  PageOptions page;
  OutputOptions output;
};
int coverage(const CoverageCommand& command);

// Two runs that differ in one thing, and where their difference comes from (docs/explain.md).
struct ExplainCommand {
  std::string machine = "tbc2011", a, b;  // sides: MECHANISM,KEY=VALUE,…
  std::string out = "results", size = "default", code = "placed";
  std::vector<std::string> sets, program;
  bool slots_only = false;  // no further runs
  unsigned lines = 10;      // of the source that people are shown
  unsigned jobs = 1;
  PageOptions page;
  OutputOptions output;
};
int explain(const ExplainCommand& command);

// Programs beside what a GPU was measured to do with them (docs/correlate.md).
struct CorrelateCommand {
  std::string measured;  // a table: ours, or a profiler's
  std::string machine = "volta", mechanism = kBaseline, out = "results", size = "default", code = "placed";
  std::string detail;                      // as for a run
  std::vector<std::string> sets, program;  // one with its arguments, or several bundled ones
  std::string at_most;                     // percentage; empty: any error will do
  std::optional<double> clock_mhz;         // of the measured GPU
  PageOptions page;
  unsigned jobs = 1;
  OutputOptions output;
};
int correlate(const CorrelateCommand& command);

// What other commands make when they first need it, made now: before many need it, or the network is gone.
struct PrepareCommand {
  std::vector<std::string> names;  // bundled workloads, sets of them, "all"; "report": what study report takes from npm
};
int prepare_ahead(const PrepareCommand& command);  // prints where each is

// An untimed run that puts what its threads decide through a token stack (docs/token-stack.md).
struct TokenStackCommand : RunCommand {
  TokenStackCommand() {
    machine = "kepler-token";
    mechanism = "token-stack";
    timing = "functional";
    token_stack = true;
  }
};
int token_stack(const TokenStackCommand& command);

struct MasksCommand {
  std::vector<std::string> traces;  // files; "-" is standard input
  bool kernels = false;
  OutputOptions output;
  std::string out;  // standard output when empty
};
int masks(const MasksCommand& command);

// A page of a study's store, or of a run's results, that is made again while they go.
struct WatchCommand {
  std::string folder, out;  // no page: FOLDER/watch.html
  double every = 5;         // seconds
};
int watch(const WatchCommand& command);

struct ListCommand {
  std::string what;
  std::vector<std::string> files;  // of kernels
  OutputOptions output;
};
int list(const ListCommand& command);
const std::vector<std::string>& listable();  // mechanisms, machines, …

struct MachinesCommand {
  std::string first, second;  // names in configs/machines, or paths
  OutputOptions output;
};
int show_machine(const MachinesCommand& command);  // the first
int diff_machines(const MachinesCommand& command);

struct SchemaCommand {
  std::string what;  // machine, study, launch, or a mechanism
};
int schema(const SchemaCommand& command);  // JSON Schema of such a file's keys, for editors

struct AreaCommand {
  std::string points;   // a table of storage structures, to be written back with what the model says of them
  bool papers = false;  // the papers' cost tables beside ours
  std::string machine, mechanisms;  // empty: tbc2011, all
  std::string simd;                 // lane packings
  std::vector<std::string> sweeps;  // KEY=VALUE,VALUE,…
  std::vector<std::string> sets, results;
  bool core = false;              // the core that mechanisms add to is costed, too
  bool decide = false;            // what of it decides between mechanisms; with the core's area
  double rest = -1;               // %, of a chip, that is not cores; below 0: the chip is `die`
  std::vector<std::string> libs;  // Liberty files; none: Debian's
  std::vector<std::string> pdks;  // likewise, of process design kits: DIR or DIR:WORD,…
  std::string lib_nodes;          // nm, of each; empty: found from their names
  double node = 40, die = 529;    // nm, mm²
  double fo4 = 0, nand2 = 0;      // ps and µm², of the process; 0: nobody knows
  std::string clock;              // that synthesis aims at, there
  std::string rtl;                // designs of the user's in place of blocks, as run --rtl has them
  std::string picture;            // an SVG file of clocks and areas; empty: none
  unsigned jobs = 0;              // at a time
  OutputOptions output;
  std::string out;  // standard output when empty
};
int area(const AreaCommand& command);

struct NewCommand {
  std::string name, from = "tbc2011";  // of a machine: the one that it is made of
  std::string out;                     // the folder for it; empty: where the user stands
};
int new_machine(const NewCommand& command);
int new_mechanism(const NewCommand& command);

}  // namespace warpfold::sim
