// SPDX-License-Identifier: Apache-2.0
// What a program is told when it reads or writes where it must not.
#include <fmt/format.h>

#include "warpfold/common/launch_error.h"
#include "warpfold/isa/execute/execute.h"
#include "warpfold/ptx/source_lines.h"

namespace warpfold::isa {
namespace {

std::string text_of(const Allocation& allocation) {
  return fmt::format("{} [{:#x}, {:#x})", allocation.name, allocation.begin, allocation.end());
}

std::string where_global(const DeviceMemory& memory, Address address) {
  if (const Allocation* const inside = memory.find(address)) {
    return fmt::format("across the end of {}", text_of(*inside));
  }
  const Allocation* const nearest = memory.nearest(address);
  if (nearest == nullptr) return "outside every allocation; there is none";
  const bool below = nearest->begin < address;
  const Address distance = below ? address - nearest->end() : nearest->begin - address;
  return fmt::format("outside every allocation; nearest is {} {} bytes {}", text_of(*nearest), distance,
                     below ? "below" : "above");
}

const char* name_of(Space space) {
  switch (space) {
    case Space::kShared:
      return "its block's shared memory";
    case Space::kLocal:
      return "its local memory";
    case Space::kConst:
      return "the constant bank";
    case Space::kParam:
      return "the kernel's parameters";
    default:
      return "global memory";
  }
}

}  // namespace

std::string Executor::place(const MicroOp& op) const {
  const Kernel& kernel = *launch_->kernel;
  const std::string ptx = fmt::format("{}:{}: {}", kernel.file, op.line, kernel.opcodes[op.text]);
  const ptx::SourceLine source = kernel.sources != nullptr ? kernel.sources->at(op.line) : ptx::SourceLine{};
  if (source.line == 0) return fmt::format("kernel '{}': {}", kernel.name, ptx);
  return fmt::format("kernel '{}': {}:{} ({})", kernel.name, source.file, source.line, ptx);
}

Executor::ThreadPlace Executor::thread_place(unsigned lane) const {
  const unsigned row = row_of(lane);
  const unsigned thread = threads_->thread_of(row, lane);
  const Dim3& block = launch_->block;
  return {threads_->row_[row].block->ctaid,
          {thread % block.x, thread / block.x % block.y, thread / (block.x * block.y)}};
}

std::string Executor::thread_text(unsigned lane) const {
  const auto [block, thread] = thread_place(lane);
  return fmt::format("thread ({},{},{}) of block ({},{},{})", thread.x, thread.y, thread.z, block.x, block.y, block.z);
}

void Executor::fault(const Access& access, unsigned lane, Space space, Address address) const {
  if (access.op.pushes_frame) {
    kernel_fault(KernelFault::Kind::kIllegalAddress,
                 "{}: {} calls more deeply than the {} bytes of its stack allow; give it more with "
                 "cudaDeviceSetLimit(cudaLimitStackSize, …)",
                 place(access.op), thread_text(lane), launch_->kernel->stack_bytes);
  }
  const std::string act = fmt::format("{}: {} {} {} bytes at {:#x}", place(access.op), thread_text(lane), access.verb,
                                      access.bytes, address);
  constexpr KernelFault::Kind kIllegal = KernelFault::Kind::kIllegalAddress;
  if (space == Space::kGlobal || space == Space::kTexture) {
    kernel_fault(kIllegal, "{}, {}", act, where_global(*memory_, address));
  }
  if (space == Space::kConst && access.op.kind != Kind::kLoad) {
    kernel_fault(kIllegal, "{} of the constant bank, which is read-only", act);
  }
  const std::size_t size = space == Space::kShared  ? threads_->row_[row_of(lane)].block->shared.size()
                           : space == Space::kLocal ? launch_->kernel->local_bytes
                           : space == Space::kConst ? launch_->const_bank->size()
                                                    : launch_->parameters.size();
  kernel_fault(kIllegal, "{}, outside the {} bytes of {}", act, size, name_of(space));
}

void Executor::misaligned(const Access& access, unsigned lane, Address address) const {
  kernel_fault(KernelFault::Kind::kMisalignedAddress, "{}: {} {} {} bytes at {:#x}, address is not a multiple of {}",
               place(access.op), thread_text(lane), access.verb, access.bytes, address, access.bytes);
}

}  // namespace warpfold::isa
