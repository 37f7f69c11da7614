// SPDX-License-Identifier: Apache-2.0
// Only the cores are ours: what leaves them, where a network and caches of a platform's answer (CoreGateway).
#include <gtest/gtest.h>

#include "tb/examples/shared_cache.h"
#include "tests/memory/base_protocol_checker.h"
#include "tests/memory/foreign_memory.h"
#include "tests/platform/platform.h"
#include "warpfold/common/error.h"

namespace warpfold::platform_test {
namespace cores_only_test {

// A platform with its own cache, and a checker at each core.
struct Cores : Platform {
  explicit Cores(const std::string& body = kSum, std::vector<std::string> sets = kCoresOnly)
      : Platform(sets, body), cache("cache", gpu.network_sockets()) {
    for (unsigned core = 0; core < gpu.network_sockets(); ++core) {
      auto& checker = checkers.emplace_back(("checker_" + std::to_string(core)).c_str());
      gpu.network_socket(core).bind(checker.in);
      checker.out.bind(cache.socket(core));
    }
  }
  std::uint64_t run() {
    const std::uint64_t before = total("cycles");
    run_launch(gpu, launch, memory);
    for (const auto& checker : checkers) {
      EXPECT_TRUE(checker.breaches.empty()) << checker.breaches.front();
      EXPECT_TRUE(checker.quiet());
    }
    return total("cycles") - before;
  }
  SharedCache cache;
  std::deque<test::BaseProtocolChecker> checkers;
};

TEST(CoresOnly, APlatformsCacheAnswersAndKeepsTheTime) {
  Cores cores;
  EXPECT_EQ(cores.gpu.dram_sockets(), 0u);
  EXPECT_EQ(cores.gpu.network_sockets(), 3u);
  const std::uint64_t first = cores.run();
  const std::size_t hits = cores.cache.hits;
  cores.expect_sums();
  EXPECT_EQ(cores.cache.requests, cores.total("core_to_memory_packets"));
  const std::uint64_t second = cores.run();
  EXPECT_LT(second, first);
  EXPECT_GT(cores.cache.hits - hits, hits);
  // Nothing says anything of an L2 or a DRAM that are not there.
  for (const auto& [name, value] : cores.figures()) {
    EXPECT_FALSE(name.starts_with("l2_") || name.starts_with("dram_") || name.starts_with("interconnect.")) << name;
  }
}

TEST(CoresOnly, WhatRunsIsWhatRunsOnAWholeMachine) {
  Cores cores;
  cores.run();
  const Figures whole = alone();
  for (const char* name : {"thread_instructions", "warp_instructions", "load_instructions", "store_instructions"}) {
    EXPECT_GT(cores.total(name), 0u) << name;
    EXPECT_EQ(cores.total(name), sum_of(whole, name)) << name;
  }
}

TEST(CoresOnly, AtomicsAreWritesThatSayWhatTheyAre) {
  Cores cores("atom.global.add.u32 %r7, [%rd2], 1;\n");
  cores.run();
  std::uint32_t counted = 0;
  cores.memory.read(cores.in, &counted, 4);
  EXPECT_EQ(counted, noise(1)[0] + kWords);
  EXPECT_EQ(cores.cache.atomics, kWords / cores.setup.machine.core.warp_size);
}

// Keeps what each transaction said.
class Recorder : public sc_core::sc_module {
 public:
  explicit Recorder(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &Recorder::b_transport);
  }
  tlm_utils::simple_target_socket<Recorder> socket;
  struct Seen {
    bool write;
    sc_dt::uint64 address;
    std::string bytes;  // two digits each; -- is disabled
  };
  std::vector<Seen> seen;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    Seen one{payload.is_write(), payload.get_address(), {}};
    const unsigned char* const enables = payload.get_byte_enable_ptr();
    for (unsigned n = 0; n < payload.get_data_length(); ++n) {
      const bool meant = enables == nullptr || enables[n] == TLM_BYTE_ENABLED;
      one.bytes += meant ? fmt::format("{:02x}", payload.get_data_ptr()[n]) : "--";
    }
    seen.push_back(std::move(one));
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

TEST(CoresOnly, AWriteBringsItsBytesAndNoOthers) {
  // Each thread stores the byte 0xa5 into the first of its word's four.
  Platform platform(kCoresOnly, "mov.u32 %r6, 165;\nst.global.u8 [%rd4], %r6;\nmov.u32 %r6, 0;\nexit;\n");
  const auto memories = platform.bind<Recorder>();
  run_launch(platform.gpu, platform.launch, platform.memory);
  std::map<sc_dt::uint64, unsigned> written;
  for (const Recorder& memory : memories) {
    for (const auto& [write, address, bytes] : memory.seen) {
      if (!write) continue;
      // From the first byte that is meant to the last.
      EXPECT_EQ(bytes.substr(0, 2), "a5");
      EXPECT_EQ(bytes.substr(bytes.size() - 2), "a5");
      for (std::size_t n = 0; n < bytes.size(); n += 2) {
        if (bytes.substr(n, 2) == "--") continue;
        EXPECT_EQ(bytes.substr(n, 2), "a5");
        ++written[address + n / 2];
      }
    }
  }
  EXPECT_EQ(written.size(), kWords);
  for (const auto& [address, times] : written) {
    EXPECT_EQ((address - platform.out) % 4, 0u);
    EXPECT_EQ(times, 1u);
  }
}

TEST(CoresOnly, ANetworkThatNeverAnswersIsNamed) {
  Platform platform(kCoresOnly);
  const auto memories = platform.bind<test::SilentMemory>();
  try {
    run_launch(platform.gpu, platform.launch, platform.memory);
    ADD_FAILURE();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("unanswered"), std::string::npos) << error.what();
  }
}

std::string refused(const std::string& machine, std::vector<std::string> sets) {
  sets.insert(sets.end(), kCoresOnly.begin(), kCoresOnly.end());
  try {
    GpuSetup::of(machine, "pdom", sets);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(CoresOnly, WhatNeedsAnL2IsRefused) {
  EXPECT_NE(refused("tbc2011", {"host.empties_l2=true"})
                .find("excludes memory.boundary.memory = external_network, where there is no L2"),
            std::string::npos);
  EXPECT_NE(
      refused("tbc2011", {"l1d.line_bytes=256", "memory.l2.line_bytes=256"})
          .find("l1d.line_bytes = 256: memory.boundary.memory = external_network is for lines of up to 128 bytes"),
      std::string::npos);
}

}  // namespace cores_only_test
}  // namespace warpfold::platform_test
