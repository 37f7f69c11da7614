// SPDX-License-Identifier: Apache-2.0
#include "warpfold/host/memory/memory_pools.h"

#include <algorithm>

#include "warpfold/host/runtime/context.h"

namespace warpfold::host {

cudaMemPool_t MemoryPools::create() {
  const auto pool = reinterpret_cast<cudaMemPool_t>(++made_);
  pools_[pool];
  return pool;
}

bool MemoryPools::destroy(cudaMemPool_t pool) {
  if (pool == own() || pools_.erase(pool) == 0) return false;
  if (current_ == pool) current_ = own();
  return true;
}

MemoryPools::Pool* MemoryPools::find(cudaMemPool_t pool) {
  const auto found = pools_.find(pool);
  return found == pools_.end() ? nullptr : &found->second;
}

void MemoryPools::allocated(Pool& pool, const DeviceMemory& memory, Address at) {
  pool.allocations[at] = memory.find(at)->name;
  pool.most_used = std::max(pool.most_used, used_bytes(pool, memory));
}

std::uint64_t MemoryPools::used_bytes(Pool& pool, const DeviceMemory& memory) {
  std::uint64_t bytes = 0;
  std::erase_if(pool.allocations, [&](const auto& entry) {
    const Allocation* const allocation = memory.find(entry.first);
    const bool lives = allocation != nullptr && allocation->name == entry.second;
    if (lives) bytes += allocation->bytes;
    return !lives;
  });
  return bytes;
}

namespace {

bool is_count(cudaMemPoolAttr attribute) { return attribute >= cudaMemPoolAttrReservedMemCurrent; }
bool is_switch(cudaMemPoolAttr attribute) { return attribute < cudaMemPoolAttrReleaseThreshold; }
bool is_known(cudaMemPoolAttr attribute) {
  return attribute >= cudaMemPoolReuseFollowEventDependencies && attribute <= cudaMemPoolAttrUsedMemHigh;
}

cudaError_t get(Context& context, MemoryPools::Pool& pool, cudaMemPoolAttr attribute, void* value) {
  const auto set = pool.attributes.find(attribute);
  if (is_switch(attribute)) {
    *static_cast<int*>(value) = set == pool.attributes.end() ? 1 : static_cast<int>(set->second);
    return cudaSuccess;
  }
  std::uint64_t& out = *static_cast<std::uint64_t*>(value);
  const std::uint64_t used = MemoryPools::used_bytes(pool, context.device().memory());
  if (attribute == cudaMemPoolAttrReleaseThreshold) {
    out = set == pool.attributes.end() ? 0 : set->second;
  } else {
    const bool high = attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
    out = high ? pool.most_used : used;
  }
  return cudaSuccess;
}

// Of the counts only the highest can be set, and to zero alone.
cudaError_t set(Context& context, MemoryPools::Pool& pool, cudaMemPoolAttr attribute, const void* value) {
  if (is_switch(attribute)) {
    pool.attributes[attribute] = static_cast<std::uint64_t>(*static_cast<const int*>(value));
    return cudaSuccess;
  }
  const std::uint64_t wanted = *static_cast<const std::uint64_t*>(value);
  if (!is_count(attribute)) {
    pool.attributes[attribute] = wanted;
    return cudaSuccess;
  }
  const bool high = attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
  if (!high || wanted != 0) return cudaErrorInvalidValue;
  pool.most_used = MemoryPools::used_bytes(pool, context.device().memory());
  return cudaSuccess;
}

template <class Use>
cudaError_t with_pool(cudaMemPool_t pool, Use use) {
  return guarded([&](Context& context) {
    MemoryPools::Pool* const found = context.pools.find(pool);
    return found == nullptr ? cudaErrorInvalidValue : use(context, *found);
  });
}

}  // namespace
}  // namespace warpfold::host

using warpfold::host::Context;
using warpfold::host::guarded;
using warpfold::host::MemoryPools;
using warpfold::host::with_pool;

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return guarded([&](Context&) {
    if (device != 0) return cudaErrorInvalidDevice;
    if (pool == nullptr) return cudaErrorInvalidValue;
    *pool = MemoryPools::own();
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return guarded([&](Context& context) {
    if (device != 0) return cudaErrorInvalidDevice;
    if (pool == nullptr) return cudaErrorInvalidValue;
    *pool = context.pools.current();
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return with_pool(pool, [&](Context& context, MemoryPools::Pool&) {
    if (device != 0) return cudaErrorInvalidDevice;
    context.pools.set_current(pool);
    return cudaSuccess;
  });
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return guarded([&](Context& context) {
    if (pool == nullptr || properties == nullptr || properties->allocType != cudaMemAllocationTypePinned ||
        properties->location.type != cudaMemLocationTypeDevice || properties->location.id != 0) {
      return cudaErrorInvalidValue;
    }
    if (properties->handleTypes != cudaMemHandleTypeNone) return cudaErrorNotSupported;
    *pool = context.pools.create();
    return cudaSuccess;
  });
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return guarded([&](Context& context) { return context.pools.destroy(pool) ? cudaSuccess : cudaErrorInvalidValue; });
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return with_pool(pool, [](Context&, MemoryPools::Pool&) { return cudaSuccess; });  // nothing is kept back
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return with_pool(pool, [&](Context& context, MemoryPools::Pool& found) {
    const bool known = value != nullptr && warpfold::host::is_known(attribute);
    return known ? warpfold::host::get(context, found, attribute, value) : cudaErrorInvalidValue;
  });
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return with_pool(pool, [&](Context& context, MemoryPools::Pool& found) {
    const bool known = value != nullptr && warpfold::host::is_known(attribute);
    return known ? warpfold::host::set(context, found, attribute, value) : cudaErrorInvalidValue;
  });
}
// The one device has access to all.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* descriptions, size_t count) {
  return with_pool(pool, [&](Context&, MemoryPools::Pool&) {
    const auto fits = [](const cudaMemAccessDesc& access) {
      return access.location.type == cudaMemLocationTypeDevice && access.location.id == 0 &&
             access.flags == cudaMemAccessFlagsProtReadWrite;
    };
    const bool all = descriptions != nullptr && std::all_of(descriptions, descriptions + count, fits);
    return all ? cudaSuccess : cudaErrorInvalidValue;
  });
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
  return with_pool(pool, [&](Context&, MemoryPools::Pool&) {
    if (flags == nullptr || location == nullptr || location->id != 0) return cudaErrorInvalidValue;
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
  });
}

}  // extern "C"
