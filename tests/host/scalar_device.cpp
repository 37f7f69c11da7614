// SPDX-License-Identifier: Apache-2.0
#include "tests/host/scalar_device.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "warpfold/common/launch_error.h"

namespace warpfold::host {
namespace {

struct Warp {
  std::uint16_t rows[isa::kMaxLanes];
  isa::Pc pc[isa::kMaxLanes] = {};
  isa::LaneMask running = 0;  // neither ended nor at a barrier
  isa::LaneMask waiting = 0;
};

isa::LaneMask lanes_at_lowest_pc(const Warp& warp, isa::Pc& lowest) {
  lowest = isa::kNoPc;
  isa::LaneMask lanes = 0;
  for (isa::LaneMask rest = warp.running; rest != 0; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(rest));
    if (warp.pc[lane] > lowest) continue;
    if (warp.pc[lane] < lowest) lanes = 0;
    lowest = warp.pc[lane];
    lanes |= isa::LaneMask{1} << lane;
  }
  return lanes;
}

// One instruction of the warp; the lanes at its lowest pc execute it.
void step(Warp& warp, isa::Executor& executor, const isa::Kernel& kernel, unsigned width) {
  isa::Pc pc = 0;
  const isa::LaneMask lanes = lanes_at_lowest_pc(warp, pc);
  isa::Outcome outcome;
  executor.execute(pc, {warp.rows, lanes, width, true}, 0, outcome);
  const isa::MicroOp& op = kernel.ops[pc];
  for (isa::LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const isa::LaneMask lane = rest & (~rest + 1);
    const bool taken = op.kind == isa::Kind::kBranch && (outcome.taken & lane) != 0;
    warp.pc[std::countr_zero(lane)] = taken ? op.target : pc + 1;
  }
  if (op.kind == isa::Kind::kExit) warp.running &= ~outcome.executed;
  if (op.kind == isa::Kind::kBarrier) {
    warp.running &= ~outcome.executed;
    warp.waiting |= outcome.executed;
  }
}

ScalarDevice* made = nullptr;

}  // namespace

std::unique_ptr<Device> make_device() {
  auto device = std::make_unique<ScalarDevice>();
  made = device.get();
  return device;
}

ScalarDevice& runtime_device() {
  check(made != nullptr, "the runtime has used its device");
  return *made;
}

ScalarDevice::ScalarDevice() : memory_(std::uint64_t{1} << 28) {
  figures_.name = "Warpfold test device";
  figures_.cores = 3;
  figures_.memory_bytes = memory_.capacity();
  figures_.core_clock_khz = 325000;
}

void ScalarDevice::launch(const isa::Launch& launch) {
  if (launch.shared_bytes > figures_.shared_bytes_per_core) {
    refuse_launch(LaunchRefused::Why::kValue, "kernel {}: {} bytes of shared memory per block, the core has {}",
                  launch.kernel->name, launch.shared_bytes, figures_.shared_bytes_per_core);
  }
  if (failure_) std::exchange(failure_, nullptr)();
  ++launches_;
  for (std::uint64_t id = 0; id < launch.grid.count(); ++id) run_block(launch, id);
}

void ScalarDevice::run_block(const isa::Launch& launch, std::uint64_t id) {
  const unsigned width = launch.warp_size;
  const auto rows = static_cast<unsigned>((launch.block.count() + width - 1) / width);
  isa::BlockState block;
  block.id = id;
  block.ctaid = {static_cast<unsigned>(id % launch.grid.x), static_cast<unsigned>(id / launch.grid.x % launch.grid.y),
                 static_cast<unsigned>(id / launch.grid.x / launch.grid.y)};
  block.shared.resize(launch.shared_bytes);
  isa::ThreadStore threads(launch, rows, width, 0, 1);
  isa::Executor executor(launch, threads, memory_);
  std::vector<Warp> warps(rows);
  for (unsigned row = 0; row < rows; ++row) {
    std::fill(std::begin(warps[row].rows), std::end(warps[row].rows), static_cast<std::uint16_t>(row));
    warps[row].running = threads.start_row(row, block, row * width);
  }
  for (bool waiting = true; waiting;) {
    waiting = false;
    for (Warp& warp : warps) {
      while (warp.running != 0) step(warp, executor, *launch.kernel, width);
    }
    for (Warp& warp : warps) {  // everybody has arrived or ended
      waiting = waiting || warp.waiting != 0;
      warp.running = std::exchange(warp.waiting, 0);
    }
  }
}

unsigned ScalarDevice::blocks_per_core(const isa::Kernel&, unsigned block_threads, std::uint64_t) {
  return figures_.threads_per_core / block_threads;
}

}  // namespace warpfold::host
