// SPDX-License-Identifier: Apache-2.0
// Pooled generic payloads with their extension: after warm-up an access allocates nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <tlm>
#include <vector>

#include "warpfold/common/memory/device_memory.h"
#include "warpfold/memory/dram/memory_protocol.h"

namespace warpfold {

// A core's, or the L2's: nothing is shared by modules that could run on threads of their own. Outlives its users.
// Payloads come with one reference, which release() gives back.
class PayloadPool : public tlm::tlm_mm_interface {
 public:
  PayloadPool() = default;
  PayloadPool(const PayloadPool&) = delete;
  PayloadPool& operator=(const PayloadPool&) = delete;

  tlm::tlm_generic_payload& acquire(tlm::tlm_command command, Address address, std::uint32_t bytes) {
    if (free_.empty()) grow();
    tlm::tlm_generic_payload& payload = *free_.back();
    free_.pop_back();
    payload.acquire();
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    payload.set_byte_enable_ptr(nullptr);
    payload.set_dmi_allowed(false);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return payload;
  }

  // What others have added for the length of a transaction goes with it. One that a memory has yet to answer is no
  // one's to use again: that memory released what it had not acquired, as MemoryPort will tell.
  void free(tlm::tlm_generic_payload* payload) override {
    if (payload->get_extension<MemoryExtension>()->unanswered) return;
    payload->reset();
    free_.push_back(payload);
  }

  std::size_t in_use() const { return all_.size() - free_.size(); }
  std::size_t allocated() const { return all_.size(); }
  // Of those that are in use, while their owner uses none: how many a memory has held for longer than this.
  std::size_t kept_for(const sc_core::sc_time& longest) const;
  const tlm::tlm_generic_payload* first_unanswered() const;  // null: none is

 private:
  void grow() {
    all_.push_back(std::make_unique<tlm::tlm_generic_payload>(this));
    all_.back()->set_extension(new MemoryExtension);  // the payload's destructor frees it
    free_.push_back(all_.back().get());
  }

  std::vector<std::unique_ptr<tlm::tlm_generic_payload>> all_;
  std::vector<tlm::tlm_generic_payload*> free_;
};

// One who sends requests to a core's port.
struct PortClient {
  PayloadPool& pool;
  unsigned core = 0;
  unsigned number = 0;  // of the port's clients

  tlm::tlm_generic_payload& acquire(tlm::tlm_command command, Address address, std::uint32_t bytes, std::uint32_t token,
                                    const ByteMask& mask, bool atomic, const CacheUse& use = {}) const;
};

inline MemoryExtension& extension_of(tlm::tlm_generic_payload& payload) {
  return *payload.get_extension<MemoryExtension>();
}
inline const MemoryExtension& extension_of(const tlm::tlm_generic_payload& payload) {
  return *payload.get_extension<MemoryExtension>();
}

// For targets that may be somebody else's: a data pointer. Writes carry the bytes of `values`; null: of no meaning.
inline void give_data(tlm::tlm_generic_payload& payload, const DeviceMemory* values) {
  std::vector<unsigned char>& data = extension_of(payload).data;
  if (data.size() < payload.get_data_length()) data.resize(payload.get_data_length());
  payload.set_data_ptr(data.data());
  if (values != nullptr && payload.is_write()) {
    values->peek(payload.get_address(), data.data(), payload.get_data_length());
  }
}

// Byte enables, of a request for bytes that others lie between: is_meant(n) for each from its address on.
template <class IsMeant>
void enable_bytes(tlm::tlm_generic_payload& payload, const IsMeant& is_meant) {
  std::vector<unsigned char>& enables = extension_of(payload).enables;
  enables.resize(payload.get_data_length());
  for (std::size_t byte = 0; byte < enables.size(); ++byte) {
    enables[byte] = is_meant(byte) ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
  }
  payload.set_byte_enable_ptr(enables.data());
  payload.set_byte_enable_length(payload.get_data_length());
}

inline std::size_t PayloadPool::kept_for(const sc_core::sc_time& longest) const {
  const auto kept = [&](const auto& payload) {
    return payload->get_ref_count() > 0 && sc_core::sc_time_stamp() - extension_of(*payload).kept_since > longest;
  };
  return static_cast<std::size_t>(std::count_if(all_.begin(), all_.end(), kept));
}

inline const tlm::tlm_generic_payload* PayloadPool::first_unanswered() const {
  const auto unanswered = [](const auto& payload) { return extension_of(*payload).unanswered; };
  const auto found = std::find_if(all_.begin(), all_.end(), unanswered);
  return found == all_.end() ? nullptr : found->get();
}

inline tlm::tlm_generic_payload& PortClient::acquire(tlm::tlm_command command, Address address, std::uint32_t bytes,
                                                     std::uint32_t token, const ByteMask& mask, bool atomic,
                                                     const CacheUse& use) const {
  tlm::tlm_generic_payload& payload = pool.acquire(command, address, bytes);
  MemoryExtension& extension = extension_of(payload);
  extension.core = core;
  extension.client = number;
  extension.token = token;
  extension.mask = mask;
  extension.atomic = atomic;
  extension.l2_eviction = use.l2;
  extension.l2_bytes = use.l2_bytes;
  return payload;
}

}  // namespace warpfold
