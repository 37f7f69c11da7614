// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/sampling/launch_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "warpfold/common/error.h"
#include "warpfold/gpu/sampling/pooled_variance.h"

namespace warpfold {
namespace {

constexpr std::uint64_t kFirst = 2;              // launches of a group, all timed
constexpr std::uint64_t kLongRun = 8;            // from as many launches on
constexpr double kFewest = 3, kFewestOfFew = 1;  // are timed in a run, a long one or not
constexpr double kRunsShare = 1.0 / 3;           // of the launches needed, in each run
constexpr double kMuchBetter = 0.8;              // in squares, to be chosen before a simpler one
constexpr double kLikely = 20;                   // degrees of freedom, where nobody knows yet

constexpr std::size_t kMost = 3;  // features of a model
using Matrix = std::array<std::array<double, kMost>, kMost>;

// Of the first rows and columns. Nothing: they do not tell features apart.
std::optional<Matrix> inverse_of(Matrix of, std::size_t size) {
  Matrix inverse{};
  for (std::size_t i = 0; i < size; ++i) inverse[i][i] = 1;
  for (std::size_t i = 0; i < size; ++i) {  // positive semidefinite: no row need be exchanged
    const double pivot = of[i][i];
    if (pivot <= 1e-9) return std::nullopt;
    for (std::size_t k = 0; k < size; ++k) of[i][k] /= pivot, inverse[i][k] /= pivot;
    for (std::size_t row = 0; row < size; ++row) {
      const double times = of[row][i];
      if (row == i) continue;
      for (std::size_t k = 0; k < size; ++k) of[row][k] -= times * of[i][k], inverse[row][k] -= times * inverse[i][k];
    }
  }
  return inverse;
}

}  // namespace

// Features by which cycles may go: one, thread instructions, their square, and blocks.
struct LaunchSampler::Model {
  std::array<std::size_t, kMost> features;
  std::size_t size;
  std::size_t samples;  // that it wants

  static const std::array<Model, 7>& all() {  // from the simplest on
    static constexpr std::array<Model, 7> kAll{{{{0}, 1, 2},
                                                {{1}, 1, 2},
                                                {{0, 1}, 2, 5},
                                                {{0, 3}, 2, 5},
                                                {{1, 3}, 2, 5},
                                                {{0, 1, 2}, 3, 7},
                                                {{0, 1, 3}, 3, 7}}};
    return kAll;
  }
};

struct LaunchSampler::Fit {
  const Model* model = &Model::all().front();
  std::array<double, kMost> b{};
  Matrix inverse{};     // of the weighted sums of features' products; weights sum to 1
  double squares = 0;   // of residuals, weighted mean
  double left_out = 0;  // the same where each sample is predicted by the others

  double at(const Vector& x) const {
    double sum = 0;
    for (std::size_t i = 0; i < model->size; ++i) sum += b[i] * x[model->features[i]];
    return sum;
  }
  // How much a sample there, of weight 1, has to say about what is here.
  double pull(const Vector& there, const Vector& here) const {
    double sum = 0;
    for (std::size_t i = 0; i < model->size; ++i) {
      for (std::size_t k = 0; k < model->size; ++k)
        sum += here[model->features[i]] * inverse[i][k] * there[model->features[k]];
    }
    return sum;
  }
  // By what each sample is off from what the others say of it, and how far that moves what is predicted.
  GroupResiduals residuals(const Group& group, const std::vector<double>& weights) const {
    GroupResiduals all;
    const double weight = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t n = 0; n < weights.size(); ++n) {
      const Sample& sample = group.samples[n];
      const double w = weights[n] / weight, others = 1 - w * pull(sample.x, sample.x);
      const double off = (sample.cycles - at(sample.x)) / others;
      all.weights.push_back(w);
      all.off.push_back(off);
      all.moves.push_back(w * pull(sample.x, group.untimed) * off);
    }
    return all;
  }
};

bool LaunchSampler::begins(const std::string& kernel, isa::Dim3 grid, isa::Dim3 block) {
  blocks_ = static_cast<double>(grid.count());
  if (std::find(kernels_.begin(), kernels_.end(), kernel) == kernels_.end()) kernels_.push_back(kernel);
  const auto [entry, is_new] =
      numbers_.try_emplace(fmt::format("{} {}x{}x{}", kernel, block.x, block.y, block.z), groups_.size());
  group_ = entry->second;
  if (is_new) {
    Group& fresh = groups_.emplace_back();
    fresh.kernel = kernel;
    fresh.random.seed(group_);
  }
  Group& group = groups_[group_];
  const std::size_t launch = launches_++;
  if (choice_.given()) return choice_.covers(launch) || group.launches < kFirst;
  plan_run(group, group_);
  return !group.picks.empty() && group.picks.front() == group.launches + 1;
}

