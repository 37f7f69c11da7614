// SPDX-License-Identifier: Apache-2.0
// Memories of random behaviour behind a GPU: any that the base protocol allows, and one breach of it at a time.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <deque>
#include <random>
#include <string>
#include <vector>

#include "tb/examples/queued_memory.h"
#include "tests/memory/base_protocol_checker.h"
#include "tests/memory/foreign_memory.h"
#include "tests/platform/platform.h"

namespace warpfold::platform_test {

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool one_in(unsigned n) { return below(n) == 0; }
  template <class T>
  T among(const std::vector<T>& all) {
    return all[below(static_cast<unsigned>(all.size()))];
  }

 private:
  std::mt19937 random_;
};

// A machine that sends what such a small kernel asks for in one of many ways.
inline std::vector<std::string> random_sets(Dice& dice) {
  std::vector<std::string> sets = dice.one_in(3) ? kCoresOnly : kExternal;
  sets.push_back("memory.channels=" + std::to_string(1 + dice.below(3)));
  if (dice.one_in(2)) sets.insert(sets.end(), {"memory.l2.size_bytes=1024", "memory.l2.ways=4"});
  if (dice.one_in(3)) sets.push_back("memory.l2.dram_queue_entries=2");
  if (dice.one_in(3)) sets.push_back("memory.l2.mshr_entries=2");
  if (dice.one_in(3)) sets.push_back("memory.l2.sector_bytes=16");
  // Slower than the cores, or so much faster that answers come before the last one has been taken in.
  if (dice.one_in(3)) sets.push_back("memory.interconnect.clock_mhz=733");
  if (dice.one_in(4)) sets.insert(sets.end(), {"memory.interconnect.clock_mhz=4000", "l1d.fill_queue_entries=1"});
  return sets;
}

