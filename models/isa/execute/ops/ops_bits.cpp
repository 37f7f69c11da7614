// SPDX-License-Identifier: Apache-2.0
// Logic, shifts and bit fields (PTX ISA §9.7.1, §9.7.8).
#include <bit>

#include "warpfold/isa/execute/ops/integer_types.h"
#include "warpfold/isa/execute/ops/op_registry.h"

namespace warpfold::isa {
namespace {

template <class T>
[[gnu::cold]] void add_logic(OpRegistry& ops) {
  const std::string type = bits_suffix<T>();
  ops.add("and" + type, [](T a, T b) -> T { return static_cast<T>(a & b); });
  ops.add("or" + type, [](T a, T b) -> T { return static_cast<T>(a | b); });
  ops.add("xor" + type, [](T a, T b) -> T { return static_cast<T>(a ^ b); });
  ops.add("not" + type, [](T a) -> T { return static_cast<T>(~a); });
  ops.add("cnot" + type, [](T a) -> T { return a == 0; });
}

[[gnu::cold]] void add_predicate_logic(OpRegistry& ops) {
  ops.add("and.pred", [](bool a, bool b) -> bool { return a && b; });
  ops.add("or.pred", [](bool a, bool b) -> bool { return a || b; });
  ops.add("xor.pred", [](bool a, bool b) -> bool { return a != b; });
  ops.add("not.pred", [](bool a) -> bool { return !a; });
}

// Shift amounts beyond the width count as the width (PTX ISA §9.7.8, shl, shr).
template <class T>
T shift_left(T a, u32 by) {
  return by >= kBits<T> ? T{0} : static_cast<T>(static_cast<u64>(a) << (by & (kBits<T> - 1)));
}
template <class T>
T shift_right(T a, u32 by) {
  if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(a >> (by >= kBits<T> ? kBits<T> - 1 : by));
  } else {
    return by >= kBits<T> ? T{0} : static_cast<T>(a >> (by & (kBits<T> - 1)));
  }
}

template <class U>
[[gnu::cold]] void add_shifts(OpRegistry& ops) {
  using S = std::make_signed_t<U>;
  ops.add("shl" + bits_suffix<U>(), [](U a, u32 by) -> U { return shift_left(a, by); });
  ops.add("shr" + type_suffix<U>(), [](U a, u32 by) -> U { return shift_right(a, by); });
  ops.add("shr" + bits_suffix<U>(), [](U a, u32 by) -> U { return shift_right(a, by); });
  ops.add("shr" + type_suffix<S>(), [](S a, u32 by) -> S { return shift_right(a, by); });
}

template <class T>
T low_mask(u32 count) {
  return count >= kBits<T> ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << (count & (kBits<T> - 1))) - 1);
}

// Bits beyond the end of the field, or of the word, repeat the field's top bit (the word's, when the field sticks out).
template <class T>
T extract_field(T a, u32 position, u32 length) {
  using U = Unsigned<T>;
  constexpr u32 top = kBits<T> - 1;
  position &= 0xff;
  length &= 0xff;
  const U shifted = shift_right(static_cast<U>(a), position);
  const u32 room = position > top ? 0 : top + 1 - position;
  const U mask = low_mask<U>(length < room ? length : room);
  U fill = 0;
  if constexpr (std::is_signed_v<T>) {
    const u32 last = position + length - 1;
    fill = length == 0 ? U{0} : static_cast<U>(U{0} - (static_cast<U>(a) >> (last > top ? top : last) & 1));
  }
  return static_cast<T>((shifted & mask) | (fill & static_cast<U>(~mask)));
}

template <class U>
U insert_field(U a, U b, u32 position, u32 length) {
  const U mask = shift_left(low_mask<U>(length & 0xff), position & 0xff);
  return static_cast<U>((b & static_cast<U>(~mask)) | (shift_left(a, position & 0xff) & mask));
}

template <class T>
u32 find_top(T a) {
  const auto bits = static_cast<Unsigned<T>>(std::is_signed_v<T> && a < T{0} ? ~a : a);
  return static_cast<u32>(kBits<T> - 1 - static_cast<unsigned>(std::countl_zero(bits)));  // none: 2^32 − 1
}

template <class U>
U reverse_bits(U a) {
  u64 x = a;
  x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
  x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
  x = (x >> 8 & 0x00ff00ff00ff00ff) | (x & 0x00ff00ff00ff00ff) << 8;
  x = (x >> 16 & 0x0000ffff0000ffff) | (x & 0x0000ffff0000ffff) << 16;
  return static_cast<U>((x >> 32 | x << 32) >> (64 - kBits<U>));
}

template <class T>
[[gnu::cold]] void add_find(OpRegistry& ops) {
  ops.add("bfe" + type_suffix<T>(),
          [](T a, u32 position, u32 length) -> T { return extract_field(a, position, length); });
  ops.add("bfind" + type_suffix<T>(), [](T a) -> u32 { return find_top(a); });
  ops.add("bfind.shiftamt" + type_suffix<T>(), [](T a) -> u32 {
    const u32 top = find_top(a);
    return top == ~u32{0} ? top : kBits<T> - 1 - top;
  });
}

