// SPDX-License-Identifier: Apache-2.0
// Stands between two sockets, passes everything on, and notes every breach of the base protocol's rules.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "warpfold/common/clock/port_socket.h"
#include "warpfold/memory/dram/payload_pool.h"

namespace warpfold::test {

// Rules (IEEE 1666-2011, 15.2.6): BEGIN_REQ only when the one before has its END_REQ; END_REQ, BEGIN_RESP and END_RESP
// only for a transaction in that state; BEGIN_RESP only when the one before has its END_RESP.
class ProtocolChecker : public sc_core::sc_module {
 public:
  explicit ProtocolChecker(sc_core::sc_module_name name)
      : sc_module(name), in("in", *this, &ProtocolChecker::forward), out("out", *this, &ProtocolChecker::backward) {}

  TargetPort<ProtocolChecker> in;
  InitiatorPort<ProtocolChecker> out;

  std::vector<std::string> breaches;
  bool quiet() const { return request_ == nullptr && response_ == nullptr && inside_.empty(); }

  // What passed, per core and line, in order: token, is a write, is atomic.
  using Item = std::tuple<std::uint32_t, bool, bool>;
  using Order = std::map<std::pair<std::uint32_t, Address>, std::vector<Item>>;
  Order requests;
  Order responses;

 private:
  using Payload = tlm::tlm_generic_payload;

  void require(bool holds, const char* rule) {
    if (!holds) breaches.push_back(std::string(name()) + ": " + rule);
  }
  static void note(Order& order, Payload& payload) {
    const MemoryExtension& extension = extension_of(payload);
    order[{extension.core, payload.get_address()}].push_back({extension.token, payload.is_write(), extension.atomic});
  }

  tlm::tlm_sync_enum forward(unsigned, Payload& payload, tlm::tlm_phase& phase) {
    if (phase == tlm::END_RESP) {
      require(response_ == &payload, "END_RESP without its BEGIN_RESP");
      response_ = nullptr;
      inside_.erase(&payload);
      return send_forward(out, payload, phase);
    }
    require(phase == tlm::BEGIN_REQ, "an initiator sends BEGIN_REQ and END_RESP");
    require(request_ == nullptr, "BEGIN_REQ before the last one's END_REQ");
    require(inside_.insert(&payload).second, "BEGIN_REQ for a transaction that is under way");
    request_ = &payload;
    note(requests, payload);
    const tlm::tlm_sync_enum answer = send_forward(out, payload, phase);
    if (answer == tlm::TLM_UPDATED) {
      require(phase == tlm::END_REQ && request_ == &payload, "an update of BEGIN_REQ is END_REQ, once");
      request_ = nullptr;
    }
    require(answer != tlm::TLM_COMPLETED, "every request has a response phase");
    return answer;
  }

  tlm::tlm_sync_enum backward(unsigned, Payload& payload, tlm::tlm_phase& phase) {
    if (phase == tlm::END_REQ) {
      require(request_ == &payload, "END_REQ without its BEGIN_REQ");
      request_ = nullptr;
      return send_backward(in, payload, phase);
    }
    require(phase == tlm::BEGIN_RESP, "a target sends END_REQ and BEGIN_RESP");
    require(response_ == nullptr, "BEGIN_RESP before the last one's END_RESP");
    require(inside_.erase(&payload) == 1, "BEGIN_RESP for a transaction that is not under way");
    require(request_ != &payload, "BEGIN_RESP before END_REQ");
    response_ = &payload;
    note(responses, payload);
    // The receiver may give the payload back to its pool within the call, so nothing is read from it afterwards.
    const tlm::tlm_sync_enum answer = send_backward(in, payload, phase);
    if (answer != tlm::TLM_ACCEPTED) {
      require(answer == tlm::TLM_COMPLETED || phase == tlm::END_RESP, "an update of BEGIN_RESP is END_RESP");
      require(response_ == &payload, "END_RESP twice");
      response_ = nullptr;
    } else {
      inside_.insert(&payload);
    }
    return answer;
  }

  Payload* request_ = nullptr;
  Payload* response_ = nullptr;
  std::set<Payload*> inside_;
};

}  // namespace warpfold::test
