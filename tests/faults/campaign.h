// SPDX-License-Identifier: Apache-2.0
// Commands of `warpfold` run with one call made to fail at a time (shim.cpp), each end held to the same rules: no
// signal, one line that says what is wrong, whole files, and earlier results as they were.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace warpfold::faults {

struct Fault {
  std::string program;  // "warpfold", or the simulated one
  std::string kind;     // as shim.cpp has them
  int error = 0;        // errno
};

struct Command {
  std::string name;
  std::vector<std::string> words;  // of `warpfold`
};

struct Tally {
  long runs = 0;                    // in which the fault happened
  long failed = 0;                  // of these with a non-zero status: the others lost nothing
  std::vector<std::string> broken;  // rules: one line each
};

class Campaign {
 public:
  // Works in `directory`, which is made anew, with results of an earlier run in it.
  Campaign(std::filesystem::path directory, Command command);

  // Makes every n-th call fail, for n = 1, 1 + step, 1 + 2 step …, until the command makes fewer calls or n > `last`.
  Tally every(const Fault& fault, long step = 1, long last = 1'000'000);
  // The first `dense` calls and `sampled` of those after them, evenly.
  Tally sampled(const Fault& fault, long dense, long sampled);

 private:
  struct Ending {
    int status = 0, signal = 0;
    bool fired = false;
    std::string out, err;
  };
  using Files = std::map<std::string, std::string>;  // path → contents

  void clean() const;
  Ending run(const Fault& fault, long n) const;
  bool try_one(const Fault& fault, long n, Tally& tally) const;
  long calls(const Fault& fault) const;
  std::vector<std::string> broken_rules(const Ending& ending) const;
  std::vector<std::string> broken_files(bool succeeded) const;
  Files files() const;

  std::filesystem::path directory_;
  Command command_;
  Files before_, after_;  // of a run without a fault
  std::string output_;
};

}  // namespace warpfold::faults
