// SPDX-License-Identifier: Apache-2.0
// The boundary to memory, held against targets that are not ours: a slice of the L2 in front of sockets of tlm_utils.
// All at 1 GHz; a request sent at edge c is looked up at c + 20, and what is not there goes to memory then.
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "tb/examples/queued_memory.h"
#include "tests/memory/base_protocol_checker.h"
#include "tests/memory/foreign_memory.h"
#include "tests/memory/scripted.h"
#include "tests/memory/simulation.h"
#include "warpfold/memory/l2/l2_slice.h"

namespace warpfold {
namespace memory_port_test {

using sc_core::SC_NS;
using sc_core::sc_time;
using test::Manner;
using Step = test::ScriptedInitiator::Step;
using Request = Manner::Request;

L2Params small_cache() {
  L2Params params;
  params.hit_latency_cycles = 20;
  params.size_bytes = 256;
  params.ways = 4;
  return params;
}

template <class Memory>
struct Bench {
  explicit Bench(const L2Params& params = small_cache())
      : clocks("clocks"),
        slice_clock(clocks.domain(1000)),
        outside(clocks.domain(1000)),
        memory("memory"),
        checker("checker"),
        slice("slice", params, AddressMap(256, 1), 0, slice_clock, 1, stats, pool),
        network("network", outside, 0, pool) {
    network.socket.bind(slice.network_socket);
    slice.dram_socket.bind(checker.in);
    checker.out.bind(memory.socket);
  }
  void run(std::vector<Step> steps) {
    network.steps = std::move(steps);
    network.start();
    sc_core::sc_start();
    clocks.rethrow();
  }
  // Each step was answered once, nothing is left under way, and nobody broke a rule.
  void expect_whole() const {
    for (const auto& outcome : network.outcomes) EXPECT_EQ(outcome.responses, 1u);
    EXPECT_EQ(slice.dram_socket.unanswered(), 0u);
    EXPECT_EQ(pool.in_use(), 0u);
    EXPECT_TRUE(checker.quiet());
    EXPECT_TRUE(checker.breaches.empty()) << checker.breaches.front();
  }
  Cycle answered(std::size_t step) const { return network.outcomes[step].answered_ps / 1000; }

