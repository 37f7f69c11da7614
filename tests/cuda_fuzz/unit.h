// SPDX-License-Identifier: Apache-2.0
// A translation unit of generated kernels, compiled twice: for the model by warpfold-cc, and for the host.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/cuda_fuzz/text/render.h"
#include "tests/host/front_end.h"

namespace warpfold::cuda_fuzz {

// What a kernel left in memory, or why it did not end.
struct Result {
  std::string bytes;
  std::string trouble;
};

struct BuildOptions {
  std::string twin_flags;  // more of them: -DCUDA_TWIN_FAULT, -fsanitize=undefined
};

class Unit {
 public:
  // Throws std::runtime_error with the compiler's words when one of the two does not compile.
  Unit(std::vector<Kernel> kernels, const BuildOptions& options);

  const std::vector<Kernel>& kernels() const { return kernels_; }
  const std::vector<Text>& texts() const { return texts_; }

  // By the host twin. A kernel whose results depend on the order of its threads is in trouble.
  const std::vector<Result>& expected() const { return expected_; }
  // What is wrong with a kernel on the model, under a run file (models/gpu/run/run_options.h): empty where nothing is,
  // or nobody knows what is right.
  std::string complaint(std::size_t kernel, const std::string& run_file) const;

 private:
  std::vector<Result> run_all(const std::string& order) const;

  std::vector<Kernel> kernels_;
  std::vector<Text> texts_;
  std::unique_ptr<host::ScratchFolder> folder_;
  std::vector<Result> expected_;
};

}  // namespace warpfold::cuda_fuzz
