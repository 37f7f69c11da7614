// SPDX-License-Identifier: Apache-2.0
// A memory of one's own behind the GPU: any TLM-2.0 target, one for each slice of the L2. This one has a latency and a
// bandwidth; the program runs a kernel in front of a slow and a fast one and prints what that does to its cycles.
#include <cstdio>
#include <deque>
#include <string>
#include <systemc>
#include <vector>

#include "latency_memory.h"
#include "warpfold/common/error.h"
#include "warpfold/common/memory/device_memory.h"
#include "warpfold/gpu/machine/gpu.h"
#include "warpfold/gpu/machine/gpu_setup.h"
#include "warpfold/gpu/run/launch_of.h"
#include "warpfold/gpu/run/run_launch.h"
#include "warpfold/ptx/parser.h"

namespace {

constexpr unsigned kBlocks = 64, kThreads = 128, kWords = kBlocks * kThreads;

const char* const kSaxpy = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y)
{
.reg .f32 %f<4>;
.reg .b32 %r<5>;
.reg .b64 %rd<6>;
ld.param.f32 %f1, [a];
ld.param.u64 %rd1, [x];
ld.param.u64 %rd2, [y];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %ntid.x;
mad.lo.u32 %r4, %r2, %r3, %r1;
mul.wide.u32 %rd3, %r4, 4;
add.s64 %rd4, %rd1, %rd3;
add.s64 %rd5, %rd2, %rd3;
ld.global.f32 %f2, [%rd4];
ld.global.f32 %f3, [%rd5];
fma.rn.f32 %f3, %f1, %f2, %f3;
st.global.f32 [%rd5], %f3;
ret;
}
)";

// A GPU with its own memories: gpu0, gpu1 …
struct System {
  System(const std::string& name, const warpfold::GpuSetup& setup, double latency_ns)
      : memory(1 << 24, setup.memory_base()), gpu(name.c_str(), setup.machine, setup.mechanism, statistics) {
    for (unsigned slice = 0; slice < gpu.dram_sockets(); ++slice) {
      const sc_core::sc_time latency(latency_ns, sc_core::SC_NS), per_byte(0.1, sc_core::SC_NS);
      memories.emplace_back((name + "_memory" + std::to_string(slice)).c_str(), latency, per_byte);
      gpu.dram_socket(slice).bind(memories.back().socket);
    }
  }
  warpfold::DeviceMemory memory;  // the values
  warpfold::StatRegistry statistics;
  warpfold::Gpu gpu;
  std::deque<LatencyMemory> memories;  // the time
};

std::uint64_t statistic(const System& system, const std::string& name) {
  std::uint64_t sum = 0;
  for (const auto& group : system.statistics.groups()) {
    for (const auto& entry : group.entries()) sum += entry.info.name == name ? entry.counter.value() : 0;
  }
  return sum;
}

// Returns the kernel's cycles; throws if a value is wrong.
std::uint64_t run_saxpy(System& system, const warpfold::GpuSetup& setup) {
  warpfold::isa::Program program(warpfold::ptx::parse(kSaxpy, "saxpy.ptx"), system.memory,
                                 setup.decode_options(warpfold::Code::kPlaced));
  std::vector<float> x(kWords), y(kWords, 1);
  for (unsigned i = 0; i < kWords; ++i) x[i] = static_cast<float>(i);
  const warpfold::Address at_x = system.memory.allocate(kWords * 4, "x"),
                          at_y = system.memory.allocate(kWords * 4, "y");
  system.memory.write(at_x, x.data(), kWords * 4);
  system.memory.write(at_y, y.data(), kWords * 4);
  const auto launch =
      warpfold::launch_of(program, "saxpy", setup.machine.core.warp_size, {{kBlocks}, {kThreads}}, 2.0F, at_x, at_y);
  warpfold::run_launch(system.gpu, launch, system.memory);
  system.memory.read(at_y, y.data(), kWords * 4);
  for (unsigned i = 0; i < kWords; ++i) {
    if (y[i] != 2 * x[i] + 1) warpfold::user_error("y[{}] is {}", i, y[i]);
  }
  return statistic(system, "cycles");
}

}  // namespace

int sc_main(int, char**) {
  try {
    const auto setup = warpfold::GpuSetup::of("tbc2011", "tbc", {"cores=4", "memory.boundary.memory=external"});
    System near("near", setup, 50), far("far", setup, 800);
    const std::uint64_t fast = run_saxpy(near, setup), slow = run_saxpy(far, setup);
    std::printf("saxpy of %u elements: %llu cycles with a memory of 50 ns, %llu with one of 800 ns\n", kWords,
                static_cast<unsigned long long>(fast), static_cast<unsigned long long>(slow));
    std::printf("read from memory: %llu bytes\n", static_cast<unsigned long long>(statistic(near, "dram_read_bytes")));
    return slow > fast ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "own_memory: error: %s\n", error.what());
    return 2;
  }
}