// How one memory answers: some ways more often than others, at times of its own scale.
class RandomManner {
 public:
  explicit RandomManner(Dice& dice)
      : dice_(dice), step_ps_(dice.among<unsigned>({1, 250, 1538, 5000, 20'000})), always_(dice.below(12)) {}
  test::Manner operator()() {
    test::Manner manner;
    manner.request = static_cast<test::Manner::Request>(always_ < 6 ? always_ : dice_.below(6));
    for (auto* const time : {&manner.end_after, &manner.end_delay, &manner.response_after, &manner.response_delay}) {
      if (dice_.one_in(3)) *time = sc_core::sc_time(step_ps_ * dice_.below(40), sc_core::SC_PS);
    }
    return manner;
  }

 private:
  Dice& dice_;
  unsigned step_ps_, always_;
};

// One memory for each socket, with a checker in front.
class RandomMemories {
 public:
  RandomMemories(Board& board, Dice& dice) {
    for (unsigned n = 0; n < board.sockets(); ++n) {
      const std::string name = "memory_" + std::to_string(n);
      test::BaseProtocolChecker& checker = checkers.emplace_back((name + "_checker").c_str());
      board.socket(n).bind(checker.in);
      const unsigned kind = dice.below(8);
      if (kind == 0) {
        auto& memory = blocking.emplace_back(name.c_str());
        memory.waits = sc_core::sc_time(dice.below(3) * 37.5, sc_core::SC_NS);
        memory.annotates = sc_core::sc_time(dice.below(3) * 11.1, sc_core::SC_NS);
        checker.out.bind(memory.socket);
      } else if (kind == 1) {
        const sc_core::sc_time clock(dice.among<double>({0.5, 1, 1.25, 3}), sc_core::SC_NS);
        queued.emplace_back(name.c_str(), clock, dice.below(60) * clock, 1 + dice.below(4));
        checker.out.bind(queued.back().socket);
      } else {
        auto& memory = scattered.emplace_back(name.c_str());
        memory.manner = RandomManner(dice);
        memory.kept.each = dice.among<unsigned>({0, 0, 1, 3});
        checker.out.bind(memory.socket);
      }
    }
  }
  void release() {
    for (auto& memory : scattered) memory.kept.release();
  }

  std::deque<test::BaseProtocolChecker> checkers;
  std::deque<test::BlockingMemory> blocking;
  std::deque<QueuedMemory> queued;
  std::deque<test::NonBlockingMemory> scattered;
};

// Stands between a socket and a memory that keeps the rules, and breaks one with the n-th transaction that it sees.
class Breach : public sc_core::sc_module {
 public:
  enum class Kind {
    kStatus,
    kSilent,
    kTwice,
    kEndAfterResponse,
    kReturned,
    kCalled,
    kReleased,
    kMadeUp,
    kCommand,
    kKinds
  };

  Breach(sc_core::sc_module_name name, Kind kind, unsigned nth, Dice& dice)
      : sc_module(name),
        in("in"),
        out("out"),
        kind_(kind),
        nth_(nth),
        status_(dice.among<tlm::tlm_response_status>(
            {tlm::TLM_INCOMPLETE_RESPONSE, tlm::TLM_GENERIC_ERROR_RESPONSE, tlm::TLM_ADDRESS_ERROR_RESPONSE,
             tlm::TLM_COMMAND_ERROR_RESPONSE, tlm::TLM_BURST_ERROR_RESPONSE, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE})),
        phase_(dice.among<tlm::tlm_phase>({tlm::UNINITIALIZED_PHASE, tlm::BEGIN_REQ, tlm::END_RESP})),
        made_up_phase_(dice.one_in(2) ? tlm::END_REQ : tlm::BEGIN_RESP),
        ignores_(dice.one_in(2)) {
    in.register_nb_transport_fw(this, &Breach::forward);
    out.register_nb_transport_bw(this, &Breach::backward);
    made_up_.set_address(kNowhere);
  }
  tlm_utils::simple_target_socket<Breach> in;
  tlm_utils::simple_initiator_socket<Breach> out;

  static constexpr sc_dt::uint64 kNowhere = 0xbad0;
  sc_dt::uint64 address = 0;  // of the transaction; 0: it was not seen
  std::string status() const {
    tlm::tlm_generic_payload payload;
    payload.set_response_status(status_);
    if (kind_ == Kind::kCommand) return "made something else of the";
    return kind_ == Kind::kStatus ? payload.get_response_string() : "TLM_";
  }

 private:
  using Payload = tlm::tlm_generic_payload;

  tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ || ++seen_ != nth_) return out->nb_transport_fw(payload, phase, delay);
    victim_ = &payload;
    address = kind_ == Kind::kMadeUp ? kNowhere : payload.get_address();
    if (kind_ == Kind::kSilent) return tlm::TLM_ACCEPTED;
    if (kind_ == Kind::kReturned) {
      phase = phase_;
      return tlm::TLM_UPDATED;
    }
    if (kind_ == Kind::kCalled) later(payload, phase_);
    if (kind_ == Kind::kMadeUp) later(made_up_, made_up_phase_);
    const tlm::tlm_sync_enum status = out->nb_transport_fw(payload, phase, delay);
    const bool response = status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP);
    if (response) respond(payload, delay);
    if (kind_ == Kind::kReleased) payload.release();
    return status;
  }

  tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (&payload == victim_ && phase == tlm::BEGIN_RESP) respond(payload, delay);
    return in->nb_transport_bw(payload, phase, delay);
  }

  void respond(Payload& payload, const sc_core::sc_time& delay) {
    victim_ = nullptr;
    if (kind_ == Kind::kStatus) payload.set_response_status(status_);
    if (kind_ == Kind::kCommand) {
      const tlm::tlm_command opposite = payload.is_read() ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND;
      payload.set_command(ignores_ ? tlm::TLM_IGNORE_COMMAND : opposite);
    }
    if (kind_ == Kind::kTwice) later(payload, tlm::BEGIN_RESP, delay);
    if (kind_ == Kind::kEndAfterResponse) later(payload, tlm::END_REQ, delay);
  }

  void later(Payload& payload, tlm::tlm_phase phase, const sc_core::sc_time& delay = {}) {
    if (payload.has_mm()) payload.acquire();
    sc_core::sc_spawn([this, &payload, phase, delay] {
      sc_core::wait(delay + sc_core::sc_time(100, sc_core::SC_PS));
      tlm::tlm_phase said = phase;
      sc_core::sc_time none;
      in->nb_transport_bw(payload, said, none);
    });
  }

  const Kind kind_;
  const unsigned nth_;
  const tlm::tlm_response_status status_;
  const tlm::tlm_phase phase_, made_up_phase_;
  const bool ignores_;
  Payload made_up_;
  Payload* victim_ = nullptr;
  unsigned seen_ = 0;
};

}  // namespace warpfold::platform_test
