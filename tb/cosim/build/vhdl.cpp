// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/build/vhdl.h"

#include <algorithm>
#include <fstream>

#include "tb/cosim/build/tool.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/cache.h"

namespace warpfold::cosim {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

bool is_vhdl(const std::string& file) { return file.ends_with(".vhd") || file.ends_with(".vhdl"); }

std::string digest(const RtlSource& source, const Words& files) {
  Hash hash;
  hash.add(source.top);
  for (const char* const ours : {"design.sh", "choices.sed"}) {
    hash.add(read_text(fs::path(WARPFOLD_SOURCE_DIRECTORY "/scripts/rtl-frontend") / ours).value_or(""));
  }
  for (const auto& [name, value] : source.parameters) hash.add(fmt::format("{}={}", name, value));
  for (const std::string& file : files) hash.add(file).add(read_text(file).value_or(""));
  return hash.name();
}

void synthesise(const RtlSource& source, const Words& files, const fs::path& place) {
  Words words{source.top};
  for (const auto& [name, value] : source.parameters) {
    words.insert(words.end(), {"--set", fmt::format("{}={}", name, value)});
  }
  for (const std::string& file : files) words.insert(words.end(), {"--source", file});
  const std::string verilog = run_rtl_verilog(words, source.block);
  const Scratch scratch("ghdl");
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
