// SPDX-License-Identifier: Apache-2.0
// What platforms do with a GPU beside letting it run: start it from any process, stop and go on, share its memory, have
// several, take one away. Its figures are those of a launch alone, wherever nothing else asks for its memory.
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <memory>
#include <set>

#include "tests/memory/foreign_memory.h"
#include "tests/platform/platform.h"
#include "warpfold/common/error.h"
#include "warpfold/memory/device_access.h"

namespace warpfold::platform_test {
namespace gpu_life_test {

using sc_core::SC_NS;
using sc_core::sc_time;

// Code that runs at an event, and may not wait.
struct Handler : sc_core::sc_module {
  Handler(sc_core::sc_module_name name, const sc_core::sc_event& at, std::function<void()> what)
      : sc_module(name), body(std::move(what)) {
    SC_HAS_PROCESS(Handler);
    SC_METHOD(run);
    sensitive << at;
    dont_initialize();
  }
  void run() { body(); }
  std::function<void()> body;
};

template <class Call>
std::string said_by(Call&& call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(GpuLife, AnEventStartsLaunchesAndHearsOfTheirEnd) {
  Platform platform;
  sc_core::sc_event doorbell;
  unsigned ends = 0;
  Handler start("start", doorbell, [&] { platform.gpu.start(platform.launch, platform.memory); });
  Handler end("end", platform.gpu.finished(), [&] {
    platform.gpu.rethrow();
    platform.expect_sums();
    if (++ends == 1) doorbell.notify(sc_time(10, SC_NS));
  });
  Host host("host", [&] { doorbell.notify(sc_time(3, SC_NS)); });
  sc_core::sc_start();
  EXPECT_EQ(ends, 2u);
  EXPECT_EQ(platform.total("kernels"), 2u);
  EXPECT_EQ(platform.total("thread_instructions"), 2 * sum_of(alone(), "thread_instructions"));
}

// The next launch may begin in the very process that hears of the last one's end.
TEST(GpuLife, LaunchesFollowEachOtherWithoutAPause) {
  Platform platform;
  unsigned ends = 0;
  Handler end("end", platform.gpu.finished(), [&] {
    if (++ends < 3) platform.gpu.start(platform.launch, platform.memory);
  });
  platform.gpu.start(platform.launch, platform.memory);
  sc_core::sc_start();
  EXPECT_EQ(ends, 3u);
  EXPECT_EQ(platform.total("kernels"), 3u);
}

TEST(GpuLife, TwoGpusRunSideBySide) {
  Platform first;
  Board second({}, kSum, sc_core::SC_PS, "second");
  sc_time started, ended[2];
  Host host("host", [&] {
    first.gpu.start(first.launch, first.memory);
    wait(sc_time(123.4, SC_NS));
    started = sc_core::sc_time_stamp();
    EXPECT_TRUE(first.gpu.running());
    second.gpu.start(second.launch, second.memory);
    wait(first.gpu.finished() & second.gpu.finished());
  });
  Handler one("one", first.gpu.finished(), [&] { ended[0] = sc_core::sc_time_stamp(); });
  Handler two("two", second.gpu.finished(), [&] { ended[1] = sc_core::sc_time_stamp(); });
  sc_core::sc_start();
  EXPECT_LT(started, ended[0]);
  EXPECT_LT(ended[0], ended[1]);
  first.expect_sums();
  second.expect_sums();
  const Figures expected = alone();
  EXPECT_EQ(first.figures(), expected);
  // Clocks whose edges fall otherwise on the start than at 0 may make a cycle's difference.
  EXPECT_EQ(second.total("thread_instructions"), sum_of(expected, "thread_instructions"));
  EXPECT_NEAR(static_cast<double>(second.total("cycles")), static_cast<double>(sum_of(expected, "cycles")), 20);
}

// run_launch() returns at the end of its own launch, with another GPU's still under way.
TEST(GpuLife, RunLaunchBesideAnotherGpu) {
  const Figures expected = alone();
  Platform first;
  Board second({}, kSum, sc_core::SC_PS, "second");
  Host host("host", [&] {
    wait(sc_time(100, SC_NS));
    first.gpu.start(first.launch, first.memory);
  });
  run_launch(second.gpu, second.launch, second.memory);
  second.expect_sums();
  EXPECT_EQ(second.figures(), expected);
  EXPECT_TRUE(first.gpu.running());
  sc_core::sc_start();
  first.expect_sums();
}

TEST(GpuLife, ASecondStartWhileItRunsIsRefusedAndChangesNothing) {
  Platform platform;
  platform.gpu.start(platform.launch, platform.memory);
  EXPECT_EQ(said_by([&] { platform.gpu.start(platform.launch, platform.memory); }),
            "kernel 'k' cannot start while 'k' runs: wait for finished()");
  sc_core::sc_start();
  platform.expect_sums();
  EXPECT_EQ(platform.figures(), alone());
}

TEST(GpuLife, AFailedGpuSaysAgainWhy) {
  Platform platform({}, "mov.u64 %rd5, 64;\nst.global.u32 [%rd5], %r6;");
  platform.gpu.start(platform.launch, platform.memory);
  sc_core::sc_start();
  EXPECT_FALSE(platform.gpu.running());
  const std::string why = said_by([&] { platform.gpu.rethrow(); });
  EXPECT_TRUE(why.starts_with("kernel 'k'")) << why;
  EXPECT_EQ(why.find('\n'), std::string::npos) << why;
  EXPECT_EQ(said_by([&] { platform.gpu.rethrow(); }), why);
  EXPECT_EQ(said_by([&] { platform.gpu.start(platform.launch, platform.memory); }), why);
}

// Time comes in pieces, of which some are shorter than a clock's cycle; edges that run ahead are not seen twice.
TEST(GpuLife, AnyPiecesOfTimeMakeTheSameLaunch) {
  const Figures expected = alone();
  for (const double ns : {0.3, 7.0, 100.0}) {
    for (const Gpu::AtEnd at_end : {Gpu::AtEnd::kNotify, Gpu::AtEnd::kPause}) {
      Platform platform;
      platform.gpu.start(platform.launch, platform.memory, at_end);
      unsigned pieces = 0;
      for (; platform.gpu.running(); ++pieces) sc_core::sc_start(ns, SC_NS);
      platform.gpu.rethrow();
      platform.expect_sums();
      EXPECT_EQ(platform.figures(), expected) << ns;
      EXPECT_GE(pieces, 2u);
    }
  }
}

TEST(GpuLife, APlatformPausesAndGoesOn) {
  Platform platform;
  Host host("host", [&] {
    wait(sc_time(100, SC_NS));
    sc_core::sc_pause();
  });
  platform.gpu.start(platform.launch, platform.memory);
  sc_core::sc_start();
  EXPECT_EQ(sc_core::sc_time_stamp(), sc_time(100, SC_NS));
  EXPECT_TRUE(platform.gpu.running());
  sc_core::sc_start();
  EXPECT_FALSE(platform.gpu.running());
  platform.expect_sums();
  EXPECT_EQ(platform.figures(), alone());
}

TEST(GpuLife, RunLaunchSaysThatSomebodyPausedAndTheLaunchGoesOn) {
  Platform platform;
  Host host("host", [&] {
    wait(sc_time(100, SC_NS));
    sc_core::sc_pause();
  });
  EXPECT_EQ(said_by([&] { run_launch(platform.gpu, platform.launch, platform.memory); }),
            "kernel 'k': the simulation stopped before its end");
  while (platform.gpu.running()) sc_core::sc_start();
  platform.expect_sums();
  EXPECT_EQ(platform.figures(), alone());
}

// There is no reset: a GPU may be taken away in the middle of a launch, between two sc_start(), and the rest goes on.
TEST(GpuLife, AGpuTakenAwayInTheMiddleLeavesTheRestAlone) {
  Platform stays;
  auto goes = std::make_unique<Board>(std::vector<std::string>{}, kSum, sc_core::SC_PS, "goes");
  stays.gpu.start(stays.launch, stays.memory);
  goes->gpu.start(goes->launch, goes->memory);
  sc_core::sc_start(100, SC_NS);
  EXPECT_TRUE(goes->gpu.running());
  goes.reset();
  sc_core::sc_start();
  stays.expect_sums();
  EXPECT_EQ(stays.figures(), alone());
}

TEST(GpuLife, APlatformThatStopsInTheMiddleEndsWell) {
  Platform platform;
  Host host("host", [&] {
    wait(sc_time(100, SC_NS));
    sc_core::sc_stop();
  });
  EXPECT_EQ(said_by([&] { run_launch(platform.gpu, platform.launch, platform.memory); }),
            "kernel 'k': the simulation stopped before its end");
  EXPECT_TRUE(platform.gpu.running());
}

// Whose memory has said all it had to say.
TEST(GpuLife, AGpuWithAForeignMemoryIsTakenAwayInTheMiddle) {
  testing::internal::CaptureStderr();
  {
    Platform platform(kExternal);
    auto memories = platform.bind<test::NonBlockingMemory>();
    platform.gpu.start(platform.launch, platform.memory);
    sc_core::sc_start(100, SC_NS);
    EXPECT_TRUE(platform.gpu.running());
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// One memory for all slices and for others: a request at a time, 20 ns each.
class SharedMemory : public sc_core::sc_module {
 public:
  explicit SharedMemory(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_nb_transport_fw(this, &SharedMemory::nb_transport_fw);
    socket.register_b_transport(this, &SharedMemory::b_transport);
    SC_HAS_PROCESS(SharedMemory);
    SC_THREAD(serve);
  }
  tlm_utils::multi_passthrough_target_socket<SharedMemory> socket;
  std::multiset<unsigned> lengths;  // of the GPU's transactions
  test::Bytes bytes;

 private:
  tlm::tlm_sync_enum nb_transport_fw(int id, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_time&) {
    if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
    payload.acquire();
    lengths.insert(payload.get_data_length());
    waiting_.push_back({id, &payload});
    came_.notify(sc_core::SC_ZERO_TIME);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  void serve() {
    for (;;) {
      while (waiting_.empty()) wait(came_);
      const auto [id, payload] = waiting_.front();
      waiting_.pop_front();
      access(*payload);
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_time none;
      socket[id]->nb_transport_bw(*payload, phase, none);
      payload->release();
    }
  }
  void b_transport(int, tlm::tlm_generic_payload& payload, sc_time&) { access(payload); }
  void access(tlm::tlm_generic_payload& payload) {
    sc_core::sc_mutex& one_at_a_time = mutex_;
    one_at_a_time.lock();
    sc_core::wait(sc_time(20, SC_NS));
    bytes.access(payload);
    one_at_a_time.unlock();
  }
  sc_core::sc_mutex mutex_;
  std::deque<std::pair<int, tlm::tlm_generic_payload*>> waiting_;
  sc_core::sc_event came_;
};

struct Shared {
  explicit Shared(std::vector<std::string> more = {}) : platform(with(std::move(more))), memory("shared") {
    for (unsigned slice = 0; slice < platform.gpu.dram_sockets(); ++slice) {
      platform.gpu.dram_socket(slice).bind(memory.socket);
    }
  }
  static std::vector<std::string> with(std::vector<std::string> sets) {
    sets.insert(sets.end(), kExternal.begin(), kExternal.end());
    return sets;
  }
  Platform platform;
  SharedMemory memory;
};

struct Dma : sc_core::sc_module {
  explicit Dma(sc_core::sc_module_name name, std::function<void(Dma&)> what)
      : sc_module(name), socket("socket"), body(std::move(what)) {
    SC_HAS_PROCESS(Dma);
    SC_THREAD(run);
  }
  void run() { body(*this); }
  bool access(tlm::tlm_command command, sc_dt::uint64 address, void* data, unsigned bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    sc_time delay;
    socket->b_transport(payload, delay);
    return payload.is_response_ok();
  }
  tlm_utils::simple_initiator_socket<Dma> socket;
  std::function<void(Dma&)> body;
};

// Somebody else's traffic takes the memory's time, and the GPU's none of its values.
TEST(GpuLife, OthersUseItsMemoryMeanwhile) {
  std::uint64_t cycles[2];
  for (const unsigned others : {0u, 200u}) {
    Shared shared;
    unsigned right = 0;
    Dma dma("dma", [&](Dma& self) {
      for (unsigned n = 0; n < others; ++n) {
        unsigned wrote = n * 77, read = 0;
        self.access(tlm::TLM_WRITE_COMMAND, 64 + n * 8, &wrote, 1 + n % 4);
        self.access(tlm::TLM_READ_COMMAND, 64 + n * 8, &read, 1 + n % 4);
        right += std::memcmp(&wrote, &read, 1 + n % 4) == 0 ? 1 : 0;
      }
    });
    dma.socket.bind(shared.memory.socket);
    shared.platform.gpu.start(shared.platform.launch, shared.platform.memory);
    sc_core::sc_start();
    shared.platform.gpu.rethrow();
    shared.platform.expect_sums();
    EXPECT_EQ(right, others);
    cycles[others == 0 ? 0 : 1] = shared.platform.total("cycles");
  }
  EXPECT_GT(cycles[1], cycles[0] + 1000);
}

TEST(GpuLife, TwoGpusShareAMemory) {
  Shared shared;
  Board second(kExternal, kSum, sc_core::SC_PS, "second");
  for (unsigned slice = 0; slice < second.gpu.dram_sockets(); ++slice) {
    second.gpu.dram_socket(slice).bind(shared.memory.socket);
  }
  shared.platform.gpu.start(shared.platform.launch, shared.platform.memory);
  second.gpu.start(second.launch, second.memory);
  sc_core::sc_start();
  shared.platform.expect_sums();
  second.expect_sums();
  EXPECT_EQ(shared.memory.lengths.size(), shared.platform.total("dram_reads") + shared.platform.total("dram_writes") +
                                              second.total("dram_reads") + second.total("dram_writes"));
}

// A host that looks at device memory while the kernel runs sees each store that has issued, and costs it nothing.
TEST(GpuLife, AHostReadsDeviceMemoryMeanwhile) {
  Platform platform;
  DeviceAccess window("window", platform.memory, 0);
  unsigned looks = 0, seen = 0;
  Dma dma("dma", [&](Dma& self) {
    std::vector<std::uint32_t> words(kWords);
    platform.gpu.start(platform.launch, platform.memory);
    while (platform.gpu.running()) {
      ASSERT_TRUE(
          self.access(tlm::TLM_READ_COMMAND, platform.out - platform.setup.memory_base(), words.data(), kWords * 4));
      const auto there = static_cast<unsigned>(kWords - std::count(words.begin(), words.end(), 0u));
      EXPECT_GE(there, seen);
      seen = there;
      ++looks;
      wait(sc_time(50, SC_NS));
    }
  });
  dma.socket.bind(window.socket);
  sc_core::sc_start();
  EXPECT_GT(looks, 5u);
  EXPECT_GT(seen, kWords / 2);
  platform.expect_sums();
  EXPECT_EQ(platform.figures(), alone());
}

// Lines, or as many sectors of one as are wanted: those of a first-level cache's line.
TEST(GpuLife, TransactionsAreAsLongAsWhatTheL2Fetches) {
  struct Sizes {
    std::vector<std::string> sets;
    std::set<unsigned> lengths;
  };
  for (const Sizes& sizes :
       {Sizes{{}, {64}}, Sizes{{"memory.l2.line_bytes=128"}, {128}}, Sizes{{"memory.l2.line_bytes=256"}, {256}},
        Sizes{{"memory.l2.line_bytes=128", "memory.l2.sector_bytes=32"}, {64}}}) {
    Shared shared(sizes.sets);
    run_launch(shared.platform.gpu, shared.platform.launch, shared.platform.memory);
    shared.platform.expect_sums();
    const std::set<unsigned> seen(shared.memory.lengths.begin(), shared.memory.lengths.end());
    EXPECT_EQ(seen, sizes.lengths);
    std::uint64_t bytes = 0;
    for (const unsigned length : shared.memory.lengths) bytes += length;
    EXPECT_EQ(bytes, shared.platform.total("dram_read_bytes") + shared.platform.total("dram_write_bytes"));
  }
}

// Delays that lie on no edge, at a resolution that holds them and at a finer one.
TEST(GpuLife, TimeResolutionMakesNoDifferenceToAForeignMemoryEither) {
  std::vector<Figures> all;
  for (const auto unit : {sc_core::SC_PS, sc_core::SC_FS}) {
    Platform platform(kExternal, kSum, unit);
    auto memories = platform.bind<test::NonBlockingMemory>();
    for (auto& memory : memories) {
      memory.manner = [] {
        test::Manner manner;
        manner.request = test::Manner::Request::kEndLater;
        manner.end_after = sc_time(0.777, SC_NS);
        manner.response_after = sc_time(33.333, SC_NS);
        manner.response_delay = sc_time(1.001, SC_NS);
        return manner;
      };
    }
    run_launch(platform.gpu, platform.launch, platform.memory);
    platform.expect_sums();
    all.push_back(platform.figures());
  }
  EXPECT_EQ(all[0], all[1]);
}

}  // namespace gpu_life_test
}  // namespace warpfold::platform_test
