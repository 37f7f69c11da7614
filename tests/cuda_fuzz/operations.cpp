// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda_fuzz/operations.h"

#include <string_view>

namespace warpfold::cuda_fuzz {
namespace {

// A letter each, in the order of Type.
constexpr std::string_view kLetters = "cbshiulvfd";

Type type_of(char letter) { return static_cast<Type>(kLetters.find(letter)); }

struct Row {
  const char* signature;  // result, then operands
  const char* text;
};

// Signed arithmetic is done in unsigned: C++ leaves overflow undefined. What takes an operand twice is a function of
// kernels.h.
constexpr Row kInteger[] = {
    {"uuu", "$a + $b"},
    {"uuu", "$a - $b"},
    {"uuu", "$a * $b"},
    {"uuu", "$a & $b"},
    {"uuu", "$a | $b"},
    {"uuu", "$a ^ $b"},
    {"uu", "~$a"},
    {"uu", "-$a"},
    {"uuu", "$a << ($b & 31)"},
    {"uuu", "$a >> ($b & 31)"},
    {"uuu", "quotient<u32>($a, $b)"},
    {"uuu", "rest<u32>($a, $b)"},
    {"uu", "$a / 7u"},
    {"uu", "$a % 10u"},
    {"uuuu", "$a * $b + $c"},
    {"uuuu", "$a & 1 ? $b : $c"},
    {"iii", "(s32)((u32)$a + (u32)$b)"},
    {"iii", "(s32)((u32)$a - (u32)$b)"},
    {"iii", "(s32)((u32)$a * (u32)$b)"},
    {"iii", "$a & $b"},
    {"iii", "$a ^ $b"},
    {"iiu", "(s32)((u32)$a << ($b & 31))"},
    {"iiu", "$a >> ($b & 31)"},
    {"iii", "quotient<s32>($a, $b)"},
    {"iii", "rest<s32>($a, $b)"},
    {"ii", "$a / 8"},
    {"ii", "$a % -11"},
    {"iuii", "$a & 2 ? $b : $c"},
    {"vvv", "$a + $b"},
    {"vvv", "$a - $b"},
    {"vvv", "$a * $b"},
    {"vvv", "$a & $b"},
    {"vvv", "$a | $b"},
    {"vvv", "$a ^ $b"},
    {"vv", "~$a"},
    {"vvu", "$a << ($b & 63)"},
    {"vvu", "$a >> ($b & 63)"},
    {"vvv", "quotient<u64>($a, $b)"},
    {"vvv", "rest<u64>($a, $b)"},
    {"vv", "$a % 1000000007ull"},
    {"vuu", "(u64)$a * $b"},
    {"vuuv", "(u64)$a * $b + $c"},
    {"vuvv", "$a & 4 ? $b : $c"},
    {"lll", "(s64)((u64)$a + (u64)$b)"},
    {"lll", "(s64)((u64)$a - (u64)$b)"},
    {"lll", "(s64)((u64)$a * (u64)$b)"},
    {"lll", "$a | $b"},
    {"llu", "(s64)((u64)$a << ($b & 63))"},
    {"llu", "$a >> ($b & 63)"},
    {"lll", "quotient<s64>($a, $b)"},
    {"lll", "rest<s64>($a, $b)"},
    {"lii", "(s64)$a * $b"},
    {"luul", "$a > $b ? (s64)$a : $c"},
    // narrow types
    {"ccc", "(s8)($a + $b)"},
    {"ccc", "(s8)($a * $b)"},
    {"cci", "(s8)($a >> ($b & 7))"},
    {"ccc", "quotient<s8>($a, $b)"},
    {"bbb", "(u8)($a - $b)"},
    {"bbb", "(u8)($a ^ $b)"},
    {"bbu", "(u8)($a << ($b & 7))"},
    {"bbb", "rest<u8>($a, $b)"},
    {"sss", "(s16)($a - $b)"},
    {"sss", "(s16)((s32)$a * $b)"},
    {"ssu", "(s16)($a >> ($b & 15))"},
    {"sss", "rest<s16>($a, $b)"},
    {"hhh", "(u16)($a + $b)"},
    {"hhh", "(u16)((u32)$a * (u32)$b)"},
    {"hhu", "(u16)($a << ($b & 15))"},
    {"hhh", "quotient<u16>($a, $b)"},
    // comparisons
    {"uuu", "(u32)($a < $b)"},
    {"uii", "(u32)($a < $b)"},
    {"uii", "(u32)($a >= $b)"},
    {"uuu", "(u32)($a == $b)"},
    {"uvv", "(u32)($a <= $b)"},
    {"ull", "(u32)($a > $b)"},
    {"ucc", "(u32)($a < $b)"},
    {"uhh", "(u32)($a != $b)"},
    {"ubb", "(u32)($a > $b)"},
    {"uss", "(u32)($a <= $b)"},
};

constexpr Row kIntrinsics[] = {
    {"uu", "(u32)__popc($a)"},
    {"uv", "(u32)__popcll($a)"},
    {"ui", "(u32)__clz($a)"},
    {"ul", "(u32)__clzll($a)"},
    {"ii", "__ffs($a)"},
    {"il", "__ffsll($a)"},
    {"uu", "__brev($a)"},
    {"vv", "__brevll($a)"},
    {"uuuu", "__byte_perm($a, $b, $c & 0x7777)"},
    {"uuuu", "__funnelshift_l($a, $b, $c)"},
    {"uuuu", "__funnelshift_lc($a, $b, $c & 63)"},
    {"uuuu", "__funnelshift_r($a, $b, $c)"},
    {"uuuu", "__funnelshift_rc($a, $b, $c & 63)"},
    {"iii", "__mulhi($a, $b)"},
    {"uuu", "__umulhi($a, $b)"},
    {"lll", "__mul64hi($a, $b)"},
    {"vvv", "__umul64hi($a, $b)"},
    {"iii", "__mul24($a, $b)"},
    {"uuu", "__umul24($a, $b)"},
    {"uiiu", "__sad($a, $b, $c)"},
    {"uuuu", "__usad($a, $b, $c)"},
    {"iii", "__hadd($a, $b)"},
    {"iii", "__rhadd($a, $b)"},
    {"uuu", "__uhadd($a, $b)"},
    {"uuu", "__urhadd($a, $b)"},
    {"iii", "min($a, $b)"},
    {"iii", "max($a, $b)"},
    {"uuu", "min($a, $b)"},
    {"uuu", "max($a, $b)"},
    {"lll", "min($a, $b)"},
    {"lll", "max($a, $b)"},
    {"vvv", "min($a, $b)"},
    {"vvv", "max($a, $b)"},
    {"ii", "abs($a | 1)"},
    {"ll", "llabs($a | 1)"},
};

// Without contraction: programs are compiled with -fmad=false and -ffp-contract=off.
constexpr Row kFloat[] = {
    {"fff", "$a + $b"},
    {"fff", "$a - $b"},
    {"fff", "$a * $b"},
    {"fff", "$a / $b"},
    {"ffff", "$a * $b + $c"},
    {"ffff", "fmaf($a, $b, $c)"},
    {"ff", "sqrtf($a)"},
    {"ff", "-$a"},
    {"ff", "fabsf($a)"},
    {"fff", "fminf($a + 0.0f, $b + 0.0f)"},
    {"fff", "fmaxf($a + 0.0f, $b + 0.0f)"},
    {"ff", "floorf($a)"},
    {"ff", "ceilf($a)"},
    {"ff", "truncf($a)"},
    {"ff", "rintf($a)"},
    {"ff", "roundf($a)"},
    {"fff", "copysignf($a, one_nan($b))"},
    {"fff", "fmaf($a, $b, -$a)"},
    {"ffi", "ldexpf($a, $b % 160)"},
    {"fff", "fdimf($a, $b)"},
    {"ff", "__saturatef($a)"},
    {"fu", "__uint_as_float($a)"},
    {"fuff", "$a & 8 ? $b : $c"},
    {"ffff", "$a < $b ? $b : $c"},
    {"ff", "__frsqrt_rn(fabsf($a))"},
    {"uf", "__float_as_uint(one_nan($a))"},
    {"if", "__float_as_int(one_nan($a))"},
    {"uff", "(u32)($a < $b)"},
    {"uff", "(u32)($a == $b)"},
    {"uff", "(u32)!($a <= $b)"},
    {"uff", "(u32)($a != $b)"},
    {"uf", "(u32)(isnan($a) ? 1 : isinf($a) ? 2 : 3)"},
    {"ddd", "$a + $b"},
    {"ddd", "$a - $b"},
    {"ddd", "$a * $b"},
    {"ddd", "$a / $b"},
    {"dddd", "fma($a, $b, $c)"},
    {"dd", "sqrt($a)"},
    {"dd", "-$a"},
    {"dd", "fabs($a)"},
    {"ddd", "fmin($a + 0.0, $b + 0.0)"},
    {"ddd", "fmax($a + 0.0, $b + 0.0)"},
    {"dd", "floor($a)"},
    {"dd", "ceil($a)"},
    {"dd", "trunc($a)"},
    {"dd", "rint($a)"},
    {"ddd", "copysign($a, one_nan($b))"},
    {"ddi", "ldexp($a, $b % 1100)"},
    {"dl", "__longlong_as_double($a)"},
    {"dii", "__hiloint2double($a, $b)"},
    {"dudd", "$a & 16 ? $b : $c"},
    {"ld", "__double_as_longlong(one_nan($a))"},
    {"id", "__double2hiint(one_nan($a))"},
    {"id", "__double2loint(one_nan($a))"},
    {"udd", "(u32)($a < $b)"},
    {"udd", "(u32)!($a >= $b)"},
};

constexpr Row kHalf[] = {
    {"hhh", "half_bits(__hadd(half_of($a), half_of($b)))"},
    {"hhh", "half_bits(__hsub(half_of($a), half_of($b)))"},
    {"hhh", "half_bits(__hmul(half_of($a), half_of($b)))"},
    {"hhh", "half_bits(__hdiv(half_of($a), half_of($b)))"},
    {"hhhh", "half_bits(__hfma(half_of($a), half_of($b), half_of($c)))"},
    {"hh", "half_bits(hsqrt(half_of($a)))"},
    {"hd", "half_bits(__double2half($a))"},
    {"fh", "__half2float(half_of($a))"},
    {"uhh", "(u32)__hlt(half_of($a), half_of($b))"},
    {"uhh", "(u32)__heq(half_of($a), half_of($b))"},
    {"uhh", "(u32)__hneu(half_of($a), half_of($b))"},
    {"uuu", "half2_bits(__hadd2(half2_of($a), half2_of($b)))"},
    {"uuu", "half2_bits(__hsub2(half2_of($a), half2_of($b)))"},
    {"uuu", "half2_bits(__hmul2(half2_of($a), half2_of($b)))"},
    {"uuuu", "half2_bits(__hfma2(half2_of($a), half2_of($b), half2_of($c)))"},
};

// RR: each rounding direction.
constexpr Row kRounded[] = {
    {"fff", "__fadd_RR($a, $b)"},
    {"fff", "__fmul_RR($a, $b)"},
    {"fff", "__fdiv_RR($a, $b)"},
    {"ff", "__fsqrt_RR($a)"},
    {"ff", "__frcp_RR($a)"},
    {"ffff", "__fmaf_RR($a, $b, $c)"},
    {"ddd", "__dadd_RR($a, $b)"},
    {"ddd", "__dmul_RR($a, $b)"},
    {"ddd", "__ddiv_RR($a, $b)"},
    {"dd", "__dsqrt_RR($a)"},
    {"dddd", "__fma_RR($a, $b, $c)"},
    {"if", "__float2int_RR($a)"},
    {"uf", "__float2uint_RR($a)"},
    {"lf", "__float2ll_RR($a)"},
    {"vf", "__float2ull_RR($a)"},
    {"id", "__double2int_RR($a)"},
    {"ud", "__double2uint_RR($a)"},
    {"ld", "__double2ll_RR($a)"},
    {"vd", "__double2ull_RR($a)"},
    {"fd", "__double2float_RR($a)"},
    {"fi", "__int2float_RR($a)"},
    {"fu", "__uint2float_RR($a)"},
    {"fl", "__ll2float_RR($a)"},
    {"fv", "__ull2float_RR($a)"},
    {"dl", "__ll2double_RR($a)"},
    {"dv", "__ull2double_RR($a)"},
    {"hf", "half_bits(__float2half_RR($a))"},
    {"hi", "half_bits(__int2half_RR($a))"},
    {"hl", "half_bits(__ll2half_RR($a))"},
    {"ih", "__half2int_RR(half_of($a))"},
    {"uh", "__half2uint_RR(half_of($a))"},
};

class Table {
 public:
  Table() {
    for (const Row& row : kInteger) add(row.signature, row.text);
    for (const Row& row : kIntrinsics) add(row.signature, row.text);
    for (const Row& row : kFloat) add(row.signature, row.text);
    for (const Row& row : kHalf) add(row.signature, row.text);
    for (const Row& row : kRounded) {
      for (const char* direction : {"rn", "rz", "ru", "rd"}) {
        std::string text = row.text;
        add(row.signature, text.replace(text.find("RR"), 2, direction));
      }
    }
    casts();
  }
  const std::vector<Operation>& of(Type type) const { return operations_[static_cast<std::size_t>(type)]; }

