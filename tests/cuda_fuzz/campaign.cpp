// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda_fuzz/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <thread>
#include <tuple>

#include "tests/cuda_fuzz/shrinker.h"
#include "warpfold/common/error.h"

namespace warpfold::cuda_fuzz {
namespace {

struct Failure {
  Kernel kernel;
  const DrawnCell* cell;  // null: the twin's
  std::string complaint;
};

std::vector<DrawnCell> cells_of(const CampaignOptions& options) {
  std::vector<DrawnCell> all = draw_cells(options.cells, options.draw), part;
  for (std::size_t n = options.part; n < all.size(); n += options.parts) part.push_back(std::move(all[n]));
  return part;
}

bool without_time(const Cell& cell) {
  return cell.mode == "functional" || cell.mode == "sampled" || cell.mode == "detail";
}
bool takes_scattered(const DrawnCell& cell) {
  return cell.warp_size >= 32 || lets_the_other_side_come(cell.cell.variant.mechanism);
}
// Roles are of 32 threads: in wider warps they are sides of a branch.
bool takes_roles(const DrawnCell& cell) {
  const std::string& mechanism = cell.cell.variant.mechanism;
  return lets_warps_take_roles(mechanism) && (cell.warp_size <= 32 || lets_the_other_side_come(mechanism));
}
// In a warp pool the majority goes first, under HARP who has not just diverged, by the code's order who spins before
// what the lock is for: who tries for a lock, not who has it. Many narrow warps that try take all turns where the
// oldest goes first (docs/cuda.md, "Loops in which threads wait").
bool lets_who_has_a_lock_go_on(const DrawnCell& cell) {
  const MechanismVariant& variant = cell.cell.variant;
  const bool by_code = variant.mechanism == "frontier" && std::ranges::count(variant.sets, "mechanism.order=pc") != 0;
  const bool narrow =
      cell.warp_size < 32 || variant.mechanism == "dwr" || variant.mechanism == "vws";  // whose slices are
  const bool oldest = narrow && cell.run_file.find("warp_policy: GTO") != std::string::npos;
  return variant.mechanism != "dwf" && variant.mechanism != "dwf-wb" && variant.mechanism != "harp" && !by_code &&
         !oldest;
}
auto wishes_of(const DrawnCell& cell) {
  return std::tuple(launches_of(cell.cell), without_time(cell.cell),
                    lets_the_other_side_come(cell.cell.variant.mechanism), takes_scattered(cell), takes_roles(cell),
                    lets_who_has_a_lock_go_on(cell));
}

// What runs without time meets more fences of warps; both sides of a branch meet at them where the mechanism lets them.
GeneratorOptions generator_for(GeneratorOptions options, const std::vector<const DrawnCell*>& cells) {
  options.both_sides = options.scattered = options.roles = options.spins = true;
  for (const DrawnCell* const cell : cells) {
    options.fences |= without_time(cell->cell);
    options.both_sides &= lets_the_other_side_come(cell->cell.variant.mechanism);
    options.scattered &= takes_scattered(*cell);
    options.spins &= lets_who_has_a_lock_go_on(*cell);
    options.roles &= takes_roles(*cell);
    options.launches = std::max(options.launches, launches_of(cell->cell));
  }
  return options;
}

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options) : options_(options), cells_(cells_of(options)) {
    std::erase_if(cells_, [](const DrawnCell& cell) { return !cell.refused.empty(); });
    check(!cells_.empty(), "a mechanism runs on some machine");
    // Those that share a kernel want the same of it.
    const auto before = [](const DrawnCell& a, const DrawnCell& b) { return wishes_of(a) < wishes_of(b); };
    if (options_.share > 1) std::stable_sort(cells_.begin(), cells_.end(), before);
    const auto count = static_cast<unsigned>(cells_.size());
    if (options_.kernels == 0) options_.kernels = (count + options_.share - 1) / options_.share;
    options_.units = std::min(options_.units, options_.kernels);
  }
  unsigned run();

 private:
  void run_unit(unsigned unit);
  std::vector<Kernel> kernels_of(unsigned unit) const;
  std::vector<const DrawnCell*> cells_for(std::size_t kernel) const {
    std::vector<const DrawnCell*> cells;
    for (unsigned i = 0; i < options_.share; ++i)
      cells.push_back(&cells_[(kernel * options_.share + i) % cells_.size()]);
    return cells;
  }
  void report(const Unit& unit, std::size_t kernel, const std::string& complaint, const DrawnCell* cell);
  void shrink_failures();
  void shrink_failure(const Failure& failure);
  void print(const std::string& text) {
    std::fputs((text + "\n").c_str(), stdout);
    std::fflush(stdout);
  }

