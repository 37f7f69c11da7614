// SPDX-License-Identifier: Apache-2.0
// Random traffic through a machine whose every queue is as small as it may be, with a protocol checker in every link:
// each access is answered once, nothing changes places on its way, and the same run twice gives the same figures.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/memory/machine.h"
#include "tests/memory/protocol_checker.h"
#include "tests/memory/scripted.h"

namespace warpfold {
namespace memory_stress_test {

using Kind = CacheAccess::Kind;
using test::MachineParams;
using test::ProtocolChecker;
using test::ScriptedUnit;

MachineParams cramped() {
  MachineParams params;
  params.cores = 4;
  params.l1 = {512, 64, 2, 2, 2, 1, 1, 3, false};
  params.memory.channels = 2;
  params.memory.interleave_bytes = 128;
  params.memory.interconnect.latency_cycles = 1;
  params.memory.interconnect.queue_entries = 1;
  params.memory.l2 = {1024, 64, 4, 2, 2, 2, 1, 1, 2, 3};
  params.memory.dram.queue_entries = 2;
  params.memory.dram.response_latency_cycles = 0;
  return params;
}

// As small, with sectors, modified lines in both caches, hashes, two slices a channel, bank groups and refresh.
MachineParams cramped_with_sectors() {
  MachineParams params = cramped();
  params.l1.miss_queue_entries = 2;
  params.l1.sector_bytes = 32;
  params.l1.set_hash = IndexHash::kXor;
  params.l1.write_policy = WritePolicy::kLocalWriteBack;
  params.l1.write_miss = L1WriteMiss::kLazyFetch;
  params.l1.allocation = WayTaken::kOnMiss;
  params.memory.slices_per_channel = 2;
  params.memory.slice_hash = IndexHash::kIpoly;
  params.memory.l2.sector_bytes = 16;
  params.memory.l2.set_hash = IndexHash::kIpoly;
  params.memory.l2.write_miss = L2WriteMiss::kLazyFetch;
  params.memory.dram.bank_groups = 4;
  params.memory.dram.t_ccd_l = 6;
  params.memory.dram.t_rtp_l = 8;
  params.memory.dram.t_refi = 500;
  params.memory.dram.t_rfc = 60;
  params.memory.dram.row_command_bus = true;
  return params;
}

std::vector<ScriptedUnit::Step> random_steps(unsigned seed, unsigned count) {
  std::mt19937 random(seed);
  std::vector<ScriptedUnit::Step> steps;
  for (unsigned n = 0; n < count; ++n) {
    const unsigned dice = random() % 20;
    const Kind kind = dice < 10 ? Kind::kLoad : dice < 17 ? Kind::kStore : Kind::kAtomic;
    const std::uint32_t bytes = kind == Kind::kAtomic ? 4 : random() % 2 == 0 ? 64 : 32;
    const unsigned line = random() % 64;
    const bool local = line % 4 == 3 && kind != Kind::kAtomic;
    const std::uint32_t first = bytes == 64 ? 0 : line / 4 % 4 * 8;
    steps.push_back({kind, DeviceMemory::kBase + line * 64, bytes, 0, byte_range(first, bytes), local});
  }
  return steps;
}

// Two cores' worth of modules each with checkers in between, from caches to channels.
class CheckedMachine {
 public:
  explicit CheckedMachine(const MachineParams& params)
      : clocks("clocks"),
        memory_clock(clocks.domain(params.memory.dram.clock_mhz)),
        network_clock(clocks.domain(params.memory.interconnect.clock_mhz)),
        core_clock(clocks.domain(params.core_mhz)),
        map(params.memory.interleave_bytes, params.memory.channels, params.memory.slices_per_channel,
            params.memory.slice_hash),
        network("network", params.memory.interconnect, map, params.cores, map.slices(), network_clock, 0,
                stats.group("interconnect")) {
    for (unsigned n = 0; n < params.cores; ++n) add_core(params, n);
    for (unsigned n = 0; n < map.slices(); ++n) add_slice(params.memory, n);
  }

  void run() {
    for (ScriptedUnit& unit : units) unit.start();
    sc_core::sc_start();
    clocks.rethrow();
  }

  test::Simulation simulation;
  StatRegistry stats;
  PayloadPool pool;
  ClockTree clocks;
  ClockDomain& memory_clock;
  ClockDomain& network_clock;
  ClockDomain& core_clock;
  AddressMap map;
  Interconnect network;
  std::deque<L1Cache> l1s;
  std::deque<CorePort> ports;
  std::deque<ScriptedUnit> units;
  std::deque<L2Slice> slices;
  std::deque<DramChannel> channels;
  std::deque<ProtocolChecker> behind_l1, behind_port, before_slice, behind_slice;

