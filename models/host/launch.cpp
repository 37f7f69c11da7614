// SPDX-License-Identifier: Apache-2.0
// Kernel launches and what can be asked about kernels.
#include <cstring>

#include "warpfold/host/context.h"
#include "warpfold/host/launch_shape.h"

namespace warpfold::host {
namespace {

isa::Dim3 to_dim3(dim3 d) { return {d.x, d.y, d.z}; }

std::vector<std::byte> gather_parameters(const isa::Kernel& kernel, void** arguments) {
  std::vector<std::byte> bytes(kernel.parameter_bytes);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const isa::KernelParameter& parameter = kernel.parameters[i];
    std::memcpy(bytes.data() + parameter.offset, arguments[i], parameter.bytes);
  }
  return bytes;
}

cudaError_t launch(Context& context, const void* function, dim3 grid, dim3 block, void** arguments,
                   std::size_t shared_bytes) {
  isa::Program* program = nullptr;
  const isa::Dim3 blocks = to_dim3(grid), threads = to_dim3(block);
  if (is_beyond_cuda(blocks, threads)) {
    user_error("launch of {}x{}x{} blocks of {}x{}x{} threads: more than CUDA has", grid.x, grid.y, grid.z, block.x,
               block.y, block.z);
  }
  const isa::Kernel* kernel = context.kernel(function, &program, static_cast<unsigned>(threads.count()));
  if (kernel == nullptr) return refuse(cudaErrorInvalidDeviceFunction, "a launch names no kernel of this program");
  if (blocks.count() == 0 || threads.count() == 0) {
    return refuse(cudaErrorInvalidConfiguration,
                  "kernel {}: launch of {}x{}x{} blocks of {}x{}x{} threads skipped: empty", kernel->name, grid.x,
                  grid.y, grid.z, block.x, block.y, block.z);
  }
  check_block(*kernel, threads);
  isa::Launch launch;
  launch.kernel = kernel;
  launch.grid = blocks;
  launch.block = threads;
  launch.shared_bytes = shared_bytes_of(*kernel, shared_bytes);
  launch.parameters = gather_parameters(*kernel, arguments);
  launch.const_bank = &program->const_bank();
  launch.images = &context.images.table;
  launch.warp_size = context.device().figures().row_lanes;
  launch.services = &context.services();
  const isa::LaunchOutput output(context.services());
  context.device().launch(launch);
  return cudaSuccess;
}

}  // namespace
}  // namespace warpfold::host

using warpfold::host::Context;
using warpfold::host::guarded;

extern "C" {

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t) {
  return guarded(
      [&](Context& context) { return warpfold::host::launch(context, kernel, grid, block, arguments, shared_bytes); });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  return guarded([&](Context& context) {
    warpfold::isa::Program* program = nullptr;
    const warpfold::isa::Kernel* found = context.kernel(kernel, &program);
    if (found == nullptr) return cudaErrorInvalidDeviceFunction;
    *attributes = {};
    attributes->sharedSizeBytes = found->static_shared_bytes;
    attributes->constSizeBytes = program->const_bank().size();
    attributes->localSizeBytes = found->local_bytes;
    const auto& figures = context.device().figures();
    attributes->maxThreadsPerBlock =
        static_cast<int>(found->max_threads != 0 ? found->max_threads : figures.max_threads_per_block);
    attributes->numRegs = found->registers;
    attributes->ptxVersion = attributes->binaryVersion = 70;
    attributes->maxDynamicSharedSizeBytes =
        static_cast<int>(figures.shared_bytes_per_core) - static_cast<int>(found->static_shared_bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int block_size,
                                                          size_t dynamic_shared_bytes) {
  return guarded([&](Context& context) {
    if (block_size <= 0) return cudaErrorInvalidValue;
    const warpfold::isa::Kernel* found = context.kernel(kernel, nullptr, static_cast<unsigned>(block_size));
    if (found == nullptr) return cudaErrorInvalidDeviceFunction;
    *blocks = static_cast<int>(context.device().blocks_per_core(*found, static_cast<unsigned>(block_size),
                                                                found->static_shared_bytes + dynamic_shared_bytes));
    return cudaSuccess;
  });
}

// The model's caches and shared memory are what the machine file says; a program's preferences change nothing.
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }
cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaFuncSetSharedMemConfig(const void*, cudaSharedMemConfig) { return cudaSuccess; }

}  // extern "C"