  CampaignOptions options_;
  std::vector<DrawnCell> cells_;
  std::mutex mutex_;
  std::vector<Failure> failures_;
  unsigned units_done_ = 0;
};

std::vector<Kernel> Campaign::kernels_of(unsigned unit) const {
  std::vector<Kernel> kernels;
  for (unsigned i = unit; i < options_.kernels; i += options_.units) {
    kernels.push_back(generate(options_.seed + i, generator_for(options_.generator, cells_for(i))));
  }
  return kernels;
}

void Campaign::report(const Unit& unit, std::size_t kernel, const std::string& complaint, const DrawnCell* cell) {
  const std::lock_guard lock(mutex_);
  failures_.push_back({unit.kernels()[kernel], cell, complaint});
  print(fmt::format("seed {} under {}: {}", unit.kernels()[kernel].seed,
                    cell == nullptr ? "the host twin" : cell->cell.name(), complaint));
}

void Campaign::run_unit(unsigned number) {
  const Unit unit(kernels_of(number), options_.build);
  for (std::size_t i = 0; i < unit.kernels().size(); ++i) {
    if (!unit.expected()[i].trouble.empty()) report(unit, i, unit.expected()[i].trouble, nullptr);
    for (const DrawnCell* const cell : cells_for(number + i * options_.units)) {
      const std::string complaint = unit.complaint(i, cell->run_file);
      if (!complaint.empty()) report(unit, i, complaint, cell);
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
  print(fmt::format("{} kernels in {} cells: {} failures", options_.kernels,
                    std::min<std::size_t>(options_.kernels * options_.share, cells_.size()), count));
  return count;
}

// One of each mechanism: the others are often the same.
void Campaign::shrink_failures() {
  if (options_.shrink_rounds == 0) return;
  std::vector<std::string> shown;
  std::stable_sort(failures_.begin(), failures_.end(),
                   [](const Failure& a, const Failure& b) { return a.kernel.statements() < b.kernel.statements(); });
  for (const Failure& failure : failures_) {
    if (failure.cell == nullptr) continue;
    const std::string& mechanism = failure.cell->cell.variant.mechanism;
    if (std::find(shown.begin(), shown.end(), mechanism) != shown.end()) continue;
    shown.push_back(mechanism);
    shrink_failure(failure);
  }
}

void Campaign::shrink_failure(const Failure& failure) {
  const Cell& cell = failure.cell->cell;
  const auto complaint_of = [&](const Unit& unit, std::size_t kernel) {
    return unit.complaint(kernel, failure.cell->run_file);
  };
  const Kernel small = shrink(
      failure.kernel,
      [&](const std::vector<Kernel>& kernels) {
        const Unit unit(kernels, options_.build);
        std::vector<bool> fails;
        for (std::size_t i = 0; i < kernels.size(); ++i) {  // one that has nothing left gives nothing to compare
          fails.push_back(kernels[i].statements() != 0 && !complaint_of(unit, i).empty());
        }
        return fails;
      },
      options_.shrink_rounds);
  const std::string complaint = complaint_of(Unit({small}, options_.build), 0);
  const std::string path = fmt::format("{}/fuzz-{}-{}.cu", options_.folder, failure.kernel.seed, cell.variant.name());
  const std::string text = translation_unit({render(small, "k0")});
  std::ofstream(path) << fmt::format("// Seed {} under {}: {}\n", failure.kernel.seed, cell.name(), complaint) << text;
  print(fmt::format("seed {} under {}: of its {} statements these {} are enough ({}), in {}:\n{}", failure.kernel.seed,
                    cell.name(), failure.kernel.statements(), small.statements(), complaint, path, text));
}

}  // namespace

unsigned run_campaign(const CampaignOptions& options) { return Campaign(options).run(); }

void list_cells(const CampaignOptions& options) {
  for (const DrawnCell& cell : cells_of(options)) {
    std::printf("%s: %s\n", cell.cell.name().c_str(),
                cell.refused.empty() ? "drawn" : ("refused: " + cell.refused).c_str());
  }
}

}  // namespace warpfold::cuda_fuzz
