// SPDX-License-Identifier: Apache-2.0
// DRAMSys (https://github.com/tukl-msd/DRAMSys) behind the GPU: one memory system for all slices of the L2. With
// -D DRAMSYS=DIRECTORY of a checkout; without, a memory with the same rules takes its place. The program runs a kernel
// twice, so that the second launch finds its data in the L2, and prints both launches' cycles.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdio>
#include <deque>
#include <exception>
#include <string>
#include <systemc>
#include <vector>

#ifdef WITH_DRAMSYS
#if __has_include(<DRAMSys/DRAMSys.h>)
#include <DRAMSys/DRAMSys.h>
#include <DRAMSys/configuration/json/DRAMSysConfiguration.h>
#else  // up to 5.1
#include <DRAMSys/config/DRAMSysConfiguration.h>
#include <DRAMSys/simulation/DRAMSys.h>
#endif
#endif

#include "queued_memory.h"
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

// Device addresses to those of a memory that begins at 0. What lies further up than it is large comes round, which
// nobody sees: such a memory has times and no values.
class AddressWindow : public sc_core::sc_module {
 public:
  AddressWindow(sc_core::sc_module_name name, std::uint64_t bytes)
      : sc_module(name), in("in"), out("out"), bytes_(bytes) {
    in.register_nb_transport_fw(this, &AddressWindow::forward);
    out.register_nb_transport_bw(this, &AddressWindow::backward);
  }
  tlm_utils::simple_target_socket<AddressWindow> in;
  tlm_utils::simple_initiator_socket<AddressWindow> out;
  unsigned requests = 0;

 private:
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
      ++requests;
      payload.set_address(payload.get_address() % bytes_);
    }
    return out->nb_transport_fw(payload, phase, delay);
  }
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    return in->nb_transport_bw(payload, phase, delay);
  }
  const std::uint64_t bytes_;
};

#ifdef WITH_DRAMSYS
DRAMSys::Config::Configuration configuration() {
  auto config = DRAMSys::Config::from_path(WITH_DRAMSYS "/configs/ddr4-example.json");
  config.simconfig.DatabaseRecording = false;
  config.simconfig.SimulationProgressBar = false;
  return config;
}

struct Memory {
  explicit Memory(unsigned) : dramsys("dramsys", configuration()) {}
  std::uint64_t bytes() const { return dramsys.getMemSpec().getSimMemSizeInBytes(); }
  auto& socket(unsigned) { return dramsys.tSocket; }
  static constexpr const char* kName = "DRAMSys";
  DRAMSys::DRAMSys dramsys;
};
#else
struct Memory {
  explicit Memory(unsigned slices) {
    for (unsigned n = 0; n < slices; ++n) parts.emplace_back(("memory_" + std::to_string(n)).c_str());
  }
  static std::uint64_t bytes() { return 1 << 30; }
  auto& socket(unsigned slice) { return parts[slice].socket; }
  static constexpr const char* kName = "a memory with DRAMSys' rules";
  std::deque<QueuedMemory> parts;
};
#endif

std::uint64_t cycles(const warpfold::StatRegistry& statistics) {
  std::uint64_t sum = 0;
  for (const auto& group : statistics.groups()) {
    for (const auto& entry : group.entries()) sum += entry.info.name == "cycles" ? entry.counter.value() : 0;
  }
  return sum;
}

// Returns the requests that the memory got; throws if a value is wrong.
unsigned run() {
  const auto setup = warpfold::GpuSetup::of("tbc2011", "tbc", {"cores=4", "memory.boundary.memory=external"});
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
  unsigned requests = 0;
  for (const AddressWindow& window : windows) requests += window.requests;
  std::printf("behind the GPU: %s; %u requests; %llu cycles, then %llu\n", Memory::kName, requests,
              static_cast<unsigned long long>(first), static_cast<unsigned long long>(cycles(statistics) - first));
  return requests;
}

}  // namespace

int sc_main(int, char**) {
  try {
    return run() >= kWords * 4 / 64 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dramsys: error: %s\n", error.what());
    return 2;
  }
}
