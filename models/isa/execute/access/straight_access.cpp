// SPDX-License-Identifier: Apache-2.0
// Loads and stores of straight runs whose lanes all find their bytes in one allocation, block's shared memory or bank:
// a distance of 32 bits for each lane from one place, and no address that anybody asks for.
#ifdef __AVX__
#include <immintrin.h>
#endif

#include <array>
#include <bit>
#include <cstring>

#include "warpfold/isa/execute/access/generic_window.h"
#include "warpfold/isa/execute/execute.h"

namespace warpfold::isa {
namespace {

constexpr int kFewLanes = 8;  // measured and loaded one by one in less time than all of a row

// Where each lane finds its bytes: so far from one host address. Lanes that do not execute have the distance of the
// first that does, or none where a few do.
struct Places {
  alignas(64) std::array<std::uint32_t, kRowLanes> at;
  std::byte* host = nullptr;
  std::uint32_t mask = 0;                 // the lanes that execute
  const std::uint32_t* select = nullptr;  // row_operands.h
  bool uniform = false;                   // all executing lanes have the same bytes
  bool in_order = false;       // each lane has the bytes behind those of the lane before; `begin` has lane 0's
  std::byte* begin = nullptr;  // and all of these bytes are there, those of other lanes too
};

// What all lanes' addresses are held against.
struct Bounds {
  std::uint32_t to_place = 0, to_place_high = 0;  // added to the base register: the distance
  std::uint32_t last = 0;                         // distance of the last access that lies within
  std::uint32_t odd = 0;                          // address bits that must be clear
  std::uint32_t bytes = 0;                        // of a lane
};

// A quarter of a row, as one vector of the host: of wider ones GCC compares element by element where AVX2 is all there
// is.
using Part [[gnu::vector_size(32)]] = std::uint32_t;
constexpr unsigned kPart = kRowLanes / 4;

void read_part(const std::uint32_t* lanes, Part& part) { std::memcpy(&part, lanes, sizeof part); }

bool is_zero(const Part& part) {
#ifdef __AVX__
  return _mm256_testz_si256(reinterpret_cast<const __m256i&>(part), reinterpret_cast<const __m256i&>(part)) != 0;
#else
  std::array<std::uint64_t, 4> words;
  std::memcpy(words.data(), &part, sizeof part);
  return (words[0] | words[1] | words[2] | words[3]) == 0;
#endif
}

// Fills in the distances; true: none lies outside.
template <bool kWide, bool kFull>
bool measure(const std::uint32_t* low, const std::uint32_t* high, unsigned first, const Bounds& bounds,
             Places& places) {
  const std::uint32_t at_first = low[first] + bounds.to_place;
  const std::uint32_t at_begin = at_first - first * bounds.bytes;
  const Part nothing{}, lane{0, 1, 2, 3, 4, 5, 6, 7};
  Part outside{}, differs{}, gaps{}, in_order = lane * bounds.bytes + at_begin;
  for (unsigned begin = 0; begin < kRowLanes; begin += kPart, in_order += kPart * bounds.bytes) {
    Part distance, executes = ~nothing;
    read_part(low + begin, distance);
    if constexpr (!kFull) read_part(places.select + begin, executes);
    distance += bounds.to_place;
    Part wrong = (distance & bounds.odd) | reinterpret_cast<Part>(distance > bounds.last);
    if constexpr (kWide) {
      Part upper;
      read_part(high + begin, upper);
      wrong |= upper + bounds.to_place_high - reinterpret_cast<Part>(distance < bounds.to_place);  // a carry is -1
    }
    outside |= wrong & executes;
    differs |= (distance ^ at_first) & executes;
    gaps |= (distance ^ in_order) & executes;
    const Part at = kFull ? distance : (distance & executes) | (at_first & ~executes);
    std::memcpy(places.at.data() + begin, &at, sizeof at);
  }
  places.uniform = is_zero(differs);
  const bool all_there = at_begin <= bounds.last && bounds.last - at_begin >= (kRowLanes - 1) * bounds.bytes;
  places.in_order = all_there && is_zero(gaps);
  places.begin = places.host + at_begin;
  return is_zero(outside);
}

// The same where a few lanes execute.
template <bool kWide>
bool measure_few(const std::uint32_t* low, const std::uint32_t* high, const Bounds& bounds, Places& places) {
  std::uint32_t wrong = 0;
  for (std::uint32_t rest = places.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint32_t distance = low[lane] + bounds.to_place;
    wrong |= (distance & bounds.odd) | (distance > bounds.last ? 1 : 0);
    if constexpr (kWide) wrong |= high[lane] + bounds.to_place_high + (distance < bounds.to_place ? 1 : 0);
    places.at[lane] = distance;
  }
  return wrong == 0;
}

template <class T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

// The words of a register, for the lanes that are selected.
template <bool kFull>
struct SelectedWords {
  std::uint32_t* words;
  const std::uint32_t* select;
  void set(unsigned lane, std::uint32_t value) const {
    words[lane] = kFull ? value : (value & select[lane]) | (words[lane] & ~select[lane]);
  }
};

// One element of T in each lane, `value_at(lane)`, extended to the register's words.
template <class T, bool kFull, class ValueAt>
void fill(std::uint32_t* low, std::uint32_t* high, const std::uint32_t* select, ValueAt value_at) {
  const SelectedWords<kFull> lower{low, select}, upper{high, select};
  if (high == nullptr) {
#ifndef __clang__
#pragma GCC ivdep
#endif
    for (unsigned lane = 0; lane < kRowLanes; ++lane)
      lower.set(lane, static_cast<std::uint32_t>(static_cast<std::int32_t>(value_at(lane))));
    return;
  }
#ifndef __clang__
#pragma GCC ivdep
#endif
  for (unsigned lane = 0; lane < kRowLanes; ++lane) {
    const auto value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value_at(lane)));
    lower.set(lane, static_cast<std::uint32_t>(value));
    upper.set(lane, static_cast<std::uint32_t>(value >> 32));
  }
}

