// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/launch_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>

#include "warpfold/common/error.h"

namespace warpfold {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();
// A launch takes another time in the program, and in the copy that times it, than in either's repetition: caches apart,
// it depends on the phases of clocks and arbiters.
constexpr double kTwice = 2;
constexpr std::uint64_t kFirst = 2;  // launches of a stratum, all timed

double quantile(double freedom) {
  return boost::math::quantile(boost::math::students_t(std::max(freedom, 1.0)), 0.975);
}

// Features by which cycles may go, from the simplest on; two only where there are samples enough.
using Choice = std::array<int, 2>;
constexpr int kNone = -1;
constexpr Choice kChoices[] = {{1, kNone}, {0, kNone}, {2, kNone}, {3, kNone}, {4, kNone},
                               {0, 1},     {0, 3},     {1, 3},     {1, 2},     {0, 4}};
constexpr std::size_t kEnoughForTwo = 6;
constexpr double kMuchBetter = 0.8;  // in squares, to be chosen before a simpler one

}  // namespace

// cycles = b[0] x[choice[0]] + b[1] x[choice[1]]
struct LaunchSampler::Fit {
  Choice choice{1, kNone};
  std::array<double, 2> b{};
  double squares = 0;   // of residuals, weighted mean
  double left_out = 0;  // the same where each sample is predicted by the others
  std::size_t parameters = 1;

  double at(const Vector& x) const {
    const double second = choice[1] == kNone ? 0 : b[1] * x[static_cast<std::size_t>(choice[1])];
    return b[0] * x[static_cast<std::size_t>(choice[0])] + second;
  }
};

namespace {

struct Normal {  // equations of two unknowns
  double a = 0, b = 0, d = 0;
  double determinant() const { return a * d - b * b; }
};

}  // namespace

LaunchSampler::Plan LaunchSampler::begins(const std::string& kernel, isa::Dim3 grid, isa::Dim3 block) {
  kernel_ = kernel;
  blocks_ = static_cast<double>(grid.count());
  if (std::find(kernels_.begin(), kernels_.end(), kernel) == kernels_.end()) kernels_.push_back(kernel);
  const long scale = std::lround(2 * std::log2(blocks_));
  shape_ = &shapes_[fmt::format("{} {}x{}x{} {}", kernel, block.x, block.y, block.z, scale)];
  if (shape_->launches++ < kFirst) return plan_ = Plan::kTime;
  if (shape_->strata.size() > 1) return plan_ = Plan::kAsk;
  Stratum& likely = strata_[shape_->strata.front()];
  plan_run(likely, shape_->strata.front());
  const bool next = !likely.picks.empty() && likely.picks.front() <= likely.launches + 1;
  return plan_ = next ? Plan::kTime : Plan::kPass;
}

std::size_t LaunchSampler::stratum_of(const LaunchFeatures& features) {
  const double instructions = std::max(features.instructions, 1.0);
  std::size_t nearest = strata_.size();
  double distance = std::log(std::numbers::sqrt2);
  for (const std::size_t number : shape_->strata) {
    const double here = std::abs(std::log(instructions / strata_[number].centre));
    if (here > distance) continue;
    nearest = number;
    distance = here;
  }
  if (nearest != strata_.size()) return nearest;
  shape_->strata.push_back(nearest);
  Stratum& fresh = strata_.emplace_back();
  fresh.kernel = kernel_;
  fresh.centre = instructions;
  fresh.random.seed(nearest);
  fresh.picks = {1, 2};
  return nearest;
}

bool LaunchSampler::ran(const LaunchFeatures& features) {
  check(shape_ != nullptr, "a launch that has run has begun");
  stratum_ = stratum_of(features);
  Stratum& stratum = strata_[stratum_];
  plan_run(stratum, stratum_);
  ++stratum.launches;
  features_ = {1, features.instructions, features.lines, features.fetched, blocks_};
  shape_ = nullptr;
  const bool wanted = !stratum.picks.empty() && stratum.picks.front() <= stratum.launches;
  const bool timed = plan_ == Plan::kTime || (plan_ == Plan::kAsk && wanted);
  if (timed) {
    if (wanted) stratum.picks.pop_front();
  } else {
    for (std::size_t i = 0; i < kFeatures; ++i) stratum.untimed[i] += features_[i];
  }
  return timed;
}

