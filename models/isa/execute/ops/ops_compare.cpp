// SPDX-License-Identifier: Apache-2.0
// setp and set: comparisons with a predicate or a value as result (PTX ISA §9.7.6).
#include <algorithm>
#include <array>

#include "warpfold/isa/execute/ops/float_types.h"
#include "warpfold/isa/execute/ops/op_registry.h"

namespace warpfold::isa {
namespace {

template <class T>
constexpr bool unordered([[maybe_unused]] T a, [[maybe_unused]] T b) {
  if constexpr (std::is_floating_point_v<T>)
    return is_nan(a) || is_nan(b);
  else
    return false;
}

// The comparison operators. The ordered ones are false for NaN, but C++'s != is not.
struct Eq {
  template <class T>
  bool operator()(T a, T b) const {
    return a == b;
  }
};
struct Ne {
  template <class T>
  bool operator()(T a, T b) const {
    return !(a == b) && !unordered(a, b);
  }
};
struct Lt {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};
struct Le {
  template <class T>
  bool operator()(T a, T b) const {
    return a <= b;
  }
};
struct Gt {
  template <class T>
  bool operator()(T a, T b) const {
    return a > b;
  }
};
struct Ge {
  template <class T>
  bool operator()(T a, T b) const {
    return a >= b;
  }
};
template <class Ordered>
struct OrUnordered {
  template <class T>
  bool operator()(T a, T b) const {
    return Ordered{}(a, b) || unordered(a, b);
  }
};
struct Num {
  template <class T>
  bool operator()(T a, T b) const {
    return !unordered(a, b);
  }
};
struct Nan {
  template <class T>
  bool operator()(T a, T b) const {
    return unordered(a, b);
  }
};

template <class T, class Compare, bool Ftz>
struct Holds {
  bool operator()(T a, T b) const {
    if constexpr (Ftz)
      return Compare{}(flush(a), flush(b));
    else
      return Compare{}(a, b);
  }
};

// How the third operand of the combining forms enters.
struct And {
  bool operator()(bool t, bool c) const { return t && c; }
};
struct Or {
  bool operator()(bool t, bool c) const { return t || c; }
};
struct Xor {
  bool operator()(bool t, bool c) const { return t != c; }
};
template <class Combine>
struct Negated {
  bool operator()(bool t, bool c) const { return Combine{}(t, !c); }
};

using LaneArray = std::array<std::uint32_t, kMaxLanes>;

// Comparing and what becomes of the outcome are separate loops, so that the hundreds of combinations share their code.
template <class T, class Compare, bool Ftz>
[[gnu::noinline]] void compare_lanes(const LaneArrays& arrays, std::uint32_t* outcome, unsigned lanes) {
  detail::compute_lanes<Holds<T, Compare, Ftz>>(ResultLanes<bool>({outcome, nullptr}), lanes,
                                                SourceLanes<T>(arrays.s[0]), SourceLanes<T>(arrays.s[1]));
}

template <class T, class Compare, bool Ftz>
void compare_row(const RowOperands& operands, std::uint32_t* row, const std::uint32_t* select) {
  detail::compute_row<Holds<T, Compare, Ftz>, bool>(operands, row, select, detail::row_source<T>(operands, 0, row),
                                                    detail::row_source<T>(operands, 1, row));
}

template <class R, class F, class... S>
[[gnu::noinline]] void map_lanes(std::uint32_t* result, unsigned lanes, S... sources) {
  detail::compute_lanes<F>(ResultLanes<R>({result, nullptr}), lanes, SourceLanes<bool>({sources, nullptr})...);
}

struct Not {
  bool operator()(bool t) const { return !t; }
};

using CompareLanes = void (*)(const LaneArrays& arrays, std::uint32_t* outcome, unsigned lanes);

// p|q = t, !t
[[gnu::noinline]] void predicates(const LaneArrays& arrays, unsigned lanes, CompareLanes compare) {
  LaneArray outcome;
  compare(arrays, outcome.data(), lanes);
  map_lanes<bool, Not>(arrays.d[1][0], lanes, outcome.data());
  if (arrays.d[0][0] != nullptr) std::copy_n(outcome.data(), lanes, arrays.d[0][0]);
}

// p|q = t ∘ c, !t ∘ c; c may lie where p or q do.
template <class Combine>
[[gnu::noinline]] void combined_predicates(const LaneArrays& arrays, unsigned lanes, CompareLanes compare) {
  LaneArray outcome, c;
  compare(arrays, outcome.data(), lanes);
  std::copy_n(arrays.s[2][0], lanes, c.data());
  if (arrays.d[0][0] != nullptr) map_lanes<bool, Combine>(arrays.d[0][0], lanes, outcome.data(), c.data());
  if (arrays.d[1][0] == nullptr) return;
  map_lanes<bool, Not>(outcome.data(), lanes, outcome.data());
  map_lanes<bool, Combine>(arrays.d[1][0], lanes, outcome.data(), c.data());
}

// set: all ones or zero, 1.0 or 0.0.
template <class D>
struct Value {
  D operator()(bool t) const {
    if constexpr (std::same_as<D, float>)
      return t ? 1.0F : 0.0F;
    else
      return t ? static_cast<D>(-1) : D{0};
  }
};

struct Nothing {};  // no combining operand

template <class D, class Combine>
[[gnu::noinline]] void values(const LaneArrays& arrays, unsigned lanes, CompareLanes compare) {
  LaneArray outcome;
  compare(arrays, outcome.data(), lanes);
  if constexpr (!std::same_as<Combine, Nothing>) {
    map_lanes<bool, Combine>(outcome.data(), lanes, outcome.data(), arrays.s[2][0]);
  }
  map_lanes<D, Value<D>>(arrays.d[0][0], lanes, outcome.data());
}

template <class T, class Compare, bool Ftz, class Combine>
void setp_lanes(const LaneArrays& arrays, unsigned lanes) {
  constexpr CompareLanes compare = &compare_lanes<T, Compare, Ftz>;
  if constexpr (!std::same_as<Combine, Nothing>) return combined_predicates<Combine>(arrays, lanes, compare);
  if (arrays.d[1][0] == nullptr) return compare(arrays, arrays.d[0][0], lanes);
  predicates(arrays, lanes, compare);
}

template <class T, class Compare, bool Ftz, class Combine, class D>
void set_lanes(const LaneArrays& arrays, unsigned lanes) {
  values<D, Combine>(arrays, lanes, &compare_lanes<T, Compare, Ftz>);
}

// One comparison of one type: ".lt", ".and", ".ftz", ".f32", ".negated".
struct Spelling {
  const char* compare;
  const char* combine;
  const char* ftz;
  std::string type;
  const char* negated;
};

// Kept out of line and away from templates: it is written once and used thousands of times.
[[gnu::noinline]] void add(OpRegistry& ops, const Spelling& spelling, OpInfo::Operand source, OpInfo::Operand result,
                           Compute compute, RowCompute row_compute = nullptr) {
  OpInfo info;
  info.compute = compute;
  info.row_compute = row_compute;
  info.unit = source.kind != 'f' ? Unit::kAlu : source.bits == 64 ? float_unit<double>() : float_unit<float>();
  info.d[0] = info.d[1] = result;
  info.d_count = result.kind == 'p' ? 2 : 1;
  info.s = {source, source, operand_of<bool>(), {}};
  info.s_count = *spelling.combine == '\0' ? 2 : 3;
  std::string opcode(result.kind == 'p' ? "setp" : "set");
  opcode.append(spelling.compare).append(spelling.combine).append(spelling.ftz);
  if (result.kind != 'p') opcode.append(".").append(1, result.kind).append(std::to_string(result.bits));
  opcode.append(spelling.type).append(spelling.negated);
  ops.add(std::move(opcode), info);
}

template <class T, class Compare, bool Ftz, class Combine>
[[gnu::cold]] void add_combined(OpRegistry& ops, const Spelling& spelling) {
  constexpr OpInfo::Operand source = operand_of<T>();
  add(ops, spelling, source, operand_of<bool>(), &setp_lanes<T, Compare, Ftz, Combine>,
      std::same_as<Combine, Nothing> ? &compare_row<T, Compare, Ftz> : nullptr);
  if constexpr (sizeof(T) >= 4) {
    add(ops, spelling, source, operand_of<u32>(), &set_lanes<T, Compare, Ftz, Combine, u32>);
    add(ops, spelling, source, operand_of<s32>(), &set_lanes<T, Compare, Ftz, Combine, s32>);
    add(ops, spelling, source, operand_of<float>(), &set_lanes<T, Compare, Ftz, Combine, float>);
  }
}

template <class T, class Compare, bool Ftz>
[[gnu::cold]] void add_comparison(OpRegistry& ops, const char* name, const std::string& type) {
  const char* const ftz = ftz_text(Ftz);
  add_combined<T, Compare, Ftz, Nothing>(ops, {name, "", ftz, type, ""});
  add_combined<T, Compare, Ftz, And>(ops, {name, ".and", ftz, type, ""});
  add_combined<T, Compare, Ftz, Or>(ops, {name, ".or", ftz, type, ""});
  add_combined<T, Compare, Ftz, Xor>(ops, {name, ".xor", ftz, type, ""});
  add_combined<T, Compare, Ftz, Negated<And>>(ops, {name, ".and", ftz, type, ".negated"});
  add_combined<T, Compare, Ftz, Negated<Or>>(ops, {name, ".or", ftz, type, ".negated"});
  add_combined<T, Compare, Ftz, Negated<Xor>>(ops, {name, ".xor", ftz, type, ".negated"});
}

template <class T, bool Ftz>
[[gnu::cold]] void add_equality(OpRegistry& ops, const std::string& type) {
  add_comparison<T, Eq, Ftz>(ops, ".eq", type);
  add_comparison<T, Ne, Ftz>(ops, ".ne", type);
}

template <class T, bool Ftz>
[[gnu::cold]] void add_order(OpRegistry& ops, const std::string& type) {
  add_comparison<T, Lt, Ftz>(ops, ".lt", type);
  add_comparison<T, Le, Ftz>(ops, ".le", type);
  add_comparison<T, Gt, Ftz>(ops, ".gt", type);
  add_comparison<T, Ge, Ftz>(ops, ".ge", type);
}

template <class U>
[[gnu::cold]] void add_integers(OpRegistry& ops) {
  using S = std::make_signed_t<U>;
  const std::string unsigned_type = type_suffix<U>(), signed_type = type_suffix<S>();
  add_equality<U, false>(ops, bits_suffix<U>());
  add_equality<U, false>(ops, unsigned_type);
  add_equality<S, false>(ops, signed_type);
  add_order<U, false>(ops, unsigned_type);
  add_order<S, false>(ops, signed_type);
  add_comparison<U, Lt, false>(ops, ".lo", unsigned_type);  // lower, lower or same, higher, higher or same
  add_comparison<U, Le, false>(ops, ".ls", unsigned_type);
  add_comparison<U, Gt, false>(ops, ".hi", unsigned_type);
  add_comparison<U, Ge, false>(ops, ".hs", unsigned_type);
}

template <class F, bool Ftz>
[[gnu::cold]] void add_floats(OpRegistry& ops) {
  const std::string type = type_suffix<F>();
  add_equality<F, Ftz>(ops, type);
  add_order<F, Ftz>(ops, type);
  add_comparison<F, OrUnordered<Eq>, Ftz>(ops, ".equ", type);
  add_comparison<F, OrUnordered<Ne>, Ftz>(ops, ".neu", type);
  add_comparison<F, OrUnordered<Lt>, Ftz>(ops, ".ltu", type);
  add_comparison<F, OrUnordered<Le>, Ftz>(ops, ".leu", type);
  add_comparison<F, OrUnordered<Gt>, Ftz>(ops, ".gtu", type);
  add_comparison<F, OrUnordered<Ge>, Ftz>(ops, ".geu", type);
  add_comparison<F, Num, Ftz>(ops, ".num", type);
  add_comparison<F, Nan, Ftz>(ops, ".nan", type);
}

}  // namespace

[[gnu::cold]] void add_compare_ops(OpRegistry& ops) {
  add_integers<u16>(ops);
  add_integers<u32>(ops);
  add_integers<u64>(ops);
  add_floats<float, false>(ops);
  add_floats<float, true>(ops);
  add_floats<double, false>(ops);
}

}  // namespace warpfold::isa