template <class T>
void put(std::uint32_t* low, std::uint32_t* high, unsigned lane, T element) {
  const auto value = static_cast<std::uint64_t>(static_cast<std::int64_t>(element));
  low[lane] = static_cast<std::uint32_t>(value);
  if (high != nullptr) high[lane] = static_cast<std::uint32_t>(value >> 32);
}

template <class T, bool kFull>
void load_lanes(const Places& places, std::size_t element, bool alone, std::uint32_t* low, std::uint32_t* high) {
  if (places.uniform) {
    const T value = read<T>(places.host + places.at[0] + element);
    return fill<T, kFull>(low, high, places.select, [=](unsigned) { return value; });
  }
  if (places.in_order && alone) {  // then no element lies between
    const std::byte* const begin = places.begin;
    return fill<T, kFull>(low, high, places.select, [=](unsigned lane) { return read<T>(begin + lane * sizeof(T)); });
  }
  const std::byte* const host = places.host + element;
  const std::uint32_t* const at = places.at.data();
  if (!kFull && std::popcount(places.mask) <= kFewLanes) {
    for (std::uint32_t rest = places.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      put<T>(low, high, lane, read<T>(host + at[lane]));
    }
    return;
  }
  fill<T, kFull>(low, high, places.select, [=](unsigned lane) { return read<T>(host + at[lane]); });
}

template <class T>
void load_element(const Places& places, std::size_t element, bool alone, std::uint32_t* low, std::uint32_t* high) {
  if (places.select == nullptr) return load_lanes<T, true>(places, element, alone, low, high);
  load_lanes<T, false>(places, element, alone, low, high);
}

using LoadElement = void (*)(const Places& places, std::size_t element, bool alone, std::uint32_t* low,
                             std::uint32_t* high);

LoadElement loads(unsigned bytes, bool sign_extend) {
  switch (bytes) {
    case 1:
      return sign_extend ? &load_element<std::int8_t> : &load_element<std::uint8_t>;
    case 2:
      return sign_extend ? &load_element<std::int16_t> : &load_element<std::uint16_t>;
    case 4:
      return sign_extend ? &load_element<std::int32_t> : &load_element<std::uint32_t>;
    default:
      return &load_element<std::uint64_t>;
  }
}

// In lane order, as store() in memory_access.cpp.
template <class T>
void store_element(const Places& places, std::size_t element, bool alone, const std::uint32_t* low,
                   const std::uint32_t* high) {
  const auto value_of = [=](unsigned lane) {
    std::uint64_t value = low[lane];
    if constexpr (sizeof(T) == 8) value |= std::uint64_t{high[lane]} << 32;
    return static_cast<T>(value);
  };
  if (places.select == nullptr && places.in_order && alone) {
    std::array<T, kRowLanes> values;
    for (unsigned lane = 0; lane < kRowLanes; ++lane) values[lane] = value_of(lane);
    std::memcpy(places.begin, values.data(), sizeof values);
    return;
  }
  for (std::uint32_t rest = places.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const T value = value_of(lane);
    std::memcpy(places.host + element + places.at[lane], &value, sizeof value);
  }
}

}  // namespace

