// SPDX-License-Identifier: Apache-2.0
// warpfold-fuzz: holds mechanisms to the contract over any number of generated kernels; with --cuda, the model to CUDA
// programs that are compiled for the host as well.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "tests/cuda_fuzz/campaign.h"
#include "tests/gpu/contract/generated_contract.h"
#include "warpfold/common/error.h"
#include "warpfold/gpu/run/plugins.h"

namespace warpfold {
namespace {

struct Options {
  std::vector<std::string> names, plugins;
  bool variants = false;
  bool cuda = false, cells = false;
  std::uint32_t kernels = 2000, seed = 0;
  std::vector<std::string> without;
  cuda_fuzz::CampaignOptions campaign;
};

bool names_all(const Options& options) {
  return options.names.empty() || options.names == std::vector<std::string>{"all"};
}

std::vector<MechanismVariant> mechanisms_of(const Options& options) {
  std::vector<std::string> names = options.names;
  if (names_all(options)) names.clear();
  for (const std::string& name : names) divergence::find_mechanism(name);
  std::vector<MechanismVariant> wanted;
  for (const MechanismVariant& variant : variants_of(names)) {
    if (options.variants || variant.sets.empty()) wanted.push_back(variant);
  }
  if (!options.variants) return wanted;
  for (const MechanismVariant& variant : extreme_variants()) {
    if (names.empty() || std::find(names.begin(), names.end(), variant.mechanism) != names.end())
      wanted.push_back(variant);
  }
  return wanted;
}

unsigned fuzz_contract(const Options& options) {
  const std::uint32_t first = options.seed, kernels = options.kernels;
  unsigned failures = 0;
  for (const MechanismVariant& variant : mechanisms_of(options)) {
    for (std::uint32_t seed = first; seed - first < kernels; ++seed) {
      const std::string failure = generated_failure(seed, variant);
      if (failure.empty()) continue;
      ++failures;
      std::printf("%s\n", failure.c_str());
    }
    std::printf("%s: %u kernels from seed %u, %u failures so far\n", variant.name().c_str(), kernels, first, failures);
    std::fflush(stdout);
  }
  return failures;
}

unsigned fuzz_cuda(const Options& options) {
  cuda_fuzz::CampaignOptions campaign = options.campaign;
  campaign.cells.variants = mechanisms_of(options);
  campaign.seed = options.seed;
  campaign.kernels = options.kernels;
  for (const std::string& feature : options.without) {
    if (feature != "collectives" && feature != "returns") {
      user_error("--without {}: expected collectives or returns", feature);
    }
    if (feature == "collectives") campaign.generator.collectives = false;
    if (feature == "returns") campaign.generator.returns = false;
  }
  if (options.cells) return cuda_fuzz::list_cells(campaign), 0;
  return cuda_fuzz::run_campaign(campaign);
}

void add_options(CLI::App& app, Options& options) {
  cuda_fuzz::CampaignOptions& campaign = options.campaign;
  app.add_option("--kernels", options.kernels,
                 "How many, for each mechanism; with --cuda in all, one in each cell in turn; 0: as many as cells")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of the first; the others follow")->capture_default_str();
  app.add_option("--mechanisms", options.names, "Which; all by default")->delimiter(',');
  app.add_option("--plugin", options.plugins, "A shared object that brings a mechanism (docs/plug-ins.md)");
  app.add_flag("--variants", options.variants,
               "Also with each flag and choice of a mechanism changed, and with the ends of its numbers");
  app.add_flag("--cuda", options.cuda, "CUDA programs, against the same source compiled for the host");
  const std::string group = "With --cuda";
  app.add_option("--units", campaign.units, "Translation units")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str()
      ->group(group);
  app.add_option("-j", campaign.jobs, "Units at a time")
      ->check(CLI::Range(1u, 256u))
      ->capture_default_str()
      ->group(group);
  app.add_flag("--cells", options.cells, "Only list the ways to run a program: drawn, or refused and why")
      ->group(group);
  app.add_option("--draw", campaign.draw, "Other numbers draw what is left open of a cell otherwise")
      ->capture_default_str()
      ->group(group);
  app.add_option("--share", campaign.share, "Cells that each kernel runs in: kernels cost more to compile than to run")
      ->check(CLI::Range(1u, 100u))
      ->capture_default_str()
      ->group(group);
  app.add_option("--part", campaign.part, "Of the cells, every --parts'th from this one on")
      ->capture_default_str()
      ->group(group);
  app.add_option("--parts", campaign.parts, "See --part")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str()
      ->group(group);
  app.add_option("--machine", campaign.cells.machine, "Name in configs/machines, or a path; else any")->group(group);
  app.add_option("--set", campaign.cells.sets, "Override: core.warp_size=16; may be repeated")->group(group);
  app.add_option("--without", options.without,
                 "collectives: nothing that the threads of a warp do together; returns: none before barriers")
      ->group(group);
  app.add_option("--shrink", campaign.shrink_rounds, "Attempts to make a failing kernel smaller")
      ->capture_default_str()
      ->group(group);
  app.add_option("--folder", campaign.folder, "Where failing kernels are written")->capture_default_str()->group(group);
  app.add_option("--twin-flags", campaign.build.twin_flags, "Of the host compiler: -fsanitize=undefined")->group(group);
}

}  // namespace
}  // namespace warpfold

int main(int argc, char** argv) {
  CLI::App app("Runs generated kernels under divergence mechanisms and a scalar executor, and compares.");
  warpfold::Options options;
  warpfold::add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  try {
    warpfold::load_plugins(options.plugins);
    return (options.cuda ? warpfold::fuzz_cuda(options) : warpfold::fuzz_contract(options)) == 0 ? 0 : 1;
  } catch (const warpfold::UserError& error) {
    std::fprintf(stderr, "warpfold-fuzz: error: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "warpfold-fuzz: error: %s\n", error.what());
    return 1;
  }
}

// libsystemc has a main of its own, which asks for this.
extern "C" int sc_main(int, char**) { return 0; }
