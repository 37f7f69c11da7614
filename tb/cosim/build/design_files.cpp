// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/build/design_files.h"

#include <filesystem>
#include <sstream>

#include "tb/cosim/build/build.h"
#include "tb/cosim/build/tool.h"

namespace warpfold::cosim {

std::vector<std::string> design_files(const std::vector<std::string>& named, const std::string& place) {
  std::vector<std::string> files;
  for (const std::string& name : named) {
    const std::filesystem::path path = std::filesystem::absolute(name);
    if (path.extension() != ".f") {
      files.push_back(path);
      continue;
    }
    std::istringstream lines(run_rtl_verilog({"--list", "--source", path}, place));
    for (std::string line; std::getline(lines, line);) files.push_back(line);
  }
  return files;
}

void add_design(RtlSource& source, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    (file[0] == '+' || file[0] == '-' ? source.options : source.files).push_back(file);
  }
}

}  // namespace warpfold::cosim
