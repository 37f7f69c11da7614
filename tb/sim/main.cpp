// SPDX-License-Identifier: Apache-2.0
// The `warpfold` program: its command line.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

#include "tb/sim/commands.h"
#include "tb/sim/output.h"
#include "tb/study/commands.h"
#include "warpfold/common/error.h"
#include "warpfold/common/nearest.h"
#include "warpfold/common/one_line.h"
#include "warpfold/common/out_of_memory.h"
#include "warpfold/common/whole_file.h"

namespace {

using warpfold::sim::AreaCommand;
using warpfold::sim::CheckCommand;
using warpfold::sim::CompareCommand;
using warpfold::sim::ListCommand;
using warpfold::sim::MachinesCommand;
using warpfold::sim::MasksCommand;
using warpfold::sim::ProfileCommand;
using warpfold::sim::RunCommand;
using warpfold::sim::TokenStackCommand;

constexpr int kFailed = 1, kUsage = 2;

// warpfold study plan|run|…
struct StudyOptions {
  CLI::App *command, *plan_command, *run_command, *work_command, *status_command, *export_command, *diff_command;
  warpfold::study::PlanCommand plan;
  warpfold::study::RunStudyCommand run;
  warpfold::study::WorkCommand work;
  warpfold::study::StudyCommand status;
  warpfold::study::ExportCommand exported;
  warpfold::study::DiffCommand diff;

  void add_to(CLI::App& app) {
    command = app.add_subcommand("study", "Many points, their results in a store, and what they say (docs/studies.md)");
    command->require_subcommand(1);
    plan_command = add("plan", plan, "Check a study file and say what it comes to");
    plan_command->add_flag("--points", plan.points, "Each point");
    plan_command->add_flag("--commands", plan.commands, "A shell command for each run, as for GNU parallel");
    run_command = add("run", run, "Run what is missing of a study");
    run.jobs = std::max(1U, std::thread::hardware_concurrency());
    run_command->add_option("-j,--jobs", run.jobs, "Processes at a time (all host cores)")->check(CLI::Range(1, 4096));
    run_command->add_flag("--retry", run.retry, "Those that have failed, too");
    run_command->add_option("--engine", run.engine, "local: processes here; slurm: a job array (local)")
        ->check(CLI::IsMember({"local", "slurm"}));
    run_command->add_option("--tasks", run.tasks, "Of the job array (one a run, at most 1000)")
        ->check(CLI::Range(1, 1000));
    run_command
        ->add_option("--sbatch", run.slurm_options, "An option for sbatch, such as --partition=p; may be repeated")
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    work_command = add("work", work, "Run some points and leave their results on disk: what job arrays start");
    work_command->add_option("--keys", work.keys, "Of runs, as study plan --points shows them")
        ->delimiter(',')
        ->required();
    work_command->add_option("-j,--jobs", work.jobs, "Processes at a time (1)")->check(CLI::Range(1, 4096));
    status_command = add("status", status, "What there is, what is missing and what has failed");
    export_command = add("export", exported, "Rows of results, or of a figure, for other programs");
    export_command->add_option("--view", exported.view, "A figure's, or result, speedup, verdict, mean (result)");
    export_command->add_option("--format", exported.format, "csv, json, markdown or text (csv)")
        ->check(CLI::IsMember({"csv", "json", "markdown", "text"}));
    export_command->add_option("--out", exported.out, "Write there rather than to standard output");
    diff_command = command->add_subcommand("diff", "Compare two stores, or two versions in one, run by run");
    diff_command->add_option("first", diff.first, "Folder of a store")->required();
    diff_command->add_option("second", diff.second, "The other");
    diff_command->add_option("--from", diff.from, "In the first: of this simulator (the latest runs)");
    diff_command->add_option("--to", diff.to, "In the second: of this one");
    diff_command->add_option("--statistics", diff.statistics, "a,b,… (cycles)");
    diff_command->add_option("--threshold", diff.threshold, "%, up to which a difference is none (0)")
        ->check(CLI::Range(0.0, 1e6));
  }

  template <class Command>
  CLI::App* add(const char* name, Command& to, const char* text) {
    CLI::App* const one = command->add_subcommand(name, text);
    one->add_option("study", to.study, "Name in configs/studies, or a path")->required();
    one->add_option("--store", to.store, "Folder of results and their store (results)");
    one->add_flag("--quick", to.quick, "The study's quick form: small inputs, fewer points");
    return one;
  }

