// SPDX-License-Identifier: Apache-2.0
// warpfold-fuzz: holds mechanisms to the contract over any number of generated kernels.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "models/common/error.h"
#include "tests/gpu/generated_contract.h"

namespace warpfold {
namespace {

int run(std::uint32_t first, std::uint32_t kernels, const std::vector<std::string>& names, bool variants) {
  for (const std::string& name : names) divergence::find_mechanism(name);
  unsigned failures = 0;
  for (const MechanismVariant& variant : variants_of(names)) {
    if (!variants && !variant.sets.empty()) continue;
    for (std::uint32_t seed = first; seed - first < kernels; ++seed) {
      const std::string failure = generated_failure(seed, variant);
      if (failure.empty()) continue;
      ++failures;
      std::printf("%s\n", failure.c_str());
    }
    std::printf("%s: %u kernels from seed %u, %u failures so far\n", variant.name().c_str(), kernels, first, failures);
    std::fflush(stdout);
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace warpfold

int main(int argc, char** argv) {
  CLI::App app("Runs generated kernels under divergence mechanisms and a scalar executor, and compares.");
  std::uint32_t first = 0, kernels = 2000;
  std::vector<std::string> names;
  bool variants = false;
  app.add_option("--kernels", kernels, "How many, for each mechanism")->capture_default_str();
  app.add_option("--seed", first, "Of the first; the others follow")->capture_default_str();
  app.add_option("--mechanisms", names, "Which; all by default")->delimiter(',');
  app.add_flag("--variants", variants, "Also with each flag and choice of a mechanism changed");
  CLI11_PARSE(app, argc, argv);
  try {
    return warpfold::run(first, kernels, names, variants);
  } catch (const warpfold::UserError& error) {
    std::fprintf(stderr, "warpfold-fuzz: error: %s\n", error.what());
    return 2;
  }
}

// libsystemc has a main of its own, which asks for this.
extern "C" int sc_main(int, char**) { return 0; }
