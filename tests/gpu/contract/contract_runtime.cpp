// SPDX-License-Identifier: Apache-2.0
// A CUDA runtime library that stands in for the real one: unchanged programs, every launch of them held to the
// contract.
#include <cstdio>

#include "tests/gpu/contract/contract_device.h"
#include "warpfold/gpu/run/plugins.h"

namespace warpfold::host {
namespace {

// Says at the end that it was there, so that a program that ran on the real library is not taken for one that passed.
class ReportingDevice final : public Device {
 public:
  ReportingDevice() : device_(RunOptions::from_environment()) {}
  DeviceMemory& memory() override { return device_.memory(); }
  const DeviceFigures& figures() const override { return device_.figures(); }
  void launch(const isa::Launch& launch) override { device_.launch(launch); }
  unsigned blocks_per_core(const isa::Kernel& kernel, unsigned block_threads, std::uint64_t shared_bytes) override {
    return device_.blocks_per_core(kernel, block_threads, shared_bytes);
  }
  void launch_refused(const std::string& why) override { device_.launch_refused(why); }
  void reset() override { device_.reset(); }
  double simulated_seconds() const override { return device_.simulated_seconds(); }
  void finish() override {
    device_.finish();
    std::fprintf(stderr, "contract: %llu launches and %llu thread instructions agree\n",
                 static_cast<unsigned long long>(device_.launches()),
                 static_cast<unsigned long long>(device_.instructions()));
  }

 private:
  ContractDevice device_;
};

}  // namespace

std::unique_ptr<Device> make_device() {
  load_plugins();
  return std::make_unique<ReportingDevice>();
}

}  // namespace warpfold::host

// libsystemc has a main() that wants this; programs bring their own main().
extern "C" int sc_main(int, char**) { return 0; }