  int dispatch() const {
    if (plan_command->parsed()) return warpfold::study::plan(plan);
    if (run_command->parsed()) return warpfold::study::run(run);
    if (work_command->parsed()) return warpfold::study::work(work);
    if (status_command->parsed()) return warpfold::study::status(status);
    if (export_command->parsed()) return warpfold::study::export_rows(exported);
    return warpfold::study::diff(diff);
  }
};

struct CommandLine {
  CLI::App app{"Warpfold, a cycle-level model of SIMT GPU cores in SystemC"};
  RunCommand run;
  ProfileCommand profile;
  CheckCommand check;
  CompareCommand compare;
  ListCommand list;
  AreaCommand area;
  MachinesCommand machines;
  MasksCommand masks;
  TokenStackCommand token_stack;
  CLI::App *run_command, *profile_command, *check_command, *compare_command, *list_command, *area_command,
      *machines_command;
  CLI::App *masks_command, *token_stack_command;
  StudyOptions study;

  CommandLine() {
    app.name("warpfold");
    app.set_version_flag("--version", "warpfold " WARPFOLD_VERSION);
    app.require_subcommand(1);
    run_command = app.add_subcommand("run", "Run a program: warpfold run [options] -- ./program arguments…");
    one_run(*run_command, run);
    run_command->add_option("--waves", run.waves, "Record the RTL blocks of the first core in this FST file");
    run_command->add_option("--mask-trace", run.mask_trace,
                            "Write the execution masks of all launches to this file (warpfold masks)");

    profile_command = app.add_subcommand("profile", "Run a program and show where it diverges, by source line");
    one_run(*profile_command, profile);
    profile_command->add_option("--lines", profile.lines, "The most that are shown of each kernel (20)")
        ->check(CLI::Range(1, 1'000'000));
    profile_command->add_option("--json", profile.json, "Write all figures to this file (docs/profiling.md)");
    profile_command->add_option("--likely-convergence", profile.likely_convergence,
                                "Write a profile for the -lcp mechanisms to this file (docs/likely-convergence.md)");

    check_command = app.add_subcommand("check", "Look for a program's mistakes with memory; --timing is functional");
    one_run(*check_command, check);
    check_command->add_option("--tools", check.tools, "memory,initialized,races or all (memory)");
    check_command
        ->add_option("--stray-reads", check.stray_reads,
                     "What a load from where nothing is does: fault or zero (fault)")
        ->check(CLI::IsMember({"fault", "zero"}));
    check_command->add_flag("--independent-threads", check.independent_threads,
                            "Races also between threads of a warp, which are in step otherwise");

    compare_command = app.add_subcommand("compare", "Run workloads under several mechanisms, side by side");
    common(*compare_command, compare);
    compare.jobs = std::max(1U, std::thread::hardware_concurrency());
    compare_command->add_option("--mechanisms", compare.mechanisms,
                                "a,b,… or all; speed-ups are against the first (pdom)");
    compare_command->add_option("--simd", compare.simd, "Lane packings a,b,… or all, each with every mechanism");
    compare_command->add_option("--out", compare.out, "Results go to OUT/<program>/<mechanism>/<key>/ (results)");
    compare_command->add_option("-j,--jobs", compare.jobs, "Processes at a time (all host cores)")
        ->check(CLI::Range(1, 4096));
    compare_command->add_option("programs", compare.programs,
                                "Bundled workloads, sets of them (tbc:divergent), or '\"./program arguments\"'");

    list_command = app.add_subcommand("list", "List what the code knows, one line each");
    std::string known;
    for (const std::string& name : warpfold::sim::listable()) known += (known.empty() ? "" : ", ") + name;
    list_command->add_option("what", list.what, known)->required();
    list_command->add_flag("--markdown", list.markdown, "As a table for the documentation");

    machines_command = app.add_subcommand("machines", "Compare machines: warpfold machines diff A B");
    machines_command->require_subcommand(1);
    CLI::App* diff = machines_command->add_subcommand("diff", "The values that differ, with both sources");
    diff->add_option("first", machines.first, "Name in configs/machines, or a path")->required();
    diff->add_option("second", machines.second, "The other")->required();

    area_options();
    masks_options();
    token_stack_options();
    study.add_to(app);
  }

  template <class Command>
  void basics(CLI::App& to, Command& command) {
    to.add_option("--machine", command.machine,
                  fmt::format("Name in configs/machines, or a path ({})", command.machine));
    to.add_option("--set", command.sets, "Override: core.warp_size=16, mechanism.KEY=VALUE; may be repeated")
        ->allow_extra_args(false)  // what follows the value is a program
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    to.add_option("--code", command.code,
                  "placed: blocks as an assembler would lay them; as-written: as in the PTX (placed; with --ptx: "
                  "as-written)");
    to.add_option("--size", command.size, "Of bundled workloads (default)")
        ->check(CLI::IsMember({"small", "default", "large", "one-block"}));
  }

