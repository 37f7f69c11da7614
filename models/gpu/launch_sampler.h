// SPDX-License-Identifier: Apache-2.0
// Which launches of a program are timed, and what all of them take, as far as those can say.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "warpfold/isa/execute/execute.h"

namespace warpfold {

// What is known of a launch that ran without time.
struct LaunchFeatures {
  double instructions = 0;  // of warps
  double lines = 0;         // of memory, after coalescing
  double fetched = 0;       // of those, that a warm L2 reads from the DRAM
  double blocks = 0;
};

// Stratified sampling of launches as they come, of which nobody knows how many there will be. A stratum has the
// launches of one kernel and block shape whose grids and warp instructions are within a factor of √2 of its first
// one's. Its first two launches are timed; after that, in every run of launches that doubles their number, one at
// random, or as many as the aim needs by what was seen so far (Neyman's allocation: more where there are more cycles
// and where they vary more).
//
// The others' cycles are those of the timed ones, by ratio or linear regression over whichever one or two features
// predict them best when each timed launch is left out in turn; a timed launch stands for as many as lie around it. The
// interval follows from the residuals, over the launches that were not timed, by Student's t with Satterthwaite's
// degrees of freedom. Randomness has a fixed seed: the same program makes the same choices.
class LaunchSampler {
 public:
  // Half of the 95 % interval over the estimate, that is aimed at: 0.03.
  explicit LaunchSampler(double aim) : aim_(aim) {}

  // Before a launch runs: it is timed, it is not, or ran() will say.
  enum class Plan : std::uint8_t { kPass, kTime, kAsk };
  Plan begins(const std::string& kernel, isa::Dim3 grid, isa::Dim3 block);
  // It has run without time. True: it is timed, and timed() follows.
  bool ran(const LaunchFeatures& features);
  void timed(double cycles);

  struct Estimate {
    double cycles = 0;      // of all launches
    double half_width = 0;  // of the 95 % interval; infinite: nobody knows
    std::uint64_t launches = 0, timed = 0;
    double timed_cycles = 0;
  };
  Estimate total() const;
  Estimate of_kernel(const std::string& kernel) const;
  const std::vector<std::string>& kernels() const { return kernels_; }  // by first launches

 private:
  static constexpr std::size_t kFeatures = 5;  // the first is 1
  using Vector = std::array<double, kFeatures>;
  struct Sample {
    std::uint64_t index;  // in its stratum, from 1
    Vector x;
    double cycles;
  };
  struct Stratum {
    std::string kernel;
    double centre;  // warp instructions
    std::mt19937_64 random;
    std::uint64_t launches = 0;
    Vector untimed{};  // sum over those that were not timed
    std::vector<Sample> samples;
    std::deque<std::uint64_t> picks;  // of the current run of launches, still to come
    std::uint64_t run_end = 2;
  };
  // Launches that look alike before they run.
  struct Shape {
    std::vector<std::size_t> strata;
    std::uint64_t launches = 0;
  };
  // What is known of a stratum.
  struct Part {
    double cycles = 0, timed = 0;
    double variance = 0, freedom = 0;  // of the first, and degrees of it
    double deviation = 0;              // of a launch, over its cycles; below 0: unknown
  };
  struct Fit;

  std::size_t stratum_of(const LaunchFeatures& features);
  bool picked(Stratum& stratum);
  void plan_run(Stratum& stratum, std::size_t number);
  double launches_needed(std::size_t number) const;
  static std::vector<double> weights_of(const Stratum& stratum);
  static Fit best_fit(const Stratum& stratum);
  Part part_of(const Stratum& stratum) const;
  void guess(const Stratum& stratum, Part& part, double deviation) const;
  std::vector<Part> parts() const;
  Estimate sum_of(const std::vector<Part>& parts, const std::string* kernel) const;

  const double aim_;
  std::vector<std::string> kernels_;
  std::map<std::string, Shape> shapes_;
  std::deque<Stratum> strata_;
  // Of the launch in progress
  std::string kernel_;
  Shape* shape_ = nullptr;
  Plan plan_ = Plan::kPass;
  std::size_t stratum_ = 0;
  Vector features_{};
  double blocks_ = 0;
};

}  // namespace warpfold
