// SPDX-License-Identifier: Apache-2.0
// Arithmetic and conversions with a stated rounding: one PTX instruction each.
#pragma once

extern "C" {

// float
WARPFOLD_DEVICE float __nv_fadd_rd(float a, float b) { return __nvvm_add_rm_f(a, b); }
WARPFOLD_DEVICE float __nv_fsub_rd(float a, float b) { return __nvvm_add_rm_f(a, -b); }
WARPFOLD_DEVICE float __nv_fmul_rd(float a, float b) { return __nvvm_mul_rm_f(a, b); }
WARPFOLD_DEVICE float __nv_fdiv_rd(float a, float b) { return __nvvm_div_rm_f(a, b); }
WARPFOLD_DEVICE float __nv_frcp_rd(float a) { return __nvvm_rcp_rm_f(a); }
WARPFOLD_DEVICE float __nv_fsqrt_rd(float a) { return __nvvm_sqrt_rm_f(a); }
WARPFOLD_DEVICE float __nv_fmaf_rd(float a, float b, float c) { return __nvvm_fma_rm_f(a, b, c); }
WARPFOLD_DEVICE float __nv_fmaf_ieee_rd(float a, float b, float c) { return __nvvm_fma_rm_f(a, b, c); }
WARPFOLD_DEVICE float __nv_fadd_rn(float a, float b) { return __nvvm_add_rn_f(a, b); }
WARPFOLD_DEVICE float __nv_fsub_rn(float a, float b) { return __nvvm_add_rn_f(a, -b); }
WARPFOLD_DEVICE float __nv_fmul_rn(float a, float b) { return __nvvm_mul_rn_f(a, b); }
WARPFOLD_DEVICE float __nv_fdiv_rn(float a, float b) { return __nvvm_div_rn_f(a, b); }
WARPFOLD_DEVICE float __nv_frcp_rn(float a) { return __nvvm_rcp_rn_f(a); }
WARPFOLD_DEVICE float __nv_fsqrt_rn(float a) { return __nvvm_sqrt_rn_f(a); }
WARPFOLD_DEVICE float __nv_fmaf_rn(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
WARPFOLD_DEVICE float __nv_fmaf_ieee_rn(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
WARPFOLD_DEVICE float __nv_fadd_ru(float a, float b) { return __nvvm_add_rp_f(a, b); }
WARPFOLD_DEVICE float __nv_fsub_ru(float a, float b) { return __nvvm_add_rp_f(a, -b); }
WARPFOLD_DEVICE float __nv_fmul_ru(float a, float b) { return __nvvm_mul_rp_f(a, b); }
WARPFOLD_DEVICE float __nv_fdiv_ru(float a, float b) { return __nvvm_div_rp_f(a, b); }
WARPFOLD_DEVICE float __nv_frcp_ru(float a) { return __nvvm_rcp_rp_f(a); }
WARPFOLD_DEVICE float __nv_fsqrt_ru(float a) { return __nvvm_sqrt_rp_f(a); }
WARPFOLD_DEVICE float __nv_fmaf_ru(float a, float b, float c) { return __nvvm_fma_rp_f(a, b, c); }
WARPFOLD_DEVICE float __nv_fmaf_ieee_ru(float a, float b, float c) { return __nvvm_fma_rp_f(a, b, c); }
WARPFOLD_DEVICE float __nv_fadd_rz(float a, float b) { return __nvvm_add_rz_f(a, b); }
WARPFOLD_DEVICE float __nv_fsub_rz(float a, float b) { return __nvvm_add_rz_f(a, -b); }
WARPFOLD_DEVICE float __nv_fmul_rz(float a, float b) { return __nvvm_mul_rz_f(a, b); }
WARPFOLD_DEVICE float __nv_fdiv_rz(float a, float b) { return __nvvm_div_rz_f(a, b); }
WARPFOLD_DEVICE float __nv_frcp_rz(float a) { return __nvvm_rcp_rz_f(a); }
WARPFOLD_DEVICE float __nv_fsqrt_rz(float a) { return __nvvm_sqrt_rz_f(a); }
WARPFOLD_DEVICE float __nv_fmaf_rz(float a, float b, float c) { return __nvvm_fma_rz_f(a, b, c); }
WARPFOLD_DEVICE float __nv_fmaf_ieee_rz(float a, float b, float c) { return __nvvm_fma_rz_f(a, b, c); }

// double
WARPFOLD_DEVICE double __nv_dadd_rd(double a, double b) { return __nvvm_add_rm_d(a, b); }
WARPFOLD_DEVICE double __nv_dsub_rd(double a, double b) { return __nvvm_add_rm_d(a, -b); }
WARPFOLD_DEVICE double __nv_dmul_rd(double a, double b) { return __nvvm_mul_rm_d(a, b); }
WARPFOLD_DEVICE double __nv_ddiv_rd(double a, double b) { return __nvvm_div_rm_d(a, b); }
WARPFOLD_DEVICE double __nv_drcp_rd(double a) { return __nvvm_rcp_rm_d(a); }
WARPFOLD_DEVICE double __nv_dsqrt_rd(double a) { return __nvvm_sqrt_rm_d(a); }
WARPFOLD_DEVICE double __nv_fma_rd(double a, double b, double c) { return __nvvm_fma_rm_d(a, b, c); }
WARPFOLD_DEVICE double __nv_dadd_rn(double a, double b) { return __nvvm_add_rn_d(a, b); }
WARPFOLD_DEVICE double __nv_dsub_rn(double a, double b) { return __nvvm_add_rn_d(a, -b); }
WARPFOLD_DEVICE double __nv_dmul_rn(double a, double b) { return __nvvm_mul_rn_d(a, b); }
WARPFOLD_DEVICE double __nv_ddiv_rn(double a, double b) { return __nvvm_div_rn_d(a, b); }
WARPFOLD_DEVICE double __nv_drcp_rn(double a) { return __nvvm_rcp_rn_d(a); }
WARPFOLD_DEVICE double __nv_dsqrt_rn(double a) { return __nvvm_sqrt_rn_d(a); }
WARPFOLD_DEVICE double __nv_fma_rn(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
WARPFOLD_DEVICE double __nv_dadd_ru(double a, double b) { return __nvvm_add_rp_d(a, b); }
WARPFOLD_DEVICE double __nv_dsub_ru(double a, double b) { return __nvvm_add_rp_d(a, -b); }
WARPFOLD_DEVICE double __nv_dmul_ru(double a, double b) { return __nvvm_mul_rp_d(a, b); }
WARPFOLD_DEVICE double __nv_ddiv_ru(double a, double b) { return __nvvm_div_rp_d(a, b); }
WARPFOLD_DEVICE double __nv_drcp_ru(double a) { return __nvvm_rcp_rp_d(a); }
WARPFOLD_DEVICE double __nv_dsqrt_ru(double a) { return __nvvm_sqrt_rp_d(a); }
WARPFOLD_DEVICE double __nv_fma_ru(double a, double b, double c) { return __nvvm_fma_rp_d(a, b, c); }
WARPFOLD_DEVICE double __nv_dadd_rz(double a, double b) { return __nvvm_add_rz_d(a, b); }
WARPFOLD_DEVICE double __nv_dsub_rz(double a, double b) { return __nvvm_add_rz_d(a, -b); }
WARPFOLD_DEVICE double __nv_dmul_rz(double a, double b) { return __nvvm_mul_rz_d(a, b); }
WARPFOLD_DEVICE double __nv_ddiv_rz(double a, double b) { return __nvvm_div_rz_d(a, b); }
WARPFOLD_DEVICE double __nv_drcp_rz(double a) { return __nvvm_rcp_rz_d(a); }
WARPFOLD_DEVICE double __nv_dsqrt_rz(double a) { return __nvvm_sqrt_rz_d(a); }
WARPFOLD_DEVICE double __nv_fma_rz(double a, double b, double c) { return __nvvm_fma_rz_d(a, b, c); }

// clang 14 takes the intrinsics that round towards zero for C++'s conversions: those to integers, whose result is
// undefined where the value does not fit, and those to floating point, which round to nearest. cvt does neither.
#define WARPFOLD_CONVERT(to, name, from, types, out, in)   \
  WARPFOLD_DEVICE to name(from a) {                        \
    to result;                                             \
    __asm__("cvt." types " %0, %1;" : out(result) : in(a)); \
    return result;                                         \
  }

// floating point to integer, double to float
WARPFOLD_DEVICE float __nv_double2float_rd(double a) { return __nvvm_d2f_rm(a); }
WARPFOLD_DEVICE int __nv_float2int_rd(float a) { return __nvvm_f2i_rm(a); }
WARPFOLD_DEVICE int __nv_double2int_rd(double a) { return __nvvm_d2i_rm(a); }
WARPFOLD_DEVICE unsigned int __nv_float2uint_rd(float a) { return __nvvm_f2ui_rm(a); }
WARPFOLD_DEVICE unsigned int __nv_double2uint_rd(double a) { return __nvvm_d2ui_rm(a); }
WARPFOLD_DEVICE long long __nv_float2ll_rd(float a) { return __nvvm_f2ll_rm(a); }
WARPFOLD_DEVICE long long __nv_double2ll_rd(double a) { return __nvvm_d2ll_rm(a); }
WARPFOLD_DEVICE unsigned long long __nv_float2ull_rd(float a) { return __nvvm_f2ull_rm(a); }
WARPFOLD_DEVICE unsigned long long __nv_double2ull_rd(double a) { return __nvvm_d2ull_rm(a); }
WARPFOLD_DEVICE float __nv_double2float_rn(double a) { return __nvvm_d2f_rn(a); }
WARPFOLD_DEVICE int __nv_float2int_rn(float a) { return __nvvm_f2i_rn(a); }
WARPFOLD_DEVICE int __nv_double2int_rn(double a) { return __nvvm_d2i_rn(a); }
WARPFOLD_DEVICE unsigned int __nv_float2uint_rn(float a) { return __nvvm_f2ui_rn(a); }
WARPFOLD_DEVICE unsigned int __nv_double2uint_rn(double a) { return __nvvm_d2ui_rn(a); }
WARPFOLD_DEVICE long long __nv_float2ll_rn(float a) { return __nvvm_f2ll_rn(a); }
WARPFOLD_DEVICE long long __nv_double2ll_rn(double a) { return __nvvm_d2ll_rn(a); }
WARPFOLD_DEVICE unsigned long long __nv_float2ull_rn(float a) { return __nvvm_f2ull_rn(a); }
WARPFOLD_DEVICE unsigned long long __nv_double2ull_rn(double a) { return __nvvm_d2ull_rn(a); }
WARPFOLD_DEVICE float __nv_double2float_ru(double a) { return __nvvm_d2f_rp(a); }
WARPFOLD_DEVICE int __nv_float2int_ru(float a) { return __nvvm_f2i_rp(a); }
WARPFOLD_DEVICE int __nv_double2int_ru(double a) { return __nvvm_d2i_rp(a); }
WARPFOLD_DEVICE unsigned int __nv_float2uint_ru(float a) { return __nvvm_f2ui_rp(a); }
WARPFOLD_DEVICE unsigned int __nv_double2uint_ru(double a) { return __nvvm_d2ui_rp(a); }
WARPFOLD_DEVICE long long __nv_float2ll_ru(float a) { return __nvvm_f2ll_rp(a); }
WARPFOLD_DEVICE long long __nv_double2ll_ru(double a) { return __nvvm_d2ll_rp(a); }
WARPFOLD_DEVICE unsigned long long __nv_float2ull_ru(float a) { return __nvvm_f2ull_rp(a); }
WARPFOLD_DEVICE unsigned long long __nv_double2ull_ru(double a) { return __nvvm_d2ull_rp(a); }
WARPFOLD_DEVICE float __nv_double2float_rz(double a) { return __nvvm_d2f_rz(a); }
WARPFOLD_CONVERT(int, __nv_float2int_rz, float, "rzi.s32.f32", "=r", "f")
WARPFOLD_CONVERT(int, __nv_double2int_rz, double, "rzi.s32.f64", "=r", "d")
WARPFOLD_CONVERT(unsigned int, __nv_float2uint_rz, float, "rzi.u32.f32", "=r", "f")
WARPFOLD_CONVERT(unsigned int, __nv_double2uint_rz, double, "rzi.u32.f64", "=r", "d")
WARPFOLD_CONVERT(long long, __nv_float2ll_rz, float, "rzi.s64.f32", "=l", "f")
WARPFOLD_CONVERT(long long, __nv_double2ll_rz, double, "rzi.s64.f64", "=l", "d")
WARPFOLD_CONVERT(unsigned long long, __nv_float2ull_rz, float, "rzi.u64.f32", "=l", "f")
WARPFOLD_CONVERT(unsigned long long, __nv_double2ull_rz, double, "rzi.u64.f64", "=l", "d")

// integer to floating point
WARPFOLD_DEVICE float __nv_int2float_rd(int a) { return __nvvm_i2f_rm(a); }
WARPFOLD_DEVICE float __nv_uint2float_rd(unsigned int a) { return __nvvm_ui2f_rm(a); }
WARPFOLD_DEVICE float __nv_ll2float_rd(long long a) { return __nvvm_ll2f_rm(a); }
WARPFOLD_DEVICE double __nv_ll2double_rd(long long a) { return __nvvm_ll2d_rm(a); }
WARPFOLD_DEVICE float __nv_ull2float_rd(unsigned long long a) { return __nvvm_ull2f_rm(a); }
WARPFOLD_DEVICE double __nv_ull2double_rd(unsigned long long a) { return __nvvm_ull2d_rm(a); }
WARPFOLD_DEVICE float __nv_int2float_rn(int a) { return __nvvm_i2f_rn(a); }
WARPFOLD_DEVICE float __nv_uint2float_rn(unsigned int a) { return __nvvm_ui2f_rn(a); }
WARPFOLD_DEVICE float __nv_ll2float_rn(long long a) { return __nvvm_ll2f_rn(a); }
WARPFOLD_DEVICE double __nv_ll2double_rn(long long a) { return __nvvm_ll2d_rn(a); }
WARPFOLD_DEVICE float __nv_ull2float_rn(unsigned long long a) { return __nvvm_ull2f_rn(a); }
WARPFOLD_DEVICE double __nv_ull2double_rn(unsigned long long a) { return __nvvm_ull2d_rn(a); }
WARPFOLD_DEVICE float __nv_int2float_ru(int a) { return __nvvm_i2f_rp(a); }
WARPFOLD_DEVICE float __nv_uint2float_ru(unsigned int a) { return __nvvm_ui2f_rp(a); }
WARPFOLD_DEVICE float __nv_ll2float_ru(long long a) { return __nvvm_ll2f_rp(a); }
WARPFOLD_DEVICE double __nv_ll2double_ru(long long a) { return __nvvm_ll2d_rp(a); }
WARPFOLD_DEVICE float __nv_ull2float_ru(unsigned long long a) { return __nvvm_ull2f_rp(a); }
WARPFOLD_DEVICE double __nv_ull2double_ru(unsigned long long a) { return __nvvm_ull2d_rp(a); }
WARPFOLD_CONVERT(float, __nv_int2float_rz, int, "rz.f32.s32", "=f", "r")
WARPFOLD_CONVERT(float, __nv_uint2float_rz, unsigned int, "rz.f32.u32", "=f", "r")
WARPFOLD_CONVERT(float, __nv_ll2float_rz, long long, "rz.f32.s64", "=f", "l")
WARPFOLD_CONVERT(double, __nv_ll2double_rz, long long, "rz.f64.s64", "=d", "l")
WARPFOLD_CONVERT(float, __nv_ull2float_rz, unsigned long long, "rz.f32.u64", "=f", "l")
WARPFOLD_CONVERT(double, __nv_ull2double_rz, unsigned long long, "rz.f64.u64", "=d", "l")
WARPFOLD_DEVICE double __nv_int2double_rn(int a) { return __nvvm_i2d_rn(a); }
WARPFOLD_DEVICE double __nv_uint2double_rn(unsigned int a) { return __nvvm_ui2d_rn(a); }

#undef WARPFOLD_CONVERT

}  // extern "C"
