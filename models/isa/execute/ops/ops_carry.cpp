// SPDX-License-Identifier: Apache-2.0
// Extended-precision integers (PTX ISA §9.7.2): the carry flag CC.CF is a predicate that decoding adds to what these
// instructions read (the last source) and write (the second result).
#include <string>

#include "warpfold/isa/execute/ops/op_registry.h"

namespace warpfold::isa {
namespace {

template <class U>
constexpr Both<U, bool> sum(U a, U b, bool carry) {
  const U partial = static_cast<U>(a + b), whole = static_cast<U>(partial + U{carry});
  return {whole, partial < a || whole < partial};
}

// What subtracts adds the complement: the flag is the adder's here too, 1 where nothing is borrowed, so that
// instructions that add and subtract take it from one another.
template <class U>
constexpr Both<U, bool> difference(U a, U b, bool carry) {
  return sum(a, static_cast<U>(~b), carry);
}

template <class T>
Unsigned<T> high(Unsigned<T> a, Unsigned<T> b) {
  return static_cast<Unsigned<T>>(high_mul(static_cast<T>(a), static_cast<T>(b)));
}

// Halves of a product of T's sign.
template <class T>
[[gnu::cold]] void add_products(OpRegistry& ops) {
  using U = Unsigned<T>;
  const std::string type = type_suffix<T>();
  ops.add("mad.lo.cc" + type, [](U a, U b, U c) -> Both<U, bool> { return sum(wrapping_mul(a, b), c, false); });
  ops.add("mad.hi.cc" + type, [](U a, U b, U c) -> Both<U, bool> { return sum(high<T>(a, b), c, false); });
  ops.add("madc.lo" + type, [](U a, U b, U c, bool f) -> U { return sum(wrapping_mul(a, b), c, f).first; });
  ops.add("madc.hi" + type, [](U a, U b, U c, bool f) -> U { return sum(high<T>(a, b), c, f).first; });
  ops.add("madc.lo.cc" + type, [](U a, U b, U c, bool f) -> Both<U, bool> { return sum(wrapping_mul(a, b), c, f); });
  ops.add("madc.hi.cc" + type, [](U a, U b, U c, bool f) -> Both<U, bool> { return sum(high<T>(a, b), c, f); });
}

template <class T>
[[gnu::cold]] void add_sums(OpRegistry& ops) {
  using U = Unsigned<T>;
  const std::string type = type_suffix<T>();
  ops.add("add.cc" + type, [](U a, U b) -> Both<U, bool> { return sum(a, b, false); });
  ops.add("addc" + type, [](U a, U b, bool f) -> U { return sum(a, b, f).first; });
  ops.add("addc.cc" + type, [](U a, U b, bool f) -> Both<U, bool> { return sum(a, b, f); });
  ops.add("sub.cc" + type, [](U a, U b) -> Both<U, bool> { return difference(a, b, true); });
  ops.add("subc" + type, [](U a, U b, bool f) -> U { return difference(a, b, f).first; });
  ops.add("subc.cc" + type, [](U a, U b, bool f) -> Both<U, bool> { return difference(a, b, f); });
}

}  // namespace

[[gnu::cold]] void add_carry_ops(OpRegistry& ops) {
  add_sums<u32>(ops);
  add_sums<s32>(ops);
  add_sums<u64>(ops);
  add_sums<s64>(ops);
  add_products<u32>(ops);
  add_products<s32>(ops);
  add_products<u64>(ops);
  add_products<s64>(ops);
}

}  // namespace warpfold::isa
