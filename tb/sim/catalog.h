// SPDX-License-Identifier: Apache-2.0
// What can be run: the bundled workloads beside this program, and any other program.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace warpfold::sim {

struct Workload {
  std::string name, description, set;
  std::map<std::string, std::string> papers;                  // the set to which each counts it: tbc → divergent
  std::string program;                                        // path
  std::map<std::string, std::vector<std::string>> arguments;  // by size
};

// A program with its arguments, and what its results are called.
struct Program {
  std::string name;
  std::vector<std::string> command;
};

std::string program_directory();         // where this executable lies
std::vector<Workload> find_workloads();  // bin/workloads/*.yaml, by name

// The bundled workloads that a paper counts to a set, "tbc:divergent", or to any, "tbc:all".
std::vector<std::string> workloads_of(const std::string& set);

// "bfs" (a bundled workload, at `size`), or a program with its arguments in one word: "./prog graph.txt".
Program find_program(const std::string& text, const std::string& size);

}  // namespace warpfold::sim
