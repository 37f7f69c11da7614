// SPDX-License-Identifier: Apache-2.0
// A machine without cores: scripted load/store units in front of real caches, ports and memory.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "tests/memory/simulation.h"
#include "warpfold/common/clock/clock.h"
#include "warpfold/common/results/stats.h"
#include "warpfold/memory/l1/l1_cache.h"
#include "warpfold/memory/memory_system.h"
#include "warpfold/memory/network/core_port.h"

namespace warpfold::test {

// Offers its accesses in order, one per core cycle, again and again while they are turned away; notes what comes back.
class ScriptedUnit : public sc_core::sc_module, public Clocked {
 public:
  struct Step {
    CacheAccess::Kind kind = CacheAccess::Kind::kLoad;
    Address line = 0;
    std::uint32_t bytes = 64;
    Cycle not_before = 0;
    ByteMask mask{};
    bool local = false;
    CacheUse use{};
  };
  struct Outcome {
    CacheAccess::Answer answer{};
    Cycle issued = 0;
    Cycle done = kNever;
    unsigned responses = 0;
    std::uint64_t sequence = 0;  // place in the order of completion
  };

  ScriptedUnit(sc_core::sc_module_name name, ClockDomain& clock, unsigned index)
      : sc_module(name), socket("socket", *this, &ScriptedUnit::response) {
    clock.add(*this, index);
  }
  InitiatorPort<ScriptedUnit, CacheProtocol> socket;

  std::vector<Step> steps;
  std::vector<Outcome> outcomes;
  std::map<CacheAccess::Answer, unsigned> turned_away;

  void start() {
    outcomes.assign(steps.size(), {});
    next_ = 0;
    if (!steps.empty()) wake(steps[0].not_before);
  }
  bool done() const {
    for (const Outcome& outcome : outcomes) {
      if (outcome.done == kNever) return false;
    }
    return next_ == steps.size();
  }

  Cycle tick(Cycle now) override {
    if (next_ == steps.size()) return kNever;
    if (steps[next_].not_before > now) return steps[next_].not_before;
    CacheAccess access;
    access.kind = steps[next_].kind;
    access.line = steps[next_].line;
    access.bytes = steps[next_].bytes;
    access.token = static_cast<std::uint32_t>(next_);
    access.mask = steps[next_].mask;
    access.local = steps[next_].local;
    access.use = steps[next_].use;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    Outcome& outcome = outcomes[next_];
    send_forward(socket, access, phase);
    if (access.answer == CacheAccess::Answer::kBlockedMshr || access.answer == CacheAccess::Answer::kBlockedQueue) {
      ++turned_away[access.answer];
      return kNever;
    }
    outcome.answer = access.answer;
    outcome.issued = now;
    if (access.answer == CacheAccess::Answer::kHit) complete(outcome, access.done_at);
    ++next_;
    if (next_ == steps.size()) return kNever;
    return std::max(now + 1, steps[next_].not_before);
  }

 private:
  tlm::tlm_sync_enum response(unsigned, CacheAccess& access, tlm::tlm_phase& phase) {
    if (phase == tlm::END_REQ) {
      wake();
      return tlm::TLM_ACCEPTED;
    }
    complete(outcomes.at(access.token), access.done_at);
    return tlm::TLM_COMPLETED;
  }
  void complete(Outcome& outcome, Cycle at) {
    outcome.done = at;
    outcome.sequence = sequence_++;
    ++outcome.responses;
  }
  std::size_t next_ = 0;
  std::uint64_t sequence_ = 0;
};

struct MachineParams {
  unsigned cores = 1;
  std::uint32_t core_mhz = 1300;
  L1Params l1;
  MemoryParams memory;
  bool reversed = false;  // construct cores from the last to the first
};

// cores x (unit, L1, port) in front of a MemorySystem.
class Machine {
 public:
  explicit Machine(const MachineParams& params)
      : clocks("clocks"),
        memory_clock(clocks.domain(params.memory.dram.clock_mhz)),
        network_clock(clocks.domain(params.memory.interconnect.clock_mhz)),
        core_clock(clocks.domain(params.core_mhz)),
        memory("memory", params.memory, params.cores, memory_clock, network_clock, stats),
        units(params.cores),
        l1s(params.cores) {
    for (unsigned n = 0; n < params.cores; ++n) add_core(params, params.reversed ? params.cores - 1 - n : n);
  }

  void run() {
    for (ScriptedUnit* unit : units) unit->start();
    sc_core::sc_start();
    clocks.rethrow();
  }

  // The counter summed over all objects that have it.
  std::uint64_t total(std::string_view name) const {
    std::uint64_t sum = 0;
    for (const StatGroup& group : stats.groups()) {
      for (const StatGroup::Entry& entry : group.entries()) {
        if (entry.info.name == name) sum += entry.counter.value();
      }
    }
    return sum;
  }

  // Every simulated figure, whatever the order in which objects were made.
  std::map<std::string, std::uint64_t> figures() const {
    std::map<std::string, std::uint64_t> all;
    for (const StatGroup& group : stats.groups()) {
      for (const StatGroup::Entry& entry : group.entries()) {
        all[group.object() + "." + entry.info.name] = entry.counter.value();
      }
    }
    return all;
  }

  Simulation simulation;
  StatRegistry stats;
  PayloadPool pool;
  ClockTree clocks;
  ClockDomain& memory_clock;
  ClockDomain& network_clock;
  ClockDomain& core_clock;
  MemorySystem memory;
  std::vector<ScriptedUnit*> units;
  std::vector<L1Cache*> l1s;

 private:
  void add_core(const MachineParams& params, unsigned n) {
    const std::string number = std::to_string(n);
    StatGroup& group = stats.group("core" + number);
    L1Cache& l1 = l1_store_.emplace_back(("l1_" + number).c_str(), params.l1, core_clock, n * 4, group, "l1d",
                                         PortClient{pool, n, 0});
    CorePort& port = port_store_.emplace_back(("port_" + number).c_str(), params.memory.interconnect.packet, core_clock,
                                              n * 4 + 2, group, 1);
    ScriptedUnit& unit = unit_store_.emplace_back(("unit_" + number).c_str(), core_clock, n * 4 + 1);
    unit.socket.bind(l1.cpu_socket);
    l1.memory_socket.bind(port.client_sockets[0]);
    port.network_socket.bind(memory.core_socket(n));
    units[n] = &unit;
    l1s[n] = &l1;
  }
  std::deque<L1Cache> l1_store_;
  std::deque<CorePort> port_store_;
  std::deque<ScriptedUnit> unit_store_;
};

}  // namespace warpfold::test