LaunchSampler::Group& LaunchSampler::ran(double thread_instructions) {
  Group& group = groups_[group_];
  if (group.launches++ == 0) {
    group.instructions = std::max(thread_instructions, 1.0);
    group.blocks = blocks_;
  }
  const double work = thread_instructions / group.instructions;
  features_ = {1, work, work * work, blocks_ / group.blocks};
  return group;
}

void LaunchSampler::passed(double thread_instructions) {
  Group& group = ran(thread_instructions);
  all_timed_ = false;
  for (std::size_t i = 0; i < kFeatures; ++i) group.untimed[i] += features_[i];
}

void LaunchSampler::timed(double thread_instructions, double cycles) {
  Group& group = ran(thread_instructions);
  if (!choice_.given()) {
    check(!group.picks.empty(), "a launch that is timed was chosen");
    group.picks.pop_front();
  }
  timed_.push_back(launches_ - 1);
  group.samples.push_back({group.launches, features_, cycles});
}

// Where a run of launches has ended, which of the next are timed: as many as the group has had.
void LaunchSampler::plan_run(Group& group, std::size_t number) {
  if (group.launches < group.run_end) return;
  const std::uint64_t length = std::max(group.run_end, kFirst);
  const double fewest = group.run_end == 0 ? kFirst : length < kLongRun ? kFewestOfFew : kFewest;
  const double wanted = group.run_end == 0 ? 0 : std::ceil(launches_needed(number) * kRunsShare);
  const auto count = static_cast<std::uint64_t>(std::clamp(wanted, fewest, static_cast<double>(length)));
  for (std::uint64_t n = 0; n < count; ++n) {
    const std::uint64_t begin = length * n / count, end = length * (n + 1) / count;
    group.picks.push_back(group.run_end + begin + 1 + group.random() % (end - begin));
  }
  group.run_end += length;
}

// Neyman's allocation for the aim, by what is known now.
double LaunchSampler::launches_needed(std::size_t number) const {
  const std::vector<Part> all = parts();
  double cycles = 0, spread = 0;
  for (const Part& part : all) {
    cycles += part.cycles;
    spread += part.cycles * std::max(part.deviation, 0.0);
  }
  if (cycles <= 0) return 1;
  const double own = all[number].cycles * std::max(all[number].deviation, 0.0);
  const double aim = choice_.share() * cycles / half_width_of(kLikely);
  return own * spread / (aim * aim);
}

// How many launches each sample stands for: half of the way to its neighbours; they sum up to all.
std::vector<double> LaunchSampler::weights_of(const Group& group) {
  std::vector<double> weights;
  double begin = 0;
  for (std::size_t i = 0; i < group.samples.size(); ++i) {
    const auto here = static_cast<double>(group.samples[i].index);
    const bool last = i + 1 == group.samples.size();
    const double end =
        last ? static_cast<double>(group.launches) : (here + static_cast<double>(group.samples[i + 1].index) - 1) / 2;
    weights.push_back(std::max(end - begin, 0.5));
    begin = end;
  }
  return weights;
}

// Weighted least squares of the fit's model. False: samples do not tell its features apart, or one of them says alone
// how it goes by one.
bool LaunchSampler::solve(const Group& group, const std::vector<double>& weights, Fit& fit) {
  const Model& model = *fit.model;
  Matrix products{};
  std::array<double, kMost> right{};
  const double weight = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t n = 0; n < group.samples.size(); ++n) {
    const Sample& sample = group.samples[n];
    const double w = weights[n] / weight;
    for (std::size_t i = 0; i < model.size; ++i) {
      const double x = w * sample.x[model.features[i]];
      for (std::size_t k = 0; k < model.size; ++k) products[i][k] += x * sample.x[model.features[k]];
      right[i] += x * sample.cycles;
    }
  }
  const std::optional<Matrix> inverse = inverse_of(products, model.size);
  if (!inverse) return false;
  fit.inverse = *inverse;
  for (std::size_t i = 0; i < model.size; ++i) {
    for (std::size_t k = 0; k < model.size; ++k) fit.b[i] += fit.inverse[i][k] * right[k];
  }
  for (std::size_t n = 0; n < group.samples.size(); ++n) {
    const Sample& sample = group.samples[n];
    const double w = weights[n] / weight, others = 1 - w * fit.pull(sample.x, sample.x);
    const double residual = sample.cycles - fit.at(sample.x);
    if (others < 1e-6) return false;
    fit.squares += w * residual * residual;
    fit.left_out += w * residual * residual / (others * others);
  }
  return true;
}

