// SPDX-License-Identifier: Apache-2.0
#include "tb/study/report_libraries.h"

#include <fmt/format.h>

#include <cstring>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tb/sim/console/output.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/cache.h"
#include "warpfold/common/files/command.h"
#include "warpfold/common/files/data_folder.h"
#include "warpfold/common/files/digest.h"
#include "warpfold/common/files/whole_file.h"

namespace warpfold::study {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFiles[] = {"package.json", "package-lock.json"};
// Of the packages, megabytes of which are not needed; the last file is for the tests, which have npm include it. npm
// says nothing of files that it could not write, so each has its digest; with another package-lock.json they are
// others.
struct Taken {
  const char* file;
  const char* digest;
};
constexpr Taken kTaken[] = {
    {"echarts/dist/echarts.min.js", "b66b25aeb4df84e33199dc21694014d336d222cbd9deb0e5a7c14bd6aa0d0fd0"},
    {"tabulator-tables/dist/js/tabulator.min.js", "ffac518cb793c672a2f0522b7fc80bf862234d96bb1e581c8aaf7f48f130eafa"},
    {"tabulator-tables/dist/css/tabulator.min.css", "405ae24218357d80df2a5f3addf138666d035f970dac4ebdb0265d0b5373efcb"},
    {"axe-core/axe.min.js", "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"}};

void take(const fs::path& modules, const fs::path& to) {
  for (const Taken& taken : kTaken) {
    const fs::path file = modules / taken.file;
    if (!fs::exists(file) && &taken == std::end(kTaken) - 1) continue;
    if (Sha256().update_file(file).hex() != taken.digest) {
      user_error("npm brings another {} than the one that reports are made of, or part of it", taken.file);
    }
    fs::rename(file, to / file.filename());
  }
}

// npm's first line that says why: "npm ERR! …" of old ones, "npm error …" of new ones; some have only a code in it.
std::string complaint(const std::string& log) {
  std::istringstream lines(read_text(log).value_or(""));
  std::string said;
  for (std::string line; std::getline(lines, line);) {
    for (const std::string mark : {"npm ERR! ", "npm error "}) {
      if (!line.starts_with(mark)) continue;
      line.erase(0, mark.size());
      if (!line.starts_with("code ") && !line.starts_with("errno ") && !line.starts_with("syscall ")) return line;
      if (said.empty()) said = line;
    }
  }
  return said.empty() ? "npm ends without a word" : said;
}

void bring(const std::string& name, const Scratch& scratch) {
  if (!sim::quiet()) sim::tell("warpfold: bringing the libraries of reports from npm, once\n");
  const fs::path folder = scratch.file("npm"), made = scratch.file(kMade);
  for (const fs::path& one : {folder, made}) fs::create_directory(one);
  for (const char* const file : kFiles) {
    write_whole_file(folder / file, read_text(report_parts() / file).value_or(""));
  }
  const std::string log = scratch.file("npm.log");
  pid_t child = 0;
  const int error = start_command({"npm", "ci", "--prefix", folder, "--omit=dev", "--ignore-scripts", "--no-audit",
                                   "--no-fund", "--loglevel=error"},
                                  log, child);
  if (error != 0) {
    user_error("npm: cannot start it: {}; scripts/setup report installs what reports need", std::strerror(error));
  }
  if (ends_well(child)) return take(folder / "node_modules", made);
  const std::string said = complaint(log);
  user_error("npm cannot bring the libraries of reports: {}; log: {}", said, scratch.keep_logs(name + ".log"));
}

}  // namespace

fs::path report_parts() { return data_folder("report", WARPFOLD_SOURCE_DIRECTORY "/tb/study/report"); }

fs::path report_libraries() {
  Hash hash;
  for (const char* const file : kFiles) hash.add_file(report_parts() / file);
  const std::string name = "report-" + hash.name();
  return kept_in_cache(name, [&](const Scratch& scratch) { bring(name, scratch); });
}

}  // namespace warpfold::study
