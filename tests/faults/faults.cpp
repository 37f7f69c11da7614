// SPDX-License-Identifier: Apache-2.0
// warpfold-faults: every call of a short compare, run and area that can fail, made to fail; a table, and the rules that
// were broken. Exit status 1 if any was.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>

#include "tests/faults/campaign.h"

namespace warpfold::faults {
namespace {

struct Kind {
  const char* name;
  int error;
};

constexpr Kind kKinds[] = {{"open", EMFILE},   {"write", ENOSPC}, {"rename", EIO}, {"close", EIO},    {"mkdir", ENOSPC},
                           {"unlink", EACCES}, {"fork", EAGAIN},  {"map", ENOMEM}, {"memory", ENOMEM}};

struct Settings {
  std::vector<std::string> commands{"run", "compare", "area"}, kinds;
  long dense = 1000, sampled = 500;  // allocations: the first, and how many of those after them

  static bool names(const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  }
};

long attack(Campaign& campaign, const std::string& command, const Fault& fault, const Settings& settings) {
  const Tally tally =
      fault.kind == "memory" ? campaign.sampled(fault, settings.dense, settings.sampled) : campaign.every(fault);
  fmt::print("{:8} {:10} {:7} {:6} {:6} {:6}\n", command, fault.program, fault.kind, tally.runs, tally.failed,
             tally.broken.size());
  for (const std::string& rule : tally.broken) fmt::print("  {}\n", rule);
  std::fflush(stdout);
  return static_cast<long>(tally.broken.size());
}

std::vector<Command> commands() {
  const std::string program = FAULT_SUBJECT;
  return {
      {"run", {"run", "--set", "cores=2", "--out", "study", "--", program, "plain"}},
      {"compare", {"compare", "--mechanisms", "pdom,tbc", "--set", "cores=2", "--out", "study", program + " plain"}},
      {"area", {"area", "--mechanisms", "pdom,tbc", "--out", "area.txt"}}};
}

int attack_all(const Settings& settings) {
  long broken = 0;
  fmt::print("command  program    calls     made failed broken\n");
  for (const Command& command : commands()) {
    if (!Settings::names(settings.commands, command.name)) continue;
    Campaign campaign(std::filesystem::temp_directory_path() / ("warpfold-faults-" + command.name), command);
    for (const Kind& kind : kKinds) {
      if (!settings.kinds.empty() && !Settings::names(settings.kinds, kind.name)) continue;
      broken += attack(campaign, command.name, {"warpfold", kind.name, kind.error}, settings);
      if (command.name == "area") continue;  // it simulates nothing
      broken += attack(campaign, command.name, {"processes", kind.name, kind.error}, settings);
    }
  }
  return broken == 0 ? 0 : 1;
}

}  // namespace
}  // namespace warpfold::faults

int main(int argc, char** argv) {
  warpfold::faults::Settings settings;
  CLI::App app{"Makes every call of the system that a short run, compare and area make fail, one at a time"};
  app.add_option("--commands", settings.commands, "run,compare,area (all)")->delimiter(',');
  app.add_option("--kinds", settings.kinds, "Of calls: open,write,rename,… (all)")->delimiter(',');
  app.add_option("--dense", settings.dense, "Allocations of which each fails (1000)");
  app.add_option("--sampled", settings.sampled, "Of those after them, as many (500)");
  CLI11_PARSE(app, argc, argv);
  try {
    return warpfold::faults::attack_all(settings);
  } catch (const std::exception& error) {
    fmt::print(stderr, "warpfold-faults: error: {}\n", error.what());
    return 2;
  }
}