LaunchSampler::Fit LaunchSampler::best_fit(const Group& group, const std::vector<double>& weights) {
  std::optional<Fit> best;
  for (const Model& model : Model::all()) {
    if (group.samples.size() < model.samples) continue;
    Fit fit;
    fit.model = &model;
    if (!solve(group, weights, fit) || fit.at(group.untimed) < 0) continue;
    if (!best || fit.left_out < kMuchBetter * best->left_out) best = fit;
  }
  return best.value_or(Fit());
}

// Two samples at least: one alone says nothing of how launches differ. What was timed would have taken a little more or
// less in the program itself: clocks and arbiters stand otherwise there.
LaunchSampler::Part LaunchSampler::part_of(const Group& group) {
  Part part;
  for (const Sample& sample : group.samples) part.timed += sample.cycles;
  part.cycles = part.timed;
  if (group.samples.size() < kFirst) return part;
  const std::vector<double> weights = weights_of(group);
  const Fit fit = best_fit(group, weights);
  const auto count = static_cast<double>(group.samples.size());
  const double others = static_cast<double>(group.launches) - count;
  double sum = 0, sum_of_squares = 0;
  for (const double weight : weights) sum += weight, sum_of_squares += weight * weight;
  const double worth = sum * sum / sum_of_squares;  // samples of equal weight that would say as much
  part.freedom = std::max(worth - static_cast<double>(fit.model->size), 0.5);
  const double squares = std::max(fit.squares * worth / part.freedom, fit.left_out);
  part.cycles += fit.at(group.untimed);
  const double of_model = std::max(others * others, fit.pull(group.untimed, group.untimed)) * squares / worth;
  // Launches that do more vary more (White's estimator, as HC3).
  part.residuals = fit.residuals(group, weights);
  double by_samples = 0;
  for (const double moves : part.residuals.moves) by_samples += moves * moves;
  part.variance = squares * (count + others) + std::max(of_model, by_samples);
  const double mean = part.cycles / static_cast<double>(group.launches);
  part.deviation = mean > 0 ? std::sqrt(squares) / mean : 0;
  return part;
}

std::vector<LaunchSampler::Part> LaunchSampler::parts() const {
  std::vector<Part> all;
  double squares = 0, freedom = 0;
  for (const Group& group : groups_) {
    const Part& part = all.emplace_back(part_of(group));
    if (part.deviation < 0) continue;
    squares += part.deviation * part.deviation * part.freedom;
    freedom += part.freedom;
  }
  for (Part& part : all) {  // a single launch varies as others do
    if (part.deviation < 0 && freedom != 0) part.variance = squares / freedom * part.timed * part.timed;
  }
  return all;
}

std::vector<GroupResiduals> LaunchSampler::residuals() const {
  std::vector<GroupResiduals> all;
  for (Part& part : parts()) {
    const auto number = all.size();
    GroupResiduals& of_group = all.emplace_back(std::move(part.residuals));
    of_group.launches = static_cast<double>(groups_[number].launches);
    of_group.freedom = part.freedom;
    of_group.cycles = part.cycles;
  }
  return all;
}

LaunchSampler::Estimate LaunchSampler::sum_of(const std::vector<Part>& parts, const std::string* kernel) const {
  Estimate sum;
  PooledVariance variance;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Group& group = groups_[i];
    if (kernel != nullptr && group.kernel != *kernel) continue;
    sum.cycles += parts[i].cycles;
    sum.timed_cycles += parts[i].timed;
    sum.launches += group.launches;
    sum.timed += group.samples.size();
    variance.add(parts[i].variance, parts[i].freedom);
  }
  if (!all_timed_) sum.half_width = variance.half_width();
  return sum;
}

LaunchSampler::Estimate LaunchSampler::total() const { return sum_of(parts(), nullptr); }

LaunchSampler::Estimate LaunchSampler::of_kernel(const std::string& kernel) const { return sum_of(parts(), &kernel); }

}  // namespace warpfold
