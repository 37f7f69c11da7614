// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/commands/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "tb/cosim/hung_block.h"
#include "tb/sim/console/output.h"
#include "warpfold/area/scaling.h"
#include "warpfold/common/error.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold::sim {
namespace {

CLI::Option* value(CLI::App& to, const char* name, std::string& to_set, const char* kind, const std::string& text) {
  return to.add_option(name, to_set, text)->type_name(kind);
}

// May be repeated, a word each time: what follows is a program.
CLI::Option* repeated(CLI::App& to, const char* name, std::vector<std::string>& to_set, const char* kind,
                      const std::string& text) {
  return to.add_option(name, to_set, text)
      ->type_name(kind)
      ->type_size(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

// How tables come out; `names` where there are several: "kernels|total".
void tables(CLI::App& to, OutputOptions& output, const std::string& names = "") {
  to.add_flag("--json", output.json, "The table for programs, with whole numbers (docs/tables.md)");
  to.add_flag("--csv", output.csv, "The same for spreadsheets");
  to.add_flag("--markdown", output.markdown, "The table for documents");
  if (names.empty()) return;
  value(to, "--table", output.table, names.c_str(), "Only this one; with --csv it is the first without the option")
      ->check(CLI::IsMember(CLI::detail::split(names, '|')).description(""));
}

void pages(CLI::App& to, PageOptions& page, const char* name = "--report",
           const char* text = "Write a page with figures and tables, too") {
  value(to, name, page.file, value_kind::kFile, text);
  value(to, "--svg", page.svg, value_kind::kDirectory, "The figures as SVG into this folder, too");
  value(to, "--png", page.png, value_kind::kDirectory, "The same as PNG");
}

void sampling(CLI::App& to, std::string& sample) {
  value(to, "--sample", sample, "PERCENT",
        "Time some launches, until half of the 95% interval is within 3%, say, or these: 0-3,7 (docs/sampling.md)");
}

void add_quiet(CLI::App& to, const char* text) { to.add_flag_callback("-q,--quiet", be_quiet, text); }

constexpr const char* kDetail = "Time only this kernel or launches 3-7; run the rest functionally";
constexpr const char* kOnlyErrors = "No progress, and no table but one asked for by --json, --csv or --markdown";

template <class Number>
void add_count(CLI::App& to, const char* name, Number& number, const char* text, int most) {
  to.add_option(name, number, text)->type_name("COUNT")->check(CLI::Range(1, most).description(""));
}

}  // namespace

template <class Command>
CLI::App& CommandLine::add(CLI::App& to, const char* name, const char* text, Command& command,
                           int (*act)(const Command&)) {
  CLI::App* const app = to.add_subcommand(name, text);
  entries_.push_back({app, [&command, act] { return act(command); }});
  return *app;
}

CommandLine::CommandLine() {
  app_.name("warpfold");
  app_.set_version_flag("--version", "warpfold " WARPFOLD_VERSION);
  app_.require_subcommand(1);
  add_runs();
  add_compare();
  add_explain();
  add_correlate();
  add_timeline();
  add_coverage();
  add_prepare();
  add_list();
  add_machines();
  add_schema();
  add_area();
  add_masks();
  add_token_stack();
  add_study();
  add_watch();
  add_new();
  add_help();
}

void CommandLine::takes_plugins(CLI::App& to) {
  repeated(to, "--plugin", plugins_, value_kind::kFile,
           "A shared object that brings a mechanism, an instruction or a memory (docs/plug-ins.md); may be repeated");
}

template <class Command>
void CommandLine::basics(CLI::App& to, Command& command) {
  value(to, "--machine", command.machine, value_kind::kMachine,
        fmt::format("Name in configs/machines, or a path ({})", command.machine));
  repeated(to, "--set", command.sets, value_kind::kSetting,
           "Override: core.warp_size=16, mechanism.KEY=VALUE; may be repeated");
  takes_plugins(to);
  value(to, "--code", command.code, "placed|as-written",
        "placed: blocks as an assembler would lay them; as-written: as in the PTX (placed; with --ptx: as-written)");
  value(to, "--size", command.size, "small|default|large|one-block", "Of bundled workloads (default)")
      ->check(CLI::IsMember({"small", "default", "large", "one-block"}).description(""));
}

template <class Command>
void CommandLine::common(CLI::App& to, Command& command) {
  basics(to, command);
  value(to, "--timing", command.timing, "cycle|functional",
        fmt::format("cycle, or functional: values only ({})", command.timing));
  value(to, "--detail", command.detail, "LAUNCHES", kDetail);
  value(to, "--rtl", command.rtl, value_kind::kBlocks,
        "RTL in the place of blocks: compactor,adequacy=my.sv,parts.sv (warpfold list rtl)");
  value(to, "--rtl-check", command.rtl_check, "equal|cycle|contract",
        "equal: the RTL does what the model does, in clocks of its own; cycle: in as many; contract: it may follow "
        "another policy (equal)")
      ->check(CLI::IsMember({"equal", "cycle", "contract"}).description(""));
}

// Of a program, which is what follows the options.
void CommandLine::one_run(CLI::App& to, RunCommand& command) {
  to.prefix_command();
  programs_.emplace_back(&to, &command);
  value(to, "--out", command.out, value_kind::kDirectory, "Result directory (results/PROGRAM/MECHANISM/KEY)");
  value(to, "--ptx", command.ptx, value_kind::kFile,
        "Run the kernels of this PTX file; the program is then LAUNCH.yaml");
  add_quiet(to, kOnlyErrors);
}

// A process each.
template <class Command>
void CommandLine::many_runs(CLI::App& to, Command& command) {
  value(to, "--out", command.out, value_kind::kDirectory, "Results go to OUT/<program>/<mechanism>/<key>/ (results)");
  command.jobs = std::max(1U, std::thread::hardware_concurrency());
  add_count(to, "-j,--jobs", command.jobs, "Processes at a time (all host cores)", 4096);
}

void CommandLine::trace_options(CLI::App& to) {
  TimeTraceOptions::Words& words = run_.traced;
  value(to, "--trace", run_.trace, "perfetto",
        "Write trace.json in the result directory, warps, memory and counters over time, for warpfold timeline and "
        "ui.perfetto.dev (docs/tracing.md)")
      ->check(CLI::IsMember({"perfetto"}).description(""));
  value(to, "--trace-window", words.window, "CYCLES",
        "Show only these core cycles of the run: 10000-20000, or 10000- for all that follow (all)");
  value(to, "--trace-launches", words.launches, "LAUNCHES",
        "Show only this kernel, or launches such as 3-7, counted from 0 (all)");
  value(to, "--trace-cores", words.cores, "CORES",
        "Show the warps and memory accesses of these cores: 0,3-5, all or none (0); counters are of all cores");
  value(to, "--trace-every", words.every, "CYCLES", "From one value of a counter to the next (100)");
  value(to, "--trace-limit", words.limit, "MB",
        "That the file may have (64): where it is full slices end, and counters stand farther apart");
}

void CommandLine::add_runs() {
  const auto add_run = [&](const char* name, const char* text, auto& command, auto act) -> CLI::App& {
    CLI::App& app = add(app_, name, text, command, act);
    common(app, command);
    value(app, "--mechanism", command.mechanism, value_kind::kMechanism,
          "How diverged warps are handled, of warpfold list mechanisms (the machine's default, mostly pdom)");
    value(app, "--simd", command.simd, value_kind::kPacking, "Intra-warp compaction (warpfold list simd)");
    one_run(app, command);
    return app;
  };
  CLI::App& run_app = add_run("run", "Run a program: warpfold run [options] -- ./program arguments…", run_, run);
  run_app
      .add_option_function<std::string>(
          "--rtl-block",
          [this](const std::string& text) {
            run_.rtl += (run_.rtl.empty() ? "" : ",") + cosim::hung_blocks_text(text);
          },
          "Hang a block of yours on signals of each core and observe it (docs/co-simulation.md)")
      ->type_name("FILES:PORTS.yaml");
  run_.threads = std::clamp(std::thread::hardware_concurrency(), 1U, RunOptions::kMostThreads);
  run_app
      .add_option(
          "--threads", run_.threads,
          "Of the host, for the cores of the machine, where they pay; results are the same with any number (all "
          "host cores)")
      ->type_name("COUNT")
      ->check(CLI::Range(1U, RunOptions::kMostThreads).description(""));
  sampling(run_app, run_.sample);
  value(run_app, "--waves", run_.waves, value_kind::kFile, "Record the RTL blocks of the first core in this FST file");
  value(run_app, "--rtl-out", run_.rtl_out, value_kind::kDirectory,
        "Leave for other tools what the RTL blocks of the first core did: vectors and a bench (docs/co-simulation.md)");
  value(run_app, "--mask-trace", run_.mask_trace, value_kind::kFile,
        "Write the execution masks of all launches to this file (warpfold masks)");
  trace_options(run_app);
  tables(run_app, run_.output, "resources|kernels|total");

  CLI::App& profile_app =
      add_run("profile", "Run a program and show where it diverges, by source line", profile_, profile);
  add_count(profile_app, "--lines", profile_.lines, "The most that are shown of each kernel (20)", 1'000'000);
  value(profile_app, "--likely-convergence", profile_.likely_convergence, value_kind::kFile,
        "Write a profile for the -lcp mechanisms to this file (docs/likely-convergence.md)");
  tables(profile_app, profile_.output, "branches|lines");

  CLI::App& check_app =
      add_run("check", "Look for a program's mistakes with memory; --timing is functional", check_, check);
  value(check_app, "--tools", check_.tools, "TOOL,...", "memory,initialized,races or all (memory)");
  value(check_app, "--stray-reads", check_.stray_reads, "fault|zero",
        "What a load from where nothing is does: fault or zero (fault)")
      ->check(CLI::IsMember({"fault", "zero"}).description(""));
  check_app.add_flag("--independent-threads", check_.independent_threads,
                     "Races also between threads of a warp, which are in step otherwise");
  tables(check_app, check_.output);
}

void CommandLine::add_compare() {
  CLI::App& app = add(app_, "compare", "Run workloads under several mechanisms, side by side", compare_, compare);
  common(app, compare_);
  sampling(app, compare_.sample);
  value(app, "--mechanisms", compare_.mechanisms, value_kind::kMechanisms,
        "a,b,… or all; speed-ups are against the first (pdom)");
  value(app, "--simd", compare_.simd, value_kind::kPackings, "Lane packings a,b,… or all, each with every mechanism");
  repeated(app, "--sweep", compare_.sweeps, "KEY=VALUE,...",
           "All of it for every value: core.warp_size=8,16,32; may be repeated");
  add_count(app, "--seeds", compare_.seeds, "Inputs of each program: means, intervals and verdicts instead of counts",
            10'000);
  many_runs(app, compare_);
  app.add_option("programs", compare_.programs,
                 "Bundled workloads, sets of them (tbc:divergent), or '\"./program arguments\"'")
      ->type_name(value_kind::kProgram);
  tables(app, compare_.output, "comparison|speed_ups|savings");
  add_quiet(app, kOnlyErrors);
}

void CommandLine::add_explain() {
  CLI::App& app =
      add(app_, "explain", "Where the difference between two runs comes from: warpfold explain A B -- program",
          explain_, explain);
  basics(app, explain_);
  many_runs(app, explain_);
  app.add_flag("--slots-only", explain_.slots_only, "Only what these two runs say: no runs for causes");
  add_count(app, "--lines", explain_.lines, "Lines of the source that are shown (10)", 100'000);
  app.add_option(
         "a", explain_.a,
         "What the other is compared with: a mechanism, or one with a packing or settings: pdom+scc,core.schedulers=2")
      ->type_name("A")
      ->required();
  app.add_option("b", explain_.b, "That differs from it in one thing: another mechanism or packing, or one setting")
      ->type_name("B")
      ->required();
  app.add_option("program", explain_.program, "Bundled workload, or a program and its arguments")
      ->type_name(value_kind::kProgram);
  pages(app, explain_.page);
  tables(app, explain_.output, "slots|causes|lines");
  add_quiet(app, kOnlyErrors);
}

void CommandLine::add_correlate() {
  CLI::App& app =
      add(app_, "correlate", "Beside what a GPU was measured to do: warpfold correlate measured.csv -- program",
          correlate_, correlate);
  basics(app, correlate_);
  value(app, "--mechanism", correlate_.mechanism, value_kind::kMechanism,
        "How diverged warps are handled (warpfold list mechanisms)");
  many_runs(app, correlate_);
  value(app, "--detail", correlate_.detail, "LAUNCHES", kDetail);
  value(app, "--at-most", correlate_.at_most, "PERCENT",
        "Exit status 1 where the mean absolute error of cycles is beyond this, 25%, or rows do not fit what ran");
  app.add_option("--clock", correlate_.clock_mhz, "Of the measured GPU's cores, to make cycles of nvprof's times")
      ->type_name("MHZ")
      ->check(CLI::Range(1.0, 1e5).description(""));
  pages(app, correlate_.page);
  app.add_option("measured", correlate_.measured,
                 "CSV of kernels and counters: a table of yours, Nsight Compute's or nvprof's (docs/correlate.md)")
      ->type_name(value_kind::kFile)
      ->required();
  app.add_option("program", correlate_.program, "Bundled workloads, sets of them, or a program and its arguments")
      ->type_name(value_kind::kProgram);
  tables(app, correlate_.output, "kernels|agreement|not_compared");
  add_quiet(app, kOnlyErrors);
}

void CommandLine::add_timeline() {
  CLI::App& app = add(app_, "timeline", "Show what warps do over time, from a run's trace, as a page (docs/tracing.md)",
                      timeline_, timeline);
  value(app, "trace", timeline_.trace, value_kind::kFile, "A trace.json, or the result directory that has one")
      ->required();
  pages(app, timeline_.page, "--out", "The HTML file (timeline.html beside the trace)");
}

void CommandLine::add_coverage() {
  CLI::App& app = add(app_, "coverage", "Sum up which states of RTL blocks runs came across, and which none did",
                      coverage_, coverage);
  app.add_option("results", coverage_.results, "Result directories of runs with --rtl, or folders above them")
      ->type_name(value_kind::kDirectory)
      ->required();
  pages(app, coverage_.page);
  tables(app, coverage_.output);
}

void CommandLine::add_prepare() {
  CLI::App& app = add(app_, "prepare", "Compile bundled workloads before they are first run, as for a job array",
                      prepare_, prepare_ahead);
  app.add_option("names", prepare_.names,
                 "Bundled workloads, sets of them (tbc:divergent), or all; report: what study report takes from npm")
      ->required()
      ->type_name(value_kind::kWorkload);
  add_quiet(app, "No progress");
}

void CommandLine::add_list() {
  CLI::App& app = add(app_, "list", "List what the code knows, one line each", list_, list);
  const std::string known = fmt::format("{}", fmt::join(listable(), ", ")),
                    kinds = fmt::format("{}", fmt::join(listable(), "|"));
  app.add_option("what", list_.what, known)->required()->type_name(kinds);
  app.add_option("files", list_.files, "PTX files, of kernels")->type_name(value_kind::kFile);
  takes_plugins(app);
  tables(app, list_.output);
}

void CommandLine::add_schema() {
  CLI::App& app =
      add(app_, "schema", "Print the JSON schema of a kind of file, for editors (docs/editors.md)", schema_, schema);
  value(app, "what", schema_.what, "machine|study|launch|MECHANISM",
        "machine, study, launch, or the mechanism whose file it is")
      ->required();
  takes_plugins(app);
}

void CommandLine::add_study() {
  CLI::App* const app =
      app_.add_subcommand("study", "Many points, their results in a store, and what they say (docs/studies.md)");
  app->require_subcommand(1);
  const auto add_one = [&](const char* name, const char* text, auto& command, auto act) -> CLI::App& {
    CLI::App& one = add(*app, name, text, command, act);
    value(one, "study", command.study, value_kind::kStudy, "Name in configs/studies, or a path")->required();
    value(one, "--store", command.store, value_kind::kDirectory, "Folder of results and their store (results)");
    one.add_flag("--quick", command.quick, "The study's quick form: small inputs, fewer points");
    takes_plugins(one);
    return one;
  };
  CLI::App& plan = add_one("plan", "Check a study file and say what it comes to", study_plan_, study::plan);
  plan.add_flag("--points", study_plan_.points, "Each point");
  tables(plan, study_plan_.output);
  plan.add_flag("--commands", study_plan_.commands, "A shell command for each run, as for GNU parallel");
  plan.add_flag("--cost", study_plan_.cost,
                "What the missing runs will take, by running each program once without time on each machine");
  study_plan_.jobs = std::max(1U, std::thread::hardware_concurrency());
  add_count(plan, "-j,--jobs", study_plan_.jobs, "Processes at a time (all host cores)", 4096);

  CLI::App& run = add_one("run", "Run what is missing of a study", study_run_, study::run);
  study_run_.jobs = std::max(1U, std::thread::hardware_concurrency());
  add_count(run, "-j,--jobs", study_run_.jobs, "Processes at a time (all host cores)", 4096);
  run.add_flag("--retry", study_run_.retry, "Those that have failed, too");
  tables(run, study_run_.output);
  value(run, "--engine", study_run_.engine, "local|slurm", "local: processes here; slurm: a job array (local)")
      ->check(CLI::IsMember({"local", "slurm"}).description(""));
  add_count(run, "--tasks", study_run_.tasks, "Of the job array (one a run, at most 1000)", 1000);
  repeated(run, "--sbatch", study_run_.slurm_options, "OPTION",
           "An option for sbatch, such as --partition=p; may be repeated");

  CLI::App& work = add_one("work", "Run some points and leave their results on disk: what job arrays start",
                           study_work_, study::work);
  work.add_option("--keys", study_work_.keys, "Of runs, as study plan --points shows them")
      ->type_name("KEY,...")
      ->delimiter(',')
      ->required();
  add_count(work, "-j,--jobs", study_work_.jobs, "Processes at a time (1)", 4096);

  CLI::App& status =
      add_one("status", "What there is, what is missing and what has failed", study_status_, study::status);
  tables(status, study_status_.output);

  CLI::App& exported =
      add_one("export", "Rows of results, or of a figure, for other programs", study_export_, study::export_rows);
  value(exported, "--view", study_export_.view, "VIEW",
        "A figure's, or result, speedup, orders, slots, verdict, verdict_over_inputs, mean (result)");
  tables(exported, study_export_.output);
  value(exported, "--out", study_export_.out, value_kind::kFile, "Write there rather than to standard output");

  CLI::App& reported =
      add_one("report", "What the results say, as a page of figures and tables", study_report_, study::report);
  pages(reported, study_report_.page, "--out", "The HTML file (STORE/STUDY.html)");

  CLI::App& diff =
      add(*app, "diff", "Compare two stores, or two versions in one, run by run", study_diff_, study::diff);
  value(diff, "first", study_diff_.first, value_kind::kDirectory, "Folder of a store")->required();
  value(diff, "second", study_diff_.second, value_kind::kDirectory, "The other");
  value(diff, "--from", study_diff_.from, "VERSION", "In the first: of this simulator (the latest runs)");
  value(diff, "--to", study_diff_.to, "VERSION", "In the second: of this one");
  tables(diff, study_diff_.output);
  value(diff, "--statistics", study_diff_.statistics, "NAME,...", "a,b,… (cycles)");
  diff.add_option("--threshold", study_diff_.threshold, "%, up to which a difference is none (0)")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.0, 1e6).description(""));
}

void CommandLine::add_machines() {
  CLI::App* const app = app_.add_subcommand("machines", "A machine's values, or those in which two differ");
  app->require_subcommand(1);
  CLI::App& show = add(*app, "show", "All values, with their sources", machines_, show_machine);
  value(show, "machine", machines_.first, value_kind::kMachine, "Name in configs/machines, or a path")->required();
  tables(show, machines_.output);
  CLI::App& diff = add(*app, "diff", "The values that differ, with both sources", machines_, diff_machines);
  value(diff, "first", machines_.first, value_kind::kMachine, "Name in configs/machines, or a path")->required();
  value(diff, "second", machines_.second, value_kind::kMachine, "The other")->required();
  tables(diff, machines_.output);
}

void CommandLine::add_area() {
  CLI::App& app =
      add(app_, "area", "What mechanisms add to a core: area, access times, energy (docs/area.md)", area_, area);
  const auto number = [&](const char* name, double& to, const char* text, double least, double most) {
    app.add_option(name, to, text)->type_name("NUMBER")->check(CLI::Range(least, most).description(""));
  };
  value(app, "--machine", area_.machine, value_kind::kMachine, "Name in configs/machines, or a path (tbc2011)");
  value(app, "--mechanisms", area_.mechanisms, value_kind::kMechanisms, "a,b,… or all (all)");
  value(app, "--simd", area_.simd, value_kind::kPackings, "Lane packings too: none,ivb,bcc,scc or all (the machine's)");
  repeated(app, "--set", area_.sets, value_kind::kSetting,
           "Override: core.warp_size=16, mechanism.KEY=VALUE, area.block_warps=8; may be repeated");
  takes_plugins(app);
  repeated(app, "--sweep", area_.sweeps, value_kind::kSetting,
           "The same for every value: core.warp_size=16,32 or area.block_warps=8,16; may be repeated");
  app.add_option("--results", area_.results, "Result directories: time and performance per area of their runs")
      ->type_name(value_kind::kDirectory)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  repeated(app, "--lib", area_.libs, value_kind::kFile,
           "Liberty files for the RTL blocks, plain or .gz, FILE+FILE of one library (Debian's, results on kits)");
  repeated(app, "--pdk", area_.pdks, value_kind::kDirectory, "DIR[:WORD,…]: a kit's, by words of their names");
  value(app, "--rtl", area_.rtl, value_kind::kBlocks,
        "RTL of yours to cost in the place of blocks: compactor=my.sv,parts.sv (warpfold list rtl)");
  value(app, "--lib-node", area_.lib_nodes, "NM,…", "nm, of each of them (from their names)");
  number("--node", area_.node, "nm, of all figures (40)", area::kFinestLogic, area::kCoarsestLogic);
  number("--fo4", area_.fo4, "ps, of the process there, where you know it (a range)", 1, 1000);
  number("--nand2", area_.nand2, "µm², of its two-input NAND, likewise", 0, 1000);
  value(app, "--clock", area_.clock, "MHz|ns", "That synthesis aims at, there: 1300MHz, 0.8ns (as fast as it gets)");
  add_count(app, "-j,--jobs", area_.jobs, "Blocks synthesised at a time (all host cores)", 4096);
  number("--die", area_.die, "mm², of the reference chip (529: HARP's, at 40 nm)", 1, 10000);
  app.add_flag("--core", area_.core, "The core that mechanisms add to, part by part; areas and gains per core");
  app.add_flag("--decide", area_.decide, "What these costs decide between mechanisms, and what would decide the rest");
  number("--rest", area_.rest, "%, of a chip with --core's cores that is not cores (else a chip is --die)", 0, 95);
  value(app, "--points", area_.points, value_kind::kFile, "Instead: cost the storage structures of this CSV table");
  app.add_flag("--papers", area_.papers, "Instead: the papers' cost tables beside ours");
  value(app, "--picture", area_.picture, value_kind::kFile, "Draw clocks and areas as well, into this SVG file");
  tables(app, area_.output, "decisions|runs|mechanisms|core|blocks|structures");
  add_quiet(app, "No progress");
  value(app, "--out", area_.out, value_kind::kFile, "Write there rather than to standard output");
}

void CommandLine::add_masks() {
  CLI::App& app =
      add(app_, "masks", "Put traces of execution masks under IVB, BCC and SCC (docs/intra-warp.md)", masks_, masks);
  app.add_option("traces", masks_.traces, "Files that run --mask-trace or others wrote; - is standard input")
      ->required()
      ->type_name(value_kind::kFile);
  app.add_flag("--kernels", masks_.kernels, "A row for each kernel of a trace");
  tables(app, masks_.output);
  value(app, "--out", masks_.out, value_kind::kFile, "Write there rather than to standard output");
}

void CommandLine::add_token_stack() {
  CLI::App& app = add(app_, "token-stack",
                      "Predict what each loop costs on NVIDIA's token stacks: warpfold token-stack -- ./program",
                      token_stack_, token_stack);
  basics(app, token_stack_);
  one_run(app, token_stack_);
  tables(app, token_stack_.output);
}

void CommandLine::add_watch() {
  CLI::App& app =
      add(app_, "watch", "Show a study or a run while it goes, as a page that loads itself again", watch_, watch);
  value(app, "folder", watch_.folder, value_kind::kDirectory, "Of a study's store, or a run's --out")->required();
  value(app, "--out", watch_.out, value_kind::kFile, "The HTML file (FOLDER/watch.html)");
  app.add_option("--every", watch_.every, "Seconds from one page to the next (5)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 3600.0).description(""));
}

void CommandLine::add_new() {
  CLI::App* const app =
      app_.add_subcommand("new", "Begin a machine or a mechanism: warpfold new machine mine --from tbc2011");
  app->require_subcommand(1);
  CLI::App& machine =
      add(*app, "machine", "Write NAME.yaml, another machine's values by another name", new_machine_, new_machine);
  machine.add_option("name", new_machine_.name, "Small letters, digits and hyphens")->required()->type_name("NAME");
  value(machine, "--from", new_machine_.from, value_kind::kMachine, "The machine that it is made of (tbc2011)");
  value(machine, "--out", new_machine_.out, value_kind::kDirectory, "Where NAME.yaml goes (.)");
  CLI::App& mechanism =
      add(*app, "mechanism", "Write a folder with a mechanism that works as it is, and builds as a plug-in",
          new_mechanism_, new_mechanism);
  mechanism.add_option("name", new_mechanism_.name, "Small letters, digits and hyphens")->required()->type_name("NAME");
  value(mechanism, "--out", new_mechanism_.out, value_kind::kDirectory, "The folder in which that comes (.)");
}

}  // namespace warpfold::sim