void LaunchSampler::timed(double cycles) {
  Stratum& stratum = strata_[stratum_];
  stratum.samples.push_back({stratum.launches, features_, cycles});
}

// Where a run of launches has ended, which of the next are timed: as many as the stratum has had.
void LaunchSampler::plan_run(Stratum& stratum, std::size_t number) {
  if (stratum.launches < stratum.run_end) return;
  const std::uint64_t length = stratum.run_end;
  const auto count =
      static_cast<std::uint64_t>(std::clamp(std::ceil(launches_needed(number) / 2), 1.0, static_cast<double>(length)));
  for (std::uint64_t n = 0; n < count; ++n) {
    const std::uint64_t begin = length * n / count, end = length * (n + 1) / count;
    stratum.picks.push_back(stratum.run_end + begin + 1 + stratum.random() % (end - begin));
  }
  stratum.run_end += length;
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
  const double aim = aim_ * cycles / quantile(20);
  return own * spread / (aim * aim);
}

// How many launches each sample stands for: half of the way to its neighbours; they sum up to all.
std::vector<double> LaunchSampler::weights_of(const Stratum& stratum) {
  std::vector<double> weights;
  double begin = 0;
  for (std::size_t i = 0; i < stratum.samples.size(); ++i) {
    const auto here = static_cast<double>(stratum.samples[i].index);
    const bool last = i + 1 == stratum.samples.size();
    const double end = last ? static_cast<double>(stratum.launches)
                            : (here + static_cast<double>(stratum.samples[i + 1].index) - 1) / 2;
    weights.push_back(std::max(end - begin, 0.5));
    begin = end;
  }
  return weights;
}

namespace {

template <class Sample, class Fit>
bool solve(std::span<const Sample> samples, const std::vector<double>& weights, Fit& fit) {
  const bool two = fit.choice[1] != kNone;
  const auto first = static_cast<std::size_t>(fit.choice[0]);
  const auto second = two ? static_cast<std::size_t>(fit.choice[1]) : 0;
  Normal m;
  double r0 = 0, r1 = 0, weight = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double w = weights[i], x0 = samples[i].x[first], x1 = two ? samples[i].x[second] : 0;
    m.a += w * x0 * x0, m.b += w * x0 * x1, m.d += w * x1 * x1;
    r0 += w * x0 * samples[i].cycles, r1 += w * x1 * samples[i].cycles;
    weight += w;
  }
  if (!two) m.b = 0, m.d = 1;
  if (m.a <= 0 || m.determinant() <= 1e-6 * m.a * m.d) return false;  // nothing to tell them apart by
  fit.b = {(m.d * r0 - m.b * r1) / m.determinant(), (m.a * r1 - m.b * r0) / m.determinant()};
  fit.parameters = two ? 2 : 1;
  fit.squares = fit.left_out = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double w = weights[i], x0 = samples[i].x[first], x1 = two ? samples[i].x[second] : 0;
    const double leverage = w * (m.d * x0 * x0 - 2 * m.b * x0 * x1 + m.a * x1 * x1) / m.determinant();
    const double residual = samples[i].cycles - fit.at(samples[i].x);
    if (leverage > 1 - 1e-6) return false;
    fit.squares += w / weight * residual * residual;
    fit.left_out += w / weight * residual * residual / ((1 - leverage) * (1 - leverage));
  }
  return true;
}

}  // namespace

LaunchSampler::Fit LaunchSampler::best_fit(const Stratum& stratum) {
  const std::vector<double> weights = weights_of(stratum);
  const std::span<const Sample> samples(stratum.samples);
  std::optional<Fit> best;
  for (const Choice& choice : kChoices) {
    if (choice[1] != kNone && samples.size() < kEnoughForTwo) break;
    Fit fit;
    fit.choice = choice;
    if (!solve(samples, weights, fit) || fit.at(stratum.untimed) < 0) continue;
    if (!best || fit.left_out < kMuchBetter * best->left_out) best = fit;
  }
  return best.value_or(Fit());
}

