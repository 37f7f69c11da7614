// SPDX-License-Identifier: Apache-2.0
// One box of a core alone: a 1 GHz clock, stub sockets that write down what comes, and a script that acts at given
// cycles.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/common/fresh_systemc.h"
#include "warpfold/common/clock/clock.h"
#include "warpfold/common/clock/port_socket.h"
#include "warpfold/common/results/stats.h"
#include "warpfold/core/core_params.h"
#include "warpfold/core/instruction.h"

namespace warpfold {

inline constexpr isa::LaneMask kAll = 0xffff'ffff;  // of 32

// Runs actions at clock edges, at its place in the order of the edge.
class Script : public sc_core::sc_module, public Clocked {
 public:
  Script(sc_core::sc_module_name name, ClockDomain& clock_domain, unsigned index) : sc_module(name) {
    clock_domain.add(*this, index);
  }
  void at(Cycle cycle, std::function<void()> action) {
    actions_.emplace(cycle, std::move(action));
    wake(cycle);
  }
  Cycle tick(Cycle now) override {
    while (!actions_.empty() && actions_.begin()->first <= now) {
      const std::function<void()> action = std::move(actions_.begin()->second);
      actions_.erase(actions_.begin());
      action();
    }
    return actions_.empty() ? kNever : actions_.begin()->first;
  }

 private:
  std::multimap<Cycle, std::function<void()>> actions_;
};

// A target that writes down what arrives and when, and answers as it is told to.
template <class Protocol>
class Sink : public sc_core::sc_module {
 public:
  using Payload = typename Protocol::tlm_payload_type;
  struct Seen {
    Cycle at;
    Payload payload;
  };

  Sink(sc_core::sc_module_name name, ClockDomain& clock_domain) : sc_module(name), clock_(clock_domain) {}

  TargetPort<Sink, Protocol> socket{"socket", *this, &Sink::take};
  std::vector<Seen> seen;
  std::function<tlm::tlm_sync_enum(Payload&, tlm::tlm_phase&)> answer;  // empty: TLM_COMPLETED

  void send_back(Payload& payload, tlm::tlm_phase phase) { send_backward(socket, payload, phase); }

 private:
  tlm::tlm_sync_enum take(unsigned /*port*/, Payload& payload, tlm::tlm_phase& phase) {
    const tlm::tlm_sync_enum result = answer ? answer(payload, phase) : tlm::TLM_COMPLETED;
    seen.push_back({clock_.current(), payload});
    return result;
  }
  ClockDomain& clock_;
};

// An initiator that sends on demand and writes down when its peer calls back.
template <class Protocol>
class Source : public sc_core::sc_module {
 public:
  using Payload = typename Protocol::tlm_payload_type;
  struct Called {
    Cycle at;
    tlm::tlm_phase phase;
  };

  Source(sc_core::sc_module_name name, ClockDomain& clock_domain) : sc_module(name), clock_(clock_domain) {}

  InitiatorPort<Source, Protocol> socket{"socket", *this, &Source::called_back};
  std::vector<Called> called;
  Payload last{};  // that came with a call
  std::function<void()> on_call;

  tlm::tlm_sync_enum send(Payload& payload) { return request(socket, payload); }

 private:
  tlm::tlm_sync_enum called_back(unsigned /*port*/, Payload& payload, tlm::tlm_phase& phase) {
    last = payload;
    called.push_back({clock_.current(), phase});
    if (on_call) on_call();
    return tlm::TLM_COMPLETED;
  }
  ClockDomain& clock_;
};

class CoreTest : public FreshSystemC {
 protected:
  // Runs the edges 0 to cycles - 1 of a fresh simulation, or so many more of one that has run.
  void run(Cycle cycles) {
    sc_core::sc_start(sc_core::sc_time(static_cast<double>(cycles), sc_core::SC_NS));
    clocks.rethrow();
  }
  std::uint64_t stat(std::string_view name) const {
    for (const StatGroup::Entry& entry : stats.entries()) {
      if (entry.info.name == name) return entry.counter.value();
    }
    ADD_FAILURE() << "no statistic " << name;
    return 0;
  }

  ClockTree clocks{"clocks"};
  ClockDomain& clock = clocks.domain(1000);  // edge n at n nanoseconds
  StatGroup stats{"core0"};
  CoreParams params;
};

// An instruction of warp `warp`, all 32 lanes active.
inline Instruction instruction_of(const isa::MicroOp& op, divergence::WarpId warp, Cycle issued_at) {
  Instruction instruction;
  instruction.warp = warp;
  instruction.op = &op;
  instruction.active = instruction.executed = 0xffff'ffff;
  instruction.issued_at = issued_at;
  return instruction;
}

}  // namespace warpfold
