// SPDX-License-Identifier: Apache-2.0
// Kernel launches, and what becomes of those that cannot run or that fail.
#include <cstring>

#include "warpfold/common/launch_error.h"
#include "warpfold/common/machine_with_shared.h"
#include "warpfold/host/memory/transfer.h"
#include "warpfold/host/runtime/context.h"
#include "warpfold/host/runtime/functions.h"
#include "warpfold/host/runtime/launch_shape.h"

namespace warpfold::host {
namespace {

isa::Dim3 to_dim3(dim3 d) { return {d.x, d.y, d.z}; }

// Pointers to __managed__ variables are the device's from here on.
void translate_pointers(const ManagedVariables& managed, std::byte* begin, std::size_t bytes) {
  for (std::size_t at = 0; at + sizeof(Address) <= bytes; at += sizeof(Address)) {
    Address value = 0;
    std::memcpy(&value, begin + at, sizeof value);
    value = managed.on_device(value);
    std::memcpy(begin + at, &value, sizeof value);
  }
}

std::vector<std::byte> gather_parameters(const ManagedVariables& managed, const isa::Kernel& kernel, void** arguments) {
  std::vector<std::byte> bytes(kernel.parameter_bytes);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const isa::KernelParameter& parameter = kernel.parameters[i];
    std::memcpy(bytes.data() + parameter.offset, arguments[i], parameter.bytes);
    if (managed.any()) translate_pointers(managed, bytes.data() + parameter.offset, parameter.bytes);
  }
  return bytes;
}

cudaError_t code_of(LaunchRefused::Why why) {
  switch (why) {
    case LaunchRefused::Why::kConfiguration:
      return cudaErrorInvalidConfiguration;
    case LaunchRefused::Why::kResources:
      return cudaErrorLaunchOutOfResources;
    case LaunchRefused::Why::kValue:
      break;
  }
  return cudaErrorInvalidValue;
}

cudaError_t code_of(KernelFault::Kind kind) {
  switch (kind) {
    case KernelFault::Kind::kIllegalAddress:
      return cudaErrorIllegalAddress;
    case KernelFault::Kind::kMisalignedAddress:
      return cudaErrorMisalignedAddress;
    case KernelFault::Kind::kAssert:
      return cudaErrorAssert;
    case KernelFault::Kind::kTrap:
      break;
  }
  return cudaErrorLaunchFailure;
}

// Programs that ask how many blocks fit a core, as CUB does, launch none where none fits.
std::string why_empty(Context& context, const void* function, std::uint64_t threads, std::size_t shared_bytes) {
  if (threads == 0) return "empty";
  const isa::Kernel& kernel = *context.kernel(function, nullptr, static_cast<unsigned>(threads));
  const std::uint64_t bytes = shared_bytes_of(kernel, shared_bytes);
  if (context.device().blocks_per_core(kernel, static_cast<unsigned>(threads), bytes) != 0) return "empty";
  const std::uint64_t has = context.device().figures().shared_bytes_per_core;
  if (bytes <= has) return "empty, and no block fits a core";
  return fmt::format("empty, and a block needs {} bytes of shared memory: a core has {}{}", bytes, has,
                     machine_with_shared(bytes));
}

// What CUDA has, whatever the kernel and the machine.
void check_shape(Context& context, const void* function, dim3 grid, dim3 block, std::size_t shared_bytes) {
  const isa::Dim3 threads = to_dim3(block);
  const bool fits =
      !is_beyond_cuda(to_dim3(grid), threads) && threads.count() <= kMostBlockThreads && block.z <= kMostBlockDepth;
  if (fits && to_dim3(grid).count() != 0 && threads.count() != 0) return;
  refuse_launch(LaunchRefused::Why::kConfiguration,
                "kernel {}: launch of {}x{}x{} blocks of {}x{}x{} threads skipped: {}", *context.kernel_name(function),
                grid.x, grid.y, grid.z, block.x, block.y, block.z,
                fits ? why_empty(context, function, threads.count(), shared_bytes)
                     : "CUDA has 2147483647x65535x65535 blocks of 1024 threads at most, 64 deep");
}

isa::Launch launch_of(Context& context, const void* function, dim3 grid, dim3 block, void** arguments,
                      std::size_t shared_bytes) {
  check_shape(context, function, grid, block, shared_bytes);
  isa::Launch launch;
  isa::Program* program = nullptr;
  launch.grid = to_dim3(grid);
  launch.block = to_dim3(block);
  launch.kernel = context.kernel(function, &program, static_cast<unsigned>(launch.block.count()));
  check_block(*launch.kernel, launch.block);
  check_dynamic_shared(context, function, *launch.kernel, shared_bytes);
  launch.shared_bytes = shared_bytes_of(*launch.kernel, shared_bytes);
  launch.parameters = gather_parameters(context.managed, *launch.kernel, arguments);
  launch.const_bank = &program->const_bank();
  launch.images = &context.images.table;
  launch.warp_size = context.device().figures().row_lanes;
  launch.services = &context.services();
  return launch;
}

// One kernel, of which nothing is left to be refused but by the machine.
cudaError_t run(Context& context, const isa::Launch& launch, cudaStream_t stream) {
  Device& device = context.device();
  const double before = device.simulated_seconds();
  try {
    const isa::LaunchOutput output(context.services());
    device.launch(launch);
  } catch (const KernelFault& fault) {
    context.fault = code_of(fault.kind());
    tell_error(
        fmt::format("{} ({}, as every CUDA call from here on)", fault.what(), cudaGetErrorName(context.fault)).c_str());
    return context.fault;
  }
  Timeline& timeline = context.timeline;
  timeline.hold_back(stream, timeline.now() + device.figures().launch_latency_seconds);  // beside what runs before it
  timeline.enqueue(stream, Timeline::Engine::kKernels, device.simulated_seconds() - before);
  return cudaSuccess;
}

// Whatever throws LaunchRefused.
template <class Body>
cudaError_t unless_refused(Context& context, Body body) {
  try {
    return body();
  } catch (const LaunchRefused& refused) {
    context.device().launch_refused(refused.what());
    return refuse(code_of(refused.why()), "{}", refused.what());
  }
}

// What a node of a graph holds of a launch: what runs, and what a program can ask for.
void describe(Graph::Node& node, const cudaKernelNodeParams& parameters, isa::Launch launch) {
  const auto kernel = std::make_shared<Graph::Kernel>();
  kernel->parameters = parameters;
  kernel->bytes = launch.parameters;
  for (const isa::KernelParameter& parameter : launch.kernel->parameters) {
    kernel->arguments.push_back(kernel->bytes.data() + parameter.offset);
  }
  kernel->parameters.kernelParams = kernel->arguments.data();
  node.type = cudaGraphNodeTypeKernel;
  node.kernel = kernel;
  node.work.run = [launch = std::move(launch)](Context& later, cudaStream_t there) {
    return unless_refused(later, [&] { return run(later, launch, there); });
  };
}

cudaError_t hand_on(Context& context, const cudaKernelNodeParams& parameters, isa::Launch launch, cudaStream_t stream) {
  if (context.graphs.recorded(stream) == nullptr) return run(context, launch, stream);
  describe(context.graphs.add(stream, cudaGraphNodeTypeKernel, {}), parameters, std::move(launch));
  return cudaSuccess;
}

cudaKernelNodeParams node_parameters(const void* function, dim3 grid, dim3 block, std::size_t shared_bytes) {
  return {const_cast<void*>(function), grid, block, static_cast<unsigned>(shared_bytes), nullptr, nullptr};
}

cudaError_t check_launch(Context& context, const void* function, cudaStream_t stream) {
  if (context.kernel_name(function) == nullptr) {
    return refuse(cudaErrorInvalidDeviceFunction, "a launch names no kernel of this program");
  }
  return check_stream(context, "a launch", stream);
}

cudaError_t launch(Context& context, const void* function, dim3 grid, dim3 block, void** arguments,
                   std::size_t shared_bytes, cudaStream_t stream) {
  if (const cudaError_t error = check_launch(context, function, stream); error != cudaSuccess) return error;
  return unless_refused(context, [&] {
    return hand_on(context, node_parameters(function, grid, block, shared_bytes),
                   launch_of(context, function, grid, block, arguments, shared_bytes), stream);
  });
}

// All blocks must be on the machine at once, or those that are would wait for ever for the others.
cudaError_t launch_cooperative(Context& context, const void* function, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared_bytes, cudaStream_t stream) {
  if (const cudaError_t error = check_launch(context, function, stream); error != cudaSuccess) return error;
  return unless_refused(context, [&] {
    isa::Launch prepared = launch_of(context, function, grid, block, arguments, shared_bytes);
    const std::uint64_t room =
        std::uint64_t{context.device().blocks_per_core(*prepared.kernel, static_cast<unsigned>(prepared.block.count()),
                                                       prepared.shared_bytes)} *
        context.device().figures().cores;
    if (prepared.grid.count() <= room) {
      return hand_on(context, node_parameters(function, grid, block, shared_bytes), std::move(prepared), stream);
    }
    const std::string why = fmt::format("kernel {}: cooperative launch of {} blocks, of which the machine holds {}",
                                        prepared.kernel->name, prepared.grid.count(), room);
    context.device().launch_refused(why);
    return refuse(cudaErrorCooperativeLaunchTooLarge, "{}", why);
  });
}

}  // namespace

cudaError_t set_kernel(Context& context, const cudaKernelNodeParams& p, Graph::Node& node) {
  if (p.extra != nullptr) {
    return refuse(cudaErrorNotSupported, "a kernel's node: arguments in one buffer (extra) are not supported");
  }
  if (context.kernel_name(p.func) == nullptr) {
    return refuse(cudaErrorInvalidDeviceFunction, "a kernel's node names no kernel of this program");
  }
  return unless_refused(context, [&] {
    describe(node, p, launch_of(context, p.func, p.gridDim, p.blockDim, p.kernelParams, p.sharedMemBytes));
    return cudaSuccess;
  });
}

}  // namespace warpfold::host

using warpfold::host::Context;
using warpfold::host::guarded;

extern "C" {

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t stream) {
  return guarded([&](Context& context) {
    return warpfold::host::launch(context, kernel, grid, block, arguments, shared_bytes, stream);
  });
}

cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t stream) {
  return guarded([&](Context& context) {
    return warpfold::host::launch_cooperative(context, kernel, grid, block, arguments, shared_bytes, stream);
  });
}

}  // extern "C"
