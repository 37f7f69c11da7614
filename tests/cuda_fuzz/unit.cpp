// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda_fuzz/unit.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace warpfold::cuda_fuzz {
namespace {

// Against programs that do not end; a unit takes seconds, under the address sanitizer minutes.
#ifdef __SANITIZE_ADDRESS__
constexpr unsigned kSecondsAtMost = 3000;
#else
constexpr unsigned kSecondsAtMost = 300;
#endif

host::CommandResult checked(const host::ScratchFolder& folder, const std::string& command) {
  host::CommandResult result = host::run_command("cd '" + folder.path("") + "' && " + command);
  if (result.status != 0) throw std::runtime_error(command + "\n" + result.output);
  return result;
}

std::string first_line(const host::CommandResult& result) {
  const std::string text = result.output.substr(0, result.output.find('\n'));
  return fmt::format("exit status {}{}{}", result.status, text.empty() ? "" : ": ", text);
}

}  // namespace

Unit::Unit(std::vector<Kernel> kernels, const BuildOptions& options)
    : kernels_(std::move(kernels)), folder_(std::make_unique<host::ScratchFolder>()) {
  for (std::size_t i = 0; i < kernels_.size(); ++i) texts_.push_back(render(kernels_[i], fmt::format("k{}", i)));
  folder_->write("unit.cu", translation_unit(texts_));
  checked(*folder_, fmt::format("{} -w -fmad=false -I '{}' unit.cu '{}' -o device", WARPFOLD_CC, CUDA_FUZZ_HEADERS,
                                CUDA_FUZZ_DEVICE_MAIN));
  // GCC 12 takes the negative of an unsigned number for one that is never -0, and a sum with 0.0 away, unless rounding
  // may be another one.
  checked(*folder_, fmt::format("'{}' -std=c++20 -w -O0 -fsignaling-nans -frounding-math -ffp-contract=off "
                                "-fno-strict-aliasing {} -I '{}' -x c++ unit.cu -x none '{}' -o twin",
                                CUDA_FUZZ_CXX, options.twin_flags, CUDA_FUZZ_HEADERS, CUDA_FUZZ_TWIN));
  expected_ = run_all("");
  const std::vector<Result> backwards = run_all(" backwards");
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    if (!expected_[i].trouble.empty()) continue;
    const std::string moved = difference(kernels_[i], texts_[i], expected_[i].bytes, backwards[i].bytes);
    if (!moved.empty()) expected_[i].trouble = "threads last to first: " + moved + backwards[i].trouble;
  }
}

// Of the twin. A kernel that ends its process is in trouble; those behind it have a process of their own.
std::vector<Result> Unit::run_all(const std::string& order) const {
  std::vector<Result> results(kernels_.size());
  for (std::size_t first = 0; first < results.size();) {
    const host::CommandResult ended =
        host::run_command(fmt::format("cd '{}' && timeout {} ./twin results {} {}{}", folder_->path(""), kSecondsAtMost,
                                      first, results.size() - 1, order));
    const std::string bytes = folder_->read("results");
    std::size_t at = 0;
    for (; first < results.size(); ++first) {
      const std::size_t size = std::size_t{texts_[first].out_bytes} * texts_[first].launches;
      if (bytes.size() - at < size) break;
      results[first].bytes = bytes.substr(at, size);
      at += size;
    }
    if (first < results.size()) results[first++].trouble = first_line(ended);
  }
  return results;
}

std::string Unit::complaint(std::size_t kernel, const std::string& run_file) const {
  if (!expected_[kernel].trouble.empty()) return "";
  folder_->write("run.yaml", run_file);
  const host::CommandResult ended =
      host::run_command(fmt::format("cd '{0}' && WARPFOLD_RUN=run.yaml timeout {1} ./device results {2} {2}",
                                    folder_->path(""), kSecondsAtMost, kernel));
  if (ended.status != 0) return first_line(ended);
  return difference(kernels_[kernel], texts_[kernel], expected_[kernel].bytes, folder_->read("results"));
}

}  // namespace warpfold::cuda_fuzz
