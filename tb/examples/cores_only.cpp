// SPDX-License-Identifier: Apache-2.0
// Only the cores are ours: their requests go to a network and a cache of the platform's. The kernel adds one to each
// word and counts by an atomic; it runs twice, and the second launch finds its lines in the platform's cache.
#include <cstdio>
#include <exception>
#include <systemc>
#include <vector>

#include "shared_cache.h"
#include "warpfold/common/error.h"
#include "warpfold/common/memory/device_memory.h"
#include "warpfold/gpu/machine/gpu.h"
#include "warpfold/gpu/machine/gpu_setup.h"
#include "warpfold/gpu/run/launch_of.h"
#include "warpfold/gpu/run/run_launch.h"
#include "warpfold/ptx/parser.h"

namespace {

constexpr unsigned kBlocks = 32, kThreads = 128, kWords = kBlocks * kThreads;

const char* const kCount = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry count(.param .u64 words, .param .u64 counter)
{
.reg .b32 %r<8>;
.reg .b64 %rd<5>;
ld.param.u64 %rd1, [words];
ld.param.u64 %rd2, [counter];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %ntid.x;
mad.lo.u32 %r4, %r2, %r3, %r1;
mul.wide.u32 %rd3, %r4, 4;
add.s64 %rd4, %rd1, %rd3;
ld.global.u32 %r5, [%rd4];
add.u32 %r5, %r5, 1;
st.global.u32 [%rd4], %r5;
atom.global.add.u32 %r6, [%rd2], 1;
ret;
}
)";

void run() {
  const auto setup = warpfold::GpuSetup::of("tbc2011", "tbc", {"cores=4", "memory.boundary.memory=external_network"});
  warpfold::StatRegistry statistics;
  warpfold::DeviceMemory memory(1 << 24, setup.memory_base());
  warpfold::Gpu gpu("gpu", setup.machine, setup.mechanism, statistics);
  SharedCache cache("cache", gpu.network_sockets());
  for (unsigned core = 0; core < gpu.network_sockets(); ++core) gpu.network_socket(core).bind(cache.socket(core));
  warpfold::isa::Program program(warpfold::ptx::parse(kCount, "count.ptx"), memory,
                                 setup.decode_options(warpfold::Code::kPlaced));
  const warpfold::Address words = memory.allocate(kWords * 4, "words"), counter = memory.allocate(4, "counter");
  const auto launch =
      warpfold::launch_of(program, "count", setup.machine.core.warp_size, {{kBlocks}, {kThreads}}, words, counter);
  sc_core::sc_time took[2];
  std::size_t hits[2];
  for (unsigned n = 0; n < 2; ++n) {
    const sc_core::sc_time start = sc_core::sc_time_stamp();
    const std::size_t before = cache.hits;
    warpfold::run_launch(gpu, launch, memory);
    took[n] = sc_core::sc_time_stamp() - start;
    hits[n] = cache.hits - before;
  }
  std::vector<std::uint32_t> got(kWords + 1);
  memory.read(words, got.data(), kWords * 4);
  memory.read(counter, &got[kWords], 4);
  for (unsigned i = 0; i < kWords; ++i) {
    if (got[i] != 2) warpfold::user_error("word {} is {}", i, got[i]);
  }
  if (got[kWords] != 2 * kWords) warpfold::user_error("the counter is {}", got[kWords]);
  std::printf("behind 4 cores: %zu requests, %zu of them atomics; %.0f ns with %zu hits, then %.0f ns with %zu\n",
              cache.requests, cache.atomics, took[0].to_seconds() * 1e9, hits[0], took[1].to_seconds() * 1e9, hits[1]);
  if (took[1] >= took[0] || hits[1] <= hits[0] || cache.atomics == 0) {
    warpfold::user_error("the second launch was to find its lines in the cache");
  }
}

}  // namespace

int sc_main(int, char**) {
  try {
    run();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cores_only: error: %s\n", error.what());
    return 2;
  }
}