  test::Simulation simulation;
  StatGroup stats{"l2_0"};
  PayloadPool pool;
  ClockTree clocks;
  ClockDomain& slice_clock;
  ClockDomain& outside;
  Memory memory;
  test::BaseProtocolChecker checker;
  L2Slice slice;
  test::ScriptedInitiator network;
};
using Blocking = Bench<test::BlockingMemory>;
using NonBlocking = Bench<test::NonBlockingMemory>;

constexpr Step read(unsigned line, Cycle from = 0) { return {false, line * 64, 64, from}; }
constexpr Step write(unsigned line, Cycle from = 0) { return {true, line * 64, 64, from}; }

// The adapter sends no END_REQ: the next request goes when the one before is answered.
TEST(MemoryPort, ATargetWithBTransportAloneAnswersEverything) {
  Blocking bench;
  bench.memory.waits = sc_time(100, SC_NS);
  bench.run({read(0), read(1), read(2)});
  bench.expect_whole();
  EXPECT_EQ(bench.memory.requests, 3u);
  EXPECT_EQ(bench.answered(0), 120u);
  EXPECT_EQ(bench.answered(1), 220u);
  EXPECT_EQ(bench.answered(2), 320u);
  EXPECT_EQ(bench.checker.seen["BEGIN_RESP alone"], 3u);
}

TEST(MemoryPort, AnnotatedTimeOfBTransportPasses) {
  Blocking bench;
  bench.memory.annotates = sc_time(35.5, SC_NS);
  bench.run({read(0)});
  bench.expect_whole();
  EXPECT_EQ(bench.answered(0), 56u) << "the first edge at or after 55.5 ns";
}

TEST(MemoryPort, ABTransportOfNoTimeAnswersToo) {
  Blocking bench;
  bench.run({read(0), write(1), read(2), read(3), read(4), read(5), read(1)});
  bench.expect_whole();
  EXPECT_EQ(bench.answered(0), 21u) << "a process of its own, after the edge of its request";
}

Manner in_manner(Request request, double end_after, double end_delay, double response_after, double response_delay) {
  const auto ns = [](double time) { return sc_time(time, SC_NS); };
  return {request, ns(end_after), ns(end_delay), ns(response_after), ns(response_delay)};
}

struct Timed {
  const char* name;
  Manner::Request request;
  double end_after, end_delay, response_after, response_delay;
  Cycle second_request;  // when the next one comes, which is ready at 21, or 22 where an answer is served at 21
  Cycle answered;        // the first
};

void PrintTo(const Timed& timed, std::ostream* out) { *out << timed.name; }

struct MemoryPortManner : testing::TestWithParam<Timed> {};

TEST_P(MemoryPortManner, TakesEffectAtItsTime) {
  const Timed& timed = GetParam();
  NonBlocking bench;
  bench.memory.manner = [&] {
    return in_manner(timed.request, timed.end_after, timed.end_delay, timed.response_after, timed.response_delay);
  };
  bench.run({read(0), read(1)});
  bench.expect_whole();
  ASSERT_EQ(bench.memory.requests.size(), 2u);
  EXPECT_EQ(bench.memory.requests[0], sc_time(20, SC_NS));
  EXPECT_EQ(bench.memory.requests[1], sc_time(static_cast<double>(timed.second_request), SC_NS));
  EXPECT_EQ(bench.answered(0), timed.answered);
}

INSTANTIATE_TEST_SUITE_P(All, MemoryPortManner,
                         testing::Values(Timed{"completed", Request::kCompleted, 0, 0, 0, 0, 22, 21},
                                         Timed{"completed_later", Request::kCompleted, 0, 30, 0, 0, 50, 50},
                                         Timed{"response_returned", Request::kResponseReturned, 0, 0, 0, 0, 22, 21},
                                         Timed{"response_returned_later", Request::kResponseReturned, 0, 30.2, 0, 0, 51,
                                               51},
                                         Timed{"end_returned", Request::kEndReturned, 0, 0, 50, 0, 21, 70},
                                         Timed{"end_returned_later", Request::kEndReturned, 0, 10, 50, 0, 30, 80},
                                         Timed{"end_in_the_call", Request::kEndInTheCall, 0, 0, 50, 0, 21, 70},
                                         Timed{"end_later", Request::kEndLater, 7, 0, 50, 0, 27, 77},
                                         Timed{"end_later_with_delay", Request::kEndLater, 7, 3, 50, 0, 30, 80},
                                         Timed{"end_left_out", Request::kEndLeftOut, 0, 0, 50, 0, 70, 70},
                                         Timed{"response_with_delay", Request::kEndReturned, 0, 0, 50, 9, 21, 79},
                                         Timed{"left_out_with_delay", Request::kEndLeftOut, 0, 0, 50, 9.5, 80, 80}),
                         [](const auto& of) { return std::string(of.param.name); });

// Every manner, mixed; more lines than the cache has, so that modified ones are written back.
TEST(MemoryPort, AnyMixtureOfMannersAnswersEverything) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    NonBlocking bench;
    std::mt19937 random(seed);
    bench.memory.manner = [&] {
      const auto time = [&] { return random() % 3 == 0 ? random() % 40 * 0.5 : 0.0; };
      return in_manner(static_cast<Request>(random() % 6), time(), time(), time(), time());
    };
    std::vector<Step> steps;
    for (unsigned n = 0; n < 500; ++n) {
      const unsigned line = random() % 16;
      steps.push_back(random() % 2 == 0 ? read(line) : write(line));
    }
    bench.run(steps);
    bench.expect_whole();
    EXPECT_GT(bench.checker.transactions, 300u);
    for (const char* way : {"TLM_COMPLETED", "BEGIN_RESP returned", "END_REQ returned", "END_REQ", "BEGIN_RESP alone",
                            "BEGIN_RESP", "END_RESP forward"}) {
      EXPECT_GT(bench.checker.seen[way], 0u) << way;
    }
  }
}

// A memory with DRAMSys' rules stands still after its first response unless it hears END_RESP, with TLM_UPDATED.
TEST(MemoryPort, AMemoryThatActsOnEndRespAloneAnswersEverything) {
  Bench<QueuedMemory> bench;
  std::vector<Step> steps;
  for (unsigned line = 0; line < 12; ++line) steps.push_back(line % 3 == 0 ? write(line) : read(line));
  bench.run(steps);
  bench.expect_whole();
  EXPECT_EQ(bench.memory.requests, 12u);
  EXPECT_GT(bench.memory.withheld, 0u) << "has room for four";
  EXPECT_EQ(bench.checker.seen["BEGIN_RESP"], 12u);
  EXPECT_EQ(bench.answered(1), 72u) << "sent at 21, taken at its edge at 21.25, answered 50 later";
}