  template <class Command>
  void common(CLI::App& to, Command& command) {
    basics(to, command);
    to.add_option("--timing", command.timing, "cycle, or functional: values only (cycle)");
    to.add_option("--detail", command.detail, "Time only this kernel or launches 3-7; run the rest functionally");
    to.add_option("--rtl", command.rtl, "RTL in the place of blocks: compactor,adequacy=my.sv (warpfold list rtl)");
    to.add_option("--rtl-check", command.rtl_check,
                  "function: the RTL may take other clocks than the model, or cycle: it may not (function)")
        ->check(CLI::IsMember({"function", "cycle"}));
  }

  static void of_one_run(CLI::App& to, RunCommand& command) {
    to.add_option("--out", command.out, "Result directory (results/PROGRAM/MECHANISM/KEY)");
    to.add_option("--ptx", command.ptx, "Run the kernels of this PTX file; the program is then LAUNCH.yaml");
  }

  // Of a program, which is what follows the options.
  void one_run(CLI::App& to, RunCommand& command) {
    to.prefix_command();
    common(to, command);
    to.add_option("--mechanism", command.mechanism, "How diverged warps are handled (warpfold list mechanisms)");
    to.add_option("--simd", command.simd, "Intra-warp compaction (warpfold list simd)");
    of_one_run(to, command);
  }

  void area_options() {
    area_command =
        app.add_subcommand("area", "What mechanisms add to a core: area, access times, energy (docs/area.md)");
    const auto add = [&](const char* name, auto& value, const char* text) {
      return area_command->add_option(name, value, text);
    };
    add("--machine", area.machine, "Name in configs/machines, or a path (tbc2011)");
    add("--mechanisms", area.mechanisms, "a,b,… or all (all)");
    add("--simd", area.simd, "Lane packings beside them: none,ivb,bcc,scc or all (the machine's)");
    add("--set", area.sets, "Override: core.warp_size=16, mechanism.KEY=VALUE, area.block_warps=8; may be repeated")
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    add("--sweep", area.sweep, "The same for every value: core.warp_size=16,32 or area.block_warps=8,16");
    add("--results", area.results, "Result directories: time and performance per area of their runs")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    add("--lib", area.lib, "Liberty file for the RTL blocks (Debian's osu018, 180 nm)");
    add("--lib-node", area.lib_node, "nm, of that library (from its name)")->check(CLI::Range(5, 1000));
    add("--node", area.node, "nm, of all figures (40)")->check(CLI::Range(22, 90));
    add("--die", area.die, "mm², of the reference chip (529: HARP's, at 40 nm)")->check(CLI::Range(1, 10000));
    add("--points", area.points, "Instead: cost the storage structures of this CSV table");
    area_command->add_flag("--papers", area.papers, "Instead: the papers' cost tables beside ours");
    area_command->add_flag("--markdown", area.markdown, "Tables for documentation");
    area_command->add_flag("--json", area.json, "The same for programs");
    add("--out", area.out, "Write there rather than to standard output");
  }

  void masks_options() {
    masks_command =
        app.add_subcommand("masks", "Put traces of execution masks under IVB, BCC and SCC (docs/intra-warp.md)");
    masks_command
        ->add_option("traces", masks.traces, "Files that run --mask-trace or others wrote; - is standard input")
        ->required();
    masks_command->add_flag("--kernels", masks.kernels, "A row for each kernel of a trace");
    masks_command->add_flag("--json", masks.json, "The same for programs, with how many lanes are active (Fig. 9)");
    masks_command->add_flag("--csv", masks.csv, "The same for spreadsheets");
    masks_command->add_option("--out", masks.out, "Write there rather than to standard output");
  }

  void token_stack_options() {
    token_stack_command = app.add_subcommand(
        "token-stack", "Predict what each loop costs on NVIDIA's token stacks: warpfold token-stack -- ./program");
    token_stack_command->prefix_command();
    basics(*token_stack_command, token_stack);
    of_one_run(*token_stack_command, token_stack);
  }

