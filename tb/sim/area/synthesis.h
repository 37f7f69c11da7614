// SPDX-License-Identifier: Apache-2.0
// RTL blocks through synthesis and timing analysis (scripts/rtl-synth), once: results come with the sources
// (rtl/synth/results.json), or are kept where those of co-simulation are.
#pragma once

#include <future>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "warpfold/area/scaling.h"
#include "warpfold/divergence/hardware.h"

namespace warpfold::sim {

// A kind of RAM that a block's figures leave out.
struct Ram {
  unsigned width = 0, depth = 0;
  double path_ns = 0;  // the longest path through what is read of it, without the time that the RAM takes
};

// A block on a library, at the library's node.
struct Synthesis {
  std::string missing;  // why there are no figures: tools that are not installed, a block without RTL
  double cells = 0, flip_flops = 0, area_um2 = 0, nand2 = 0;
  std::vector<Ram> rams;
  double path_ns = 0;      // with RAMs that take no time
  std::string start, end;  // of that path
  std::string library;
  double nand2_um2 = 0, fo4_ns = 0;    // the library's
  double pj_per_clock = 0, volts = 0;  // of a request with an activity, as the library's node has it
  std::string key;                     // stands for all that the figures depend on
};

// Debian's, by the names that scripts/rtl-synth knows.
inline const std::vector<std::string> kDebianLibraries{"osu018", "osu035", "osu050"};

// What to synthesise in place of a block of ours.
struct UsersDesign {
  std::vector<std::string> files;    // as --rtl has them
  std::set<std::string> parameters;  // of the block, that the design knows
};
using UsersDesigns = std::map<std::string, UsersDesign>;  // by the block's module

// Of --rtl's words; UserError for a block that does not exist or a list of files that cannot be read.
UsersDesigns users_designs(const std::string& rtl);

// The library of a process design kit, "DIR" or "DIR:WORD,…", as its files joined by "+" (scripts/rtl-synth --pdk). A
// UserError where there is none.
std::string library_of_pdk(const std::string& kit);

class Synthesizer {
 public:
  // `libraries`: Liberty files, joined by "+" where several are one library, or names of Debian's. None: those of
  // Debian's that are installed, and those of process design kits whose results come with the sources. UserError if one
  // cannot be read. `jobs`: at a time; 0: one for each core.
  explicit Synthesizer(const std::vector<std::string>& libraries, unsigned jobs = 0, UsersDesigns designs = {});

  // As on the command line, or Debian's and kits'.
  const std::vector<std::string>& libraries() const { return libraries_; }
  bool given() const { return given_; }

  struct Request {
    divergence::RtlUse use;
    std::size_t library = 0;  // which
    double clock_ns = 0;      // that it should run with, on the library; 0: as fast as it gets
    bool for_delay = false;   // mapped with the script that takes more gates for less delay
    std::string activity{};   // how often its bits switch (tb/cosim/record/activity.h); empty: nobody asks for energy
  };
  // All of them, several at a time. UserError, one line, for a library or parameters that the tools refuse.
  std::vector<Synthesis> run(const std::vector<Request>& requests) const;

  // What the blocks that come with the sources take on each of their libraries.
  area::Paces paces() const;

  // Of a library alone: its name, FO4 and NAND2, or what is missing.
  Synthesis measure(std::size_t library) const;

 private:
  // What a block's result depends on besides its parameters.
  struct Files {
    std::string missing;                 // why nobody knows: tools, RTL
    std::string sources;                 // digest of RTL, scripts and versions of the tools
    std::vector<std::string> libraries;  // digest of each; "": it is not there
  };
  Synthesis one(const Request& request) const;
  std::vector<std::string> command_for(const Request& request) const;
  std::vector<std::string> sources_for(const std::string& module) const;
  Files read_files(const std::string& module) const;
  Files asked_files(const std::string& module) const;  // of the script
  const Files& files_of(const std::string& module) const;
  Synthesis refused(const std::string& what, const std::string& said) const;

  std::vector<std::string> libraries_;
  std::map<std::string, nlohmann::json> kits_;  // of those that nobody has to have: what results say of them, by name
  bool given_;                                  // the libraries were asked for: it is a mistake if one is not there
  unsigned jobs_;
  UsersDesigns designs_;
  nlohmann::json shipped_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_future<Files>> files_;
  mutable std::string no_tool_;  // the script's complaint that one is not installed
};

}  // namespace warpfold::sim
