// SPDX-License-Identifier: Apache-2.0
// The GPU as one module of a small platform: a host thread writes a kernel's input over a bus, rings a doorbell, waits
// for the GPU's end, which is an event as an interrupt would be, and reads the result back over the bus.
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdio>
#include <functional>
#include <systemc>
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/common/memory/device_memory.h"
#include "warpfold/gpu/machine/gpu.h"
#include "warpfold/gpu/machine/gpu_setup.h"
#include "warpfold/gpu/run/launch_of.h"
#include "warpfold/memory/device_access.h"
#include "warpfold/ptx/parser.h"

namespace {

constexpr unsigned kBlocks = 16, kThreads = 256, kWords = kBlocks * kThreads;
constexpr std::uint64_t kDoorbellAt = 0x1000'0000, kWindowAt = 0x8000'0000;
constexpr std::uint64_t kMemoryBytes = 1 << 24;

const char* const kSquares = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry squares(.param .u64 words)
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
mul.lo.u32 %r5, %r5, %r5;
st.global.u32 [%rd3], %r5;
ret;
}
)";

// Hands accesses to the target whose range they are in, 10 ns each; the address stays as it is.
class Bus : public sc_core::sc_module {
 public:
  explicit Bus(sc_core::sc_module_name name) : sc_module(name), socket("socket"), targets_("targets") {
    socket.register_b_transport(this, &Bus::b_transport);
  }
  tlm_utils::simple_target_socket<Bus> socket;

  void map(std::uint64_t first, std::uint64_t bytes, tlm::tlm_target_socket<>& target) {
    ranges_.push_back({first, bytes});
    targets_.bind(target);
  }

 private:
  struct Range {
    std::uint64_t first, bytes;
  };
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    delay += sc_core::sc_time(10, sc_core::SC_NS);
    for (unsigned i = 0; i < ranges_.size(); ++i) {
      if (payload.get_address() - ranges_[i].first >= ranges_[i].bytes) continue;
      targets_[static_cast<int>(i)]->b_transport(payload, delay);
      return;
    }
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  tlm_utils::multi_passthrough_initiator_socket<Bus> targets_;
  std::vector<Range> ranges_;
};

// A register: writing it does what it is for.
class Doorbell : public sc_core::sc_module {
 public:
  Doorbell(sc_core::sc_module_name name, std::function<void()> ring)
      : sc_module(name), socket("socket"), ring_(std::move(ring)) {
    socket.register_b_transport(this, &Doorbell::b_transport);
  }
  tlm_utils::simple_target_socket<Doorbell> socket;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    if (payload.is_write()) ring_();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  std::function<void()> ring_;
};

class Host : public sc_core::sc_module {
 public:
  Host(sc_core::sc_module_name name, const warpfold::Gpu& gpu) : sc_module(name), socket("socket"), gpu_(gpu) {
    SC_HAS_PROCESS(Host);
    SC_THREAD(run);
  }
  tlm_utils::simple_initiator_socket<Host> socket;
  bool right = false;

 private:
  void run() {
    std::vector<std::uint32_t> words(kWords);
    for (unsigned i = 0; i < kWords; ++i) words[i] = i;
    access(tlm::TLM_WRITE_COMMAND, kWindowAt, words.data(), kWords * 4);
    std::uint32_t go = 1;
    access(tlm::TLM_WRITE_COMMAND, kDoorbellAt, &go, sizeof go);
    wait(gpu_.finished());
    gpu_.rethrow();
    access(tlm::TLM_READ_COMMAND, kWindowAt, words.data(), kWords * 4);
    right = true;
    for (unsigned i = 0; i < kWords; ++i) right = right && words[i] == i * i;
    std::printf("%u squares, %s, at %s\n", kWords, right ? "right" : "WRONG",
                sc_core::sc_time_stamp().to_string().c_str());
  }

  void access(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    wait(delay);
    if (!payload.is_response_ok()) warpfold::user_error("{:#x}: {}", address, payload.get_response_string());
  }

  const warpfold::Gpu& gpu_;
};

}  // namespace

int sc_main(int, char**) {
  try {
    const auto setup = warpfold::GpuSetup::of("tbc2011", "tbc", {"cores=4"});
    warpfold::StatRegistry statistics;
    warpfold::DeviceMemory memory(kMemoryBytes, setup.memory_base());
    warpfold::Gpu gpu("gpu", setup.machine, setup.mechanism, statistics);
    warpfold::isa::Program program(warpfold::ptx::parse(kSquares, "squares.ptx"), memory,
                                   setup.decode_options(warpfold::Code::kPlaced));
    const warpfold::Address words = memory.allocate(kWords * 4, "words");
    const auto launch =
        warpfold::launch_of(program, "squares", setup.machine.core.warp_size, {{kBlocks}, {kThreads}}, words);

    Bus bus("bus");
    Host host("host", gpu);
    Doorbell doorbell("doorbell", [&] { gpu.start(launch, memory); });
    warpfold::DeviceAccess window("window", memory, kWindowAt);
    host.socket.bind(bus.socket);
    bus.map(kDoorbellAt, 4, doorbell.socket);
    bus.map(kWindowAt, kMemoryBytes, window.socket);

    sc_core::sc_start();
    return host.right ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "platform: error: %s\n", error.what());
    return 2;
  }
}
