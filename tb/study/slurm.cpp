// SPDX-License-Identifier: Apache-2.0
#include "tb/study/slurm.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "tb/sim/console/output.h"
#include "tb/sim/runs/catalog.h"
#include "tb/sim/runs/point.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/whole_file.h"

namespace warpfold::study {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTasks = 1000;  // Slurm's default MaxArraySize less one

std::string shell_quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-./=,:+%") == std::string::npos;
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') out.append("'\\'");
    out.push_back(c);
  }
  out.push_back('\'');
  return out;
}

std::string command_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line.push_back(' ');
    line += shell_quoted(word);
  }
  return line;
}

struct Said {
  std::string text;
  int status;
};

// What a program says on both streams.
Said ask(const std::vector<std::string>& words) {
  FILE* const pipe = popen((command_line(words) + " 2>&1").c_str(), "r");
  if (pipe == nullptr) user_error("{}: cannot start it", words[0]);
  Said said{"", 0};
  std::array<char, 4096> part{};
  for (std::size_t got = 0; (got = fread(part.data(), 1, part.size(), pipe)) > 0;) said.text.append(part.data(), got);
  said.status = pclose(pipe);
  while (!said.text.empty() && said.text.back() == '\n') said.text.pop_back();
  return said;
}

std::vector<std::string> worker(const StudyCommand& command) {
  std::vector<std::string> words{fs::path(sim::program_directory()) / "warpfold",
                                 "study",
                                 "work",
                                 command.study,
                                 "--store",
                                 fs::absolute(command.store)};
  if (command.study.find('/') != std::string::npos || command.study.ends_with(".yaml"))
    words[3] = fs::absolute(command.study);
  if (command.quick) words.emplace_back("--quick");
  words.emplace_back("--keys");
  return words;
}

// As many tasks as asked for, or as fit; a line of keys for each.
std::vector<std::string> shares(const std::vector<const Planned*>& points, unsigned tasks) {
  const std::size_t most = tasks == 0 ? kMostTasks : std::min<std::size_t>(tasks, kMostTasks);
  std::vector<std::string> lines(std::min(most, points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::string& line = lines[i % lines.size()];
    if (!line.empty()) line.push_back(',');
    line += points[i]->key;
  }
  return lines;
}

// One job array and the folder with what its tasks print.
class Array {
 public:
  Array(const RunStudyCommand& command, const std::vector<const Planned*>& points)
      : folder_(fs::absolute(command.store) / "slurm" / fmt::format("{}-{}", points[0]->choice.part, getpid())) {
    std::error_code failed;
    fs::create_directories(folder_, failed);
    if (failed) user_error("{}: cannot make this folder: {}", folder_.string(), failed.message());
    const std::vector<std::string> lines = shares(points, command.tasks);
    std::string keys;
    for (const std::string& line : lines) keys += line + "\n";
    write_whole_file(folder_ / "keys", keys);
    const std::string script = fmt::format("#!/bin/sh\nexec {} \"$(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" {})\"\n",
                                           command_line(worker(command)), shell_quoted(folder_ / "keys"));
    write_whole_file(folder_ / "task.sh", script);
    std::vector<std::string> words{"sbatch", "--parsable", fmt::format("--array=0-{}", lines.size() - 1),
                                   "--job-name=warpfold", fmt::format("--output={}/%a.out", folder_.string())};
    words.insert(words.end(), command.slurm_options.begin(), command.slurm_options.end());
    words.push_back(folder_ / "task.sh");
    const Said said = ask(words);
    if (said.status != 0) user_error("--engine slurm: {}", said.text.empty() ? "sbatch fails" : said.text);
    job_ = said.text.substr(0, said.text.find(';'));
    sim::tell("Slurm job {}: {} tasks for {} runs; what they print is in {}\n", job_, lines.size(), points.size(),
              folder_.string());
  }

  // A Slurm that does not answer for a while is not one that has finished.
  bool is_over() const {
    const Said said = ask({"squeue", "--noheader", "--array", "--format=%i", "--jobs=" + job_});
    if (said.text.find("Invalid job id") != std::string::npos) return true;  // forgotten: long over
    return said.status == 0 && said.text.empty();
  }
  void cancel() const { ask({"scancel", job_}); }
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
  std::string job_;
};

}  // namespace

std::string command_of(const StudyCommand& command, const std::vector<std::string>& keys) {
  std::string list;
  for (const std::string& key : keys) {
    if (!list.empty()) list.push_back(',');
    list += key;
  }
  return command_line(worker(command)) + " " + list;
}

void run_on_slurm(const RunStudyCommand& command, const std::vector<const Planned*>& points,
                  const std::function<void(const Planned&)>& on_end) {
  if (points.empty()) return;
  const Array array(command, points);
  std::vector<const Planned*> left = points;
  std::size_t ended = 0;
  const auto take_ended = [&] {
    std::erase_if(left, [&](const Planned* planned) {
      if (sim::outcome(planned->point).empty()) return false;
      on_end(*planned);
      sim::tell("[{}/{}] {}\n", ++ended, points.size(), planned->point.label());
      return true;
    });
  };
  while (!left.empty() && !sim::was_stopped()) {
    const bool over = array.is_over();  // first: what ends after it is taken next time
    take_ended();
    if (over) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  if (sim::was_stopped()) {
    array.cancel();
    sim::tell("warpfold: interrupted: job cancelled; what has finished is kept\n");
  } else if (!left.empty()) {
    sim::tell("warpfold: {} runs have left no result: see {}\n", left.size(), array.folder().string());
  }
}

}  // namespace warpfold::study
