// SPDX-License-Identifier: Apache-2.0
// Turns a function of scalars into a Compute over lane arrays, and into the OpInfo that describes its operands.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "warpfold/isa/execute/ops/narrow/half.h"
#include "warpfold/isa/execute/ops/op_table.h"
#include "warpfold/isa/execute/row_operands.h"
#include "warpfold/isa/kernel.h"

namespace warpfold::isa {

// Lane arrays are worked off in groups of so many lanes: a constant inner loop that the compiler turns into vector
// instructions, with no remainder loop. Arrays are padded accordingly (op_table.h, OpInfo).
inline constexpr unsigned kLaneGroup = 8;

// f(lane) for each of [0, lanes), and for the padding. A lane must not depend on another lane: that is what the pragmas
// tell the vectoriser, arrays that are equal are allowed. (`restrict` would say too much.)
template <class F>
inline void for_lanes(unsigned lanes, F f) {
  for (std::size_t base = 0; base < lanes; base += kLaneGroup) {
#ifndef __clang__
#pragma GCC unroll 1
#pragma GCC ivdep
#endif
    for (std::size_t lane = 0; lane < kLaneGroup; ++lane) f(base + lane);
  }
}

// f(lane) for each lane of a row, as for_lanes.
template <class F>
inline void for_row(F f) {
#ifndef __clang__
#pragma GCC ivdep
#endif
  for (std::size_t lane = 0; lane < kRowLanes; ++lane) f(lane);
}

template <class T>
class SourceLanes {
 public:
  explicit SourceLanes(const std::array<const std::uint32_t*, 2>& arrays) : low_(arrays[0]), high_(arrays[1]) {}
  T operator[](std::size_t lane) const {
    if constexpr (std::same_as<T, bool>) {
      return low_[lane] != 0;
    } else if constexpr (sizeof(T) == 8) {
      return std::bit_cast<T>(std::uint64_t{high_[lane]} << 32 | low_[lane]);
    } else if constexpr (sizeof(T) == 4) {
      return std::bit_cast<T>(low_[lane]);
    } else {
      return static_cast<T>(low_[lane]);
    }
  }

 private:
  const std::uint32_t* low_;
  const std::uint32_t* high_;
};

template <class T>
class ResultLanes {
 public:
  explicit ResultLanes(const std::array<std::uint32_t*, 2>& arrays) : low_(arrays[0]), high_(arrays[1]) {}
  void set(std::size_t lane, T value) const {
    if constexpr (sizeof(T) == 8) {
      const auto bits = std::bit_cast<std::uint64_t>(value);
      set_words(lane, static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32));
    } else if constexpr (sizeof(T) == 4) {
      low_[lane] = std::bit_cast<std::uint32_t>(value);
    } else {
      low_[lane] = static_cast<std::uint32_t>(value);
    }
  }
  void set_words(std::size_t lane, std::uint32_t low, std::uint32_t high) const {
    low_[lane] = low;
    high_[lane] = high;
  }

 private:
  std::uint32_t* low_;
  std::uint32_t* high_;
};

// The same, of the lanes that are selected: others keep what they have.
template <class T>
class SelectedLanes {
 public:
  SelectedLanes(const std::array<std::uint32_t*, 2>& arrays, const std::uint32_t* select)
      : low_(arrays[0]), high_(arrays[1]), select_(select) {}
  void set(std::size_t lane, T value) const {
    if constexpr (sizeof(T) == 8) {
      const auto bits = std::bit_cast<std::uint64_t>(value);
      set_words(lane, static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32));
    } else if constexpr (sizeof(T) == 4) {
      put(low_, lane, std::bit_cast<std::uint32_t>(value));
    } else {
      put(low_, lane, static_cast<std::uint32_t>(value));
    }
  }
  void set_words(std::size_t lane, std::uint32_t low, std::uint32_t high) const {
    put(low_, lane, low);
    put(high_, lane, high);
  }

 private:
  void put(std::uint32_t* to, std::size_t lane, std::uint32_t value) const {
    to[lane] = (value & select_[lane]) | (to[lane] & ~select_[lane]);
  }

  std::uint32_t* low_;
  std::uint32_t* high_;
  const std::uint32_t* select_;
};

// Two results of one instruction; the second may be unwanted.
template <class A, class B>
struct Both {
  A first;
  B second;
};

template <class T>
constexpr OpInfo::Operand operand_of() {
  if constexpr (std::same_as<T, bool>) {
    return {'p', 1};
  } else {
    constexpr bool is_half =
        std::same_as<T, Half> || std::same_as<T, HalfPair> || std::same_as<T, Bfloat> || std::same_as<T, BfloatPair>;
    const char kind = is_half ? 'h' : std::floating_point<T> ? 'f' : std::is_signed_v<T> ? 's' : 'u';
    return {kind, static_cast<std::uint8_t>(8 * sizeof(T))};
  }
}

