// SPDX-License-Identifier: Apache-2.0
// Memories that know nothing of the model, as platforms have them: sockets of tlm_utils, threads, delays.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <systemc>
#include <tlm>
#include <vector>

namespace warpfold::test {

// Bytes by address; what was never written reads 0xee.
class Bytes {
 public:
  void access(tlm::tlm_generic_payload& payload) {
    for (unsigned i = 0; i < payload.get_data_length(); ++i) {
      const unsigned char* const enables = payload.get_byte_enable_ptr();
      if (enables != nullptr && enables[i % payload.get_byte_enable_length()] != TLM_BYTE_ENABLED) continue;
      unsigned char& byte = payload.get_data_ptr()[i];
      if (payload.is_write()) {
        bytes_[payload.get_address() + i] = byte;
      } else {
        const auto found = bytes_.find(payload.get_address() + i);
        byte = found == bytes_.end() ? 0xee : found->second;
      }
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  const std::map<sc_dt::uint64, unsigned char>& written() const { return bytes_; }

 private:
  std::map<sc_dt::uint64, unsigned char> bytes_;
};

// b_transport alone: the socket's adapter makes it a target of the non-blocking protocol.
class BlockingMemory : public sc_core::sc_module {
 public:
  explicit BlockingMemory(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &BlockingMemory::b_transport);
  }
  tlm_utils::simple_target_socket<BlockingMemory> socket;
  sc_core::sc_time waits, annotates;
  Bytes bytes;
  unsigned requests = 0;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++requests;
    if (waits != sc_core::SC_ZERO_TIME) sc_core::wait(waits);
    delay += annotates;
    bytes.access(payload);
  }
};

// Takes requests and never says anything.
class SilentMemory : public sc_core::sc_module {
 public:
  explicit SilentMemory(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_nb_transport_fw(this, &SilentMemory::nb_transport_fw);
  }
  tlm_utils::simple_target_socket<SilentMemory> socket;

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) {
    return tlm::TLM_ACCEPTED;
  }
};

// How one request is answered.
struct Manner {
  enum class Request { kCompleted, kResponseReturned, kEndReturned, kEndInTheCall, kEndLater, kEndLeftOut };
  Request request = Request::kEndReturned;
  sc_core::sc_time end_after, end_delay;            // of END_REQ, or of what is returned
  sc_core::sc_time response_after, response_delay;  // from END_REQ's call
};

// What a memory holds beyond the end: every so many-th transaction that it is shown.
class Kept {
 public:
  unsigned each = 0;  // 0: none
  void see(tlm::tlm_generic_payload& payload) {
    if (each == 0 || ++seen_ % each != 0) return;
    payload.acquire();
    all_.push_back(&payload);
  }
  const std::vector<tlm::tlm_generic_payload*>& all() const { return all_; }
  void release() {
    for (tlm::tlm_generic_payload* const payload : all_) payload->release();
    all_.clear();
  }

 private:
  unsigned seen_ = 0;
  std::vector<tlm::tlm_generic_payload*> all_;
};

// nb_transport, each request in the manner that `manner` says.
class NonBlockingMemory : public sc_core::sc_module {
 public:
  explicit NonBlockingMemory(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_nb_transport_fw(this, &NonBlockingMemory::nb_transport_fw);
  }
  tlm_utils::simple_target_socket<NonBlockingMemory> socket;
  std::function<Manner()> manner = [] { return Manner{}; };
  std::vector<sc_core::sc_time> requests;
  Bytes bytes;
  Kept kept;

 private:
  using Request = Manner::Request;

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    if (phase == tlm::END_RESP) {
      awaits_end_ = false;
      response_ended_.notify(sc_core::SC_ZERO_TIME);
      return tlm::TLM_COMPLETED;
    }
    requests.push_back(sc_core::sc_time_stamp());
    kept.see(payload);
    Manner now = manner();
    // Two responses must not overlap: while one is under way, this one comes later.
    const bool returns = now.request == Request::kCompleted || now.request == Request::kResponseReturned;
    const bool another = awaits_end_ || responses_under_way_ > 0 || sc_core::sc_time_stamp() < response_free_;
    if (returns && another) {
      now.request = Request::kEndLater;
    } else if (returns) {
      bytes.access(payload);
      delay += now.end_delay;
      response_free_ = sc_core::sc_time_stamp() + delay;
      if (now.request == Request::kCompleted) return tlm::TLM_COMPLETED;
      awaits_end_ = true;
      phase = tlm::BEGIN_RESP;
      return tlm::TLM_UPDATED;
    }
    payload.acquire();
    ++responses_under_way_;
    sc_core::sc_spawn([this, &payload, now] { answer(payload, now); });
    if (now.request == Request::kEndReturned) {
      phase = tlm::END_REQ;
      delay += now.end_delay;
      return tlm::TLM_UPDATED;
    }
    if (now.request == Request::kEndInTheCall) send(payload, tlm::END_REQ, sc_core::SC_ZERO_TIME);
    return tlm::TLM_ACCEPTED;
  }

  void answer(tlm::tlm_generic_payload& payload, const Manner& now) {
    if (now.request == Request::kEndLater) {
      sc_core::wait(now.end_after);
      send(payload, tlm::END_REQ, now.end_delay);
    }
    sc_core::wait(now.end_delay + now.response_after);
    while (awaits_end_ || sc_core::sc_time_stamp() < response_free_) {
      if (awaits_end_) {
        sc_core::wait(response_ended_);
      } else {
        sc_core::wait(response_free_ - sc_core::sc_time_stamp());
      }
    }
    bytes.access(payload);
    response_free_ = sc_core::sc_time_stamp() + now.response_delay;
    send(payload, tlm::BEGIN_RESP, now.response_delay);
    --responses_under_way_;
    payload.release();
  }

  void send(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase, sc_core::sc_time delay) {
    socket->nb_transport_bw(payload, phase, delay);
  }

  bool awaits_end_ = false;
  unsigned responses_under_way_ = 0;
  sc_core::sc_time response_free_;
  sc_core::sc_event response_ended_;
};

}  // namespace warpfold::test
