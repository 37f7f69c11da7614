// SPDX-License-Identifier: Apache-2.0
// Bytes and half-words of a word (PTX ISA §9.7.1, §9.7.9, §9.7.14): dot products of two, masks, sign extension from a
// bit, saturating packs, and the video instructions on all four bytes or both half-words.
#include <cstdlib>
#include <string>

#include "warpfold/isa/execute/ops/op_registry.h"

namespace warpfold::isa {
namespace {

// Element `index` of so many bits, with its sign.
template <unsigned Bits, bool Signed>
s64 element(u32 word, unsigned index) {
  const u32 bits = word >> Bits * index & ((u32{1} << Bits) - 1);
  if constexpr (Signed) return static_cast<s64>(u64{bits} << (64 - Bits)) >> (64 - Bits);
  return bits;
}

// dp2a: two half-words of a times the low or high two bytes of b.
template <bool SignedA, bool SignedB, bool High>
u32 dot_2(u32 a, u32 b, u32 c) {
  s64 sum = c;
  for (unsigned k = 0; k < 2; ++k) sum += element<16, SignedA>(a, k) * element<8, SignedB>(b, k + (High ? 2 : 0));
  return static_cast<u32>(sum);
}

template <bool SignedA, bool SignedB>
[[gnu::cold]] void add_dot_2(OpRegistry& ops) {
  const std::string types = std::string(SignedA ? ".s32" : ".u32") + (SignedB ? ".s32" : ".u32");
  ops.add<kSeldom>("dp2a.lo" + types,
                   [](u32 a, u32 b, u32 c) -> u32 { return dot_2<SignedA, SignedB, false>(a, b, c); });
  ops.add<kSeldom>("dp2a.hi" + types,
                   [](u32 a, u32 b, u32 c) -> u32 { return dot_2<SignedA, SignedB, true>(a, b, c); });
}

// The low `bits` of a, whose highest is spread over the rest.
template <bool Signed>
u32 extend(u32 a, u32 bits) {
  if (bits == 0) return 0;
  if (bits >= 32) return a;
  const u32 low = a & ((u32{1} << bits) - 1);
  return Signed && (a >> (bits - 1) & 1) != 0 ? low | ~u32{0} << bits : low;
}

u32 bit_mask(u32 position, u32 bits) {
  const u64 ones = bits >= 32 ? 0xffffffff : (u64{1} << bits) - 1;
  return position >= 32 ? 0 : static_cast<u32>(ones << position);
}

[[gnu::cold]] void add_fields(OpRegistry& ops) {
  ops.add<kSeldom>("szext.clamp.s32", [](u32 a, u32 bits) -> u32 { return extend<true>(a, bits); });
  ops.add<kSeldom>("szext.clamp.u32", [](u32 a, u32 bits) -> u32 { return extend<false>(a, bits); });
  ops.add<kSeldom>("szext.wrap.s32", [](u32 a, u32 bits) -> u32 { return extend<true>(a, bits & 31); });
  ops.add<kSeldom>("szext.wrap.u32", [](u32 a, u32 bits) -> u32 { return extend<false>(a, bits & 31); });
  ops.add<kSeldom>("bmsk.clamp.b32", [](u32 position, u32 bits) -> u32 { return bit_mask(position, bits); });
  ops.add<kSeldom>("bmsk.wrap.b32", [](u32 position, u32 bits) -> u32 { return bit_mask(position & 31, bits & 31); });
}

template <class D>
u32 saturated(s32 a) {
  return static_cast<Unsigned<D>>(saturate<D>(s64{a}));
}

// To Bits bits, as a field.
template <unsigned Bits, bool Signed>
u32 saturated_field(s32 a) {
  const s64 low = Signed ? -(s64{1} << (Bits - 1)) : 0, high = (s64{1} << (Signed ? Bits - 1 : Bits)) - 1;
  const s64 value = a < low ? low : a > high ? high : a;
  return static_cast<u32>(value) & ((u32{1} << Bits) - 1);
}

template <unsigned Bits, bool Signed>
[[gnu::cold]] void add_pack_of_fields(OpRegistry& ops) {
  ops.add<kSeldom>("cvt.pack.sat." + std::string(Signed ? "s" : "u") + std::to_string(Bits) + ".s32.b32",
                   [](s32 a, s32 b, u32 c) -> u32 {
                     return c << 2 * Bits | saturated_field<Bits, Signed>(a) << Bits | saturated_field<Bits, Signed>(b);
                   });
}

// cvt.pack: {a, b} below what is left of c.
[[gnu::cold]] void add_packs(OpRegistry& ops) {
  ops.add<kSeldom>("cvt.pack.sat.u16.s32",
                   [](s32 a, s32 b) -> u32 { return saturated<u16>(a) << 16 | saturated<u16>(b); });
  ops.add<kSeldom>("cvt.pack.sat.s16.s32",
                   [](s32 a, s32 b) -> u32 { return saturated<s16>(a) << 16 | saturated<s16>(b); });
  add_pack_of_fields<8, false>(ops);
  add_pack_of_fields<8, true>(ops);
  add_pack_of_fields<4, false>(ops);
  add_pack_of_fields<4, true>(ops);
  add_pack_of_fields<2, false>(ops);
  add_pack_of_fields<2, true>(ops);
}

struct Add {
  s64 operator()(s64 a, s64 b) const { return a + b; }
};
struct Subtract {
  s64 operator()(s64 a, s64 b) const { return a - b; }
};
struct Average {  // rounds away from zero
  s64 operator()(s64 a, s64 b) const { return a + b >= 0 ? (a + b + 1) >> 1 : -((1 - a - b) >> 1); }
};
struct Distance {
  s64 operator()(s64 a, s64 b) const { return a < b ? b - a : a - b; }
};
struct Least {
  s64 operator()(s64 a, s64 b) const { return a < b ? a : b; }
};
struct Greatest {
  s64 operator()(s64 a, s64 b) const { return a < b ? b : a; }
};

template <unsigned Bits, bool Signed>
s64 limited(s64 value) {
  constexpr s64 low = Signed ? -(s64{1} << (Bits - 1)) : 0;
  constexpr s64 high = (s64{1} << (Signed ? Bits - 1 : Bits)) - 1;
  return value < low ? low : value > high ? high : value;
}

// What becomes of an element's result: it replaces that of c, limited to its range or not, or all are added to c.
enum class Merge : std::uint8_t { kWrap, kSaturate, kSum };

// Signs of the result, of a and of b.
template <unsigned Bits, class F, bool SignedD, bool SignedA, bool SignedB, Merge How>
u32 on_elements(u32 a, u32 b, u32 c) {
  u32 packed = 0, sum = c;
  for (unsigned k = 0; k < 32 / Bits; ++k) {
    s64 value = F{}(element<Bits, SignedA>(a, k), element<Bits, SignedB>(b, k));
    if constexpr (How == Merge::kSaturate) value = limited<Bits, SignedD>(value);
    const u32 bits = static_cast<u32>(value) & ((u32{1} << Bits) - 1);
    packed |= bits << Bits * k;
    sum += static_cast<u32>(value);
  }
  return How == Merge::kSum ? sum : packed;
}

template <unsigned Bits, class F, bool SignedD, bool SignedA, bool SignedB>
[[gnu::cold]] void add_signs(OpRegistry& ops, const std::string& name) {
  const auto text = [](bool is_signed) { return is_signed ? ".s32" : ".u32"; };
  const std::string types = std::string(text(SignedD)) + text(SignedA) + text(SignedB);
  ops.add<kSeldom>(name + types, [](u32 a, u32 b, u32 c) -> u32 {
    return on_elements<Bits, F, SignedD, SignedA, SignedB, Merge::kWrap>(a, b, c);
  });
  ops.add<kSeldom>(name + types + ".sat", [](u32 a, u32 b, u32 c) -> u32 {
    return on_elements<Bits, F, SignedD, SignedA, SignedB, Merge::kSaturate>(a, b, c);
  });
  ops.add<kSeldom>(name + types + ".add", [](u32 a, u32 b, u32 c) -> u32 {
    return on_elements<Bits, F, SignedD, SignedA, SignedB, Merge::kSum>(a, b, c);
  });
}

template <unsigned Bits, class F>
[[gnu::cold]] void add_video(OpRegistry& ops, const std::string& name) {
  const std::string opcode = name + std::to_string(32 / Bits);
  add_signs<Bits, F, false, false, false>(ops, opcode);
  add_signs<Bits, F, true, true, true>(ops, opcode);
  add_signs<Bits, F, true, false, false>(ops, opcode);
  add_signs<Bits, F, false, true, true>(ops, opcode);
}

template <unsigned Bits>
[[gnu::cold]] void add_videos(OpRegistry& ops) {
  add_video<Bits, Add>(ops, "vadd");
  add_video<Bits, Subtract>(ops, "vsub");
  add_video<Bits, Average>(ops, "vavrg");
  add_video<Bits, Distance>(ops, "vabsdiff");
  add_video<Bits, Least>(ops, "vmin");
  add_video<Bits, Greatest>(ops, "vmax");
}

// vset: 1 in each element of which the comparison holds, or their number added to c.
template <unsigned Bits, bool Signed, class F>
[[gnu::cold]] void add_video_comparison(OpRegistry& ops, const std::string& compare, F) {
  struct Holds {
    s64 operator()(s64 a, s64 b) const { return F{}(a, b) ? 1 : 0; }
  };
  const std::string type = Signed ? ".s32" : ".u32";
  const std::string opcode = "vset" + std::to_string(32 / Bits) + type + type + "." + compare;
  ops.add<kSeldom>(opcode, [](u32 a, u32 b, u32 c) -> u32 {
    return on_elements<Bits, Holds, false, Signed, Signed, Merge::kWrap>(a, b, c);
  });
  ops.add<kSeldom>(opcode + ".add", [](u32 a, u32 b, u32 c) -> u32 {
    return on_elements<Bits, Holds, false, Signed, Signed, Merge::kSum>(a, b, c);
  });
}

template <unsigned Bits, bool Signed>
[[gnu::cold]] void add_video_comparisons(OpRegistry& ops) {
  add_video_comparison<Bits, Signed>(ops, "eq", [](s64 a, s64 b) { return a == b; });
  add_video_comparison<Bits, Signed>(ops, "ne", [](s64 a, s64 b) { return a != b; });
  add_video_comparison<Bits, Signed>(ops, "lt", [](s64 a, s64 b) { return a < b; });
  add_video_comparison<Bits, Signed>(ops, "le", [](s64 a, s64 b) { return a <= b; });
  add_video_comparison<Bits, Signed>(ops, "gt", [](s64 a, s64 b) { return a > b; });
  add_video_comparison<Bits, Signed>(ops, "ge", [](s64 a, s64 b) { return a >= b; });
}

// Below zero it becomes zero.
template <class F>
struct Rectified {
  s64 operator()(s64 a, s64 b) const { return Greatest{}(F{}(a, b), 0); }
};

// Both half-words of two words (PTX ISA §9.7.1).
template <class F, bool Signed>
[[gnu::cold]] void add_on_halves(OpRegistry& ops, const std::string& name) {
  ops.add<kSeldom>(name + (Signed ? ".s16x2" : ".u16x2"), [](u32 a, u32 b) -> u32 {
    return on_elements<16, F, Signed, Signed, Signed, Merge::kWrap>(a, b, 0);
  });
}

[[gnu::cold]] void add_halves(OpRegistry& ops) {
  add_on_halves<Add, false>(ops, "add");
  add_on_halves<Add, true>(ops, "add");
  add_on_halves<Least, false>(ops, "min");
  add_on_halves<Least, true>(ops, "min");
  add_on_halves<Greatest, false>(ops, "max");
  add_on_halves<Greatest, true>(ops, "max");
  add_on_halves<Rectified<Least>, true>(ops, "min.relu");
  add_on_halves<Rectified<Greatest>, true>(ops, "max.relu");
  ops.add<kSeldom>("min.relu.s32", [](s32 a, s32 b) -> s32 { return static_cast<s32>(Rectified<Least>{}(a, b)); });
  ops.add<kSeldom>("max.relu.s32", [](s32 a, s32 b) -> s32 { return static_cast<s32>(Rectified<Greatest>{}(a, b)); });
}

}  // namespace

[[gnu::cold]] void add_packed_ops(OpRegistry& ops) {
  add_dot_2<false, false>(ops);
  add_dot_2<false, true>(ops);
  add_dot_2<true, false>(ops);
  add_dot_2<true, true>(ops);
  add_fields(ops);
  add_packs(ops);
  add_halves(ops);
  add_videos<8>(ops);
  add_videos<16>(ops);
  add_video_comparisons<8, false>(ops);
  add_video_comparisons<8, true>(ops);
  add_video_comparisons<16, false>(ops);
  add_video_comparisons<16, true>(ops);
}

}  // namespace warpfold::isa