namespace detail {

template <class F, class R, class... S>
inline void compute_lanes(const ResultLanes<R> result, unsigned lanes, const S... sources) {
  for_lanes(lanes, [=](std::size_t lane) { result.set(lane, F{}(sources[lane]...)); });
}

template <class R>
inline std::array<std::uint32_t*, 2> words_of(const RowOperands& operands, unsigned operand, std::uint32_t* row) {
  return {operands.at(operand, row), sizeof(R) == 8 ? operands.at(operand + 1, row) : nullptr};
}

template <class F, class R, class... S>
inline void compute_row(const RowOperands& operands, std::uint32_t* row, const std::uint32_t* select,
                        const S... sources) {
  const std::array<std::uint32_t*, 2> words = words_of<R>(operands, RowOperands::kResults, row);
  if (select == nullptr) {
    const ResultLanes<R> result(words);
    for_row([=](std::size_t lane) { result.set(lane, F{}(sources[lane]...)); });
  } else {
    const SelectedLanes<R> result(words, select);
    for_row([=](std::size_t lane) { result.set(lane, F{}(sources[lane]...)); });
  }
}

template <class T>
inline SourceLanes<T> row_source(const RowOperands& operands, unsigned operand, std::uint32_t* row) {
  const std::array<std::uint32_t*, 2> words = words_of<T>(operands, 2 * operand, row);
  return SourceLanes<T>({words[0], words[1]});
}

template <class R>
struct Results {
  static constexpr std::uint8_t kCount = 1;
  template <class F, class... S>
  static void compute(const LaneArrays& arrays, unsigned lanes, const S... sources) {
    compute_lanes<F>(ResultLanes<R>(arrays.d[0]), lanes, sources...);
  }
};
template <class A, class B>
struct Results<Both<A, B>> {
  static constexpr std::uint8_t kCount = 2;
  template <class F, class... S>
  static void compute(const LaneArrays& arrays, unsigned lanes, const S... sources) {
    const ResultLanes<A> first(arrays.d[0]);
    if (arrays.d[1][0] == nullptr) {
      for_lanes(lanes, [=](std::size_t lane) { first.set(lane, F{}(sources[lane]...).first); });
      return;
    }
    const ResultLanes<B> second(arrays.d[1]);
    for_lanes(lanes, [=](std::size_t lane) {
      const Both<A, B> both = F{}(sources[lane]...);
      first.set(lane, both.first);
      second.set(lane, both.second);
    });
  }
};

// Called for each lane: the compiler looks at the function once, and not at what vectors would make of it.
template <class F, class R, class... A>
struct Called {
  [[gnu::noinline]] R operator()(A... sources) const { return F{}(sources...); }
};

template <class F>
struct Signature;
template <class F, class R, class... A>
struct Signature<R (F::*)(A...) const> {
  using Result = R;
  using Call = Called<F, R, A...>;
  static constexpr std::uint8_t kSources = sizeof...(A);
  static constexpr std::array<OpInfo::Operand, 4> kShapes{operand_of<A>()...};

  template <class Function = F>
  static void compute(const LaneArrays& arrays, unsigned lanes) {
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      Results<R>::template compute<Function>(arrays, lanes, SourceLanes<A>(arrays.s[K])...);
    }
    (std::make_index_sequence<sizeof...(A)>{});
  }
  static void compute_in_row(const RowOperands& operands, std::uint32_t* row, const std::uint32_t* select) {
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      compute_row<F, R>(operands, row, select, row_source<A>(operands, K, row)...);
    }
    (std::make_index_sequence<sizeof...(A)>{});
  }
};

}  // namespace detail

template <class R>
struct ResultShapes {
  static constexpr std::array<OpInfo::Operand, 2> kShapes{operand_of<R>()};
};
template <class A, class B>
struct ResultShapes<Both<A, B>> {
  static constexpr std::array<OpInfo::Operand, 2> kShapes{operand_of<A>(), operand_of<B>()};
};

// `function` is a captureless lambda of one to four operands: bool (a predicate), integers of 8 to 64 bits, float,
// double, halves. It returns one of these, or Both. One that no program spends its time
// in (kIsSeldom) is a call for each lane, which compiles faster than a loop of vectors and one for whole rows.
template <class F, bool kIsSeldom>
constexpr OpInfo op_of() {
  using S = detail::Signature<decltype(&F::operator())>;
  OpInfo info;
  info.compute = &S::template compute<std::conditional_t<kIsSeldom, typename S::Call, F>>;
  if constexpr (!kIsSeldom && detail::Results<typename S::Result>::kCount == 1) info.row_compute = &S::compute_in_row;
  info.d_count = detail::Results<typename S::Result>::kCount;
  info.d = ResultShapes<typename S::Result>::kShapes;
  info.s_count = S::kSources;
  info.s = S::kShapes;
  return info;
}
template <class F, bool kIsSeldom>
inline constexpr OpInfo kOpOf = op_of<F, kIsSeldom>();

// The same of a value, on a unit.
template <bool kIsSeldom = false, class F>
OpInfo make_op(Unit unit, F /*function*/) {
  OpInfo info = kOpOf<F, kIsSeldom>;
  info.unit = unit;
  return info;
}

}  // namespace warpfold::isa
