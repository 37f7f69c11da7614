// SPDX-License-Identifier: Apache-2.0
// What the CUDA runtime needs of the modelled GPU: the one seam between programs and the simulator.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "warpfold/common/memory/device_memory.h"
#include "warpfold/isa/execute/execute.h"
#include "warpfold/isa/program.h"

namespace warpfold::host {

// The machine as cudaGetDeviceProperties tells it.
struct DeviceFigures {
  std::string name;
  unsigned cores = 1;
  unsigned row_lanes = 32;  // threads that a warp of the machine carries; programs see architectural ones of 32
  unsigned max_threads_per_block = 1024;
  unsigned threads_per_core = 1024;
  unsigned blocks_per_core = 8;
  unsigned single_to_double_ratio = 1;  // lanes for the one over lanes for the other
  unsigned registers_per_core = 65536;
  std::uint64_t shared_bytes_per_core = 16384;
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;
  unsigned core_clock_khz = 0;
  unsigned memory_clock_khz = 0;
  unsigned memory_bus_bits = 0;
  double memory_bytes_per_second = 1e11;
  double bus_bytes_per_second = 12e9;  // to the host, each way
  double bus_latency_seconds = 10e-6;
  double launch_latency_seconds = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual DeviceMemory& memory() = 0;
  virtual const DeviceFigures& figures() const = 0;
  // How programs are to be decoded for it.
  virtual isa::DecodeOptions decode_options() const { return {}; }
  // Runs the kernel to its end. Throws LaunchRefused for what the machine cannot run, which changes nothing, and
  // KernelFault, after which only reset() and finish() may be called; other errors end the program.
  virtual void launch(const isa::Launch& launch) = 0;
  // A launch that came to nothing, for the record: programs that look at no error would go on as if it had run.
  virtual void launch_refused(const std::string& /*why*/) {}
  // Makes it run kernels again after a fault.
  virtual void reset() {}
  virtual unsigned blocks_per_core(const isa::Kernel& kernel, unsigned block_threads, std::uint64_t shared_bytes) = 0;
  // The program has copied bytes from the host to here; they are in memory().
  virtual void copied_in(Address /*to*/, std::uint64_t /*bytes*/) {}
  virtual double simulated_seconds() const = 0;
  // Writes what is still to be written; nothing runs after it.
  virtual void finish() = 0;
};

// The device that the environment asks for. Defined once per program: by the simulator, or by a test's own device.
std::unique_ptr<Device> make_device();

}  // namespace warpfold::host
