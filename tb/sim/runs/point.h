// SPDX-License-Identifier: Apache-2.0
// One point of a study: a program, a machine and a mechanism, with its result directory.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tb/sim/runs/catalog.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold::sim {

struct Point {
  enum class State { kWaiting, kRunning, kDone, kWrong, kNotApplicable };

  Program program;
  RunOptions options;
  std::string packing;  // that was asked for, or empty: the machine's
  std::string among;    // what else tells it from others: "seed 3, core.warp_size=16"
  State state = State::kWaiting;
  std::string reason;         // of kWrong and kNotApplicable
  nlohmann::json stats;       // stats.json of kDone
  double seconds = 0;         // wall clock
  unsigned threads = 1;       // of the host, that launched kernels
  std::uint64_t refused = 0;  // launches of which nothing has run
  std::string place;          // the result directory as the user would say it
  const std::string& directory() const { return options.out; }
  std::string name() const { return packing.empty() ? options.mechanism : options.mechanism + "+" + packing; }
  std::string label() const { return program.shown() + " " + name() + (among.empty() ? "" : ", " + among); }
};

// Gives the point a result directory of its own below `results`, for which everything that decides its results must be
// known: <program>/<mechanism>[+<packing>]/<key>.
void file_under_key(Point& point, const std::filesystem::path& results);

// Gives it `directory`, whatever it is the point of.
void file_in(Point& point, const std::filesystem::path& directory);

// The result directory's lock; who holds it may prepare() and run the point. Makes the directory.
std::string lock_file(const Point& point);

// Makes the result directory, clears away what an earlier run left there and writes the run file. Returns its path.
std::string prepare(const Point& point);

// Reads what a program that ended well has left; a program without statistics is wrong.
void collect(Point& point);

// Notes in run.json how the run ended, "ok" or "WRONG: reason": what a program leaves does not tell whether it found
// its results right.
void note_outcome(const Point& point);
inline constexpr const char* kOutcome = "outcome";
inline constexpr const char* kGood = "ok";

// How the very same run has ended in the point's directory, as noted; empty: it has not.
std::string outcome(const Point& point);

// Whether somebody has finished the very same run in the point's directory; then it is collected.
bool take_finished(Point& point);

}  // namespace warpfold::sim
