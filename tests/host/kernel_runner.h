// SPDX-License-Identifier: Apache-2.0
// Runs a kernel of a CUDA source text on the test device.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/host/scalar_device.h"
#include "warpfold/isa/program.h"

namespace warpfold::host {

class KernelRunner {
 public:
  explicit KernelRunner(const std::string& ptx);

  template <class T>
  Address upload(const std::vector<T>& values) {
    const Address at = device_.memory().allocate(values.size() * sizeof(T), "test buffer");
    device_.memory().write(at, values.data(), values.size() * sizeof(T));
    return at;
  }
  template <class T>
  std::vector<T> download(Address at, std::size_t count) {
    std::vector<T> values(count);
    device_.memory().read(at, values.data(), count * sizeof(T));
    return values;
  }

  // Arguments are copied as they are, each to its parameter's place.
  template <class... Args>
  void run(const std::string& kernel, isa::Dim3 grid, isa::Dim3 block, std::uint32_t dynamic_shared,
           const Args&... args) {
    const isa::Kernel& decoded = program_->kernel(kernel);
    std::vector<std::byte> parameters(decoded.parameter_bytes);
    std::size_t index = 0;
    (std::memcpy(parameters.data() + decoded.parameters.at(index++).offset, &args, sizeof args), ...);
    launch(decoded, grid, block, dynamic_shared, std::move(parameters));
  }

 private:
  void launch(const isa::Kernel& kernel, isa::Dim3 grid, isa::Dim3 block, std::uint32_t dynamic_shared,
              std::vector<std::byte> parameters);
  ScalarDevice device_;
  isa::SystemServices services_{device_.memory()};
  std::unique_ptr<isa::Program> program_;
};

}  // namespace warpfold::host
