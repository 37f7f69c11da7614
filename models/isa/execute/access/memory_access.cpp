// SPDX-License-Identifier: Apache-2.0
// Loads and stores: addresses of the lanes, their bounds, and the way of the values.
#include <algorithm>
#include <bit>
#include <cstring>

#include "warpfold/common/error.h"
#include "warpfold/isa/address_space.h"
#include "warpfold/isa/execute/access/generic_window.h"
#include "warpfold/isa/execute/execute.h"
#include "warpfold/isa/execute/ops/lane_function.h"

namespace warpfold::isa {
namespace {

Address host_address(const std::byte* at) { return reinterpret_cast<Address>(at); }

template <class T>
T read_host(Address at) {
  T value;
  std::memcpy(&value, reinterpret_cast<const std::byte*>(at), sizeof(T));
  return value;
}

template <class T>
void write_host(Address at, T value) {
  std::memcpy(reinterpret_cast<std::byte*>(at), &value, sizeof(T));
}

// Of all lanes: the greatest distance from the region's first byte (wrapping, so that what lies before it is far), and
// all address bits.
struct Extent {
  Address farthest, bits;
};

// address[lane] = address_of(lane); lanes outside `mask` take the address of lane `first`, so that no loop behind this
// one needs a mask. One accumulator per lane of a group: vector instructions.
template <bool kFull, class F>
Extent spread(Address* address, unsigned width, LaneMask mask, unsigned first, Address begin, F address_of) {
  const Address stand_in = address_of(first);
  std::array<Address, kLaneGroup> far{}, bits{};
  for (std::size_t base = 0; base < width; base += kLaneGroup) {
#ifndef __clang__
#pragma GCC unroll 1
#endif
    for (std::size_t lane = 0; lane < kLaneGroup; ++lane) {
      const Address at = kFull || (mask >> (base + lane) & 1) != 0 ? address_of(base + lane) : stand_in;
      address[base + lane] = at;
      const Address distance = at - begin;
      far[lane] = distance > far[lane] ? distance : far[lane];
      bits[lane] |= at;
    }
  }
  Extent all{0, 0};
  for (std::size_t lane = 0; lane < kLaneGroup; ++lane) {
    all.farthest = far[lane] > all.farthest ? far[lane] : all.farthest;
    all.bits |= bits[lane];
  }
  return all;
}

bool contiguous(const Address* where, unsigned width, unsigned bytes) {
  if (where[width - 1] - where[0] != Address{width - 1} * bytes) return false;  // spares most others the loop
  Address differs = 0;
  for (unsigned lane = 0; lane < width; ++lane) differs |= where[lane] ^ (where[0] + lane * bytes);
  return differs == 0;
}

// Is each of the addresses of a lane group so many bytes behind the one before?
bool strides(const Address* where, Address bytes) {
  if (where[kLaneGroup - 1] - where[0] != (kLaneGroup - 1) * bytes) return false;  // spares most others the loop
  Address differs = 0;
#ifndef __clang__
#pragma GCC unroll 1
#endif
  for (std::size_t lane = 0; lane < kLaneGroup; ++lane) differs |= where[lane] ^ (where[0] + lane * bytes);
  return differs == 0;
}

// Neighbouring lanes mostly read neighbouring words, or one word together.
void load_words(const Address* where, Address delta, unsigned width, std::uint32_t* low) {
  unsigned lane = 0;
  for (; lane + kLaneGroup <= width; lane += kLaneGroup) {
    if (strides(where + lane, sizeof(std::uint32_t))) {
      std::memcpy(low + lane, reinterpret_cast<const std::byte*>(where[lane] + delta), kLaneGroup * sizeof *low);
    } else if (strides(where + lane, 0)) {
      std::fill_n(low + lane, kLaneGroup, read_host<std::uint32_t>(where[lane] + delta));
    } else {
      for (unsigned l = lane; l < lane + kLaneGroup; ++l) low[l] = read_host<std::uint32_t>(where[l] + delta);
    }
  }
  for (; lane < width; ++lane) low[lane] = read_host<std::uint32_t>(where[lane] + delta);
}

// One element per lane into lane arrays; `high` may be null. Lanes that do not execute have the address of one that
// does.
template <class T>
void load_lanes(const Address* where, Address delta, unsigned width, std::uint32_t* low, std::uint32_t* high) {
  const auto extend = [](T value) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)); };
  if (high == nullptr) {
    if constexpr (sizeof(T) == sizeof *low) return load_words(where, delta, width, low);
    for (unsigned lane = 0; lane < width; ++lane) {
      low[lane] = static_cast<std::uint32_t>(extend(read_host<T>(where[lane] + delta)));
    }
    return;
  }
  for (unsigned lane = 0; lane < width; ++lane) {
    const std::uint64_t value = extend(read_host<T>(where[lane] + delta));
    low[lane] = static_cast<std::uint32_t>(value);
    high[lane] = static_cast<std::uint32_t>(value >> 32);
  }
}

