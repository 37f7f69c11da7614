// SPDX-License-Identifier: Apache-2.0
// Loads and stores of straight runs whose lanes all find their bytes in one allocation, block's shared memory or bank:
// a distance of 32 bits for each lane from one place, and no address that anybody asks for.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "warpfold/common/error.h"
#include "warpfold/isa/execute/execute.h"

namespace warpfold::isa {
namespace {

constexpr unsigned kWidth = 32;  // lanes of a warp; others go the way of execute()

// Where each lane finds its bytes: so far from one host address.
struct Places {
  alignas(64) std::array<std::uint32_t, kWidth> at;
  std::byte* host = nullptr;
};

// What all lanes' addresses are held against.
struct Bounds {
  std::uint32_t offset = 0, offset_high = 0;  // added to the base register
  std::uint32_t begin = 0;                    // of the place: address of distance 0
  std::uint32_t last = 0;                     // distance of the last access that lies within
  std::uint32_t high = 0;                     // upper half of every address in the place
  std::uint32_t odd = 0;                      // address bits that must be clear
};

// Fills in the distances; true: none lies outside. Lanes that do not execute have the distance of lane `first`.
template <bool kWide, bool kFull>
bool measure(const std::uint32_t* low, const std::uint32_t* high, std::uint32_t mask, unsigned first,
             const Bounds& bounds, Places& places) {
  const std::uint32_t first_low = low[first];
  std::uint32_t* const at = places.at.data();
  std::uint32_t outside = 0;
  for (unsigned lane = 0; lane < kWidth; ++lane) {
    const bool executes = kFull || (mask >> lane & 1) != 0;
    const std::uint32_t base = executes ? low[lane] : first_low;
    const std::uint32_t address = base + bounds.offset;
    const std::uint32_t distance = address - bounds.begin;
    at[lane] = distance;
    std::uint32_t wrong = (address & bounds.odd) | (distance > bounds.last ? 1U : 0U);
    if constexpr (kWide) {
      const std::uint32_t carry = address < base ? 1 : 0;
      wrong |= executes ? (high[lane] + bounds.offset_high + carry) ^ bounds.high : 0;
    }
    outside |= wrong;
  }
  return outside == 0;
}

// Is each lane's access so many bytes behind the one before?
bool strides(const Places& places, unsigned bytes) {
  const std::uint32_t* const at = places.at.data();
  if (at[kWidth - 1] - at[0] != (kWidth - 1) * bytes) return false;  // spares most others the loop
  std::uint32_t differs = 0;
  for (unsigned lane = 0; lane < kWidth; ++lane) differs |= at[lane] ^ (at[0] + lane * bytes);
  return differs == 0;
}

template <class T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <class T>
void load_narrow(const Places& places, const std::byte* host, std::uint32_t* to) {
  for (unsigned lane = 0; lane < kWidth; ++lane) {
    to[lane] = static_cast<std::uint32_t>(static_cast<std::int32_t>(read<T>(host + places.at[lane])));
  }
}

template <class T>
void load_wide(const Places& places, const std::byte* host, std::uint32_t* low, std::uint32_t* high) {
  for (unsigned lane = 0; lane < kWidth; ++lane) {
    const auto value = static_cast<std::uint64_t>(static_cast<std::int64_t>(read<T>(host + places.at[lane])));
    low[lane] = static_cast<std::uint32_t>(value);
    high[lane] = static_cast<std::uint32_t>(value >> 32);
  }
}

void load_words(const Places& places, const std::byte* host, std::uint32_t* to) {
  if (strides(places, sizeof *to)) {
    std::memcpy(to, host + places.at[0], kWidth * sizeof *to);
  } else if (strides(places, 0)) {
    std::fill_n(to, kWidth, read<std::uint32_t>(host + places.at[0]));
  } else {
    load_narrow<std::uint32_t>(places, host, to);
  }
}

void load_element(const MicroOp& op, const Places& places, const std::byte* host, std::uint32_t* low,
                  std::uint32_t* high) {
  if (high == nullptr) {
    switch (op.element_bytes) {
      case 1:
        return op.sign_extend ? load_narrow<std::int8_t>(places, host, low)
                              : load_narrow<std::uint8_t>(places, host, low);
      case 2:
        return op.sign_extend ? load_narrow<std::int16_t>(places, host, low)
                              : load_narrow<std::uint16_t>(places, host, low);
      default:
        return load_words(places, host, low);
    }
  }
  switch (op.element_bytes) {
    case 1:
      return op.sign_extend ? load_wide<std::int8_t>(places, host, low, high)
                            : load_wide<std::uint8_t>(places, host, low, high);
    case 2:
      return op.sign_extend ? load_wide<std::int16_t>(places, host, low, high)
                            : load_wide<std::uint16_t>(places, host, low, high);
    case 4:
      return op.sign_extend ? load_wide<std::int32_t>(places, host, low, high)
                            : load_wide<std::uint32_t>(places, host, low, high);
    default:
      return load_wide<std::uint64_t>(places, host, low, high);
  }
}

// In lane order, as store() in memory_access.cpp.
template <class T>
void store_element(const Places& places, std::byte* host, std::uint32_t mask, const std::uint32_t* low,
                   const std::uint32_t* high) {
  const auto put = [&](unsigned lane) {
    std::uint64_t value = low[lane];
    if constexpr (sizeof(T) == 8) value |= std::uint64_t{high[lane]} << 32;
    const auto element = static_cast<T>(value);
    std::memcpy(host + places.at[lane], &element, sizeof element);
  };
  if (mask == ~std::uint32_t{0}) {
    for (unsigned lane = 0; lane < kWidth; ++lane) put(lane);
    return;
  }
  for (; mask != 0; mask &= mask - 1) put(static_cast<unsigned>(std::countr_zero(mask)));
}

}  // namespace

struct Executor::InPlace : Places {};

// False: find them lane by lane, with what faults; nothing has changed.
bool Executor::in_one_place(const MicroOp& op, unsigned bytes, InPlace& places) {
  if (width_ != kWidth || op.base == kNoWord) return false;
  const std::uint32_t* const low = source(op.base, source_[0]);
  const std::uint32_t* const high = op.base_wide ? source(static_cast<Word>(op.base + 1), source_[1]) : nullptr;
  const auto offset = static_cast<std::uint32_t>(op.offset);
  const Address address = high != nullptr
                              ? (Address{high[first_]} << 32 | low[first_]) + static_cast<Address>(op.offset)
                              : Address{low[first_] + offset};
  const Region region = region_of(op.space, address);
  if (region.bytes < bytes || (region.space == Space::kConst && op.kind != Kind::kLoad)) return false;
  const Address begin = region.begin + region.window, last = region.bytes - bytes;
  if (begin >> 32 != (begin + last) >> 32) return false;
  const Bounds bounds{.offset = offset,
                      .offset_high = static_cast<std::uint32_t>(static_cast<Address>(op.offset) >> 32),
                      .begin = static_cast<std::uint32_t>(begin),
                      .last = static_cast<std::uint32_t>(last),
                      .high = static_cast<std::uint32_t>(begin >> 32),
                      .odd = bytes - 1};
  const auto mask = static_cast<std::uint32_t>(active_);
  const bool full = mask == ~std::uint32_t{0};
  places.host = const_cast<std::byte*>(region.host);
  if (high == nullptr) {
    return full ? measure<false, true>(low, high, mask, first_, bounds, places)
                : measure<false, false>(low, high, mask, first_, bounds, places);
  }
  return full ? measure<true, true>(low, high, mask, first_, bounds, places)
              : measure<true, false>(low, high, mask, first_, bounds, places);
}

bool Executor::load_in_place(const MicroOp& op) {
  InPlace places;
  if (!in_one_place(op, op.element_bytes * unsigned{op.d_count}, places)) return false;
  for (unsigned k = 0; k < op.d_count; ++k) {
    if (op.d[k] == kNoWord) continue;
    const bool wide = op.d_wide >> k & 1;
    std::uint32_t* const low = result(op.d[k], result_[2 * k]);
    std::uint32_t* const high = wide ? result(static_cast<Word>(op.d[k] + 1), result_[2 * k + 1]) : nullptr;
    load_element(op, places, places.host + k * op.element_bytes, low, high);
    write_back(op.d[k], low);
    if (wide) write_back(static_cast<Word>(op.d[k] + 1), high);
  }
  return true;
}

bool Executor::store_in_place(const MicroOp& op) {
  InPlace places;
  if (op.space == Space::kParam || !in_one_place(op, op.element_bytes * unsigned{op.s_count}, places)) return false;
  ++memory_changes_;
  const auto mask = static_cast<std::uint32_t>(active_);
  for (unsigned k = 0; k < op.s_count; ++k) {
    if (op.s[k] == kNoWord) continue;
    const std::uint32_t* const low = source(op.s[k], source_[2 * k]);
    std::byte* const host = places.host + k * op.element_bytes;
    switch (op.element_bytes) {
      case 1:
        store_element<std::uint8_t>(places, host, mask, low, nullptr);
        break;
      case 2:
        store_element<std::uint16_t>(places, host, mask, low, nullptr);
        break;
      case 4:
        if (mask == ~std::uint32_t{0} && op.s_count == 1 && strides(places, 4)) {
          std::memcpy(host + places.at[0], low, kWidth * sizeof *low);
        } else {
          store_element<std::uint32_t>(places, host, mask, low, nullptr);
        }
        break;
      default:
        store_element<std::uint64_t>(places, host, mask, low,
                                     source(static_cast<Word>(op.s[k] + 1), source_[2 * k + 1]));
    }
  }
  return true;
}

}  // namespace warpfold::isa
