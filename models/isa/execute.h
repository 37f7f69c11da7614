// SPDX-License-Identifier: Apache-2.0
// Execution of one micro-op over the lanes of a warp: values, addresses, branch outcomes; no time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/device_memory.h"
#include "models/isa/kernel.h"

namespace warpfold::isa {

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

// One kernel launch, as all cores see it. Outlives the launch's execution.
struct Launch {
  const Kernel* kernel = nullptr;
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0;  // static + dynamic, per block
  std::vector<std::byte> parameters;
  const std::vector<std::byte>* const_bank = nullptr;
  unsigned warp_size = 32;  // WARP_SZ: lanes of a row
};

// What the threads of a block share. Rows point to it: DWF and HARP merge threads of different blocks.
struct BlockState {
  std::uint64_t id = 0;  // linear, x fastest
  Dim3 ctaid{0, 0, 0};
  std::vector<std::byte> shared;
};

// The lanes that one instruction runs on: lane l executes the thread (row[l], l) iff mask has bit l.
struct Lanes {
  const std::uint16_t* row = nullptr;  // [width]; entries of lanes outside mask are unspecified
  LaneMask mask = 0;
  unsigned width = 32;   // lanes of a warp, ≤ kMaxLanes
  bool one_row = false;  // every lane of mask comes from row[lowest set lane]: vector access instead of gathers
};

// Registers, predicates, specials and local memory of the threads that a core holds, as rows × lanes.
class ThreadStore {
 public:
  // `rows` × `lanes` threads of `launch`; all registers zero.
  ThreadStore(const Launch& launch, unsigned rows, unsigned lanes, unsigned core_index, unsigned cores);

  // Starts threads [first_thread, first_thread + lanes) ∩ block of `block` in `row`; returns the mask of lanes that exist.
  LaneMask start_row(unsigned row, BlockState& block, unsigned first_thread);

  std::uint32_t* words(unsigned row, Word word);
  BlockState& block_of(unsigned row);
  unsigned first_thread_of(unsigned row) const;  // linear thread index in its block of lane 0
  std::byte* local(unsigned row, unsigned lane);

 private:
  friend class Executor;
  const Launch* launch_;
  unsigned rows_, lanes_, words_;
  std::vector<std::uint32_t> store_;  // [row][word][lane]: a warp's registers are neighbours in the host's cache
  std::vector<std::byte> local_;      // [row][lane][byte]
  struct Row {
    BlockState* block = nullptr;
    unsigned first_thread = 0;
  };
  std::vector<Row> row_;
  unsigned core_index_, cores_;
};

// What an instruction did, for whoever models its time. Reused from one instruction to the next.
struct Outcome {
  LaneMask executed = 0;  // lanes of the warp whose guard held
  LaneMask taken = 0;     // kBranch: lanes that go to target
  // kLoad, kStore, kAtomic: one address per lane of `executed`, resolved: `space` is never kGeneric. Global, texture: device
  // address; shared: offset in the block's shared memory; const, param: offset; local: address in kLocalBacking.
  Space space = Space::kGlobal;
  unsigned access_bytes = 0;  // per lane: element_bytes × vector count
  std::array<Address, kMaxLanes> address;
};

class Executor {
 public:
  Executor(const Launch& launch, ThreadStore& threads, DeviceMemory& memory);

  // Executes `op` (= kernel.ops[pc]) for `lanes`, memory effects included. `cycle` is what %clock reads.
  // A generic access whose lanes fall into different spaces is resolved lane by lane; Outcome::space is then that of
  // the lowest lane (decision: such mixtures are timed as if all went there).
  // Throws UserError on a fault: kernel, PTX line, thread, address, nearest allocation; misaligned accesses likewise.
  void execute(Pc pc, const Lanes& lanes, std::uint64_t cycle, Outcome& outcome);

 private:
  const Launch* launch_;
  ThreadStore* threads_;
  DeviceMemory* memory_;
  const Allocation* last_allocation_ = nullptr;
};

}  // namespace warpfold::isa
