// SPDX-License-Identifier: Apache-2.0
// The table of commands and options, from which parsing, help, man pages and shell completion come.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tb/sim/commands/commands.h"
#include "tb/study/commands.h"

namespace warpfold::sim {

// What an option's value is, as its type name in the table: help prints it, and completion knows what there is of it.
// Others are words of their own, "FILE"; choices stand there as they are: "cycle|functional".
namespace value_kind {
inline constexpr const char* kMachine = "MACHINE";
inline constexpr const char* kMechanism = "MECHANISM";
inline constexpr const char* kMechanisms = "MECHANISM,...";
inline constexpr const char* kPacking = "PACKING";
inline constexpr const char* kPackings = "PACKING,...";
inline constexpr const char* kBlocks = "BLOCK[=FILE],...";
inline constexpr const char* kSetting = "KEY=VALUE";
inline constexpr const char* kProgram = "PROGRAM";
inline constexpr const char* kWorkload = "WORKLOAD";
inline constexpr const char* kStudy = "STUDY";
inline constexpr const char* kCommand = "COMMAND";
inline constexpr const char* kFile = "FILE";
inline constexpr const char* kDirectory = "DIR";
}  // namespace value_kind

class CommandLine {
 public:
  CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // Throws what CLI11 throws, and UserError; `words` as main() gets them.
  void parse(std::vector<std::string> words);
  int dispatch() const;
  const CLI::App& app() const { return app_; }
  // "did you mean" for a command or an option that does not exist; empty when that is not the trouble.
  std::string mistake(const std::vector<std::string>& words, const std::string& what) const;

 private:
  template <class Command>
  CLI::App& add(CLI::App& to, const char* name, const char* text, Command& command, int (*act)(const Command&));
  template <class Command>
  void basics(CLI::App& to, Command& command);
  template <class Command>
  void common(CLI::App& to, Command& command);
  void one_run(CLI::App& to, RunCommand& command);
  template <class Command>
  void many_runs(CLI::App& to, Command& command);
  void add_runs();
  void trace_options(CLI::App& to);
  void add_compare();
  void add_explain();
  void add_correlate();
  void add_timeline();
  void add_coverage();
  void takes_plugins(CLI::App& to);
  void add_prepare();
  void add_list();
  void add_machines();
  void add_schema();
  void add_area();
  void add_masks();
  void add_token_stack();
  void add_study();
  void add_watch();
  void add_new();
  void add_help();
  bool take_program(const std::vector<std::string>& behind);

  struct Entry {
    CLI::App* app;
    std::function<int()> act;
  };

  CLI::App app_{"Warpfold, a cycle-level model of SIMT GPU cores in SystemC"};
  std::vector<Entry> entries_;                                     // what can be done, in the order of the lists
  std::vector<std::pair<const CLI::App*, RunCommand*>> programs_;  // commands behind which a program stands
  RunCommand run_;
  ProfileCommand profile_;
  CheckCommand check_;
  CompareCommand compare_;
  ExplainCommand explain_;
  CorrelateCommand correlate_;
  TimelineCommand timeline_;
  CoverageCommand coverage_;
  std::vector<std::string> plugins_;  // of whichever command it is
  PrepareCommand prepare_;
  ListCommand list_;
  SchemaCommand schema_;
  AreaCommand area_;
  MachinesCommand machines_;
  MasksCommand masks_;
  TokenStackCommand token_stack_;
  study::PlanCommand study_plan_;
  study::RunStudyCommand study_run_;
  study::WorkCommand study_work_;
  study::StudyCommand study_status_;
  study::ExportCommand study_export_;
  study::ReportCommand study_report_;
  study::DiffCommand study_diff_;
  WatchCommand watch_;
  NewCommand new_machine_, new_mechanism_;
  struct Help {
    std::vector<std::string> words;  // a command's name; of `complete`, the words of a command line
    std::string shell, out;
  };
  Help help_, man_, completion_, complete_;
};

}  // namespace warpfold::sim