using LoadLanes = void (*)(const Address*, Address, unsigned, std::uint32_t*, std::uint32_t*);

LoadLanes loader(unsigned bytes, bool sign_extend) {
  switch (bytes) {
    case 1:
      return sign_extend ? &load_lanes<std::int8_t> : &load_lanes<std::uint8_t>;
    case 2:
      return sign_extend ? &load_lanes<std::int16_t> : &load_lanes<std::uint16_t>;
    case 4:
      return sign_extend ? &load_lanes<std::int32_t> : &load_lanes<std::uint32_t>;
    default:
      return &load_lanes<std::uint64_t>;
  }
}

// In lane order: where lanes store to one place, the highest lane's value stays (PTX leaves it open).
template <class T>
void store_lanes(const Address* where, Address delta, LaneMask mask, const std::uint32_t* low,
                 const std::uint32_t* high) {
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    std::uint64_t value = low[lane];
    if constexpr (sizeof(T) == 8) value |= std::uint64_t{high[lane]} << 32;
    write_host(where[lane] + delta, static_cast<T>(value));
  }
}

}  // namespace

// The allocation, shared memory or bank in which the lowest lane's access lies. The common case is that all others lie
// there too.
Executor::Region Executor::region_of(Space space, Address address) {
  const Window window = window_of(space, address);
  Region region{.space = window.space, .window = window.begin};
  switch (window.space) {
    case Space::kGlobal:
    case Space::kTexture:
      if (last_allocation_ == nullptr || !last_allocation_->holds(address, 1)) {
        const Allocation* const allocation = memory_->find(address);
        if (allocation == nullptr) break;
        last_allocation_ = allocation;
      }
      region.begin = last_allocation_->begin;
      region.bytes = last_allocation_->bytes;
      region.host = memory_->host(region.begin);
      break;
    case Space::kShared:
      if (BlockState* const block = common_block()) {
        region.bytes = block->shared.size();
        region.host = block->shared.data();
      }
      break;
    case Space::kConst:
      region.bytes = launch_->const_bank->size();
      region.host = launch_->const_bank->data();
      break;
    case Space::kParam:
      region.bytes = launch_->parameters.size();
      region.host = launch_->parameters.data();
      break;
    case Space::kLocal:
    case Space::kGeneric:
      break;  // no bytes that all lanes share
  }
  return region;
}

// Faults at the first lane whose address is not aligned to the whole access (PTX ISA §6.4.1) or lies outside what it
// may touch.
void Executor::resolve(Access& access) {
  const MicroOp& op = access.op;
  Outcome& outcome = access.outcome;
  outcome.access_bytes = access.bytes;
  const auto offset = static_cast<Address>(op.offset);
  const auto over_lanes = [&](auto address_of) {
    if (checker_ != nullptr) [[unlikely]] {
      for (LaneMask rest = active_; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        outcome.address[lane] = address_of(lane);
      }
      return resolve_checked(access);
    }
    const Region region = region_of(op.space, address_of(first_));
    const auto in_window = [=](std::size_t lane) { return address_of(lane) - region.window; };
    const bool full = active_ == ~LaneMask{0} >> (kMaxLanes - width_);
    Address* const address = outcome.address.data();
    const Extent extent = full ? spread<true>(address, width_, active_, first_, region.begin, in_window)
                               : spread<false>(address, width_, active_, first_, region.begin, in_window);
    if ((extent.bits & (access.bytes - 1)) != 0) [[unlikely]]
      check_alignment(access, region.window);
    outcome.space = region.space;
    if (access.bytes <= region.bytes && extent.farthest <= region.bytes - access.bytes) {
      access.where = address;
      access.delta = host_address(region.host) - region.begin;
    } else {
      resolve_lane_by_lane(access, op.space, region);
    }
  };
  if (op.base == kNoWord) return over_lanes([=](std::size_t) { return offset; });
  const std::uint32_t* const low = source(op.base, source_[0]);
  if (!op.base_wide) {
    const auto narrow_offset = static_cast<std::uint32_t>(offset);
    return over_lanes([=](std::size_t lane) { return Address{low[lane] + narrow_offset}; });
  }
  const std::uint32_t* const high = source(static_cast<Word>(op.base + 1), source_[1]);
  over_lanes([=](std::size_t lane) { return (Address{high[lane]} << 32 | low[lane]) + offset; });
}

void Executor::check_alignment(const Access& access, Address window) const {
  for (LaneMask rest = active_; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Address address = access.outcome.address[lane] + window;
    if ((address & (access.bytes - 1)) != 0) misaligned(access, lane, address);
  }
}