struct Executor::InPlace : Places {};

// False: find them lane by lane, with what faults; nothing has changed.
bool Executor::in_one_place(const MicroOp& op, const Step& step, unsigned bytes, InPlace& places) {
  const bool based = op.base != kNoWord;
  const std::uint32_t* const low = based ? step.operands.at(0, row_) : nullptr;
  const std::uint32_t* const high = based && op.base_wide ? step.operands.at(1, row_) : nullptr;
  const auto offset = static_cast<Address>(op.offset);
  const Address address = !based            ? offset
                          : high != nullptr ? (Address{high[first_]} << 32 | low[first_]) + offset
                                            : Address{static_cast<std::uint32_t>(low[first_] + offset)};
  const Region region = region_of(op.space, address);
  if (region.bytes < bytes || (is_read_only(region.space) && op.kind != Kind::kLoad)) return false;
  const Address begin = region.begin + region.window, last = region.bytes - bytes;
  const bool full = active_ == low_lanes(kRowLanes);
  places.host = const_cast<std::byte*>(region.host);
  places.mask = static_cast<std::uint32_t>(active_);
  places.select = full ? nullptr : selected_.data();
  if ((begin & (bytes - 1)) != 0 || last >> 32 != 0) return false;
  if (!based) {
    places.at.fill(static_cast<std::uint32_t>(offset - begin));
    places.uniform = true;
    return offset - begin <= last && (offset & (bytes - 1)) == 0;
  }
  if (high == nullptr && (begin + last) >> 32 != 0) return false;
  const Address to_place = offset - begin;
  const Bounds bounds{.to_place = static_cast<std::uint32_t>(to_place),
                      .to_place_high = static_cast<std::uint32_t>(to_place >> 32),
                      .last = static_cast<std::uint32_t>(last),
                      .odd = bytes - 1,
                      .bytes = bytes};
  if (std::popcount(places.mask) <= kFewLanes) {
    return high == nullptr ? measure_few<false>(low, high, bounds, places)
                           : measure_few<true>(low, high, bounds, places);
  }
  if (high == nullptr) {
    return full ? measure<false, true>(low, high, first_, bounds, places)
                : measure<false, false>(low, high, first_, bounds, places);
  }
  return full ? measure<true, true>(low, high, first_, bounds, places)
              : measure<true, false>(low, high, first_, bounds, places);
}

bool Executor::load_in_place(const MicroOp& op, const Step& step) {
  InPlace places;
  if (!in_one_place(op, step, op.element_bytes * unsigned{op.d_count}, places)) return false;
  const LoadElement load_one = loads(op.element_bytes, op.sign_extend);
  for (unsigned k = 0; k < op.d_count; ++k) {
    if (op.d[k] == kNoWord) continue;
    load_one(places, std::size_t{k} * op.element_bytes, op.d_count == 1, step.operands.at(2 + 2 * k, row_),
             op.d_wide >> k & 1 ? step.operands.at(3 + 2 * k, row_) : nullptr);
  }
  return true;
}

bool Executor::store_in_place(const MicroOp& op, const Step& step) {
  InPlace places;
  const unsigned bytes = op.element_bytes;
  if (op.space == Space::kParam || !in_one_place(op, step, bytes * op.s_count, places)) return false;
  ++memory_changes_;
  const bool alone = op.s_count == 1;
  for (unsigned k = 0; k < op.s_count; ++k) {
    if (op.s[k] == kNoWord) continue;
    const std::uint32_t* const low = step.operands.at(2 + 2 * k, row_);
    const std::size_t element = std::size_t{k} * bytes;
    switch (bytes) {
      case 1:
        store_element<std::uint8_t>(places, element, alone, low, nullptr);
        break;
      case 2:
        store_element<std::uint16_t>(places, element, alone, low, nullptr);
        break;
      case 4:
        store_element<std::uint32_t>(places, element, alone, low, nullptr);
        break;
      default:
        store_element<std::uint64_t>(places, element, alone, low, step.operands.at(3 + 2 * k, row_));
    }
  }
  return true;
}

}  // namespace warpfold::isa