// Says what it has to say from within its own calls: of the request that waits, END_REQ when END_RESP of the last
// comes.
class Talkative : public sc_core::sc_module {
 public:
  explicit Talkative(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_nb_transport_fw(this, &Talkative::nb_transport_fw);
  }
  tlm_utils::simple_target_socket<Talkative> socket;
  unsigned nested = 0;  // calls that came while it was in one

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_time& delay) {
    nested += depth_ != 0 ? 1 : 0;
    ++depth_;
    const tlm::tlm_sync_enum status = said(payload, phase, delay);
    --depth_;
    return status;
  }
  tlm::tlm_sync_enum said(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_time& delay) {
    if (phase == tlm::END_RESP) {
      tlm::tlm_generic_payload* const next = waits_;
      waits_ = nullptr;
      if (next != nullptr) {
        call(*next, tlm::END_REQ);
        call(*next, tlm::BEGIN_RESP);
      }
      return tlm::TLM_COMPLETED;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (++requests_ % 2 == 0) {
      waits_ = &payload;
      return tlm::TLM_ACCEPTED;
    }
    phase = tlm::BEGIN_RESP;
    delay += sc_time(5, SC_NS);
    return tlm::TLM_UPDATED;
  }
  void call(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase) {
    sc_time none;
    socket->nb_transport_bw(payload, phase, none);
  }
  tlm::tlm_generic_payload* waits_ = nullptr;
  unsigned requests_ = 0, depth_ = 0;
};

TEST(MemoryPort, AMemoryIsNotCalledBackFromItsOwnCalls) {
  Bench<Talkative> bench;
  bench.run({read(0), read(1), read(2), read(3), read(4)});
  bench.expect_whole();
  EXPECT_EQ(bench.memory.nested, 0u);
}

// Every third transaction is held beyond its end, and looks then as it did.
TEST(MemoryPort, AMemoryMayKeepTransactions) {
  for (const Request way : {Request::kCompleted, Request::kResponseReturned, Request::kEndReturned}) {
    NonBlocking bench;
    bench.memory.kept.each = 3;
    bench.memory.manner = [&] { return in_manner(way, 0, 5, 10, 0); };
    std::vector<Step> steps;
    for (unsigned line = 0; line < 32; ++line) steps.push_back(read(line));
    bench.run(steps);
    EXPECT_EQ(bench.slice.dram_socket.unanswered(), 0u);
    EXPECT_EQ(bench.pool.in_use(), 10u);
    EXPECT_EQ(bench.pool.kept_for(sc_time(1, SC_NS)), 10u);
    EXPECT_EQ(bench.pool.kept_for(sc_time(1, sc_core::SC_MS)), 0u);
    ASSERT_EQ(bench.memory.kept.all().size(), 10u);
    for (unsigned n = 0; n < 10; ++n) {
      const tlm::tlm_generic_payload& kept = *bench.memory.kept.all()[n];
      EXPECT_EQ(kept.get_address(), (n * 3 + 2) * 64);
      EXPECT_EQ(kept.get_data_ptr()[63], 0xee);
    }
    bench.memory.kept.release();
    bench.expect_whole();
  }
}

// Line 0 is written back when its place is wanted; the memory's answers to reads change no values.
TEST(MemoryPort, WritesCarryTheDevicesBytes) {
  DeviceMemory device(4096, 0);
  const Address at = device.allocate(4096, "all");
  ASSERT_EQ(at, 0u);
  for (unsigned i = 0; i < 4096; ++i) *device.host(i) = static_cast<std::byte>(i * 7);
  Blocking bench;
  bench.slice.carry_values_of(device);
  bench.run({write(0), read(1, 50), read(2, 100), read(3, 150), read(4, 200)});
  bench.expect_whole();
  const auto& written = bench.memory.bytes.written();
  ASSERT_EQ(written.size(), 64u);
  for (const auto& [address, byte] : written) EXPECT_EQ(byte, static_cast<unsigned char>(address * 7));
  for (unsigned i = 0; i < 4096; ++i) ASSERT_EQ(*device.host(i), static_cast<std::byte>(i * 7));
}

// Sectors 0 and 2 are modified: one request from the first to the last of them, without the bytes between.
TEST(MemoryPort, SectorsApartAreOneRequestWithByteEnables) {
  L2Params params = small_cache();
  params.line_bytes = 128;
  params.sector_bytes = 32;
  params.ways = 2;
  Blocking bench(params);
  const auto part = [](bool store, unsigned line, unsigned first, Cycle from) {
    return Step{store, line * 128 + first, 32, from, false, byte_range(0, 32)};
  };
  bench.run({part(true, 0, 32, 0), part(true, 0, 96, 10), part(false, 1, 0, 50), part(false, 2, 0, 100)});
  bench.expect_whole();
  const auto& written = bench.memory.bytes.written();
  EXPECT_EQ(written.size(), 64u);
  EXPECT_EQ(written.begin()->first, 32u);
  EXPECT_EQ(written.rbegin()->first, 127u);
  EXPECT_EQ(written.count(64), 0u);
}

