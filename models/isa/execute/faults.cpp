// SPDX-License-Identifier: Apache-2.0
// What a program is told when it reads or writes where it must not.
#include <fmt/format.h>

#include "warpfold/common/launch_error.h"
#include "warpfold/common/symbol_name.h"
#include "warpfold/isa/execute/access/generic_window.h"
#include "warpfold/isa/execute/execute.h"
#include "warpfold/ptx/source_lines.h"

namespace warpfold::isa {
namespace {

std::string text_of(const Allocation& allocation) {
  return fmt::format("{} [{:#x}, {:#x})", allocation.name, allocation.begin, allocation.end());
}

// ", allocated in main+0x3c"; nothing where that is unknown.
std::string made_text(const Allocation& allocation, const char* between) {
  return allocation.made_at.known() ? fmt::format("{}allocated in {}", between, allocation.made_at.text()) : "";
}

std::string freed_text(const FreedAllocation& freed) {
  const std::string at = freed.freed_at.known() ? " in " + freed.freed_at.text() : "";
  return fmt::format("in {}, which has been freed{}{}", text_of(freed.allocation), at,
                     made_text(freed.allocation, "; "));
}

std::string where_global(const DeviceMemory& memory, Address address) {
  if (const Allocation* const inside = memory.find(address)) {
    return fmt::format("across the end of {}{}", text_of(*inside), made_text(*inside, ", "));
  }
  if (const FreedAllocation* const freed = memory.freed(address)) return freed_text(*freed);
  const Allocation* const nearest = memory.nearest(address);
  if (nearest == nullptr) return "outside every allocation; there is none";
  const bool below = nearest->begin < address;
  const Address distance = below ? address - nearest->end() : nearest->begin - address;
  return fmt::format("outside every allocation; nearest is {} {} bytes {}{}", text_of(*nearest), distance,
                     below ? "below" : "above", made_text(*nearest, ", "));
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
  const std::string name = shown_name(launch_->kernel->name), source = source_text(op), ptx = ptx_text(op);
  if (source.empty()) return fmt::format("kernel '{}': {}", name, ptx);
  return fmt::format("kernel '{}': {} ({})", name, source, ptx);
}

// "file.cu:12", or nothing.
std::string Executor::source_text(const MicroOp& op) const {
  const Kernel& kernel = *launch_->kernel;
  const ptx::SourceLine source = kernel.sources != nullptr ? kernel.sources->at(op.line) : ptx::SourceLine{};
  return source.line == 0 ? "" : fmt::format("{}:{}", source.file, source.line);
}

std::string Executor::ptx_text(const MicroOp& op) const {
  const Kernel& kernel = *launch_->kernel;
  return fmt::format("{}:{}: {}", kernel.file, op.line, kernel.opcodes[op.text]);
}

Executor::ThreadPlace Executor::thread_place(unsigned lane) const {
  const unsigned row = row_of(lane);
  const unsigned thread = threads_->thread_of(row, lane);
  const Dim3& block = launch_->block;
  return {threads_->row_[row].block->ctaid,
          {thread % block.x, thread / block.x % block.y, thread / (block.x * block.y)}};
}

std::string Executor::thread_text(unsigned lane) const {
  const unsigned row = row_of(lane);
  return thread_text(threads_->row_[row].block->ctaid, threads_->thread_of(row, lane));
}

std::string Executor::thread_text(Dim3 block, unsigned thread) const {
  const Dim3& shape = launch_->block;
  return fmt::format("thread ({},{},{}) of block ({},{},{})", thread % shape.x, thread / shape.x % shape.y,
                     thread / (shape.x * shape.y), block.x, block.y, block.z);
}

std::string Executor::act_text(const Access& access, Address address) const {
  return fmt::format("{} {} bytes at {:#x}", access.verb, access.bytes, address);
}

std::string Executor::inside_text(const Allocation& allocation, Address address) {
  return fmt::format("byte {} of {}{}", address - allocation.begin, text_of(allocation), made_text(allocation, ", "));
}

// Why the access may not be there.
std::string Executor::outside_text(const Access& access, unsigned lane, Space space, Address address) const {
  if (space == Space::kGlobal || space == Space::kTexture) return where_global(*memory_, address);
  if (is_read_only(space) && access.op.kind != Kind::kLoad) {
    return fmt::format("in {}, which {} read-only", name_of(space), space == Space::kConst ? "is" : "are");
  }
  const std::size_t size = space == Space::kShared  ? threads_->row_[row_of(lane)].block->shared.size()
                           : space == Space::kLocal ? launch_->kernel->local_bytes
                           : space == Space::kConst ? launch_->const_bank->size()
                                                    : launch_->parameters.size();
  return fmt::format("outside the {} bytes of {}", size, name_of(space));
}

void Executor::fault(const Access& access, unsigned lane, Space space, Address address) const {
  if (access.op.pushes_frame) {
    kernel_fault(KernelFault::Kind::kIllegalAddress,
                 "{}: {} needs more than the {} bytes of its stack; give it more with "
                 "cudaDeviceSetLimit(cudaLimitStackSize, …)",
                 place(access.op), thread_text(lane), launch_->kernel->stack_bytes);
  }
  kernel_fault(KernelFault::Kind::kIllegalAddress, "{}: {} {}, {}", place(access.op), thread_text(lane),
               act_text(access, address), outside_text(access, lane, space, address));
}

void Executor::misaligned(const Access& access, unsigned lane, Address address) const {
  kernel_fault(KernelFault::Kind::kMisalignedAddress, "{}: {} {}, address is not a multiple of {}", place(access.op),
               thread_text(lane), act_text(access, address), access.bytes);
}

}  // namespace warpfold::isa
