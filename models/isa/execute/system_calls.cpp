// SPDX-License-Identifier: Apache-2.0
// printf, assert, malloc and free as kernels call them: thread by thread, in the order of lanes.
//
// In time a call is an atomic of 8 bytes per thread, which goes to the L2: of printf where the thread's record begins
// in the FIFO, of malloc and free in the header of the block. What else such a call does on a real GPU, the walk
// through the heap's lists and the rest of the record, takes no time here: nothing is published that could say how
// long. Where there is neither a record nor a block, the first bytes of the FIFO stand for them.
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "warpfold/common/launch_error.h"
#include "warpfold/isa/address_space.h"
#include "warpfold/isa/check/memory_checker.h"
#include "warpfold/isa/execute/execute.h"

namespace warpfold::isa {

// The calls of one instruction.
class Executor::Calls {
 public:
  Calls(Executor& executor, const MicroOp& op, Outcome& outcome)
      : executor_(executor), op_(op), services_(*executor.launch_->services), access_{reading_, outcome, "reads"} {
    reading_.kind = Kind::kLoad;
    reading_.line = op.line;
    reading_.text = op.text;
    outcome.space = Space::kGlobal;
    outcome.access_bytes = 8;
    for (unsigned k = 0; k < op.s_count; ++k) {
      low_[k] = executor.source(op.s[k], executor.source_[2 * k]);
      if (op.s_wide >> k & 1) high_[k] = executor.source(static_cast<Word>(op.s[k] + 1), executor.source_[2 * k + 1]);
    }
  }

  // Of one thread; the result, if it has one.
  std::uint64_t call(unsigned lane) {
    touch(lane, kPrintBacking);
    switch (static_cast<SystemCall>(op_.element_type)) {
      case SystemCall::kPrint:
        return print(lane);
      case SystemCall::kAssert:
        fail(lane);
      case SystemCall::kMalloc:
        return allocate(lane);
      case SystemCall::kFree:
        release(lane);
        break;
    }
    return 0;
  }

 private:
  // Of a thread that prints.
  class Arguments final : public PrintArguments {
   public:
    Arguments(Calls& calls, unsigned lane) : calls_(calls), lane_(lane) {}
    std::uint64_t value(std::uint64_t offset, unsigned bytes) override {
      std::uint64_t value = 0;
      std::memcpy(&value, calls_.bytes_at(lane_, calls_.source(1, lane_) + offset, bytes), bytes);
      return value;
    }
    std::string text(std::uint64_t address, std::size_t most) override { return calls_.text_at(lane_, address, most); }

   private:
    Calls& calls_;
    const unsigned lane_;
  };

  std::uint64_t source(unsigned k, unsigned lane) const {
    return low_[k][lane] | (high_[k] == nullptr ? 0 : std::uint64_t{high_[k][lane]} << 32);
  }

  void touch(unsigned lane, Address address) { access_.outcome.address[lane] = address; }

  const std::byte* bytes_at(unsigned lane, Address address, unsigned bytes) {
    access_.bytes = bytes;
    return executor_.locate_generic(access_, lane, address);
  }

  std::string text_at(unsigned lane, Address address, std::size_t most = std::numeric_limits<std::size_t>::max()) {
    std::string text;
    while (text.size() < most) {
      const char c = static_cast<char>(*bytes_at(lane, address + text.size(), 1));
      if (c == 0) break;
      text += c;
    }
    return text;
  }

  std::uint64_t print(unsigned lane) {
    if (source(0, lane) == 0) return static_cast<std::uint64_t>(-1);  // what CUDA's printf says of no format
    Arguments arguments(*this, lane);
    Printed printed = format_print(text_at(lane, source(0, lane)), arguments);
    const int result = printed.arguments;
    touch(lane, kPrintBacking + services_.fifo.push(std::move(printed)));
    return static_cast<std::uint64_t>(result);
  }

  // The line is CUDA's.
  [[noreturn]] void fail(unsigned lane) {
    const auto [block, thread] = executor_.thread_place(lane);
    services_.complain(fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.",
                                   text_at(lane, source(1, lane)), source(2, lane), text_at(lane, source(3, lane)),
                                   block.x, block.y, block.z, thread.x, thread.y, thread.z,
                                   text_at(lane, source(0, lane))));
    throw AssertionFailure(
        fmt::format("{}: an assertion of {} failed", executor_.place(op_), executor_.thread_text(lane)));
  }

  std::uint64_t allocate(unsigned lane) {
    const Address block = services_.heap.allocate(source(0, lane));
    if (block == 0) return block;
    touch(lane, block - DeviceHeap::kHeaderBytes);
    if (executor_.checker_ != nullptr) executor_.checker_->races().forget(block, source(0, lane));
    return block;
  }

  void release(unsigned lane) {
    const Address block = source(0, lane);
    if (block == 0) return;
    touch(lane, block - DeviceHeap::kHeaderBytes);
    if (services_.heap.release(block)) return;
    kernel_fault(KernelFault::Kind::kTrap,
                 "{}: {} frees {:#x}, which no malloc of a kernel gave or which is free already", executor_.place(op_),
                 executor_.thread_text(lane), block);
  }

  Executor& executor_;
  const MicroOp& op_;
  SystemServices& services_;
  MicroOp reading_;  // stands for the instruction where it reads the thread's memory
  Access access_;
  std::array<const std::uint32_t*, 4> low_{}, high_{};
};

void Executor::system_call(const MicroOp& op, Outcome& outcome) {
  if (launch_->services == nullptr) user_error("{}: this launch offers no system calls (Launch::services)", place(op));
  ++memory_changes_;
  Calls calls(*this, op, outcome);
  LaneArray low{}, high{};
  for (LaneMask rest = active_; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t result = calls.call(lane);
    low[lane] = static_cast<std::uint32_t>(result);
    high[lane] = static_cast<std::uint32_t>(result >> 32);
  }
  if (op.d_count == 0) return;
  write_back(op.d[0], low.data());
  if (op.d_wide & 1) write_back(static_cast<Word>(op.d[0] + 1), high.data());
}

}  // namespace warpfold::isa