TEST(MemoryPort, WhatAMemoryHangsOntoATransactionGoesWithIt) {
  struct Note : tlm::tlm_extension<Note> {
    tlm_extension_base* clone() const override { return new Note; }
    void copy_from(const tlm_extension_base&) override {}
  };
  test::Simulation simulation;
  PayloadPool pool;
  tlm::tlm_generic_payload& payload = pool.acquire(tlm::TLM_READ_COMMAND, 0, 64);
  payload.set_auto_extension(new Note);
  payload.set_dmi_allowed(true);
  payload.release();
  tlm::tlm_generic_payload& again = pool.acquire(tlm::TLM_READ_COMMAND, 0, 64);
  EXPECT_EQ(&again, &payload);
  EXPECT_EQ(again.get_extension<Note>(), nullptr);
  EXPECT_NE(again.get_extension<MemoryExtension>(), nullptr);
  EXPECT_FALSE(again.is_dmi_allowed());
  again.release();
}

// Says what it is told to say of the first request.
class Unruly : public sc_core::sc_module {
 public:
  explicit Unruly(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_nb_transport_fw(this, &Unruly::nb_transport_fw);
  }
  tlm_utils::simple_target_socket<Unruly> socket;
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  std::vector<tlm::tlm_phase> says;

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_time&) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
    sc_core::sc_spawn([this, &payload] {
      for (tlm::tlm_phase next : says) {
        sc_core::wait(10, SC_NS);
        payload.set_response_status(status);
        sc_time none;
        socket->nb_transport_bw(payload, next, none);
      }
    });
    return tlm::TLM_ACCEPTED;
  }
};
DECLARE_EXTENDED_PHASE(AN_IGNORABLE_PHASE);

std::string complaint(tlm::tlm_response_status status, std::vector<tlm::tlm_phase> says) {
  Bench<Unruly> bench;
  bench.memory.status = status;
  bench.memory.says = std::move(says);
  try {
    bench.run({read(3)});
  } catch (const UserError& error) {
    return error.what();
  }
  bench.expect_whole();
  return "";
}

TEST(MemoryPort, PhasesBeyondTheBaseProtocolAreIgnored) {
  EXPECT_EQ(complaint(tlm::TLM_OK_RESPONSE, {AN_IGNORABLE_PHASE, tlm::END_REQ, AN_IGNORABLE_PHASE, tlm::BEGIN_RESP}),
            "");
}

TEST(MemoryPort, AMemorysErrorIsTheRunsError) {
  EXPECT_EQ(complaint(tlm::TLM_ADDRESS_ERROR_RESPONSE, {tlm::BEGIN_RESP}),
            "slice.dram_socket: the memory answered a read of 64 bytes at 0xc0 with TLM_ADDRESS_ERROR_RESPONSE; is it "
            "large enough, and at the device's addresses?");
}

TEST(MemoryPort, AMemoryThatBreaksTheProtocolIsNamed) {
  EXPECT_EQ(complaint(tlm::TLM_OK_RESPONSE, {tlm::END_REQ, tlm::END_REQ}),
            "slice.dram_socket: the memory sent END_REQ for the request at 0xc0 (TLM_OK_RESPONSE), which does not wait "
            "for it");
  EXPECT_EQ(complaint(tlm::TLM_OK_RESPONSE, {tlm::BEGIN_RESP, tlm::BEGIN_RESP}),
            "slice.dram_socket: the memory sent BEGIN_RESP for the request at 0xc0 (TLM_OK_RESPONSE), which does not "
            "wait for it");
}

// The checker finds what it is there for.
TEST(BaseProtocolChecker, FindsBreaches) {
  Bench<Unruly> bench;
  bench.memory.says = {tlm::BEGIN_RESP, tlm::END_REQ};
  EXPECT_THROW(bench.run({read(0)}), UserError);
  EXPECT_FALSE(bench.checker.breaches.empty());

  Bench<Unruly> without_status;
  without_status.memory.says = {tlm::BEGIN_RESP};
  without_status.memory.status = tlm::TLM_INCOMPLETE_RESPONSE;
  EXPECT_THROW(without_status.run({read(0)}), UserError);
  ASSERT_EQ(without_status.checker.breaches.size(), 1u);
  EXPECT_EQ(without_status.checker.breaches[0], "BEGIN_RESP without a status");
}

}  // namespace memory_port_test
}  // namespace warpfold