// Two samples at least: one alone says nothing of how launches differ.
LaunchSampler::Part LaunchSampler::part_of(const Stratum& stratum) const {
  Part part;
  for (const Sample& sample : stratum.samples) part.timed += sample.cycles;
  part.cycles = part.timed;
  part.deviation = -1;
  const auto count = static_cast<double>(stratum.samples.size());
  const double others = static_cast<double>(stratum.launches) - count;
  if (stratum.samples.size() < 2) return part;
  const Fit fit = best_fit(stratum);
  const double predicted = fit.at(stratum.untimed);
  double sum = 0, sum_of_squares = 0;
  for (const double weight : weights_of(stratum)) sum += weight, sum_of_squares += weight * weight;
  const double worth = sum * sum / sum_of_squares;  // samples of equal weight that would say as much
  part.freedom = std::max(worth - static_cast<double>(fit.parameters), 0.5);
  const double squares = fit.squares * worth / part.freedom;
  part.cycles += predicted;
  part.variance = squares * (others + others * others / worth + kTwice * count);
  const double mean = part.cycles / static_cast<double>(stratum.launches);
  part.deviation = mean > 0 ? std::sqrt(squares) / mean : 0;
  return part;
}

// Of a stratum with one sample or none: by the others of its kernel, and as uncertain as all are.
void LaunchSampler::guess(const Stratum& stratum, Part& part, double deviation) const {
  double cycles = 0, instructions = 0;
  for (const Stratum& other : strata_) {
    const bool alike = stratum.samples.empty() ? other.kernel == stratum.kernel : &other == &stratum;
    if (!alike) continue;
    for (const Sample& sample : other.samples) cycles += sample.cycles, instructions += sample.x[1];
  }
  const double untimed = stratum.untimed[1];
  const double predicted = untimed == 0 ? 0 : untimed * cycles / instructions;  // NaN: its kernel was never timed
  part.cycles += predicted;
  part.freedom = 1;
  part.variance = deviation * deviation * (kTwice * part.timed * part.timed + predicted * predicted);
}

std::vector<LaunchSampler::Part> LaunchSampler::parts() const {
  std::vector<Part> all;
  double squares = 0, freedom = 0;
  for (const Stratum& stratum : strata_) {
    const Part part = all.emplace_back(part_of(stratum));
    if (part.deviation < 0) continue;
    squares += part.deviation * part.deviation * part.freedom;
    freedom += part.freedom;
  }
  const double deviation = freedom == 0 ? kUnknown : std::sqrt(squares / freedom);
  for (std::size_t i = 0; i < strata_.size(); ++i) {
    if (all[i].deviation < 0) guess(strata_[i], all[i], deviation);
  }
  return all;
}

LaunchSampler::Estimate LaunchSampler::sum_of(const std::vector<Part>& parts, const std::string* kernel) const {
  Estimate sum;
  double variance = 0, over_freedom = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Stratum& stratum = strata_[i];
    if (kernel != nullptr && stratum.kernel != *kernel) continue;
    sum.cycles += parts[i].cycles;
    sum.timed_cycles += parts[i].timed;
    sum.launches += stratum.launches;
    sum.timed += stratum.samples.size();
    variance += parts[i].variance;
    if (parts[i].variance > 0 && std::isfinite(parts[i].variance))
      over_freedom += parts[i].variance * parts[i].variance / parts[i].freedom;
  }
  if (std::isinf(variance)) {
    sum.half_width = kUnknown;
  } else if (variance > 0) {
    sum.half_width = quantile(variance * variance / over_freedom) * std::sqrt(variance);
  }
  return sum;
}

LaunchSampler::Estimate LaunchSampler::total() const { return sum_of(parts(), nullptr); }

LaunchSampler::Estimate LaunchSampler::of_kernel(const std::string& kernel) const { return sum_of(parts(), &kernel); }

}  // namespace warpfold
