// SPDX-License-Identifier: Apache-2.0
// A run's result directory: stats.json, stats.csv, config.effective.yaml, run.json and, of a profiled run,
// profile.json, whole at any instant, and launches.csv, which grows.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "warpfold/common/results/stats.h"

namespace warpfold {

// What the registry cannot know about a run.
struct RunInfo {
  std::string directory;  // made if it does not exist; empty: nothing is written
  std::string machine, mechanism, timing, code;
  std::string effective_config;          // text of config.effective.yaml
  std::function<std::string()> rtl{};    // what RTL did so far, a JSON object; empty: there was none
  std::function<std::string()> check{};  // what the checker looked for and found, a JSON object; empty: there was none
  std::function<std::string()> sampling{};  // what a sampled run knows of cycles, a JSON object; empty: it is none
  std::string decided_by{};                 // a JSON object (tb/sim/runs/identity.h); empty: nobody has said
  std::function<std::string()> profile{};   // text of profile.json as it stands; empty: there is none
};

// Results of one key are results of one run, however often it was made: the first digits of the SHA-256 of what decided
// them, as the text stands in run.json without its spaces.
std::string result_key(const std::string& decided_by);

// Removes what a run left in `directory`, so that nobody finds files of two runs in it. WriteError.
void clear_results(const std::string& directory);

// What a launch takes of a core, and how many of its blocks fit one.
struct LaunchResources {
  unsigned registers = 0;                           // per thread
  std::uint64_t spill_loads = 0, spill_stores = 0;  // instructions in the code
  std::uint64_t spill_bytes = 0;                    // of local memory, per thread
  std::uint64_t shared_bytes = 0;                   // per block
  unsigned blocks_per_core = 0;
  std::string limit{};  // what sets blocks_per_core

  bool operator==(const LaunchResources&) const = default;
};

// One object's row block: statistics in a fixed order, values as text. Figures that do not exist (0/0) are absent.
struct StatRow {
  const StatInfo* info;
  std::string value;
};

// Takes launches as differences of the registry's counters. Counters of Combine::kMax restart with every launch; their
// total is the largest of all launches. Modules settle lazily counted cycles before kernel_end(). Launches are summed
// up by kernel; each is a row of launches.csv, and nothing of it stays in memory.
class ResultWriter {
 public:
  using Dimensions = std::array<std::uint32_t, 3>;

  ResultWriter(StatRegistry& registry, RunInfo info);
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  void kernel_begin(const std::string& name, Dimensions grid, Dimensions block, LaunchResources resources = {});
  void kernel_end();
  // Instead: the kernel has failed, and what it counted is taken back. run.json says why.
  void kernel_failed(const std::string& why);
  // Nothing of a launch has run; run.json says how often, and why the first time.
  void launch_refused(const std::string& why);
  // Between kernels: `fresh`, of a machine of the same make, counts on from here.
  void move_to(StatRegistry& fresh);
  // Writes everything a last time and marks the run as finished; further calls do nothing, nor does one after a
  // WriteError.
  void finish();

  // Combined counters and derived figures of the whole run, or of the launch that ended last.
  StatValues total();
  StatValues last_launch();

 private:
  struct Launch {
    std::string kernel;
    Dimensions grid, block;
    LaunchResources resources;
  };
  // Launches whose blocks have one shape and take the same resources.
  struct Shape {
    Dimensions block;
    LaunchResources resources;
    std::uint64_t launches;
  };
  // All launches of a name.
  struct Kernel {
    std::string object;  // "kernel.<n>.<name>", by first launches
    std::vector<Shape> shapes;
    std::vector<std::uint64_t> values;  // per statistic
  };
  struct Place {  // one counter of the registry
    StatGroup::Entry* entry;
    bool is_max;  // Combine::kMax
    std::size_t statistic;
    std::uint64_t at_begin;  // kSum: value at the kernel's begin
    std::uint64_t largest;   // kMax: over the kernels so far
  };

  // What stats.json and stats.csv have.
  struct ObjectRows {
    std::string object;
    std::vector<StatRow> rows;
  };
  struct Tables {
    std::vector<StatRow> total;
    std::vector<ObjectRows> kernels, modules;
  };

  void freeze();
  void find_places();
  std::span<Place> places_in(const StatGroup& group);
  void keep_maxima();
  void take_launch();
  void add_launch(const Launch& launch);
  void add_row(std::size_t kernel, const Launch& launch);
  std::vector<std::uint64_t> totals();
  const StatValues& values_of(const std::vector<std::uint64_t>& combined);
  std::vector<StatRow> rows_of(const std::vector<std::uint64_t>& combined);
  std::vector<ObjectRows> module_rows() const;
  Tables tables();
  std::string launches_header() const;
  void write_launches();
  void write_statistics(const std::string& directory);
  void write_all();
  std::string json(const Tables& tables) const;
  static std::string csv(const Tables& tables);
  std::uint64_t counted(const char* name) const;  // in all places, so far
  std::string run_json() const;

  StatRegistry* registry_;
  RunInfo info_;
  std::vector<StatInfo> statistics_;  // in order of first declaration
  std::vector<DerivedStat> derived_;
  StatValues values_;                           // of the last sums that figures were computed from
  std::vector<double*> counted_;                // in it: the counters
  std::vector<StatValues::iterator> computed_;  // in it, or its end: the figures
  std::vector<Place> places_;                   // in the registry's order
  std::vector<std::size_t> first_places_;       // of each group, and behind the last one
  std::vector<Kernel> kernels_;
  std::map<std::string, std::size_t, std::less<>> kernel_numbers_;  // by name
  std::optional<Launch> launch_;                                    // that runs
  std::uint64_t launches_ = 0;
  std::vector<std::uint64_t> last_values_;  // of the launch that ended last
  std::string rows_;                        // of launches.csv, not there yet
  std::set<unsigned> launching_threads_;    // of the host
  std::vector<std::string> faults_;         // of kernels
  std::string first_refusal_;
  std::uint64_t refusals_ = 0;
  std::vector<std::uint64_t> written_;  // launches and counts with which the statistics were written last
  bool finished_ = false;
  std::chrono::steady_clock::time_point next_write_{};
};

}  // namespace warpfold