 private:
  void add(std::string_view signature, const std::string& text) {
    Operation operation{type_of(signature[0]), {}, text};
    for (const char letter : signature.substr(1)) operation.operands.push_back(type_of(letter));
    operations_[static_cast<std::size_t>(operation.result)].push_back(std::move(operation));
  }

  void casts() {
    for (const char to : kLetters) {
      for (const char from : kLetters) {
        if (to == from) continue;
        const std::string name = name_of(type_of(to));
        const bool defined = is_float(type_of(to)) || !is_float(type_of(from));
        add({to, from}, defined ? "(" + name + ")$a" : "cast<" + name + ">($a)");
      }
    }
  }
  void add(std::initializer_list<char> signature, const std::string& text) {
    add(std::string_view(signature.begin(), signature.size()), text);
  }

  std::array<std::vector<Operation>, kTypes> operations_;
};

}  // namespace

const char* name_of(Type type) {
  static constexpr const char* names[] = {"s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64", "f32", "f64"};
  return names[static_cast<std::size_t>(type)];
}

unsigned bytes_of(Type type) {
  static constexpr unsigned bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return bytes[static_cast<std::size_t>(type)];
}

const std::vector<Operation>& operations_of(Type type) {
  static const Table table;
  return table.of(type);
}

}  // namespace warpfold::cuda_fuzz
