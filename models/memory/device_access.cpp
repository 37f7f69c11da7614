// SPDX-License-Identifier: Apache-2.0
#include "warpfold/memory/device_access.h"

#include <algorithm>
#include <cstring>

namespace warpfold {

DeviceAccess::DeviceAccess(sc_core::sc_module_name name, DeviceMemory& memory, Address origin)
    : sc_module(name), socket("socket"), memory_(memory), origin_(origin) {
  socket.register_b_transport(this, &DeviceAccess::b_transport);
  socket.register_transport_dbg(this, &DeviceAccess::transport_dbg);
  socket.register_get_direct_mem_ptr(this, &DeviceAccess::get_direct_mem_ptr);
}

bool DeviceAccess::holds(Address at, std::uint64_t bytes) const {
  return at >= origin_ && memory_.contains(memory_.base() + (at - origin_), bytes);
}

unsigned char* DeviceAccess::bytes(Address at) const {
  return reinterpret_cast<unsigned char*>(memory_.host(memory_.base() + (at - origin_)));
}

void DeviceAccess::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
  payload.set_response_status(access(payload));
  payload.set_dmi_allowed(payload.is_response_ok());
}

tlm::tlm_response_status DeviceAccess::access(tlm::tlm_generic_payload& payload) const {
  const unsigned length = payload.get_data_length();
  if (!holds(payload.get_address(), length)) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (payload.get_streaming_width() < length) return tlm::TLM_BURST_ERROR_RESPONSE;
  unsigned char* const there = bytes(payload.get_address());
  unsigned char* const data = payload.get_data_ptr();
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  const auto copy = [&](unsigned first, unsigned count) {
    if (payload.is_write()) std::memcpy(there + first, data + first, count);
    if (payload.is_read()) std::memcpy(data + first, there + first, count);
  };
  if (enables == nullptr) {
    copy(0, length);
    return tlm::TLM_OK_RESPONSE;
  }
  for (unsigned byte = 0; byte < length; ++byte) {
    if (enables[byte % payload.get_byte_enable_length()] == TLM_BYTE_ENABLED) copy(byte, 1);
  }
  return tlm::TLM_OK_RESPONSE;
}

// As many bytes as there are.
unsigned DeviceAccess::transport_dbg(tlm::tlm_generic_payload& payload) {
  const Address at = payload.get_address();
  if (!holds(at, 1)) return 0;
  const std::uint64_t room = memory_.capacity() - (at - origin_);
  const auto count = static_cast<unsigned>(std::min<std::uint64_t>(payload.get_data_length(), room));
  if (payload.is_write()) std::memcpy(bytes(at), payload.get_data_ptr(), count);
  if (payload.is_read()) std::memcpy(payload.get_data_ptr(), bytes(at), count);
  return count;
}

bool DeviceAccess::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  if (!holds(payload.get_address(), 1)) {
    dmi.allow_none();
    dmi.set_start_address(payload.get_address());
    dmi.set_end_address(payload.get_address());
    return false;
  }
  dmi.set_dmi_ptr(bytes(origin_));
  dmi.set_start_address(origin_);
  dmi.set_end_address(origin_ + memory_.capacity() - 1);
  dmi.allow_read_write();
  return true;
}

}  // namespace warpfold
