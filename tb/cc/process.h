// SPDX-License-Identifier: Apache-2.0
// Commands that a compilation consists of.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpfold::cc {

using Command = std::vector<std::string>;

class Runner {
 public:
  Runner(bool shows, bool dry) : shows_(shows), dry_(dry) {}
  bool dry() const { return dry_; }
  // Whether it ended well. Shown on standard error if wanted; not started in a dry run, where all is well.
  bool run(const Command& command) const;
  // Likewise, but what it says on standard error is in `messages`, by way of `log`.
  bool run(const Command& command, const std::filesystem::path& log, std::string& messages) const;
  // A line of what nvcc -v says of itself, in its form.
  void say(const std::string& line) const;

 private:
  bool start(const Command& command, const std::filesystem::path& log) const;

  bool shows_, dry_;
};

// A folder for intermediate files, gone with this. UserError where there can be none.
class WorkFolder {
 public:
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  // A name that no other call gets, ending in `name`.
  std::filesystem::path file(const std::string& name);

 private:
  std::filesystem::path path_;
  unsigned files_ = 0;
};

}  // namespace warpfold::cc
