// SPDX-License-Identifier: Apache-2.0
// Stands between an initiator and any target of the base protocol, passes everything on with its delay, and notes what
// either does that the standard does not allow.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <map>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

namespace warpfold::test {

// Of IEEE 1666-2011: the order of phases (15.2.2), one request and one response at a time (15.2.6), what the initiator
// sets and the target leaves alone (14.7, 15.2.9), and memory management (14.5).
class BaseProtocolChecker : public sc_core::sc_module {
 public:
  explicit BaseProtocolChecker(sc_core::sc_module_name name) : sc_module(name), in("in"), out("out") {
    in.register_nb_transport_fw(this, &BaseProtocolChecker::forward);
    out.register_nb_transport_bw(this, &BaseProtocolChecker::backward);
  }

  tlm_utils::simple_target_socket<BaseProtocolChecker> in;
  tlm_utils::simple_initiator_socket<BaseProtocolChecker> out;

  std::vector<std::string> breaches;
  std::map<std::string, unsigned> seen;  // phases, by the way in which they came
  unsigned transactions = 0;
  bool quiet() const { return open_.empty() && requesting_ == nullptr && responding_ == nullptr; }

 private:
  using Payload = tlm::tlm_generic_payload;
  enum class State { kRequest, kAccepted, kResponse };
  struct Open {
    State state;
    tlm::tlm_command command;
    sc_dt::uint64 address;
    unsigned char* data;
    unsigned length;
    unsigned char* enables;
    std::vector<unsigned char> written;
    sc_core::sc_time heard;  // when its last phase takes effect
  };

  void require(bool holds, const char* rule) {
    if (!holds) breaches.push_back(rule);
  }

  void begin(Payload& payload, const sc_core::sc_time& at) {
    ++transactions;
    require(requesting_ == nullptr && at >= request_free_, "BEGIN_REQ before the last request's end");
    require(open_.count(&payload) == 0, "BEGIN_REQ of a transaction under way");
    require(payload.has_mm() && payload.get_ref_count() > 0, "a transaction without memory management");
    require(payload.get_data_ptr() != nullptr && payload.get_data_length() > 0, "no data");
    require(payload.get_streaming_width() >= payload.get_data_length(), "a streaming width that wraps");
    require(payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE, "a response status before the response");
    require(!payload.is_dmi_allowed(), "a DMI hint from the initiator");
    require(payload.is_read() || payload.is_write(), "neither read nor write");
    require(payload.get_byte_enable_ptr() == nullptr || payload.get_byte_enable_length() > 0, "no byte enables");
    require(payload.get_gp_option() == tlm::TLM_MIN_PAYLOAD, "an option that nobody asked for");
    Open open{State::kRequest,
              payload.get_command(),
              payload.get_address(),
              payload.get_data_ptr(),
              payload.get_data_length(),
              payload.get_byte_enable_ptr(),
              {},
              at};
    if (payload.is_write()) open.written.assign(open.data, open.data + open.length);
    open_[&payload] = open;
    requesting_ = &payload;
  }

  Open* stable(Payload& payload, const sc_core::sc_time& at, const char* what) {
    const auto found = open_.find(&payload);
    require(found != open_.end(), what);
    if (found == open_.end()) return nullptr;
    Open& open = found->second;
    const bool same = open.command == payload.get_command() && open.address == payload.get_address() &&
                      open.data == payload.get_data_ptr() && open.length == payload.get_data_length() &&
                      open.enables == payload.get_byte_enable_ptr();
    require(same, "attributes changed under way");
    require(std::equal(open.written.begin(), open.written.end(), open.data), "written data changed under way");
    require(payload.get_ref_count() > 0, "a transaction that was given back");
    require(at >= open.heard, "a phase before the one that precedes it");
    open.heard = at;
    return &open;
  }

  void end_request(Payload& payload, const sc_core::sc_time& at) {
    Open* const open = stable(payload, at, "END_REQ of no transaction");
    require(open != nullptr && open->state == State::kRequest && requesting_ == &payload, "END_REQ of no request");
    if (open != nullptr) open->state = State::kAccepted;
    requesting_ = nullptr;
    request_free_ = at;
  }

  void begin_response(Payload& payload, const sc_core::sc_time& at) {
    if (requesting_ == &payload) end_request(payload, at);
    Open* const open = stable(payload, at, "BEGIN_RESP of no transaction");
    require(open != nullptr && open->state == State::kAccepted, "BEGIN_RESP of no accepted request");
    require(responding_ == nullptr && at >= response_free_, "BEGIN_RESP before the last response's end");
    require(payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE, "BEGIN_RESP without a status");
    if (open != nullptr) open->state = State::kResponse;
    responding_ = &payload;
  }

  void end(Payload& payload, const sc_core::sc_time& at) {
    require(responding_ == &payload, "END_RESP of no response");
    stable(payload, at, "END_RESP of no transaction");
    open_.erase(&payload);
    responding_ = nullptr;
    response_free_ = at;
  }

  static sc_core::sc_time after(const sc_core::sc_time& delay) { return sc_core::sc_time_stamp() + delay; }

  tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::END_RESP) {
      ++seen["END_RESP forward"];
      end(payload, after(delay));
      return out->nb_transport_fw(payload, phase, delay);
    }
    require(phase == tlm::BEGIN_REQ, "an initiator sends BEGIN_REQ and END_RESP");
    begin(payload, after(delay));
    const tlm::tlm_sync_enum status = out->nb_transport_fw(payload, phase, delay);
    if (status == tlm::TLM_COMPLETED) {
      ++seen["TLM_COMPLETED"];
      begin_response(payload, after(delay));
      end(payload, after(delay));
    } else if (status == tlm::TLM_UPDATED) {
      ++seen[phase == tlm::END_REQ ? "END_REQ returned" : "BEGIN_RESP returned"];
      phase == tlm::END_REQ ? end_request(payload, after(delay)) : begin_response(payload, after(delay));
    }
    return status;
  }

  tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ) {
      ++seen["END_REQ"];
      end_request(payload, after(delay));
      return in->nb_transport_bw(payload, phase, delay);
    }
    if (phase != tlm::BEGIN_RESP) return in->nb_transport_bw(payload, phase, delay);
    ++seen[requesting_ == &payload ? "BEGIN_RESP alone" : "BEGIN_RESP"];
    begin_response(payload, after(delay));
    payload.acquire();  // the initiator may give it back within the call
    const tlm::tlm_sync_enum status = in->nb_transport_bw(payload, phase, delay);
    const bool ends = status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::END_RESP);
    if (ends) end(payload, after(delay));
    payload.release();
    return status;
  }

  std::map<Payload*, Open> open_;
  Payload* requesting_ = nullptr;
  Payload* responding_ = nullptr;
  sc_core::sc_time request_free_, response_free_;
};

}  // namespace warpfold::test