 private:
  static ProtocolChecker& checker(std::deque<ProtocolChecker>& all, const std::string& name) {
    return all.emplace_back((name + std::to_string(all.size())).c_str());
  }
  void add_core(const MachineParams& params, unsigned n) {
    const std::string number = std::to_string(n);
    StatGroup& group = stats.group("core" + number);
    l1s.emplace_back(("l1_" + number).c_str(), params.l1, core_clock, n * 4, group, "l1d", PortClient{pool, n, 0});
    units.emplace_back(("unit_" + number).c_str(), core_clock, n * 4 + 1);
    ports.emplace_back(("port_" + number).c_str(), params.memory.interconnect.packet, core_clock, n * 4 + 2, group, 1);
    ProtocolChecker& first = checker(behind_l1, "behind_l1_");
    ProtocolChecker& second = checker(behind_port, "behind_port_");
    units[n].socket.bind(l1s[n].cpu_socket);
    l1s[n].memory_socket.bind(first.in);
    first.out.bind(ports[n].client_sockets[0]);
    ports[n].network_socket.bind(second.in);
    second.out.bind(network.core_socket(n));
  }
  void add_slice(const MemoryParams& params, unsigned n) {
    const std::string number = std::to_string(n);
    slices.emplace_back(("l2_" + number).c_str(), params.l2, map, n, network_clock, n + 1, stats.group("l2_" + number),
                        pool);
    if (n < params.channels) {
      channels.emplace_back(("dram_" + number).c_str(), params.dram, map, memory_clock, n,
                            stats.group("dram_" + number));
    }
    ProtocolChecker& first = checker(before_slice, "before_slice_");
    ProtocolChecker& second = checker(behind_slice, "behind_slice_");
    network.slice_sockets[n].bind(first.in);
    first.out.bind(slices[n].network_socket);
    slices[n].dram_socket.bind(second.in);
    second.out.bind(channels[map.channel_of(n)].sockets[n / params.channels]);
  }
};

void expect_kept_rules(const std::deque<ProtocolChecker>& checkers) {
  for (const ProtocolChecker& checker : checkers) {
    EXPECT_TRUE(checker.quiet()) << checker.name();
    EXPECT_TRUE(checker.breaches.empty()) << checker.breaches.front();
  }
}

ProtocolChecker::Order merged(const std::deque<ProtocolChecker>& checkers,
                              ProtocolChecker::Order ProtocolChecker::*which) {
  ProtocolChecker::Order all;
  for (const ProtocolChecker& checker : checkers) {
    for (const auto& [key, items] : checker.*which) {
      all[key].insert(all[key].end(), items.begin(), items.end());
    }
  }
  return all;
}

struct MemoryStress : testing::TestWithParam<unsigned> {
  static void answers_once_keeps_order_and_protocol(const MachineParams& params);
};

TEST_P(MemoryStress, AnswersOnceKeepsOrderAndProtocol) { answers_once_keeps_order_and_protocol(cramped()); }
TEST_P(MemoryStress, AndSoWithSectors) { answers_once_keeps_order_and_protocol(cramped_with_sectors()); }

void MemoryStress::answers_once_keeps_order_and_protocol(const MachineParams& params) {
  CheckedMachine machine(params);
  for (unsigned n = 0; n < 4; ++n) machine.units[n].steps = random_steps(GetParam() * 10 + n, 3000);
  machine.run();

  for (const ScriptedUnit& unit : machine.units) {
    ASSERT_TRUE(unit.done());
    for (const ScriptedUnit::Outcome& outcome : unit.outcomes) EXPECT_EQ(outcome.responses, 1u);
    EXPECT_GT(unit.turned_away.at(CacheAccess::Answer::kBlockedMshr), 0u);
    EXPECT_GT(unit.turned_away.at(CacheAccess::Answer::kBlockedQueue), 0u);
  }
  EXPECT_EQ(machine.pool.in_use(), 0u);
  expect_kept_rules(machine.behind_l1);
  expect_kept_rules(machine.behind_port);
  expect_kept_rules(machine.before_slice);
  expect_kept_rules(machine.behind_slice);

  // Per core and line: sent = arrived at the slice = answered by the slice = answered to the cache.
  const auto sent = merged(machine.behind_l1, &ProtocolChecker::requests);
  EXPECT_EQ(sent, merged(machine.behind_port, &ProtocolChecker::requests));
  EXPECT_EQ(sent, merged(machine.before_slice, &ProtocolChecker::requests));
  EXPECT_EQ(sent, merged(machine.before_slice, &ProtocolChecker::responses));
  EXPECT_EQ(sent, merged(machine.behind_l1, &ProtocolChecker::responses));
  EXPECT_EQ(merged(machine.behind_slice, &ProtocolChecker::requests),
            merged(machine.behind_slice, &ProtocolChecker::responses));
}

INSTANTIATE_TEST_SUITE_P(Seeds, MemoryStress, testing::Range(0u, 8u));

std::map<std::string, std::uint64_t> figures(const MachineParams& params, std::vector<Cycle>& done) {
  test::Machine machine(params);
  for (unsigned n = 0; n < params.cores; ++n) machine.units[n]->steps = random_steps(n, 2000);
  machine.run();
  done.clear();
  for (const ScriptedUnit* unit : machine.units) {
    EXPECT_TRUE(unit->done());
    for (const ScriptedUnit::Outcome& outcome : unit->outcomes) done.push_back(outcome.done);
  }
  EXPECT_EQ(machine.pool.in_use() + machine.memory.requests_out(), 0u);
  return machine.figures();
}

TEST(Determinism, TwoRunsAndReversedConstructionAgreeToTheCycle) {
  MachineParams params = cramped();
  params.cores = 6;
  std::vector<Cycle> first_done, again_done, reversed_done;
  const auto first = figures(params, first_done);
  const auto again = figures(params, again_done);
  params.reversed = true;
  const auto reversed = figures(params, reversed_done);
  EXPECT_EQ(first, again);
  EXPECT_EQ(first_done, again_done);
  EXPECT_EQ(first, reversed);
  EXPECT_EQ(first_done, reversed_done);
}

// The pool stops growing: what is under way is bounded by queues, whatever the length of the run.
TEST(Memory, SteadyStateAllocatesNoPayloads) {
  std::vector<std::size_t> allocated;
  for (const unsigned count : {4000u, 16000u}) {
    CheckedMachine machine(cramped());
    for (unsigned n = 0; n < 4; ++n) machine.units[n].steps = random_steps(n, count);
    machine.run();
    allocated.push_back(machine.pool.allocated());
  }
  EXPECT_LE(allocated[1], allocated[0] + 4);
}

// The checker itself, given what it is there to find.
class Careless : public sc_core::sc_module {
 public:
  explicit Careless(sc_core::sc_module_name name) : sc_module(name), socket("socket", *this, &Careless::backward) {}
  void send(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase) { send_forward(socket, payload, phase); }
  InitiatorPort<Careless> socket;

