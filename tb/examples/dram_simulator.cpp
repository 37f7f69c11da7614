// SPDX-License-Identifier: Apache-2.0
// A DRAM simulator behind the GPU: one memory system for all slices of the L2. The kernel runs twice, so that the
// second launch finds its data in the L2. MEMORY_HEADER, dramsys/memory.h or ramulator/memory.h, says what a Memory is:
//   Memory(unsigned slices)       made before the simulation begins
//   bytes(), socket(slice)        how large it is, and where a slice is bound
//   kName, summary(), sound()     what is printed of it, and whether it did what the example is for
#include <cstdio>
#include <deque>
#include <exception>
#include <string>
#include <systemc>
#include <vector>

#include MEMORY_HEADER
#include "address_window.h"
#include "warpfold/common/error.h"
#include "warpfold/common/memory/device_memory.h"
#include "warpfold/gpu/machine/gpu.h"
#include "warpfold/gpu/machine/gpu_setup.h"
#include "warpfold/gpu/run/launch_of.h"
#include "warpfold/gpu/run/run_launch.h"
#include "warpfold/ptx/parser.h"

namespace {

constexpr unsigned kBlocks = 64, kThreads = 128, kWords = kBlocks * kThreads;

const char* const kAdd = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry add_one(.param .u64 words)
{
.reg .b32 %r<6>;
.reg .b64 %rd<4>;
ld.param.u64 %rd1, [words];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %ntid.x;
mad.lo.u32 %r4, %r2, %r3, %r1;
mul.wide.u32 %rd2, %r4, 4;
add.s64 %rd3, %rd1, %rd2;
ld.global.u32 %r5, [%rd3];
add.u32 %r5, %r5, 1;
st.global.u32 [%rd3], %r5;
ret;
}
)";

std::uint64_t cycles(const warpfold::StatRegistry& statistics) {
  std::uint64_t sum = 0;
  for (const auto& group : statistics.groups()) {
    for (const auto& entry : group.entries()) sum += entry.info.name == "cycles" ? entry.counter.value() : 0;
  }
  return sum;
}

// The sets come behind those of the example. Returns whether the memory got what it had to; throws if a value is wrong.
bool run_twice(std::vector<std::string> sets) {
  sets.insert(sets.begin(), {"cores=4", "memory.boundary.memory=external"});
  const auto setup = warpfold::GpuSetup::of("tbc2011", "tbc", sets);
  warpfold::StatRegistry statistics;
  warpfold::DeviceMemory memory(1 << 24, setup.memory_base());
  warpfold::Gpu gpu("gpu", setup.machine, setup.mechanism, statistics);
  Memory times(gpu.dram_sockets());
  std::deque<AddressWindow> windows;
  for (unsigned slice = 0; slice < gpu.dram_sockets(); ++slice) {
    AddressWindow& window = windows.emplace_back(("window_" + std::to_string(slice)).c_str(), times.bytes());
    gpu.dram_socket(slice).bind(window.in);
    window.out.bind(times.socket(slice));
  }
  warpfold::isa::Program program(warpfold::ptx::parse(kAdd, "add_one.ptx"), memory,
                                 setup.decode_options(warpfold::Code::kPlaced));
  const warpfold::Address at = memory.allocate(kWords * 4, "words");
  const auto launch =
      warpfold::launch_of(program, "add_one", setup.machine.core.warp_size, {{kBlocks}, {kThreads}}, at);
  // Each returns when the launch has ended. The memory's own events, of refreshes, are left where they are.
  warpfold::run_launch(gpu, launch, memory);
  const std::uint64_t first = cycles(statistics);
  warpfold::run_launch(gpu, launch, memory);
  std::vector<std::uint32_t> words(kWords);
  memory.read(at, words.data(), kWords * 4);
  for (unsigned i = 0; i < kWords; ++i) {
    if (words[i] != 2) warpfold::user_error("word {} is {}", i, words[i]);
  }
  unsigned requests = 0, writes = 0;
  for (const AddressWindow& window : windows) requests += window.requests, writes += window.writes;
  std::printf("behind the GPU: %s; %u requests, of which %u write; %llu cycles, then %llu\n%s", Memory::kName, requests,
              writes, static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(cycles(statistics) - first), times.summary().c_str());
  return requests >= kWords * 4 / 64 && times.sound();
}

}  // namespace

// Arguments are sets. With memory.l2.ways=8 memory.l2.size_bytes=1024 the L2 is too small for the data, so that it
// writes lines back.
int sc_main(int count, char** arguments) {
  try {
    return run_twice({arguments + 1, arguments + count}) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: error: %s\n", arguments[0], error.what());
    return 2;
  }
}
