// SPDX-License-Identifier: Apache-2.0
// Moves, selections, packing, and conversions between the address windows (PTX ISA §9.7.9).
#include <fmt/format.h>

#include <utility>

#include "warpfold/isa/address_space.h"
#include "warpfold/isa/execute/ops/integer_types.h"
#include "warpfold/isa/execute/ops/op_registry.h"

namespace warpfold::isa {
namespace {

template <class T>
[[gnu::cold]] void add_select(OpRegistry& ops, const std::string& type) {
  ops.add("mov." + type, [](T a) -> T { return a; });
  ops.add("selp." + type, [](T a, T b, bool c) -> T { return c ? a : b; });
  ops.add("slct." + type + ".s32", [](T a, T b, s32 c) -> T { return c >= 0 ? a : b; });
  // NaN selects b; −0 selects a (PTX ISA §9.7.6, slct).
  ops.add("slct." + type + ".f32", [](T a, T b, float c) -> T { return c >= 0.0F ? a : b; });
  ops.add("slct.ftz." + type + ".f32", [](T a, T b, float c) -> T {
    return c > -std::numeric_limits<float>::min() ? a : b;  // a negative subnormal counts as −0
  });
}

template <class U>
[[gnu::cold]] void add_selects(OpRegistry& ops, bool has_float) {
  const std::string bits = std::to_string(kBits<U>);
  add_select<U>(ops, "b" + bits);
  add_select<U>(ops, "u" + bits);
  add_select<std::make_signed_t<U>>(ops, "s" + bits);
  if (has_float) {
    add_select<std::conditional_t<sizeof(U) == 4, float, std::conditional_t<sizeof(U) == 8, double, U>>>(ops,
                                                                                                         "f" + bits);
  }
}

template <unsigned Half, class R, class A>
R take(A a) {
  return static_cast<R>(a >> Half * kBits<R>);
}

// Two results of one source. `compute` of a single function has one result, so this one is written out.
template <class A, class R>
void unpack_lanes(const LaneArrays& arrays, unsigned lanes) {
  const SourceLanes<A> source(arrays.s[0]);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const A a = source[lane];
    if (arrays.d[0][0] != nullptr) arrays.d[0][0][lane] = take<0, R>(a);
    if (arrays.d[1][0] != nullptr) arrays.d[1][0][lane] = take<1, R>(a);
  }
}

template <class A, class R>
[[gnu::cold]] void add_unpack(OpRegistry& ops, const std::string& opcode) {
  OpInfo info;
  info.compute = &unpack_lanes<A, R>;
  info.d_count = 2;
  info.d[0] = info.d[1] = operand_of<R>();
  info.s_count = 1;
  info.s[0] = operand_of<A>();
  ops.add(opcode, info);
}

[[gnu::cold]] void add_packing(OpRegistry& ops) {
  ops.add("pack.b64.b32", [](u32 a, u32 b) -> u64 { return u64{b} << 32 | a; });
  ops.add("pack.b32.b16", [](u16 a, u16 b) -> u32 { return u32{b} << 16 | a; });
  ops.add("pack.b64.b16",
          [](u16 a, u16 b, u16 c, u16 d) -> u64 { return u64{d} << 48 | u64{c} << 32 | u64{b} << 16 | a; });
  add_unpack<u64, u32>(ops, "unpack.b64.b32");
  add_unpack<u32, u16>(ops, "unpack.b32.b16");
  ops.add<kSeldom>("pack.b16.b8", [](u8 a, u8 b) -> u16 { return static_cast<u16>(b << 8 | a); });
  ops.add<kSeldom>("pack.b32.b8",
                   [](u8 a, u8 b, u8 c, u8 d) -> u32 { return u32{d} << 24 | u32{c} << 16 | u32{b} << 8 | a; });
  add_unpack<u16, u8>(ops, "unpack.b16.b8");
}

// Generic addresses of the global space are the device addresses themselves.
template <Address Window, Address Bytes = kWindowBytes>
[[gnu::cold]] void add_window(OpRegistry& ops, const std::string& space) {
  ops.add("cvta." + space + ".u64", [](u64 a) -> u64 { return a + Window; });
  ops.add("cvta.to." + space + ".u64", [](u64 a) -> u64 { return a - Window; });
  ops.add<kSeldom>("cvta." + space + ".u32", [](u32 a) -> u32 { return a + static_cast<u32>(Window); });
  ops.add<kSeldom>("cvta.to." + space + ".u32", [](u32 a) -> u32 { return a - static_cast<u32>(Window); });
  if constexpr (Window != 0) {
    ops.add("isspacep." + space, [](u64 a) -> bool { return a - Window < Bytes; });
  }
}

}  // namespace

[[gnu::cold]] void add_move_ops(OpRegistry& ops) {
  add_selects<u16>(ops, false);
  add_selects<u32>(ops, true);
  add_selects<u64>(ops, true);
  ops.add("mov.pred", [](bool a) -> bool { return a; });
  add_packing(ops);
  add_window<0>(ops, "global");
  add_window<kSharedWindow>(ops, "shared");
  add_window<kLocalWindow>(ops, "local");
  add_window<kConstWindow>(ops, "const");
  add_window<kParamWindow, kSharedWindow - kParamWindow>(ops, "param");
  static_assert(kLocalWindow == kSharedWindow + kWindowBytes && kConstWindow == kLocalWindow + kWindowBytes);
  // The same space by another name: clusters are of one block, parameters of called functions are in no window.
  for (const auto& [space, other] : {std::pair{"shared", "shared::cta"}, std::pair{"shared", "shared::cluster"},
                                     std::pair{"param", "param::entry"}}) {
    for (const auto& [opcode, type] :
         {std::pair{"isspacep.", ""}, std::pair{"cvta.", ".u64"}, std::pair{"cvta.to.", ".u64"},
          std::pair{"cvta.", ".u32"}, std::pair{"cvta.to.", ".u32"}}) {
      const OpInfo info = *ops.find(fmt::format("{}{}{}", opcode, space, type));
      ops.add(fmt::format("{}{}{}", opcode, other, type), info);
    }
  }
  ops.add("isspacep.global",
          [](u64 a) -> bool { return a - kParamWindow >= kConstWindow + kWindowBytes - kParamWindow; });
}

}  // namespace warpfold::isa
