// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda_fuzz/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <thread>

#include "tests/cuda_fuzz/shrinker.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold::cuda_fuzz {
namespace {

// A way to run a program on the model.
struct Way {
  std::string name;
  std::string run_file;
};

struct Failure {
  Kernel kernel;
  const Way* way;
  std::string complaint;
};

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options) : options_(options) {
    for (const MechanismVariant& variant : options.variants) add(variant);
    if (options.functional) add_functional();
  }
  unsigned run();

 private:
  void add(const MechanismVariant& variant);
  void add_functional();
  void run_unit(unsigned unit);
  std::vector<Kernel> kernels_of(unsigned unit) const;
  void report(const Unit& unit, std::size_t kernel, const std::string& complaint, const Way* way);
  void shrink_failures();
  void shrink_failure(const Failure& failure);
  void print(const std::string& text) {
    std::fputs((text + "\n").c_str(), stdout);
    std::fflush(stdout);
  }

  const CampaignOptions& options_;
  std::vector<Way> ways_;
  std::mutex mutex_;
  std::vector<Failure> failures_;
  unsigned units_done_ = 0;
};

RunOptions resolved(const CampaignOptions& options, const MechanismVariant& variant) {
  std::vector<std::string> sets = options.sets;
  sets.insert(sets.end(), variant.sets.begin(), variant.sets.end());
  sets.push_back("cycle_limit=5000000");
  return RunOptions::resolve(options.machine, variant.mechanism, sets);
}

void Campaign::add(const MechanismVariant& variant) {
  const RunOptions options = resolved(options_, variant);
  const auto configured = divergence::find_mechanism(variant.mechanism).configure(options.mechanism_parameters);
  const std::string reason = configured.why_not(options.machine.core.geometry());
  if (!reason.empty()) return print(fmt::format("{}: n/a: {}", variant.name(), reason));
  ways_.push_back({variant.name(), options.run_file()});
}

void Campaign::add_functional() {
  RunOptions options = resolved(options_, {"pdom", {}});
  options.timing = Timing::kFunctional;
  ways_.push_back({"functional", options.run_file()});
}

std::vector<Kernel> Campaign::kernels_of(unsigned unit) const {
  std::vector<Kernel> kernels;
  for (unsigned i = unit; i < options_.kernels; i += options_.units) {
    kernels.push_back(generate(options_.seed + i, options_.generator));
  }
  return kernels;
}

void Campaign::report(const Unit& unit, std::size_t kernel, const std::string& complaint, const Way* way) {
  const std::lock_guard lock(mutex_);
  failures_.push_back({unit.kernels()[kernel], way, complaint});
  print(fmt::format("seed {} under {}: {}", unit.kernels()[kernel].seed, way == nullptr ? "the host twin" : way->name,
                    complaint));
}

void Campaign::run_unit(unsigned number) {
  const Unit unit(kernels_of(number), options_.build);
  for (std::size_t i = 0; i < unit.kernels().size(); ++i) {
    if (!unit.expected()[i].trouble.empty()) report(unit, i, unit.expected()[i].trouble, nullptr);
  }
  for (const Way& way : ways_) {
    const std::vector<std::string> complaints = unit.complaints(unit.run(way.run_file));
    for (std::size_t i = 0; i < complaints.size(); ++i) {
      if (!complaints[i].empty()) report(unit, i, complaints[i], &way);
    }
  }
  const std::lock_guard lock(mutex_);
  print(fmt::format("{} of {} translation units, {} failures so far", ++units_done_, options_.units, failures_.size()));
}

unsigned Campaign::run() {
  std::atomic<unsigned> next{0};
  std::vector<std::thread> workers;
  std::string broken;
  const auto work = [&] {
    for (unsigned unit; (unit = next++) < options_.units;) {
      try {
        run_unit(unit);
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex_);
        broken = error.what();
        next = options_.units;
      }
    }
  };
  for (unsigned i = 0; i < options_.jobs; ++i) workers.emplace_back(work);
  for (std::thread& worker : workers) worker.join();
  if (!broken.empty()) throw std::runtime_error(broken);
  shrink_failures();
  const auto count = static_cast<unsigned>(failures_.size());
  print(fmt::format("{} kernels x {} mechanisms: {} failures", options_.kernels, ways_.size(), count));
  return count;
}

// One of each mechanism: the others are often the same.
void Campaign::shrink_failures() {
  if (options_.shrink_rounds == 0) return;
  std::vector<std::string> shown;
  std::stable_sort(failures_.begin(), failures_.end(),
                   [](const Failure& a, const Failure& b) { return a.kernel.statements() < b.kernel.statements(); });
  for (const Failure& failure : failures_) {
    if (failure.way == nullptr || std::find(shown.begin(), shown.end(), failure.way->name) != shown.end()) continue;
    shown.push_back(failure.way->name);
    shrink_failure(failure);
  }
}

void Campaign::shrink_failure(const Failure& failure) {
  const Way& way = *failure.way;
  const auto complaints = [&](const std::vector<Kernel>& kernels) {
    const Unit unit(kernels, options_.build);
    return unit.complaints(unit.run(way.run_file));
  };
  const Kernel small = shrink(
      failure.kernel,
      [&](const std::vector<Kernel>& kernels) {
        std::vector<bool> fails;
        for (const std::string& complaint : complaints(kernels)) fails.push_back(!complaint.empty());
        return fails;
      },
      options_.shrink_rounds);
  const std::string complaint = complaints({small})[0];
  const std::string path = fmt::format("{}/fuzz-{}-{}.cu", options_.folder, failure.kernel.seed, way.name);
  const std::string text = translation_unit({render(small, "k0")});
  std::ofstream(path) << fmt::format("// Seed {} under {}: {}\n", failure.kernel.seed, way.name, complaint) << text;
  print(fmt::format("seed {} under {}: of its {} statements these {} are enough ({}), in {}:\n{}", failure.kernel.seed,
                    way.name, failure.kernel.statements(), small.statements(), complaint, path, text));
}

}  // namespace

unsigned run_campaign(const CampaignOptions& options) { return Campaign(options).run(); }

}  // namespace warpfold::cuda_fuzz
