// SPDX-License-Identifier: Apache-2.0
// The spill unit: takes parts of the divergence mechanism's structures to memory and back.
#pragma once

#include <systemc>
#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/clock/port_socket.h"
#include "warpfold/core/core_protocols.h"
#include "warpfold/divergence/warp.h"
#include "warpfold/memory/dram/payload_pool.h"
#include "warpfold/memory/l1/byte_mask.h"

namespace warpfold {

// Parts pass the L1 by and go to the L2 as requests of up to a line each: the tokens of a stack have the size of an L2
// line, as if they went to global memory (Divergence cost §IV), bottoms of block-wide stacks go to memory (TBC §7),
// warps beyond Second-Level to DRAM (HARP §7.3). One request is offered to the core's port at a time, in turns among
// the owners; lines of one part that is read follow one another, parts of one owner wait for each other.
//
// Their memory lies apart from the program's (isa::kSpillBacking). The first lines of all owners of all cores come
// first, then all second ones: a structure that spills little takes little room in the L2, and its lines spread over
// all slices. The L2 keeps them from launch to launch, as it keeps all else.
class SpillUnit : public sc_core::sc_module, public Clocked {
 public:
  struct Place {
    unsigned cores = 1;
    unsigned line_bytes = 64;
    unsigned owners = 1;
  };

  TargetPort<SpillUnit, SpillProtocol> request_socket{"request_socket", *this, &SpillUnit::accept};
  InitiatorPort<SpillUnit> memory_socket{"memory_socket", *this, &SpillUnit::answered};

  SpillUnit(sc_core::sc_module_name name, const Place& place, PortClient client, ClockDomain& core_clock,
            unsigned index);
  Cycle tick(Cycle now) override;

  // Nothing under way, writes acknowledged.
  bool idle() const { return busy_owners_ == 0 && unanswered_ == 0; }
  Cycle last_answered() const { return last_answered_; }

 private:
  struct Owner {
    std::vector<divergence::Spill> parts;  // in order; [0] is being served
    unsigned sent = 0;                     // bytes of it
    unsigned to_come = 0;                  // lines of it
  };

  tlm::tlm_sync_enum accept(unsigned port, SpillRequest& request, tlm::tlm_phase& phase);
  tlm::tlm_sync_enum answered(unsigned port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase);

  Address address_of(unsigned owner, std::uint64_t line) const;
  void send();
  void send_line(unsigned owner);
  void take_in(tlm::tlm_generic_payload& payload);
  void part_done(unsigned owner);

  const Place place_;
  const PortClient client_;
  std::vector<Owner> owners_;
  divergence::WarpSet ready_;  // owners that have a line to send
  unsigned turn_ = 0;
  unsigned busy_owners_ = 0;
  unsigned unanswered_ = 0;
  bool offered_ = false;  // a request to the port, whose END_REQ is to come
  Cycle last_answered_ = 0;
  std::vector<tlm::tlm_generic_payload*> answers_, taken_;  // since the last tick; being taken in
  std::vector<unsigned> done_, told_;                       // owners that are to be told, or are being
};

}  // namespace warpfold
