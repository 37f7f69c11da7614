// SPDX-License-Identifier: Apache-2.0
// One point of a study: a program, a machine and a mechanism, with its result directory.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/gpu/run_options.h"
#include "tb/sim/catalog.h"

namespace warpfold::sim {

struct Point {
  enum class State { kWaiting, kRunning, kDone, kWrong, kNotApplicable };

  Program program;
  RunOptions options;
  std::string packing;  // that was asked for, or empty: the machine's
  State state = State::kWaiting;
  std::string reason;    // of kWrong and kNotApplicable
  nlohmann::json stats;  // stats.json of kDone
  double seconds = 0;    // wall clock
  unsigned threads = 1;  // of the host, that launched kernels
  const std::string& directory() const { return options.out; }
  std::string name() const { return packing.empty() ? options.mechanism : options.mechanism + "+" + packing; }
  std::string label() const { return program.name + " " + name(); }
};

// Makes the result directory, clears away what an earlier run left there and writes the run file. Returns its path.
std::string prepare(const Point& point);

// Reads what a program that ended well has left; a program without statistics is wrong.
void collect(Point& point);

}  // namespace warpfold::sim
