// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/build/vhdl.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tb/cosim/build/tool.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/cache.h"

namespace warpfold::cosim {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

bool is_vhdl(const std::string& file) { return file.ends_with(".vhd") || file.ends_with(".vhdl"); }

// A report such as "file.vhd:12:3:error: …", without what surrounds it.
std::string complaint_of_ghdl(const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(".vhd") != std::string::npos || line.find("error") != std::string::npos) return line;
  }
  return log.empty() ? "GHDL fails" : log.substr(0, log.find('\n'));
}

// Standard output is the Verilog, and warnings go to standard error: both end up in the log.
std::string verilog_of(const std::string& log) {
  const std::size_t begin = log.starts_with("module ") ? 0 : log.find("\nmodule ");
  const std::size_t end = log.rfind("endmodule");
  return begin == std::string::npos || end == std::string::npos ? "" : log.substr(begin, end + 9 - begin) + "\n";
}

std::string digest(const RtlSource& source, const Words& files) {
  Hash hash;
  hash.add(source.top);
  for (const auto& [name, value] : source.parameters) hash.add(fmt::format("{}={}", name, value));
  for (const std::string& file : files) hash.add(file).add(read_text(file).value_or(""));
  return hash.name();
}

void synthesise(const RtlSource& source, const Words& files, const fs::path& place) {
  const Scratch scratch("ghdl");
  const std::string log = scratch.file("ghdl.log");
  Words command{"ghdl", "--synth", "--std=08", "--out=verilog", "--workdir=" + scratch.file("")};
  for (const auto& [name, value] : source.parameters) command.push_back(fmt::format("-g{}={}", name, value));
  command.insert(command.end(), files.begin(), files.end());
  command.insert(command.end(), {"-e", source.top});
  const bool done = run_tools({{command, log}});
  const std::string said = read_text(log).value_or(""), verilog = verilog_of(said);
  if (!done || verilog.empty()) {
    user_error("{}: {}; GHDL's log: {}", source.block, complaint_of_ghdl(said), scratch.keep_logs("ghdl.log"));
  }
  std::ofstream(scratch.file("verilog")) << verilog;
  put_into_cache(scratch.file("verilog"), place);
}

}  // namespace

RtlSource without_vhdl(RtlSource source) {
  Words files;
  for (const std::string& file : source.files) {
    if (is_vhdl(file)) files.push_back(fs::absolute(file));
  }
  if (files.empty()) return source;
  std::erase_if(source.files, is_vhdl);
  if (source.files.size() > 1) {  // the first is our package
    user_error("{}: {} beside {}: a design is VHDL or Verilog, not both", source.block, files[0], source.files.back());
  }
  const fs::path place = cache_directory() / fmt::format("{}-{}.v", source.top, digest(source, files));
  if (!fs::exists(place)) synthesise(source, files, place);
  source.files.push_back(place);
  source.parameters.clear();
  return source;
}

}  // namespace warpfold::cosim
