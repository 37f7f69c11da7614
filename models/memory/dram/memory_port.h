// SPDX-License-Identifier: Apache-2.0
// The boundary between a slice of the L2 and the memory behind it: any target of the TLM-2.0 base protocol.
#pragma once

#include <deque>
#include <systemc>
#include <tlm>

#include "warpfold/common/clock/clock.h"

namespace warpfold {

// Who sends requests through a MemoryPort. Told of what the memory does in an edge of its clock.
class MemoryClient : public Clocked {
 protected:
  friend class MemoryPort;
  virtual void request_taken() = 0;                              // the one for which send() said false
  virtual void answered(tlm::tlm_generic_payload& payload) = 0;  // with TLM_OK_RESPONSE; given back after
};

// An initiator socket of the base protocol (IEEE 1666-2011, 15.2), whatever legal way the target takes: END_REQ may be
// left out before BEGIN_RESP, either may be the return value of the call before it, TLM_COMPLETED may answer at once,
// and all of them may carry a delay. Targets with b_transport alone answer through tlm_utils' adapter, one request at a
// time. Phases that are none of the base protocol's are ignored, DMI hints likewise. BEGIN_RESP is answered by END_RESP
// with TLM_UPDATED, which all targets act on; TLM_COMPLETED some do not (DRAMSys up to 5.5).
//
// What the model's own DRAM says in an edge without a delay is heard in the call. All else, from other processes or
// with a delay, is heard at the client's first edge at or after its time, within deliver(): foreign code never finds
// itself called back by the model from its own call, and never sees its exceptions.
//
// Throws UserError when the memory answers with an error, or breaks the protocol's rules.
class MemoryPort : public tlm::tlm_initiator_socket<>, private tlm::tlm_bw_transport_if<> {
 public:
  MemoryPort(const char* name, MemoryClient& client);

  // May a request be sent: has the one before its END_REQ?
  bool ready() const { return requesting_ == nullptr; }
  // Sends BEGIN_REQ. True: taken at once; false: request_taken() will tell.
  bool send(tlm::tlm_generic_payload& payload);

  // Requests sent whose response was not heard yet. What the memory keeps beyond it (acquire()) is not among them.
  std::size_t unanswered() const { return unanswered_; }

  // The client's tick calls it first while there is something to hear.
  bool has_late() const { return !late_.empty(); }
  void deliver(Cycle now);

 private:
  struct Late {
    sc_core::sc_time at;
    Cycle edge;  // of the client's clock, at which it is heard
    tlm::tlm_generic_payload* payload;
    tlm::tlm_phase phase;
    bool wants_end;  // END_RESP is still to be sent
  };

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 /*first*/, sc_dt::uint64 /*last*/) override {}

  bool updated(tlm::tlm_generic_payload& payload, tlm::tlm_sync_enum status, const tlm::tlm_phase& phase,
               const sc_core::sc_time& delay);
  void postpone(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay,
                bool wants_end);
  void hear(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase);
  void end_request(tlm::tlm_generic_payload& payload);
  void response(tlm::tlm_generic_payload& payload);
  void send_end(tlm::tlm_generic_payload& payload);
  static void give_back(tlm::tlm_generic_payload& payload);
  void check_status(const tlm::tlm_generic_payload& payload) const;
  [[noreturn]] void out_of_order(const tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase,
                                 const char* why) const;
  ClockDomain& clock() const { return client_.clock(); }

  MemoryClient& client_;
  tlm::tlm_generic_payload* requesting_ = nullptr;  // BEGIN_REQ sent, END_REQ not heard
  tlm::tlm_generic_payload* told_ = nullptr;        // what the target is being called about
  std::size_t unanswered_ = 0;
  std::deque<Late> late_;  // by time, then as they came
};

}  // namespace warpfold
