// SPDX-License-Identifier: Apache-2.0
// Four bytes or two halfwords of a word at once, in parts: sm_70 has no instructions for them either.
#pragma once

// Each part of type T of the result from those of a and b; F takes and gives int.
template <class T, class F>
WARPFOLD_LOCAL unsigned int warpfold_each_part(unsigned int a, unsigned int b, F f) {
  unsigned int result = 0;
  constexpr unsigned int bits = 8 * sizeof(T), mask = (1u << bits) - 1u;
#pragma unroll
  for (unsigned int at = 0; at < 32; at += bits) {
    const int x = static_cast<T>(a >> at), y = static_cast<T>(b >> at);
    result |= (static_cast<unsigned int>(f(x, y)) & mask) << at;
  }
  return result;
}
template <class T, class F>
WARPFOLD_LOCAL unsigned int warpfold_sum_of_parts(unsigned int a, unsigned int b, F f) {
  unsigned int sum = 0;
#pragma unroll
  for (unsigned int at = 0; at < 32; at += 8 * sizeof(T)) {
    sum += static_cast<unsigned int>(f(static_cast<T>(a >> at), static_cast<T>(b >> at)));
  }
  return sum;
}
template <class T>
WARPFOLD_LOCAL int warpfold_saturate(int x) {
  constexpr int top = 1 << (8 * sizeof(T) - 1), low = static_cast<T>(-1) < 0 ? -top : 0,
                high = static_cast<T>(-1) < 0 ? top - 1 : 2 * top - 1;
  return x < low ? low : x > high ? high : x;
}

extern "C" {

#define WARPFOLD_PARTS_OF(name, T, expression)                                              \
  WARPFOLD_DEVICE unsigned int __nv_v##name(unsigned int a, unsigned int b) {               \
    return warpfold_each_part<T>(a, b, [] __device__(int x, int y) { return expression; }); \
  }
// As signed and unsigned bytes and halfwords.
#define WARPFOLD_PARTS(name, t4, t2, expression4, expression2) \
  WARPFOLD_PARTS_OF(name##4, t4, expression4)                  \
  WARPFOLD_PARTS_OF(name##2, t2, expression2)
#define WARPFOLD_SIGNED(name, expression) WARPFOLD_PARTS(name, signed char, short, expression, expression)
#define WARPFOLD_UNSIGNED(name, expression) WARPFOLD_PARTS(name, unsigned char, unsigned short, expression, expression)

WARPFOLD_UNSIGNED(add, x + y)
WARPFOLD_UNSIGNED(sub, x - y)
WARPFOLD_PARTS(addss, signed char, short, warpfold_saturate<signed char>(x + y), warpfold_saturate<short>(x + y))
WARPFOLD_PARTS(subss, signed char, short, warpfold_saturate<signed char>(x - y), warpfold_saturate<short>(x - y))
WARPFOLD_PARTS(addus, unsigned char, unsigned short, warpfold_saturate<unsigned char>(x + y),
               warpfold_saturate<unsigned short>(x + y))
WARPFOLD_PARTS(subus, unsigned char, unsigned short, warpfold_saturate<unsigned char>(x - y),
               warpfold_saturate<unsigned short>(x - y))
WARPFOLD_SIGNED(absdiffs, x > y ? x - y : y - x)
WARPFOLD_UNSIGNED(absdiffu, x > y ? x - y : y - x)
// Averages: rounded away from zero where signed, up where not, down with h.
WARPFOLD_SIGNED(avgs, (x + y + (x + y >= 0 ? 1 : 0)) >> 1)
WARPFOLD_UNSIGNED(avgu, (x + y + 1) >> 1)
WARPFOLD_UNSIGNED(haddu, (x + y) >> 1)
WARPFOLD_SIGNED(maxs, x > y ? x : y)
WARPFOLD_SIGNED(mins, x < y ? x : y)
WARPFOLD_UNSIGNED(maxu, x > y ? x : y)
WARPFOLD_UNSIGNED(minu, x < y ? x : y)

// cmp: all bits of a part where it is so; set: 1.
#define WARPFOLD_COMPARE(name, op)                 \
  WARPFOLD_SIGNED(cmp##name##s, x op y ? -1 : 0)   \
  WARPFOLD_SIGNED(set##name##s, x op y ? 1 : 0)    \
  WARPFOLD_UNSIGNED(cmp##name##u, x op y ? -1 : 0) \
  WARPFOLD_UNSIGNED(set##name##u, x op y ? 1 : 0)
WARPFOLD_COMPARE(ge, >=)
WARPFOLD_COMPARE(gt, >)
WARPFOLD_COMPARE(le, <=)
WARPFOLD_COMPARE(lt, <)
WARPFOLD_UNSIGNED(cmpeq, x == y ? -1 : 0)
WARPFOLD_UNSIGNED(seteq, x == y ? 1 : 0)
WARPFOLD_UNSIGNED(cmpne, x != y ? -1 : 0)
WARPFOLD_UNSIGNED(setne, x != y ? 1 : 0)
#undef WARPFOLD_COMPARE

WARPFOLD_DEVICE unsigned int __nv_vneg4(unsigned int a) { return __nv_vsub4(0, a); }
WARPFOLD_DEVICE unsigned int __nv_vneg2(unsigned int a) { return __nv_vsub2(0, a); }
WARPFOLD_DEVICE unsigned int __nv_vnegss4(unsigned int a) { return __nv_vsubss4(0, a); }
WARPFOLD_DEVICE unsigned int __nv_vnegss2(unsigned int a) { return __nv_vsubss2(0, a); }
WARPFOLD_DEVICE unsigned int __nv_vabs4(unsigned int a) { return __nv_vabsdiffs4(a, 0); }
WARPFOLD_DEVICE unsigned int __nv_vabs2(unsigned int a) { return __nv_vabsdiffs2(a, 0); }
WARPFOLD_DEVICE unsigned int __nv_vabsss4(unsigned int a) { return __nv_vmaxs4(a, __nv_vnegss4(a)); }
WARPFOLD_DEVICE unsigned int __nv_vabsss2(unsigned int a) { return __nv_vmaxs2(a, __nv_vnegss2(a)); }

#define WARPFOLD_SUM(name, T)                                                                             \
  WARPFOLD_DEVICE unsigned int __nv_vsad##name(unsigned int a, unsigned int b) {                          \
    return warpfold_sum_of_parts<T>(a, b, [] __device__(int x, int y) { return x > y ? x - y : y - x; }); \
  }
WARPFOLD_SUM(s4, signed char)
WARPFOLD_SUM(s2, short)
WARPFOLD_SUM(u4, unsigned char)
WARPFOLD_SUM(u2, unsigned short)
#undef WARPFOLD_SUM
#undef WARPFOLD_SIGNED
#undef WARPFOLD_UNSIGNED
#undef WARPFOLD_PARTS
#undef WARPFOLD_PARTS_OF

}  // extern "C"