 private:
  tlm::tlm_sync_enum backward(unsigned, tlm::tlm_generic_payload&, tlm::tlm_phase&) { return tlm::TLM_COMPLETED; }
};

struct CarelessBench {
  CarelessBench()
      : clocks("clocks"), memory("memory", clocks.domain(1000), 0), checker("checker"), careless("careless") {
    careless.socket.bind(checker.in);
    checker.out.bind(memory.socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  tlm::tlm_generic_payload& payload() { return pool.acquire(tlm::TLM_READ_COMMAND, 0, 64); }

  test::Simulation simulation;
  PayloadPool pool;
  ClockTree clocks;
  test::ScriptedTarget memory;
  ProtocolChecker checker;
  Careless careless;
};

TEST(ProtocolChecker, FindsARequestBeforeEndReq) {
  CarelessBench bench;
  bench.memory.capacity = 1;
  bench.careless.send(bench.payload(), tlm::BEGIN_REQ);
  EXPECT_TRUE(bench.checker.breaches.empty());
  bench.careless.send(bench.payload(), tlm::BEGIN_REQ);
  ASSERT_EQ(bench.checker.breaches.size(), 1u);
  EXPECT_EQ(bench.checker.breaches[0], "checker: BEGIN_REQ before the last one's END_REQ");
}

TEST(ProtocolChecker, FindsARequestSentTwice) {
  CarelessBench bench;
  tlm::tlm_generic_payload& payload = bench.payload();
  bench.careless.send(payload, tlm::BEGIN_REQ);
  bench.careless.send(payload, tlm::BEGIN_REQ);
  EXPECT_EQ(bench.checker.breaches.size(), 1u);
}

TEST(ProtocolChecker, FindsAnEndOfNoResponse) {
  CarelessBench bench;
  tlm::tlm_generic_payload& payload = bench.payload();
  bench.careless.send(payload, tlm::BEGIN_REQ);
  bench.careless.send(payload, tlm::END_RESP);
  EXPECT_EQ(bench.checker.breaches.size(), 1u);
}

}  // namespace memory_stress_test
}  // namespace warpfold
