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

#include "warpfold/gpu/sampling/paired_speedup.h"
#include "warpfold/gpu/sampling/sample_choice.h"
#include "warpfold/isa/execute/execute.h"

namespace warpfold {

// Sampling of launches as they come, of which nobody knows how many there will be. Those of one kernel and block shape
// are a group. Its first two launches are timed; after that, in every run of launches that doubles their number, some
// at random, or as many as the aim needs by what was seen so far (Neyman's allocation: more where there are more cycles
// and where they vary more). A launch is chosen before it runs. Where launches are given, they are timed, and the first
// two of each group.
//
// The others' cycles are those of the timed ones, by regression over what every launch is known to have, timed or not:
// thread instructions and blocks. Of several such models a group has the one that predicts its timed launches best when
// each is left out in turn; a timed launch stands for as many as lie around it. The interval follows from the
// residuals, by Student's t with Satterthwaite's degrees of freedom. Randomness has a fixed seed: the same program
// makes the same choices.
class LaunchSampler {
 public:
  explicit LaunchSampler(SampleChoice choice) : choice_(std::move(choice)) {}

  // Is the launch that comes now timed? One of the next two is called when it has run; where it has failed, neither.
  bool begins(const std::string& kernel, isa::Dim3 grid, isa::Dim3 block);
  void passed(double thread_instructions);
  void timed(double thread_instructions, double cycles);

  struct Estimate {
    double cycles = 0;      // of all launches
    double half_width = 0;  // of the 95 % interval; none: all were timed
    std::uint64_t launches = 0, timed = 0;
    double timed_cycles = 0;
  };
  Estimate total() const;
  Estimate of_kernel(const std::string& kernel) const;
  const std::vector<std::string>& kernels() const { return kernels_; }  // by first launches

  // What two runs that have timed the same launches are held against each other by.
  std::vector<GroupResiduals> residuals() const;
  const std::vector<std::size_t>& timed_launches() const { return timed_; }  // counted from 0, in the program

 private:
  static constexpr std::size_t kFeatures = 4;
  using Vector = std::array<double, kFeatures>;
  struct Sample {
    std::uint64_t index;  // in its group, from 1
    Vector x;
    double cycles;
  };
  struct Group {
    std::string kernel;
    double instructions = 0, blocks = 0;  // of its first launch, by which features are scaled
    std::mt19937_64 random;
    std::uint64_t launches = 0;
    Vector untimed{};  // sum over those that were not timed
    std::vector<Sample> samples;
    std::deque<std::uint64_t> picks;  // of the current run of launches, still to come
    std::uint64_t run_end = 0;
  };
  // What is known of a group.
  struct Part {
    double cycles = 0, timed = 0;
    double variance = 0, freedom = 1;  // of the first, and degrees of it
    double deviation = -1;             // of a launch, over its cycles; below 0: unknown
    GroupResiduals residuals{};
  };
  struct Model;
  struct Fit;

  Group& ran(double thread_instructions);
  void plan_run(Group& group, std::size_t number);
  double launches_needed(std::size_t number) const;
  static std::vector<double> weights_of(const Group& group);
  static bool solve(const Group& group, const std::vector<double>& weights, Fit& fit);
  static Fit best_fit(const Group& group, const std::vector<double>& weights);
  static Part part_of(const Group& group);
  std::vector<Part> parts() const;
  Estimate sum_of(const std::vector<Part>& parts, const std::string* kernel) const;

  const SampleChoice choice_;
  std::vector<std::string> kernels_;
  std::map<std::string, std::size_t> numbers_;
  std::deque<Group> groups_;
  bool all_timed_ = true;
  std::vector<std::size_t> timed_;
  std::size_t launches_ = 0;
  // Of the launch in progress
  std::size_t group_ = 0;
  double blocks_ = 0;
  Vector features_{};
};

}  // namespace warpfold
