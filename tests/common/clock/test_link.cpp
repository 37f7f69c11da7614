// SPDX-License-Identifier: Apache-2.0
// Links between boxes: with one another, with modules that have real sockets, and with nobody.
#include <gtest/gtest.h>

#include <vector>

#include "tests/common/fresh_systemc.h"
#include "warpfold/common/clock/port_socket.h"
#include "warpfold/common/clock/typed_protocol.h"

namespace warpfold {
namespace {

using Protocol = TypedProtocol<int>;

// Adds one to what comes, and calls back with ten times that.
struct Box : sc_core::sc_module {
  explicit Box(sc_core::sc_module_name name) : sc_module(name) {}
  TargetPort<Box, Protocol> in{"in", *this, &Box::take};
  InitiatorPort<Box, Protocol> out{"out", *this, &Box::answered};
  int last_answer = 0;

  tlm::tlm_sync_enum take(unsigned /*port*/, int& payload, tlm::tlm_phase& phase) {
    int answer = 10 * ++payload;
    send_backward(in, answer, phase);
    return tlm::TLM_ACCEPTED;
  }
  tlm::tlm_sync_enum answered(unsigned /*port*/, int& payload, tlm::tlm_phase& /*phase*/) {
    last_answer = payload;
    return tlm::TLM_COMPLETED;
  }
};

// A designer's module, with TLM's own sockets.
struct Foreign : sc_core::sc_module, tlm::tlm_fw_transport_if<Protocol>, tlm::tlm_bw_transport_if<Protocol> {
  explicit Foreign(sc_core::sc_module_name name) : sc_module(name) {
    in.bind(*this);
    out.bind(*this);
  }
  tlm::tlm_target_socket<32, Protocol> in{"in"};
  tlm::tlm_initiator_socket<32, Protocol> out{"out"};
  int last_answer = 0;

  tlm::tlm_sync_enum nb_transport_fw(int& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
    int answer = 100 * ++payload;
    in->nb_transport_bw(answer, phase, delay);
    return tlm::TLM_ACCEPTED;
  }
  tlm::tlm_sync_enum nb_transport_bw(int& payload, tlm::tlm_phase& /*phase*/, sc_core::sc_time& /*delay*/) override {
    last_answer = payload;
    return tlm::TLM_COMPLETED;
  }
  void b_transport(int& /*payload*/, sc_core::sc_time& /*delay*/) override {}
  bool get_direct_mem_ptr(int& /*payload*/, tlm::tlm_dmi& /*dmi*/) override { return false; }
  unsigned int transport_dbg(int& /*payload*/) override { return 0; }
  void invalidate_direct_mem_ptr(sc_dt::uint64 /*first*/, sc_dt::uint64 /*last*/) override {}
};

class Link : public FreshSystemC {
 protected:
  Box from{"from"}, to{"to"};
  int payload = 4;
};

TEST_F(Link, JoinsTwoBoxesBothWays) {
  from.out.bind(to.in);
  EXPECT_EQ(request(from.out, payload), tlm::TLM_ACCEPTED);
  EXPECT_EQ(payload, 5);
  EXPECT_EQ(from.last_answer, 50);
}

TEST_F(Link, TakesRealSocketsAtEitherEnd) {
  Foreign foreign("foreign");
  from.out.bind(foreign.in);
  to.in.bind(foreign.out);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // real sockets are bound now
  EXPECT_EQ(request(from.out, payload), tlm::TLM_ACCEPTED);
  EXPECT_EQ(from.last_answer, 500);
  EXPECT_EQ(request(foreign.out, payload), tlm::TLM_ACCEPTED);
  EXPECT_EQ(payload, 6);
  EXPECT_EQ(foreign.last_answer, 60);
}

TEST_F(Link, IsNoObjectOfTheKernel) { EXPECT_TRUE(from.get_child_objects().empty()); }

TEST_F(Link, SaysThatItIsNotBound) {
  EXPECT_THROW(request(from.out, payload), InternalError);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  EXPECT_THROW(send_backward(to.in, payload, phase), InternalError);
}

TEST_F(Link, IsWrittenDownForWhoeverDrawsBoxes) {
  std::vector<const LinkStart*> links;
  LinkStart::made = &links;
  Box drawn("drawn");
  LinkStart::made = nullptr;
  const Box later("later");
  drawn.out.bind(to.in);
  ASSERT_EQ(links.size(), 1U);
  EXPECT_EQ(links[0]->name(), "out");
  EXPECT_EQ(links[0]->owner(), &drawn);
  EXPECT_EQ(links[0]->peer()->owner(), &to);
}

}  // namespace
}  // namespace warpfold
