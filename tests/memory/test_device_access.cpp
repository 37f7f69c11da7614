// SPDX-License-Identifier: Apache-2.0
// Device memory from a bus: data, errors, debug transport and DMI, at the device's addresses and at offsets.
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "tests/memory/simulation.h"
#include "warpfold/memory/device_access.h"

namespace warpfold {
namespace device_access_test {

struct Master : sc_core::sc_module {
  explicit Master(sc_core::sc_module_name name) : sc_module(name), socket("socket") {}
  tlm_utils::simple_initiator_socket<Master> socket;
};

constexpr std::uint64_t kBytes = 4096;

struct Bench {
  explicit Bench(Address origin_at = DeviceMemory::kBase)
      : origin(origin_at), memory(kBytes), access("access", memory, origin), master("master") {
    master.socket.bind(access.socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  tlm::tlm_generic_payload& payload(tlm::tlm_command command, std::uint64_t offset, std::vector<unsigned char>& data) {
    request.set_command(command);
    request.set_address(origin + offset);
    request.set_data_ptr(data.data());
    request.set_data_length(static_cast<unsigned>(data.size()));
    request.set_streaming_width(static_cast<unsigned>(data.size()));
    request.set_byte_enable_ptr(nullptr);
    request.set_dmi_allowed(false);
    request.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return request;
  }
  tlm::tlm_response_status transport(tlm::tlm_generic_payload& of) {
    sc_core::sc_time delay(3, sc_core::SC_NS);
    master.socket->b_transport(of, delay);
    EXPECT_EQ(delay, sc_core::sc_time(3, sc_core::SC_NS));
    return of.get_response_status();
  }

  test::Simulation simulation;
  Address origin;
  DeviceMemory memory;
  DeviceAccess access;
  Master master;
  tlm::tlm_generic_payload request;
};

std::vector<unsigned char> counting(std::size_t bytes) {
  std::vector<unsigned char> data(bytes);
  std::iota(data.begin(), data.end(), static_cast<unsigned char>(1));
  return data;
}

TEST(DeviceAccess, DataGoesInAndComesBack) {
  for (const Address origin : {DeviceMemory::kBase, Address{0}, Address{0x8000'0000}}) {
    Bench bench(origin);
    std::vector<unsigned char> in = counting(100), out(100);
    EXPECT_EQ(bench.transport(bench.payload(tlm::TLM_WRITE_COMMAND, 300, in)), tlm::TLM_OK_RESPONSE);
    EXPECT_TRUE(bench.request.is_dmi_allowed());
    EXPECT_EQ(std::memcmp(bench.memory.host(DeviceMemory::kBase + 300), in.data(), in.size()), 0);
    EXPECT_EQ(bench.transport(bench.payload(tlm::TLM_READ_COMMAND, 300, out)), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(in, out);
  }
}

TEST(DeviceAccess, ByteEnablesRepeat) {
  Bench bench;
  std::vector<unsigned char> in = counting(6);
  unsigned char enables[] = {TLM_BYTE_DISABLED, TLM_BYTE_ENABLED};
  tlm::tlm_generic_payload& payload = bench.payload(tlm::TLM_WRITE_COMMAND, 0, in);
  payload.set_byte_enable_ptr(enables);
  payload.set_byte_enable_length(2);
  EXPECT_EQ(bench.transport(payload), tlm::TLM_OK_RESPONSE);
  const unsigned char expected[] = {0, 2, 0, 4, 0, 6};
  EXPECT_EQ(std::memcmp(bench.memory.host(DeviceMemory::kBase), expected, 6), 0);
}

TEST(DeviceAccess, WhatIsNotThereIsAnError) {
  Bench bench;
  std::vector<unsigned char> data(16);
  EXPECT_EQ(bench.transport(bench.payload(tlm::TLM_READ_COMMAND, kBytes - 8, data)), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(bench.transport(bench.payload(tlm::TLM_READ_COMMAND, ~std::uint64_t{15}, data)),
            tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_FALSE(bench.request.is_dmi_allowed());
  tlm::tlm_generic_payload& stream = bench.payload(tlm::TLM_WRITE_COMMAND, 0, data);
  stream.set_streaming_width(4);
  EXPECT_EQ(bench.transport(stream), tlm::TLM_BURST_ERROR_RESPONSE);
}

TEST(DeviceAccess, DebugTransportGoesAsFarAsTheMemory) {
  Bench bench;
  std::vector<unsigned char> in = counting(16), out(16);
  EXPECT_EQ(bench.master.socket->transport_dbg(bench.payload(tlm::TLM_WRITE_COMMAND, kBytes - 10, in)), 10u);
  EXPECT_EQ(bench.master.socket->transport_dbg(bench.payload(tlm::TLM_READ_COMMAND, kBytes - 10, out)), 10u);
  EXPECT_EQ(out[9], 10);
  EXPECT_EQ(out[10], 0);
  EXPECT_EQ(bench.master.socket->transport_dbg(bench.payload(tlm::TLM_READ_COMMAND, kBytes, out)), 0u);
}

TEST(DeviceAccess, DmiIsTheWholeMemory) {
  Bench bench(0x1000);
  std::vector<unsigned char> data(4);
  tlm::tlm_dmi dmi;
  ASSERT_TRUE(bench.master.socket->get_direct_mem_ptr(bench.payload(tlm::TLM_READ_COMMAND, 40, data), dmi));
  EXPECT_EQ(dmi.get_start_address(), 0x1000u);
  EXPECT_EQ(dmi.get_end_address(), 0x1000u + kBytes - 1);
  EXPECT_TRUE(dmi.is_read_write_allowed());
  dmi.get_dmi_ptr()[40] = 77;
  EXPECT_EQ(*bench.memory.host(DeviceMemory::kBase + 40), std::byte{77});
  EXPECT_FALSE(bench.master.socket->get_direct_mem_ptr(bench.payload(tlm::TLM_READ_COMMAND, kBytes, data), dmi));
}

}  // namespace device_access_test
}  // namespace warpfold