  // The words of a program, behind the options or the first --. False: an option that does not exist.
  bool take_program(const std::vector<std::string>& behind) {
    const auto take = [&](const CLI::App& from, std::vector<std::string>& program) {
      program = from.remaining();
      program.insert(program.end(), behind.begin(), behind.end());
      return from.parsed() && !program.empty() && program[0].starts_with("--");
    };
    return !take(*run_command, run.program) && !take(*profile_command, profile.program) &&
           !take(*check_command, check.program) && !take(*token_stack_command, token_stack.program);
  }

  int dispatch() const {
    if (run_command->parsed()) return warpfold::sim::run(run);
    if (profile_command->parsed()) return warpfold::sim::profile(profile);
    if (check_command->parsed()) return warpfold::sim::check(check);
    if (compare_command->parsed()) return warpfold::sim::compare(compare);
    if (area_command->parsed()) return warpfold::sim::area(area);
    if (token_stack_command->parsed()) return warpfold::sim::token_stack(token_stack);
    if (study.command->parsed()) return study.dispatch();
    if (masks_command->parsed()) return warpfold::sim::masks(masks);
    if (machines_command->parsed()) return warpfold::sim::diff_machines(machines);
    return warpfold::sim::list(list);
  }
};

// "did you mean" for a command or an option that does not exist; empty when that is not the trouble.
std::string misspelt(const CommandLine& line, const std::vector<std::string>& words) {
  if (words.empty() || words[0].starts_with('-')) return "";
  const auto commands = line.app.get_subcommands([](const CLI::App*) { return true; });
  std::vector<std::string> names;
  for (const CLI::App* command : commands) {
    names.push_back(command->get_name());
    if (command->get_name() != words[0]) continue;
    std::vector<std::string> options;
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    }
    for (const std::string& word : words) {
      const std::string name = word.substr(0, word.find('='));
      if (!name.starts_with("--") || std::find(options.begin(), options.end(), name) != options.end()) continue;
      return fmt::format("{}: no such option; {}", name, warpfold::suggestion(name, options));
    }
    return "";
  }
  return fmt::format("{}: no such command; {}", words[0], warpfold::suggestion(words[0], names));
}

int fail(const std::string& what, int status) {
  warpfold::sim::tell("warpfold: error: {}\n", warpfold::one_line(what));
  return status;
}

// Says it without wanting memory, and ends at once: whatever is left to destroy may want some.
[[noreturn]] void end_of_memory() {
  std::fputs("warpfold: error: out of memory\n", stderr);
  std::_Exit(kFailed);
}

// For exceptions that nobody can catch: those of objects that are made before main().
__attribute__((constructor(101))) void tell_uncaught() {
  std::set_terminate([] {
    try {
      if (std::current_exception() != nullptr) std::rethrow_exception(std::current_exception());
      std::fputs("warpfold: error: a library has given up, as when memory runs out\n", stderr);
    } catch (const std::exception& error) {
      if (warpfold::is_out_of_memory(error)) end_of_memory();
      std::fprintf(stderr, "warpfold: error: %s\n", error.what());
    } catch (...) {
    }
    std::_Exit(kFailed);
  });
}

int run_main(std::vector<std::string> words) {
  CommandLine line;
  // What follows the first -- belongs to the program that is run.
  const auto separator = std::find(words.begin(), words.end(), "--");
  std::vector<std::string> program(separator == words.end() ? separator : separator + 1, words.end());
  words.erase(separator, words.end());
  try {
    line.app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::Success& help) {
    return line.app.exit(help);
  } catch (const CLI::ParseError& error) {
    const std::string hint = misspelt(line, words);
    return fail(hint.empty() ? std::string(error.what()) + " (warpfold --help)" : hint, kUsage);
  }
  if (!line.take_program(program)) return fail(misspelt(line, words), kUsage);
  return line.dispatch();
}

}  // namespace

int main(int argc, char** argv) {
  warpfold::sim::open_closed_streams();
  try {
    return warpfold::sim::written(run_main(std::vector<std::string>(argv + 1, argv + argc)));
  } catch (const warpfold::WriteError& error) {
    return fail(error.what(), kFailed);
  } catch (const warpfold::UserError& error) {
    return fail(error.what(), kUsage);
  } catch (const std::system_error& error) {
    const bool output = std::ferror(stdout) != 0;  // a table that was longer than the stream's buffer
    return fail(output ? "cannot write standard output: " + error.code().message() : error.what(), kFailed);
  } catch (const std::exception& error) {
    if (warpfold::is_out_of_memory(error)) end_of_memory();
    return fail(error.what(), kFailed);
  }
}

// libsystemc has a main of its own, which asks for this.
extern "C" int sc_main(int, char**) { return 0; }
