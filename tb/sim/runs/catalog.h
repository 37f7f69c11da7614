// SPDX-License-Identifier: Apache-2.0
// What can be run: the bundled workloads, the papers' originals that scripts/corpus has fetched, and any other program.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpfold::sim {

struct Workload {
  std::string name, description, set;
  std::multimap<std::string, std::string> papers;             // the sets to which each counts it: tbc → divergent
  std::vector<std::string> sources;                           // paths
  std::vector<std::string> options;                           // for warpfold-cc
  std::map<std::string, std::vector<std::string>> arguments;  // by size
  std::string directory;                                      // where it runs with these; empty: where the user is
  bool original = false;                                      // a paper's own program: knows neither sizes nor seeds
};

// A program with its arguments, and what its results are called.
struct Program {
  std::string name;
  std::vector<std::string> command;
  std::string size{};                 // whose arguments it has; empty: the user's own
  std::string directory{};            // where it runs; empty: here
  std::string title{};                // where several of one name are shown; empty: the name
  std::optional<Workload> bundled{};  // whose program takes the place of the first word: ready()
  bool ptx = false;                   // no program but a PTX file and its launch description
  const std::string& shown() const { return title.empty() ? name : title; }
};

std::string program_directory();                        // where this executable lies
std::string cuda_library();                             // of this build, which simulated programs are linked with
std::vector<Workload> find_workloads();                 // by name; tb/workloads/README.md says what they are
std::vector<std::filesystem::path> workload_headers();  // that their sources share

// Papers' originals that are there (docs/originals.md), by name.
std::vector<Workload> find_originals();

// Whether it is written like a set of bundled workloads, "tbc:divergent", and not like a program.
bool names_a_set(const std::string& text);

// The workloads that a paper counts to a set, "tbc:divergent", or to any, "tbc:all"; "originals:tbc": its originals.
std::vector<std::string> workloads_of(const std::string& set);

// Sets of workloads in the place of their members; a workload of several sets comes once.
std::vector<std::string> programs_of(const std::vector<std::string>& texts);

// A program's words as one text, quoted as for a shell; a single one as it is.
std::string text_of(const std::vector<std::string>& words);

// The bundled workload or original of that name.
std::optional<Workload> find_workload(const std::string& name);

// A bundled workload or original (with its arguments at `size` if none are given) or an executable file, and its
// arguments.
Program find_program(const std::vector<std::string>& words, const std::string& size);
// The same in one piece of text, quoted as for a shell: "./prog graph.txt"; or the path of a file without arguments.
Program find_program(const std::string& text, const std::string& size);

}  // namespace warpfold::sim
