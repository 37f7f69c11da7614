// SPDX-License-Identifier: Apache-2.0
// Single and double precision as MPFR sees them: precision, exponent range, subnormals, rounding.
#pragma once

#include <gmp.h>
#include <mpfr.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <string>

#include "tests/isa/op_harness.h"

namespace warpfold::isa {

// An MPFR number that frees itself. 2000 bits hold any double exactly, also after conversion.
class Real {
 public:
  explicit Real(mpfr_prec_t precision = 2000) { mpfr_init2(value_, precision); }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  operator mpfr_ptr() { return value_; }  // NOLINT: stands for the number in every MPFR call

 private:
  mpfr_t value_;
};

struct Format {
  unsigned bits;
  int precision() const { return bits == 32 ? 24 : 53; }
  mpfr_exp_t emin() const { return bits == 32 ? -148 : -1073; }  // MPFR's fraction lies in [1/2, 1)
  mpfr_exp_t emax() const { return bits == 32 ? 128 : 1024; }
  std::uint64_t sign() const { return std::uint64_t{1} << (bits - 1); }
  std::uint64_t infinity() const { return bits == 32 ? 0x7f800000 : 0x7ff0000000000000; }
  std::uint64_t least_normal() const { return bits == 32 ? 0x800000 : 0x10000000000000; }
  std::uint64_t one() const { return bits == 32 ? 0x3f800000 : 0x3ff0000000000000; }
  bool is_nan(std::uint64_t x) const { return (x & ~sign()) > infinity(); }
  bool is_subnormal(std::uint64_t x) const { return (x & ~sign()) < least_normal() && (x & ~sign()) != 0; }
  std::uint64_t flush(std::uint64_t x) const { return is_subnormal(x) ? x & sign() : x; }
};

inline void set_bits(mpfr_ptr to, std::uint64_t bits, Format format) {
  if (format.bits == 32)
    mpfr_set_flt(to, std::bit_cast<float>(static_cast<std::uint32_t>(bits)), MPFR_RNDN);
  else
    mpfr_set_d(to, std::bit_cast<double>(bits), MPFR_RNDN);
}

inline std::uint64_t get_bits(mpfr_ptr value, Format format) {
  if (format.bits == 32) return std::bit_cast<std::uint32_t>(mpfr_get_flt(value, MPFR_RNDN));
  return std::bit_cast<std::uint64_t>(mpfr_get_d(value, MPFR_RNDN));
}

inline mpfr_rnd_t rounding_of(const Opcode& opcode) {
  if (opcode.has("rz") || opcode.has("rzi")) return MPFR_RNDZ;
  if (opcode.has("rm") || opcode.has("rmi")) return MPFR_RNDD;
  if (opcode.has("rp") || opcode.has("rpi")) return MPFR_RNDU;
  return MPFR_RNDN;
}

// compute(result) is one correctly rounded MPFR call that returns MPFR's ternary value; the result has the format's
// precision, and exponent range and subnormals are then imposed without rounding twice.
inline std::uint64_t rounded(Format format, mpfr_rnd_t rounding, const std::function<int(mpfr_ptr)>& compute) {
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  Real result(format.precision());
  mpfr_set_emin(format.emin());
  mpfr_set_emax(format.emax());
  int ternary = compute(result);
  ternary = mpfr_check_range(result, ternary, rounding);
  mpfr_subnormalize(result, ternary, rounding);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  return get_bits(result, format);
}

// What an instruction makes of a result: NaN, .sat, .ftz (PTX ISA §9.7.3).
inline std::uint64_t delivered(const Opcode& opcode, Format format, std::uint64_t result,
                               std::initializer_list<std::uint64_t> operands) {
  if (opcode.has("sat")) {
    if (format.is_nan(result) || (result & format.sign()) != 0) result = 0;
    result = std::min(result, format.one());
  }
  if (format.is_nan(result)) {
    if (format.bits == 32) return 0x7fffffff;
    for (const std::uint64_t operand : operands) {
      if (format.is_nan(operand)) return operand | 0x8000000000000;
    }
    return 0xfff8000000000000;
  }
  return opcode.has("ftz") && format.bits == 32 ? format.flush(result) : result;
}

}  // namespace warpfold::isa
