// SPDX-License-Identifier: Apache-2.0
// --set assignments, one a line, for a machine and a mechanism with parameters. What is taken must come back from the
// configuration that the run leaves.
#include <sstream>

#include "tests/fuzz/harness.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/gpu/run/run_options.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpfold;
  static const fuzz::Folder folder;
  std::vector<std::string> sets;
  std::istringstream lines(fuzz::text_of(data, size));
  for (std::string line; std::getline(lines, line);) sets.push_back(line);
  // By the number of assignments, so that an input always means the same.
  const auto& mechanisms = divergence::mechanisms();
  const std::string& mechanism = mechanisms[sets.size() % mechanisms.size()].name;
  RunOptions options;
  if (!fuzz::accepted([&] { options = RunOptions::resolve("tbc2011", mechanism, sets); })) return 0;
  const bool again = fuzz::accepted([&] {
    const std::string effective = options.effective_config();
    const std::string file = folder.write("effective.yaml", effective);
    if (RunOptions::load_file(file).effective_config() != effective) fuzz::broken("--set is lost on the way");
  });
  if (!again) fuzz::broken("config.effective.yaml is refused");
  return 0;
}