// The block of all executing lanes, or null if they belong to several.
BlockState* Executor::common_block() const {
  BlockState* const block = threads_->row_[row_of(first_)].block;
  if (one_row_) return block;
  for (LaneMask rest = active_; rest != 0; rest &= rest - 1) {
    if (threads_->row_[row_of(static_cast<unsigned>(std::countr_zero(rest)))].block != block) return nullptr;
  }
  return block;
}

void Executor::resolve_lane_by_lane(Access& access, Space space, const Region& region) {
  auto& address = access.outcome.address;
  for (LaneMask rest = active_; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Window window = window_of(space, address[lane] + region.window);
    reaches_others_ |= window.space == Space::kGlobal;
    reaches_own_ |= window.space == Space::kShared || window.space == Space::kLocal;
    address[lane] += region.window - window.begin;
    host_[lane] = host_address(locate(access, lane, window.space, address[lane]));
    address[lane] = in_one_space(lane, window.space, access.outcome.space, address[lane]);
  }
  for (unsigned lane = 0; lane < width_; ++lane) host_[lane] = active_ >> lane & 1 ? host_[lane] : host_[first_];
  access.where = host_.data();
  access.delta = 0;
}

// Lanes whose addresses lie in several spaces take time in the first one's: a lane in global memory is there then where
// place_on_machine() leaves it alone.
Address Executor::in_one_space(unsigned lane, Space space, Space of_all, Address address) const {
  if (space == Space::kLocal) return local_backing(lane, address);
  const bool elsewhere = space == Space::kGlobal && of_all != Space::kGlobal && of_all != Space::kTexture;
  return elsewhere && memory_->shares() ? memory_->on_machine(address) : address;
}

void Executor::place_shared_on_machine(const MicroOp& op, Outcome& outcome) const {
  if (op.image.dimensions != 0) {
    for (Outcome::Texel& texel : outcome.texels) texel.address = memory_->on_machine(texel.address);
    return;
  }
  if (outcome.space != Space::kGlobal && outcome.space != Space::kTexture) return;
  for (LaneMask rest = active_; rest != 0; rest &= rest - 1) {
    Address& address = outcome.address[static_cast<unsigned>(std::countr_zero(rest))];
    address = memory_->on_machine(address);
  }
}

// Of lanes whose address is in memory that the program has: others fetch nothing, and that is no mistake.
void Executor::prefetch(const MicroOp& op, Outcome& outcome) {
  outcome.access_bytes = op.element_bytes;
  outcome.space = Space::kGlobal;
  const auto word = [&](unsigned half) {
    return op.base == kNoWord ? nullptr : source(static_cast<Word>(op.base + half), source_[half]);
  };
  const std::uint32_t* const low = word(0);
  const std::uint32_t* const high = op.base_wide ? word(1) : nullptr;
  LaneMask kept = 0;
  for (LaneMask rest = active_; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Address at = ((high != nullptr ? Address{high[lane]} << 32 : 0) | (low != nullptr ? low[lane] : 0)) +
                       static_cast<Address>(op.offset);
    const Window window = window_of(op.space, at);
    if (window.space != Space::kGlobal || memory_->find(at - window.begin) == nullptr) continue;
    outcome.address[lane] = memory_->on_machine(at - window.begin);
    kept |= rest & -rest;
  }
  outcome.executed = kept;
}

// The host's byte for one lane's address, or a fault.
std::byte* Executor::locate(Access& access, unsigned lane, Space space, Address address) {
  std::byte* const at = find(access, lane, space, address);
  if (at == nullptr) fault(access, lane, space, address);
  return at;
}

// Null: the access may not be there.
std::byte* Executor::find(Access& access, unsigned lane, Space space, Address address) {
  const auto within = [&](std::uint64_t size) { return address <= size && access.bytes <= size - address; };
  const bool writes = access.op.kind != Kind::kLoad;
  switch (space) {
    case Space::kGlobal:
    case Space::kTexture: {
      if (last_allocation_ == nullptr || !last_allocation_->holds(address, 1)) {
        const Allocation* const allocation = memory_->find(address);
        if (allocation == nullptr) break;
        last_allocation_ = allocation;
      }
      if (last_allocation_->holds(address, access.bytes)) return memory_->host(address);
      break;
    }
    case Space::kShared: {
      BlockState& block = threads_->block_of(row_of(lane));
      if (within(block.shared.size())) return block.shared.data() + address;
      break;
    }
    case Space::kLocal: {
      const Kernel& kernel = *launch_->kernel;
      if (within(access.op.pushes_frame ? kernel.stack_begin + kernel.stack_bytes : kernel.local_bytes)) {
        std::size_t& used = threads_->row_[row_of(lane)].local_used;
        if (writes) used = std::max<std::size_t>(used, address + access.bytes);
        return threads_->local(row_of(lane), lane) + address;
      }
      break;
    }
    case Space::kConst:
      // The bank and the parameters are only read through these pointers: writes do not get here.
      if (!writes && within(launch_->const_bank->size()))
        return const_cast<std::byte*>(launch_->const_bank->data()) + address;
      break;
    case Space::kParam:
      if (!writes && within(launch_->parameters.size()))
        return const_cast<std::byte*>(launch_->parameters.data()) + address;
      break;
    case Space::kGeneric:
      break;
  }
  return nullptr;
}