template <class U>
[[gnu::cold]] void add_fields(OpRegistry& ops) {
  add_find<U>(ops);
  add_find<std::make_signed_t<U>>(ops);
  const std::string type = bits_suffix<U>();
  ops.add("bfi" + type, [](U a, U b, u32 position, u32 length) -> U { return insert_field(a, b, position, length); });
  ops.add("brev" + type, [](U a) -> U { return reverse_bits(a); });
  ops.add("popc" + type, [](U a) -> u32 { return static_cast<u32>(std::popcount(a)); });
  ops.add("clz" + type, [](U a) -> u32 { return static_cast<u32>(std::countl_zero(a)); });
}

// prmt: byte `index` of {b, a}, or its sign spread over the byte when the selector's top bit asks for that.
u32 pick_byte(u64 ba, u32 index, bool sign) {
  const u32 byte = static_cast<u32>(ba >> 8 * (index & 7)) & 0xff;
  return sign ? (byte & 0x80 ? 0xffU : 0U) : byte;
}

template <class Index>
u32 permute(u32 a, u32 b, Index index_of) {
  const u64 ba = u64{b} << 32 | a;
  u32 d = 0;
  for (u32 byte = 0; byte < 4; ++byte) d |= pick_byte(ba, index_of(byte), false) << 8 * byte;
  return d;
}

[[gnu::cold]] void add_permutes(OpRegistry& ops) {
  ops.add("prmt.b32", [](u32 a, u32 b, u32 c) -> u32 {
    const u64 ba = u64{b} << 32 | a;
    u32 d = 0;
    for (u32 byte = 0; byte < 4; ++byte) {
      const u32 selector = c >> 4 * byte;
      d |= pick_byte(ba, selector, (selector & 8) != 0) << 8 * byte;
    }
    return d;
  });
  ops.add("prmt.b32.f4e", [](u32 a, u32 b, u32 c) -> u32 { return permute(a, b, [c](u32 k) { return (c & 3) + k; }); });
  ops.add("prmt.b32.b4e", [](u32 a, u32 b, u32 c) -> u32 { return permute(a, b, [c](u32 k) { return (c & 3) - k; }); });
  ops.add("prmt.b32.rc8", [](u32 a, u32 b, u32 c) -> u32 { return permute(a, b, [c](u32) { return c & 3; }); });
  ops.add("prmt.b32.ecl",
          [](u32 a, u32 b, u32 c) -> u32 { return permute(a, b, [c](u32 k) { return k > (c & 3) ? k : c & 3; }); });
  ops.add("prmt.b32.ecr",
          [](u32 a, u32 b, u32 c) -> u32 { return permute(a, b, [c](u32 k) { return k < (c & 3) ? k : c & 3; }); });
  ops.add("prmt.b32.rc16",
          [](u32 a, u32 b, u32 c) -> u32 { return permute(a, b, [c](u32 k) { return 2 * (c & 1) + (k & 1); }); });
}

u32 funnel_left(u32 a, u32 b, u32 by) { return static_cast<u32>(((u64{b} << 32 | a) << by) >> 32); }
u32 funnel_right(u32 a, u32 b, u32 by) { return static_cast<u32>((u64{b} << 32 | a) >> by); }

[[gnu::cold]] void add_funnel_shifts(OpRegistry& ops) {
  ops.add("shf.l.wrap.b32", [](u32 a, u32 b, u32 c) -> u32 { return funnel_left(a, b, c & 31); });
  ops.add("shf.r.wrap.b32", [](u32 a, u32 b, u32 c) -> u32 { return funnel_right(a, b, c & 31); });
  ops.add("shf.l.clamp.b32", [](u32 a, u32 b, u32 c) -> u32 { return funnel_left(a, b, c < 32 ? c : 32); });
  ops.add("shf.r.clamp.b32", [](u32 a, u32 b, u32 c) -> u32 { return funnel_right(a, b, c < 32 ? c : 32); });
}

// Bit (a << 2 | b << 1 | c) of the table, for each bit position.
u32 lookup_3(u32 a, u32 b, u32 c, u32 table) {
  u32 d = 0;
  for (u32 entry = 0; entry < 8; ++entry) {
    const u32 match = (entry & 4 ? a : ~a) & (entry & 2 ? b : ~b) & (entry & 1 ? c : ~c);
    d |= match & (u32{0} - (table >> entry & 1));
  }
  return d;
}

// Position of the |offset|-th set bit of `mask` from `base`, upwards or, for a negative offset, downwards.
u32 find_nth_set(u32 mask, u32 base, s32 offset) {
  if (base > 31) return ~u32{0};
  if (offset == 0) return mask >> base & 1 ? base : ~u32{0};
  const s64 step = offset > 0 ? 1 : -1;
  s64 left = step * offset;
  for (s64 at = base; at >= 0 && at < 32; at += step) {
    left -= mask >> at & 1;
    if (left == 0) return static_cast<u32>(at);
  }
  return ~u32{0};
}

}  // namespace

[[gnu::cold]] void add_bit_ops(OpRegistry& ops) {
  add_logic<u16>(ops);
  add_logic<u32>(ops);
  add_logic<u64>(ops);
  add_predicate_logic(ops);
  add_shifts<u16>(ops);
  add_shifts<u32>(ops);
  add_shifts<u64>(ops);
  add_fields<u32>(ops);
  add_fields<u64>(ops);
  add_permutes(ops);
  add_funnel_shifts(ops);
  ops.add("lop3.b32", [](u32 a, u32 b, u32 c, u32 table) -> u32 { return lookup_3(a, b, c, table); });
  ops.add("fns.b32", [](u32 mask, u32 base, s32 offset) -> u32 { return find_nth_set(mask, base, offset); });
}

}  // namespace warpfold::isa
