// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/contract/scalar_reference.h"

#include <vector>

#include "warpfold/common/error.h"

namespace warpfold {
namespace {

class ScalarBlock {
 public:
  ScalarBlock(const isa::Launch& launch, DeviceMemory& memory, std::uint64_t id, std::uint64_t step_limit,
              ThreadSequences& sequences)
      : kernel_(*launch.kernel),
        width_(launch.warp_size),
        step_limit_(step_limit),
        sequences_(sequences),
        rows_(static_cast<unsigned>((launch.block.count() + width_ - 1) / width_)),
        store_(launch, rows_, width_, 0, 1),
        executor_(launch, store_, memory),
        threads_(launch.block.count()) {
    block_.id = id;
    const auto& grid = launch.grid;
    block_.ctaid = {static_cast<unsigned>(id % grid.x), static_cast<unsigned>(id / grid.x % grid.y),
                    static_cast<unsigned>(id / grid.x / grid.y)};
    block_.shared.resize(launch.shared_bytes);
    for (unsigned row = 0; row < rows_; ++row) store_.start_row(row, block_, row * width_);
  }

  void run() {
    for (bool more = true; more;) {
      more = false;
      barrier_ = {};
      for (unsigned thread = 0; thread < threads_.size(); ++thread) more |= run_to_barrier(thread);
      finish_reductions();
    }
  }

 private:
  struct Thread {
    isa::Pc pc = 0;
    bool ended = false;
    std::uint64_t steps = 0;
  };

  // Who waits at a barrier, and what bar.red adds up over them.
  struct Barrier {
    struct Reader {
      unsigned thread;
      isa::Pc pc;
    };
    std::vector<Reader> readers;
    std::uint32_t threads = 0, holding = 0;
  };

  void arrive(unsigned index, isa::Pc pc, const isa::MicroOp& op) {
    ++barrier_.threads;
    if (op.element_type == 0) return;
    barrier_.readers.push_back({index, pc});
    if (executor_.holding(pc, lane_of(index)) != 0) ++barrier_.holding;
  }

  void finish_reductions() {
    for (const Barrier::Reader& reader : barrier_.readers) {
      const char mode = static_cast<char>(kernel_.ops[reader.pc].element_type);
      const bool all = barrier_.holding == barrier_.threads, any = barrier_.holding != 0;
      executor_.give(reader.pc, lane_of(reader.thread), mode == 'p' ? barrier_.holding : mode == 'a' ? all : any);
    }
  }

  isa::Lanes lane_of(unsigned index) {
    row_.fill(static_cast<std::uint16_t>(index / width_));
    return {row_.data(), isa::LaneMask{1} << (index % width_), width_, true};
  }

  // False when the thread has ended.
  bool run_to_barrier(unsigned index) {
    Thread& thread = threads_[index];
    while (!thread.ended) {
      const isa::Pc pc = thread.pc;
      const isa::MicroOp& op = kernel_.ops.at(pc);
      step(index, thread, op);
      if (op.kind != isa::Kind::kBarrier || outcome_.executed == 0) continue;
      arrive(index, pc, op);
      return true;
    }
    return false;
  }

  void step(unsigned index, Thread& thread, const isa::MicroOp& op) {
    executor_.execute(thread.pc, lane_of(index), 0, outcome_);
    const bool executed = outcome_.executed != 0;
    sequences_.append(block_.id, index, {thread.pc, executed});
    if (++thread.steps > step_limit_) {
      user_error("reference: thread {} of block {} of kernel '{}' does not end", index, block_.id, kernel_.name);
    }
    const bool taken = op.kind == isa::Kind::kBranch && outcome_.taken != 0;
    thread.ended = op.kind == isa::Kind::kExit && executed;
    thread.pc = taken ? op.target : thread.pc + 1;
  }

  const isa::Kernel& kernel_;
  unsigned width_;
  std::uint64_t step_limit_;
  ThreadSequences& sequences_;
  unsigned rows_;
  isa::BlockState block_;
  isa::ThreadStore store_;
  isa::Executor executor_;
  std::vector<Thread> threads_;
  Barrier barrier_;
  std::array<std::uint16_t, isa::kMaxLanes> row_{};
  isa::Outcome outcome_;
};

}  // namespace

ThreadSequences run_scalar(const isa::Launch& launch, DeviceMemory& memory, std::uint64_t step_limit) {
  ThreadSequences sequences(launch);
  for (std::uint64_t block = 0; block < launch.grid.count(); ++block) {
    ScalarBlock(launch, memory, block, step_limit, sequences).run();
  }
  return sequences;
}

}  // namespace warpfold
