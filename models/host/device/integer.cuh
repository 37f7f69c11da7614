// SPDX-License-Identifier: Apache-2.0
// Integer functions and bit casts that clang's CUDA headers expect of a device library.
#pragma once

// The least number has no negative: -a would let the compiler take a shifted bit for one that is never the sign.
WARPFOLD_LOCAL int warpfold_negative(int a) { return static_cast<int>(0u - static_cast<unsigned int>(a)); }
WARPFOLD_LOCAL long long warpfold_negative(long long a) {
  return static_cast<long long>(0ull - static_cast<unsigned long long>(a));
}

extern "C" {

WARPFOLD_DEVICE int __nv_abs(int a) { return a < 0 ? warpfold_negative(a) : a; }
WARPFOLD_DEVICE long long __nv_llabs(long long a) { return a < 0 ? warpfold_negative(a) : a; }
WARPFOLD_DEVICE int __nv_max(int a, int b) { return a > b ? a : b; }
WARPFOLD_DEVICE int __nv_min(int a, int b) { return a < b ? a : b; }
WARPFOLD_DEVICE unsigned int __nv_umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
WARPFOLD_DEVICE unsigned int __nv_umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
WARPFOLD_DEVICE long long __nv_llmax(long long a, long long b) { return a > b ? a : b; }
WARPFOLD_DEVICE long long __nv_llmin(long long a, long long b) { return a < b ? a : b; }
WARPFOLD_DEVICE unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
WARPFOLD_DEVICE unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }

WARPFOLD_DEVICE int __nv_brev(int a) { return static_cast<int>(__builtin_bitreverse32(static_cast<unsigned int>(a))); }
WARPFOLD_DEVICE long long __nv_brevll(long long a) {
  return static_cast<long long>(__builtin_bitreverse64(static_cast<unsigned long long>(a)));
}
// clang's __builtin_clz is undefined for 0; CUDA's counts all bits.
WARPFOLD_DEVICE int __nv_clz(int a) { return a == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(a)); }
WARPFOLD_DEVICE int __nv_clzll(long long a) {
  return a == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(a));
}
WARPFOLD_DEVICE int __nv_popc(int a) { return __builtin_popcount(static_cast<unsigned int>(a)); }
WARPFOLD_DEVICE int __nv_popcll(long long a) { return __builtin_popcountll(static_cast<unsigned long long>(a)); }
WARPFOLD_DEVICE int __nv_ffs(int a) { return a == 0 ? 0 : 32 - __nv_clz(a & warpfold_negative(a)); }
WARPFOLD_DEVICE int __nv_ffsll(long long a) { return a == 0 ? 0 : 64 - __nv_clzll(a & warpfold_negative(a)); }
WARPFOLD_DEVICE int __nv_byte_perm(int a, int b, int c) { return __nvvm_prmt(a, b, c); }

WARPFOLD_DEVICE int __nv_mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
WARPFOLD_DEVICE unsigned int __nv_umul24(unsigned int a, unsigned int b) { return __nvvm_mul24_ui(a, b); }
WARPFOLD_DEVICE int __nv_mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
WARPFOLD_DEVICE unsigned int __nv_umulhi(unsigned int a, unsigned int b) { return __nvvm_mulhi_ui(a, b); }
WARPFOLD_DEVICE long long __nv_mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
WARPFOLD_DEVICE unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b) {
  return __nvvm_mulhi_ull(a, b);
}
WARPFOLD_DEVICE int __nv_sad(int a, int b, int c) {
  const unsigned int ua = a, ub = b;
  return static_cast<int>((a > b ? ua - ub : ub - ua) + static_cast<unsigned int>(c));
}
WARPFOLD_DEVICE unsigned int __nv_usad(unsigned int a, unsigned int b, unsigned int c) {
  return (a > b ? a - b : b - a) + c;
}
// Averages without overflow: common bits plus half of the differing ones, rounded down or up.
WARPFOLD_DEVICE int __nv_hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
WARPFOLD_DEVICE int __nv_rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
WARPFOLD_DEVICE int __nv_uhadd(unsigned int a, unsigned int b) { return static_cast<int>((a & b) + ((a ^ b) >> 1)); }
WARPFOLD_DEVICE unsigned int __nv_urhadd(unsigned int a, unsigned int b) { return (a | b) - ((a ^ b) >> 1); }

WARPFOLD_DEVICE int __nv_float_as_int(float a) { return __builtin_bit_cast(int, a); }
WARPFOLD_DEVICE unsigned int __nv_float_as_uint(float a) { return __builtin_bit_cast(unsigned int, a); }
WARPFOLD_DEVICE float __nv_int_as_float(int a) { return __builtin_bit_cast(float, a); }
WARPFOLD_DEVICE float __nv_uint_as_float(unsigned int a) { return __builtin_bit_cast(float, a); }
WARPFOLD_DEVICE unsigned long long __nv_double_as_longlong(double a) {
  return __builtin_bit_cast(unsigned long long, a);
}
WARPFOLD_DEVICE double __nv_longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
WARPFOLD_DEVICE int __nv_double2hiint(double a) { return __nvvm_d2i_hi(a); }
WARPFOLD_DEVICE int __nv_double2loint(double a) { return __nvvm_d2i_lo(a); }
WARPFOLD_DEVICE double __nv_hiloint2double(int hi, int lo) { return __nvvm_lohi_i2d(lo, hi); }

}  // extern "C"