std::byte* Executor::locate_generic(Access& access, unsigned lane, Address address) {
  const Window window = window_of(address);
  return locate(access, lane, window.space, address - window.begin);
}

// Word w of all threads of a core lies together, lane beside lane (address_space.h).
Address Executor::local_backing(unsigned lane, Address offset) const {
  const Address thread = Address{row_of(lane)} * threads_->lanes_;
  const Address words = threads_->local_bytes_ / 4;
  const Address core = Address{threads_->core_index_} * threads_->rows_ * threads_->lanes_ * words;
  return kLocalBacking + (core + thread * words + offset / 4 * threads_->lanes_ + lane) * 4 + offset % 4;
}

Executor::Access Executor::access_of(const MicroOp& op, Outcome& outcome) {
  const unsigned bytes = op.element_bytes;
  switch (op.kind) {
    case Kind::kLoad:
      return {.op = op, .outcome = outcome, .verb = "reads", .bytes = bytes * op.d_count};
    case Kind::kStore:
      return {.op = op, .outcome = outcome, .verb = "writes", .bytes = bytes * op.s_count};
    default:
      return {.op = op, .outcome = outcome, .verb = "updates", .bytes = bytes};
  }
}

void Executor::access(const MicroOp& op, Outcome& outcome) {
  if (op.image.dimensions != 0) return access_image(op, outcome);
  switch (op.kind) {
    case Kind::kLoad:
      return load(op, outcome);
    case Kind::kStore:
      return store(op, outcome);
    default:
      return atomic(op, outcome);
  }
}

void Executor::load(const MicroOp& op, Outcome& outcome) {
  Access access = access_of(op, outcome);
  resolve(access);
  const LoadLanes load_element = loader(op.element_bytes, op.sign_extend);
  const bool uniform = op.base == kNoWord && access.where != host_.data();  // one address, and one place behind it
  for (unsigned k = 0; k < op.d_count; ++k) {
    if (op.d[k] == kNoWord) continue;
    const bool wide = op.d_wide >> k & 1;
    std::uint32_t* const low = result(op.d[k], result_[2 * k]);
    std::uint32_t* const high = wide ? result(static_cast<Word>(op.d[k] + 1), result_[2 * k + 1]) : nullptr;
    const Address delta = access.delta + k * op.element_bytes;
    if (uniform) {
      load_element(access.where + first_, delta, 1, low, high);
      std::fill_n(low, width_, low[0]);
      if (wide) std::fill_n(high, width_, high[0]);
    } else {
      load_element(access.where, delta, width_, low, high);
    }
    write_back(op.d[k], low);
    if (wide) write_back(static_cast<Word>(op.d[k] + 1), high);
  }
}

void Executor::store(const MicroOp& op, Outcome& outcome) {
  Access access = access_of(op, outcome);
  check(!is_read_only(op.space), "stores to parameters and constants are refused when decoding");
  resolve(access);
  if (is_read_only(outcome.space)) fault(access, first_, outcome.space, outcome.address[first_]);
  ++memory_changes_;
  for (unsigned k = 0; k < op.s_count; ++k) {
    if (op.s[k] == kNoWord) continue;
    const std::uint32_t* const low = source(op.s[k], source_[2 * k]);
    const Address delta = access.delta + k * op.element_bytes;
    switch (op.element_bytes) {
      case 1:
        store_lanes<std::uint8_t>(access.where, delta, active_, low, nullptr);
        break;
      case 2:
        store_lanes<std::uint16_t>(access.where, delta, active_, low, nullptr);
        break;
      case 4:
        if (write_through_ && op.s_count == 1 && contiguous(access.where, width_, 4)) {
          std::memcpy(reinterpret_cast<std::byte*>(access.where[0] + delta), low, width_ * 4);
        } else {
          store_lanes<std::uint32_t>(access.where, delta, active_, low, nullptr);
        }
        break;
      default:
        store_lanes<std::uint64_t>(access.where, delta, active_, low,
                                   source(static_cast<Word>(op.s[k] + 1), source_[2 * k + 1]));
    }
  }
}

}  // namespace warpfold::isa
